/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The program of a reader process, see reader.h. main() begins with xpt_reader_child__is_asked(),
 * before it touches anything.
 */
#ifndef XPT_DEVICES_READER_CHILD_H
#define XPT_DEVICES_READER_CHILD_H

#include <stdbool.h>

/* Whether this process was started as a reader. */
bool xpt_reader_child__is_asked(int argc, char **argv);
/* Serves requests until the other end of XPT_READER_FD is closed. Returns the exit status. */
int xpt_reader_child__run(int argc, char **argv);

#endif
