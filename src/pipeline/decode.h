/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decode: the gate in front of everything else. A record that passes can be
 * read through its wire struct without any further check of sizes, strings
 * and enumerations; only ids (function, library) still have to be looked up.
 */
#ifndef XPT_PIPELINE_DECODE_H
#define XPT_PIPELINE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include "wire/sched.h"
#include "wire/wire.h"

#define XPT_DECODE_STRINGS (3 + XPT_MAX_VALS)	/* FN: symbol, base, domain, captures */

struct xpt_decoded {
	const struct xpt_rec *rec;
	const char *str[XPT_DECODE_STRINGS];	/* those that the kind has, inside the record */
};

/*
 * Checks the record at rec, of which `size` bytes are readable; rec is 8-byte
 * aligned. False: malformed, ret_d is undefined.
 */
bool xpt_decode(const void *rec, size_t size, struct xpt_decoded *ret_d);

#endif
