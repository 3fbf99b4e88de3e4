/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs for the kernel's RDMA interface: ioctl(2) and write(2) on /dev/infiniband/uverbs*, write(2) on rdma_cm.
 * They are on the functions of ib_uverbs and rdma_ucm, so that other system calls of the machine pay nothing, and by
 * kprobe, for a link by fentry would keep those modules from being unloaded. Part of call.bpf.c, whose ioctl_leave()
 * they call. Layouts are those of rdma/rdma_user_ioctl_cmds.h, rdma/ib_user_verbs.h and rdma/rdma_user_cm.h.
 */
#ifndef XPT_BPF_IOCTL_UVERBS_BPF_H
#define XPT_BPF_IOCTL_UVERBS_BPF_H

#include "bpf/arch.bpf.h"
#include "bpf/ioctl/ioctl.bpf.h"

#define RDMA_VERBS_IOCTL 0xc0181b01u	/* _IOWR(0x1b, 1, struct ib_uverbs_ioctl_hdr) */
#define UVERBS_ATTR_WRITE_CMD 2		/* of DEVICE_INVOKE_WRITE; rdma/ib_user_ioctl_cmds.h */
#define LOOK_ATTRS 8u			/* DEVICE_INVOKE_WRITE has three of its own, and those of the driver */
#define DATA_PATH (1ull << 21 | 1ull << 23 | 1ull << 28 | 1ull << 29 | 1ull << 36)	/* poll, notify, post */

/* Commands of rdma_cm whose returns have a probe, as bits. The one that waits for an event, as poll(2) does, has none. */
__u64 xpt_ucma_seen = 0;

struct uverbs_header {		/* struct ib_uverbs_ioctl_hdr */
	__u16 length, object, method, nr_attrs;
	__u64 reserved;
	__u32 driver, reserved2;
};

struct uverbs_attr {		/* struct ib_uverbs_attr */
	__u16 id, len, flags, reserved;
	__u64 data;
};

struct write_header {		/* struct ib_uverbs_cmd_hdr, struct rdma_ucm_cmd_hdr */
	__u32 command;
	__u16 in, out;
};

/* The command that the method DEVICE_INVOKE_WRITE stands for. */
static __always_inline bool find_command(struct xpt_ioctl_args *a, __u64 attrs, __u32 nr)
{
	struct uverbs_attr attr;
	__u32 i;

	for (i = 0; i < LOOK_ATTRS && i < nr; i++) {
		if (bpf_probe_read_user(&attr, sizeof(attr), (const void *)(attrs + i * sizeof(attr))))
			return false;
		if (attr.id != UVERBS_ATTR_WRITE_CMD)
			continue;
		a->call = XPT_IOCTL_WRITE;
		a->cmd = (__u32)attr.data;
		a->sub = 0;
		return true;
	}
	return false;
}

static __always_inline void read_method(struct xpt_ioctl_args *a, __u64 arg)
{
	struct uverbs_header h;

	a->sub = XPT_IOCTL_ANY;
	if (bpf_probe_read_user(&h, sizeof(h), (const void *)arg)) {
		xpt_lost(XPT_LOSS_READ_FAILED, 1);
		return;
	}
	a->sub = (__u32)h.method << 16 | h.object;
	if (h.object >= XPT_UVERBS_OF_DRIVER || h.method >= XPT_UVERBS_OF_DRIVER)
		a->cmd = h.driver;
	if (!a->sub)
		find_command(a, arg + sizeof(h), h.nr_attrs);
}

static __always_inline bool is_data_path(const struct xpt_ioctl_args *a)
{
	return a->call == XPT_IOCTL_WRITE && a->table == XPT_IOCTL_VERBS && a->cmd < 64 &&
	       DATA_PATH >> (a->cmd & 63) & 1;
}

SEC("?kprobe")
int xpt_uverbs_ioctl(struct pt_regs *ctx)
{
	struct xpt_ioctl_args a = { .call = XPT_IOCTL_METHOD, .table = XPT_IOCTL_VERBS };
	__u64 arg[8] = { 0 };

	xpt_reg_args(ctx, arg);
	if ((__u32)arg[1] != RDMA_VERBS_IOCTL)
		return 0;
	a.file = arg[0];
	read_method(&a, arg[2]);
	return is_data_path(&a) ? 0 : ioctl_enter(&a);
}

SEC("?kprobe")
int xpt_uverbs_write(struct pt_regs *ctx)
{
	struct xpt_ioctl_args a = { .call = XPT_IOCTL_WRITE, .table = XPT_IOCTL_VERBS };
	struct write_header h;
	__u64 arg[8] = { 0 };

	xpt_reg_args(ctx, arg);
	a.file = arg[0];
	a.cmd = XPT_IOCTL_ANY;	/* too short: the kernel refuses it */
	if (arg[2] >= sizeof(h)) {
		if (bpf_probe_read_user(&h, sizeof(h), (const void *)arg[1]))
			xpt_lost(XPT_LOSS_READ_FAILED, 1);
		else
			a.cmd = h.command;
	}
	return is_data_path(&a) ? 0 : ioctl_enter(&a);
}

/* A command that the kernel refuses before it calls the command's function is left out: no return would end it. */
SEC("?kprobe")
int xpt_ucma_write(struct pt_regs *ctx)
{
	struct xpt_ioctl_args a = { .call = XPT_IOCTL_WRITE, .table = XPT_IOCTL_CM };
	struct write_header h;
	__u64 arg[8] = { 0 };

	xpt_reg_args(ctx, arg);
	if (arg[2] < sizeof(h))
		return 0;
	if (bpf_probe_read_user(&h, sizeof(h), (const void *)arg[1])) {
		xpt_lost(XPT_LOSS_READ_FAILED, 1);
		return 0;
	}
	if (h.command >= 64 || !(xpt_ucma_seen >> (h.command & 63) & 1) || h.in + sizeof(h) > arg[2])
		return 0;
	a.file = arg[0];
	a.cmd = h.command;
	return ioctl_enter(&a);
}

/*
 * The return of the functions of uverbs, and of those of rdma_cm's commands: a thread is in one of them at a time. write(2)
 * returns the number of bytes on success.
 */
SEC("?kretprobe")
int xpt_uverbs_leave(struct pt_regs *ctx)
{
	__s64 ret = xpt_retval(ctx);

	return ioctl_leave(XPT_IOCTL_WRITE, ret > 0 ? 0 : ret);
}

#endif
