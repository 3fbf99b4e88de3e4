/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One line of a small file, as those of sysfs are. */
#ifndef XPT_BASE_FILES_FILE_LINE_H
#define XPT_BASE_FILES_FILE_LINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the first line of a file into buf, without its end; a line longer than n - 1 bytes is cut. False: the
 * file is not there, cannot be read, or its first line is empty; then buf is "".
 */
bool xpt_file_line__first(const char *path, char *buf, size_t n);

#endif
