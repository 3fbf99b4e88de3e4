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

/* 1: no call begins any more, those that are open may return. Set before the probes go. */
volatile __u32 xpt_stopping = 0;
volatile __u32 xpt_cost_tgid = 0;	/* child that measures the cost of a call: its own system calls are no target's */
volatile __u32 xpt_ending = 0;	/* the last records are read: new processes are not sent, or reading would never end */

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

/* Group and low bits of the address -> function id (or a value in place of one), where the cookie is a group. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, __u32);
} xpt_sites SEC(".maps");

/* Calls in flight. A thread's entry lives from its first call to its end. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_thread);
} xpt_slots SEC(".maps");

/* tid of the thread that has the slot, 0: free, and all zero but for stale frames and keys. */
__u32 xpt_slot_tid[XPT_SLOTS_MAX] = { 0 };

/* 1: a thread found this place taken and may be behind it (--sched). */
__u8 xpt_slot_passed[XPT_SLOTS_MAX] = { 0 };

/* tgid -> XPT_TARGET_*: the processes that are followed. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u32);
} xpt_targets SEC(".maps");

/* tgid -> which exec of which life was seen last: each is told once. */
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

/* A zeroed value: too large for the BPF stack, copied when an entry is made. */
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
