/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Values that distinguish a question from a failure, as the program wrote them: read when the call
 * begins, since returns that have them may be missed.
 */
#ifndef XPT_BPF_RDMA_RDMA_ASKED_BPF_H
#define XPT_BPF_RDMA_RDMA_ASKED_BPF_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "wire/rdma.h"

/* include/uapi/rdma/ib_user_ioctl_cmds.h, rdma_user_ioctl_cmds.h */
#define OBJECT_QP 4
#define OBJECT_MR 7
#define METHOD_QP_CREATE 0
#define METHOD_REG_DMABUF_MR 4
#define ATTR_CREATE_QP_CAP 8		/* struct ib_uverbs_qp_cap, of which the fifth word is the inline size */
#define ATTR_REG_DMABUF_MR_FD 5
#define ATTRS 16
#define HEADER_BYTES 24		/* struct ib_uverbs_ioctl_hdr; the attributes follow */
#define VERBS_IOCTL 0xc0181b01u	/* RDMA_VERBS_IOCTL */

struct user_attr {	/* struct ib_uverbs_attr */
	__u16 id, len, flags, more;
	__u64 data;
};

/* Reads the request of a call that may be a library's question: values that distinguish a question from a failure. */
static __always_inline void rdma_asked_of_ioctl(struct xpt_wire_rdma_rec *r, __u64 header)
{
	__u16 h[4] = { 0 };	/* length, object, method, attributes: struct ib_uverbs_ioctl_hdr */
	bool fd, cap;
	struct user_attr a;
	__u32 i, size = 0;

	if (bpf_probe_read_user(h, sizeof(h), (void *)header))
		return;
	fd = h[1] == OBJECT_MR && h[2] == METHOD_REG_DMABUF_MR;
	cap = h[1] == OBJECT_QP && h[2] == METHOD_QP_CREATE;
	if (!fd && !cap)
		return;
	for (i = 0; i < ATTRS && i < h[3]; i++) {
		if (bpf_probe_read_user(&a, sizeof(a), (void *)(header + HEADER_BYTES + i * sizeof(a))))
			return;
		if (fd && a.id == ATTR_REG_DMABUF_MR_FD)
			r->value = XPT_RDMA_ASKED_FD | (__u32)a.data;
		if (cap && a.id == ATTR_CREATE_QP_CAP &&
		    !bpf_probe_read_user(&size, sizeof(size), (void *)(a.data + 16)))
			r->value = XPT_RDMA_ASKED_INLINE | size;
	}
}

/* max_inline_data of struct ib_uverbs_ex_create_qp */
static __always_inline void rdma_asked_of_command(struct xpt_wire_rdma_rec *r, __u64 command)
{
	__u32 size = 0;

	if (!bpf_probe_read_kernel(&size, sizeof(size), (void *)(command + 40)))
		r->value = XPT_RDMA_ASKED_INLINE | size;
}

/*
 * Copies the struct with the request that a failed function got; of several structs the one with the most
 * information.
 */
static __always_inline void rdma_asked_struct(struct xpt_wire_rdma_rec *r, const struct xpt_wire_rdma_asks *asks,
					      const struct xpt_wire_rdma_exit *e)
{
	struct xpt_wire_rdma_asked *a = &r->asked;
	__u32 len = asks->len, arg = asks->arg, mask = asks->mask;

	if (asks->kind <= a->kind || len > XPT_RDMA_ASKED_BYTES || arg >= XPT_RDMA_REGS || mask >= XPT_RDMA_REGS)
		return;
	a->kind = asks->kind;
	a->at = e->arg[arg];
	a->mask = (__u32)e->arg[mask];
	a->len = bpf_probe_read_kernel(a->data, len, (void *)e->arg[arg]) ? 0 : (__u16)len;
}

#endif
