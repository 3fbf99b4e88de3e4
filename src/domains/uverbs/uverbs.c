// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls of the kernel's RDMA interface: methods and commands of uverbs and rdma_cm. This domain has no library. The
 * functions below these calls belong to the domain `rdma`. Names are in domains/ioctl; functions are made while a
 * trace runs.
 */
#include "model/domain/domain.h"
#include "model/domain/expected.h"

static const struct xpt_result results[] = {
#include "model/kernel/errnos.h"
};

static const struct xpt_expected expected[] = {
#include "domains/uverbs/expected.h"
};

const struct xpt_domain xpt_domain_uverbs = {
	.name = "uverbs",
	.help = "calls into the kernel's RDMA interface (-d uverbs): which failed, by method and errno",
	.layer = XPT_LAYER_IOCTL,
	.on_by_default = false,
	.results = results,
	.nr_results = sizeof(results) / sizeof(results[0]),
	.expected = expected,
};
