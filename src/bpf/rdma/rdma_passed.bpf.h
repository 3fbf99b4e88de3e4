/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls that post and poll: counted at their entry, and not traced further. They
 * get no slot, so the functions below them are those of a thread that is in no call.
 */
#ifndef XPT_BPF_RDMA_RDMA_PASSED_BPF_H
#define XPT_BPF_RDMA_RDMA_PASSED_BPF_H

#include "bpf/rdma/rdma_device.bpf.h"

/* An ioctl that is a write command, as libibverbs makes it: the number comes first. */
#define DEVICE_OBJECT 0		/* UVERBS_OBJECT_DEVICE, include/uapi/rdma/ib_user_ioctl_cmds.h */
#define INVOKE_WRITE 0		/* UVERBS_METHOD_INVOKE_WRITE */
#define WRITE_CMD 2		/* UVERBS_ATTR_WRITE_CMD */

struct rdma_invoke {		/* struct ib_uverbs_ioctl_hdr with its first attribute */
	__u16 length, object, method, nr;
	__u64 reserved;
	__u32 driver, more;
	__u16 attr, size, flags, place;
	__u64 data;
};

_Static_assert(sizeof(struct rdma_invoke) == 40, "struct ib_uverbs_ioctl_hdr and struct ib_uverbs_attr");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, XPT_RDMA_COMMANDS);
	__type(key, __u32);
	__type(value, __u64);
} xpt_rdma_passed SEC(".maps");

/* A call whose header cannot be read yet, or is elsewhere, is a call like any other. */
static __always_inline bool rdma_passes(bool by_write, __u32 command, __u64 header)
{
	struct rdma_invoke h;
	__u64 *n;

	if (!by_write) {
		if (bpf_probe_read_user(&h, sizeof(h), (void *)header) || h.object != DEVICE_OBJECT ||
		    h.method != INVOKE_WRITE || !h.nr || h.attr != WRITE_CMD)
			return false;
		command = h.data < XPT_RDMA_COMMANDS ? (__u32)h.data : XPT_RDMA_COMMANDS;
	}
	if (command >= XPT_RDMA_COMMANDS || !(cfg.passed >> command & 1))
		return false;
	n = bpf_map_lookup_elem(&xpt_rdma_passed, &command);
	if (n)
		__sync_fetch_and_add(n, 1);
	return true;
}

#endif
