/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From the call graph to a plan: which functions below a method are worth a probe, and why the others are not. The
 * rules follow those known of Meta's RDMATracer: no reads, nothing inside pure kernel functions, no cleanup and no
 * reference counting, the machine's own driver only.
 */
#ifndef XPT_RDMA_PLAN_PRUNE_H
#define XPT_RDMA_PLAN_PRUNE_H

#include "rdma/graph/graph.h"

enum { XPT_RDMA_DEPTH = 5, XPT_RDMA_BUDGET = 64 };

struct xpt_rdma_limits {
	unsigned depth;		/* calls below the handler */
	unsigned budget;	/* probes for one method */
	unsigned kernel_minor;	/* version * 1000 + patch level: 6001 for 6.1 */
	bool all;		/* names (R4 to R6) and wrappers (R8) are no reason */
};

/* Why a function is kept or dropped. */
enum xpt_rdma_rule {
	XPT_RDMA_KEPT,		/* its result can be an error, or pass one on */
	XPT_RDMA_KEPT_ENTRY,	/* the system call's own functions, above the handler */
	XPT_RDMA_KEPT_ROOT,	/* the handler */
	XPT_RDMA_KEPT_CHOSEN,	/* a predicate whose answer is an error */
	XPT_RDMA_KEPT_BOUNDARY,	/* outside of the modules, returns rare errors or narrowed longs */
	XPT_RDMA_R1, XPT_RDMA_R2, XPT_RDMA_R3, XPT_RDMA_R4, XPT_RDMA_R5, XPT_RDMA_R5_LOOKUP,
	XPT_RDMA_R6, XPT_RDMA_R8_DEPTH, XPT_RDMA_R8_WRAPPER, XPT_RDMA_R_BUDGET, XPT_RDMA_NR_RULES,
};

/* Whether a name says that the function undoes something (rule R4). */
bool xpt_rdma_name__undoes(const char *fn);

/* How its exit can be seen. */
enum xpt_rdma_attach {
	XPT_RDMA_FEXIT,
	XPT_RDMA_KRETPROBE_BTF,		/* by name, since: no BTF */
	XPT_RDMA_KRETPROBE_ARGS,	/* more than six arguments, before 6.6 */
	XPT_RDMA_KRETPROBE_DOUBLE,	/* the name exists twice, before 6.4 */
	XPT_RDMA_KRETPROBE_VARARGS,
	XPT_RDMA_NR_ATTACHES,
};

struct xpt_rdma_step {
	uint32_t fn;
	uint16_t depth;		/* calls below the handler: 0 is the handler */
	uint8_t rule, attach;	/* enum xpt_rdma_rule, xpt_rdma_attach */
	bool narrowed;		/* its long result may become an int of its caller */
};

struct xpt_rdma_plan {
	uint32_t root;		/* index in the graph's roots */
	struct xpt_rdma_step *steps;	/* the closure: kept ones first, by depth, then by name */
	uint32_t nr, nr_kept, nr_fexit;	/* nr_kept: steps that are kept; of them by fexit */
	uint32_t nr_kernel;	/* steps outside of the modules */
	uint32_t nr_entry;	/* steps above the handler, part of nr_kept */
	uint32_t nr_sites, nr_resolved;	/* places of indirect calls */
	uint32_t before_r8, before_r8_fexit;	/* kept if depth, wrappers, budget were no reason */
};

/* Of the running kernel's release, "6.1.0-50-amd64" gives 6001; 0 if it is no version. */
unsigned xpt_rdma_version(const char *release);
/* -ENOMEM. */
int xpt_rdma_plan__make(const struct xpt_rdma_graph *g, uint32_t root,
			const struct xpt_rdma_limits *limits, struct xpt_rdma_plan **ret_plan);
void xpt_rdma_plan__free(struct xpt_rdma_plan *plan);	/* NULL is fine */
/*
 * Whether a user's word means this root: its name in any case (modify_qp,
 * REG_DMABUF_MR), its words in any order (create_qp is QP_CREATE as well), or a glob.
 */
bool xpt_rdma_root__matches(const struct xpt_rdma_graph *g, uint32_t root, const char *word);
/*
 * Whether a root posts or polls: adapters post and poll without the kernel, and a driver without an adapter is
 * called for each message. Then it is a write command below XPT_RDMA_COMMANDS.
 */
bool xpt_rdma_root__is_data_path(const struct xpt_rdma_graph *g, uint32_t root);
static inline bool xpt_rdma_rule__keeps(enum xpt_rdma_rule rule)
{
	return rule <= XPT_RDMA_KEPT_BOUNDARY;
}
const char *xpt_rdma_rule_name(enum xpt_rdma_rule rule);	/* "R3", "kept" */
const char *xpt_rdma_rule_text(enum xpt_rdma_rule rule);	/* for people */
const char *xpt_rdma_attach_name(enum xpt_rdma_attach attach);	/* "fexit", "kretprobe" */
const char *xpt_rdma_attach_text(enum xpt_rdma_attach attach);	/* why a kretprobe; "" */

#endif
