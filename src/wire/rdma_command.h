/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A command to an adapter's firmware that failed, as the driver's tracepoint
 * mlx5_cmd reports it. Part of a record of wire/rdma.h. Never stored.
 */
#ifndef XPT_WIRE_RDMA_COMMAND_H
#define XPT_WIRE_RDMA_COMMAND_H

#include <linux/types.h>

/*
 * Bytes of a text with its NUL. The longest in drivers/net/ethernet/mellanox/mlx5/core/cmd.c have 31 (commands) and
 * 34 letters (statuses).
 */
#define XPT_RDMA_COMMAND_TEXT 40

struct xpt_wire_rdma_command {
	__u32 nr;		/* that failed, this one the first; 0: none, and the rest is anything */
	__u32 syndrome;
	__u64 ns;		/* after the root's start; 0 outside of calls */
	__s32 err;		/* negative errno that the driver makes of the status */
	__u16 opcode, op_mod;
	__u8 status;
	__u8 pad[7];
	char name[XPT_RDMA_COMMAND_TEXT], text[XPT_RDMA_COMMAND_TEXT];
};

_Static_assert(sizeof(struct xpt_wire_rdma_command) == 32 + 2 * XPT_RDMA_COMMAND_TEXT, "command");

#endif
