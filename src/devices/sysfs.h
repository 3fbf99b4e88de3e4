/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small files of sysfs below a folder, whose root is a parameter for tests. Reading may wait for
 * a device's firmware, so this is done in reader processes only (reader.h).
 */
#ifndef XPT_DEVICES_SYSFS_H
#define XPT_DEVICES_SYSFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XPT_SYSFS_TEXT 256

/*
 * Reads a file below the folder dir into buf, without the blanks and line ends at its end. Returns
 * the length, or -errno; an empty file is length 0. Longer text is cut.
 */
int xpt_sysfs__text(int dir, const char *path, char *buf, size_t n);

/* Reads a NUMA node, which is -1 where there is none or it is not known. */
int32_t xpt_sysfs__numa_node(int dir, const char *path);

/* Reads a file that holds one decimal number. False: missing, "N/A", refused or no number. */
bool xpt_sysfs__number(int dir, const char *path, uint64_t *ret_v);

/* Appends a part to a description: ", " if it is not the first, its name, and its text; nothing
 * if that is "". */
void xpt_sysfs__join(char *buf, size_t n, const char *what, const char *text);

/* Opens a folder below dir (AT_FDCWD: path is absolute). Returns a descriptor or -errno. */
int xpt_sysfs__folder(int dir, const char *path);

/*
 * Lists the entries of a folder below dir, sorted by name, without those that begin with a dot. At
 * most max names of less than XPT_SYSFS_NAME bytes are kept; *left_out counts the others. Returns
 * their number, or -errno.
 */
#define XPT_SYSFS_NAME 64
int xpt_sysfs__list(int dir, const char *path, char (*names)[XPT_SYSFS_NAME], size_t max, uint64_t *left_out);

#endif
