/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of each user's processes in the shared rings and slots, where processes of several
 * users are traced. A user of the first user namespace is one user, with all user ids that he
 * has in namespaces of his own and all that /etc/subuid gives him, and so is each container that
 * root has made: many users there are root, and may take any user id. These parts are not stored
 * in recordings.
 */
#ifndef XPT_WIRE_USER_H
#define XPT_WIRE_USER_H

#include <linux/types.h>

#define XPT_USERS 1024u		/* with an entry of their own; a power of two */
#define XPT_USER_TRIES 8
#define XPT_USERS_ALL (XPT_USERS + 1)	/* the last is of all who found none */

/*
 * uid: the user's id in the first user namespace, 0 in a container; group: the inode of its namespace of processes or
 * of users, or the low half of the id of its cgroup, 0: none.
 */
#define XPT_OWNER(uid, group) ((__u64)(group) << 32 | (__u32)((uid) + 1))
#define XPT_OWNER_UID(owner) ((__u32)(owner) - 1)
#define XPT_OWNER_GROUP(owner) ((__u32)((owner) >> 32))
#define XPT_OWNER_MACHINE XPT_OWNER(0, 0)	/* root, outside of containers */
#define XPT_OWNER_NOBODY 0ull			/* who it is is not known */

#define XPT_OWNER_NAMESPACE 0xf0000000u	/* groups from here on are of namespaces: PROC_DYNAMIC_FIRST, fs/proc/generic.c */

/* Inodes of the machine's own namespaces: PROC_CGROUP_INIT_INO and PROC_USER_INIT_INO, include/linux/proc_ns.h. */
#define XPT_FIRST_CGROUP_NS 0xeffffffbu
#define XPT_FIRST_USER_NS 0xeffffffdu

#define XPT_USER_NS_DEPTH 32	/* the kernel allows 33: create_user_ns() in kernel/user_namespace.c */
#define XPT_CGROUP_DEPTH 16	/* cgroups of users below each other; deeper ones count as the root of all, */
#define XPT_DEEP_CGROUPS 1u	/* which has this inode: no container is there */

/* Ranges of subordinate ids (subuid(5)) in a trie of prefixes, whose values are the users. */
#define XPT_SUBID_RANGES 1024u

struct xpt_wire_subid {
	__u32 bits;		/* of uid, from the highest one on */
	__u32 uid;		/* big endian */
};

/* A part of a ring. Once all bytes put in before `pos` have been read, `base` takes the value of
 * `next`, and `next` that of `sent`. So sent - base is the number of bytes that wait, and at
 * most as many again. */
struct xpt_bpf_share {
	__u64 sent, base, next, pos;
};

struct xpt_bpf_user {
	__u64 owner;		/* XPT_OWNER(); 0: free */
	__s32 threads;		/* that have a slot */
	__u32 cgroup;		/* of a container that is a namespace, the low half of its id: for its name */
	__u64 cut;		/* calls that were not sent as events */
	struct xpt_bpf_share ring, urgent;
	__u64 pad[5];		/* two cache lines */
};
_Static_assert(sizeof(struct xpt_bpf_user) == 128, "user");

#endif
