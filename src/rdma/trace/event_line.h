/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lines among those of traces that are no calls: a process that had failed
 * calls has ended, a device told of an event, its firmware refused a command, calls were lost
 * (docs/format.md).
 */
#ifndef XPT_RDMA_TRACE_EVENT_LINE_H
#define XPT_RDMA_TRACE_EVENT_LINE_H

#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "rdma/trace/evidence/firmware.h"

enum xpt_rdma_other { XPT_RDMA_LINE_EXIT, XPT_RDMA_LINE_EVENT, XPT_RDMA_LINE_COMMAND, XPT_RDMA_LINE_LOST };

struct xpt_rdma_other_line {
	enum xpt_rdma_other kind;
	uint64_t wall_ns, number;	/* number: of the port or the queue pair; LOST: of calls */
	uint32_t pid;			/* EXIT */
	char name[32];			/* of the process, of the event */
	char device[64], driver[64];	/* EVENT */
	char host[65];			/* "" in files of older versions */
	struct xpt_rdma_firmware firmware;	/* COMMAND */
};

/* Appends a line with its end. this_machine: the process ran here; of a recording only its own lines say where. */
void xpt_rdma_exit__print(uint32_t pid, const char *comm, uint64_t wall_ns, bool this_machine, struct xpt_strbuf *sb);
/* The same of calls that were lost before wall_ns. */
void xpt_rdma_lost__print(uint64_t calls, uint64_t wall_ns, struct xpt_strbuf *sb);
/* 0, -ENOMSG: another kind of line, -EBADMSG, -ENOMEM. */
int xpt_rdma_other__parse(const char *line, size_t n, struct xpt_rdma_other_line *ret_line);

#endif
