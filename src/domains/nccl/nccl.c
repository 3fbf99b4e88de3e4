// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * NCCL, libnccl: collective operations between devices and how communicators
 * come and go. Calls of libcuda happen inside them. docs/domains/nccl.md
 * explains the choices.
 */
#include "model/domain/domain.h"
#include "domains/nccl/nccl_sigs.h"

/* Sizes of ncclDataType_t 0 to 11, packed for XPT_BYTES_OF: 1 1 4 4 8 8 2 4 8 2 1 1 bytes. */
#define ELEMENTS 0x00079fa0
#define ID_BYTES 128	/* sizeof(ncclUniqueId) */

static const struct xpt_fn_row rows[] = {
#include "domains/nccl/rows.h"
};

static const struct xpt_result results[] = {
#include "domains/nccl/results.h"
};

static const struct xpt_sigs sigs = XPT_SIGS;

static const char *const libs[] = { "libnccl.so*", NULL };
static const char *const sonames[] = { "libnccl.so.2", NULL };
static const char *const catch_all[] = { "nccl*", NULL };

const struct xpt_domain xpt_domain_nccl = {
	.name = "nccl",
	.help = "NCCL (libnccl): collectives, communicators, point to point",
	.layer = XPT_LAYER_API,
	.on_by_default = true,
	.libs = libs,
	.sonames = sonames,
	.catch_all = catch_all,
	.catch_all_ret = XPT_RET_STATUS,
	XPT_TABLES,
	.sticky_loses = "communicator",
	.sigs = &sigs,
};
