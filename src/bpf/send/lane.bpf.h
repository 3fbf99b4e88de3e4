/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lanes: a thread that sends many calls gets a buffer of its own. No other thread writes to it, so a record costs a
 * copy and one store that publishes it; the ring needs a lock that all threads share, and several calls of helpers. A
 * thread keeps its lane until it ends; if no lane is free, it uses the ring.
 */
#ifndef XPT_BPF_SEND_LANE_BPF_H
#define XPT_BPF_SEND_LANE_BPF_H

#include "bpf/bound.bpf.h"
#include "bpf/maps.bpf.h"
#include "wire/lane.h"

#define XPT_LANE_FROM 64	/* records after which a thread counts as busy, and requests a lane */
#define XPT_LANE_AGAIN 1024	/* again after so many more; a power of two */
#define XPT_CALL_WORDS (sizeof(struct xpt_rec_call) / 8)

/* Records of the busiest threads; records without room here go into xpt_ring. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, XPT_LANES);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, XPT_LANE_SIZE(0));	/* set by the engine */
} xpt_lanes SEC(".maps");

/* tid of the thread that writes to the lane, 0: free. */
__u32 xpt_lane_tid[XPT_LANES] = { 0 };

/* Global, so that the verifier looks at it once. */
__noinline int xpt_claim_lane(struct xpt_thread *t, __u32 tid)
{
	__u32 i;

	if (!t || t->lane || !cfg.lane_bytes)
		return 0;
	for (i = 0; i < XPT_LANES; i++) {
		if (__sync_val_compare_and_swap(&xpt_lane_tid[i], 0, tid))
			continue;
		t->lane = i + 1;
		break;
	}
	return 0;
}

static __always_inline void xpt_free_lane(struct xpt_thread *t, __u32 tid)
{
	__u32 i = xpt_wrap(t->lane - 1, XPT_LANES);

	if (t->lane)
		__sync_val_compare_and_swap(&xpt_lane_tid[i], tid, 0);
	t->lane = 0;
}

/* Wakes the reader, which sleeps on the ring, by a record that is discarded. */
static __noinline void xpt_wake_reader(void)
{
	void *p = bpf_ringbuf_reserve(&xpt_ring, 8, 0);

	if (p)
		bpf_ringbuf_discard(p, BPF_RB_FORCE_WAKEUP);
}

/* Puts a call of n words after its header into the lane. Returns false if there is no lane, or if it is full. */
static __always_inline bool xpt_lane_put(struct xpt_thread *t, const struct xpt_frame *f, __u32 n)
{
	__u32 lane_nr = t->lane - 1, words = XPT_CALL_WORDS + n, i;
	const __u64 *from = (const void *)&f->call;
	struct xpt_lane *lane;
	__u64 head, size = words * 8, *to;

	if (!t->lane || !cfg.lane_bytes)	/* the second is for the verifier */
		return false;
	lane = bpf_map_lookup_elem(&xpt_lanes, &lane_nr);
	if (!lane)
		return false;
	head = lane->head;
	if (head + size - *(volatile __u64 *)&lane->tail > cfg.lane_bytes)
		return false;
	to = (void *)(lane + 1) + xpt_wrap(head, cfg.lane_bytes);
	for (i = 0; i < XPT_CALL_WORDS + XPT_MAX_WORDS; i++) {
		if (i >= words)
			break;
		to[i] = from[i];
	}
	/* Uses the old value: only then the atomic orders the writes before it. */
	if (__sync_fetch_and_add(&lane->head, size) != head)
		return true;
	if ((head ^ (head + size)) & (cfg.lane_bytes / 2))
		xpt_wake_reader();
	return true;
}

#endif
