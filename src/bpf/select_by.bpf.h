/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Selection of processes: whether the current process has the name, the user and the cgroup. */
#ifndef XPT_BPF_SELECT_BY_BPF_H
#define XPT_BPF_SELECT_BY_BPF_H

#include "bpf/kern_min.h"
#include <bpf/bpf_core_read.h>
#include "bpf/maps.bpf.h"

const volatile struct xpt_bpf_names xpt_names = { 0 };

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, XPT_SELECT_CGROUPS);
	__type(key, __u32);
	__type(value, __u32);
} xpt_cgroups SEC(".maps");

/* Whether the name of the current process is one of those selected. */
static __always_inline bool name_holds(void)
{
	struct task_struct *task = (void *)bpf_get_current_task(), *leader;
	__u64 state = xpt_names.start;
	char comm[XPT_COMM_LEN] = { 0 };
	int i;

	leader = BPF_CORE_READ(task, group_leader);
	BPF_CORE_READ_STR_INTO(&comm, leader, comm);
	for (i = 0; i < XPT_COMM_LEN; i++) {
		__u8 c = comm[i];

		if (!c)
			break;
		state = (state & xpt_names.accept[c]) << 1 | (state & xpt_names.star);
	}
	return state & xpt_names.end;
}

/* Whether user and cgroup of the current process are those selected. */
static __always_inline bool limits_hold(void)
{
	__u32 i;

	if (cfg.select & XPT_SELECT_UID && (__u32)bpf_get_current_uid_gid() != cfg.uid)
		return false;
	if (!(cfg.select & XPT_SELECT_CGROUP))
		return true;
	for (i = 0; i < XPT_SELECT_CGROUPS; i++) {
		if (i >= cfg.nr_cgroups)
			break;
		if (bpf_current_task_under_cgroup(&xpt_cgroups, i) == 1)
			return true;
	}
	return false;
}

#endif
