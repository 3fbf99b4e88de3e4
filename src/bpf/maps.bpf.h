/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps and settings of the call programs. Sizes marked "set by the engine"
 * are changed before loading.
 */
#ifndef XPT_BPF_MAPS_BPF_H
#define XPT_BPF_MAPS_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "wire/config.h"
#include "wire/count_key.h"

const volatile struct xpt_bpf_cfg cfg = { 0 };

/* 1: new calls are ignored, and open calls may still return. Set before the probes are detached. */
volatile __u32 xpt_stopping = 0;
/* Process id of the child that measures the cost of a call. Kernel functions that it runs are not recorded. */
volatile __u32 xpt_cost_tgid = 0;
/* 1: the engine drains the ring buffers. Forks and execs send no records then, or draining might never end. */
volatile __u32 xpt_ending = 0;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);	/* set by the engine */
} xpt_ring SEC(".maps");

/* Records that must not be lost go here when xpt_ring is full. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 512 << 10);	/* set by the engine */
} xpt_urgent SEC(".maps");

/* Function id -> how to capture it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_wire_fn);
} xpt_fns SEC(".maps");

/*
 * If many places share one perf event (cfg.by_site), a probe's cookie is the number of that event, called its group.
 * Group and low bits of the address -> the cookie of the place: a function id with the bits of wire/cookie.h.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, __u32);
} xpt_sites SEC(".maps");

/* Threads with their calls in flight. A thread gets its slot at its first traced call and keeps it until it ends. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_thread);
} xpt_slots SEC(".maps");

/*
 * tid of the thread that has the slot in xpt_slots. 0: the slot is free; its frames and keys may be stale, and the
 * fields that must begin as zero are zero (xpt_forget_thread()).
 */
__u32 xpt_slot_tid[XPT_SLOTS_MAX] = { 0 };

/* 1: a thread found this slot taken and may have taken a later one of its probe sequence (--sched). */
__u8 xpt_slot_passed[XPT_SLOTS_MAX] = { 0 };

/* tgid -> XPT_TARGET_*: the processes that are followed. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u32);
} xpt_targets SEC(".maps");

/* tgid -> xpt_life() of the process after its latest exec: of the two programs for execs, only one reports it. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u64);
} xpt_execs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, struct xpt_error_key);
	__type(value, __u64);
} xpt_errors SEC(".maps");

/* User stacks by id; read by the engine while the process lives. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1);		/* set by the engine */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, XPT_STACK_DEPTH * sizeof(__u64));
} xpt_stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, XPT_LOSS__MAX);
	__type(key, __u32);
	__type(value, __u64);
} xpt_losses SEC(".maps");

/* The initial value of new entries of the maps of counts, all zero. It is too large for the BPF stack. */
struct xpt_zeroes {
	struct xpt_wire_count count;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xpt_zeroes);
} xpt_zero SEC(".maps");

static __always_inline void xpt_lost(enum xpt_loss loss, __u64 n)
{
	__u32 key = loss;
	__u64 *v = bpf_map_lookup_elem(&xpt_losses, &key);

	if (v)
		__sync_fetch_and_add(v, n);
}

static __always_inline const struct xpt_zeroes *xpt_zeroes(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&xpt_zero, &key);
}

#endif
