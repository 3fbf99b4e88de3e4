/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The captures of a function's calls: its row in the domain's table, made
 * smaller or completed from its signature as --args asks.
 */
#ifndef XPT_MODEL_DOMAIN_CAPTURES_H
#define XPT_MODEL_DOMAIN_CAPTURES_H

#include "model/domain/domain.h"

/*
 * ROLES: the captures that the row names. NONE: of these the ones that the exact
 * totals need: the size and its factors, the direction of a copy. ALL: the row's
 * captures in their order, then every other parameter as far as there is room
 * (XPT_MAX_VALS) and a probe can read it: numbers, constants and handles as they
 * are, those that are written through a pointer as they are at return, the first
 * C string as text unless the row has one, fields of structs that the tables
 * know, else the pointer. Added captures have role VALUE, or NONE where they are
 * addresses or handles, so that no analyzer takes them for its own.
 */
enum xpt_args { XPT_ARGS_ROLES, XPT_ARGS_NONE, XPT_ARGS_ALL, XPT_ARGS__MAX };

struct xpt_captures {
	struct xpt_wire_fn spec;
	char name[XPT_MAX_VALS][XPT_CAP_NAME];	/* of each of spec.nr_caps captures */
};

/* row: as xpt_domain__row() finds it for sym, or NULL. */
void xpt_captures__make(const struct xpt_domain *d, const struct xpt_fn_row *row, const char *sym,
			enum xpt_args args, struct xpt_captures *ret_caps);
/* The names of caps as a list, in names (XPT_MAX_VALS); they stay those of caps. */
const char *const *xpt_captures__names(const struct xpt_captures *caps, const char **names);
const char *xpt_args_name(enum xpt_args args);	/* "roles", "none", "all" */

#endif
