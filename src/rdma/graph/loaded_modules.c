// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See loaded_modules.h. A line of /proc/modules: "name size references users, state address", users "-" if there are
 * none.
 */
#include "rdma/graph/loaded_modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USERS_LEN 4096

struct line {
	char name[56], users[USERS_LEN], state[16];
	uint64_t at;
};

/* The line that s is at. */
static bool parse_line(const char *s, struct line *ret_l)
{
	char one[USERS_LEN + 256];

	snprintf(one, sizeof(one), "%.*s", (int)strcspn(s, "\n"), s);
	return sscanf(one, "%55s %*s %*s %4095s %15s %" SCNx64, ret_l->name, ret_l->users, ret_l->state,
		      &ret_l->at) == 4;
}

/* Whether a list "a,b," has a word. */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);
	const char *p;

	for (p = list; (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ',') && (p[n] == ',' || !p[n]))
			return true;
	return false;
}

static const char *next_line(const char *s)
{
	const char *end = strchr(s, '\n');

	return end ? end + 1 : s + strlen(s);
}

/* The users of the two modules that every driver or every interface for programs needs. */
static void find_users(const char *text, char *ret_users, size_t n)
{
	struct line l;
	const char *s;
	size_t len = 0;

	ret_users[0] = '\0';
	for (s = text; *s; s = next_line(s))
		if (parse_line(s, &l) && (!strcmp(l.name, "ib_core") || !strcmp(l.name, "ib_uverbs")) &&
		    len + strlen(l.users) + strlen(l.name) + 3 < n)
			len += (size_t)snprintf(ret_users + len, n - len, "%s,%s,", l.name, l.users);
}

void xpt_rdma_modules__parse(const char *text, struct xpt_rdma_modules *ret_m)
{
	char users[2 * USERS_LEN];
	struct line l;
	const char *s;

	ret_m->nr = 0;
	find_users(text, users, sizeof(users));
	for (s = text; *s && ret_m->nr < XPT_RDMA_MODULES; s = next_line(s)) {
		if (!parse_line(s, &l) || strcmp(l.state, "Live") != 0 || !has_word(users, l.name))
			continue;
		memcpy(ret_m->v[ret_m->nr].name, l.name, sizeof(l.name));
		ret_m->v[ret_m->nr++].at = l.at;
	}
}

void xpt_rdma_modules__read(struct xpt_rdma_modules *ret_m)
{
	FILE *f = fopen("/proc/modules", "re");
	char *text = NULL;
	size_t cap = 0;

	ret_m->nr = 0;
	if (!f)
		return;
	if (getdelim(&text, &cap, '\0', f) > 0)
		xpt_rdma_modules__parse(text, ret_m);
	free(text);
	fclose(f);
}

bool xpt_rdma_modules__has(const struct xpt_rdma_modules *m, const char *name, uint64_t at)
{
	unsigned i;

	for (i = 0; i < m->nr; i++)
		if (m->v[i].at == at && !strcmp(m->v[i].name, name))
			return true;
	return false;
}

bool xpt_rdma_modules__equal(const struct xpt_rdma_modules *a, const struct xpt_rdma_modules *b)
{
	unsigned i;

	for (i = 0; i < a->nr; i++)
		if (!xpt_rdma_modules__has(b, a->v[i].name, a->v[i].at))
			return false;
	return a->nr == b->nr;
}
