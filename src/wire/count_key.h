/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keys of the kernel's tables of exact counts. A process is distinguished from the next one with its number by when
 * it began (CLOCK_MONOTONIC, of its first thread; exec keeps it).
 */
#ifndef XPT_WIRE_COUNT_KEY_H
#define XPT_WIRE_COUNT_KEY_H

#include "wire/wire.h"

struct xpt_count_key {
	struct xpt_wire_count_key of;
	__u64 began_ns;
};

struct xpt_error_key {
	struct xpt_wire_error_key of;
	__u64 began_ns;
};

_Static_assert(sizeof(struct xpt_count_key) == 16, "key of a count");
_Static_assert(sizeof(struct xpt_error_key) == 24, "key of an error");

#endif
