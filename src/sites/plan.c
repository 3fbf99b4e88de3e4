// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Plans: which functions of a library get a probe, and where. Used by the
 * engine to attach and by `list` to show the probes that it would set.
 */
#include "sites/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "elf/elf.h"
#include "elf/elf_priv.h"
#include "sites/linked_runtime.h"
#include "wire/config.h"

#define NAME_WORK 500	/* units of work (elf_work.c) of comparing a name with tables and globs */

static bool any_glob(const char *const *globs, const char *s)
{
	for (; *globs; globs++)
		if (xpt_glob_match(*globs, s))
			return true;
	return false;
}

const struct xpt_domain *xpt_plan__domain(const struct xpt_domain *const *domains, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (; *domains; domains++)
		if ((*domains)->libs && any_glob((*domains)->libs, name))
			return *domains;
	return NULL;
}

const struct xpt_domain *xpt_plan__domain_of(const struct xpt_domain *const *domains,
					     const char *path, const struct xpt_elf *elf)
{
	const struct xpt_domain *d = xpt_plan__domain(domains, path);

	for (; !d && *domains; domains++)
		if (xpt_program__holds(elf, *domains))
			d = *domains;
	return d;
}

bool xpt_plan__wants(const char *const *functions, const char *sym)
{
	bool any = true, chosen = false, excluded = false;
	char buf[256];
	const char *base = xpt_fn_base_name(sym, buf, sizeof(buf));

	for (; functions && *functions; functions++) {
		const char *glob = *functions + (**functions == '!');
		bool matches = xpt_glob_match(glob, sym) || xpt_glob_match(glob, base);

		if (**functions == '!') {
			excluded |= matches;
		} else {
			any = false;
			chosen |= matches;
		}
	}
	return (any || chosen) && !excluded;
}

/* By place; of several names for one place first the one with a row, then the
 * shortest, so that aliases are attached once under the best name. */
static int by_place(const void *pa, const void *pb)
{
	const struct xpt_plan *a = pa, *b = pb;
	size_t la = strlen(a->sym), lb = strlen(b->sym);

	if (a->site.offset != b->site.offset)
		return a->site.offset < b->site.offset ? -1 : 1;
	if (!a->row != !b->row)
		return a->row ? -1 : 1;
	if (la != lb)
		return la < lb ? -1 : 1;
	return strcmp(a->sym, b->sym);
}

static int by_name(const void *pa, const void *pb)
{
	const struct xpt_plan *a = pa, *b = pb;

	return strcmp(a->sym, b->sym);
}

static int drop_aliases(struct xpt_plan *plan, int n)
{
	int i, kept = 0;

	qsort(plan, (size_t)n, sizeof(*plan), by_place);
	for (i = 0; i < n; i++)
		if (!kept || plan[i].site.offset != plan[kept - 1].site.offset)
			plan[kept++] = plan[i];
	qsort(plan, (size_t)kept, sizeof(*plan), by_name);
	return kept;
}

/* How the returns of n functions are seen. 0 or -ENOMEM. */
static int find_returns(struct xpt_elf *elf, struct xpt_plan *plan, int n)
{
	int i, err = 0;

	for (i = 0; !err && i < n; i++) {
		struct xpt_sym sym = { .name = plan[i].sym, .vaddr = plan[i].sym_vaddr };

		err = xpt_returns__find(elf, &sym, &plan[i].site,
					xpt_domain__calls_back(plan[i].domain, plan[i].sym) ?
					XPT_RETURNS_CALLBACK : XPT_RETURNS_C, &plan[i].returns);
	}
	return err;
}

void xpt_plan__free(struct xpt_plan *plan, int n)
{
	int i;

	for (i = 0; i < n; i++)
		xpt_returns__free(&plan[i].returns);
	if (n >= 0)
		free(plan);
}

/* Appends the wanted names, as far as there is room: those that the domain knows, or the others. */
static int add_names(struct xpt_elf *elf, const struct xpt_domain *d, const char *const *functions,
		     bool known, bool move_sites, struct xpt_plan *plan, int n, uint32_t *left_out)
{
	size_t nr, i;
	const struct xpt_sym *syms = xpt_elf__syms(elf, &nr);

	for (i = 0; i < nr && xpt_elf__spend(elf, NAME_WORK); i++) {
		if (xpt_domain__knows(d, syms[i].name) != known ||
		    !xpt_domain__traces(d, syms[i].name) ||
		    !xpt_plan__wants(functions, syms[i].name))
			continue;
		if (n == XPT_MAX_FNS) {
			++*left_out;
			continue;
		}
		plan[n].sym = syms[i].name;
		plan[n].sym_vaddr = syms[i].vaddr;
		plan[n].domain = d;
		plan[n].row = xpt_domain__row(d, syms[i].name);
		xpt_elf__site(elf, &syms[i], move_sites, &plan[n].site);
		n++;
	}
	return n;
}

int xpt_plan__make(struct xpt_elf *elf, const struct xpt_domain *d, const char *const *functions,
		   bool move_sites, struct xpt_plan **ret_plan, uint32_t *ret_left_out)
{
	struct xpt_plan *plan = calloc(XPT_MAX_FNS, sizeof(*plan));
	uint32_t left_out = 0;
	int n, err;

	if (!plan)
		return -ENOMEM;
	n = add_names(elf, d, functions, true, move_sites, plan, 0, &left_out);
	if (!xpt_program__holds(elf, d))
		n = add_names(elf, d, functions, false, move_sites, plan, n, &left_out);
	n = drop_aliases(plan, n);
	err = find_returns(elf, plan, n);
	if (!err)
		err = xpt_elf__error(elf);
	if (err) {
		xpt_plan__free(plan, n);
		return err;
	}
	if (ret_left_out)
		*ret_left_out = left_out;
	*ret_plan = plan;
	return n;
}
