/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scheduling of a thread by the kernel while it was in a call: the same on both
 * sides, and in recordings. A call that was switched out has a packed word
 * after its values and its stack's id; one without had the CPU all the time.
 * Sums of all calls are records of their own (XPT_REC_SCHED).
 */
#ifndef XPT_WIRE_SCHED_H
#define XPT_WIRE_SCHED_H

#include "wire/wire.h"

/*
 * Switches as the kernel counts them (/proc/PID/status): voluntary is a switch of a thread that went to sleep,
 * involuntary all others, sched_yield() among them.
 */
struct xpt_wire_sched {
	__u64 runq_ns;		/* wanted to run and waited for a CPU */
	__u64 blocked_ns;	/* slept */
	__u32 voluntary, involuntary;	/* switches away from the CPU */
};

/* The state of a thread. In INFLIGHT records 0 is not known. */
enum xpt_cpu_state {
	XPT_CPU_ON = 1,
	XPT_CPU_RUNNABLE = 2,	/* waits for a CPU */
	XPT_CPU_BLOCKED = 3,	/* sleeps */
	XPT_CPU__MAX
};

/* State that the BPF programs keep for a thread, of switches that begin inside its calls. */
struct xpt_thread_sched {
	struct xpt_wire_sched sum;
	__u64 since_ns;		/* when state began, unless it is on a CPU */
	__u32 state;		/* enum xpt_cpu_state; 0: on a CPU */
	__u32 pad;
};

/* Totals of a process and function, exact; counters of calls without switches are not there. */
struct xpt_rec_sched {
	struct xpt_rec rec;
	struct xpt_wire_count_key key;	/* sub: XPT_SUB_OUTER, XPT_SUB_NESTED, no direction */
	__u64 calls;		/* that were switched out */
	__u64 runq_ns, blocked_ns;
	__u64 voluntary, involuntary;
};

struct xpt_sched_total {	/* of xpt_rec_sched, as the kernel keeps it */
	__u64 calls, runq_ns, blocked_ns, voluntary, involuntary;
};

/*
 * The packed word, from the lowest bit on: runq_ns and blocked_ns, 22 bits
 * each, voluntary and involuntary, 10 bits each. A time is an exponent e (4
 * bits) and above it a mantissa of 18 bits, which is shifted left by 2 * e:
 * exact below 262 us (2^18 ns), rounded down by less than 1/65536 above, and
 * never more than 2^48 ns (3.2 days). Switches stop at 1023.
 */
#define XPT_SCHED_MANTISSA 18
#define XPT_SCHED_TIME_BITS 22
#define XPT_SCHED_SWITCHES_MAX 1023u

static inline __attribute__((always_inline)) __u64 xpt_sched_pack_time(__u64 ns)
{
	__u64 max = (1u << XPT_SCHED_MANTISSA) - 1;
	__u32 e;

	for (e = 0; e < 15 && ns > max; e++)
		ns >>= 2;
	return (ns > max ? max : ns) << 4 | e;
}

static inline __attribute__((always_inline)) __u64 xpt_sched_pack(const struct xpt_wire_sched *s)
{
	__u64 v = s->voluntary, i = s->involuntary;

	v = v > XPT_SCHED_SWITCHES_MAX ? XPT_SCHED_SWITCHES_MAX : v;
	i = i > XPT_SCHED_SWITCHES_MAX ? XPT_SCHED_SWITCHES_MAX : i;
	return xpt_sched_pack_time(s->runq_ns) |
	       xpt_sched_pack_time(s->blocked_ns) << XPT_SCHED_TIME_BITS |
	       v << 2 * XPT_SCHED_TIME_BITS | i << (2 * XPT_SCHED_TIME_BITS + 10);
}

static inline __u64 xpt_sched_unpack_time(__u64 bits)
{
	return (bits >> 4 & ((1u << XPT_SCHED_MANTISSA) - 1)) << 2 * (bits & 15);
}

/* Unpacks any word: each value is bounded by its bits. */
static inline struct xpt_wire_sched xpt_sched_unpack(__u64 word)
{
	return (struct xpt_wire_sched){
		xpt_sched_unpack_time(word), xpt_sched_unpack_time(word >> XPT_SCHED_TIME_BITS),
		(__u32)(word >> 2 * XPT_SCHED_TIME_BITS & XPT_SCHED_SWITCHES_MAX),
		(__u32)(word >> (2 * XPT_SCHED_TIME_BITS + 10)),
	};
}

/* Times that two clocks or a damaged file made longer than the call are cut to it. */
static inline __attribute__((always_inline)) void xpt_sched_clamp(struct xpt_wire_sched *s,
								  __u64 dur_ns)
{
	if (s->runq_ns > dur_ns)
		s->runq_ns = dur_ns;
	if (s->blocked_ns > dur_ns - s->runq_ns)
		s->blocked_ns = dur_ns - s->runq_ns;
}

/* Words after the header of a call: its values, its stack's id, and this. */
static inline unsigned xpt_call_words(const struct xpt_rec_call *c)
{
	return c->nr_vals + (c->flags & XPT_CALL_STACK ? 1u : 0u) +
	       (c->flags & XPT_CALL_SCHED ? 1u : 0u);
}

_Static_assert(sizeof(struct xpt_wire_sched) == 24, "what the scheduler did");
_Static_assert(sizeof(struct xpt_rec_sched) == 56, "scheduler record");
_Static_assert(sizeof(struct xpt_sched_total) <= sizeof(struct xpt_wire_count), "zeroes for both");

#endif
