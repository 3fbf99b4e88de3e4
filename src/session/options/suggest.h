/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* "Did you mean ...": the up to three names that are nearest to the typed word, from any number that are offered. */
#ifndef XPT_SESSION_OPTIONS_SUGGEST_H
#define XPT_SESSION_OPTIONS_SUGGEST_H

#include <stddef.h>

#define XPT_NEAR_MAX 3
#define XPT_NEAR_LEN 64	/* longer names are not suggested */

struct xpt_near {
	char typed[XPT_NEAR_LEN];	/* without * and ?, in lower case */
	unsigned n, distance[XPT_NEAR_MAX];	/* ascending */
	char name[XPT_NEAR_MAX][XPT_NEAR_LEN];
};

void xpt_near__init(struct xpt_near *near, const char *typed);	/* a name or a glob */
void xpt_near__offer(struct xpt_near *near, const char *name);
/* ": did you mean A, B?", or an empty text if nothing is near. Returns buf. */
const char *xpt_near__text(const struct xpt_near *near, char *buf, size_t n);

#endif
