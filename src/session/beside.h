/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the recording that a trace writes by default beside its JSON lines (session/traces.h): the recording has more
 * data and is read faster.
 */
#ifndef XPT_SESSION_BESIDE_H
#define XPT_SESSION_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens the recording beside traces/trace_<time>.jsonl for reading, and says so once; lines may be a link to that
 * file. Only a regular file of the same owner, with one name, is taken, and no link. Returns a descriptor that the
 * caller closes and writes a name for messages, or returns -1: there is no such recording, or lines is another kind
 * of file ("-": standard input).
 */
int xpt_beside__open(const char *lines, char *ret_name, size_t n);
bool xpt_beside__has(const char *lines);	/* is there one? */

#endif
