/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages on stderr, one write each, so that lines of two processes do not mix.
 * Names from traced programs appear in messages: a terminal never gets characters
 * that could control it (utf8.h). On a terminal long messages are broken between
 * words, and the further lines are indented, so that nothing in it looks like a
 * message of its own. One thread only.
 */
#include "base/log.h"
#include "base/terminal.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

#define MSG_MAX 4096	/* longer messages are cut */
#define MIN_COLUMNS 40	/* narrower terminals break lines themselves */
#define INDENT 2

static enum xpt_log_level max_level = XPT_LOG_INFO;
static void (*taker)(const char *message);

void xpt_log__set_level(enum xpt_log_level level)
{
	max_level = level;
}

void xpt_log__set_taker(void (*take)(const char *message))
{
	taker = take;
}

enum xpt_log_level xpt_log__level(void)
{
	return max_level;
}

/* Returns the width of the terminal on stderr, 0 if that is no terminal. */
static unsigned terminal_columns(void)
{
	unsigned columns = isatty(STDERR_FILENO) ? xpt_terminal_columns(stderr) : 0;

	return columns >= MIN_COLUMNS ? columns : 0;
}

/* Bytes up to the next blank or line end, and the columns that they take. */
static size_t next_word(const char *s, size_t *ret_columns)
{
	size_t n = strcspn(s, " \n"), i;

	for (*ret_columns = 0, i = 0; i < n; i++)
		*ret_columns += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

/* msg with line ends in place of blanks where lines would be longer than columns; out has room for
 * INDENT more bytes at each blank. Returns its length. */
static size_t fold_lines(const char *msg, unsigned columns, char *out)
{
	size_t len = 0, col = 0, n, width;

	while (*msg) {
		n = next_word(msg, &width);
		if (col && col + width > columns) {
			len -= out[len - 1] == ' ';
			out[len++] = '\n';
			memset(out + len, ' ', INDENT);
			len += INDENT;
			col = INDENT;
		}
		memcpy(out + len, msg, n + (msg[n] != '\0'));
		len += n + (msg[n] != '\0');
		col = msg[n] == '\n' ? 0 : col + width + 1;
		msg += n + (msg[n] != '\0');
	}
	return len;
}

void xpt_vlog(enum xpt_log_level level, const char *fmt, va_list ap)
{
	static const char prefix[] = "xputrace: ";
	const size_t head = sizeof(prefix) - 1;
	char msg[MSG_MAX + 2], folded[(1 + INDENT) * MSG_MAX + 2];	/* room for \n and NUL */
	int saved = errno;
	unsigned columns;
	size_t len;

	if (level > max_level)
		return;
	memcpy(msg, prefix, sizeof(prefix));
	if (vsnprintf(msg + head, MSG_MAX - head, fmt, ap) < 0)
		msg[head] = '\0';
	/* A line end that is not the message's own could begin a line that looks like ours. */
	xpt_utf8__clean(msg + head, strchr(fmt, '\n') ? "\n\t" : "\t");
	if (taker) {
		taker(msg + head);
		errno = saved;
		return;
	}
	len = strlen(msg);
	msg[len++] = '\n';
	msg[len] = '\0';
	columns = terminal_columns();
	if (columns)
		len = fold_lines(msg, columns, folded);
	fwrite(columns ? folded : msg, 1, len, stderr);
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
