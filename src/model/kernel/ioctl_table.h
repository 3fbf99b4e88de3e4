/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables of device ioctls: commands by type of device, the layout of a
 * command's argument, and the drivers whose devices are watched. The domain
 * `ioctl` has them; the engine and the pipeline look names up here.
 */
#ifndef XPT_MODEL_KERNEL_IOCTL_TABLE_H
#define XPT_MODEL_KERNEL_IOCTL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire/ioctl.h"

struct xpt_ioctl_name {
	uint32_t code;
	const char *name;
};

/* The objects, methods or opcodes that one command names. */
struct xpt_ioctl_subs {
	uint32_t code;
	const struct xpt_ioctl_name *names;
	size_t nr;
};

struct xpt_ioctl_set {		/* of one enum xpt_ioctl_table */
	const char *name;	/* "nvidia": as in --device PATH=nvidia */
	uint32_t mask;		/* of a command, before it is looked up */
	const struct xpt_ioctl_name *cmds;	/* sorted by code, as names of subs are */
	size_t nr_cmds;
	const struct xpt_ioctl_subs *subs;
	size_t nr_subs;
	const struct xpt_ioctl_name *writes;	/* commands of write(2), as calls of the domain uverbs */
	size_t nr_writes;
	/* Methods of uverbs, by the driver that defines them; key: object | method << 16. */
	const struct xpt_ioctl_subs *methods;
	size_t nr_methods;
};

struct xpt_ioctl_row {
	struct xpt_ioctl_key key;	/* cmd: XPT_IOCTL_CODE; sub: one, or XPT_IOCTL_ANY */
	struct xpt_ioctl_layout layout;
};

struct xpt_ioctl_driver {
	const char *name;	/* in /proc/devices */
	uint8_t table;		/* enum xpt_ioctl_table */
};

struct xpt_ioctls {
	const struct xpt_ioctl_set *sets;	/* by table; the first is not used */
	const struct xpt_ioctl_row *rows;
	size_t nr_rows;
	const struct xpt_ioctl_driver *drivers;	/* of character devices */
	size_t nr_drivers;
	const struct xpt_ioctl_key *sched;	/* requests to a scheduler; cmd is masked */
	size_t nr_sched;
	const char *statuses;	/* names of the values of XPT_IOCTL_VAL_STATUS, see sig.h */
};

/* "ioctl:NV_ESC_RM_ALLOC:NV01_MEMORY_LOCAL_USER", "ioctl(0xc020462a)", "mmap:nvidia", "QP_CREATE". Returns buf. */
char *xpt_ioctl__name(const struct xpt_ioctls *t, const struct xpt_ioctl_key *key, char *buf,
		      size_t n);
/* The i-th call of the RDMA interface that has a name. False: there are no more. */
bool xpt_ioctl__uverbs(const struct xpt_ioctls *t, size_t i, struct xpt_ioctl_key *ret_key);
/* enum xpt_class: SCHED for requests to the device's scheduler; MAP of mmap, OTHER of poll; else IOCTL. */
uint8_t xpt_ioctl__class(const struct xpt_ioctls *t, const struct xpt_ioctl_key *key);
/* Whether calls of that command have all XPT_IOCTL_VALS values. */
bool xpt_ioctl__has_layout(const struct xpt_ioctls *t, uint32_t table, uint32_t cmd);
/* How a command is put together: "_IOWR('F',42,32)". False: it is just a number. */
bool xpt_ioctl__code_text(uint64_t cmd, char *buf, size_t n);
/* The table of that name; 0: none. */
uint32_t xpt_ioctl__table(const struct xpt_ioctls *t, const char *name);

/* The key of a device in the tables of the BPF programs, by st_mode and st_rdev of stat(2). */
uint64_t xpt_ioctl_device_key(unsigned mode, uint64_t rdev);

#endif
