// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names of the ways in which a site is chosen; finding one is in site_find.c. */
#include "sites/site.h"

const char *xpt_site_move_name(enum xpt_site_move move)
{
	switch (move) {
	case XPT_MOVE_ENDBR:
		return "endbr";
	case XPT_MOVE_STUB:
		return "stub";
	default:
		return "symbol";
	}
}
