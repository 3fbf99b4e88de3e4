/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The bytes that a process has allocated, pinned or registered and not freed, as outputs show them. The owner of a
 * ledger of open blocks (model/memory/ledger.h) computes them. */
#ifndef XPT_MODEL_MEMORY_OPEN_BYTES_H
#define XPT_MODEL_MEMORY_OPEN_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"
#include "wire/vocab.h"

struct xpt_open_bytes {
	uint64_t bytes[XPT_KIND__MAX];
	uint32_t kinds;			/* bit: memory of that kind was seen; only kinds that have bytes */
	/* Calls that changed the memory were lost or found no room, so the sums are not shown. */
	bool is_unknown;
};

/* Returns the open bytes of a process, or false if nothing is known of it: it may have no memory at all. */
typedef bool (*xpt_open_bytes_fn)(void *ctx, const struct xpt_proc *proc, struct xpt_open_bytes *ret);

#endif
