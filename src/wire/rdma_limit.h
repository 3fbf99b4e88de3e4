/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The number of returns of a call that are kept; counters of calls by method, and
 * limits on the number of calls of a kind that are sent. Part of wire/rdma.h.
 */
#ifndef XPT_WIRE_RDMA_LIMIT_H
#define XPT_WIRE_RDMA_LIMIT_H

#include <linux/types.h>

#define XPT_RDMA_FIRST 112u	/* returns of a call that are kept from its start, */
#define XPT_RDMA_LAST 16u	/* and the last ones: those nearest to the root. A power of two */
#define XPT_RDMA_ERRED 8u	/* of those between the ones that were the first to return their error */
#define XPT_RDMA_EXITS (XPT_RDMA_FIRST + XPT_RDMA_LAST + XPT_RDMA_ERRED)

/* How many of exit[] a record has; at most XPT_RDMA_EXITS, whatever it says. */
static inline __u32 xpt_rdma_nr_sent(__u32 nr, __u32 nr_erred)
{
	__u32 n = nr < XPT_RDMA_FIRST + XPT_RDMA_LAST ? nr : XPT_RDMA_FIRST + XPT_RDMA_LAST;

	if (!nr_erred)
		return n;
	return XPT_RDMA_FIRST + XPT_RDMA_LAST + (nr_erred < XPT_RDMA_ERRED ? nr_erred : XPT_RDMA_ERRED);
}

#define XPT_RDMA_GAP_NS 15625000ull	/* a process sends 64 bad calls of a kind a second, */
#define XPT_RDMA_ALL_GAP_NS 3906250ull	/* all processes together 256 */
#define XPT_RDMA_USER_GAP_NS 976562ull	/* a user 1,024 calls of all kinds, good ones too */
#define XPT_RDMA_BURST_NS 1000000000ull	/* and as many at once */
#define XPT_RDMA_METHODS 1024u	/* that are counted by themselves */

enum xpt_rdma_route_key { XPT_RDMA_KEY_WRITE, XPT_RDMA_KEY_IOCTL, XPT_RDMA_KEY_HANDLER, XPT_RDMA_ROUTES };

/* A method, as far as it is known there. */
struct xpt_wire_rdma_key {
	__u32 route;	/* enum xpt_rdma_route_key */
	__u32 id;	/* WRITE: command; IOCTL: object << 16 | method; HANDLER: function; XPT_RDMA_KEY_OTHERS */
};

#define XPT_RDMA_KEY_OTHERS 0xffffffffu	/* methods that found no place in the table, or no share of it */

struct xpt_wire_rdma_user {	/* one user's part of the shared limits */
	__u64 full_ns;		/* see struct xpt_wire_rdma_limit */
	__u32 methods, pad;	/* methods that he has added */
};

struct xpt_wire_rdma_method {
	__u64 calls, failed, slow, ns;
	__u64 sent, held;	/* held: failed or slow, but too many in a second */
};

#define XPT_RDMA_AFTER 8u	/* so many good calls after a failure are sent, */
#define XPT_RDMA_AFTER_NS 5000000000ull	/* of those within this time */
#define XPT_RDMA_SHAPE_ATTRIBUTES 0x100u	/* a modify_qp that wants no state */
#define XPT_RDMA_ERROR_SLOW 1	/* no error: the call was slow */

/* Calls that are alike. */
struct xpt_wire_rdma_kind {
	struct xpt_wire_rdma_key method;
	__u32 shape;	/* enum ib_qp_state + 1, XPT_RDMA_SHAPE_ATTRIBUTES, 0: all of the method */
	__u32 fn;	/* the first function that returned the call's errno; 0: not known */
	__s32 error;	/* negative errno; XPT_RDMA_ERROR_SLOW; 0: a good call */
	__u32 tgid;	/* 0: of all processes */
	__u64 device;	/* of good calls: address of the struct ib_uverbs_device; else 0 */
};

/* How many of them were sent. */
struct xpt_wire_rdma_limit {
	__u64 full_ns, last_ns;	/* when the bucket is full again; when the last one was sent */
	__u64 calls, held;	/* calls: good ones; held: too many in a second */
};

struct xpt_wire_rdma_count {	/* of a function, on a CPU */
	__u64 calls, errors;
};

struct xpt_wire_rdma_errno {
	__u32 fn;
	__s32 code;	/* negative; 0: a predicate's no */
};

#endif
