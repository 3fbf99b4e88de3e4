/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the owner of the current process, for shares (user.bpf.h, wire/user.h). The structs are partial, like those
 * of kern_min.h.
 */
#ifndef XPT_BPF_SEND_OWNER_BPF_H
#define XPT_BPF_SEND_OWNER_BPF_H

#include "bpf/kern_min.h"
#include "wire/user.h"

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
	struct css_set *root_cset;	/* the cgroup of its maker, which is the root of the namespace */
};

struct nsproxy {
	struct cgroup_namespace *cgroup_ns;
};

struct task_struct___owner {
	const struct cred *cred;
	struct nsproxy *nsproxy;
};

#pragma clang attribute pop

/*
 * Returns the cgroup of the task's container, which root has made: the root of its cgroup namespace, because root of
 * a container may make more cgroups below it. Cgroups that a user owns were delegated to him (systemd's Delegate=):
 * then it is the nearest one above that is root's. 0: none.
 */
static __always_inline __u32 xpt_container(struct task_struct___owner *task)
{
	struct cgroup *group = BPF_CORE_READ(task, nsproxy, cgroup_ns, root_cset, dfl_cgrp);
	__u32 i;

	for (i = 0; i < XPT_CGROUP_DEPTH && group; i++) {
		if (!bpf_core_field_exists(struct kernfs_iattrs, ia_uid) ||
		    !BPF_CORE_READ(group, kn, iattr, ia_uid.val))
			break;
		group = BPF_CORE_READ(group, self.parent, cgroup);
	}
	return i < XPT_CGROUP_DEPTH ? (__u32)BPF_CORE_READ(group, kn, id) : XPT_DEEP_CGROUPS;
}

/*
 * Returns the owner of the current process (wire/user.h). A process in user namespaces counts for the user who has
 * made the outermost one. If no user has made one, a cgroup namespace other than the first one was made by root: it
 * is a container. So is a user namespace that root has made.
 */
static __always_inline __u64 xpt_owner(void)
{
	struct task_struct___owner *task = (struct task_struct___owner *)bpf_get_current_task();
	struct user_namespace___owner *ns = BPF_CORE_READ(task, cred, user_ns), *above;
	__u32 uid = (__u32)bpf_get_current_uid_gid(), cgroups, i;
	bool is_first = !BPF_CORE_READ(ns, level);

	for (i = 0; i < XPT_USER_NS_DEPTH && BPF_CORE_READ(ns, level) > 1; i++) {
		above = BPF_CORE_READ(ns, parent);
		ns = above;
	}
	if (!is_first)
		uid = BPF_CORE_READ(ns, owner.val);
	cgroups = BPF_CORE_READ(task, nsproxy, cgroup_ns, ns.inum);
	if (!cgroups || cgroups == XPT_FIRST_CGROUP_NS || (!is_first && uid))
		return XPT_OWNER(uid, is_first || uid ? 0 : BPF_CORE_READ(ns, ns.inum));
	return XPT_OWNER(0, xpt_container(task));	/* who is root in there may be any user */
}

#endif
