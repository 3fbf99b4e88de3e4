/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * File systems in which the kernel shows its state (tracefs, debugfs, securityfs). A
 * new machine or a container may not have them mounted; a detached mount, which no
 * other process sees and which leaves nothing behind, serves as well. It needs
 * CAP_SYS_ADMIN and Linux 5.2 (fsopen, fsmount).
 */
#ifndef XPT_BASE_FILES_PSEUDO_FS_H
#define XPT_BASE_FILES_PSEUDO_FS_H

/*
 * Makes a detached mount of the file system TYPE ("tracefs"). Returns a descriptor of
 * its root directory, which the caller closes, or a negative errno.
 */
int xpt_pseudo_fs__mount(const char *type);

/*
 * Opens FILE for reading below DIR, where TYPE is usually mounted; if there is no such
 * file, in a detached mount. Returns a descriptor, which the caller closes, or the
 * negative errno of the first attempt.
 */
int xpt_pseudo_fs__open(const char *type, const char *dir, const char *file);

#endif
