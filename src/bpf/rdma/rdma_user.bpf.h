/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shares of users, as bpf/send/user.bpf.h has them for calls of libraries. Whoever may open a device chooses numbers
 * of methods and starts processes as he likes: each user sends so many calls a second at most, and adds as many
 * methods as are left free then. So his flood takes nothing from others, and reading it takes a bounded time. Root
 * outside of containers has no limit.
 */
#ifndef XPT_BPF_RDMA_RDMA_USER_BPF_H
#define XPT_BPF_RDMA_RDMA_USER_BPF_H

#include "bpf/rdma/rdma_limit.bpf.h"
#include "bpf/send/owner.bpf.h"
#include "wire/rdma.h"

struct {
	/* LRU, because containers come and go: those that have not called for long are evicted. */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, XPT_USERS);
	__type(key, __u64);		/* XPT_OWNER() */
	__type(value, struct xpt_wire_rdma_user);
} xpt_rdma_users SEC(".maps");

static const struct xpt_wire_rdma_user new_user;
struct xpt_wire_rdma_user xpt_rdma_others = { 0 };	/* of those that found no entry */

/* The current user's entry; NULL: no limit. */
static __noinline struct xpt_wire_rdma_user *rdma_user(void)
{
	struct xpt_wire_rdma_user *u;
	__u64 owner = xpt_owner();

	if (owner == XPT_OWNER_MACHINE)
		return NULL;
	u = bpf_map_lookup_elem(&xpt_rdma_users, &owner);
	if (u)
		return u;
	bpf_map_update_elem(&xpt_rdma_users, &owner, &new_user, BPF_NOEXIST);
	u = bpf_map_lookup_elem(&xpt_rdma_users, &owner);
	return u ? u : &xpt_rdma_others;
}

/* Whether the user may add a method to the table, which has nr by now. */
static __always_inline bool rdma_may_add_method(struct xpt_wire_rdma_user *u, __u32 nr)
{
	if (u && *(volatile __u32 *)&u->methods >= XPT_RDMA_METHODS - nr)
		return false;
	if (u)
		__sync_fetch_and_add(&u->methods, 1);
	return true;
}

/* Whether the user has sent too many calls in the last second. */
static __always_inline bool rdma_user_is_over(struct xpt_wire_rdma_user *u, __u64 now)
{
	return u && rdma_too_many(&u->full_ns, now, XPT_RDMA_USER_GAP_NS);
}

#endif
