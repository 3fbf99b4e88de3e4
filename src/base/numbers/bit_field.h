/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bytes that have to be read for a bit field, and the bits of it in them (little endian).
 */
#ifndef XPT_BASE_NUMBERS_BIT_FIELD_H
#define XPT_BASE_NUMBERS_BIT_FIELD_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_bit_field {
	uint32_t off;		/* bytes */
	uint8_t width;		/* bytes that are read there: 1, 2, 4, 8 */
	uint8_t at, bits;	/* the lowest bit in these, and how many */
};

/* bit: counted from the begin of the struct. False: it does not lie within eight bytes, or too
 * far away. */
static inline bool xpt_bit_field__find(uint64_t bit, uint64_t bits, struct xpt_bit_field *ret)
{
	uint8_t width = 1;

	if (!bits || bits > 64 || bit % 8 + bits > 64 || bit / 8 > INT32_MAX)
		return false;
	while (width * 8u < bit % 8 + bits)
		width *= 2;
	*ret = (struct xpt_bit_field){ (uint32_t)(bit / 8), width, (uint8_t)(bit % 8), (uint8_t)bits };
	return true;
}

#endif
