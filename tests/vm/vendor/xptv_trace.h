/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A tracepoint with the name and the arguments of the one by which the driver
 * mlx5_core tells of commands that the firmware refused. Read several times, as
 * the kernel wants it; not for the folder's other files but firmware.c.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mlx5

#if !defined(XPTV_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define XPTV_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(mlx5_cmd,
	TP_PROTO(const char *command_str, u16 opcode, u16 op_mod, const char *status_str, u8 status,
		 u32 syndrome, int err),
	TP_ARGS(command_str, opcode, op_mod, status_str, status, syndrome, err),
	TP_STRUCT__entry(__field(u16, opcode) __field(u8, status) __field(u32, syndrome)),
	TP_fast_assign(
		__entry->opcode = opcode;
		__entry->status = status;
		__entry->syndrome = syndrome;
	),
	TP_printk("0x%x: 0x%x, 0x%x", __entry->opcode, __entry->status, __entry->syndrome)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE xptv_trace
#include <trace/define_trace.h>
