// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See printed_text.h. The lines are those of app/trace/trace.cpp of SPDK 20.01 to 26.05. */
#include "spdk/printed_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Places that are kept, before the text that the JSON reader has read ahead. */
enum { SPOTS = 4096 };
enum match { NO, MAYBE, YES };

/* "#" stands for digits. */
static const char *const lines[] = { "TSC Rate: #\n", "Trace Size of lcore (#): #\n" };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Compares n bytes with a known line; *ret_n: its length. MAYBE: it may go on like that. */
static enum match match_line(const char *s, size_t n, const char *line, size_t *ret_n)
{
	size_t i = 0, digits;

	for (; *line; line++) {
		if (*line != '#') {
			if (i == n)
				return MAYBE;
			if (s[i++] != *line)
				return NO;
			continue;
		}
		for (digits = 0; i < n && is_digit(s[i]) && digits < 20; digits++)
			i++;
		if (i == n)
			return MAYBE;
		if (!digits)
			return NO;
	}
	*ret_n = i;
	return YES;
}

static enum match match_any(const char *s, size_t n, size_t *ret_n)
{
	enum match found = NO;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) && found != YES; i++) {
		enum match m = match_line(s, n < XPT_SPDK_PRINTED_LINE ? n : XPT_SPDK_PRINTED_LINE, lines[i], ret_n);

		found = m > found ? m : found;
	}
	return n < XPT_SPDK_PRINTED_LINE || found == YES ? found : NO;
}

int xpt_spdk_printed__init(struct xpt_spdk_printed *p, xpt_json_read_fn read, void *ctx)
{
	*p = (struct xpt_spdk_printed){ .read = read, .ctx = ctx };
	p->at = calloc(SPOTS, sizeof(*p->at));
	return p->at ? 0 : -ENOMEM;
}

void xpt_spdk_printed__free(struct xpt_spdk_printed *p)
{
	free(p->at);
	*p = (struct xpt_spdk_printed){ 0 };
}

static void take_out(struct xpt_spdk_printed *p, size_t n)
{
	p->bytes += n;
	p->at[p->nr % SPOTS].passed = p->passed;
	p->at[p->nr % SPOTS].bytes = p->bytes;
	p->nr++;
}

/* Moves the text to hand on to the front of buf; text that may be a known line is kept for the next time. */
static size_t filter_lines(struct xpt_spdk_printed *p, char *buf, size_t n)
{
	size_t from = 0, to = 0, len;

	while (from < n) {
		const char *t = memchr(buf + from, 'T', n - from);
		size_t plain = t ? (size_t)(t - buf) - from : n - from;
		enum match m = NO;

		p->begun = p->begun || memchr(buf + from, '{', plain);
		memmove(buf + to, buf + from, plain);
		to += plain;
		from += plain;
		p->passed += plain;
		if (!t)
			break;
		if (p->begun)		/* in front of the JSON any text may stand */
			m = match_any(buf + from, n - from, &len);
		if (m == YES) {
			take_out(p, len);
			from += len;
		} else if (m == MAYBE && !p->ended) {
			p->nr_kept = n - from;
			memcpy(p->kept, buf + from, p->nr_kept);
			break;
		} else {
			buf[to++] = buf[from++];
			p->passed++;
		}
	}
	return to;
}

ssize_t xpt_spdk_printed__read(void *ctx, void *buf, size_t n)
{
	struct xpt_spdk_printed *p = ctx;
	size_t had, left = 0;
	ssize_t got;

	if (n <= XPT_SPDK_PRINTED_LINE) {	/* too few to look at */
		errno = EINVAL;
		return -1;
	}
	while (!left && !p->ended) {
		had = p->nr_kept;
		memcpy(buf, p->kept, had);
		p->nr_kept = 0;
		got = p->read(p->ctx, (char *)buf + had, n - had);
		if (got < 0)
			return got;
		p->ended = !got;
		left = filter_lines(p, buf, had + (size_t)got);
	}
	return (ssize_t)left;
}

static uint64_t oldest_byte(const struct xpt_spdk_printed *p)
{
	return p->nr > SPOTS ? p->nr - SPOTS : 0;
}

uint64_t xpt_spdk_printed__before(const struct xpt_spdk_printed *p, uint64_t byte)
{
	uint64_t i = p->nr;

	while (i > oldest_byte(p) && p->at[(i - 1) % SPOTS].passed > byte)
		i--;
	return i;
}

void xpt_spdk_printed__locate(const struct xpt_spdk_printed *p, uint64_t *byte, uint64_t *line)
{
	uint64_t n = xpt_spdk_printed__before(p, *byte);

	*line += n;
	*byte += n > oldest_byte(p) ? p->at[(n - 1) % SPOTS].bytes : 0;
}
