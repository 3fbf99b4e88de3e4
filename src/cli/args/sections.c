// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of sections, see sections.h. The schemas themselves are the list; a
 * table that has two forms counts once.
 */
#include "cli/args/sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "model/output/analyzer.h"

static size_t add_once(const struct xpt_schema **all, size_t nr, const struct xpt_schema *s)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(all[i]->name, s->name))
			return nr;
	if (nr < XPT_MAX_SECTIONS)
		all[nr++] = s;
	return nr;
}

static int by_order(const void *a, const void *b)
{
	const struct xpt_schema *x = *(const struct xpt_schema *const *)a;
	const struct xpt_schema *y = *(const struct xpt_schema *const *)b;

	return x->order != y->order ? (x->order < y->order ? -1 : 1) : strcmp(x->name, y->name);
}

static size_t list_all(const struct xpt_schema **all)
{
	size_t nr = add_once(all, 0, &xpt_verdict_schema);

	for (size_t i = 0; i < xpt_nr_analyzers; i++)
		for (size_t k = 0; xpt_analyzers[i]->emits[k]; k++)
			nr = add_once(all, nr, xpt_analyzers[i]->emits[k]);
	qsort(all, nr, sizeof(all[0]), by_order);
	return nr;
}

static int refuse_unknown(const char *name, size_t len, const struct xpt_schema **all, size_t nr)
{
	struct xpt_strbuf sb;
	int err;

	xpt_strbuf__init(&sb, 8192);
	for (size_t i = 0; i < nr; i++) {
		xpt_strbuf__add(&sb, i ? ", " : "");
		xpt_strbuf__add(&sb, all[i]->name);
	}
	err = xpt_err(-EINVAL, "no section '%.*s': there are %s", (int)len, name,
		      xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
	return err;
}

static int add_named(const char *name, size_t len, const struct xpt_schema **all, size_t nr,
		     const struct xpt_schema **ret_s, size_t *n)
{
	for (size_t i = 0; i < nr; i++) {
		if (strlen(all[i]->name) != len || memcmp(all[i]->name, name, len))
			continue;
		*n = add_once(ret_s, *n, all[i]);
		return 0;
	}
	return refuse_unknown(name, len, all, nr);
}

int xpt_sections__parse(const struct xpt_list *names,
			const struct xpt_schema *ret_s[XPT_MAX_SECTIONS + 1])
{
	const struct xpt_schema *all[XPT_MAX_SECTIONS];
	size_t nr = list_all(all), n = 0;
	int err = 0;

	for (unsigned i = 0; !err && i < names->n; i++) {
		const char *p = names->v[i];
		size_t len = strcspn(p, ",");

		err = add_named(p, len, all, nr, ret_s, &n);
		while (!err && p[len]) {
			p += len + 1;
			len = strcspn(p, ",");
			err = add_named(p, len, all, nr, ret_s, &n);
		}
	}
	ret_s[n] = NULL;
	return err;
}
