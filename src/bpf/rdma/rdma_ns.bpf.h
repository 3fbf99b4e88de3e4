/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the current process in its own namespaces: numbers of process and thread, and the name of the
 * machine. Logs that it writes have these names. The structures are partial, as those of kern_min.h.
 */
#ifndef XPT_BPF_RDMA_RDMA_NS_BPF_H
#define XPT_BPF_RDMA_RDMA_NS_BPF_H

#include "bpf/kern_min.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "wire/rdma.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct upid {
	int nr;			/* in the namespace of that level */
};

struct pid___ns {
	unsigned int level;	/* of the innermost namespace; 0: the first one */
	struct upid numbers[1];
};

struct new_utsname {
	char nodename[65];
};

struct uts_namespace {
	struct new_utsname name;
};

struct nsproxy___ns {
	struct uts_namespace *uts_ns;
};

struct task_struct___ns {
	struct pid___ns *thread_pid;
	struct task_struct___ns *group_leader;
	struct nsproxy___ns *nsproxy;
};

#pragma clang attribute pop

/* Returns the number of a thread in its innermost PID namespace; 0: not known. */
static __always_inline __u32 rdma_ns_pid(struct task_struct___ns *task)
{
	struct pid___ns *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level), nr = 0;

	if (!pid || !bpf_core_field_exists(struct pid___ns, numbers))
		return 0;
	bpf_probe_read_kernel(&nr, sizeof(nr), (char *)pid + bpf_core_field_offset(struct pid___ns, numbers) +
			      (__u64)level * bpf_core_type_size(struct upid) + bpf_core_field_offset(struct upid, nr));
	return nr;
}

/* Fills in the names of the current process in its namespaces. */
static __always_inline void rdma_ns(struct xpt_wire_rdma_rec *r)
{
	struct task_struct___ns *task = (struct task_struct___ns *)bpf_get_current_task();
	struct uts_namespace *uts = BPF_CORE_READ(task, nsproxy, uts_ns);

	r->ns_tid = rdma_ns_pid(task);
	r->ns_tgid = rdma_ns_pid(BPF_CORE_READ(task, group_leader));
	r->ns_host[0] = '\0';
	if (uts)
		bpf_probe_read_kernel_str(r->ns_host, sizeof(uts->name.nodename), &uts->name.nodename);
}

#endif
