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

struct pid;
struct files_struct;

struct signal_struct {
	atomic_t live;		/* threads that have not exited */
	struct pid *pids[4];	/* enum pid_type: [2] is the process group */
	struct mm_struct *oom_mm;	/* set when the kernel kills it for lack of memory */
};

struct xol_area {
	unsigned long vaddr;	/* where return probes lead */
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct mm_struct {
	unsigned long start_stack;
	struct uprobes_state uprobes_state;
};

struct thread_info {
	unsigned int status;
};

struct task_struct {
	struct thread_info thread_info;
	void *stack;		/* its lowest byte */
	unsigned int flags;
	int pid;		/* the thread */
	int tgid;		/* the process */
	int exit_code;
	unsigned long long start_time;
	unsigned long long self_exec_id;	/* one more with each exec */
	char comm[16];
	struct task_struct *group_leader;	/* the thread that the process is named after */
	struct mm_struct *mm;
	struct task_struct *real_parent;
	struct files_struct *files;
	struct signal_struct *signal;
};

struct user_namespace {
	int level;		/* 0: the first one */
};

struct file_system_type {
	const char *name;
};

struct super_block {
	unsigned int s_dev;
	unsigned long s_magic;
	struct file_system_type *s_type;
	struct user_namespace *s_user_ns;	/* of who has mounted it */
};

struct rb_root {
	void *rb_node;		/* NULL: the tree is empty */
};

struct rb_root_cached {
	struct rb_root rb_root;
};

struct address_space {
	struct rb_root_cached i_mmap;	/* all mappings of the file */
};

struct inode {
	struct address_space *i_mapping;
	unsigned long i_ino;
	long long i_size;
	unsigned short i_mode;
	unsigned int i_rdev;
	struct super_block *i_sb;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
};

struct vm_area_struct {
	struct file *vm_file;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct pt_regs___x86 {		/* as the kernel names them */
	unsigned long r10, r9, r8, dx, si, di, orig_ax, sp;
};

#pragma clang attribute pop

#endif
