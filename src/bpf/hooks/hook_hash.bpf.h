/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The hash of a string, for keys of hooks.
 */
#ifndef XPT_BPF_HOOKS_HOOK_HASH_BPF_H
#define XPT_BPF_HOOKS_HOOK_HASH_BPF_H

#include "bpf/maps.bpf.h"
#include "wire/hook_text.h"

#define XPT_TEXT_WORDS (XPT_HOOK_TEXT / 8)
#define XPT_ROTATE(x, bits) ((x) << (bits) | (x) >> (64 - (bits)))

static __always_inline void xpt_sip_round(__u64 *v)
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = XPT_ROTATE(v[1], 13) ^ v[0];
	v[3] = XPT_ROTATE(v[3], 16) ^ v[2];
	v[0] = XPT_ROTATE(v[0], 32) + v[3];
	v[2] += v[1];
	v[1] = XPT_ROTATE(v[1], 17) ^ v[2];
	v[3] = XPT_ROTATE(v[3], 21) ^ v[0];
	v[2] = XPT_ROTATE(v[2], 32);
}

static __always_inline void xpt_sip_words(__u64 *v, const struct xpt_wire_hook_text *t, __u32 from, __u32 to)
{
	__u32 i;

	for (i = from; i < to; i++) {
		v[3] ^= t->word[i];
		xpt_sip_round(v);
		v[0] ^= t->word[i];
	}
}

/*
 * SipHash-1-3 (Aumasson and Bernstein 2012; hsiphash() of the kernel is the same) with a secret of
 * the trace, so that nobody can make two strings that have one hash. Of the zeroes after a string only
 * those of its block of words count; its length goes in last, modulo 256.
 */
__noinline __u64 xpt_hook_hash(const struct xpt_wire_hook_text *t, __u32 len)
{
	__u64 v[4] = {
		cfg.text_secret[0] ^ 0x736f6d6570736575ull, cfg.text_secret[1] ^ 0x646f72616e646f6dull,
		cfg.text_secret[0] ^ 0x6c7967656e657261ull, cfg.text_secret[1] ^ 0x7465646279746573ull,
	};

	if (!cfg.hook_texts || !t)
		return 0;
	xpt_sip_words(v, t, 0, 8);
	if (len > 8 * 8)
		xpt_sip_words(v, t, 8, 16);
	if (len > 16 * 8)
		xpt_sip_words(v, t, 16, XPT_TEXT_WORDS);
	v[3] ^= (__u64)len << 56;
	xpt_sip_round(v);
	v[0] ^= (__u64)len << 56;
	v[2] ^= 0xff;
	xpt_sip_round(v);
	xpt_sip_round(v);
	xpt_sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

#endif
