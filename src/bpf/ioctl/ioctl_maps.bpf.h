/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Maps of the ioctl programs, and the contexts of their tracepoints. All sizes
 * are set by the engine; without --layers ioctl they stay at one entry.
 */
#ifndef XPT_BPF_IOCTL_IOCTL_MAPS_BPF_H
#define XPT_BPF_IOCTL_IOCTL_MAPS_BPF_H

#include "bpf/maps.bpf.h"
#include "bpf/stack.bpf.h"
#include "wire/ioctl.h"

/* Device -> enum xpt_ioctl_table. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);		/* set by the engine, as all below */
	__type(key, __u64);
	__type(value, __u32);
} xpt_ioctl_devices SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct xpt_ioctl_key);
	__type(value, struct xpt_ioctl_layout);
} xpt_ioctl_layouts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct xpt_ioctl_key);
	__type(value, __u32);
} xpt_ioctl_ids SEC(".maps");

/* Command, or a group of them (XPT_IOCTL_ANY) -> 1 + number of its hook. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct xpt_ioctl_key);
	__type(value, __u32);
} xpt_ioctl_hooks SEC(".maps");

/* Function id -> its key; written before the id is given out. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xpt_ioctl_key);
} xpt_ioctl_keys SEC(".maps");

__u32 xpt_ioctl_given = 0;	/* ids given out after the first */
__u32 xpt_uverbs_unknown = 0;	/* of those, to calls of the RDMA interface without a name */

struct xpt_tp_enter {		/* tracefs: events/syscalls/sys_enter_ioctl/format */
	__u64 common;
	__u32 nr, pad;
	__u64 arg[3];
};

struct xpt_tp_mmap {		/* the same with all that mmap has */
	__u64 common, nr;
	__u64 addr, len, prot, flags, fd, off;
};

struct xpt_tp_exit {
	__u64 common;
	__u32 nr, pad;
	__s64 ret;
};

/* Like the map of xpt_own_stack(): programs of different types cannot share such a map. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} xpt_nowhere_tp SEC(".maps");

#define xpt_own_stack_tp(ctx)                                                                      \
	do {                                                                                       \
		if (xpt_never)                                                                     \
			bpf_tail_call(ctx, &xpt_nowhere_tp, 0);                                    \
	} while (0)

/* The arguments of a system call. */
struct xpt_ioctl_args {
	__u32 call;		/* enum xpt_ioctl_call */
	__u32 fd;		/* of polls it is found out */
	__u64 file;		/* uverbs: struct file *, there is no fd; else 0 */
	__u32 table, sub;	/* uverbs: as in the key, with cmd */
	union {
		struct { __u64 arg; __u32 cmd; };
		struct { __u64 length, offset; __u32 prot, flags; };
		struct { __u64 fds, timeout; __u32 nfds, timespec; };
	};
};

#endif
