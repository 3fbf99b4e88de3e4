/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the log of a job line by line, and takes away additions of others around the text of a program: terminal
 * colours, JSON of Docker and others, tags of mpirun and Ray, timestamps. Nothing in the log is trusted.
 */
#ifndef XPT_RDMA_TRACE_JOB_LOG_LOG_LINES_H
#define XPT_RDMA_TRACE_JOB_LOG_LOG_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rdma/trace/job_log/log_forms.h"

enum { XPT_RDMA_LOG_LINE = 65536 };	/* bytes of a line that are read; the rest is cut off */

struct xpt_rdma_log_lines {
	FILE *f;
	char *line;		/* ends with NUL, holds no other; may be changed until the next one */
	uint64_t number;	/* of the line, from 1 */
	uint64_t cut;		/* lines that were longer */
};

int xpt_rdma_log_lines__init(struct xpt_rdma_log_lines *l, FILE *f);	/* 0 or -ENOMEM; f stays the caller's */
void xpt_rdma_log_lines__free(struct xpt_rdma_log_lines *l);	/* zeroed is fine */
/* Reads the next line. False: the file ends here, or cannot be read (ferror). */
bool xpt_rdma_log_lines__next(struct xpt_rdma_log_lines *l);

/*
 * Replaces a line of JSON by the text of its "log", "message", "MESSAGE", "msg" or "line"; others stay as
 * they are. *ret_t: its "time" or "timestamp", as far as it comes before or right after the text.
 */
void xpt_rdma_log__open_json(char *line, struct xpt_rdma_log_time *ret_t);
/*
 * Returns the next part of a line that carriage returns and line feeds divide, without escape
 * sequences of terminals. *rest begins as the line. NULL: no part is left.
 */
char *xpt_rdma_log__part(char **rest);
/*
 * Returns where the text of the program begins in a part: after tags and timestamps. *tag gets their facts about
 * it; members that it has already stay where they have none.
 */
char *xpt_rdma_log__text(char *part, struct xpt_rdma_log_tag *tag);

#endif
