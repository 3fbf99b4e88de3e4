/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks on ioctls: which one a command has that is seen for the first time.
 */
#ifndef XPT_BPF_IOCTL_IOCTL_HOOK_BPF_H
#define XPT_BPF_IOCTL_IOCTL_HOOK_BPF_H

#include "bpf/ioctl/ioctl_maps.bpf.h"

static __always_inline __u32 hook_at(struct xpt_ioctl_key *k, __u32 cmd, __u32 sub)
{
	__u32 *hook;

	k->cmd = cmd;
	k->sub = sub;
	hook = bpf_map_lookup_elem(&xpt_ioctl_hooks, k);
	return hook ? *hook : 0;
}

/* Returns 1 + number of the hook that a command belongs to: the most specific key is looked up first. */
static __noinline __u32 hook_of(const struct xpt_ioctl_key *key)
{
	struct xpt_ioctl_key k = *key;
	__u32 code = key->table == XPT_IOCTL_UVM ? key->cmd : key->cmd & 0xffff, hook;

	hook = hook_at(&k, key->cmd, XPT_IOCTL_ANY);
	if (!hook)
		hook = hook_at(&k, code, key->sub);
	if (!hook)
		hook = hook_at(&k, code, XPT_IOCTL_ANY);
	return hook ? hook : hook_at(&k, XPT_IOCTL_ANY, XPT_IOCTL_ANY);
}

/* Gives the function its hook, before anybody else sees its id. */
static __always_inline void set_hook(__u32 id, __u32 hook)
{
	struct xpt_wire_fn *spec = bpf_map_lookup_elem(&xpt_fns, &id);

	if (spec)
		spec->hook = hook;
}

#endif
