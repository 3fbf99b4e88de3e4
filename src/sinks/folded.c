/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folded stacks, the input of flame graph tools: one line for each different
 * stack, `process;outermost;...;innermost;function VALUE`, sorted by text.
 *
 * The file's name says what VALUE is: x.folded time in the traced function
 * itself in us (nested traced calls have lines of their own), x.bytes.folded
 * bytes, x.count.folded calls. Frames lose their offsets, so that a function is
 * one box; [libx.so] stands for functions without a name. Bounded: what finds
 * no room is in a line [other].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "model/sink.h"

#define MAX_LINES 65536
#define MAX_TEXT (64u << 20)	/* bytes of all lines */
#define MAX_LINE (64u << 10)
#define MAX_THREADS 65536
#define FLUSH_AT (64u << 10)

enum weight { WEIGHT_TIME, WEIGHT_BYTES, WEIGHT_COUNT };

struct key {
	uint64_t comm;		/* hash of the process's name */
	const struct xpt_stack *stack;
	const struct xpt_fn *fn;
};

struct line {
	char *text;
	uint64_t value;
};

struct thread {
	uint64_t inner[XPT_MAX_DEPTH + 1];	/* ns of calls at this depth since the last one above */
	uint64_t start[XPT_MAX_DEPTH + 1];	/* of a call that was told while it ran, */
	uint64_t told[XPT_MAX_DEPTH + 1];	/* and how long it had run then */
};

struct folded {
	struct xpt_sink_cfg cfg;
	enum weight weight;
	struct xpt_hashmap *keys;	/* struct key -> index of line */
	struct xpt_hashmap *texts;	/* hash of text -> index of line */
	struct xpt_hashmap *threads;	/* tid -> struct thread */
	struct line *line;
	uint32_t nr, cap;
	size_t bytes;
	uint64_t other;
	struct xpt_strbuf sb;
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = s ? strlen(s) : 0, k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

static int folded_open(void *st, const struct xpt_sink_cfg *cfg)
{
	struct folded *f = st;
	int err;

	f->cfg = *cfg;
	f->weight = ends_with(cfg->path, ".bytes.folded") ? WEIGHT_BYTES :
		    ends_with(cfg->path, ".count.folded") ? WEIGHT_COUNT : WEIGHT_TIME;
	xpt_strbuf__init(&f->sb, MAX_LINE);
	err = xpt_hashmap__new(sizeof(struct key), sizeof(uint32_t), MAX_LINES, &f->keys);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), MAX_LINES, &f->texts);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct thread), MAX_THREADS,
				       &f->threads);
	return err;
}

/* --- text --------------------------------------------------------------------- */

/* What separates frames, ends a line, or is no text. */
static void add_clean(struct xpt_strbuf *sb, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		xpt_strbuf__addc(sb, c == ';' ? ':' : c < ' ' || c == 0x7f ? '?' : (char)c);
	}
}

/* Bytes of fn before "+0x12", all of it without such an end. */
static size_t name_len(const char *fn)
{
	const char *plus = strrchr(fn, '+');

	if (!plus || strncmp(plus, "+0x", 3) != 0 || !plus[3] ||
	    plus[3 + strspn(plus + 3, "0123456789abcdef")])
		return strlen(fn);
	return (size_t)(plus - fn);
}

static void add_frame(struct xpt_strbuf *sb, const struct xpt_frame_name *frame)
{
	const char *slash = strrchr(frame->module, '/');
	const char *file = slash ? slash + 1 : frame->module;
	size_t n = name_len(frame->fn);

	xpt_strbuf__addc(sb, ';');
	if (n && strncmp(frame->fn, "0x", 2) != 0 &&
	    !(n == strlen(file) && !strncmp(frame->fn, file, n))) {
		add_clean(sb, frame->fn, n);
		return;
	}
	/* No name: the module's, which has brackets of its own if it is no file. */
	if (file[0] == '[') {
		add_clean(sb, file, strlen(file));
		return;
	}
	xpt_strbuf__addc(sb, '[');
	add_clean(sb, file[0] ? file : "unknown", strlen(file[0] ? file : "unknown"));
	xpt_strbuf__addc(sb, ']');
}

static const char *line_text(struct folded *f, const struct xpt_call *c)
{
	struct xpt_strbuf *sb = &f->sb;

	xpt_strbuf__reset(sb);
	add_clean(sb, c->proc->comm, strlen(c->proc->comm));
	if (c->stack && c->stack->truncated)
		xpt_strbuf__add(sb, ";[truncated]");
	for (uint32_t i = c->stack ? c->stack->nr : 0; i-- > 0;)
		add_frame(sb, &c->stack->frame[i]);
	xpt_strbuf__addc(sb, ';');
	add_clean(sb, c->fn->name, strlen(c->fn->name));
	return xpt_strbuf__err(sb) ? NULL : xpt_strbuf__str(sb);
}

/* --- sums --------------------------------------------------------------------- */

static bool grow(struct folded *f)
{
	uint32_t cap = f->cap ? 2 * f->cap : 256;
	struct line *line = reallocarray(f->line, cap, sizeof(*line));

	if (!line)
		return false;
	f->line = line;
	f->cap = cap;
	return true;
}

/* The line of that text, made if it is new; NULL: no room. */
static struct line *text_line(struct folded *f, const char *text)
{
	size_t n = strlen(text);
	uint64_t hash = xpt_hash(text, n);
	uint32_t *i = xpt_hashmap__find(f->texts, &hash);

	if (i)
		return &f->line[*i];
	if (f->nr == MAX_LINES || f->bytes + n > MAX_TEXT || (f->nr == f->cap && !grow(f)))
		return NULL;
	f->line[f->nr] = (struct line){ .text = strdup(text) };
	i = f->line[f->nr].text ? xpt_hashmap__get(f->texts, &hash, NULL) : NULL;
	if (!i) {
		free(f->line[f->nr].text);
		return NULL;
	}
	f->bytes += n;
	*i = f->nr;
	return &f->line[f->nr++];
}

static struct line *call_line(struct folded *f, const struct xpt_call *c)
{
	struct key key = { .comm = xpt_hash(c->proc->comm, strlen(c->proc->comm)),
			   .stack = c->stack, .fn = c->fn };
	uint32_t *i = xpt_hashmap__find(f->keys, &key);
	const char *text;
	struct line *l;

	if (i)
		return &f->line[*i];
	text = line_text(f, c);
	l = text ? text_line(f, text) : NULL;
	i = l ? xpt_hashmap__get(f->keys, &key, NULL) : NULL;
	if (i)
		*i = (uint32_t)(l - f->line);
	return l;
}

static struct thread *thread_of(struct folded *f, const struct xpt_call *c, bool make)
{
	struct thread *t = xpt_hashmap__find(f->threads, &c->tid);

	if (t || !make)
		return t;
	if (xpt_hashmap__len(f->threads) >= MAX_THREADS)
		xpt_hashmap__clear(f->threads);
	return xpt_hashmap__get(f->threads, &c->tid, NULL);
}

/*
 * Time of the call that is in no other line: without traced calls inside it,
 * which returned before it did, and without what was told while it ran.
 * *ret_first: it was not told before.
 */
static uint64_t own_time(struct folded *f, const struct xpt_call *c, bool returned, bool *ret_first)
{
	struct thread *t = thread_of(f, c, c->depth || !returned);
	unsigned d = c->depth;
	uint64_t ns = c->dur_ns, inner;

	*ret_first = true;
	if (!t || d >= XPT_MAX_DEPTH)
		return ns;
	if (t->told[d] && t->start[d] == c->start_ns) {
		*ret_first = false;
		ns -= t->told[d] < ns ? t->told[d] : ns;
	}
	t->start[d] = c->start_ns;
	t->told[d] = returned ? 0 : c->dur_ns;
	inner = t->inner[d + 1];
	t->inner[d + 1] = 0;
	t->inner[d] += ns;
	if (!d)
		t->inner[0] = 0;
	return ns - (inner < ns ? inner : ns);
}

static void on_call(struct folded *f, const struct xpt_call *c, bool returned)
{
	uint64_t value, bytes = 0;
	struct line *l;
	bool first;

	value = own_time(f, c, returned, &first);
	if (f->weight == WEIGHT_COUNT)
		value = first;
	if (f->weight == WEIGHT_BYTES) {
		if (returned && !(c->flags & XPT_CALL_FAILED) && xpt_call__counts(c))
			xpt_call__bytes(c, &bytes);
		value = bytes;
	}
	if (!value)
		return;
	l = call_line(f, c);
	if (l)
		l->value += value;
	else
		f->other += value;
}

static int folded_event(void *st, const struct xpt_event *ev)
{
	if (ev->kind == XPT_EV_CALL || ev->kind == XPT_EV_INFLIGHT)
		on_call(st, &ev->u.call, ev->kind == XPT_EV_CALL);
	return 0;
}

/* --- writing ------------------------------------------------------------------ */

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

static int flush_buf(struct folded *f, struct xpt_strbuf *sb)
{
	int err = 0;

	errno = 0;
	if (xpt_strbuf__err(sb))
		err = xpt_strbuf__err(sb);
	else if (fwrite(xpt_strbuf__str(sb), 1, sb->len, f->cfg.file) != sb->len)
		err = errno ? -errno : -EIO;
	xpt_strbuf__reset(sb);
	return err;
}

static int put(struct folded *f, struct xpt_strbuf *sb, const char *text, uint64_t value)
{
	uint64_t v = f->weight == WEIGHT_TIME ? (value + 500) / 1000 : value;

	if (!v)
		return 0;
	xpt_strbuf__add(sb, text);
	xpt_strbuf__addc(sb, ' ');
	xpt_strbuf__addu64(sb, v);
	xpt_strbuf__addc(sb, '\n');
	return sb->len >= FLUSH_AT ? flush_buf(f, sb) : 0;
}

static int write_lines(struct folded *f)
{
	struct xpt_strbuf sb;
	int err = 0;

	xpt_strbuf__init(&sb, FLUSH_AT + 2 * MAX_LINE);
	if (f->nr)
		qsort(f->line, f->nr, sizeof(*f->line), by_text);
	for (uint32_t i = 0; !err && i < f->nr; i++)
		err = put(f, &sb, f->line[i].text, f->line[i].value);
	if (!err)
		err = put(f, &sb, "[other]", f->other);
	if (!err)
		err = flush_buf(f, &sb);
	if (fflush(f->cfg.file) != 0 && !err)
		err = -errno;
	xpt_strbuf__free(&sb);
	return err;
}

static int folded_close(void *st)
{
	struct folded *f = st;
	int err = f->cfg.file ? write_lines(f) : 0;

	for (uint32_t i = 0; i < f->nr; i++)
		free(f->line[i].text);
	free(f->line);
	xpt_hashmap__free(f->keys);
	xpt_hashmap__free(f->texts);
	xpt_hashmap__free(f->threads);
	xpt_strbuf__free(&f->sb);
	return err;
}

const struct xpt_sink xpt_sink_folded = {
	.name = "folded",
	.help = "stacks with their time, bytes or calls, for flame graphs",
	.ext = "folded",
	.state_size = sizeof(struct folded),
	.open = folded_open,
	.event = folded_event,
	.close = folded_close,
};
