// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls of the kernel's RDMA interface, by method: `create_cq`, `modify_qp
 * INIT>RTR`. They are found in the running kernel (src/rdma), and their result
 * is an errno. The one row has the values of each of them.
 */
#include "model/domain/domain.h"

static const struct xpt_result results[] = {
#include "model/kernel/errnos.h"
};

#define TEXT(role, name) { { XPT_CAP_STR, 0, 8, XPT_ROLE_##role, 0 }, name }

static const struct xpt_fn_row rows[] = {
	XPT_FN("method", OTHER, TEXT(NAME, "device"), TEXT(ORIGIN, "origin"), TEXT(CAUSE, "cause"),
		TEXT(ADVICE, "advice")),
};

const struct xpt_domain xpt_domain_rdma = {
	.name = "rdma",
	.help = "RDMA calls in the kernel (-d rdma, --layers rdma): what failed there, and why",
	.layer = XPT_LAYER_DRIVER,
	.on_by_default = false,
	XPT_TABLES,
};
