/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The file type of a command, for messages about it. */
#ifndef XPT_SESSION_PROGRAM_H
#define XPT_SESSION_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* Warns about the parts of this program that cannot be traced, before it starts. */
void xpt_program__warn(const char *path);
/* Not an ELF file and without NUL bytes where text has none: /bin/sh may read it. */
bool xpt_program__is_text(const char *path);
/* Why execve(2) failed with err: the errno's text or something better. Returns buf. */
const char *xpt_program__why_not(const char *path, int err, char *buf, size_t n);

#endif
