/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings of hooks: read whole, hashed for keys, compared in filters.
 *
 * Loops have fixed ends: where the end depends on data, the verifier of 6.1 follows
 * every length and gives up.
 */
#ifndef XPT_BPF_HOOKS_HOOK_TEXT_BPF_H
#define XPT_BPF_HOOKS_HOOK_TEXT_BPF_H

#include "bpf/bound.bpf.h"
#include "bpf/hooks/hook_follow.bpf.h"
#include "bpf/hooks/hook_hash.bpf.h"
#include "bpf/maps.bpf.h"
#include "bpf/threads/slot.bpf.h"
#include "wire/hook_text.h"

/* Hash -> the string. Preallocated, so that no row lacks its string because there is no memory. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u64);
	__type(value, struct xpt_wire_hook_text);
} xpt_hook_texts SEC(".maps");

/* The texts that all hooks compare strings with. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_wire_hook_text);
} xpt_hook_strings SEC(".maps");

/* Whether a string of which 255 bytes were read goes on; so it is if that cannot be read. */
static __always_inline bool xpt_text_goes_on(const struct xpt_frame *f, __u64 addr)
{
	char next = 1;
	long err;

	addr += XPT_HOOK_TEXT - 1;
	if (xpt_may_be_kernels(f, addr))
		err = bpf_probe_read_kernel(&next, sizeof(next), (const void *)addr);
	else
		err = bpf_probe_read_user(&next, sizeof(next), (const void *)addr);
	return err || next;	/* where it fails, the byte is 0 */
}

/* Reads a string; its bytes with the NUL, 0: it cannot be read. Global, so that the verifier looks at it once. */
__noinline int xpt_hook_text(const struct xpt_frame *f, __u64 addr, struct xpt_wire_hook_text *ret_text)
{
	long len;
	__u32 i;

	if (!cfg.hook_texts || !f || !ret_text)
		return 0;
	for (i = 0; i < XPT_TEXT_WORDS; i++)
		ret_text->word[i] = 0;
	len = xpt_read_text(f, ret_text, XPT_HOOK_TEXT, addr);
	if (len <= 0)
		return 0;
	if (len == XPT_HOOK_TEXT && xpt_text_goes_on(f, addr))
		((char *)ret_text->word)[XPT_HOOK_TEXT - 1] = XPT_HOOK_TEXT_CUT;
	return len;
}

/* The hash of a string for a key, the string itself in room; 0: it cannot be read. */
static __always_inline int xpt_hook_text_key(const struct xpt_frame *f, __u64 addr, struct xpt_wire_hook_text *room,
					     __u64 *ret_hash)
{
	int len = xpt_hook_text(f, addr, room);

	if (len <= 0)
		return 0;
	if (xpt_hook_text_is_cut(room))
		xpt_lost(XPT_LOSS_HOOK_CUT, 1);
	*ret_hash = xpt_hook_hash(room, len);
	return 1;
}

/* 1: the string is number `nr` of those in filters, 0: it is another, -1: it cannot be read. */
__noinline int xpt_hook_is_text(const struct xpt_frame *f, __u64 addr, struct xpt_wire_hook_text *room, __u32 nr)
{
	const struct xpt_wire_hook_text *wanted = bpf_map_lookup_elem(&xpt_hook_strings, &nr);
	__u64 diff = 0;
	__u32 i;

	if (!cfg.hook_texts || !f || !room || !wanted || xpt_hook_text(f, addr, room) <= 0)
		return -1;
	for (i = 0; i < XPT_TEXT_WORDS; i++)
		diff |= room->word[i] ^ wanted->word[i];
	return !diff;
}

/*
 * Keeps the string of part `part` of a key that has a row. Before 6.3 the value must lie in a map, as
 * the key on the stack: the thread's room is found anew, for that of the caller is plain memory here.
 */
__noinline int xpt_hook_keep_text(__u32 tid, __u64 hash, __u32 part)
{
	struct xpt_thread *t;

	if (!cfg.hook_texts || bpf_map_lookup_elem(&xpt_hook_texts, &hash))
		return 0;
	t = xpt_thread_of(tid);
	if (!t)
		return 0;
	part = xpt_wrap(part, XPT_HOOK_KEYS);
	bpf_map_update_elem(&xpt_hook_texts, &hash, &((struct xpt_wire_hook_room *)t->long_call)->text[part],
			    BPF_NOEXIST);
	if (!bpf_map_lookup_elem(&xpt_hook_texts, &hash))	/* another thread may have kept it meanwhile */
		xpt_lost(XPT_LOSS_HOOK_TEXTS, 1);
	return 0;
}

_Static_assert(sizeof(struct xpt_wire_hook_room) <= sizeof(struct xpt_long_call), "room for a key with its strings");

#endif
