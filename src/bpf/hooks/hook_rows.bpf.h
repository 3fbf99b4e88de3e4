/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows in which hooks add up: by key, in a table that each CPU has for itself.
 *
 * The kernel has memory for new rows of such a table in small reserves, which it fills
 * later. A hit whose new row finds them empty is added up in the spare table, whose
 * memory is there from the beginning, and the reader adds both.
 */
#ifndef XPT_BPF_HOOKS_HOOK_ROWS_BPF_H
#define XPT_BPF_HOOKS_HOOK_ROWS_BPF_H

#include "bpf/send/send.bpf.h"
#include "wire/hook.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);		/* set by the engine */
	__uint(key_size, sizeof(struct xpt_wire_hook_key));
	/* Only its head where no hook has a histogram. */
	__uint(value_size, sizeof(struct xpt_wire_hook_val));
} xpt_hook_vals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);		/* set by the engine */
	__uint(key_size, sizeof(struct xpt_wire_hook_key));
	__uint(value_size, sizeof(struct xpt_wire_hook_val));
} xpt_hook_spare SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct xpt_wire_hook_val));
} xpt_hook_zero SEC(".maps");

/* Before 6.3 a key must be on the stack: an argument of a global function is not. On the
 * stack of a function of its own, because 512 bytes are all that these programs have together
 * there. */
static __noinline struct xpt_wire_hook_val *xpt_hook_val(const struct xpt_wire_hook_key *k)
{
	struct xpt_wire_hook_key key = *k;
	struct xpt_wire_hook_val *v = bpf_map_lookup_elem(&xpt_hook_vals, &key), *zero;
	__u32 first = 0;

	if (v)
		return v;
	zero = bpf_map_lookup_elem(&xpt_hook_zero, &first);
	if (!zero)
		return NULL;
	bpf_map_update_elem(&xpt_hook_vals, &key, zero, BPF_NOEXIST);
	v = bpf_map_lookup_elem(&xpt_hook_vals, &key);
	if (v)
		return v;
	bpf_map_update_elem(&xpt_hook_spare, &key, zero, BPF_NOEXIST);
	v = bpf_map_lookup_elem(&xpt_hook_spare, &key);
	if (!v)
		xpt_lost(XPT_LOSS_HOOK_KEYS, 1);
	return v;
}

#endif
