/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the log of a job line by line, and takes away what others have put around the
 * text of a program: terminal colours, JSON of Docker, tags of mpirun and Ray, timestamps.
 * Nothing in the log is trusted.
 */
#ifndef XPT_RDMA_TRACE_LOG_LINES_H
#define XPT_RDMA_TRACE_LOG_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

/* Replaces a line of Docker's JSON by the text of its "log"; others stay as they are. */
void xpt_rdma_log__open_json(char *line);
/*
 * Returns the next part of a line that carriage returns and line feeds divide, without escape
 * sequences of terminals. *rest begins as the line. NULL: no part is left.
 */
char *xpt_rdma_log__part(char **rest);
/*
 * Returns where the text of the program begins in a part: after tags and timestamps.
 * *ret_pid: the process that Ray names in its tag, or 0.
 */
const char *xpt_rdma_log__text(const char *part, uint32_t *ret_pid);

#endif
