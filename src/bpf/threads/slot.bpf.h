/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the slot of a thread in xpt_slots by a hash of its tid. The hash has a secret that is new in each trace.
 * Therefore no program can predict which tids collide, and occupy the slots that other threads will need.
 */
#ifndef XPT_BPF_THREADS_SLOT_BPF_H
#define XPT_BPF_THREADS_SLOT_BPF_H

#include "bpf/bound.bpf.h"
#include "bpf/maps.bpf.h"

/*
 * Returns slot number k of the probe sequence of a thread: double hashing by multiplication
 * (Dietzfelbinger and others 1997), of which bits 32 and up depend on all of the tid.
 */
static __always_inline __u32 xpt_slot_place(__u32 tid, __u32 k)
{
	__u64 hash = tid * cfg.slot_secret;

	return xpt_wrap((__u32)(hash >> 32) + k * ((__u32)(hash >> 46) | 1), cfg.nr_slots);
}

/* Searches a thread's probe sequence from the second slot on. Returns cfg.nr_slots if the thread has none there. */
__noinline __u32 xpt_slot_behind(__u32 tid)
{
	__u32 i, k;

	for (k = 1; k < XPT_SLOT_TRIES; k++) {
		i = xpt_slot_place(tid, k);
		if (i < XPT_SLOTS_MAX && xpt_slot_tid[i] == tid)
			return i;
	}
	return cfg.nr_slots;
}

static __always_inline __u32 xpt_slot_of(__u32 tid)
{
	__u32 i = xpt_slot_place(tid, 0);

	return i < XPT_SLOTS_MAX && xpt_slot_tid[i] == tid ? i : xpt_slot_behind(tid);
}

static __always_inline struct xpt_thread *xpt_thread_of(__u32 tid)
{
	__u32 i = xpt_slot_of(tid);

	return bpf_map_lookup_elem(&xpt_slots, &i);
}

static __always_inline struct xpt_thread *xpt_add_thread(__u32 tid)
{
	__u32 i, k;

	for (k = 0; k < XPT_SLOT_TRIES; k++) {
		i = xpt_slot_place(tid, k);
		if (i < XPT_SLOTS_MAX &&
		    !__sync_val_compare_and_swap(&xpt_slot_tid[i], 0, tid))
			return bpf_map_lookup_elem(&xpt_slots, &i);
		if (cfg.sched && !k && i < XPT_SLOTS_MAX)
			xpt_slot_passed[i] = 1;
	}
	return NULL;
}

#endif
