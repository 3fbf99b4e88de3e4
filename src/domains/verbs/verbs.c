// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The RDMA verbs, libibverbs: how a program opens devices, registers memory and
 * connects queue pairs. Posting and polling happen inside the program and are
 * no calls of the library; docs/domains/verbs.md explains the choices.
 */
#include "model/domain/domain.h"
#include "model/domain/expected.h"
#include "domains/verbs/verbs_sigs.h"

static const struct xpt_fn_row rows[] = {
#include "domains/verbs/rows.h"
};

static const struct xpt_result results[] = {
#include "domains/verbs/results.h"
};

static const struct xpt_expected expected[] = {
#include "domains/verbs/expected.h"
};

static const struct xpt_sigs sigs = XPT_SIGS;

static const char *const libs[] = { "libibverbs.so*", "libibverbs-*.so*", NULL };
static const char *const sonames[] = { "libibverbs.so.1", NULL };
static const char *const catch_all[] = { "ibv_*", "_ibv_*", NULL };

const struct xpt_domain xpt_domain_verbs = {
	.name = "verbs",
	.help = "RDMA verbs (libibverbs): devices, memory regions, queue pairs",
	.layer = XPT_LAYER_API,
	.on_by_default = true,
	.libs = libs,
	.sonames = sonames,
	.catch_all = catch_all,
	.catch_all_ret = XPT_RET_STATUS,
	XPT_TABLES,
	.expected = expected,
	.sigs = &sigs,
};
