/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack of open calls of a thread. Frames are matched by stack pointer: calls that never return (longjmp,
 * exceptions, exec, exit) are recognised and counted, and never paired with the return of another call.
 */
#ifndef XPT_BPF_THREADS_FRAME_BPF_H
#define XPT_BPF_THREADS_FRAME_BPF_H

#include "bpf/arch.bpf.h"
#include "bpf/threads/left.bpf.h"

/* Keeps probes on kernel functions that these programs call from changing the thread's frames. */
static __always_inline void xpt_busy(struct xpt_thread *t, __u16 on)
{
	if (!cfg.kernel_fns)
		return;
	asm volatile("" ::: "memory");
	t->busy = on;
	asm volatile("" ::: "memory");
}

/*
 * Whether function fn of the trace has an open call at that stack pointer. If several probes are at one place, they
 * are hit one after the other: the frames that earlier ones pushed are of the same call.
 */
__noinline int xpt_is_open(struct xpt_thread *t, __u64 sp, __u32 fn)
{
	__u32 i;

	if (!t)
		return 0;
	for (i = 0; i < XPT_MAX_DEPTH; i++) {
		const struct xpt_frame *f = xpt_frame_at(t, i);

		if (i >= t->depth)
			break;
		if (f->sp == sp && f->call.rec.fn == fn)
			return 1;
	}
	return 0;
}

/*
 * Drops frames that can no longer return, because their stack is gone. A frame at the same stack pointer is alive if
 * it belongs to another function, which made a tail call, or to another probe on this function. A wrapper library may
 * make a tail call to the function of the same name in the wrapped library; the place of the probe distinguishes the
 * two.
 */
static __always_inline void xpt_drop_dead(struct xpt_thread *t, __u64 sp, __u32 probe, __u32 fn)
{
	__u32 i;

	for (i = 0; i < XPT_MAX_DEPTH && t->depth; i++) {
		struct xpt_frame *top = xpt_frame_at(t, t->depth - 1);
		bool again = top->sp == sp && top->origin == probe && top->ip == t->ip &&
			     (!cfg.shared || xpt_is_open(t, sp, fn));

		if (top->sp >= sp && !again &&
		    (!cfg.at_returns || !top->ret_addr || !xpt_is_overwritten(top)))
			break;
		t->depth--;
		xpt_send_left(top);
	}
}

/* Marks every open call of the same class: the one that begins does their work. */
static __always_inline void xpt_mark_outer(struct xpt_thread *t, __u16 cls)
{
	__u32 depth = t->depth, i;

	for (i = 0; i < XPT_MAX_DEPTH; i++) {
		struct xpt_frame *f = xpt_frame_at(t, i);

		if (i >= depth)
			break;
		if (f->cls == cls)
			f->call.flags |= XPT_CALL_OUTER;
	}
}

/* Notes in the innermost open call whether its last nested call is of the same function. */
static __always_inline void xpt_mark_passed_on(struct xpt_thread *t, __u32 fn)
{
	struct xpt_frame *f = xpt_frame_at(t, t->depth - 1);

	if (f->call.rec.fn == fn)
		f->shared |= XPT_FRAME_PASSED_ON;
	else
		f->shared &= ~XPT_FRAME_PASSED_ON;
}

/* Updates the open calls for a call that begins. probe: the first cookie of its probes. Global, so that
 * the verifier does not follow each of its outcomes through the code after it. */
__noinline int xpt_begin_nested(struct xpt_thread *t, __u64 sp, __u32 probe, __u32 fn, __u16 cls)
{
	if (!t)
		return 0;
	xpt_drop_dead(t, sp, probe, fn);
	if (t->depth && cls != XPT_CLS_NONE && cls != XPT_CLASS__MAX)
		xpt_mark_passed_on(t, fn);
	if (t->depth < XPT_MAX_DEPTH && cls != XPT_CLS_NONE)
		xpt_mark_outer(t, cls);
	return 0;
}

/*
 * Pops the frame of a return, with all frames above it, and returns it; or NULL. Of two frames at one stack pointer
 * (a tail call) the inner one returns first. quiet: it may be the return of a function that is not traced.
 */
static __always_inline struct xpt_frame *xpt_pop(struct xpt_thread *t, __u64 sp, bool at_end,
							 bool quiet)
{
	__u32 i, depth = t->depth;

	for (i = 0; i < XPT_MAX_DEPTH; i++) {
		struct xpt_frame *f;

		if (!depth)
			break;
		depth--;
		f = xpt_frame_at(t, depth);
		/* Functions may share their last instructions, also with functions that have a return probe. */
		if (f->sp + XPT_RET_POPS == sp && (!cfg.at_returns || !f->ret_addr == !at_end)) {
			if (i)
				xpt_send_all_left(t, depth + 1, t->depth);
			t->depth = depth;
			return f;
		}
	}
	/* If all frames are in use, it is a call without a frame, which was counted at its entry. */
	if (!quiet && t->depth < XPT_MAX_DEPTH)
		xpt_lost(XPT_LOSS_EXIT_WITHOUT_ENTRY, 1);
	return NULL;
}

#endif
