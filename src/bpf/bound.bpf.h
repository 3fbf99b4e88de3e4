/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Indexes that every verifier can follow. The compiler no longer masks an index
 * that it knows to be small; but it may have looked at a copy of the register,
 * whose bounds verifiers before 6.9 do not carry over, or have made the index
 * by a 32-bit `or` or `xor`, after which that of 6.1 knows no bounds at all.
 */
#ifndef XPT_BPF_BOUND_BPF_H
#define XPT_BPF_BOUND_BPF_H

#include <linux/types.h>

/* i modulo n, a power of two: masked in the register that is used next. */
static __always_inline __u32 xpt_wrap(__u32 i, __u32 n)
{
	asm volatile("" : "+r"(i));
	return i & (n - 1);
}

/* Limits an index in the register that is used next. */
#define xpt_hook_limit(i, max)                                                                     \
	do {                                                                                       \
		asm volatile("" : "+r"(i));                                                        \
		if ((i) > (max))                                                                   \
			(i) = (max);                                                               \
		asm volatile("" : "+r"(i));                                                        \
	} while (0)

#endif
