/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's structs by which owner.bpf.h finds namespaces, users and cgroups of a process: partial, like those of
 * kern_min.h.
 */
#ifndef XPT_BPF_SEND_OWNER_TYPES_BPF_H
#define XPT_BPF_SEND_OWNER_TYPES_BPF_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	unsigned int val;
} kuid_t;

struct ns_common {
	unsigned int inum;
};

struct user_namespace___owner {
	struct user_namespace___owner *parent;
	int level;		/* 0: the first one */
	kuid_t owner;
	struct ns_common ns;
};

struct cred {
	struct user_namespace___owner *user_ns;
};

struct kernfs_iattrs {
	kuid_t ia_uid;
};

struct kernfs_node {
	unsigned long long id;		/* the low half is the inode's number */
	struct kernfs_iattrs *iattr;	/* NULL: it belongs to root, as from the begin */
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;	/* of version 2 */
};

struct cgroup_namespace {
	struct ns_common ns;
	struct user_namespace___owner *user_ns;	/* of its maker */
	struct css_set *root_cset;	/* the cgroup of its maker, which is the root of the namespace */
};

struct nsproxy {
	struct cgroup_namespace *cgroup_ns;
};

struct pid_namespace {
	struct user_namespace___owner *user_ns;	/* of its maker */
	struct ns_common ns;
};

struct upid___owner {
	struct pid_namespace *ns;
};

struct pid___owner {
	unsigned int level;	/* of the innermost namespace; 0: the first one */
	struct upid___owner numbers[1];
};

struct task_struct___owner {
	const struct cred *cred;
	struct pid___owner *thread_pid;
	struct nsproxy *nsproxy;
};

#pragma clang attribute pop

#endif
