// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See log_source.h. No place in a file has these forms; a time of day may, and is none of them. */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "rdma/trace/job_log/log_code.h"
#include "rdma/trace/job_log/log_source.h"

enum { NEAR = 1024 };		/* bytes before a message in which its source is looked for */
enum { BOX = 120 };		/* bytes of a source in brackets */
enum { GLOG = 21 };		/* bytes of "E0331 12:03:04.222625" */
enum { STAMP = 48 };		/* bytes of a time in brackets */

#define DIGITS "0123456789"

static bool is_of_host(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("-._", c)) || c & 0x80;
}

/* Returns where the name of a host begins that ends before end: "[default0]:node7" has a tag before it. */
static const char *find_host(const char *from, const char *end)
{
	while (end > from && is_of_host(end[-1]))
		end--;
	return end;
}

const char *xpt_rdma_log_unglue(const char *from, const char *word, const char *end)
{
	const char *at;
	int code;

	for (code = 1; code < 140; code++) {
		const char *text = strerrordesc_np(code);
		size_t n = text ? strlen(text) : 0;

		for (at = word + 1; n && at < end; at++)
			if ((size_t)(at - from) >= n && !memcmp(at - n, text, n))
				return at;
	}
	return word;
}

/* Tells whether a time stands there, "12:30:45", which looks like a host with two numbers. */
static bool is_time(const char *s)
{
	struct xpt_rdma_log_time when;

	return xpt_rdma_log_time__parse(s, &when) != NULL;
}

/* Takes HOST:PID:TID, with which the word ends. Returns where it begins, or NULL. */
static const char *take_triple(const char *from, const char *word, const char *end, struct xpt_rdma_log_source *s)
{
	const char *second = memrchr(word, ':', (size_t)(end - word)), *first, *host, *pid_end, *tid_end;

	first = second ? memrchr(word, ':', (size_t)(second - word)) : NULL;
	host = first ? find_host(word, first) : NULL;
	if (!first || first == host || is_time(host) || !isdigit((unsigned char)first[1]) || !isdigit((unsigned char)second[1]))
		return NULL;
	s->pid = xpt_rdma_log_number(first + 1, UINT32_MAX, &pid_end);
	s->tid = xpt_rdma_log_number(second + 1, UINT32_MAX, &tid_end);
	if (!s->pid || pid_end != second || tid_end != end)
		return NULL;
	host = xpt_rdma_log_unglue(from, host, first);
	if ((size_t)(first - host) >= sizeof(s->host))
		return NULL;
	snprintf(s->host, sizeof(s->host), "%.*s", (int)(first - host), host);
	return host;
}

/* Takes "[HOST:PID:THREAD]" or "[HOST:PID:THREAD:TID]" at open; blanks may pad the numbers. */
static bool take_box(const char *open, const char *close, struct xpt_rdma_log_source *s)
{
	const char *host = open + 1, *at = host;

	while (is_of_host(*at))
		at++;
	if (at == host || is_time(host) || *at != ':' || (size_t)(at - host) >= sizeof(s->host))
		return false;
	snprintf(s->host, sizeof(s->host), "%.*s", (int)(at - host), host);
	s->pid = xpt_rdma_log_number(at + 1, UINT32_MAX, &at);
	at += s->pid ? strspn(at, " ") : 0;
	if (!s->pid || *at++ != ':')
		return false;
	while (isalnum((unsigned char)*at))
		at++;
	at += strspn(at, " ");
	if (*at == ':')
		s->tid = xpt_rdma_log_number(at + 1, UINT32_MAX, &at);
	return at == close;
}

/* Tells whether the number of a GPU in brackets begins there: "[0]", "[ 3]", "[-1]". */
static bool is_device(const char *s)
{
	size_t n = *s == '[' ? strspn(s + 1, " -" DIGITS) : 0;

	return n && s[1 + n] == ']' && isdigit((unsigned char)s[n]);
}

/* Takes "E0331 12:03:04.222625 TID" or with a year at s. A thread may have a number of another kind. */
static bool take_glog(const char *s, struct xpt_rdma_log_source *ret_source)
{
	size_t digits = *s && strchr("IWEF", *s) ? strspn(s + 1, DIGITS) : 0;
	const char *at = s + 1 + digits + 1, *end;
	struct xpt_rdma_log_time when;

	if ((digits != 4 && digits != 8) || at[-1] != ' ')
		return false;
	end = xpt_rdma_log_time__parse(at, &when);
	if (!end || when.clock != XPT_RDMA_TIME_OF_DAY || *end != ' ')
		return false;
	*ret_source = (struct xpt_rdma_log_source){ .level = *s, .when = when };
	ret_source->tid = xpt_rdma_log_number(end, UINT32_MAX, NULL);
	return true;
}

/* Takes the time in brackets that ends before end, and one blank. Returns where it begins; end if there is none. */
static const char *take_stamp(const char *from, const char *end, struct xpt_rdma_log_source *s)
{
	const char *open, *close = end - 2, *at;

	if (end - from < 4 || end[-1] != ' ' || *close != ']')
		return end;
	open = memrchr(close - from > STAMP ? close - STAMP : from, '[', (size_t)(close - from > STAMP ? STAMP : close - from));
	at = open ? xpt_rdma_log_time__parse(open + 1, &s->when) : NULL;
	if (at && at == close)
		return open;
	s->when = (struct xpt_rdma_log_time){ 0 };
	return end;
}

/* Returns where a source begins that ends at that byte, or NULL. */
static const char *find_ending_at(const char *from, const char *last, struct xpt_rdma_log_source *s)
{
	const char *open, *word;

	*s = (struct xpt_rdma_log_source){ 0 };
	if (*last == ']') {
		open = last - from > BOX ? last - BOX : from;
		open = memrchr(open, '[', (size_t)(last - open));
		return open && take_box(open, last, s) ? open : NULL;
	}
	if (*last != ' ' || !is_device(last + 1))
		return NULL;
	for (word = last; word > from && word[-1] != ' '; word--)
		;
	return take_triple(from, word, last, s);
}

const char *xpt_rdma_log_source__find(const char *from, const char *end, struct xpt_rdma_log_source *ret_source)
{
	const char *found;
	size_t n, near;

	if (end - from > NEAR)
		from = end - NEAR;
	near = (size_t)(end - from);
	for (n = near; n; n--) {
		found = find_ending_at(from, from + n - 1, ret_source);
		if (found)
			return take_stamp(from, found, ret_source);
	}
	for (n = near >= GLOG ? near - GLOG + 1 : 0; n; n--)
		if ((n == 1 || !isalnum((unsigned char)from[n - 2])) && take_glog(from + n - 1, ret_source))
			return from + n - 1;
	*ret_source = (struct xpt_rdma_log_source){ 0 };
	return NULL;
}
