// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See log_lines.h. Additions around a text:
 *	{"log":"TEXT\n","stream":"stderr","time":"..."}		Docker's driver json-file, and those like it
 *	2026-01-01T00:00:00.000000000Z stderr F TEXT		CRI of Kubernetes
 *	[1,12]<stderr>:TEXT					mpirun --tag-output
 *	(RayWorkerWrapper pid=581, ip=10.0.0.1) TEXT		Ray and vLLM, with or without colours
 *	[2026-01-01 00:00:00] TEXT				NCCL_DEBUG_TIMESTAMP_FORMAT
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/formats/json_reader.h"
#include "rdma/trace/job_log/log_code.h"
#include "rdma/trace/job_log/log_lines.h"

enum { WRAPPERS = 8 };		/* around one another */
enum { TAG = 128 };		/* bytes in which the end of a tag is looked for */

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

static bool is_key(const char *key, size_t n, const char *const *keys)
{
	for (; *keys; keys++)
		if (n == strlen(*keys) && !memcmp(key, *keys, n))
			return true;
	return false;
}

/* An unescaped string is never longer than its JSON, so it has room where that was. */
static void copy_json(struct xpt_json *j, char *line, size_t room, struct xpt_rdma_log_time *ret_t)
{
	static const char *const texts[] = { "log", "message", "MESSAGE", "msg", "line", NULL };
	static const char *const times[] = { "time", "timestamp", "ts", "@timestamp", NULL };
	bool has_text = false;
	const char *key, *text;
	size_t n, len;

	while (!j->err && xpt_json__key(j, &key, &n)) {
		bool is_text = !has_text && is_key(key, n, texts);

		if (!is_text && !is_key(key, n, times)) {
			xpt_json__skip(j);
		} else if (xpt_json__str(j, &text, &len) && len < room) {
			if (is_text)
				memcpy(line, text, len + 1);
			else
				xpt_rdma_log_time__parse(text, ret_t);
			has_text |= is_text;
		}
	}
	ret_t->is_outer = true;
}

void xpt_rdma_log__open_json(char *line, struct xpt_rdma_log_time *ret_t)
{
	char *copy = *line == '{' && strstr(line, "\":") ? strdup(line) : NULL;
	size_t n = copy ? strlen(copy) : 0;
	struct xpt_json_text in = { copy, n };
	struct xpt_json j;

	*ret_t = (struct xpt_rdma_log_time){ 0 };
	if (copy && !xpt_json__init(&j, xpt_json_text__read, &in)) {
		if (xpt_json__find_object(&j))
			copy_json(&j, line, n + 1, ret_t);
		xpt_json__free(&j);
	}
	free(copy);
}

/*
 * Returns where the text goes on after the escape sequence at s (ECMA-48): CSI has its end in a byte of its own,
 * OSC in BEL or ESC \. Of a sequence that has no end only the first two bytes are taken away.
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
static char *skip_mpirun(char *s)
{
	static const char *const tags[] = { "]<stdout>:", "]<stderr>:" };
	size_t i, n = strnlen(s, TAG);

	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		char *tag = memmem(s, n, tags[i], strlen(tags[i])), *open;

		open = tag ? memrchr(s, '[', (size_t)(tag - s)) : NULL;
		if (open && memchr(open, ',', (size_t)(tag - open)))
			return tag + strlen(tags[i]);
	}
	return NULL;
}

/* "(NAME pid=581, ip=10.0.0.1) " */
static char *skip_ray(char *s, uint32_t *ret_pid)
{
	char *end = *s == '(' ? memchr(s, ')', strnlen(s, TAG)) : NULL;
	const char *pid = end ? memmem(s, (size_t)(end - s), " pid=", 5) : NULL;

	if (!pid)
		return NULL;
	*ret_pid = xpt_rdma_log_number(pid + 5, UINT32_MAX, NULL);
	return end + 1;
}

/*
 * A date with a time, in brackets or without; after one of a container the stream that it came from. Who puts a
 * time in brackets is the program itself.
 */
static char *skip_time(char *s, struct xpt_rdma_log_time *ret_t)
{
	static const char *const streams[] = { "stdout F ", "stderr F ", "stdout P ", "stderr P " };
	bool is_boxed = *s == '[';
	struct xpt_rdma_log_time t;
	char *end = (char *)(uintptr_t)xpt_rdma_log_time__parse(s + is_boxed, &t);
	size_t i;

	if (!end || t.clock == XPT_RDMA_TIME_OF_DAY || (is_boxed && *end++ != ']') || *end++ != ' ')
		return NULL;
	t.is_outer = !is_boxed;
	*ret_t = t;
	for (i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if (!strncmp(end, streams[i], strlen(streams[i])))
			return end + strlen(streams[i]);
	return end;
}

char *xpt_rdma_log__text(char *part, struct xpt_rdma_log_tag *tag)
{
	char *next = part;
	int i;

	for (i = 0; next && i < WRAPPERS; i++) {
		part = next + strspn(next, " ");
		next = skip_time(part, &tag->when);
		if (!next)
			next = skip_mpirun(part);
		if (!next)
			next = skip_ray(part, &tag->pid);
	}
	return part;
}
