/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks: the filter of hits, and the action on a hit. This code does not run where
 * no hook was named: cfg.hooks is a constant.
 */
#ifndef XPT_BPF_HOOKS_HOOK_BPF_H
#define XPT_BPF_HOOKS_HOOK_BPF_H

#include "bpf/hooks/hook_sum.bpf.h"
#include "bpf/hooks/hook_value.bpf.h"
#include "wire/ioctl.h"

/* Number of a function's hook - 1 -> the hook. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_wire_hook);
} xpt_hooks SEC(".maps");

static __always_inline int xpt_hook_compare(__u8 cmp, __u64 a, __u64 b)
{
	switch (cmp) {
	case XPT_HOOK_EQ: return a == b;
	case XPT_HOOK_NE: return a != b;
	case XPT_HOOK_LT: return a < b;
	case XPT_HOOK_LE: return a <= b;
	case XPT_HOOK_GT: return a > b;
	case XPT_HOOK_GE: return a >= b;
	case XPT_HOOK_SLT: return (__s64)a < (__s64)b;
	case XPT_HOOK_SLE: return (__s64)a <= (__s64)b;
	case XPT_HOOK_SGT: return (__s64)a > (__s64)b;
	case XPT_HOOK_SGE: return (__s64)a >= (__s64)b;
	case XPT_HOOK_BITS: return (a & b) != 0;
	}
	return 0;
}

/* Evaluates a test: 1: true, 0: false, -1: a value cannot be read. */
__noinline int xpt_hook_test(struct xpt_wire_hook_text *room, const struct xpt_frame *f,
			     const struct xpt_wire_hook_test *t, __u32 hook)
{
	__u64 a = 0, a2 = 0, b = 0;
	int same;

	if (!room || !f || !t)
		return -1;
	if (cfg.hook_texts && t->b.source == XPT_HOOK_STRING) {
		if (!xpt_hook_captured(f, t->a.arg, &a))
			return -1;
		same = xpt_hook_is_text(f, a, room, t->imm[0]);
		return same < 0 ? -1 : same == (t->cmp == XPT_HOOK_EQ);
	}
	if (t->a.source == XPT_HOOK_COMM || t->a.source == XPT_HOOK_STRING) {
		if (!xpt_hook_short(f, &t->a, &a, &a2))
			return -1;
		return (a == t->imm[0] && a2 == t->imm[1]) == (t->cmp == XPT_HOOK_EQ);
	}
	if (!xpt_hook_value(f, &t->a, hook, &a))
		return -1;
	b = t->imm[0];
	if (t->b.source != XPT_HOOK_NONE && !xpt_hook_value(f, &t->b, hook, &b))
		return -1;
	return xpt_hook_compare(t->cmp, a, b);
}

static __always_inline bool xpt_hook_wants(struct xpt_thread *t, const struct xpt_frame *f,
					   const struct xpt_wire_hook *h, __u32 hook)
{
	struct xpt_wire_hook_room *room = (struct xpt_wire_hook_room *)t->long_call;
	__u32 at = h->nr_tests ? 0 : XPT_HOOK_YES, i;

	if (h->device && (f->sp || h->device != (__u32)f->val[XPT_IOCTL_VAL_DEVICE]))
		return false;

	for (i = 0; i < XPT_HOOK_TESTS; i++) {
		const struct xpt_wire_hook_test *test;
		int holds;

		if (at >= XPT_HOOK_TESTS)
			break;
		test = &h->test[xpt_wrap(at, XPT_HOOK_TESTS)];
		holds = xpt_hook_test(&room->text[0], f, test, hook);
		if (holds < 0)
			return false;
		at = holds ? test->yes : test->no;
	}
	return at == XPT_HOOK_YES;
}

#define XPT_HOOK_DROP 0		/* the filter does not let it pass */
#define XPT_HOOK_SEND 1
#define XPT_HOOK_ADDED 2	/* it is part of a sum: no event */

/*
 * Filters a hit, and adds it up where the action is a sum. Global, with the thread as its memory: the stack is for
 * its callers.
 */
__noinline int xpt_hook_hit(struct xpt_thread *t, const struct xpt_frame *f, __u32 hook)
{
	const struct xpt_wire_hook *h;
	__u32 nr = hook - 1;
	__u64 key, end;
	int outcome = XPT_HOOK_DROP;

	if (!cfg.hooks || !t || !f)
		return XPT_HOOK_SEND;
	h = bpf_map_lookup_elem(&xpt_hooks, &nr);
	if (!h)
		return XPT_HOOK_SEND;
	if (xpt_hook_wants(t, f, h, hook)) {
		outcome = h->action == XPT_HOOK_EVENT ? XPT_HOOK_SEND : XPT_HOOK_ADDED;
		if (outcome == XPT_HOOK_ADDED)
			xpt_hook_aggregate((struct xpt_wire_hook_room *)t->long_call, f, h, hook);
	}
	if (h->gap) {
		key = (__u64)f->call.tid << 32 | hook;
		end = f->call.start_ns + f->call.dur_ns;
		bpf_map_update_elem(&xpt_hook_ends, &key, &end, BPF_ANY);
	}
	return outcome;
}

#endif
