/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages on stderr, one write each, so that lines of two processes do not
 * mix. Names from traced programs appear in messages: control characters are
 * replaced, a terminal never sees them. One thread only.
 */
#include "base/log.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MSG_MAX 4096	/* longer messages are cut */

static enum xpt_log_level max_level = XPT_LOG_INFO;

void xpt_log__set_level(enum xpt_log_level level)
{
	max_level = level;
}

enum xpt_log_level xpt_log__level(void)
{
	return max_level;
}

/* Only \n and \t stay of the control characters. */
static void clean(char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			*s = '?';
	}
}

void xpt_vlog(enum xpt_log_level level, const char *fmt, va_list ap)
{
	static const char prefix[] = "xputrace: ";
	const size_t head = sizeof(prefix) - 1;
	char msg[MSG_MAX + 2];	/* room for \n and NUL */
	int saved = errno;
	size_t len;

	if (level > max_level)
		return;
	memcpy(msg, prefix, sizeof(prefix));
	if (vsnprintf(msg + head, MSG_MAX - head, fmt, ap) < 0)
		msg[head] = '\0';
	clean(msg + head);
	len = strlen(msg);
	msg[len++] = '\n';
	fwrite(msg, 1, len, stderr);
	errno = saved;
}

int xpt_err(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xpt_vlog(XPT_LOG_ERR, fmt, ap);
	va_end(ap);
	return err;
}

void xpt_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xpt_vlog(XPT_LOG_WARN, fmt, ap);
	va_end(ap);
}

void xpt_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xpt_vlog(XPT_LOG_INFO, fmt, ap);
	va_end(ap);
}

void xpt_debug(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xpt_vlog(XPT_LOG_DEBUG, fmt, ap);
	va_end(ap);
}
