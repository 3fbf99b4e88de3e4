// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Functions of the kernel that no driver's domain has: their names and types
 * are read from the running kernel, and their result is an errno.
 */
#include "model/domain/domain.h"

static const struct xpt_result results[] = {
#include "model/kernel/errnos.h"
};

const struct xpt_domain xpt_domain_kernel = {
	.name = "kernel",
	.help = "functions of the kernel (--kernel): found in the running one",
	.layer = XPT_LAYER_DRIVER,
	.on_by_default = false,
	.results = results,
	.nr_results = sizeof(results) / sizeof(results[0]),
};
