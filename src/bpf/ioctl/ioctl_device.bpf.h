/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the device of a system call: the device of its file or, for poll, the first watched device
 * among those of its first XPT_POLL_LOOK descriptors.
 */
#ifndef XPT_BPF_IOCTL_IOCTL_DEVICE_BPF_H
#define XPT_BPF_IOCTL_IOCTL_DEVICE_BPF_H

#include "bpf/ioctl/ioctl_maps.bpf.h"
#include "bpf/kern_min.h"

static __always_inline __u64 device_of_file(struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);
	__u64 dev = BPF_CORE_READ(inode, i_rdev);

	if (dev && (BPF_CORE_READ(inode, i_mode) & 0170000) == 0060000)
		dev |= XPT_IOCTL_BLOCK;
	return dev;
}

/* Returns the device of a descriptor, 0 if it has none. Reads may see a table that is
 * being replaced, and then see the files of a moment ago. */
static __always_inline __u64 device_of(struct task_struct *task, __u64 fd)
{
	struct fdtable *fdt = BPF_CORE_READ(task, files, fdt);
	struct file **fds = BPF_CORE_READ(fdt, fd), *file = NULL;

	if (fd >= BPF_CORE_READ(fdt, max_fds) ||
	    bpf_probe_read_kernel(&file, sizeof(file), fds + fd) || !file)
		return 0;
	return device_of_file(file);
}

static __always_inline __u32 table_of(__u64 dev)
{
	__u32 *table = bpf_map_lookup_elem(&xpt_ioctl_devices, &dev);

	if (!table) {
		dev |= XPT_IOCTL_ANY_MINOR;
		table = bpf_map_lookup_elem(&xpt_ioctl_devices, &dev);
	}
	return table ? *table : 0;
}

/* The table of a descriptor's device, and the device; 0: it is not watched. */
static __noinline __u32 table_of_fd(struct xpt_ioctl_args *a, __u64 *ret_dev)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 dev = device_of(task, a->fd);

	*ret_dev = dev;
	return dev ? table_of(dev) : 0;
}

/* The same for poll. Sets a->fd to the descriptor of the watched device that it found. */
static __always_inline __u32 table_of_polled(struct xpt_ioctl_args *a, __u64 *ret_dev)
{
	struct { __s32 fd; __u16 events, revents; } p;	/* struct pollfd */
	__u32 i, table;

	for (i = 0; i < XPT_POLL_LOOK && i < a->nfds; i++) {
		if (bpf_probe_read_user(&p, sizeof(p), (void *)(a->fds + i * sizeof(p))))
			return 0;
		a->fd = p.fd;
		table = p.fd < 0 ? 0 : table_of_fd(a, ret_dev);
		if (table)
			return table;
	}
	return 0;
}

/* The timeout of ppoll as poll has it. */
static __always_inline void read_timeout(struct xpt_ioctl_args *a)
{
	struct { __u64 s, ns; } t;

	if (!a->timespec)
		return;
	if (!a->timeout || bpf_probe_read_user(&t, sizeof(t), (void *)a->timeout))
		a->timeout = -1;
	else
		a->timeout = t.s * 1000 + (t.ns + 999999) / 1000000;
}

static __always_inline __u32 watched(struct xpt_ioctl_args *a, __u64 *ret_dev)
{
	__u32 table;

	if (a->file) {
		*ret_dev = device_of_file((struct file *)a->file);
		return a->table;
	}
	if (a->call != XPT_IOCTL_POLL)
		return table_of_fd(a, ret_dev);
	table = table_of_polled(a, ret_dev);
	if (table)
		read_timeout(a);
	return table;
}

#endif
