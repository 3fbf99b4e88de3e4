/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors that are no failures: a library asks whether the kernel can do
 * something, an optional attribute is absent, a scan finds an empty slot. Known
 * by method, function and errno; an errno alone is both normal and fatal.
 */
#ifndef XPT_RDMA_PLAN_EXPECTED_ERRORS_H
#define XPT_RDMA_PLAN_EXPECTED_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

/* Conditions beyond method, function and code. */
enum xpt_rdma_condition {
	XPT_RDMA_ALWAYS,
	XPT_RDMA_IF_NO_FD,	/* the program named the descriptor -1 */
	XPT_RDMA_IF_RETRIED,	/* the thread does it again, and that succeeds */
	XPT_RDMA_IF_SMALLER,	/* ... with a smaller inline size */
	XPT_RDMA_IF_GOES_ON,	/* another call of the thread succeeds that destroys nothing */
};

/* Patterns with * and ?, several separated by '|'. */
struct xpt_rdma_expected {
	const char *method;	/* "" : below no method (tasklets, netlink) */
	const char *function;
	int code;		/* positive errno; 0: the result is NULL */
	const char *reason;
	enum xpt_rdma_condition condition;
};

/* Methods that destroy: such a pattern. */
extern const char xpt_rdma_destroys[];

extern const struct xpt_rdma_expected xpt_rdma_expected[];
extern const size_t xpt_rdma_nr_expected;

/* Whether one of the patterns, separated by '|', fits s. "" fits "" alone. */
bool xpt_rdma_one_of(const char *patterns, const char *s);
/* Whether a row is about this method and function, whatever was returned. */
bool xpt_rdma_expected__about(const struct xpt_rdma_expected *row, const char *method,
			      const char *function);
/*
 * Returns the first row for a result of a function below a method (its name in the kernel, "" for none), or NULL:
 * code is 0 for NULL, else a positive errno.
 */
const struct xpt_rdma_expected *xpt_rdma_expected__find(const char *method, const char *function,
							int code);

#endif
