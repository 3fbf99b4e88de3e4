// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rdma_plans.h: which graph and which methods the options mean, and what is
 * wrong with them.
 */
#include "cli/rdma_plans.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "cli/near.h"
#include "rdma/where.h"

/* $XDG_CACHE_HOME/xputrace, ~/.cache/xputrace, for root /var/cache/xputrace. NULL: none. */
static const char *cache_dir(char *buf, size_t n)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *slash;

	if (xdg && xdg[0] == '/')
		snprintf(buf, n, "%s/xputrace", xdg);
	else if (!geteuid())
		snprintf(buf, n, "/var/cache/xputrace");
	else if (home && home[0] == '/')
		snprintf(buf, n, "%s/.cache/xputrace", home);
	else
		return NULL;
	for (slash = strchr(buf + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(buf, 0755);
		*slash = '/';
	}
	return mkdir(buf, 0700) && errno != EEXIST ? NULL : buf;
}

static int load(const struct xpt_rdma_which *w, struct xpt_rdma_plans *p)
{
	struct xpt_rdma_where where = { .root = "" };
	char why[XPT_RDMA_WHY], cache[4096];
	bool cached;
	int err;

	where.root = w->root ? w->root : "";
	if (!strcmp(where.root, "/"))
		where.root = "";
	where.release = w->release;
	where.no_driver = w->drivers.n == 1 && !strcmp(w->drivers.v[0], "none");
	if (w->drivers.n && !where.no_driver)
		where.drivers = w->drivers.v;
	where.cache = w->no_cache ? NULL : cache_dir(cache, sizeof(cache));
	err = xpt_rdma_graph__load(&where, &p->g, &cached, why);
	if (err)
		xpt_err(err, "%s", why);
	return err;
}

bool xpt_rdma_plans__has(const struct xpt_list *words, const struct xpt_rdma_graph *g, uint32_t root)
{
	unsigned i;

	for (i = 0; i < words->n; i++)
		if (xpt_rdma_root__matches(g, root, words->v[i]))
			return true;
	return false;
}

static int make_plans(const struct xpt_rdma_which *w, struct xpt_rdma_plans *p)
{
	struct xpt_rdma_limits deep = XPT_RDMA_DEEP_LIMITS(p->limits.kernel_minor);
	uint32_t i;
	int err;

	p->plans = calloc((size_t)p->g->nr_roots + 1, sizeof(*p->plans));
	if (!p->plans)
		return xpt_err(-ENOMEM, "out of memory");
	for (i = 0; i < p->g->nr_roots; i++) {
		bool is_deep = xpt_rdma_plans__has(&w->deep, p->g, i);

		if (w->methods.n && !is_deep && !xpt_rdma_plans__has(&w->methods, p->g, i))
			continue;
		err = xpt_rdma_plan__make(p->g, i, is_deep ? &deep : &p->limits, &p->plans[p->nr]);
		if (err)
			return xpt_err(err, "out of memory");
		p->nr++;
	}
	return 0;
}

/* A word that no method has and that is not `also`. An exit status. */
static int unknown_method(const struct xpt_list *words, const struct xpt_rdma_graph *g,
			  const char *also)
{
	struct xpt_near near;
	char text[256];
	uint32_t i;
	unsigned k;

	for (k = 0; k < words->n; k++) {
		if (!strcmp(words->v[k], also))
			continue;
		for (i = 0; i < g->nr_roots; i++)
			if (xpt_rdma_root__matches(g, i, words->v[k]))
				break;
		if (i < g->nr_roots)
			continue;
		xpt_near__init(&near, words->v[k]);
		for (i = 0; i < g->nr_roots; i++)
			xpt_near__offer(&near, xpt_rdma_text(g, g->roots[i].name));
		xpt_err(0, "this kernel has no method '%s'%s", words->v[k],
			xpt_near__text(&near, text, sizeof(text)));
		return XPT_EXIT_NOTHING;
	}
	return XPT_EXIT_OK;
}

static int parse_limits(const struct xpt_cmd *cmd, const struct xpt_rdma_which *w,
			struct xpt_rdma_plans *p)
{
	uint64_t depth = XPT_RDMA_DEPTH, budget = XPT_RDMA_BUDGET;

	if (w->depth && xpt_parse_u64(w->depth, 0, 1000, &depth))
		return xpt_opt__usage(cmd, "--depth: '%s' is no number from 0 to 1000",
				      w->depth);
	if (w->budget && xpt_parse_u64(w->budget, 1, 100000, &budget))
		return xpt_opt__usage(cmd, "--budget: '%s' is no number from 1 to 100000",
				      w->budget);
	p->limits.depth = (unsigned)depth;
	p->limits.budget = (unsigned)budget;
	return -1;
}

int xpt_rdma_plans__make(const struct xpt_cmd *cmd, const struct xpt_rdma_which *w,
			 struct xpt_rdma_plans *ret_p)
{
	struct xpt_rdma_plans *p = ret_p;
	int status = parse_limits(cmd, w, p), err;

	if (status >= 0)
		return status;
	err = load(w, p);
	if (err)
		return err == -ENOENT ? XPT_EXIT_NOTHING : XPT_EXIT_FAILED;
	status = unknown_method(&w->methods, p->g, "");
	if (!status)
		status = unknown_method(&w->deep, p->g, XPT_RDMA_DEEP);
	if (status)
		return status;
	p->limits.kernel_minor = xpt_rdma_version(xpt_rdma_text(p->g, p->g->release));
	return make_plans(w, p) ? XPT_EXIT_FAILED : -1;
}

void xpt_rdma_plans__free(struct xpt_rdma_plans *p)
{
	unsigned i;

	for (i = 0; i < p->nr; i++)
		xpt_rdma_plan__free(p->plans[i]);
	free(p->plans);
	xpt_rdma_graph__free(p->g);
}
