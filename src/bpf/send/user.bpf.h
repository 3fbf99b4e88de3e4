/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shares of users, if processes of several users are traced (cfg.users). In each ring a user may use three times as
 * much as is left free: one user gets three quarters, two get three sevenths each. Of the thread slots he may use as
 * many as are left free, because a thread of others must find one in XPT_SLOT_TRIES tries. So a user's flood costs
 * others nothing; records that are dropped are counted for him.
 *
 * The functions that others call are global, so that the verifier checks each once. They call no functions
 * themselves, because all functions on one path have 512 bytes of stack together.
 */
#ifndef XPT_BPF_SEND_USER_BPF_H
#define XPT_BPF_SEND_USER_BPF_H

#include "bpf/bound.bpf.h"
#include "bpf/maps.bpf.h"
#include "bpf/send/owner.bpf.h"
#include "wire/user.h"

#define XPT_SHARE_OF_FREE 3
#define XPT_SPREAD 2654435761u		/* Knuth's: neighbours do not share places */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_bpf_user);
} xpt_users SEC(".maps");

__s32 xpt_nr_threads = 0;	/* of all users together */

/* xpt_owner() for programs that need it beside the functions below. */
__noinline __u64 xpt_current_owner(void)
{
	return xpt_owner();
}

/* Returns the number of the current user's entry. */
static __always_inline __u32 xpt_user_nr(void)
{
	__u64 owner = xpt_owner();
	__u32 first = (__u32)owner + (__u32)(owner >> 32) * XPT_SPREAD, i, k;
	struct xpt_bpf_user *u;

	for (k = 0; k < XPT_USER_TRIES && (__u32)owner; k++) {
		i = xpt_wrap(first + k, XPT_USERS);
		u = bpf_map_lookup_elem(&xpt_users, &i);
		if (!u)
			break;
		if (!u->owner && !__sync_val_compare_and_swap(&u->owner, 0, owner) &&
		    XPT_OWNER_GROUP(owner) >= XPT_OWNER_NAMESPACE)
			u->cgroup = xpt_cgroup_to_name();
		if (u->owner == owner)
			return i;
	}
	return XPT_USERS;
}

/* Whether size more bytes exceed the share; if not, counts them. urgent 0: in xpt_ring, 1: in xpt_urgent. */
__noinline int xpt_over_share(__u32 urgent, __u64 size)
{
	void *ring = urgent ? (void *)&xpt_urgent : (void *)&xpt_ring;
	__u64 read = bpf_ringbuf_query(ring, BPF_RB_CONS_POS);
	__u64 used = bpf_ringbuf_query(ring, BPF_RB_PROD_POS) - read;
	__u64 bytes = urgent ? cfg.urgent_bytes : cfg.ring_bytes, pos, mine;
	__u32 i = xpt_user_nr();
	struct xpt_bpf_user *u = bpf_map_lookup_elem(&xpt_users, &i);
	struct xpt_bpf_share *s;

	if (!u || used > bytes)
		return used > bytes;
	s = urgent ? &u->urgent : &u->ring;
	pos = *(volatile __u64 *)&s->pos;
	if (read >= pos && __sync_val_compare_and_swap(&s->pos, pos, read + used) == pos) {
		s->base = s->next;
		s->next = s->sent;
	}
	mine = s->sent - s->base;
	if ((__s64)mine < 0)	/* another thread was between the two */
		mine = 0;
	if (mine + size > XPT_SHARE_OF_FREE * (bytes - used))
		return 1;
	__sync_fetch_and_add(&s->sent, size);
	return 0;
}

/* Counts a call of the current user that is not sent. */
__noinline int xpt_note_cut(void)
{
	__u32 i = xpt_user_nr();
	struct xpt_bpf_user *u = bpf_map_lookup_elem(&xpt_users, &i);

	if (u)
		__sync_fetch_and_add(&u->cut, 1);
	return 0;
}

/* Returns 1 + number of the entry for which a new thread counts, or 0 if its user has too many threads. */
__noinline __u32 xpt_user_of_thread(void)
{
	__u32 i = xpt_user_nr();
	struct xpt_bpf_user *u = bpf_map_lookup_elem(&xpt_users, &i);

	__s32 left = (__s32)cfg.nr_slots - xpt_nr_threads;

	if (u && u->threads >= left)
		return 0;
	if (u)
		__sync_fetch_and_add(&u->threads, 1);
	__sync_fetch_and_add(&xpt_nr_threads, 1);
	return i + 1;
}

/* Gives back the slot of a thread that ends. user: the result of xpt_user_of_thread() for it. */
__noinline int xpt_thread_gone(__u32 user)
{
	__u32 i = user - 1;
	struct xpt_bpf_user *u = bpf_map_lookup_elem(&xpt_users, &i);

	__sync_fetch_and_add(&xpt_nr_threads, -1);
	/* The entry may have been released while the thread began: then it does not count the thread. */
	if (u && u->threads > 0)
		__sync_fetch_and_add(&u->threads, -1);
	return 0;
}

#endif
