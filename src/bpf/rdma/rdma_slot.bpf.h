/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Threads inside of a root: each has a slot with the returns so far. The
 * thread's id gives the place of its slot, so that planned functions outside of
 * roots, which are most calls of some, cost four comparisons in one cache line.
 */
#ifndef XPT_BPF_RDMA_RDMA_SLOT_BPF_H
#define XPT_BPF_RDMA_RDMA_SLOT_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "bpf/bound.bpf.h"
#include "wire/rdma.h"

#define NEAR 4	/* places that a thread may have */

struct xpt_rdma_slot {
	struct xpt_wire_rdma_rec rec;
	struct xpt_wire_rdma_exit exit[XPT_RDMA_EXITS];
	__u64 stack, file, inode;	/* low end of the thread's stack; struct file and inode, 0: it has none */
	__u64 ctx, command_ctx;	/* addresses on their way to being numbers */
	__s64 success;		/* the root's result on success: 0, of write(2) the number of bytes */
	__u32 is_new;
	__u32 error_fn;	/* the first function of those that returned the last error, one after the other */
	__s32 error;
	__u32 number;	/* of rdma_forget_bounds() */
	struct xpt_wire_rdma_key method;	/* of the call, once it has returned */
};

/*
 * Returns a number about which the verifier knows nothing any more: then the paths that led to it are checked as one
 * from here on, so that a program takes less time to load.
 */
static __always_inline __u32 rdma_forget_bounds(struct xpt_rdma_slot *s, __u32 n)
{
	*(volatile __u32 *)&s->number = n;
	return *(volatile __u32 *)&s->number;
}

struct xpt_rdma_after {
	__u64 failed_ns;
	__u32 left, pad;
};

_Static_assert(__builtin_offsetof(struct xpt_rdma_slot, exit) == sizeof(struct xpt_wire_rdma_rec),
	       "exits follow the record");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, XPT_RDMA_SLOTS);
	__type(key, __u32);
	__type(value, struct xpt_rdma_slot);
} xpt_rdma_slots SEC(".maps");

__u32 xpt_rdma_owner[XPT_RDMA_SLOTS];	/* thread id; 0: free */
__u64 xpt_rdma_lost[XPT_RDMA_NR_LOST];

static __always_inline void rdma_lost(enum xpt_rdma_lost loss)
{
	__sync_fetch_and_add(&xpt_rdma_lost[loss], 1);
}

/* Returns the thread's place in the table, or XPT_RDMA_SLOTS if it has none. */
static __always_inline __u32 rdma_place(__u32 tid)
{
	__u32 k, i;

#pragma unroll
	for (k = 0; k < NEAR; k++) {
		i = xpt_wrap(tid + k, XPT_RDMA_SLOTS);
		if (tid && xpt_rdma_owner[i] == tid)	/* an idle CPU has no thread */
			return i;
	}
	return XPT_RDMA_SLOTS;
}

static __always_inline struct xpt_rdma_slot *rdma_slot(__u32 tid)
{
	__u32 i = rdma_place(tid);

	return i < XPT_RDMA_SLOTS ? bpf_map_lookup_elem(&xpt_rdma_slots, &i) : NULL;
}

/* The slot that it has still, since a return was not seen, or a free one. */
static __always_inline struct xpt_rdma_slot *rdma_claim(__u32 tid)
{
	__u32 k, i = rdma_place(tid);

	if (i < XPT_RDMA_SLOTS) {
		rdma_lost(XPT_RDMA_LOST_STALE);
		return bpf_map_lookup_elem(&xpt_rdma_slots, &i);
	}
#pragma unroll
	for (k = 0; k < NEAR; k++) {
		i = xpt_wrap(tid + k, XPT_RDMA_SLOTS);
		if (!__sync_val_compare_and_swap(&xpt_rdma_owner[i], 0, tid))
			return bpf_map_lookup_elem(&xpt_rdma_slots, &i);
	}
	rdma_lost(XPT_RDMA_LOST_SLOT);
	return NULL;
}

/* A call begins that gets no slot: the slot that its thread still has is of a call whose end was not seen. */
static __always_inline void rdma_forget(__u32 tid)
{
	__u32 i = rdma_place(tid);

	if (i >= XPT_RDMA_SLOTS)
		return;
	rdma_lost(XPT_RDMA_LOST_STALE);
	xpt_rdma_owner[xpt_wrap(i, XPT_RDMA_SLOTS)] = 0;
}

static __always_inline void rdma_release(__u32 tid)
{
	__u32 i = rdma_place(tid);

	if (i < XPT_RDMA_SLOTS)
		xpt_rdma_owner[xpt_wrap(i, XPT_RDMA_SLOTS)] = 0;
}

#endif
