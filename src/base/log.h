/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages for people, on stderr. Data goes to stdout and never through here.
 *
 * xpt_err() prints and returns its status, so that message and status cannot
 * drift apart: err = xpt_err(-ENOENT, "no symbol '%s'", name); goto out;
 * Code below pipeline returns or counts; it logs at debug level only.
 */
#ifndef XPT_BASE_LOG_H
#define XPT_BASE_LOG_H

#include <stdarg.h>

enum xpt_log_level { XPT_LOG_NONE = -1, XPT_LOG_ERR, XPT_LOG_WARN, XPT_LOG_INFO, XPT_LOG_DEBUG };

/* The most detailed level that is printed; XPT_LOG_INFO at start. */
void xpt_log__set_level(enum xpt_log_level level);
enum xpt_log_level xpt_log__level(void);

/*
 * Passes later messages to take, without prefix and line end, instead of printing them, because a screen uses the
 * terminal. NULL: they are printed again.
 */
void xpt_log__set_taker(void (*take)(const char *message));

/* Prints "xputrace: <message>\n" and returns err unchanged (0 or -errno). */
int xpt_err(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void xpt_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void xpt_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void xpt_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void xpt_vlog(enum xpt_log_level level, const char *fmt, va_list ap);

#endif
