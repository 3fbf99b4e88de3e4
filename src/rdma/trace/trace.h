/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One method of the RDMA control path as it ran: which planned functions returned, their results, and their
 * callers. Whoever traces makes these; the store of good ones, the comparison and the reports read them, live and
 * from files.
 */
#ifndef XPT_RDMA_TRACE_TRACE_H
#define XPT_RDMA_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "rdma/graph/types.h"

#define XPT_RDMA_TRACE_META "rdma"	/* key of META records of a recording that hold a call as a line of JSON */

enum {
	XPT_RDMA_TRACE_NODES = 192,	/* of one trace at most; XPT_RDMA_TRACE_CUT if there were more */
	XPT_RDMA_TRACE_ARGS = 6,	/* words of a node: those in registers */
	XPT_RDMA_TRACE_LOG = 16,	/* lines of the kernel's log */
	XPT_RDMA_TRACE_EVENTS = 8,	/* asynchronous ones: of the device, and of the connection manager */
	XPT_RDMA_TRACE_UNPROBED = 4,	/* functions without a probe in which an error may have begun */
	XPT_RDMA_TRACE_UNWATCHED = 16,	/* functions of the method's plan without a probe; XPT_RDMA_TRACE_CUT: there were more */
};

enum {	/* of a node */
	XPT_RDMA_NODE_FAILED = 1,	/* its result is an error by its type, or a predicate's "no" */
	XPT_RDMA_NODE_EXPECTED = 2,	/* ... that is normal here; its reason is in node.why */
	XPT_RDMA_NODE_NARROWED = 4,	/* its caller handed on the low half of its result as errno */
	/* Not of the method's ordinary plan: watched for another one, or with a deeper plan. */
	XPT_RDMA_NODE_BEYOND = 8,
};

enum {	/* of trace.lock_known */
	XPT_RDMA_LOCK_LIMIT = 1, XPT_RDMA_LOCK_PINNED = 2,
	XPT_RDMA_LOCK_CAP = 4,		/* it has CAP_IPC_LOCK: no limit holds */
	XPT_RDMA_LOCK_NO_CAP = 8,
	XPT_RDMA_MEMORY_FREE = 16, XPT_RDMA_MEMORY_CMA = 32,	/* of the machine: memory_free; cma_total, cma_free */
};

enum {	/* of a trace */
	XPT_RDMA_TRACE_CUT = 1,		/* some returns did not fit */
	XPT_RDMA_TRACE_SLOW = 2,
	XPT_RDMA_TRACE_SAMPLED = 4,	/* sent as an example of a good one */
	XPT_RDMA_TRACE_POSITIVE = 16,	/* the kernel returned -ret: no errno, and no success */
	/* Returns of it are not known, or may not be: where an error began may be another function. */
	XPT_RDMA_TRACE_LOST = 32,
	XPT_RDMA_TRACE_DEEP = 8,	/* with the deeper plan of a method under suspicion */
};

/* A function that returned. Strings belong to the trace's maker and outlive it. */
struct xpt_rdma_node {
	const char *fn, *module;	/* as in kallsyms, suffix included; "kernel" outside of modules */
	const char *why;		/* EXPECTED: the reason; else NULL */
	uint16_t depth;			/* the root is 0; a child is one deeper than its parent */
	uint8_t ret_type;		/* enum xpt_rdma_ret */
	uint8_t flags;			/* XPT_RDMA_NODE_* */
	int64_t ret;			/* all 64 bits; an int is sign-extended */
	uint64_t exit_ns;		/* when it returned, after the root's start; 0: not known */
	uint8_t nr_args;
	const char *arg_name[XPT_RDMA_TRACE_ARGS];	/* from BTF; NULL: not known */
	uint64_t arg[XPT_RDMA_TRACE_ARGS];
};

struct xpt_rdma_asked_for;
struct xpt_rdma_firmware;
struct xpt_rdma_moved;

struct xpt_rdma_event {		/* an asynchronous one beside a call, see near_events.h */
	char name[24];			/* "PORT_ERR" */
	uint64_t number;		/* of the port or the queue pair */
	uint64_t before_end_ns;		/* of the call */
};

struct xpt_rdma_trace {
	const char *method, *object;	/* as in the plan; object "" for commands of write(2) */
	const char *shape;		/* by which calls of a method differ: "INIT>RTR"; "" if by nothing */
	const char *device, *driver, *driver_version;	/* "rxe0", "rdma_rxe", ""; "" if not known */
	const char *firmware_version;	/* of the device; "" if not known */
	/* Of a call that failed: the version of NVIDIA's driver, and its last Xid; "" or NULL if there is none. */
	const char *gpu_driver, *gpu_error;
	const char *driver_why, *firmware_why;	/* why a version is not known; "" or NULL if it is */
	const char *kernel;		/* uname -r */
	const char *host, *boot_id;	/* the machine, and which boot of it; "" or NULL in older files */
	const char *comm, *cgroup, *container;	/* of the process; "" if not known */
	const char *caller;		/* the library's call around it, "ibv_modify_qp"; "" if not traced */
	const char *outer;		/* ... and the call around that one, "ncclCommInitRank"; "" */
	const char *asked_name;		/* of a value that the program asked with: "fd"; "" or NULL if none is known */
	int64_t asked;
	const struct xpt_rdma_asked_for *asked_for;	/* of a call that failed; NULL: it has no struct with that */
	/* Of a call that got no memory: the process's limit and use of locked memory; XPT_RDMA_LOCK_*: the known ones. */
	uint64_t lock_limit, pinned;	/* bytes; UINT64_MAX: no limit */
	uint64_t memory_free, cma_total, cma_free;	/* and of the machine, bytes */
	uint32_t lock_known;
	uint32_t pid, tid, uid;
	uint32_t ns_pid, ns_tid;	/* in the process's own PID namespace; 0: not known */
	const char *ns_host;		/* the machine's name there; "" or NULL: as host, or not known */
	uint32_t flags;			/* XPT_RDMA_TRACE_* */
	uint64_t wall_ns;		/* when it began, since 1970 */
	uint64_t monotonic_ns;		/* the same on CLOCK_MONOTONIC of that boot; 0: not known, as in older files */
	uint64_t dur_ns;		/* of the root */
	int64_t ret;			/* of the root: 0 or the value that its route returns, or -errno */
	uint32_t nr, nr_log;
	const struct xpt_rdma_node *node;	/* in order of entry: a node, then all below it */
	/* Below the origin, in which the error may have begun as well; XPT_RDMA_BY_POINTER: one whose name is not known. */
	const char *const *unprobed;
	const uint32_t *unprobed_fn;	/* the same in the graph of the watch (XPT_RDMA_NONE: no name); NULL: of a file or a copy */
	uint32_t nr_unprobed;
	const char *const *unwatched;	/* functions of the method's ordinary plan that have no probe: they may have run unseen */
	uint32_t nr_unwatched;
	const struct xpt_rdma_event *events;	/* of a call that failed or was slow: of the device, shortly before its end */
	const struct xpt_rdma_moved *moved;	/* counters of the device around a call that failed; NULL: nobody looked */
	uint32_t nr_events, more_events;	/* more_events: that have no place there */
	const struct xpt_rdma_firmware *firmware;	/* the first command that it refused; NULL: none is known */
	const char *const *log;		/* lines of the kernel's log while it ran and shortly after */
};

/* Whether the value that the program asked with is known, and is that one. */
static inline bool xpt_rdma_asked(const struct xpt_rdma_trace *t, const char *name)
{
	return t->asked_name && !strcmp(t->asked_name, name);
}

/* In place of the name of a function that is called by a pointer of which nothing is known. */
#define XPT_RDMA_BY_POINTER "*"

/* The prefix of a driver_version that is the hash of a module's sources. */
#define XPT_RDMA_SRCVERSION "srcversion:"

static inline bool xpt_rdma_is_errno(int64_t v)
{
	return v < 0 && v >= -4095;
}

#endif
