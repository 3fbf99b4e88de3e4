// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace rdma: the table of its subcommands, and `plan`: which functions of
 * the kernel's RDMA modules would be watched for each method, and why. Nothing
 * is attached by that; only files are read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "cli/near.h"
#include "cli/opt.h"
#include "cli/rdma.h"
#include "cli/rdma_plan.h"
#include "rdma/where.h"

struct rdma_opts {
	struct xpt_list drivers, methods;
	const char *root, *release, *depth, *budget;
	bool json, verbose, no_cache;
};

struct rdma {
	struct rdma_opts opts;
	struct xpt_rdma_limits limits;
	struct xpt_rdma_graph *g;
	struct xpt_rdma_plan **plans;
	unsigned nr_plans;
};

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

static int load(struct rdma *r)
{
	struct xpt_rdma_where where = { .root = "" };
	char why[XPT_RDMA_WHY], cache[4096];
	bool cached;
	int err;

	where.root = r->opts.root ? r->opts.root : "";
	if (!strcmp(where.root, "/"))
		where.root = "";
	where.release = r->opts.release;
	where.no_driver = r->opts.drivers.n == 1 && !strcmp(r->opts.drivers.v[0], "none");
	if (r->opts.drivers.n && !where.no_driver)
		where.drivers = r->opts.drivers.v;
	where.cache = r->opts.no_cache ? NULL : cache_dir(cache, sizeof(cache));
	err = xpt_rdma_graph__load(&where, &r->g, &cached, why);
	if (err)
		xpt_err(err, "%s", why);
	return err;
}

static bool wanted(const struct rdma *r, uint32_t root)
{
	unsigned i;

	for (i = 0; i < r->opts.methods.n; i++)
		if (xpt_rdma_root__matches(r->g, root, r->opts.methods.v[i]))
			return true;
	return !r->opts.methods.n;
}

static int make_plans(struct rdma *r)
{
	uint32_t i;
	int err;

	r->plans = calloc((size_t)r->g->nr_roots + 1, sizeof(*r->plans));
	if (!r->plans)
		return xpt_err(-ENOMEM, "out of memory");
	for (i = 0; i < r->g->nr_roots; i++) {
		if (!wanted(r, i))
			continue;
		err = xpt_rdma_plan__make(r->g, i, &r->limits, &r->plans[r->nr_plans]);
		if (err)
			return xpt_err(err, "out of memory");
		r->nr_plans++;
	}
	return 0;
}

/* A word that no method has. An exit status. */
static int unknown_method(const struct rdma *r)
{
	struct xpt_near near;
	char text[256];
	uint32_t i;
	unsigned k;

	for (k = 0; k < r->opts.methods.n; k++) {
		for (i = 0; i < r->g->nr_roots; i++)
			if (xpt_rdma_root__matches(r->g, i, r->opts.methods.v[k]))
				break;
		if (i < r->g->nr_roots)
			continue;
		xpt_near__init(&near, r->opts.methods.v[k]);
		for (i = 0; i < r->g->nr_roots; i++)
			xpt_near__offer(&near, xpt_rdma_text(r->g, r->g->roots[i].name));
		xpt_err(0, "this kernel has no method '%s'%s", r->opts.methods.v[k],
			xpt_near__text(&near, text, sizeof(text)));
		return XPT_EXIT_NOTHING;
	}
	return XPT_EXIT_OK;
}

static void print(const struct rdma *r)
{
	unsigned i;

	if (r->opts.json) {
		xpt_rdma_print__json(r->g, r->plans, r->nr_plans, &r->limits);
		return;
	}
	if (!r->opts.methods.n) {
		xpt_rdma_print__overview(r->g, r->plans, r->nr_plans);
		return;
	}
	for (i = 0; i < r->nr_plans; i++)
		xpt_rdma_print__plan(r->g, r->plans[i], r->opts.verbose);
}

static int plan(struct rdma *r)
{
	int status, err = load(r);

	if (err)
		return err == -ENOENT ? XPT_EXIT_NOTHING : XPT_EXIT_FAILED;
	status = unknown_method(r);
	if (status)
		return status;
	r->limits.kernel_minor = xpt_rdma_version(xpt_rdma_text(r->g, r->g->release));
	if (make_plans(r))
		return XPT_EXIT_FAILED;
	print(r);
	return XPT_EXIT_OK;
}

#define XPT_RO(m) offsetof(struct rdma_opts, m)

static const struct xpt_opt opts[] = {
	{ "driver", 0, XPT_OPT_LIST, XPT_RO(drivers), "NAME", "with this driver (mlx5_ib, rdma_rxe, ..., "
	  "or none) instead of those that are loaded; may be given again", 0 },
	{ "method", 'm', XPT_OPT_LIST, XPT_RO(methods), "NAME", "only this method (modify_qp, reg_mr, "
	  "REG_DMABUF_MR, a glob), with its functions; may be given again", 0 },
	{ "depth", 0, XPT_OPT_STR, XPT_RO(depth), "N", "calls below the method's handler (5)", 0 },
	{ "budget", 0, XPT_OPT_STR, XPT_RO(budget), "N", "probes for one method (64)", 0 },
	{ "root", 0, XPT_OPT_STR, XPT_RO(root), "DIR", "analyse the kernel whose files are below DIR", 0 },
	{ "release", 0, XPT_OPT_STR, XPT_RO(release), "NAME", "the kernel's release, if there are "
	  "several", 0 },
	{ "no-cache", 0, XPT_OPT_FLAG, XPT_RO(no_cache), 0, "analyse anew, keep nothing", 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_RO(json), 0, "as JSON, all functions with their reasons", 0 },
	{ "verbose", 'v', XPT_OPT_FLAG, XPT_RO(verbose), 0, "functions that were dropped, too", 0 },
	{ 0 },
};

static int parse_limits(struct rdma *r)
{
	uint64_t depth = XPT_RDMA_DEPTH, budget = XPT_RDMA_BUDGET;

	if (r->opts.depth && xpt_parse_u64(r->opts.depth, 0, 1000, &depth))
		return xpt_opt__usage(&xpt_rdma_cmd_plan, "--depth: '%s' is no number from 0 to 1000",
				      r->opts.depth);
	if (r->opts.budget && xpt_parse_u64(r->opts.budget, 1, 100000, &budget))
		return xpt_opt__usage(&xpt_rdma_cmd_plan, "--budget: '%s' is no number from 1 to 100000",
				      r->opts.budget);
	r->limits.depth = (unsigned)depth;
	r->limits.budget = (unsigned)budget;
	return -1;
}

static int cmd_plan(int argc, char **argv)
{
	struct rdma r = { 0 };
	int rest, status;
	unsigned i;

	status = xpt_opt__parse(&xpt_rdma_cmd_plan, argc, argv, &r.opts, &rest);
	if (status >= 0)
		return status;
	if (rest < argc)
		return xpt_opt__usage(&xpt_rdma_cmd_plan, "'%s' is too much", argv[rest]);
	status = parse_limits(&r);
	if (status < 0)
		status = plan(&r);
	for (i = 0; i < r.nr_plans; i++)
		xpt_rdma_plan__free(r.plans[i]);
	free(r.plans);
	xpt_rdma_graph__free(r.g);
	return status;
}

const struct xpt_cmd xpt_rdma_cmd_plan = {
	.name = "rdma plan", .args = "[OPTIONS]",
	.summary = "plan which kernel functions to watch for RDMA errors",
	.opts = opts,
	.examples = "  xputrace rdma plan                       all methods of this machine\n"
		    "  xputrace rdma plan --method modify_qp    one, with its functions\n"
		    "  xputrace rdma plan --root /mnt/node7 --driver mlx5_ib\n",
	.run = cmd_plan,
};

static const struct xpt_cmd *const subs[] = {
	&xpt_rdma_cmd_plan, NULL,
};

static int cmd_rdma(int argc, char **argv)
{
	return xpt_opt__run_sub(&xpt_cmd_rdma, argc, argv);
}

const struct xpt_cmd xpt_cmd_rdma = {
	.name = "rdma", .args = "SUBCOMMAND [OPTIONS]",
	.summary = "find what in the kernel makes RDMA calls fail",
	.subs = subs,
	.examples = "  xputrace rdma plan                       all methods of this machine\n",
	.run = cmd_rdma,
};
