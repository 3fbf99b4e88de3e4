// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * NVML, libnvidia-ml: how nvidia-smi, monitoring agents and NCCL ask about
 * devices. Off by default, because most traces are about work and not about
 * watching it; docs/domains/nvml.md explains the choices.
 */
#include "model/domain/domain.h"
#include "model/domain/expected.h"
#include "domains/nvml/nvml_sigs.h"

static const struct xpt_fn_row rows[] = {
#include "domains/nvml/rows.h"
};

static const struct xpt_result results[] = {
#include "domains/nvml/results.h"
};

static const struct xpt_expected expected[] = {
#include "domains/nvml/expected.h"
};

static const struct xpt_sigs sigs = XPT_SIGS;

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
	XPT_TABLES,
	.sticky_loses = "device",
	.sigs = &sigs,
	.expected = expected,
};
