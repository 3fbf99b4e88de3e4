/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions that a thread has entered and not left, where programs run at both ends
 * of a function (sessions): at the return the registers have lost the arguments, and
 * on kernels since 6.14 the stack pointer and the return address as well. So the
 * entry keeps them in a frame.
 *
 * A frame is known by its place in the thread's stack, so returns that were not seen
 * never pair a return with the entry of another call. Plain functions on plain
 * numbers: a unit test runs them, too.
 */
#ifndef XPT_BPF_RDMA_RDMA_FRAMES_BPF_H
#define XPT_BPF_RDMA_RDMA_FRAMES_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include "bpf/bound.bpf.h"
#include "wire/rdma.h"

#define XPT_RDMA_NO_PLACE 65536u	/* above every stack of the kernel */
#define RDMA_FRAMES static inline __attribute__((always_inline))

struct xpt_rdma_frame {
	__u32 cookie;		/* of the function */
	__u32 from;		/* low half of its return address; 0: not known */
	__u64 place;		/* above its return address, from the low end of the thread's stack, bytes */
	__u64 arg[XPT_RDMA_REGS];
};

struct xpt_rdma_frames {
	__u32 nr, pad;
	struct xpt_rdma_frame v[XPT_RDMA_OPEN_FNS];
};

RDMA_FRAMES struct xpt_rdma_frame *rdma_frame_at(struct xpt_rdma_frames *t, __u32 i)
{
	return &t->v[xpt_wrap(i, XPT_RDMA_OPEN_FNS)];
}

/*
 * Drops frames whose return was not seen: a function begins at a place above them. Another function's frame at the
 * same place stays: that function jumped to this one (a tail call), and both will return.
 */
RDMA_FRAMES void rdma_frames_drop(struct xpt_rdma_frames *t, __u32 cookie, __u64 place)
{
	__u32 i, nr = t->nr;

	for (i = 0; i < XPT_RDMA_OPEN_FNS && nr; i++) {
		const struct xpt_rdma_frame *top = rdma_frame_at(t, nr - 1);

		if (top->place > place || (top->place == place && top->cookie != cookie))
			break;
		nr--;
	}
	t->nr = nr;
}

/*
 * A frame for a function that begins, without its arguments; NULL: too many are open. *ret_is_jumped: it was jumped
 * to, so its return address is that of the function before, which the frame has already; else the caller notes it.
 */
RDMA_FRAMES struct xpt_rdma_frame *rdma_frame_add(struct xpt_rdma_frames *t, __u32 cookie, __u64 place,
						  bool *ret_is_jumped)
{
	const struct xpt_rdma_frame *below;
	struct xpt_rdma_frame *f;
	__u32 nr;

	rdma_frames_drop(t, cookie, place);
	nr = t->nr;
	if (nr >= XPT_RDMA_OPEN_FNS)
		return NULL;
	f = rdma_frame_at(t, nr);
	below = rdma_frame_at(t, nr - 1);	/* of none it is the last one of the table, which is not used then */
	*ret_is_jumped = nr && below->place == place;
	f->cookie = cookie;
	f->place = place;
	f->from = *ret_is_jumped ? below->from : 0;
	t->nr = nr + 1;
	return f;
}

/*
 * The frame of the function that returns to that place, where the kernel provides it (before 6.14), taken away; NULL:
 * it is not the topmost one. Of functions that jumped to each other the last one returns first.
 */
RDMA_FRAMES struct xpt_rdma_frame *rdma_frame_take_at(struct xpt_rdma_frames *t, __u64 place)
{
	__u32 nr = t->nr;
	struct xpt_rdma_frame *top = rdma_frame_at(t, nr - 1);

	if (!nr || top->place != place)
		return NULL;
	t->nr = nr - 1;
	return top;
}

/*
 * The topmost frame of a function that returns, taken away with all above it; NULL: it has none. at: the stack
 * pointer at the return as a place: that of the frame (before 6.14), or below it, or in no stack.
 */
RDMA_FRAMES struct xpt_rdma_frame *rdma_frame_take(struct xpt_rdma_frames *t, __u32 cookie, __u64 at)
{
	__u32 i, nr = t->nr;

	for (i = 0; i < XPT_RDMA_OPEN_FNS && nr; i++) {
		struct xpt_rdma_frame *f = rdma_frame_at(t, --nr);

		if (f->cookie == cookie && (at >= XPT_RDMA_NO_PLACE || f->place >= at)) {
			t->nr = nr;
			return f;
		}
	}
	return NULL;
}

#endif
