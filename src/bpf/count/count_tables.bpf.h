/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of exact counts by process and function. An entry is made when it is first needed; if there is no room,
 * the counts go to an entry of the function alone.
 */
#ifndef XPT_BPF_COUNT_COUNT_TABLES_BPF_H
#define XPT_BPF_COUNT_COUNT_TABLES_BPF_H

#include "bpf/maps.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct xpt_count_key);
	__type(value, struct xpt_wire_count);
} xpt_counts SEC(".maps");

/*
 * Counts for which xpt_counts had no memory at that moment. The kernel allocates its entries for all CPUs without
 * waiting, and refuses some if many are needed at once; the entries of this map exist from the start.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct xpt_count_key);
	__type(value, struct xpt_wire_count);
} xpt_counts_spare SEC(".maps");

/* Function id -> counts of processes without room in both maps. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_wire_count);
} xpt_counts_rest SEC(".maps");

/* Returns the entry for a process and function, or the one of the function alone, or NULL. */
static __always_inline struct xpt_wire_count *xpt_count_of(const struct xpt_count_key *key)
{
	struct xpt_wire_count *c = bpf_map_lookup_elem(&xpt_counts, key);
	const struct xpt_zeroes *zero;
	__u32 fn = key->of.fn;

	if (c)
		return c;
	zero = xpt_zeroes();
	if (!zero)
		return NULL;
	bpf_map_update_elem(&xpt_counts, key, &zero->count, BPF_NOEXIST);
	c = bpf_map_lookup_elem(&xpt_counts, key);
	if (c)
		return c;
	bpf_map_update_elem(&xpt_counts_spare, key, &zero->count, BPF_NOEXIST);
	c = bpf_map_lookup_elem(&xpt_counts_spare, key);
	if (c)
		return c;
	xpt_lost(XPT_LOSS_COUNTERS_FULL, 1);
	return bpf_map_lookup_elem(&xpt_counts_rest, &fn);
}

#endif
