/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A struct with a program's request, as it was when the function that got it failed. Part of a record of
 * wire/rdma.h. Never stored.
 */
#ifndef XPT_WIRE_RDMA_ASKED_H
#define XPT_WIRE_RDMA_ASKED_H

#include <linux/types.h>

#define XPT_RDMA_ASKED_BYTES 256u	/* struct ib_qp_attr of Linux 7.2 has 192 */

/* Kinds in ascending order of information: of several structs of a call, the one of the last kind is kept. */
enum xpt_rdma_asked_kind {
	XPT_RDMA_ASKED_NOTHING,
	XPT_RDMA_ASKED_AH,	/* struct rdma_ah_attr */
	XPT_RDMA_ASKED_USER,	/* struct ib_uverbs_ex_modify_qp, as the program wrote it */
	XPT_RDMA_ASKED_QP,	/* struct ib_qp_attr */
	XPT_RDMA_NR_ASKED,
};

struct xpt_wire_rdma_asked {
	__u64 at;		/* its address */
	__u32 mask;		/* QP: attributes that are to be changed */
	__u16 len;		/* bytes of data[]; 0: it could not be read */
	__u8 kind, pad;		/* enum xpt_rdma_asked_kind; NOTHING: the rest is anything */
	__u8 data[XPT_RDMA_ASKED_BYTES];
};

/* Which argument of a function is such a struct. */
struct xpt_wire_rdma_asks {
	__u8 kind, arg, mask, pad;	/* mask: QP: the argument that is its mask */
	__u16 len, more_pad;		/* bytes of the struct, at most XPT_RDMA_ASKED_BYTES */
};

_Static_assert(sizeof(struct xpt_wire_rdma_asked) == 16 + XPT_RDMA_ASKED_BYTES, "asked");

#endif
