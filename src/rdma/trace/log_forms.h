/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads a line that a library of communication has logged: a failed call of libibverbs, a
 * completion with an error, or an asynchronous event; of NCCL, UCX and Mooncake.
 */
#ifndef XPT_RDMA_TRACE_LOG_FORMS_H
#define XPT_RDMA_TRACE_LOG_FORMS_H

#include <stdbool.h>
#include <stdint.h>

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
	char state[8];		/* CALL: what a queue pair should become, "RTR"; "" if that is not said */
	int code;		/* CALL: positive errno; 0: not known */
	unsigned attempt;	/* CALL: of a call that is tried again the number of this attempt; else 0 */
	unsigned status;	/* COMPLETION: enum ibv_wc_status */
	char text[200];		/* CALL: the message; EVENT: its type, "port error" */
};

/* Whether a line can be of one of the forms; few others can. For lines as they are in the file. */
bool xpt_rdma_log_form__is_possible(const char *line);
/*
 * text: of one line, without what is around it. pid: of its process if it is known otherwise.
 * False: another line. Texts in *ret_form control no terminal.
 */
bool xpt_rdma_log_form__parse(const char *text, uint32_t pid, struct xpt_rdma_log_form *ret_form);
/* "RETRY_EXC_ERR"; a status without a name as a number. Returns buf or a constant. */
const char *xpt_rdma_log_status(unsigned status, char *buf, unsigned n);

#endif
