/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits of the events of a function: its token bucket (--rate), and the number of its calls, by which the engine
 * decides (--budget). A trace without these options has neither.
 */
#ifndef XPT_BPF_COUNT_RATE_BPF_H
#define XPT_BPF_COUNT_RATE_BPF_H

#include "bpf/maps.bpf.h"
#include "wire/rate.h"

/* When the bucket of a user and a function is full again; see XPT_RATE_LINE. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, __u64);
} xpt_buckets SEC(".maps");

/* Row of the CPU and function id -> calls that returned; the engine maps it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, __u64);
} xpt_hits SEC(".maps");

/*
 * Returns true if this call exceeds the rate; user: the result of xpt_user_of_thread(). The bucket is one number: the
 * time at which it will be full again; each token moves it by cfg.rate_gap_ns. A thread whose update collides with
 * that of another thread tries again; if it fails too often, the call is not sent, so the rate is never exceeded.
 */
static __noinline bool xpt_over_rate(__u32 fn, __u32 user, __u64 now)
{
	__u32 place = cfg.users ? (user - 1) * XPT_MAX_FNS + fn : fn * XPT_RATE_LINE;
	__u64 *full_ns = bpf_map_lookup_elem(&xpt_buckets, &place);
	__u64 old, base;
	int i;

	for (i = 0; full_ns && i < 4; i++) {
		old = *(volatile __u64 *)full_ns;
		base = old > now ? old : now;
		if (base - now > cfg.rate_burst_ns)
			return true;
		if (__sync_val_compare_and_swap(full_ns, old, base + cfg.rate_gap_ns) == old)
			return false;
	}
	return true;
}

static __always_inline void xpt_note_hit(__u32 fn)
{
	__u32 row = bpf_get_smp_processor_id() & (XPT_HIT_ROWS - 1), i = row * XPT_MAX_FNS + fn;
	__u64 *n = bpf_map_lookup_elem(&xpt_hits, &i);

	if (n)
		__sync_fetch_and_add(n, 1);
}

#endif
