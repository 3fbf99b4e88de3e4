/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Computes the bytes of a CUDA array from the descriptor with which it is created. The driver pads arrays to its
 * tiles, and no call reports the real size. Included by the BPF programs, which compute it, and by the test that
 * checks it.
 */
#ifndef XPT_WIRE_ARRAY_H
#define XPT_WIRE_ARRAY_H

#include <linux/types.h>

/* The form of the descriptor, in "off" of an ARRAY value. */
#define XPT_ARRAY_3D 1		/* CUDA_ARRAY3D_DESCRIPTOR, else CUDA_ARRAY_DESCRIPTOR */
#define XPT_ARRAY_V1 2		/* the 32-bit form of CUDA 3.1 and before */
/* The argument word with its number of mipmap levels, 32 bits. */
#define XPT_ARRAY_LEVELS(word) (((word) + 1) << 8)

#define XPT_ARRAY_SIDE_MAX (1u << 18)	/* elements; devices end at 2^17 */
#define XPT_ARRAY_LEVELS_MAX 18u
#define XPT_ARRAY_FIXED_DEPTH 5u	/* CUDA_ARRAY3D_LAYERED or _CUBEMAP, cuda.h */

struct xpt_array {
	__u32 side[3];		/* width, height, depth; 0: the array lacks that dimension */
	__u32 format;		/* CUarray_format */
	__u32 channels;
	__u32 flags;		/* CUDA_ARRAY3D_* */
};

/* Bytes of one channel of one element, 0 for the formats that are not made of channels. */
static inline __u32 xpt_array_channel(__u32 format)
{
	switch (format) {
	case 0x01: case 0x08:			/* 8-bit integers */
		return 1;
	case 0x02: case 0x09: case 0x10:	/* 16-bit integers, half */
		return 2;
	case 0x03: case 0x0a: case 0x20:	/* 32-bit integers, float */
		return 4;
	default:
		return 0;
	}
}

/* Returns at least 1, without a branch: the verifier would follow both sides at each level. */
static inline __u64 xpt_array_side(__u64 side)
{
	return side + ((side - 1) >> 63);
}

/* Returns the bytes of all levels together, 0 if they are not known. */
static inline __u64 xpt_array_bytes(const struct xpt_array *a, __u32 levels)
{
	__u64 elem = (__u64)xpt_array_channel(a->format) * a->channels, n = 0;
	__u64 w = a->side[0], h = xpt_array_side(a->side[1]), d = xpt_array_side(a->side[2]);
	__u32 shift = a->flags & XPT_ARRAY_FIXED_DEPTH ? 0 : 1, i;

	if (!w || w > XPT_ARRAY_SIDE_MAX || h > XPT_ARRAY_SIDE_MAX || d > XPT_ARRAY_SIDE_MAX ||
	    a->channels > 4)
		return 0;
	for (i = 0; i < XPT_ARRAY_LEVELS_MAX && i < levels; i++) {
		n += w * h * d;
		w = xpt_array_side(w >> 1);
		h = xpt_array_side(h >> 1);
		d = xpt_array_side(d >> shift);
	}
	return n * elem;
}

#endif
