/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rare kinds of captured values: sizes that an enum stands for, and hashes of structs that are too large for a
 * value. They are separate, so that other values only cost one comparison more.
 */
#ifndef XPT_BPF_VALUES_ODD_VALUE_BPF_H
#define XPT_BPF_VALUES_ODD_VALUE_BPF_H

#include "bpf/arch.bpf.h"
#include "bpf/maps.bpf.h"
#include "wire/array.h"

#define XPT_ARGS 16		/* a power of two above registers + stack arguments */

struct xpt_args {
	__u64 word[XPT_ARGS];
};

/*
 * Returns the FNV-1a hash of n bytes of the traced program, never 0; 0 if they could not be read.
 * Not inlined, so that the verifier looks at its loops once.
 */
__noinline __u64 xpt_hash_user(__u64 addr, __u32 n)
{
	__u64 h = 0xcbf29ce484222325ULL, word;
	__u32 i, k;

	for (i = 0; i < XPT_HASH_BYTES / 8 && i < n / 8; i++) {
		if (bpf_probe_read_user(&word, sizeof(word), (const void *)(addr + i * 8)))
			return 0;
		for (k = 0; k < 8; k++) {
			h = (h ^ (word & 0xff)) * 0x100000001b3ULL;
			word >>= 8;
		}
	}
	return h ? h : 1;
}

static __always_inline bool xpt_read_hash(__u64 *ret_v, __u64 addr, __s32 n)
{
	*ret_v = addr ? xpt_hash_user(addr, (__u32)n) : 0;
	if (addr && !*ret_v)
		xpt_lost(XPT_LOSS_READ_FAILED, 1);
	return *ret_v;
}

/* Returns the bytes of the array that a descriptor of the traced program describes; 0 if not known. */
__noinline __u64 xpt_user_array(__u64 addr, __u32 layout, __u32 levels)
{
	struct xpt_array a = { 0 };
	__u64 wide[3] = { 0 };
	__u32 sides = layout & XPT_ARRAY_3D ? 3 : 2, i;
	long err;

	if (layout & XPT_ARRAY_V1) {
		err = bpf_probe_read_user(a.side, sides * 4, (const void *)addr);
		addr += sides * 4;
	} else {
		err = bpf_probe_read_user(wide, sides * 8, (const void *)addr);
		addr += sides * 8;
		for (i = 0; i < 3; i++)
			a.side[i] = wide[i] >> 32 ? ~0u : (__u32)wide[i];
	}
	if (err || bpf_probe_read_user(&a.format, sides == 3 ? 12 : 8, (const void *)addr)) {
		xpt_lost(XPT_LOSS_READ_FAILED, 1);
		return 0;
	}
	return xpt_array_bytes(&a, levels);
}

/*
 * Reads the direction of a copy from the memory types (CUmemorytype, cuda.h) of its descriptor.
 * Arrays are on the device. Unified addresses, where the pointers decide, and unknown types:
 * auto.
 */
static __always_inline bool xpt_read_sides(__u64 *ret_v, __u64 addr, __u32 offs)
{
	__u32 src, dst;

	*ret_v = XPT_DIR_DEFAULT;
	if (!addr)
		return false;
	if (bpf_probe_read_user(&src, sizeof(src), (const void *)(addr + (offs & 0xffff))) ||
	    bpf_probe_read_user(&dst, sizeof(dst), (const void *)(addr + (offs >> 16)))) {
		xpt_lost(XPT_LOSS_READ_FAILED, 1);
		return false;
	}
	if (src - 1 < 3 && dst - 1 < 3)		/* 1: host, 2: device, 3: array */
		*ret_v = (src == 1 ? 0 : XPT_DIR_D2H) | (dst == 1 ? 0 : XPT_DIR_H2D);
	return true;
}

_Static_assert(!XPT_DIR_H2H && XPT_DIR_D2D == (XPT_DIR_D2H | XPT_DIR_H2D), "two bits");

/* The rarer kinds of values. Global, so that the verifier looks at it once. stack: where the
 * argument words that are not in registers lie. 1: *ret_v is valid. */
__noinline int xpt_odd_value(const struct xpt_wire_cap *cap, const struct xpt_args *args,
			     __u64 stack, __u64 *ret_v)
{
	__u64 v;

	if (!cap || !args || !ret_v)
		return 0;
	v = args->word[cap->arg & (XPT_ARGS - 1)];
	if (cap->op == XPT_CAP_BYTES) {
		v &= 0xffffffff;
		*ret_v = 1ULL << (((__u32)cap->off >> (v * 2 & 31)) & 3);
		return v < (__u32)cap->off >> 24;
	}
	if (cap->op == XPT_CAP_HASH) {
		stack += ((cap->arg & (XPT_ARGS - 1)) - XPT_REG_ARGS) * 8;
		return xpt_read_hash(ret_v, cap->arg < XPT_REG_ARGS ? v : stack, cap->off);
	}
	if (cap->op == XPT_CAP_ARRAY) {
		__u32 word = (__u32)cap->off >> 8;

		word = word ? (__u32)args->word[(word - 1) & (XPT_ARGS - 1)] : 1;
		*ret_v = v ? xpt_user_array(v, (__u32)cap->off & 0xff, word) : 0;
		return *ret_v != 0;
	}
	if (cap->op == XPT_CAP_SIDES)
		return xpt_read_sides(ret_v, v, (__u32)cap->off);
	*ret_v = v;	/* OUT_HASH: the pointer, until the return */
	return 1;
}

#endif
