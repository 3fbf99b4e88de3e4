// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads one JSON line of a trace, see json_line.h. Keys that are not known are passed over,
 * for keys are only ever added.
 */
#include "pipeline/recording/json_line.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/parse.h"

#define NS_DIGITS 9		/* of seconds */
#define US_DIGITS 3		/* of microseconds */

/* Types of the value of a key. */
enum into { TEXT, U64, BOOL, SECONDS, MICROSECONDS };

#define TEXT_OF(m) TEXT, offsetof(struct xpt_line, m), sizeof(((struct xpt_line *)0)->m)
#define OTHER_OF(how, m) how, offsetof(struct xpt_line, m), 0

static const struct {
	const char *key;
	enum into into;
	size_t offset, size;
} keys[] = {
	{ "ts", OTHER_OF(SECONDS, ts_ns) }, { "type", TEXT_OF(type) }, { "layer", TEXT_OF(layer) },
	{ "domain", TEXT_OF(domain) }, { "class", TEXT_OF(cls) }, { "kind", TEXT_OF(kind) },
	{ "name", TEXT_OF(name) }, { "pid", OTHER_OF(U64, pid) }, { "tid", OTHER_OF(U64, tid) },
	{ "ns_pid", OTHER_OF(U64, ns_pid) }, { "container", TEXT_OF(container) },
	{ "pod", TEXT_OF(pod) }, { "slurm_job", TEXT_OF(slurm_job) },
	{ "comm", TEXT_OF(comm) }, { "depth", OTHER_OF(U64, depth) },
	{ "duration_us", OTHER_OF(MICROSECONDS, dur_ns) }, { "age_us", OTHER_OF(MICROSECONDS, age_ns) },
	{ "failed", OTHER_OF(BOOL, failed) }, { "left", OTHER_OF(BOOL, left) },
	{ "in_flight", OTHER_OF(BOOL, in_flight) }, { "size", OTHER_OF(U64, size) },
	{ "direction", TEXT_OF(direction) }, { "signal", TEXT_OF(signal) },
	{ "stack_truncated", OTHER_OF(BOOL, truncated) },
	{ "count", OTHER_OF(U64, count) }, { "xid", OTHER_OF(U64, xid) }, { "device", TEXT_OF(device) },
	{ "named", OTHER_OF(BOOL, named) }, { "source", TEXT_OF(source) }, { "text", TEXT_OF(text) },
};

/* Copies the text, cut to the room there is. */
static void copy_text(char *to, size_t room, const char *s, size_t n)
{
	n = n < room ? n : room - 1;
	memcpy(to, s, n);
	to[n] = '\0';
}

/* False: the value is of another kind, null for example. */
static bool read_into(struct xpt_json *j, enum into into, char *to, size_t size)
{
	const char *s;
	size_t n;

	switch (into) {
	case TEXT:
		if (!xpt_json__str(j, &s, &n))
			return false;
		copy_text(to, size, s, n);
		return true;
	case U64:
		return xpt_json__u64(j, (uint64_t *)(void *)to);
	case BOOL:
		return xpt_json__bool(j, (bool *)(void *)to);
	default:
		return xpt_json__fixed(j, into == SECONDS ? NS_DIGITS : US_DIGITS, (uint64_t *)(void *)to);
	}
}

static bool is_hex_number(const char *s, uint64_t *ret_v)
{
	return s[0] == '0' && s[1] == 'x' && !xpt_parse_u64(s, 0, UINT64_MAX, ret_v);
}

static bool read_number(struct xpt_json *j, uint64_t *ret_v)
{
	int64_t v;

	if (!xpt_json__minus(j))
		return xpt_json__u64(j, ret_v);
	if (!xpt_json__i64(j, &v))
		return false;
	*ret_v = (uint64_t)v;
	return true;
}

/* Reads the return value of the call: a number, an address as text, or null. */
static void read_code(struct xpt_json *j, struct xpt_line *l)
{
	enum xpt_json_kind kind = xpt_json__kind(j);
	uint64_t v = 0;
	const char *s;
	size_t n;

	if (kind == XPT_JSON_NUMBER) {
		l->has_code = read_number(j, &v);
	} else if (kind == XPT_JSON_STRING) {
		l->has_code = l->code_is_hex = xpt_json__str(j, &s, &n) && is_hex_number(s, &v);
	} else {
		xpt_json__skip(j);
	}
	l->code = (int64_t)v;
}

static void keep_text(struct xpt_line *l, struct xpt_line_arg *a, const char *s, size_t n)
{
	if (n + 1 > sizeof(l->texts) - l->texts_len)
		return;
	a->kind = XPT_LINE_TEXT;
	a->text = (uint16_t)l->texts_len;
	copy_text(l->texts + l->texts_len, n + 1, s, n);
	l->texts_len += n + 1;
}

static void read_arg(struct xpt_json *j, struct xpt_line *l, struct xpt_line_arg *a)
{
	enum xpt_json_kind kind = xpt_json__kind(j);
	const char *s;
	size_t n;

	if (kind == XPT_JSON_NUMBER) {
		a->kind = read_number(j, &a->number) ? XPT_LINE_NUMBER : XPT_LINE_NULL;
	} else if (kind == XPT_JSON_STRING) {
		if (!xpt_json__str(j, &s, &n))
			return;
		a->is_hex = is_hex_number(s, &a->number);
		keep_text(l, a, s, n);
	} else {
		xpt_json__skip(j);
	}
}

static bool has_arg(const struct xpt_line *l, const char *name, size_t n)
{
	unsigned i;

	for (i = 0; i < l->nr_args; i++)
		if (strlen(l->arg[i].name) == n && !memcmp(l->arg[i].name, name, n))
			return true;
	return false;
}

/* Reads arguments. If a name comes twice, the first counts: lines of xputrace have each name once. */
static void read_args(struct xpt_json *j, struct xpt_line *l)
{
	const char *key;
	size_t n;

	if (!xpt_json__enter(j, XPT_JSON_OBJECT))
		return;
	while (xpt_json__key(j, &key, &n)) {
		struct xpt_line_arg *a = &l->arg[l->nr_args];

		if (l->nr_args == XPT_MAX_VALS || n >= sizeof(a->name) || has_arg(l, key, n)) {
			xpt_json__skip(j);
			continue;
		}
		*a = (struct xpt_line_arg){ .kind = XPT_LINE_NULL };
		copy_text(a->name, sizeof(a->name), key, n);
		l->nr_args++;
		read_arg(j, l, a);
	}
}

static void read_stack(struct xpt_json *j, struct xpt_line *l)
{
	const char *s;
	size_t n;

	if (!xpt_json__enter(j, XPT_JSON_ARRAY))
		return;
	while (xpt_json__item(j)) {
		if (!xpt_json__str(j, &s, &n))
			continue;
		if (l->nr_frames == XPT_STACK_DEPTH || n + 1 > sizeof(l->stack) - l->stack_len) {
			l->truncated = true;
			continue;
		}
		copy_text(l->stack + l->stack_len, n + 1, s, n);
		l->stack_len += n + 1;
		l->nr_frames++;
	}
}

/* Names of the states of a kind of object, from 0 on. */
static void read_names(struct xpt_json *j, struct xpt_line *l)
{
	const char *s;
	size_t n;

	if (!xpt_json__enter(j, XPT_JSON_ARRAY))
		return;
	while (xpt_json__item(j)) {
		/* Lines that xputrace wrote never have this. */
		if (!xpt_json__str(j, &s, &n) || sizeof(l->texts) - l->texts_len < n + 1) {
			s = "?";	/* the names after it keep their numbers */
			n = 1;
		}
		if (sizeof(l->texts) - l->texts_len < n + 1)
			continue;
		if (l->texts_len > 1)
			l->texts[l->texts_len - 1] = ',';
		copy_text(l->texts + l->texts_len, n + 1, s, n);
		for (size_t i = 0; i < n; i++)
			if (l->texts[l->texts_len + i] == ',')
				l->texts[l->texts_len + i] = '?';
		l->texts_len += n + 1;
	}
}

static void read_plain(struct xpt_json *j, struct xpt_line *l, const char *key)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		bool ok;

		if (strcmp(keys[i].key, key) != 0)
			continue;
		ok = read_into(j, keys[i].into, (char *)l + keys[i].offset, keys[i].size);
		l->has_ts |= ok && keys[i].offset == offsetof(struct xpt_line, ts_ns);
		l->has_pid |= ok && keys[i].offset == offsetof(struct xpt_line, pid);
		l->has_size |= ok && keys[i].offset == offsetof(struct xpt_line, size);
		return;
	}
	xpt_json__skip(j);
}

static void read_value(struct xpt_json *j, struct xpt_line *l, const char *key)
{
	const char *s;
	size_t n;

	if (!strcmp(key, "args"))
		read_args(j, l);
	else if (!strcmp(key, "stack"))
		read_stack(j, l);
	else if (!strcmp(key, "names"))
		read_names(j, l);
	else if (!strcmp(key, "code"))
		read_code(j, l);
	else if (!strcmp(key, "phase"))
		l->phase = xpt_json__str(j, &s, &n) ? *s : '\0';
	else if (!strcmp(key, "result"))
		l->has_result = xpt_json__str(j, &s, &n);
	else
		read_plain(j, l, key);
}

/* Returns the type of the line, by all that was read. */
static enum xpt_line_content judge_line(const struct xpt_line *l)
{
	if (!strcmp(l->type, "states"))	/* at no time: its names hold for all lines */
		return l->kind[0] && l->texts_len > 1 ? XPT_LINE_STATES : XPT_LINE_NONE;
	if (!l->has_ts || !l->type[0])
		return XPT_LINE_NONE;
	if (!strcmp(l->type, "loss"))
		return l->name[0] ? XPT_LINE_LOSS : XPT_LINE_NONE;
	if (!strcmp(l->type, "xid"))
		return XPT_LINE_XID;
	if (!strcmp(l->type, "device") || !strcmp(l->type, "reading"))
		return XPT_LINE_DEVICE;
	return l->name[0] && l->domain[0] && l->has_pid && l->phase && l->pid <= UINT32_MAX &&
	       l->tid <= UINT32_MAX && l->ns_pid <= UINT32_MAX ? XPT_LINE_CALL : XPT_LINE_NONE;
}

int xpt_line__read(struct xpt_json *j, struct xpt_line *ret_line)
{
	struct xpt_line *l = ret_line;
	char key[XPT_LINE_WORD];
	const char *s;
	size_t n;

	/* The long texts are only read as far as they were written. */
	memset(l, 0, offsetof(struct xpt_line, texts));
	l->texts[0] = '\0';
	l->texts_len = 1;
	if (!xpt_json__find_object(j))
		return j->err == -ENODATA ? 0 : j->err;
	while (xpt_json__key(j, &s, &n)) {
		copy_text(key, sizeof(key), s, n);	/* it lives until the value is read */
		read_value(j, l, key);
	}
	l->content = judge_line(l);
	return j->err ? j->err : 1;
}

static int keep_early(struct xpt_early_states *s, const struct xpt_line *line)
{
	char *names = strdup(line->texts + 1);
	unsigned i = 0;

	if (!names)
		return -ENOMEM;
	while (i < s->nr && strcmp(s->of[i].kind, line->kind) != 0)
		i++;
	if (i == XPT_EARLY_STATES) {
		s->left_out++;
		free(names);
		return 0;
	}
	if (i == s->nr)
		memcpy(s->of[s->nr++].kind, line->kind, XPT_LINE_WORD);
	else
		free(s->of[i].names);
	s->of[i].names = names;
	return 0;
}

int xpt_early_states__read(struct xpt_early_states *s, struct xpt_json *j, struct xpt_line *ret_line)
{
	int more;

	while ((more = xpt_line__read(j, ret_line)) > 0 && ret_line->content == XPT_LINE_STATES)
		if (keep_early(s, ret_line))
			return -ENOMEM;
	return more;
}

void xpt_early_states__free(struct xpt_early_states *s)
{
	for (; s->nr; s->nr--)
		free(s->of[s->nr - 1].names);
}
