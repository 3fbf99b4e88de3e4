/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The stack of open calls of a thread. Frames are matched by stack pointer:
 * calls that never return (longjmp, exceptions, exec, exit)
 * are recognised and counted instead of being paired with a stranger.
 */
#ifndef XPT_BPF_FRAME_BPF_H
#define XPT_BPF_FRAME_BPF_H

#include "bpf/arch.bpf.h"
#include "bpf/bound.bpf.h"
#include "bpf/send.bpf.h"

static __always_inline struct xpt_frame *xpt_frame_at(struct xpt_thread *t, __u32 i)
{
	return &t->frame[xpt_wrap(i, XPT_MAX_DEPTH)];
}

/* Keeps probes on kernel functions that we call ourselves away from the thread's frames. */
static __always_inline void xpt_busy(struct xpt_thread *t, __u16 on)
{
	if (!cfg.kernel_fns)
		return;
	asm volatile("" ::: "memory");
	t->busy = on;
	asm volatile("" ::: "memory");
}

/* Clamps n in the register that is used later, where the verifier can see it. */
#define xpt_bound_vals(n)                                                                          \
	do {                                                                                       \
		asm volatile("" : "+r"(n));                                                        \
		if ((n) > XPT_MAX_VALS)                                                            \
			(n) = XPT_MAX_VALS;                                                        \
		asm volatile("" : "+r"(n));                                                        \
	} while (0)

/*
 * Drops frames that can no longer return: their stack is gone. A frame at the
 * very same stack pointer is alive if it belongs to another function, which
 * then jumped here as its last act (a tail call).
 */
static __always_inline void xpt_drop_dead(struct xpt_thread *t, __u64 sp, __u32 fn)
{
	__u32 i;

	for (i = 0; i < XPT_MAX_DEPTH && t->depth; i++) {
		const struct xpt_frame *top = xpt_frame_at(t, t->depth - 1);

		if (top->sp > sp || (top->sp == sp && top->call.rec.fn != fn))
			break;
		t->depth--;
		xpt_lost(XPT_LOSS_CUT_LONGJMP, 1);
	}
}

/* Marks every open call of the same class: the one that begins does their work. */
static __always_inline void xpt_mark_outer(struct xpt_thread *t, __u8 cls)
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

/* What a call that begins means for those that are open. Global, so that the verifier does
 * not follow each of its outcomes through all that comes behind it. */
__noinline int xpt_begin_nested(struct xpt_thread *t, __u64 sp, __u32 fn, __u8 cls)
{
	if (!t)
		return 0;
	xpt_drop_dead(t, sp, fn);
	if (t->depth < XPT_MAX_DEPTH)
		xpt_mark_outer(t, cls);
	return 0;
}

/*
 * The frame that a return belongs to, popped with all above it; or NULL. Of
 * two frames at one stack pointer (a tail call) the inner one returns first.
 */
static __always_inline struct xpt_frame *xpt_pop(struct xpt_thread *t, __u64 sp)
{
	__u32 i, depth = t->depth;

	for (i = 0; i < XPT_MAX_DEPTH; i++) {
		struct xpt_frame *f;

		if (!depth)
			break;
		depth--;
		f = xpt_frame_at(t, depth);
		if (f->sp + XPT_RET_POPS == sp) {
			t->depth = depth;
			if (i)
				xpt_lost(XPT_LOSS_CUT_LONGJMP, i);
			return f;
		}
	}
	/* While all frames are in use it is a call that found none, counted then. */
	if (t->depth < XPT_MAX_DEPTH)
		xpt_lost(XPT_LOSS_EXIT_WITHOUT_ENTRY, 1);
	return NULL;
}

/* Words behind the header, all that it has; sets the record's size. */
static __always_inline __u32 xpt_close_values(struct xpt_frame *f)
{
	__u32 n = f->call.nr_vals;

	xpt_bound_vals(n);
	if (f->stack) {
		f->val[n] = f->stack;
		f->call.flags |= XPT_CALL_STACK;
		n++;
	}
	if (cfg.sched && f->sched) {
		f->val[n] = f->sched;
		f->call.flags |= XPT_CALL_SCHED;
		n++;
	}
	f->call.rec.size = sizeof(f->call) + n * 8;
	return n;
}

#endif
