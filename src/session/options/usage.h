/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a session that cannot go on says so: exit statuses, and the message about wrong options.
 */
#ifndef XPT_SESSION_OPTIONS_USAGE_H
#define XPT_SESSION_OPTIONS_USAGE_H

#include <stdarg.h>

/* Exit statuses; `run` passes its command's status through instead. */
enum {
	XPT_EXIT_OK = 0,
	XPT_EXIT_FAILED = 1,	/* failed at run time */
	XPT_EXIT_USAGE = 2,
	XPT_EXIT_NOTHING = 3,	/* nothing to attach to */
	XPT_EXIT_PRIVILEGE = 4,	/* missing privilege or kernel feature */
	XPT_EXIT_NOT_EXECUTABLE = 126,
	XPT_EXIT_NOT_FOUND = 127,
};

/* Reports the wrong usage, and how to get help on that command ("rdma watch"). Returns XPT_EXIT_USAGE. */
int xpt_usage(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int xpt_vusage(const char *command, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

#endif
