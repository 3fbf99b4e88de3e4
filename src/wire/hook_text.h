/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings of hooks. A key holds the hash of a string, and the table xpt_hook_texts the
 * string for each hash once. Filters compare all bytes. Nothing of this is stored in
 * recordings: their rows have the strings themselves (struct xpt_rec_hook).
 */
#ifndef XPT_WIRE_HOOK_TEXT_H
#define XPT_WIRE_HOOK_TEXT_H

#include "wire/hook.h"

#define XPT_HOOK_TEXT 256	/* bytes of a string, NUL included */
/* Strings that are kept: as many as rows with two of them can have. */
#define XPT_HOOK_TEXTS (2 * (XPT_HOOK_ROWS + XPT_HOOK_SPARE_ROWS))

/* Zeroes follow the string. */
struct xpt_wire_hook_text {
	__u64 word[XPT_HOOK_TEXT / 8];
};

/* Value of the last byte if the string was longer: these are its first 255 bytes. */
#define XPT_HOOK_TEXT_CUT 1

static inline int xpt_hook_text_is_cut(const struct xpt_wire_hook_text *t)
{
	return ((const char *)t->word)[XPT_HOOK_TEXT - 1] != 0;
}

/* Memory of the thread in which the key of a hit is made; text[i]: of part i of the key. */
struct xpt_wire_hook_room {
	struct xpt_wire_hook_key key;
	struct xpt_wire_hook_text text[XPT_HOOK_KEYS];
};

_Static_assert(sizeof(struct xpt_wire_hook_text) == XPT_HOOK_TEXT, "string of a hook");

#endif
