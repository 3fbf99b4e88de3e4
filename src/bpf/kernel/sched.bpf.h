/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Scheduling of a thread while it is in a call (--sched): sums that grow with
 * each switch, and of each call the difference between its end and its begin. A
 * call without a switch costs a copy of 24 bytes at its begin and two comparisons at its end. The programs that see the
 * switches are in sched_switch.bpf.h.
 */
#ifndef XPT_BPF_KERNEL_SCHED_BPF_H
#define XPT_BPF_KERNEL_SCHED_BPF_H

#include "bpf/maps.bpf.h"
#include "bpf/process.bpf.h"
#include "wire/sched.h"

/* Sums of calls that were switched out. Entries are allocated when they are needed: that is cheap beside a switch. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, struct xpt_count_key);
	__type(value, struct xpt_sched_total);
} xpt_sched_totals SEC(".maps");

static __always_inline void xpt_sched_begin(const struct xpt_thread *t, struct xpt_frame *f)
{
	if (!cfg.sched)
		return;
	f->sched = 0;
	f->before = t->sched.sum;
}

static __always_inline void xpt_sched_count(const struct xpt_frame *f,
					    const struct xpt_wire_sched *s)
{
	struct xpt_count_key key = {
		.began_ns = xpt_process_began(),
		.of.tgid = f->call.tgid,
		.of.fn = f->call.rec.fn,
		.of.sub = XPT_DIR_NONE | (f->call.flags & XPT_CALL_OUTER ? XPT_SUB_OUTER : 0) |
		       (f->call.flags & XPT_CALL_NESTED ? XPT_SUB_NESTED : 0),
	};
	struct xpt_sched_total *sum = bpf_map_lookup_elem(&xpt_sched_totals, &key);
	const struct xpt_zeroes *zero = xpt_zeroes();

	if (!sum && zero) {
		bpf_map_update_elem(&xpt_sched_totals, &key, &zero->count, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&xpt_sched_totals, &key);
	}
	if (!sum) {
		xpt_lost(XPT_LOSS_SCHED_FULL, 1);
		return;
	}
	__sync_fetch_and_add(&sum->calls, 1);
	__sync_fetch_and_add(&sum->runq_ns, s->runq_ns);
	__sync_fetch_and_add(&sum->blocked_ns, s->blocked_ns);
	__sync_fetch_and_add(&sum->voluntary, s->voluntary);
	__sync_fetch_and_add(&sum->involuntary, s->involuntary);
}

/*
 * Packs the sums since the frame was made into it, and counts them. Global, so that
 * the verifier looks at it once. Not called for calls that never return:
 * with the stacks of the programs that close those it would exceed the 512 bytes of a program.
 */
__noinline int xpt_sched_close(struct xpt_thread *t, struct xpt_frame *f)
{
	struct xpt_wire_sched s;

	if (!t || !f)
		return 0;
	s.runq_ns = t->sched.sum.runq_ns - f->before.runq_ns;
	s.blocked_ns = t->sched.sum.blocked_ns - f->before.blocked_ns;
	s.voluntary = t->sched.sum.voluntary - f->before.voluntary;
	s.involuntary = t->sched.sum.involuntary - f->before.involuntary;
	xpt_sched_clamp(&s, f->call.dur_ns);
	f->sched = xpt_sched_pack(&s);
	xpt_sched_count(f, &s);
	return 0;
}

/* A call has returned, and its time is known. Points (USDT probes and tracepoints) have no duration. */
static __always_inline void xpt_sched_end(struct xpt_thread *t, struct xpt_frame *f)
{
	if (!cfg.sched || !f->call.dur_ns ||
	    (t->sched.sum.voluntary == f->before.voluntary &&
	     t->sched.sum.involuntary == f->before.involuntary))
		return;
	xpt_sched_close(t, f);
}

#endif
