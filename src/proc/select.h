/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which processes are traced, by name, user and cgroup. Made by the command line, asked in user space for processes
 * that run already, and handed to the BPF programs, which judge each process at its first traced call.
 *
 * Names define where to begin: children of a process with such a name are traced under any name. User and cgroup
 * are limits: they hold for each process.
 */
#ifndef XPT_PROC_SELECT_H
#define XPT_PROC_SELECT_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_select;
struct xpt_bpf_names;

int xpt_select__new(struct xpt_select **ret_s);		/* 0 or -ENOMEM; it selects all */
void xpt_select__free(struct xpt_select *s);		/* NULL is fine */

/*
 * A name, or a glob of names (*, ?, [a-z], [!a-z], \): any of those added will
 * do. -EINVAL: no glob; -ENAMETOOLONG: no name is that long (15 bytes);
 * -E2BIG: too many (63 characters and ends in all).
 */
int xpt_select__add_comm(struct xpt_select *s, const char *glob);
/* The subtree of the cgroup with this folder (of cgroup v2); any of those added
 * will do. -ENOSPC: more than XPT_SELECT_CGROUPS, -errno. */
int xpt_select__add_cgroup(struct xpt_select *s, const char *folder);
void xpt_select__set_uid(struct xpt_select *s, uint32_t uid);	/* the real user id */

bool xpt_select__by_comm(const struct xpt_select *s);
bool xpt_select__comm_matches(const struct xpt_select *s, const char *comm);
/* NULL if the limits hold for a process, else which does not: "user" or "cgroup". */
const char *xpt_select__why_not(const struct xpt_select *s, int pid);

/* For the engine: XPT_SELECT_* bits, the table of names, the user, open folders of cgroups. */
uint32_t xpt_select__bits(const struct xpt_select *s);
const struct xpt_bpf_names *xpt_select__names(const struct xpt_select *s);
uint32_t xpt_select__uid(const struct xpt_select *s);
unsigned xpt_select__cgroup_fds(const struct xpt_select *s, const int **ret_fds);

#endif
