/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device ioctls, mmaps and polls, and calls of the kernel's RDMA interface, as the BPF programs and the engine
 * see them: which devices are watched, the offsets of the fields that are read from an argument, and
 * the keys to which the BPF programs give function ids. None of this is stored in recordings, which
 * have ordinary functions of the layer ioctl.
 */
#ifndef XPT_WIRE_IOCTL_H
#define XPT_WIRE_IOCTL_H

#include <linux/types.h>

/* How a device's commands are read. */
enum xpt_ioctl_table {
	XPT_IOCTL_OTHER = 1,
	XPT_IOCTL_NVIDIA = 2,	/* /dev/nvidia0, nvidiactl */
	XPT_IOCTL_UVM = 3,	/* /dev/nvidia-uvm */
	XPT_IOCTL_VERBS = 4,	/* /dev/infiniband/uverbs0 */
	XPT_IOCTL_NVME = 5,	/* /dev/nvme0, nvme0n1, ng0n1 */
	XPT_IOCTL_CM = 6,	/* /dev/infiniband/rdma_cm: only commands that are written */
	XPT_IOCTL_TABLE__MAX
};

/* Function ids 1 to this belong to commands, if ioctls are traced; 1 is for those that
 * came when all others were taken. */
#define XPT_IOCTL_FNS 1024u
#define XPT_IOCTL_DEVICES 256u		/* watched devices and majors at most */
#define XPT_IOCTL_LAYOUTS 512u		/* struct xpt_ioctl_layout at most */
#define XPT_IOCTL_NAME_MAX 96u

/* Keys of devices: kind and dev_t as the kernel has it, 20 bits of minor. */
#define XPT_IOCTL_ANY_MINOR 0xfffffu
#define XPT_IOCTL_BLOCK (1ull << 32)

/* System calls on devices. */
enum xpt_ioctl_call {
	XPT_IOCTL_COMMAND = 0,
	XPT_IOCTL_MMAP = 1,
	XPT_IOCTL_POLL = 2,	/* poll and ppoll */
	XPT_IOCTL_WRITE = 3,	/* uverbs: a command, by write(2) or by the method that stands for it */
	XPT_IOCTL_METHOD = 4,	/* uverbs: a method of an object, by ioctl(2) */
	XPT_IOCTL_CALL__MAX
};

/* A command with its object or method, where the table has such. */
struct xpt_ioctl_key {
	__u32 table;
	/* WRITE: the command; METHOD: the driver that defines it, or 0; mmap and poll: 0. */
	__u32 cmd;
	__u32 sub;		/* of METHOD: object | method << 16 */
	__u32 call;		/* enum xpt_ioctl_call */
};

#define XPT_IOCTL_ANY 0xffffffffu	/* sub of a layout: whatever it is */
#define XPT_IOCTL_NONE 0xffffu		/* an offset: it has none */
/* cmd of a layout: a command without its direction; include/uapi/asm-generic/ioctl.h. */
#define XPT_IOCTL_CODE(type, nr, size) ((__u32)(size) << 16 | (__u32)(type) << 8 | (nr))
#define XPT_IOCTL_CODE_MASK 0x3fffffffu

/* Offsets in the struct that the argument points to; of size in the struct that ptr points to, if there is ptr. */
struct xpt_ioctl_layout {
	__u16 sub, ptr, size, status;
	__u8 sub_bytes;		/* 1, 2 or 4 */
	__u8 xfer;		/* 1: it holds the number, size and pointer of the real one */
	__u8 pad[2];
};

/* Captured values of a call, in this order; of an unknown layout those before OBJECT. */
enum {
	XPT_IOCTL_VAL_FD, XPT_IOCTL_VAL_DEVICE, XPT_IOCTL_VAL_CMD, XPT_IOCTL_VAL_ARG,
	XPT_IOCTL_VAL_OBJECT, XPT_IOCTL_VAL_SIZE, XPT_IOCTL_VAL_STATUS,
	XPT_IOCTL_VALS
};

/* The same of the other calls; the length is where commands have their size. */
enum {
	XPT_MMAP_VAL_PROT = XPT_IOCTL_VAL_DEVICE + 1, XPT_MMAP_VAL_FLAGS, XPT_MMAP_VAL_OFFSET,
	XPT_MMAP_VAL_LENGTH,
	XPT_MMAP_VALS
};

enum {
	XPT_POLL_VAL_NFDS = XPT_IOCTL_VAL_DEVICE + 1,
	XPT_POLL_VAL_TIMEOUT,	/* milliseconds, rounded up; -1: none */
	XPT_POLL_VALS
};

#define XPT_UVERBS_VALS (XPT_IOCTL_VAL_DEVICE + 1)	/* of WRITE and METHOD; the descriptor is never known */
#define XPT_UVERBS_FNS 256u	/* functions of calls that have a name, at most; and as many of unknown ones */

/* rdma/ib_user_ioctl_cmds.h and rdma/ib_user_ioctl_verbs.h: ids from here on are the driver's own. */
#define XPT_UVERBS_OF_DRIVER 0x1000u

#define XPT_POLL_LOOK 8u	/* descriptors that are looked at, from the first on */

_Static_assert(sizeof(struct xpt_ioctl_key) == 16, "ioctl key");
_Static_assert((int)XPT_MMAP_VAL_LENGTH == XPT_IOCTL_VAL_SIZE, "counted as bytes by the same place");
_Static_assert(sizeof(struct xpt_ioctl_layout) == 12, "ioctl layout");

#endif
