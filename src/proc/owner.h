/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The owners for whose share a process and a file count. Owners are numbers as of wire/user.h: users of our own user
 * namespace, each with all ids of namespaces of his own, and containers that root has made.
 */
#ifndef XPT_PROC_OWNER_H
#define XPT_PROC_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "proc/cgroup.h"
#include "wire/user.h"

#define XPT_OWN_DEVICES 8

struct xpt_own_devices {
	dev_t dev[XPT_OWN_DEVICES];
	unsigned nr;
};

/* The devices of the places where the machine keeps programs. */
void xpt_owner__open(struct xpt_own_devices *own);
/*
 * Whom a process belongs to, as bpf/send/owner.bpf.h has it: the container, if it is in a namespace of processes below
 * ours that root has made or, in ours, in a namespace of cgroups that root has made; else the owner of the outermost
 * of its user namespaces below ours; else its real user. A user is he with all of his subordinate ids (subids.h).
 * Groups from XPT_OWNER_NAMESPACE on are inodes of namespaces, others of cgroups. 0, or -ESRCH and
 * XPT_OWNER_NOBODY: it has ended.
 */
int xpt_owner__of_process(int pid, uint64_t *ret_owner);
/*
 * Returns the owner who has mapped a file. To be called before the file is opened, because the process may end
 * meanwhile. pid 0: xputrace itself looks at the file.
 */
uint64_t xpt_owner__of_mapper(int pid);
/*
 * Returns the owner whose share a file counts for that such an owner has mapped. Root's files on file systems of
 * the machine count for the machine, unless a container has mapped the file: it may be there by a bind mount, made
 * by the root inside. All other files count for the owner who has mapped them; if that is root outside of
 * containers, for the file's user, and root's files on other file systems than the machine's for the file system.
 */
uint64_t xpt_owner__of_file(const struct xpt_own_devices *own, const struct stat *st, uint64_t mapper);
/* Whether an owner is root on another file system than the machine's, and on which device. */
bool xpt_owner__is_root_elsewhere(uint64_t owner, unsigned *ret_major, unsigned *ret_minor);

struct xpt_process_owner {
	uint32_t uid;			/* XPT_NO_UID: not known (uid.h) */
	char container[XPT_CONTAINER_LEN];	/* as xpt_cgroup__container_of_pid() has it */
};

/* Finds the owner. The user of a process that has been reaped is not known. */
void xpt_process_owner__find(struct xpt_process_owner *w, int pid);
/*
 * Chooses the process that messages name out of several: the first, or the first whose user is known. Returns true if
 * that is pid, with its owner in *w. had: whether *w is set already.
 */
bool xpt_process_owner__choose(struct xpt_process_owner *w, bool had, int pid);
/* "user 1000", "user 0 in the container 0123456789ab", "a user who is not known, ..."; buf. */
const char *xpt_process_owner__text(const struct xpt_process_owner *w, char *buf, size_t n);

#endif
