/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The facts in a message of a job's log, and a text whose messages are read one after the other. */
#ifndef XPT_RDMA_TRACE_JOB_LOG_LOG_FORM_H
#define XPT_RDMA_TRACE_JOB_LOG_LOG_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "rdma/trace/job_log/log_time.h"

enum xpt_rdma_log_kind {
	XPT_RDMA_LOG_CALL,
	XPT_RDMA_LOG_COMPLETION,
	XPT_RDMA_LOG_EVENT,
};

struct xpt_rdma_log_form {
	enum xpt_rdma_log_kind kind;
	char host[65];		/* as the program says; "" if the line has none */
	uint32_t pid, tid;	/* as the program sees them; 0 if the line has none */
	char verb[48];		/* CALL: "ibv_reg_dmabuf_mr" */
	char state[8];		/* CALL: the new state of a queue pair, "RTR"; "" if it is not given */
	int code;		/* CALL: positive errno; 0: not known */
	uint32_t syndrome;	/* CALL: of the firmware; 0: not known */
	unsigned attempt;	/* CALL: of a call that is tried again the number of this attempt; else 0 */
	unsigned status;	/* COMPLETION: enum ibv_wc_status */
	struct xpt_rdma_log_time when;
	char text[200];		/* CALL: the message; EVENT: its type, "port error" */
};

struct xpt_rdma_log_tag {	/* facts about its program, put around a text by others */
	uint32_t pid;		/* 0: nothing */
	struct xpt_rdma_log_time when;
};

struct xpt_rdma_log_scan {	/* a text whose messages are read one after the other */
	char *rest, *stop;	/* stop: the end of the text */
	char *end;		/* of the segment that the rest begins with, which is not looked for again in it; see log_forms.c */
	bool has_library;	/* a message in that segment names its library */
	uint64_t searched;	/* bytes in which ends of segments were looked for, in all */
	struct xpt_rdma_log_tag tag;
	bool is_nvshmem;	/* the rest may have messages of NVSHMEM */
	int status;		/* that NVSHMEM has for its next message */
	unsigned nr_marks;	/* of statuses that no message has used; they may be of pieces that were mixed */
	bool is_mixed;		/* these differ: nobody knows which is whose */
};

#endif
