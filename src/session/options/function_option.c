// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares patterns with the functions of the tables and of the libraries that can be seen now, and remembers near
 * names.
 */
#include "session/options/function_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/files/regular.h"
#include "session/options/suggest.h"
#include "session/options/usage.h"
#include "elf/elf.h"
#include "engine/engine.h"
#include "proc/libpath.h"
#include "proc/maps.h"
#include "base/list.h"

struct wanted {
	const char *glob;
	bool found;
	struct xpt_near near;
};

struct look {
	const struct xpt_domain *const *domains;
	struct wanted w[XPT_LIST_MAX];
	unsigned nr, nr_libs;
};

static void offer_name(struct look *l, const char *name)
{
	char base[256];
	unsigned i;

	for (i = 0; i < l->nr; i++) {
		struct wanted *w = &l->w[i];

		if (w->found)
			continue;
		if (xpt_glob_match(w->glob, name) ||
		    xpt_glob_match(w->glob, xpt_fn_base_name(name, base, sizeof(base))))
			w->found = true;
		else
			xpt_near__offer(&w->near, name);
	}
}

/* fd is taken over; it may be -errno. */
static void offer_library(struct look *l, int fd, const char *name)
{
	const struct xpt_domain *d = xpt_plan__domain(l->domains, name);
	const struct xpt_sym *syms;
	struct xpt_elf *elf = NULL;
	size_t n, i;

	if (!d && fd >= 0)
		close(fd);
	if (!d || fd < 0 || xpt_elf__open_fd(fd, &elf))
		return;
	l->nr_libs++;
	syms = xpt_elf__syms(elf, &n);
	for (i = 0; i < n; i++)
		if (xpt_domain__traces(d, syms[i].name))
			offer_name(l, syms[i].name);
	xpt_elf__close(elf);
}

static void on_file(void *ctx, const char *path)
{
	offer_library(ctx, xpt_regular__open(path, NULL), path);
}

static int on_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	if (!xpt_plan__domain(((struct look *)ctx)->domains, m->path))
		return 0;
	offer_library(ctx, xpt_maps__open(pid, m), m->path);
	return 0;
}

void xpt_functions__each_library(const struct xpt_domain *const *domains, const char *exe,
				 const char *ld_library_path,
				 void (*fn)(void *ctx, const char *path), void *ctx)
{
	const char *const *so;
	char path[4096];

	for (; *domains; domains++) {
		for (so = (*domains)->sonames; so && *so; so++) {
			struct xpt_libpath lp = { .exe = exe, .ld_library_path = ld_library_path };

			while (xpt_libpath__next(&lp, *so, path, sizeof(path)) > 0)
				fn(ctx, path);
		}
	}
}

static void offer_tables(struct look *l)
{
	const struct xpt_domain *const *d;
	size_t i;

	for (d = l->domains; *d; d++)
		for (i = 0; i < (*d)->nr_rows; i++)
			offer_name(l, (*d)->rows[i].sym);
}

static void look_where(struct look *l, const struct xpt_functions_where *where)
{
	const char *const *file;
	unsigned i;

	offer_tables(l);
	if (where->loader)
		xpt_functions__each_library(l->domains, where->exe, where->ld_library_path,
					    on_file, l);
	for (i = 0; i < where->nr_pids; i++)
		xpt_maps__each(where->pids[i], on_mapping, l);
	for (file = where->files; file && *file; file++)
		on_file(l, *file);
}

int xpt_functions__check(const struct xpt_domain *const *domains, const char *const *globs,
			 const struct xpt_functions_where *where)
{
	struct look *l;
	unsigned i, found = 0;
	char text[256];
	int status = -1;

	if (!globs || !globs[0])
		return -1;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -1;	/* skipping the check does no harm */
	l->domains = domains;
	for (; globs[l->nr] && l->nr < XPT_LIST_MAX; l->nr++) {
		l->w[l->nr].glob = globs[l->nr] + (globs[l->nr][0] == '!');
		xpt_near__init(&l->w[l->nr].near, l->w[l->nr].glob);
	}
	look_where(l, where);
	for (i = 0; i < l->nr; i++) {
		found += l->w[i].found;
		if (!l->w[i].found)
			xpt_warn("no function matches '%s'%s", l->w[i].glob,
				 xpt_near__text(&l->w[i].near, text, sizeof(text)));
	}
	if (!found && l->nr_libs)
		status = XPT_EXIT_NOTHING;
	free(l);
	return status;
}

int xpt_functions__no_domain(const char *command, const char *name)
{
	char known[256] = "";
	size_t i, at = 0;

	for (i = 0; i < xpt_nr_domains && at < sizeof(known); i++)
		at += (size_t)snprintf(known + at, sizeof(known) - at, "%s%s", i ? ", " : "",
				       xpt_domains[i]->name);
	return xpt_usage(command, "no domain '%s': there are %s%s", name, known,
			      strchr(name, ',') ? "; -d names one and may be given again" : "");
}
