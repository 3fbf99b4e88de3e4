/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls as slices of a Perfetto trace: name, category, arguments and result of a
 * call as the fields of a TrackEvent, with everything that repeats interned.
 */
#ifndef XPT_MODEL_PICTURE_PFCALL_H
#define XPT_MODEL_PICTURE_PFCALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "model/event.h"

#define XPT_PF_MAX_NAMES 16384	/* of annotations and categories, all functions */
#define XPT_PF_LANE_STRINGS 8192	/* interned values of one thread */

struct xpt_hashmap;

/* The names that one sequence has defined. Zeroed at first. */
struct xpt_pf_known {
	struct xpt_hashmap *strings;	/* NULL: none yet */
	uint8_t fns[XPT_MAX_FNS / 8];
	uint8_t names[XPT_PF_MAX_NAMES / 8];
};

struct xpt_pf_names;

int xpt_pf_names__new(struct xpt_pf_names **ret_n);	/* 0 or -ENOMEM */
void xpt_pf_names__free(struct xpt_pf_names *n);	/* NULL is fine */
/* A sequence has ended: frees the contents of known. */
void xpt_pf_names__end(struct xpt_pf_names *n, struct xpt_pf_known *known);
/*
 * Appends the fields of a call to body. *ret_defs: *ret_n bytes of interned data that
 * must come into the file before it, valid until the next call. returned: it is not in
 * flight; whole: nothing was cut off its span. 0, or -errno of the buffers.
 */
int xpt_pf_names__call(struct xpt_pf_names *n, struct xpt_pf_known *known,
		       const struct xpt_call *c, bool returned, bool whole,
		       struct xpt_strbuf *body, const void **ret_defs, size_t *ret_n);

#endif
