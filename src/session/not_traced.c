// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Words for functions, processes and calls left out of a trace, and for owners of files and processes; see
 * not_traced.h.
 */
#include "session/not_traced.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "proc/cgroup.h"
#include "proc/container_paths.h"
#include "proc/owner.h"
#include "session/user.h"

#define XPT_WHOM 1200		/* "in the container of the cgroup", and its path */

/* The path of a container's cgroup. cgroup: its inode where the group is that of a namespace, 0: not known. */
static bool find_path(uint32_t group, uint32_t cgroup, char *path, size_t n)
{
	uint32_t inode = group >= XPT_OWNER_NAMESPACE ? cgroup : group;
	char root[512];

	if (inode && !xpt_cgroup__mount(root, sizeof(root)) && !xpt_cgroup__by_inode(root, inode, path, n) && path[0])
		return true;
	return xpt_container_paths__find(group, path, n);
}

/* "of user 1000 (anna)", or in which container; cgroup as above. */
static const char *of_whom(uint64_t owner, uint32_t cgroup, char *buf, size_t n)
{
	uint32_t user = XPT_OWNER_UID(owner), group = XPT_OWNER_GROUP(owner);
	char path[1024];

	if (group && find_path(group, cgroup, path, sizeof(path)))
		snprintf(buf, n, "in the container of the cgroup %s", path);
	else if (group >= XPT_OWNER_NAMESPACE)
		snprintf(buf, n, "in the container with the namespace %u", group);
	else if (group)
		snprintf(buf, n, "in a container that has ended (inode %u of its cgroup)", group);
	else if (user == UINT32_MAX)
		snprintf(buf, n, "of users beyond those who have a share");
	else
		snprintf(buf, n, "of user %u (%s)", user, xpt_user__name(user));
	return buf;
}

/* Returns the owner of a file as text: "user 1000", a container, or root on a file system of others. */
static const char *name_owner(uint64_t owner, char *buf, size_t n)
{
	unsigned device[2];
	char text[XPT_WHOM];

	if (xpt_owner__is_root_elsewhere(owner, &device[0], &device[1]))
		snprintf(buf, n, "root on the file system %u:%u, a container's", device[0], device[1]);
	else if (owner == XPT_OWNER_NOBODY)
		snprintf(buf, n, "processes that have ended");
	else if (XPT_OWNER_GROUP(owner))	/* after "in" */
		snprintf(buf, n, "%s", strchr(of_whom(owner, 0, text, sizeof(text)), ' ') + 1);
	else
		snprintf(buf, n, "user %u", XPT_OWNER_UID(owner));
	return buf;
}

const char *xpt_not_traced__of_owner(uint64_t owner, char *buf, size_t n)
{
	if (owner == XPT_OWNER_NOBODY)
		snprintf(buf, n, "of processes that ended before they could be looked at");
	else
		of_whom(owner, 0, buf, n);
	return buf;
}

void xpt_not_traced__report_cut(const struct xpt_engine_stats *st)
{
	char whom[XPT_WHOM];

	xpt_warn("%" PRIu64 " calls %s were counted, but not sent as events: no user gets the whole buffer (--ring)",
		 st->cut, of_whom(st->cut_owner, st->cut_cgroup, whom, sizeof(whom)));
}

void xpt_not_traced__report_left_out(const struct xpt_engine_stats *st)
{
	char owner[XPT_WHOM];

	if (st->nr_unseen)
		xpt_warn("%u function%s not traced, because a return probe could break the program: "
			 "%s: %s ('uprobe:' in place of 'call:' shows when a function begins)",
			 st->nr_unseen, st->nr_unseen == 1 ? " was" : "s were", st->unseen, st->unseen_why);
	if (st->nr_refused)
		xpt_warn("%u functions in files of %s and others were not traced: one user's files get a part "
			 "of the room for functions that xputrace does not know", st->nr_refused,
			 name_owner(st->refused_owner, owner, sizeof(owner)));
	if (st->nr_unnamed)
		xpt_warn("%u functions in files of %s and others were counted together, as (other): one user's files get a "
			 "part of the room for names that xputrace does not know", st->nr_unnamed,
			 name_owner(st->unnamed_owner, owner, sizeof(owner)));
	if (st->nr_costly)
		xpt_warn("%u file%s not traced, because reading %s would take too much time or memory, or more than one "
			 "user's files get: %s of %s", st->nr_costly, st->nr_costly == 1 ? " was" : "s were",
			 st->nr_costly == 1 ? "it" : "them", st->costly,
			 name_owner(st->costly_owner, owner, sizeof(owner)));
	if (st->nr_served)
		xpt_warn("%u file%s not read in time, or not at all, for a user's file system (FUSE, or an overlay in a user "
			 "namespace) may never answer: %s of %s. Name the process (-p) to trace it all the same",
			 st->nr_served, st->nr_served == 1 ? " was" : "s were", st->served,
			 xpt_process_owner__text(&st->served_owner, owner, sizeof(owner)));
	if (st->mapper_percent)
		xpt_warn("%" PRIu64 " records of mappings and processes came faster than they could be looked at, "
			 "when %u %% were those of %s: what still ran was found in /proc afterwards",
			 st->nr_mappings_lost, st->mapper_percent,
			 xpt_process_owner__text(&st->mapper, owner, sizeof(owner)));
}
