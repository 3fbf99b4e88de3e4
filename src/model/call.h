/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fields of a call beside its arguments, the same in JSON lines and CSV;
 * docs/format.md describes them for users. Also the order in which calls make
 * and end their objects.
 */
#ifndef XPT_MODEL_CALL_H
#define XPT_MODEL_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "model/event.h"

/* "memory", "kernel", "transfer", "userspace"; outer: XPT_CALL_OUTER is set. */
const char *xpt_fn__type(const struct xpt_fn *fn, bool outer);
/* Bytes that the call took, moved or set, 0 if it failed; false: no matter of bytes. */
bool xpt_call__done_bytes(const struct xpt_call *c, uint64_t *ret_bytes);
/* The address or handle that the call is about; false if there is none to show. */
bool xpt_call__ptr(const struct xpt_call *c, uint64_t *ret_v);

/* Appends `,"sched":{...}` for a call that was switched out, `,"cpu":"..."` for one in flight
 * of which it is known; nothing else. */
void xpt_call__add_sched(struct xpt_strbuf *sb, const struct xpt_call *c);
/* Returns the state of the thread of a call in flight as text, such as "on a CPU"; NULL if not known. */
const char *xpt_call__cpu_name(const struct xpt_call *c);

/* "SIGSEGV", or "signal 40", written to buf; returns it. */
const char *xpt_signal_name(unsigned number, char *buf, size_t n);

static inline uint64_t xpt_call__end_ns(const struct xpt_call *c)
{
	return c->start_ns + c->dur_ns;
}

/*
 * Whether c, which frees or destroys, can be about an object made by a call that returned at
 * since_ns. A handle or address is given back before such a call returns, so another thread may
 * have been given it again, and that call may have returned, before c did.
 */
static inline bool xpt_call__may_end(const struct xpt_call *c, uint64_t since_ns)
{
	return c->start_ns >= since_ns;
}

/* A place that was passed, which takes no time: no call of its own. */
static inline bool xpt_fn__is_point(const struct xpt_fn *fn)
{
	return fn->layer == XPT_LAYER_POINT;
}

/* The time that tracing added to a call of one function, ns: to a sent call, if any was sent. */
static inline uint64_t xpt_fncost__call_ns(const struct xpt_rec_fncost *r)
{
	return r->events ? r->event_ns : r->count_ns;
}

#endif
