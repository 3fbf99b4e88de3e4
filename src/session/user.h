/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Users by name. Under sudo, the traced command belongs to the user who called. */
#ifndef XPT_SESSION_USER_H
#define XPT_SESSION_USER_H

#include <stdbool.h>
#include <sys/types.h>

/* The user who called sudo. False: we are not root, or no other user called. */
bool xpt_user__caller(uid_t *ret_uid, gid_t *ret_gid);

/* Makes later writes of files use the rights of the user who called sudo, if one did. */
void xpt_user__write_as_caller(void);

/*
 * Turns this process, a child about to exec, into one of the user that sudo
 * was called by: ids, groups, HOME, USER, LOGNAME. Nothing without sudo. 0 or -errno.
 */
int xpt_user__become_caller(void);

/* The id of a user, given by name or as a number. 0 or -ENOENT. */
int xpt_user__by_name(const char *name, uid_t *ret_uid);

/* The name of a user, good until the next call of this file. */
const char *xpt_user__name(uid_t uid);

#endif
