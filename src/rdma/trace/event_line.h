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
#include "rdma/trace/moment.h"

enum xpt_rdma_other { XPT_RDMA_LINE_EXIT, XPT_RDMA_LINE_EVENT, XPT_RDMA_LINE_COMMAND, XPT_RDMA_LINE_LOST };

struct xpt_rdma_other_line {
	enum xpt_rdma_other kind;
	uint64_t wall_ns, number;	/* number: of the port or the queue pair; LOST: of calls */
	uint32_t pid;			/* EXIT */
	char name[32];			/* of the process, of the event */
	char device[64], driver[64];	/* EVENT */
	char host[65], boot_id[37];	/* "" in files of older versions */
	uint64_t monotonic_ns;		/* as in struct xpt_rdma_moment; 0 in files of older versions */
	struct xpt_rdma_firmware firmware;	/* COMMAND */
};

/* Appends the members of a moment beside the wall time, as far as they are known: ,"monotonic_ns":... */
void xpt_rdma_moment__print(const struct xpt_rdma_moment *at, struct xpt_strbuf *sb);
/* Appends a line with its end. Of a recording only its lines of calls say where the process ran. */
void xpt_rdma_exit__print(uint32_t pid, const char *comm, const struct xpt_rdma_moment *at, struct xpt_strbuf *sb);
/* The same of calls that were lost before that moment. */
void xpt_rdma_lost__print(uint64_t calls, const struct xpt_rdma_moment *at, struct xpt_strbuf *sb);
/* The moment refers to the line's texts. */
struct xpt_rdma_moment xpt_rdma_other__moment(const struct xpt_rdma_other_line *line);
/* 0, -ENOMSG: another kind of line, -EBADMSG, -ENOMEM. */
int xpt_rdma_other__parse(const char *line, size_t n, struct xpt_rdma_other_line *ret_line);

#endif
