/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the owner of the current process, for shares (user.bpf.h, wire/user.h).
 */
#ifndef XPT_BPF_SEND_OWNER_BPF_H
#define XPT_BPF_SEND_OWNER_BPF_H

#include "bpf/kern_min.h"
#include "bpf/send/owner_types.bpf.h"
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include "wire/user.h"

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);		/* set by the engine, which fills it */
	__type(key, struct xpt_wire_subid);
	__type(value, __u32);
} xpt_subids SEC(".maps");

/* Returns the user whose subordinate id that is, or the id itself. */
static __always_inline __u32 xpt_user_of(__u32 uid)
{
	struct xpt_wire_subid key = { .bits = 32, .uid = bpf_htonl(uid) };
	__u32 *user = uid ? bpf_map_lookup_elem(&xpt_subids, &key) : NULL;

	return user ? *user : uid;
}

/*
 * Returns the outermost namespace of processes below the first one, or NULL in the first one. Neither a process nor its
 * children ever leave it: all namespaces of processes that they can make or enter are below it.
 */
static __always_inline struct pid_namespace *xpt_pids_of(struct task_struct___owner *task)
{
	struct pid___owner *pid = BPF_CORE_READ(task, thread_pid);
	struct pid_namespace *ns = NULL;

	if (pid && BPF_CORE_READ(pid, level) && bpf_core_field_exists(struct pid___owner, numbers))
		bpf_probe_read_kernel(&ns, sizeof(ns), (char *)pid + bpf_core_field_offset(struct pid___owner, numbers) +
				      bpf_core_type_size(struct upid___owner) + bpf_core_field_offset(struct upid___owner, ns));
	return ns;
}

/*
 * Returns the cgroup of the task's container: the root of its cgroup namespace, because root of a container may make
 * more cgroups below it. Cgroups that a user owns were delegated to him (systemd's Delegate=): then it is the nearest
 * one above that is root's.
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

/* Whether the task has a namespace of cgroups that root of the machine has made. */
static __always_inline bool xpt_has_cgroups(struct task_struct___owner *task)
{
	struct cgroup_namespace *ns = BPF_CORE_READ(task, nsproxy, cgroup_ns);
	__u32 inode = BPF_CORE_READ(ns, ns.inum);

	return inode && inode != XPT_FIRST_CGROUP_NS && !BPF_CORE_READ(ns, user_ns, level);
}

/*
 * Returns the owner of the current process (wire/user.h). A container comes first, whatever namespaces a process has
 * made for itself in there: a namespace of processes that root of the machine has made, or, for those in the first
 * one, a namespace of cgroups. A process in user namespaces counts for the user who has made the outermost one; that
 * of root is a container, too.
 */
static __always_inline __u64 xpt_owner(void)
{
	struct task_struct___owner *task = (struct task_struct___owner *)bpf_get_current_task();
	struct user_namespace___owner *ns = BPF_CORE_READ(task, cred, user_ns), *above;
	struct pid_namespace *pids = xpt_pids_of(task);
	__u32 uid = (__u32)bpf_get_current_uid_gid(), i;

	if (pids && !BPF_CORE_READ(pids, user_ns, level))
		return XPT_OWNER(0, BPF_CORE_READ(pids, ns.inum));
	if (xpt_has_cgroups(task))
		return XPT_OWNER(0, xpt_container(task));
	if (!BPF_CORE_READ(ns, level))
		return XPT_OWNER(xpt_user_of(uid), 0);
	for (i = 0; i < XPT_USER_NS_DEPTH && BPF_CORE_READ(ns, level) > 1; i++) {
		above = BPF_CORE_READ(ns, parent);
		ns = above;
	}
	uid = BPF_CORE_READ(ns, owner.val);
	return uid ? XPT_OWNER(xpt_user_of(uid), 0) : XPT_OWNER(0, BPF_CORE_READ(ns, ns.inum));
}

/* Returns the cgroup after which messages name the current process's container. */
static __always_inline __u32 xpt_cgroup_to_name(void)
{
	struct task_struct___owner *task = (struct task_struct___owner *)bpf_get_current_task();

	return xpt_has_cgroups(task) ? xpt_container(task) : (__u32)bpf_get_current_cgroup_id();
}

#endif
