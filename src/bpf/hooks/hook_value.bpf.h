/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values of a hit, as filters and sums of hooks ask for them. Global functions,
 * so that the verifier looks at each once.
 */
#ifndef XPT_BPF_HOOKS_HOOK_VALUE_BPF_H
#define XPT_BPF_HOOKS_HOOK_VALUE_BPF_H

#include "bpf/bound.bpf.h"
#include "bpf/hooks/hook_follow.bpf.h"
#include "bpf/hooks/hook_text.bpf.h"
#include "bpf/maps.bpf.h"
#include "bpf/values/capture.bpf.h"
#include "wire/hook.h"

/* Thread and hook -> when its last hit ended. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u64);
	__type(value, __u64);
} xpt_hook_ends SEC(".maps");

/* Captured value i; 0: it was not read. */
static __always_inline int xpt_hook_captured(const struct xpt_frame *f, __u32 i, __u64 *ret_v)
{
	if (!(f->call.valid >> (i & 15) & 1))
		return 0;
	xpt_hook_limit(i, XPT_MAX_VALS - 1);
	*ret_v = f->val[i];
	return 1;
}

static __always_inline int xpt_hook_gap(const struct xpt_frame *f, __u32 hook, __u64 *ret_v)
{
	__u64 key = (__u64)f->call.tid << 32 | hook, *end;

	end = bpf_map_lookup_elem(&xpt_hook_ends, &key);
	if (!end)
		return 0;
	*ret_v = f->call.start_ns > *end ? f->call.start_ns - *end : 0;
	return 1;
}

/* A number; 0: it cannot be had. */
__noinline int xpt_hook_value(const struct xpt_frame *f, const struct xpt_wire_hook_src *s,
			      __u32 hook, __u64 *ret_v)
{
	__u32 i;
	__u64 v;

	if (!f || !s || !ret_v)
		return 0;
	i = s->arg;
	v = 0;
	if (s->source == XPT_HOOK_VALUE) {
		if (!xpt_hook_captured(f, i, &v))
			return 0;
	} else if (s->source == XPT_HOOK_RESULT) {
		if (f->call.flags & XPT_CALL_NO_RESULT)
			return 0;
		v = f->call.ret;
	} else if (s->source == XPT_HOOK_DURATION) {
		v = f->call.dur_ns;
	} else if (s->source == XPT_HOOK_GAP) {
		return xpt_hook_gap(f, hook, ret_v);
	} else if (s->source == XPT_HOOK_FAILED) {
		v = !!(f->call.flags & XPT_CALL_FAILED);
	} else if (s->source == XPT_HOOK_PID) {
		v = f->call.tgid;
	} else if (s->source == XPT_HOOK_TID) {
		v = f->call.tid;
	} else if (s->source == XPT_HOOK_UID) {
		v = (__u32)bpf_get_current_uid_gid();
	} else if (s->source == XPT_HOOK_CPU) {
		v = bpf_get_smp_processor_id();
	} else if (s->source == XPT_HOOK_FUNC) {
		v = f->call.rec.fn;
	} else if (s->source == XPT_HOOK_STACK) {
		v = f->stack;
	} else {
		return 0;
	}
	*ret_v = xpt_narrow(v, s->width);
	return 1;
}

/* The begin of a string, zeroes after it; 0: it cannot be read. */
__noinline int xpt_hook_short(const struct xpt_frame *f, const struct xpt_wire_hook_src *s,
			      __u64 *ret_first, __u64 *ret_second)
{
	__u64 word[XPT_HOOK_SHORT / 8] = { 0 }, addr = 0;

	if (!f || !s || !ret_first || !ret_second)
		return 0;
	if (s->source == XPT_HOOK_COMM) {
		if (bpf_get_current_comm(word, sizeof(word)))
			return 0;
	} else {
		if (!xpt_hook_captured(f, s->arg, &addr) ||
		    xpt_read_text(f, word, sizeof(word), addr) < 0)
			return 0;
	}
	*ret_first = word[0];
	*ret_second = word[1];
	return 1;
}

/* Part `part` of the key; 0: it cannot be had. */
__noinline int xpt_hook_key_part(struct xpt_wire_hook_room *room, const struct xpt_frame *f,
				 const struct xpt_wire_hook_src *s, __u32 hook, __u32 part)
{
	__u64 v = 0;
	__u32 at;

	if (!room || !f || !s)
		return 0;
	at = s->at;
	if (s->source == XPT_HOOK_COMM) {
		xpt_hook_limit(at, XPT_HOOK_WORDS - XPT_HOOK_SHORT / 8);
		return !bpf_get_current_comm(&room->key.word[at], XPT_HOOK_SHORT);
	}
	if (cfg.hook_texts && s->source == XPT_HOOK_STRING) {
		if (!xpt_hook_captured(f, s->arg, &v) ||
		    !xpt_hook_text_key(f, v, &room->text[xpt_wrap(part, XPT_HOOK_KEYS)], &v))
			return 0;
	} else if (!xpt_hook_value(f, s, hook, &v)) {
		return 0;
	}
	xpt_hook_limit(at, XPT_HOOK_WORDS - 1);
	room->key.word[at] = v;
	return 1;
}

#endif
