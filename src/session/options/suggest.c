// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Nearness: a name that contains the typed word is near, more so the shorter it is; others by their edit distance,
 * up to a third of the length. Upper and lower case are the same.
 */
#include "session/options/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

static void lower_case(const char *s, char *buf, size_t n, bool glob)
{
	size_t at = 0;

	for (; *s && at + 1 < n; s++)
		if (!glob || !strchr("*?", *s))
			buf[at++] = (char)tolower((unsigned char)*s);
	buf[at] = '\0';
}

void xpt_near__init(struct xpt_near *near, const char *typed)
{
	memset(near, 0, sizeof(*near));
	lower_case(typed, near->typed, sizeof(near->typed), true);
}

/* 0: not near. */
static unsigned distance_of(const char *typed, const char *name)
{
	size_t len = strlen(typed);
	unsigned d;

	if (!len)
		return 0;
	if (len >= 3 && strstr(name, typed))
		return 1 + (unsigned)(strlen(name) - len) / 8;
	d = 1 + xpt_edit_distance(typed, name);
	return d <= 1 + (len < 3 ? 1 : len / 3) ? d : 0;
}

void xpt_near__offer(struct xpt_near *near, const char *name)
{
	char low[XPT_NEAR_LEN];
	unsigned d, i, at;

	if (strlen(name) >= XPT_NEAR_LEN)
		return;
	lower_case(name, low, sizeof(low), false);
	d = distance_of(near->typed, low);
	if (!d || !strcmp(near->typed, low))	/* the typed word is no suggestion */
		return;
	for (i = 0; i < near->n; i++)
		if (!strcmp(near->name[i], name))
			return;
	for (at = 0; at < near->n && near->distance[at] <= d; at++)
		;
	if (at == XPT_NEAR_MAX)
		return;
	if (near->n < XPT_NEAR_MAX)
		near->n++;
	for (i = near->n - 1; i > at; i--) {
		near->distance[i] = near->distance[i - 1];
		memcpy(near->name[i], near->name[i - 1], XPT_NEAR_LEN);
	}
	near->distance[at] = d;
	snprintf(near->name[at], XPT_NEAR_LEN, "%s", name);
}

const char *xpt_near__text(const struct xpt_near *near, char *buf, size_t n)
{
	size_t at = 0;
	unsigned i;

	buf[0] = '\0';
	for (i = 0; i < near->n && at < n; i++)
		at += (size_t)snprintf(buf + at, n - at, "%s%s", i ? ", " : ": did you mean ",
				       near->name[i]);
	if (near->n && at + 1 < n)
		snprintf(buf + at, n - at, "?");
	return buf;
}
