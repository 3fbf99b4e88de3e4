// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Functions of NVIDIA's kernel modules, open and proprietary: entries from
 * programs, and those that open devices, bring pages and handle interrupts.
 * Names are those of the open modules' public sources; which of them a module
 * has depends on its version, and the proprietary one shows those of its open
 * part only.
 */
#include "model/domain/domain.h"

static const char *const modules[] = { "nvidia", "nvidia_uvm", "nvidia_modeset", "nvidia_drm",
				       "nvidia_peermem", NULL };

static const struct xpt_fn_row rows[] = {
#include "domains/nvidia_driver/rows.h"
};

/* Errnos, and above 0 the status codes (NV_STATUS) that are seen most. */
static const struct xpt_result results[] = {
#include "model/kernel/errnos.h"
#include "domains/nvidia_driver/results.h"
};

const struct xpt_domain xpt_domain_nvidia_driver = {
	.name = "nvidia_driver",
	.help = "functions of NVIDIA's kernel modules (--layers driver)",
	.layer = XPT_LAYER_DRIVER,
	.on_by_default = false,
	.libs = modules,
	.rows = rows,
	.nr_rows = sizeof(rows) / sizeof(rows[0]),
	.results = results,
	.nr_results = sizeof(results) / sizeof(results[0]),
};
