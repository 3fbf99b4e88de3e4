/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the device of a file of ib_uverbs, or of an event, and its driver module. The engine provides the offsets of
 * members of the kernel's structs.
 */
#ifndef XPT_BPF_RDMA_RDMA_DEVICE_BPF_H
#define XPT_BPF_RDMA_RDMA_DEVICE_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "wire/rdma.h"

const volatile struct xpt_wire_rdma_cfg cfg = { 0 };

/* Reads a pointer at an offset of a struct; NULL if the offset is not known, or the pointer cannot be read. */
static __always_inline void *rdma_member(const void *p, __u32 offset)
{
	void *v = NULL;

	if (!p || offset == XPT_RDMA_NOWHERE ||
	    bpf_probe_read_kernel(&v, sizeof(v), (const char *)p + offset))
		return NULL;
	return v;
}

static __always_inline void rdma_name(char *to, const void *p, __u32 offset)
{
	to[0] = '\0';
	if (p && offset != XPT_RDMA_NOWHERE)
		bpf_probe_read_kernel_str(to, XPT_RDMA_NAME, (const char *)p + offset);
}

/* Names of a device and of the module that drives it. */
static __always_inline void rdma_device(struct xpt_wire_rdma_rec *r, const void *dev)
{
	rdma_name(r->device, dev, cfg.at.device_name);
	rdma_name(r->module, rdma_member(dev, cfg.at.device_owner), cfg.at.module_name);
}

#endif
