/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ids of the functions of system calls on devices. They are given out here, at the first call of each; the engine
 * describes them when it sees them.
 */
#ifndef XPT_BPF_IOCTL_IOCTL_IDS_BPF_H
#define XPT_BPF_IOCTL_IOCTL_IDS_BPF_H

#include "bpf/ioctl/ioctl_hook.bpf.h"
#include "bpf/ioctl/ioctl_maps.bpf.h"

/*
 * The function id of a command. A command that was not seen before gets a new one; if two threads see it first at the
 * same time, one id is wasted. 0: no hook asks for this command, and only those of hooks are recorded.
 */
static __noinline __u32 id_of(const struct xpt_ioctl_key *key)
{
	__u32 *known = bpf_map_lookup_elem(&xpt_ioctl_ids, key), id, hook = 0;

	if (known)
		return *known;
	if (cfg.ioctl_hooks && key->call < XPT_IOCTL_WRITE) {
		hook = hook_of(key);
		if (cfg.ioctl_hooks == 2 && !hook)
			return 0;
	}
	if (xpt_ioctl_given >= XPT_IOCTL_FNS - 1)
		return 1;
	id = __sync_fetch_and_add(&xpt_ioctl_given, 1) + 2;
	if (id > XPT_IOCTL_FNS || bpf_map_update_elem(&xpt_ioctl_keys, &id, key, BPF_ANY))
		return 1;
	if (hook)
		set_hook(id, hook);
	bpf_map_update_elem(&xpt_ioctl_ids, key, &id, BPF_NOEXIST);
	known = bpf_map_lookup_elem(&xpt_ioctl_ids, key);
	return known ? *known : 1;
}

/*
 * The function id of a call of the kernel's RDMA interface. The engine gives ids to all calls that have a name before
 * the first one is made, so that a program that calls with arbitrary numbers cannot use up their ids.
 */
static __noinline __u32 uverbs_id_of(const struct xpt_ioctl_key *key)
{
	struct xpt_ioctl_key other = { .table = XPT_IOCTL_VERBS, .sub = XPT_IOCTL_ANY, .call = XPT_IOCTL_METHOD };
	__u32 *known = bpf_map_lookup_elem(&xpt_ioctl_ids, key);

	if (known)
		return *known;
	if (xpt_uverbs_unknown < XPT_UVERBS_FNS) {
		__sync_fetch_and_add(&xpt_uverbs_unknown, 1);
		return id_of(key);
	}
	known = bpf_map_lookup_elem(&xpt_ioctl_ids, &other);
	return known ? *known : 1;
}

static __always_inline void fill_uverbs(struct xpt_frame *f, const struct xpt_ioctl_args *a)
{
	struct xpt_ioctl_key key = { .table = a->table, .cmd = a->cmd, .sub = a->sub, .call = a->call };

	f->call.nr_vals = XPT_UVERBS_VALS;
	f->call.valid = 1 << XPT_IOCTL_VAL_DEVICE;
	f->call.rec.fn = uverbs_id_of(&key);
}

#endif
