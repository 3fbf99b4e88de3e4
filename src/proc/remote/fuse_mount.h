/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Trust in FUSE file systems: reads of their files are answered by a program of the user who mounted them. */
#ifndef XPT_PROC_REMOTE_FUSE_MOUNT_H
#define XPT_PROC_REMOTE_FUSE_MOUNT_H

#include <stdbool.h>

/*
 * Whether the mount through which fd was opened is one that we see, and root has made it. The file system itself is
 * asked nothing.
 */
bool xpt_fuse_mount__is_of_root(int fd);

/* The same for the text of /proc/self/mountinfo, and the number of a mount; for tests. */
bool xpt_fuse_mount__is_of_root_in(const char *mountinfo_path, int mount);

#endif
