/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The few kernel structures that the BPF programs read, as partial
 * declarations that libbpf relocates against the running kernel's BTF (CO-RE).
 * Only the named members are used, at whatever offset that kernel has them.
 */
#ifndef XPT_BPF_KERN_MIN_H
#define XPT_BPF_KERN_MIN_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;		/* threads that have not exited */
};

struct task_struct {
	int pid;		/* the thread */
	int tgid;		/* the process */
	int exit_code;
	char comm[16];
	struct task_struct *group_leader;	/* the thread that the process is named after */
	struct signal_struct *signal;
};

struct super_block {
	unsigned int s_dev;
};

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct file {
	struct inode *f_inode;
};

struct vm_area_struct {
	struct file *vm_file;
};

#pragma clang attribute pop

#endif
