/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rates as a JSON document of one line, for programs: exact counts since the trace began, and numbers by the second.
 */
#ifndef XPT_TOP_RATES_JSON_H
#define XPT_TOP_RATES_JSON_H

#include "base/strbuf.h"
#include "top/rates.h"

/* Appends it, without a line end; source: who has counted. */
void xpt_top_rates__print_json(const struct xpt_top_rates *r, const char *source, struct xpt_strbuf *sb);

#endif
