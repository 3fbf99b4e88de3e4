// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See log_lines.h. What is put around a text:
 *	{"log":"TEXT\n","stream":"stderr","time":"..."}		Docker's driver json-file
 *	2026-01-01T00:00:00.000000000Z stderr F TEXT		CRI of Kubernetes
 *	[1,12]<stderr>:TEXT					mpirun --tag-output
 *	(RayWorkerWrapper pid=581, ip=10.0.0.1) TEXT		Ray, with or without colours
 *	[2026-01-01 00:00:00] TEXT				NCCL_DEBUG_TIMESTAMP_FORMAT
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/parse.h"
#include "rdma/trace/log_lines.h"

enum { WRAPPERS = 8 };		/* around one another */
enum { TAG = 128 };		/* bytes in which the end of a tag is looked for */

#define DIGITS "0123456789"

int xpt_rdma_log_lines__init(struct xpt_rdma_log_lines *l, FILE *f)
{
	*l = (struct xpt_rdma_log_lines){ .f = f, .line = malloc(XPT_RDMA_LOG_LINE + 1) };
	return l->line ? 0 : -ENOMEM;
}

void xpt_rdma_log_lines__free(struct xpt_rdma_log_lines *l)
{
	free(l->line);
	l->line = NULL;
}

bool xpt_rdma_log_lines__next(struct xpt_rdma_log_lines *l)
{
	size_t n = 0;
	int c;

	flockfile(l->f);
	while ((c = getc_unlocked(l->f)) != EOF && c != '\n') {
		if (n < XPT_RDMA_LOG_LINE)
			l->line[n] = c ? (char)c : '?';
		n++;
	}
	funlockfile(l->f);
	if (c == EOF && (!n || ferror(l->f)))
		return false;
	l->cut += n > XPT_RDMA_LOG_LINE;
	l->line[n < XPT_RDMA_LOG_LINE ? n : XPT_RDMA_LOG_LINE] = '\0';
	l->number++;
	return true;
}

/* An unescaped string is never longer than its JSON, so it has room where that was. */
void xpt_rdma_log__open_json(char *line)
{
	struct xpt_json_text in = { line, strlen(line) };
	size_t room = in.n + 1, n, len;
	const char *key, *text;
	struct xpt_json j;

	if (*line != '{' || !strstr(line, "\"log\"") || xpt_json__init(&j, xpt_json_text__read, &in))
		return;
	if (xpt_json__find_object(&j))
		while (!j.err && xpt_json__key(&j, &key, &n)) {
			if (n != 3 || memcmp(key, "log", 3) != 0) {
				xpt_json__skip(&j);
				continue;
			}
			if (xpt_json__str(&j, &text, &len) && len < room)
				memcpy(line, text, len + 1);
			break;
		}
	xpt_json__free(&j);
}

/*
 * Returns where the text goes on after the escape sequence at s (ECMA-48): CSI has its end in a byte
 * of its own, OSC in BEL or ESC \. Of what has no end only the first two bytes are taken away.
 */
static const char *skip_escape(const char *s)
{
	const char *end = s + 2;

	if ((unsigned char)s[1] < ' ')
		return s + 1;
	if (s[1] == '[') {
		end += strspn(end, "0123456789:;<=>?");
		while (*end >= ' ' && *end <= '/')
			end++;
		return *end >= '@' && *end <= '~' ? end + 1 : s + 2;
	}
	if (s[1] == ']') {
		end += strcspn(end, "\a\033");
		return *end == '\a' ? end + 1 : end[0] && end[1] == '\\' ? end + 2 : s + 2;
	}
	if (s[1] <= '/') {	/* ESC ( B: a set of characters */
		end += strspn(end, " !\"#$%&'()*+,-./");
		return *end ? end + 1 : end;
	}
	return s[1] <= '_' ? end : s + 1;	/* before a small letter it may be a stray byte */
}

char *xpt_rdma_log__part(char **rest)
{
	char *part = *rest + strspn(*rest, "\r\n"), *to = part;
	const char *s = part;

	if (!*part)
		return NULL;
	while (*s && *s != '\r' && *s != '\n') {
		if (*s == '\033')
			s = skip_escape(s);
		else
			*to++ = *s++;
	}
	*rest = part + (s - part) + (*s != '\0');
	*to = '\0';
	return part;
}

/* "[1,12]<stdout>:", also after a date and with the name of a host; NULL: the text begins otherwise. */
static const char *skip_mpirun(const char *s)
{
	static const char *const tags[] = { "]<stdout>:", "]<stderr>:" };
	size_t i, n = strnlen(s, TAG);

	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		const char *tag = memmem(s, n, tags[i], strlen(tags[i])), *open;

		open = tag ? memrchr(s, '[', (size_t)(tag - s)) : NULL;
		if (open && memchr(open, ',', (size_t)(tag - open)))
			return tag + strlen(tags[i]);
	}
	return NULL;
}

static uint32_t take_pid(const char *s)
{
	char digits[12];
	uint64_t v = 0;

	snprintf(digits, sizeof(digits), "%.*s", (int)strnlen(s, strspn(s, DIGITS)), s);
	return xpt_parse_u64(digits, 1, UINT32_MAX, &v) ? 0 : (uint32_t)v;
}

/* "(NAME pid=581, ip=10.0.0.1) " */
static const char *skip_ray(const char *s, uint32_t *ret_pid)
{
	const char *end = *s == '(' ? memchr(s, ')', strnlen(s, TAG)) : NULL;
	const char *pid = end ? memmem(s, (size_t)(end - s), " pid=", 5) : NULL;

	if (!pid)
		return NULL;
	*ret_pid = take_pid(pid + 5);
	return end + 1;
}

/* A date with a time, in brackets or without; after one of a container the stream that it came from. */
static const char *skip_time(const char *s)
{
	static const char *const streams[] = { "stdout F ", "stderr F ", "stdout P ", "stderr P " };
	const char *at = s + (*s == '['), *end;
	size_t i;

	if (strspn(at, DIGITS) != 4 || (at[4] != '-' && at[4] != '/'))
		return NULL;
	end = at + strspn(at, DIGITS "-/:.,+TZ");
	if (*s == '[' || end - at <= 10) {	/* the time may be a word of its own */
		end += *end == ' ';
		end += strspn(end, DIGITS ":.,+Z");
	}
	if (end - at < 16 || (*s == '[' && *end++ != ']') || *end++ != ' ')
		return NULL;
	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if (!strncmp(end, streams[i], strlen(streams[i])))
			return end + strlen(streams[i]);
	return end;
}

const char *xpt_rdma_log__text(const char *part, uint32_t *ret_pid)
{
	const char *next = part;
	int i;

	*ret_pid = 0;
	for (i = 0; next && i < WRAPPERS; i++) {
		part = next + strspn(next, " ");
		next = skip_time(part);
		if (!next)
			next = skip_mpirun(part);
		if (!next)
			next = skip_ray(part, ret_pid);
	}
	return part;
}
