/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs for both ends of a function, by kprobe sessions: one link for many functions. For
 * rdma.bpf.c, after its other programs. They return 1 at an entry whose return is not needed: then the
 * kernel does not stop there, so functions that run outside of RDMA calls cost their entry alone.
 */
#ifndef XPT_BPF_RDMA_RDMA_SESSION_BPF_H
#define XPT_BPF_RDMA_RDMA_SESSION_BPF_H

#include "bpf/kernel/is_return.bpf.h"
#include "bpf/rdma/rdma_frames.bpf.h"

/* The frames of the slot of that number. Has one entry if no function gets a session. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, XPT_RDMA_SLOTS);
	__type(key, __u32);
	__type(value, struct xpt_rdma_frames);
} xpt_rdma_frames SEC(".maps");

/* Entries that found no room for a frame, and returns that found no frame. */
__u64 xpt_rdma_unpaired;

/* Set once a return had the stack pointer, as all have before 6.14: it has the return address then, too. */
__u32 xpt_rdma_sp_is_told;

/* The slot of a thread that is inside of a root, with its frames; NULL: it is in none. */
static __always_inline struct xpt_rdma_slot *slot_of_session(struct xpt_rdma_frames **ret_frames)
{
	__u32 i = rdma_place((__u32)bpf_get_current_pid_tgid());

	if (i >= XPT_RDMA_SLOTS)
		return NULL;
	*ret_frames = bpf_map_lookup_elem(&xpt_rdma_frames, &i);
	return *ret_frames ? bpf_map_lookup_elem(&xpt_rdma_slots, &i) : NULL;
}

/* A function begins. Returns 1 if its return is not needed: an interrupt's (on another stack), or no room. */
static __always_inline int enter_session(struct pt_regs *ctx, const struct xpt_rdma_slot *s, struct xpt_rdma_frames *frames,
					 __u32 cookie)
{
	__u64 place = xpt_sp(ctx) + XPT_RET_POPS - s->stack, back = 0;
	struct xpt_rdma_frame *f;
	bool is_jumped;

	if (place >= XPT_KSTACK_BYTES)
		return 1;
	f = rdma_frame_add(frames, cookie, place, &is_jumped);
	if (!f) {
		__sync_fetch_and_add(&xpt_rdma_unpaired, 1);
		return 1;
	}
	xpt_reg_args(ctx, f->arg);
	if (!is_jumped && !xpt_rdma_sp_is_told && !bpf_probe_read_kernel(&back, sizeof(back), xpt_return_at(ctx)))
		f->from = (__u32)back;
	return 0;
}

static __always_inline void take_words(struct xpt_wire_rdma_exit *e, const struct xpt_rdma_frame *frame,
				       const struct xpt_wire_rdma_fn *f)
{
	__u32 i;

#pragma unroll
	for (i = 0; i < XPT_RDMA_REGS; i++)
		e->arg[i] = frame->arg[i];
	e->nr_args = (__u8)f->nr_args;
}

/* The frame of the function that returns; NULL: it has none, which is counted. To ask for the cookie is a search. */
static __always_inline struct xpt_rdma_frame *take_frame(struct pt_regs *ctx, const struct xpt_rdma_slot *s,
							 struct xpt_rdma_frames *frames)
{
	struct xpt_rdma_frame *f = rdma_frame_take_at(frames, xpt_sp(ctx) - s->stack);

	if (!f)
		f = rdma_frame_take(frames, (__u32)bpf_get_attach_cookie(ctx), xpt_sp(ctx) - s->stack);
	if (!f)
		__sync_fetch_and_add(&xpt_rdma_unpaired, 1);
	return f;
}

/* A function returns, with the arguments that its entry kept. */
static __always_inline void leave_session(struct pt_regs *ctx, struct xpt_rdma_slot *s, const struct xpt_rdma_frame *frame)
{
	__u32 cookie = frame->cookie, fn = XPT_RDMA_COOKIE_ID(cookie);
	const struct xpt_wire_rdma_fn *f = bpf_map_lookup_elem(&xpt_rdma_fns, &fn), *erred;
	__u64 now = bpf_ktime_get_ns(), top = frame->place + s->stack;
	struct xpt_wire_rdma_exit *e = f ? add_exit(s, cookie, top, xpt_retval(ctx), now, &erred) : NULL;

	if (!e)
		return;
	take_words(e, frame, f);
	if (erred && erred->asks.kind)
		rdma_asked_struct(&s->rec, &erred->asks, e);
	e->from = frame->from;
	if (xpt_sp(ctx) == top) {	/* the kernel has put the return address back, whoever else had replaced it */
		e->from = (__u32)xpt_ip(ctx);
		xpt_rdma_sp_is_told = 1;
	}
	if (f->flags & XPT_RDMA_FN_SPECIAL)
		end_special(s, fn, e, (__s64)xpt_retval(ctx), now);
}

/* Handles an entry. That of a root begins a call, and is the first function of its thread. */
static __always_inline int enter_function(struct pt_regs *ctx)
{
	__u32 cookie = (__u32)bpf_get_attach_cookie(ctx), fn = XPT_RDMA_COOKIE_ID(cookie);
	const struct xpt_wire_rdma_fn *f = bpf_map_lookup_elem(&xpt_rdma_fns, &fn);
	bool is_root = f && f->flags & XPT_RDMA_FN_ROOT;
	struct xpt_rdma_frames *frames;
	struct xpt_rdma_slot *s;
	__u64 args[8];

	if (is_root) {
		xpt_reg_args(ctx, args);
		begin(fn, args);
	}
	s = slot_of_session(&frames);
	if (!s)
		return 1;
	if (is_root)
		frames->nr = 0;
	return enter_session(ctx, s, frames, cookie);
}

SEC("?kprobe")
int xpt_rdma_session(struct pt_regs *ctx)
{
	const struct xpt_rdma_frame *frame;
	struct xpt_rdma_frames *frames;
	struct xpt_rdma_slot *s;

	if (!xpt_is_return(ctx))
		return enter_function(ctx);
	s = slot_of_session(&frames);
	frame = s ? take_frame(ctx, s, frames) : NULL;
	if (frame)
		leave_session(ctx, s, frame);
	return 0;
}

SEC("?kprobe")
int xpt_rdma_session_event(struct pt_regs *ctx)
{
	regs_event(ctx);
	return 1;
}

#endif
