/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls with strings: the record is built from values and strings in the thread's memory, which no other thread uses.
 * For calls that are not frequent.
 */
#ifndef XPT_BPF_VALUES_STRINGS_BPF_H
#define XPT_BPF_VALUES_STRINGS_BPF_H

#include "bpf/hooks/hook_follow.bpf.h"
#include "bpf/send/send.bpf.h"

static __always_inline void xpt_zero_byte(struct xpt_thread *t, __u32 at)
{
	asm volatile("" : "+r"(at));	/* compared as it is, and not as the one before plus 1 */
	if (at < sizeof(t->long_call))
		t->long_call[at] = 0;
}

/*
 * Sends a call whose value i points to a string. The record is built in the thread's memory. n: words after the
 * header. For calls that are not frequent (look-ups of names).
 */
static __always_inline void xpt_send_with_string(struct xpt_thread *t, struct xpt_frame *f,
						 __u32 i, __u32 n, bool important)
{
	struct xpt_long_call *l = (void *)t->long_call;
	__u32 words = sizeof(f->call) / 8 + n, k;
	bool unread = false;
	long len = 0;

	if (words > sizeof(f->call) / 8 + XPT_MAX_WORDS)
		return;
	__builtin_memcpy(&l->call, &f->call, sizeof(l->call));
	__builtin_memcpy(l->val, f->val, sizeof(l->val));
	if (i < XPT_MAX_VALS && f->val[i] && f->call.valid & (1 << i)) {
		len = xpt_read_text(f, t->long_call + words * 8, XPT_STR_MAX, f->val[i]);
		unread = len < 0;
	}
	if (len <= 0 || len > XPT_STR_MAX)
		len = 0;
	l->call.str_len = len;
	for (k = 0; k < 7; k++)
		xpt_zero_byte(t, words * 8 + len + k);
	k = words * 8 + ((len + 7) & ~7);
	if (k > sizeof(*l))
		return;
	l->call.rec.size = k;
	if (unread)	/* wakes the engine, which reads the string while it is there */
		xpt_send_within_share(t, l, k, BPF_RB_FORCE_WAKEUP, XPT_LOSS_RING_FULL);
	else
		xpt_send_call(t, l, k, important);
}

/*
 * Reads the strings of a call that has several, one after the other, into the thread's memory from `at` on. Their
 * length is kept in the record and not in a variable, because the verifier would follow every length. The function is
 * global for the same reason. A string that cannot be read is empty; its value is marked as not valid, and stays the
 * address. Returns the number of these.
 */
__noinline int xpt_take_strings(struct xpt_thread *t, const struct xpt_wire_fn *spec,
				struct xpt_frame *f, __u32 at)
{
	struct xpt_long_call *l;
	int unread = 0;
	__u32 i;

	if (!t || !spec || !f)
		return 0;
	l = (void *)t->long_call;
	f->call.str_len = 0;
	for (i = 0; i < XPT_MAX_VALS && i < spec->nr_caps; i++) {
		__u32 to = at + f->call.str_len;
		long len = 0;

		if (spec->cap[i].op != XPT_CAP_STR)
			continue;
		if (to > sizeof(t->long_call) - XPT_STR_EACH)
			break;
		if (!(f->call.valid & 1 << i))
			l->val[i] = 0;	/* no address */
		else if (f->val[i])
			len = xpt_read_text(f, t->long_call + to, XPT_STR_EACH, f->val[i]);
		if (len <= 0) {
			unread += len < 0;
			t->long_call[to] = 0;
			f->call.valid &= ~(1 << i);
			len = 1;
		}
		f->call.str_len += len;
	}
	return unread;
}

/* Sends a call with several strings; n: words after the header. */
static __always_inline void xpt_send_with_strings(struct xpt_thread *t,
						  const struct xpt_wire_fn *spec,
						  struct xpt_frame *f, __u32 n, bool important)
{
	struct xpt_long_call *l = (void *)t->long_call;
	__u32 words = sizeof(f->call) / 8 + n, k, len;
	int unread;

	if (words > sizeof(f->call) / 8 + XPT_MAX_WORDS)
		return;
	__builtin_memcpy(&l->call, &f->call, sizeof(l->call));
	__builtin_memcpy(l->val, f->val, sizeof(l->val));
	unread = xpt_take_strings(t, spec, f, words * 8);
	len = f->call.str_len;
	if (len > XPT_STR_MAX)
		return;
	l->call.valid = f->call.valid;
	l->call.str_len = len;
	for (k = 0; k < 7; k++)
		xpt_zero_byte(t, words * 8 + len + k);
	k = words * 8 + ((len + 7) & ~7);
	if (k > sizeof(*l))
		return;
	l->call.rec.size = k;
	if (unread)	/* as above */
		xpt_send_within_share(t, l, k, BPF_RB_FORCE_WAKEUP, XPT_LOSS_RING_FULL);
	else
		xpt_send_call(t, l, k, important);
}

#endif
