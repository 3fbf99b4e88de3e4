// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace rdma: the table of its subcommands, and `plan`: which functions of
 * the kernel's RDMA modules would be watched for each method, and why. Nothing
 * is attached by that; only files are read.
 */
#include <stdbool.h>
#include <stddef.h>

#include "cli/opt.h"
#include "cli/commands/rdma/commands.h"
#include "cli/commands/rdma/show_plan.h"
#include "session/rdma/plans.h"

struct rdma_opts {
	struct xpt_rdma_which which;
	bool json, verbose;
};

struct rdma {
	struct rdma_opts opts;
	struct xpt_rdma_plans p;
};

static void print_plan(const struct rdma *r)
{
	const struct xpt_rdma_plans *p = &r->p;
	unsigned i;

	if (r->opts.json) {
		xpt_rdma_print__json(p->g, p->plans, p->nr, &p->limits);
		return;
	}
	if (!r->opts.which.methods.n) {
		xpt_rdma_print__overview(p->g, p->plans, p->nr);
		return;
	}
	for (i = 0; i < p->nr; i++)
		xpt_rdma_print__plan(p->g, p->plans[i], r->opts.verbose);
}

#define XPT_RO(m) offsetof(struct rdma_opts, m)

static const struct xpt_opt opts[] = {
	{ "driver", 0, XPT_OPT_LIST, XPT_RO(which.drivers), "NAME", "with this driver (mlx5_ib, rdma_rxe, ..., "
	  "or none) instead of those that are loaded; may be given again", 0 },
	{ "method", 'm', XPT_OPT_LIST, XPT_RO(which.methods), "NAME", "only this method (modify_qp, reg_mr, "
	  "REG_DMABUF_MR, a glob), with its functions; may be given again", 0 },
	{ "depth", 0, XPT_OPT_STR, XPT_RO(which.depth), "N", "calls below the method's handler (5)", 0 },
	{ "budget", 0, XPT_OPT_STR, XPT_RO(which.budget), "N", "probes for one method (64)", 0 },
	{ "root", 0, XPT_OPT_STR, XPT_RO(which.root), "DIR", "analyse the kernel whose files are below DIR", 0 },
	{ "release", 0, XPT_OPT_STR, XPT_RO(which.release), "NAME", "the kernel's release, if there are "
	  "several", 0 },
	{ "no-cache", 0, XPT_OPT_FLAG, XPT_RO(which.no_cache), 0, "has no effect: nothing is kept", 0 },
	{ "json", 0, XPT_OPT_FLAG, XPT_RO(json), 0, "as JSON, all functions with their reasons", 0 },
	{ "verbose", 'v', XPT_OPT_FLAG, XPT_RO(verbose), 0, "functions that were dropped, too", 0 },
	{ 0 },
};

static int cmd_plan(int argc, char **argv)
{
	struct rdma r = { 0 };
	int rest, status;

	status = xpt_opt__parse(&xpt_rdma_cmd_plan, argc, argv, &r.opts, &rest);
	if (status >= 0)
		return status;
	if (rest < argc)
		return xpt_opt__usage(&xpt_rdma_cmd_plan, "'%s' is too much", argv[rest]);
	status = xpt_rdma_plans__make(xpt_rdma_cmd_plan.name, &r.opts.which, &r.p);
	if (status < 0) {
		print_plan(&r);
		status = XPT_EXIT_OK;
	}
	xpt_rdma_plans__free(&r.p);
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
	&xpt_rdma_cmd_plan, &xpt_rdma_cmd_watch, &xpt_rdma_cmd_diff, &xpt_rdma_cmd_report,
	&xpt_rdma_cmd_baseline, &xpt_rdma_cmd_expected, NULL,
};

static int cmd_rdma(int argc, char **argv)
{
	return xpt_opt__run_sub(&xpt_cmd_rdma, argc, argv);
}

const struct xpt_cmd xpt_cmd_rdma = {
	.name = "rdma", .args = "SUBCOMMAND [OPTIONS]",
	.summary = "find what in the kernel makes RDMA calls fail",
	.subs = subs,
	.examples = "  xputrace rdma plan                       all methods of this machine\n"
		    "  sudo xputrace rdma watch                 which calls fail, and where\n",
	.run = cmd_rdma,
};
