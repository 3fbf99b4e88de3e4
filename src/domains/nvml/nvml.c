// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * NVML, libnvidia-ml: how nvidia-smi, monitoring agents and NCCL ask about
 * devices. Off by default, because most traces are about work and not about
 * watching it; docs/domains/nvml.md explains the choices.
 */
#include "model/domain.h"
#include "domains/nvml/nvml_sigs.h"

static const struct xpt_fn_row rows[] = {
#include "domains/nvml/rows.h"
};

static const struct xpt_result results[] = {
#include "domains/nvml/results.h"
};

static const struct xpt_sigs sigs = {
	.fns = sig_fns,
	.structs = sig_structs,
	.enums = sig_enums,
	.nr_fns = sizeof(sig_fns) / sizeof(sig_fns[0]),
	.nr_structs = sizeof(sig_structs) / sizeof(sig_structs[0]),
	.nr_enums = sizeof(sig_enums) / sizeof(sig_enums[0]),
};

static const char *const libs[] = { "libnvidia-ml.so*", NULL };
static const char *const sonames[] = { "libnvidia-ml.so.1", NULL };
static const char *const catch_all[] = { "nvml*", NULL };

const struct xpt_domain xpt_domain_nvml = {
	.name = "nvml",
	.help = "NVIDIA management library (libnvidia-ml): what monitoring asks",
	.layer = XPT_LAYER_API,
	.on_by_default = false,
	.libs = libs,
	.sonames = sonames,
	.catch_all = catch_all,
	.catch_all_ret = XPT_RET_STATUS,
	.rows = rows,
	.nr_rows = sizeof(rows) / sizeof(rows[0]),
	.results = results,
	.nr_results = sizeof(results) / sizeof(results[0]),
	.sigs = &sigs,
};
