/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Derived from a trace alone: the tree of its functions, the result of each of them, and the way of an error from
 * the function that made it up to the system call.
 */
#ifndef XPT_RDMA_TRACE_CHAIN_H
#define XPT_RDMA_TRACE_CHAIN_H

#include <stddef.h>
#include "rdma/trace/trace.h"

enum { XPT_RDMA_NO_NODE = 0xffff };

/*
 * Where a node stands: below parent (XPT_RDMA_NO_NODE: the root), in the occ-th run
 * (from 0) of calls of its function there. Neighbours of one function are one run, so a
 * loop is one place.
 */
struct xpt_rdma_place_in {
	uint16_t parent, occ;
	uint16_t last;		/* the last node below it, or itself */
};

/* Fills t->nr places. */
void xpt_rdma_places(const struct xpt_rdma_trace *t, struct xpt_rdma_place_in *ret_places);
/*
 * The same as if nodes beyond the method's ordinary plan (XPT_RDMA_NODE_BEYOND) were not there: calls by them count
 * as calls by their caller. Comparable, whatever was watched.
 */
void xpt_rdma_plain_places(const struct xpt_rdma_trace *t, struct xpt_rdma_place_in *ret_places);
/* Equal but for the suffixes that compilers add to names: .isra.0, .part.1, .constprop.0, .cold */
bool xpt_rdma_same_fn(const char *a, const char *b);

/* The result of a function: a negative errno, or one of these. Stored: append only. */
enum xpt_rdma_outcome {
	XPT_RDMA_OK = 0, XPT_RDMA_NULL = 1, XPT_RDMA_NO = 2,	/* NO: false of a bool */
	XPT_RDMA_CUT_TO_INT = 3,	/* XPT_RDMA_NODE_NARROWED */
};

int xpt_rdma_node__outcome(const struct xpt_rdma_node *node);
/*
 * Whether it succeeded and was no cleanup: where a function was called and did well after a callee had failed, the
 * caller had put up with that failure. A function that fails after a failure that nobody put up with is rollback,
 * so the first of several equal errors is the origin.
 */
bool xpt_rdma_node__went_well(const struct xpt_rdma_node *node);
/* "ok", "NULL", "no", "cut to 32 bits", "-ENODATA" */
const char *xpt_rdma_outcome_text(int outcome, char *buf, size_t n);

enum xpt_rdma_link {
	XPT_RDMA_SAME,		/* the caller handed on the errno */
	XPT_RDMA_NARROWED,	/* ... the low 32 bits of its result as one */
	XPT_RDMA_OTHER,		/* ... another errno */
	XPT_RDMA_ANSWER,	/* ... an errno for its "no" or NULL */
};

enum { XPT_RDMA_CHAIN = 48 };

/* From the root down to where the error began. */
struct xpt_rdma_chain {
	unsigned nr;
	uint16_t node[XPT_RDMA_CHAIN];
	uint8_t link[XPT_RDMA_CHAIN];	/* enum xpt_rdma_link: how it came to the one before */
};

/* Of a trace that failed; nr is 0 if it did not, or has no nodes. */
void xpt_rdma_chain__find(const struct xpt_rdma_trace *t, struct xpt_rdma_chain *ret_chain);
/* The node where it began; NULL: nothing is known. */
const struct xpt_rdma_node *xpt_rdma_chain__origin(const struct xpt_rdma_trace *t,
						   const struct xpt_rdma_chain *chain);

#endif
