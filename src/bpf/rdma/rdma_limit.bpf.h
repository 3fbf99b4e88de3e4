/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many calls of one kind are sent. Calls are alike by method, wanted state, and the
 * function and errno of their failure. Each process has a bucket of its own for each kind,
 * so a flood takes nothing from other processes, methods, functions or errnos. Plain
 * functions on plain numbers: a unit test runs them, too.
 */
#ifndef XPT_BPF_RDMA_RDMA_LIMIT_BPF_H
#define XPT_BPF_RDMA_RDMA_LIMIT_BPF_H

#include <stdbool.h>
#include <linux/types.h>
#include "wire/rdma.h"

#define RDMA_LIMIT static inline __attribute__((always_inline))

/* A bucket is one number: the time when it is full again. gap: nanoseconds that a call takes of it. */
RDMA_LIMIT bool rdma_too_many(__u64 *full_ns, __u64 now, __u64 gap)
{
	__u64 old = *(volatile __u64 *)full_ns, base = old > now ? old : now;

	if (base - now > XPT_RDMA_BURST_NS)
		return true;
	__sync_val_compare_and_swap(full_ns, old, base + gap);
	return false;
}

/*
 * Whether a call is sent. own: of its process and kind; all: of its kind, on the whole
 * machine; either may be NULL. A call of a kind that the process has not sent for a
 * second is sent regardless of other processes; so is the first failure of each process.
 */
RDMA_LIMIT bool rdma_may_send(struct xpt_wire_rdma_limit *own, struct xpt_wire_rdma_limit *all, __u64 now)
{
	bool rare = false;

	if (own) {
		__u64 last = *(volatile __u64 *)&own->last_ns;

		rare = !last || now - last >= XPT_RDMA_BURST_NS;
		if (rdma_too_many(&own->full_ns, now, XPT_RDMA_GAP_NS))
			goto held;
		*(volatile __u64 *)&own->last_ns = now;
	}
	if (!all || rare || !rdma_too_many(&all->full_ns, now, XPT_RDMA_ALL_GAP_NS))
		return true;
held:
	if (all)
		__sync_fetch_and_add(&all->held, 1);
	return false;
}

/* Whether it is time for another example of a good call of this kind; period 0: never. */
RDMA_LIMIT bool rdma_is_due(struct xpt_wire_rdma_limit *good, __u64 now, __u64 period)
{
	__u64 last = *(volatile __u64 *)&good->last_ns;

	if (!period || (last && now - last < period))
		return false;
	return __sync_val_compare_and_swap(&good->last_ns, last, now) == last;
}

/* Returns a number that distinguishes calls of a method, as far as they differ in value. */
RDMA_LIMIT __u32 rdma_shape(__u64 value)
{
	if (!(value & XPT_RDMA_MODIFY))
		return 0;
	return value >> 8 & 1 ? (__u32)(value & 0xff) + 1 : XPT_RDMA_SHAPE_ATTRIBUTES;
}

#endif
