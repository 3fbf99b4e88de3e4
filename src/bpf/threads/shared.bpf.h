/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of the trace that share a probe: one trap, and a frame for each of them. The frames are adjacent on the
 * stack of open calls, begin and end at the same time, and return together.
 */
#ifndef XPT_BPF_THREADS_SHARED_BPF_H
#define XPT_BPF_THREADS_SHARED_BPF_H

#include "bpf/hooks/hook_follow.bpf.h"
#include "bpf/kernel/sched.bpf.h"
#include "bpf/maps.bpf.h"
#include "bpf/threads/frame.bpf.h"
#include "bpf/values/capture.bpf.h"

/* Attach cookie - XPT_MAX_FNS -> the functions whose probe it is. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_wire_shared);
} xpt_shared SEC(".maps");

/* Returns the class of a call. Calls of hooks have none, so that they mark no other call OUTER. */
static __always_inline __u16 xpt_class_of(const struct xpt_wire_fn *spec)
{
	return cfg.hooks && spec->hook ? XPT_CLS_NONE : spec->cls;
}

static __always_inline void xpt_open_frame(struct xpt_thread *t, __u32 tid, __u32 fn, __u64 sp,
					   const struct xpt_wire_fn *spec)
{
	__u32 depth = t->depth;
	struct xpt_frame *f = xpt_frame_at(t, depth);

	f->sp = sp;
	f->call.rec.fn = fn;
	f->call.tgid = t->tgid;
	f->call.tid = tid;
	f->call.depth = depth;
	f->call.start_ns = 0;	/* incomplete: the engine skips this frame */
	f->call.flags = depth ? XPT_CALL_NESTED : 0;
	f->named = spec->flags & XPT_FN_NAMED;
	if (depth) {
		if (xpt_frame_at(t, depth - 1)->named)
			f->call.flags |= XPT_CALL_IN_NAMED;
		else
			f->named = 0;
	}
	f->cls = xpt_class_of(spec);
	f->shared = 0;
	f->stack = 0;
	f->ret_addr = 0;
	f->call.str_len = 0;
	xpt_sched_begin(t, f);
}

/* Data that the functions of a probe share, in the thread's own memory. */
struct xpt_entry {
	struct xpt_args args;
	__u64 stack_args, stack;	/* where argument words lie; XPT_STACK_WORD */
};

/* Returns the functions of a shared probe, or NULL if the probe is of one function; *ret_fn: the first function. */
static __always_inline const struct xpt_wire_shared *xpt_shared_of(__u32 probe, __u32 *ret_fn)
{
	const struct xpt_wire_shared *s;
	__u32 i = probe - XPT_MAX_FNS;

	if (!cfg.shared || probe < XPT_MAX_FNS)
		return NULL;
	s = bpf_map_lookup_elem(&xpt_shared, &i);
	if (s)
		*ret_fn = s->fn[0] ? s->fn[0] : s->fn[1];
	return s;
}

/* Pushes a frame for one more function of the probe whose frame is on top. Global, so that the
 * verifier checks it once. */
__noinline int xpt_enter_other(struct xpt_thread *t, struct xpt_entry *at, __u32 fn)
{
	const struct xpt_wire_fn *spec = bpf_map_lookup_elem(&xpt_fns, &fn);
	const struct xpt_frame *below;
	struct xpt_frame *f;

	if (!cfg.shared || !t || !at || !spec || !t->depth)
		return 0;
	if (t->depth >= XPT_MAX_DEPTH) {
		xpt_lost(XPT_LOSS_DEPTH_FULL, 1);
		return 0;
	}
	below = xpt_frame_at(t, t->depth - 1);
	xpt_open_frame(t, below->call.tid, fn, below->sp, spec);
	f = xpt_frame_at(t, t->depth);
	f->origin = below->origin;
	f->ip = below->ip;
	f->shared = XPT_FRAME_SHARED;
	f->ret_addr = below->ret_addr;
	xpt_capture_args(spec, f, &at->args, at->stack_args);
	if (cfg.hook_steps && spec->hook)
		xpt_hook_follow(f, fn);
	if (cfg.stacks && spec->flags & XPT_FN_STACK)
		f->stack = at->stack;
	t->depth++;
	return 1;
}

/* Pushes frames for the functions of a probe after the first, whose frame is f. Sets all start times at the end. */
static __always_inline void xpt_enter_others(struct pt_regs *ctx, struct xpt_thread *t, struct xpt_frame *f,
					     const struct xpt_wire_shared *shared, __u32 first)
{
	struct xpt_entry *at = (struct xpt_entry *)t->long_call;
	__u32 i, from = t->depth, fn;
	__u64 now;

	if (!shared->fn[1] || (shared->fn[1] == first && !shared->fn[2]))
		return;
	xpt_reg_args(ctx, at->args.word);
	at->stack_args = (__u64)xpt_stack_args(ctx);
	at->stack = f->stack;
	if (cfg.stacks && shared->stack && !f->stack)
		at->stack = xpt_take_stack(ctx);
	for (i = 1; i < XPT_SHARED_FNS; i++) {
		fn = shared->fn[i];
		if (!fn)
			break;
		if (fn != first)
			xpt_enter_other(t, at, fn);
	}
	now = bpf_ktime_get_ns();
	for (i = 0; i < XPT_SHARED_FNS && from + i < t->depth; i++)
		xpt_frame_at(t, from + i)->call.start_ns = now;
}

#endif
