/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes as SPDK has them: provider spdk, the first argument the TSC or, in the
 * releases since 23.05 and for some probes, the constant 0. Built twice: with
 * OLD_ERA every probe has the TSC. Without sys/sdt.h there are none.
 */
#ifndef FAKE_SPDK_PROBES_H
#define FAKE_SPDK_PROBES_H

#include <stdint.h>

#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define HAVE_PROBES 1
#else
#define HAVE_PROBES 0
#define STAP_PROBE2(p, n, a, b) ((void)(a), (void)(b))
#define STAP_PROBE3(p, n, a, b, c) ((void)(a), (void)(b), (void)(c))
#define STAP_PROBE4(p, n, a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d))
#define STAP_PROBE5(p, n, a, b, c, d, e) ((void)(a), (void)(b), (void)(c), (void)(d), (void)(e))
#endif

#ifdef OLD_ERA
#define NO_TICKS ticks()
#else
#define NO_TICKS 0
#endif

/* Counts first, so that the truth is what a tracer could have seen. T: with the TSC in every era. */
#define PROBE1(name, a) ({ count_probe(#name); STAP_PROBE2(spdk, name, NO_TICKS, a); })
#define PROBE2(name, a, b) ({ count_probe(#name); STAP_PROBE3(spdk, name, NO_TICKS, a, b); })
#define PROBE3(name, a, b, c) ({ count_probe(#name); STAP_PROBE4(spdk, name, NO_TICKS, a, b, c); })
#define PROBE4(name, a, b, c, d) \
	({ count_probe(#name); STAP_PROBE5(spdk, name, NO_TICKS, a, b, c, d); })
#define PROBE1_T(name, a) ({ count_probe(#name); STAP_PROBE2(spdk, name, ticks(), a); })
#define PROBE2_T(name, t, a, b) ({ count_probe(#name); STAP_PROBE3(spdk, name, t, a, b); })
#define PROBE3_T(name, t, a, b, c) ({ count_probe(#name); STAP_PROBE4(spdk, name, t, a, b, c); })
#define PROBE4_T(name, t, a, b, c, d) \
	({ count_probe(#name); STAP_PROBE5(spdk, name, t, a, b, c, d); })

uint64_t ticks(void);			/* the TSC, or the simulated one */
void count_probe(const char *name);
void count_message(const char *function);

/* thread.c: a message to a thread, as SPDK sends them: fn is the second argument. */
struct spdk_thread;
typedef void (*spdk_msg_fn)(void *ctx);
int spdk_thread_send_msg(const struct spdk_thread *thread, spdk_msg_fn fn, void *ctx);
int spdk_for_each_channel(void *io_device, spdk_msg_fn fn, void *ctx, spdk_msg_fn done);
extern unsigned nr_channels;		/* how often it was called */
void run_messages(void);
void poll_once(void);

void fire_rest(const char *subnqn, const char *hostnqn);	/* rest.c */

#endif
