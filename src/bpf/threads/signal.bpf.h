/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Signals of a crash. A thread that gets one inside a traced call is marked with the
 * signal and that call; if the call has not returned when the thread ends, its INFLIGHT
 * record has the signal. A handler may recover (the call returns or is left by longjmp) or
 * end the process itself, so the kind of handler does not matter here. Code that a thread
 * runs after a call that was left by longjmp and before its next traced call cannot be
 * distinguished from code inside the call, unless it is less deep in the stack.
 */
#ifndef XPT_BPF_THREADS_SIGNAL_BPF_H
#define XPT_BPF_THREADS_SIGNAL_BPF_H

#include "bpf/threads/thread.bpf.h"

#define XPT_SIGABRT 6
/* ILL, TRAP, ABRT, BUS, FPE, SEGV, SYS: signals that a thread gets for its own actions. */
#define XPT_CRASH_SIGNALS \
	(1u << 4 | 1u << 5 | 1u << XPT_SIGABRT | 1u << 7 | 1u << 8 | 1u << 11 | 1u << 31)

/* Returns the start of the innermost call whose stack still exists, 0: none. Calls above it were left by longjmp. */
static __always_inline __u64 begin_of_open_call(struct xpt_thread *t, __u64 sp)
{
	__u32 depth = t->depth, i;

	for (i = 0; i < XPT_MAX_DEPTH; i++) {
		struct xpt_frame *f;

		if (!depth)
			break;
		depth--;
		f = xpt_frame_at(t, depth);
		if (f->sp >= sp)
			return f->call.start_ns;
	}
	return 0;
}

static __always_inline int on_signal(struct bpf_raw_tracepoint_args *ctx)
{
	struct xpt_thread *t = xpt_thread_of((__u32)bpf_get_current_pid_tgid());
	__u32 signal = ctx->args[0];
	__u64 begin;

	if (!t || !t->depth || signal >= 32 || !(XPT_CRASH_SIGNALS & 1u << signal))
		return 0;
	begin = begin_of_open_call(t, user_sp());
	/* A handler that calls abort(): the signal that it handles is the crash. */
	if (!begin || (signal == XPT_SIGABRT && t->signal && t->signal_ns == begin))
		return 0;
	t->signal = signal;
	t->signal_ns = begin;
	return 0;
}

SEC("raw_tp/signal_deliver")
int xpt_signal(struct bpf_raw_tracepoint_args *ctx)
{
	return on_signal(ctx);
}

SEC("raw_tp/signal_deliver")
int xpt_signal_again(struct bpf_raw_tracepoint_args *ctx)
{
	return on_signal(ctx);
}

#endif
