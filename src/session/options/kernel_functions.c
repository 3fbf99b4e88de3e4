// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * `list kernel:MODULE:GLOB`, see kernel_functions.h. One line a function: without -v the
 * names of those that can be traced, with it how, the prototype, and why not.
 */
#include "session/options/kernel_functions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "session/options/suggest.h"
#include "session/options/usage.h"
#include "kernel/kattach.h"
#include "kernel/kfind.h"
#include "engine/sources/kfunc.h"

struct list {
	const struct xpt_kfind *find;
	struct xpt_kattach_caps caps;
	bool verbose, json, root, any;	/* any: some way of attaching works here */
	size_t n, traceable;
};

bool xpt_kernel__is_pattern(const char *s)
{
	return !strncmp(s, "kernel:", 7);
}

struct nearest {
	char glob[XPT_KMODULE_LEN];
	const char *last;
	bool module;		/* a module of that name is there */
	struct xpt_near names, modules;
};

static void offer_name(void *ctx, const char *module, const char *name)
{
	struct nearest *n = ctx;

	if (xpt_glob_match(n->glob, module)) {
		n->module = true;
		xpt_near__offer(&n->names, name);
	} else if (module != n->last && strcmp(module, n->last)) {
		xpt_near__offer(&n->modules, module);
	}
	n->last = module;
}

void xpt_kernel__explain(const struct xpt_kfind *f, const char *pattern)
{
	char name[XPT_KNAME_LEN], text[256];
	struct nearest n = { .last = "" };

	if (!xpt_kfind__split(pattern, n.glob, name)) {
		xpt_warn("'%s' is no MODULE:FUNCTION", pattern);
		return;
	}
	xpt_near__init(&n.names, name);
	xpt_near__init(&n.modules, n.glob);
	xpt_kfind__each(f, offer_name, &n);
	if (n.module)
		xpt_warn("no kernel function matches '%s'%s", pattern,
			 xpt_near__text(&n.names, text, sizeof(text)));
	else
		xpt_warn("no module '%s' is loaded%s (what is built in has the name %s)", n.glob,
			 xpt_near__text(&n.modules, text, sizeof(text)), XPT_KERNEL_ITSELF);
}

static bool wants_function(void *ctx, const char *module, const char *name)
{
	const struct xpt_kfunc_cfg *cfg = ctx;

	return xpt_kfind__wants(cfg->patterns, module, name) ||
	       (cfg->tables && xpt_kdriver__row(module, name));
}

struct seen {
	char glob[XPT_KMODULE_LEN];
	bool any;
};

static void look_for(void *ctx, const char *module, const char *name)
{
	struct seen *s = ctx;

	(void)name;
	s->any |= xpt_glob_match(s->glob, module);
}

/* Whether a pattern is for a module that may come: it is not there, and has a name of its own. */
static bool may_come(const struct xpt_kfind *f, const char *pattern)
{
	struct seen s = { .any = false };
	char name[XPT_KNAME_LEN];

	if (!xpt_kfind__split(pattern, s.glob, name))
		return false;
	xpt_kfind__each(f, look_for, &s);
	return !s.any;
}

static int too_many(size_t n, uint32_t max)
{
	xpt_err(0, "%zu functions of the kernel match, more than %u: each takes memory and time, and "
		"all processes pay for calls of them; narrow the pattern, or see --kernel-max", n, max);
	return XPT_EXIT_USAGE;
}

/* Patterns without a function: those of modules that may be loaded later are no mistake. */
static int check_patterns(struct xpt_kfind *f, const struct xpt_kfunc_cfg *cfg,
			  const struct xpt_kfunc *v, size_t n)
{
	const char *const *p;
	bool any = n, later = false;
	size_t i;

	for (p = cfg->patterns; p && *p; p++) {
		const char *one[] = { *p, NULL };

		for (i = 0; i < n && !xpt_kfind__wants(one, v[i].module, v[i].name); i++)
			;
		if (i < n)
			continue;
		if (may_come(f, *p)) {
			later = true;
			xpt_info("no module matches '%s' yet: its functions are traced once it is "
				 "loaded", *p);
		} else {
			xpt_kernel__explain(f, *p);
		}
	}
	return any || later || cfg->tables ? -1 : XPT_EXIT_NOTHING;
}

int xpt_kernel__check(struct xpt_kfind *f, const struct xpt_kfunc_cfg *cfg)
{
	const struct xpt_kfunc *v;
	size_t n;
	int err = xpt_kfind__match_fn(f, wants_function, (void *)cfg, &v, &n);

	if (err) {
		xpt_err(err, "the kernel's functions cannot be looked for: %s", strerror(-err));
		return XPT_EXIT_FAILED;
	}
	if (n > cfg->max)
		return too_many(n, cfg->max);
	return check_patterns(f, cfg, v, n);
}

static void print_json(struct list *l, const struct xpt_kfunc *k, const char *how, const char *why)
{
	struct xpt_strbuf sb;
	char text[1024];

	xpt_strbuf__init(&sb, 64 << 10);
	xpt_strbuf__add(&sb, l->n ? ",\n{\"function\":" : "\n{\"function\":");
	xpt_strbuf__add_json(&sb, k->name);
	xpt_strbuf__add(&sb, ",\"module\":");
	xpt_strbuf__add_json(&sb, k->module);
	xpt_strbuf__add(&sb, ",\"attach\":");
	if (how)
		xpt_strbuf__add_json(&sb, how);
	else
		xpt_strbuf__add(&sb, "null");
	xpt_strbuf__add(&sb, ",\"prototype\":");
	if (xpt_kfind__text(l->find, k, text, sizeof(text))[0])
		xpt_strbuf__add_json(&sb, text);
	else
		xpt_strbuf__add(&sb, "null");
	xpt_strbuf__add(&sb, ",\"reason\":");
	xpt_strbuf__add_json(&sb, why);
	printf("%s}", xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
}

/* Prints a function with the way of attaching that a trace of all matches would use. */
static void list_one(struct list *l, const struct xpt_kfunc *k, bool many)
{
	const char *why = "";
	enum xpt_kattach kind = xpt_kattach__choose(&l->caps, k, XPT_KATTACH_AUTO,
						    XPT_KATTACH_AUTO, many, &why);
	const char *how = kind ? xpt_kattach_name(kind) : NULL;
	char text[1024];

	l->traceable += kind || (!l->root && k->traceable != XPT_KTRACE_NO);
	if (l->json)
		print_json(l, k, how, why);
	else if (l->verbose)
		printf("%-36s %-14s %s\n", k->name, how ? how : l->root ? "-" : "?",
		       how || !l->any ? xpt_kfind__text(l->find, k, text, sizeof(text)) : why);
	else if (kind || (!l->root && k->traceable != XPT_KTRACE_NO))
		printf("%s\n", k->name);
	l->n++;
}

static void end_of_module(const struct list *l, size_t n, size_t traceable)
{
	if (l->json)
		return;
	if (traceable == n)
		printf("# %zu functions\n", n);
	else
		printf("# %zu functions, %zu of them cannot be traced%s\n", n, n - traceable,
		       l->verbose ? "" : "; -v says why");
}

static void list_all(struct list *l, const struct xpt_kfunc *v, size_t n)
{
	size_t from = 0, traceable = 0, i;

	for (i = 0; i < n; i++) {
		if (!i || strcmp(v[i].module, v[i - 1].module)) {
			from = i;
			traceable = l->traceable;
			if (!l->json)
				printf("# kernel: %s\n", v[i].module);
		}
		list_one(l, &v[i], n > XPT_KFUNCS_MANY);
		if (i + 1 == n || strcmp(v[i].module, v[i + 1].module))
			end_of_module(l, i + 1 - from, l->traceable - traceable);
	}
}

static bool can_attach(const struct xpt_kattach_caps *caps)
{
	int kind;

	for (kind = XPT_KATTACH_AUTO + 1; kind < XPT_KATTACH__MAX; kind++)
		if (!caps->err[kind])
			return true;
	return false;
}

int xpt_kernel__list(const char *pattern, bool verbose, bool json)
{
	struct list l = { .verbose = verbose, .json = json, .root = !geteuid() };
	const char *patterns[] = { pattern, NULL };
	const struct xpt_kfunc *v = NULL;
	struct xpt_kfind *f = NULL;
	size_t n = 0;
	int err = xpt_kfind__new(NULL, &f);

	if (!err)
		err = xpt_kfind__match(f, patterns, &v, &n);
	if (err) {
		xpt_err(err, "the kernel's list of functions cannot be read: %s", strerror(-err));
		xpt_kfind__free(f);
		return XPT_EXIT_PRIVILEGE;
	}
	l.find = f;
	xpt_kattach__probe(xpt_kfind__id(f, XPT_KERNEL_ITSELF, XPT_KATTACH_TRIED), &l.caps);
	l.any = can_attach(&l.caps);
	if (!l.any && l.root)
		xpt_info("no way of attaching to kernel functions works here (see `xputrace "
			 "doctor`)");
	if (!l.root)
		xpt_info("without root it is not known which of them can be traced (try sudo)");
	if (json)
		printf("[");
	list_all(&l, v, n);
	if (json)
		printf("\n]\n");
	if (!n)
		xpt_kernel__explain(f, pattern);
	xpt_kfind__free(f);
	return n ? XPT_EXIT_OK : XPT_EXIT_NOTHING;
}
