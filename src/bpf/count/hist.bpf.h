/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The slot of a duration in a log2 histogram. A slot includes its upper bound 2^s, so that this bound is exact in
 * output formats that count "at most".
 */
#ifndef XPT_BPF_COUNT_HIST_BPF_H
#define XPT_BPF_COUNT_HIST_BPF_H

#include "wire/wire.h"

/* Returns n if v (below 2^63) needs more than n bits, else 0, without a branch. */
#define XPT_HALF(v, n) (((((1ull << (n)) - 1) - (v)) >> 63) * (n))

/*
 * ceil(log2(v)), at most XPT_HIST_SLOTS - 1: slot s holds (2^(s-1), 2^s].
 * Branches would make the verifier follow 64 paths through the code after it.
 */
static __always_inline __u32 xpt_hist_slot(__u64 v)
{
	__u64 n, slot;

	if (v <= 1)
		return 0;
	v = (v - 1) & ~(1ull << 63);
	slot = XPT_HALF(v, 32);
	v >>= slot;
	n = XPT_HALF(v, 16);
	v >>= n;
	slot += n;
	n = XPT_HALF(v, 8);
	v >>= n;
	slot += n;
	n = XPT_HALF(v, 4);
	v >>= n;
	slot += n;
	n = XPT_HALF(v, 2);
	v >>= n;
	slot += n + (v >> 1) + 1;
	return slot < XPT_HIST_SLOTS ? slot : XPT_HIST_SLOTS - 1;
}

#endif
