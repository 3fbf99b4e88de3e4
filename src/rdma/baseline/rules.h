/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All errors that are known to be normal: those that are shipped (expected_errors.h), the
 * user's own from a file, and those that were learned from calls that succeeded in
 * spite of them. The user's word comes first, and can say that something is no
 * normal error after all.
 */
#ifndef XPT_RDMA_BASELINE_RULES_H
#define XPT_RDMA_BASELINE_RULES_H

#include "rdma/trace/chain.h"
#include "rdma/trace/trace.h"

enum xpt_rdma_rule_from { XPT_RDMA_SHIPPED, XPT_RDMA_OWN, XPT_RDMA_LEARNED };

enum {
	XPT_RDMA_MAX_OWN = 256,		/* lines of the user's file */
	XPT_RDMA_MAX_LEARNED = 512,
	XPT_RDMA_LEARN_AFTER = 3,	/* successful calls with the same error inside */
};

/* A line of the user's file: METHOD FUNCTION ERROR REASON; with '!' in front: no normal error. */
struct xpt_rdma_own {
	char method[64], function[64], reason[128];
	int code;		/* positive errno, 0: NULL or a "no" */
	bool never;
};

struct xpt_rdma_learned {
	char method[64], function[64];
	int code;
	uint64_t times, first_ns, last_ns;	/* wall times */
};

struct xpt_rdma_rules {
	struct xpt_rdma_own own[XPT_RDMA_MAX_OWN];
	struct xpt_rdma_learned learned[XPT_RDMA_MAX_LEARNED];
	unsigned nr_own, nr_learned, bad_lines;
	uint64_t evicted;	/* learned rules that were evicted for new ones */
};

struct xpt_rdma_rules *xpt_rdma_rules__new(void);	/* NULL: no memory; free() it */
/* Reads the user's file; one that is not there is empty. 0, -errno, -E2BIG. */
int xpt_rdma_rules__read(struct xpt_rdma_rules *rules, const char *path);
/*
 * Puts a line into that file, in place of those about the same three, else at its end; takes those away. All other
 * lines stay as they are: comments, order, lines that cannot be read. Returns 0, -errno, -EBUSY: another program
 * has it, -EINVAL: no plain file, -ENOENT: nothing to take away.
 */
int xpt_rdma_rules__put(const char *path, const struct xpt_rdma_own *own);
int xpt_rdma_rules__take(const char *path, const char *method, const char *function, int code);
/* "ENODATA", "61", "-61", "NULL", "ERESTARTSYS". 0, -EINVAL. */
int xpt_rdma_rules__code(const char *s, int *ret_code);
const char *xpt_rdma_code_name(int code, char *buf, size_t n);	/* "NULL" for 0 */
/*
 * Why an error is normal in any case: code as in xpt_rdma_own. NULL: it is not known to be.
 * *ret_from may be NULL.
 */
const char *xpt_rdma_rules__find(const struct xpt_rdma_rules *rules, const char *method,
				 const char *function, int code, enum xpt_rdma_rule_from *ret_from);
/* Of a node that failed; positive errno, 0 for NULL and "no". */
int xpt_rdma_node__code(const struct xpt_rdma_node *node);
/* A call succeeded though this happened inside. True: from now on it is known as normal. */
bool xpt_rdma_rules__learn(struct xpt_rdma_rules *rules, const char *method, const char *function,
			   int code, uint64_t wall_ns);

#endif
