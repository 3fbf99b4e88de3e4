/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sums of hooks: the key of a hit, and the values in its row. Programs of
 * uprobes can be preempted, so sums are atomic.
 */
#ifndef XPT_BPF_HOOKS_HOOK_SUM_BPF_H
#define XPT_BPF_HOOKS_HOOK_SUM_BPF_H

#include "bpf/hooks/hook_rows.bpf.h"
#include "bpf/hooks/hook_value.bpf.h"

static __always_inline void xpt_hook_raise(__u64 *at, __u64 v)
{
	__u64 old;
	int i;

	for (i = 0; i < 4; i++) {
		old = *at;
		if (v <= old || __sync_val_compare_and_swap(at, old, v) == old)
			return;
	}
}

static __always_inline __u32 xpt_hook_log2(__s64 v)
{
	__u32 b = 2, i;

	if (v <= 0)
		return v ? 0 : 1;
	for (i = 32; i; i >>= 1)
		if (v >> i) {
			v >>= i;
			b += i;
		}
	return b;
}

static __always_inline __u32 xpt_hook_linear(const struct xpt_wire_hook *h, __s64 v)
{
	__u64 b;

	if (v < h->low || !h->step)
		return 0;
	b = ((__u64)v - (__u64)h->low) / h->step;
	return b < h->nr_buckets ? b + 1 : h->nr_buckets + 1;
}

static __always_inline void xpt_hook_add(struct xpt_wire_hook_val *v, const struct xpt_wire_hook *h,
					 __u64 x)
{
	__u32 b;

	__sync_fetch_and_add(&v->count, 1);
	if (h->action == XPT_HOOK_COUNT)
		return;
	__sync_fetch_and_add(&v->sum, x);
	xpt_hook_raise(&v->max, x ^ XPT_HOOK_SIGN);
	xpt_hook_raise(&v->min, ~(x ^ XPT_HOOK_SIGN));
	if (!cfg.hook_hists || h->action < XPT_HOOK_LOG2)
		return;
	b = h->action == XPT_HOOK_LOG2 ? xpt_hook_log2(x) : xpt_hook_linear(h, x);
	xpt_hook_limit(b, XPT_HOOK_BUCKETS - 1);
	__sync_fetch_and_add(&v->bucket[b], 1);
}

/* Returns the life whose address space the thread uses. A global function, for a stack of its own, as above. */
__noinline __u64 xpt_hook_life(void)
{
	return xpt_life((void *)bpf_get_current_task());
}

/* Keeps the strings of a key that has a row. */
static __always_inline void xpt_hook_keep_texts(const struct xpt_wire_hook_room *room, const struct xpt_frame *f,
						const struct xpt_wire_hook *h)
{
	__u32 i, at;

	for (i = 0; cfg.hook_texts && i < XPT_HOOK_KEYS; i++) {
		if (i >= h->nr_keys)
			break;
		if (h->key[i].source != XPT_HOOK_STRING)
			continue;
		at = h->key[i].at;
		xpt_hook_limit(at, XPT_HOOK_WORDS - 1);
		xpt_hook_keep_text(f->call.tid, room->key.word[at], i);
	}
}

/* Adds a hit up; the key is made in the thread's memory. */
__noinline int xpt_hook_aggregate(struct xpt_wire_hook_room *room, const struct xpt_frame *f,
				  const struct xpt_wire_hook *h, __u32 hook)
{
	struct xpt_wire_hook_key *k;
	struct xpt_wire_hook_val *v;
	__u64 x = 0;
	__u32 i;

	if (!cfg.hooks || !room || !f || !h)
		return 0;
	k = &room->key;
	for (i = 0; i < XPT_HOOK_WORDS; i++)
		k->word[i] = 0;
	k->map = h->map;
	k->tgid = k->life = 0;
	if (h->by_process) {
		k->tgid = f->call.tgid;
		k->life = xpt_hook_life();
	}
	if (h->value.source != XPT_HOOK_NONE && !xpt_hook_value(f, &h->value, hook, &x))
		goto lost;
	for (i = 0; i < XPT_HOOK_KEYS; i++) {
		if (i >= h->nr_keys)
			break;
		if (!xpt_hook_key_part(room, f, &h->key[xpt_wrap(i, XPT_HOOK_KEYS)], hook, i))
			goto lost;
	}
	v = xpt_hook_val(k);
	if (v) {
		xpt_hook_add(v, h, x);
		xpt_hook_keep_texts(room, f, h);
	}
	return 0;
lost:
	if (h->value.source != XPT_HOOK_GAP)	/* the first has none */
		xpt_lost(XPT_LOSS_HOOK_VALUES, 1);
	return 0;
}

#endif
