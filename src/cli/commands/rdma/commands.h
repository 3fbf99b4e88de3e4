/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The subcommands of `xputrace rdma`. cmd_rdma.c has the table of them.
 */
#ifndef XPT_CLI_COMMANDS_RDMA_COMMANDS_H
#define XPT_CLI_COMMANDS_RDMA_COMMANDS_H

#include "cli/opt.h"

extern const struct xpt_cmd xpt_rdma_cmd_plan, xpt_rdma_cmd_watch, xpt_rdma_cmd_diff,
	xpt_rdma_cmd_report, xpt_rdma_cmd_baseline, xpt_rdma_cmd_expected;

#endif
