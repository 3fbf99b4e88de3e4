/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Exact totals per (process, function). BPF programs of uprobes can be
 * preempted, so even per-CPU counters are added to atomically. When a table
 * is full the call still counts: without its process, or its error code.
 */
#ifndef XPT_BPF_COUNT_BPF_H
#define XPT_BPF_COUNT_BPF_H

#include "bpf/maps.bpf.h"

/* ceil(log2(v)), at most XPT_HIST_SLOTS - 1: slot s holds (2^(s-1), 2^s]. */
static __always_inline __u32 xpt_hist_slot(__u64 v)
{
	__u32 slot = 1;

	if (v <= 1)
		return 0;
	v--;
	if (v >> 32) {
		slot += 32;
		v >>= 32;
	}
	if (v >> 16) {
		slot += 16;
		v >>= 16;
	}
	if (v >> 8) {
		slot += 8;
		v >>= 8;
	}
	if (v >> 4) {
		slot += 4;
		v >>= 4;
	}
	if (v >> 2) {
		slot += 2;
		v >>= 2;
	}
	slot += v >> 1;
	return slot < XPT_HIST_SLOTS ? slot : XPT_HIST_SLOTS - 1;
}

static __always_inline struct xpt_wire_count *xpt_count_of(const struct xpt_wire_count_key *key)
{
	struct xpt_wire_count *c = bpf_map_lookup_elem(&xpt_counts, key);
	const struct xpt_zeroes *zero;
	__u32 fn = key->fn;

	if (c)
		return c;
	zero = xpt_zeroes();
	if (!zero)
		return NULL;
	bpf_map_update_elem(&xpt_counts, key, &zero->count, BPF_NOEXIST);
	c = bpf_map_lookup_elem(&xpt_counts, key);
	if (c)
		return c;
	xpt_lost(XPT_LOSS_COUNTERS_FULL, 1);
	return bpf_map_lookup_elem(&xpt_counts_rest, &fn);
}

static __always_inline void xpt_count_error(__u32 tgid, __u32 fn, __s64 code)
{
	struct xpt_wire_error_key key = { .tgid = tgid, .fn = fn, .code = code };
	__u64 *v = bpf_map_lookup_elem(&xpt_errors, &key), zero = 0;

	if (!v) {
		bpf_map_update_elem(&xpt_errors, &key, &zero, BPF_NOEXIST);
		v = bpf_map_lookup_elem(&xpt_errors, &key);
	}
	if (v)
		__sync_fetch_and_add(v, 1);
	else
		xpt_lost(XPT_LOSS_ERRORS_FULL, 1);
}

static __always_inline void xpt_count(const struct xpt_rec_call *call, __u32 dir, __u64 bytes)
{
	struct xpt_wire_count_key key = {
		.tgid = call->tgid,
		.fn = call->rec.fn,
		.sub = (dir & XPT_SUB_DIR) |
		       (call->flags & XPT_CALL_OUTER ? XPT_SUB_OUTER : 0) |
		       (call->flags & XPT_CALL_NESTED ? XPT_SUB_NESTED : 0),
	};
	struct xpt_wire_count *c = xpt_count_of(&key);
	__u64 old;

	if (call->flags & XPT_CALL_FAILED)
		xpt_count_error(call->tgid, call->rec.fn, call->ret);
	if (!c)
		return;
	__sync_fetch_and_add(&c->calls, 1);
	__sync_fetch_and_add(&c->time_ns, call->dur_ns);
	__sync_fetch_and_add(&c->hist[xpt_hist_slot(call->dur_ns)], 1);
	if (call->flags & XPT_CALL_FAILED)
		__sync_fetch_and_add(&c->errors, 1);
	if (bytes)
		__sync_fetch_and_add(&c->bytes, bytes);
	old = c->max_ns;
	if (call->dur_ns > old)
		__sync_val_compare_and_swap(&c->max_ns, old, call->dur_ns);
}

#endif
