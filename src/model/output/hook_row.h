/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A row of a hook's sums: its record with names, and its form for people:
 * "@name[key]: 12", a histogram in lines of its own.
 */
#ifndef XPT_MODEL_OUTPUT_HOOK_ROW_H
#define XPT_MODEL_OUTPUT_HOOK_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "wire/hook.h"
#include "wire/wire.h"

struct xpt_hook_row {
	const struct xpt_rec_hook *rec;
	const uint64_t *bucket;		/* rec->nr_buckets */
	const char *name;		/* of the map */
	const char *key_name[XPT_HOOK_KEYS], *key[XPT_HOOK_KEYS];
};

/* Finds all in a record; false: it lies about itself. Lives as long as rec. */
bool xpt_hook_row__read(const void *rec, size_t size, struct xpt_hook_row *ret_row);
/* Parts of the key joined by ", ". */
void xpt_hook_row__add_key(const struct xpt_hook_row *row, struct xpt_strbuf *sb);
/* Lines without the last newline. columns: of the terminal. */
void xpt_hook_row__add_text(const struct xpt_hook_row *row, unsigned columns, struct xpt_strbuf *sb);
/* Bounds of bucket i of rec->nr_buckets: [low, high). False: it has no bound there. */
bool xpt_hook_row__low(const struct xpt_hook_row *row, unsigned i, int64_t *ret_low);
bool xpt_hook_row__high(const struct xpt_hook_row *row, unsigned i, int64_t *ret_high);
const char *xpt_hook_row__action(const struct xpt_hook_row *row);	/* "count", "hist" ... */

#endif
