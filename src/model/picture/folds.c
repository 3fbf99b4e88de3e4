/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folded stacks, see folds.h. Frames lose their offsets, so that a function is one
 * box; [libx.so] stands for functions without a name. A call without a stack is below
 * its thread and the traced calls around it, which return after it: it waits for
 * them.
 */
#include "model/picture/folds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "base/text_id.h"
#include "base/utf8.h"

#define MAX_LINES 65536
#define MAX_TEXT (64u << 20)	/* bytes of all lines */
#define MAX_LINE (64u << 10)
#define MAX_THREADS 65536
#define MAX_PENDING 128		/* inner calls that a thread keeps */

struct key {
	uint64_t comm;		/* hash of the process's name */
	const struct xpt_stack *stack;
	const struct xpt_fn *fn;
};

struct inner {
	const struct xpt_fn *fn;
	unsigned depth;
	uint64_t value;
};

struct pending {
	const struct xpt_proc *proc;
	char comm[XPT_COMM_LEN];
	unsigned nr;
	struct inner call[MAX_PENDING];
};

struct fold_thread {
	const struct xpt_proc *proc;
	uint64_t inner[XPT_MAX_DEPTH + 1];	/* ns of calls at this depth since the last one above */
	uint64_t start[XPT_MAX_DEPTH + 1];	/* begin of a call that was reported in flight, */
	uint64_t so_far[XPT_MAX_DEPTH + 1];	/* and its duration at that time */
	struct pending *pending;
};

struct xpt_folds {
	enum xpt_fold_weight weight;
	struct xpt_hashmap *keys;	/* struct key -> index of line */
	struct xpt_hashmap *texts;	/* hash of text -> index of line */
	struct xpt_hashmap *threads;	/* tid -> struct fold_thread */
	struct xpt_fold *line;
	uint32_t nr, cap;
	size_t bytes;
	uint64_t other;
	struct xpt_strbuf sb;
};

static void forget_threads(struct xpt_folds *f);
static void settle_pending(struct xpt_folds *f, struct pending *p, const struct xpt_fn *outer);

int xpt_folds__new(enum xpt_fold_weight weight, struct xpt_folds **ret_f)
{
	struct xpt_folds *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->weight = weight;
	xpt_strbuf__init(&f->sb, MAX_LINE);
	err = xpt_hashmap__new(sizeof(struct key), sizeof(uint32_t), MAX_LINES, &f->keys);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), MAX_LINES, &f->texts);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct fold_thread), MAX_THREADS,
				       &f->threads);
	if (err)
		xpt_folds__free(f);
	else
		*ret_f = f;
	return err;
}

void xpt_folds__free(struct xpt_folds *f)
{
	if (!f)
		return;
	if (f->threads)
		forget_threads(f);
	for (uint32_t i = 0; i < f->nr; i++)
		free(f->line[i].text);
	free(f->line);
	xpt_hashmap__free(f->keys);
	xpt_hashmap__free(f->texts);
	xpt_hashmap__free(f->threads);
	xpt_strbuf__free(&f->sb);
	free(f);
}

enum xpt_fold_weight xpt_fold_weight(const char *path, unsigned weight)
{
	static const char *const names[] = { ".time.", ".bytes.", ".count." };
	const char *dot = path ? strrchr(path, '.') : NULL;

	for (unsigned i = 0; dot && i < XPT_FOLD__MAX; i++) {
		size_t n = strlen(names[i]);

		if ((size_t)(dot - path) + 1 >= n && !strncmp(dot + 1 - n, names[i], n))
			return i;
	}
	return weight < XPT_FOLD__MAX ? weight : XPT_FOLD_TIME;
}

/* --- text --------------------------------------------------------------------- */

/* Appends s; characters that separate frames, end a line or are no text are replaced. */
static void add_clean(struct xpt_strbuf *sb, const char *s, size_t n)
{
	uint32_t cp;

	for (size_t len; n; s += len, n -= len) {
		len = xpt_utf8__decode(s, n, &cp);
		if (!len || xpt_utf8__is_hostile(cp) || cp == ';') {
			xpt_strbuf__addc(sb, len && cp == ';' ? ':' : '?');
			len = len ? len : 1;
		} else {
			xpt_strbuf__addn(sb, s, len);
		}
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

static void add_name(struct xpt_strbuf *sb, const char *name)
{
	add_clean(sb, name, strlen(name));
}

static const char *line_text(struct xpt_folds *f, const struct xpt_call *c)
{
	struct xpt_strbuf *sb = &f->sb;

	xpt_strbuf__reset(sb);
	add_name(sb, c->proc->comm);
	if (!c->stack) {
		xpt_strbuf__addc(sb, ';');
		add_name(sb, c->comm);
	}
	if (c->stack && c->stack->truncated)
		xpt_strbuf__add(sb, ";[truncated]");
	for (uint32_t i = c->stack ? c->stack->nr : 0; i-- > 0;)
		add_frame(sb, &c->stack->frame[i]);
	xpt_strbuf__addc(sb, ';');
	add_name(sb, c->fn->name);
	return xpt_strbuf__err(sb) ? NULL : xpt_strbuf__str(sb);
}

/* --- sums --------------------------------------------------------------------- */

static bool grow_table(struct xpt_folds *f)
{
	uint32_t cap = f->cap ? 2 * f->cap : 256;
	struct xpt_fold *line = reallocarray(f->line, cap, sizeof(*line));

	if (!line)
		return false;
	f->line = line;
	f->cap = cap;
	return true;
}

/* The line of that text, made if it is new; NULL: no room. */
static struct xpt_fold *text_line(struct xpt_folds *f, const char *text)
{
	size_t n = strlen(text);
	uint64_t hash = xpt_text_id(text, n);
	uint32_t *i = xpt_hashmap__find(f->texts, &hash);

	if (i)
		return &f->line[*i];
	if (f->nr == MAX_LINES || f->bytes + n > MAX_TEXT || (f->nr == f->cap && !grow_table(f)))
		return NULL;
	f->line[f->nr] = (struct xpt_fold){ .text = strdup(text) };
	i = f->line[f->nr].text ? xpt_hashmap__get(f->texts, &hash, NULL) : NULL;
	if (!i) {
		free(f->line[f->nr].text);
		return NULL;
	}
	f->bytes += n;
	*i = f->nr;
	return &f->line[f->nr++];
}

static struct xpt_fold *call_line(struct xpt_folds *f, const struct xpt_call *c)
{
	struct key key = { .comm = xpt_text_id(c->proc->comm, strlen(c->proc->comm)),
			   .stack = c->stack, .fn = c->fn };
	const char *text;
	struct xpt_fold *l;
	uint32_t *i;

	if (!c->stack)
		key.comm ^= xpt_text_id(c->comm, strlen(c->comm)) << 1;
	i = xpt_hashmap__find(f->keys, &key);
	if (i)
		return &f->line[*i];
	text = line_text(f, c);
	l = text ? text_line(f, text) : NULL;
	i = l ? xpt_hashmap__get(f->keys, &key, NULL) : NULL;
	if (i)
		*i = (uint32_t)(l - f->line);
	return l;
}

static struct fold_thread *thread_of(struct xpt_folds *f, const struct xpt_call *c, bool make)
{
	struct fold_thread *t = xpt_hashmap__find(f->threads, &c->tid);

	if (!t && make) {
		if (xpt_hashmap__len(f->threads) >= MAX_THREADS)
			forget_threads(f);
		t = xpt_hashmap__get(f->threads, &c->tid, NULL);
	}
	if (t && t->proc != c->proc) {	/* new, or that of another process with its id */
		struct pending *p = t->pending;

		if (p)
			settle_pending(f, p, NULL);
		*t = (struct fold_thread){ .proc = c->proc, .pending = p };
	}
	return t;
}

/*
 * Returns the time of the call that is in no other line: without traced calls
 * inside it, which returned before it did, and without the time reported while
 * it ran. *ret_first: it was not reported before.
 */
static uint64_t own_time(struct xpt_folds *f, const struct xpt_call *c, bool returned, bool *ret_first)
{
	struct fold_thread *t = thread_of(f, c, c->depth || !returned);
	unsigned d = c->depth;
	uint64_t ns = c->dur_ns, inner;

	*ret_first = true;
	if (!t || d >= XPT_MAX_DEPTH)
		return ns;
	if (t->so_far[d] && t->start[d] == c->start_ns) {
		*ret_first = false;
		ns -= t->so_far[d] < ns ? t->so_far[d] : ns;
	}
	t->start[d] = c->start_ns;
	t->so_far[d] = returned ? 0 : c->dur_ns;
	inner = t->inner[d + 1];
	t->inner[d + 1] = 0;
	t->inner[d] += ns;
	if (!d)
		t->inner[0] = 0;
	return ns - (inner < ns ? inner : ns);
}

static void add_value(struct xpt_folds *f, struct xpt_fold *l, uint64_t value)
{
	if (l)
		l->value += value;
	else
		f->other += value;
}

/* Returns the weight of a call, or only the increase if it was reported while it ran. */
static uint64_t weigh_call(struct xpt_folds *f, const struct xpt_call *c, bool returned)
{
	uint64_t bytes = 0, ns;
	bool first;

	ns = own_time(f, c, returned, &first);
	if (f->weight == XPT_FOLD_COUNT)
		return first;
	if (f->weight == XPT_FOLD_TIME)
		return ns;
	if (returned && !(c->flags & XPT_CALL_FAILED) && xpt_call__counts(c))
		xpt_call__bytes(c, &bytes);
	return bytes;
}

/* --- calls without a stack: the functions around them are their stack ------------ */

/* process;thread;outermost;...;function of pending call i; outer: around all, or NULL. */
static void settle_one(struct xpt_folds *f, const struct pending *p, unsigned i,
		       const struct xpt_fn *outer)
{
	const struct xpt_fn *around[MAX_PENDING];	/* a recording may have any depths */
	unsigned depth = p->call[i].depth, n = 0;
	const char *text;

	if (!p->call[i].value)
		return;
	for (unsigned k = i + 1; k < p->nr && depth; k++) {
		if (p->call[k].depth < depth) {	/* returned later, from further out */
			around[n++] = p->call[k].fn;
			depth = p->call[k].depth;
		}
	}
	xpt_strbuf__reset(&f->sb);
	add_name(&f->sb, p->proc->comm);
	xpt_strbuf__addc(&f->sb, ';');
	add_name(&f->sb, p->comm);
	xpt_strbuf__addc(&f->sb, ';');
	if (outer) {
		add_name(&f->sb, outer->name);
		xpt_strbuf__addc(&f->sb, ';');
	}
	while (n) {
		add_name(&f->sb, around[--n]->name);
		xpt_strbuf__addc(&f->sb, ';');
	}
	add_name(&f->sb, p->call[i].fn->name);
	text = xpt_strbuf__err(&f->sb) ? NULL : xpt_strbuf__str(&f->sb);
	add_value(f, text ? text_line(f, text) : NULL, p->call[i].value);
}

static void settle_pending(struct xpt_folds *f, struct pending *p, const struct xpt_fn *outer)
{
	for (unsigned i = 0; i < p->nr; i++)
		settle_one(f, p, i, outer);
	p->nr = 0;
}

static void forget_threads(struct xpt_folds *f)
{
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(f->threads, &pos, NULL, &val)) {
		struct fold_thread *t = val;

		if (t->pending)
			settle_pending(f, t->pending, NULL);
		free(t->pending);
	}
	xpt_hashmap__clear(f->threads);
}

void xpt_folds__forget(struct xpt_folds *f)
{
	const void *key;
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(f->threads, &pos, &key, &val)) {
		struct fold_thread *t = val;

		if (!t->proc->forgotten)
			continue;
		if (t->pending)
			settle_pending(f, t->pending, NULL);
		free(t->pending);
		xpt_hashmap__del(f->threads, key);
	}
}

/* Keeps an inner call until the outermost one has returned and the calls around it are known. */
static bool keep_inner(struct xpt_folds *f, const struct xpt_call *c, uint64_t value)
{
	struct fold_thread *t = thread_of(f, c, true);
	struct pending *p;

	if (t && !t->pending)
		t->pending = calloc(1, sizeof(*t->pending));
	if (!t || !t->pending)
		return false;
	p = t->pending;
	if (p->nr && (p->nr == MAX_PENDING || p->proc != c->proc))
		settle_pending(f, p, NULL);
	p->proc = c->proc;
	snprintf(p->comm, sizeof(p->comm), "%s", c->comm);
	if (p->nr && p->call[p->nr - 1].fn == c->fn && p->call[p->nr - 1].depth == c->depth)
		p->call[p->nr - 1].value += value;
	else
		p->call[p->nr++] = (struct inner){ c->fn, c->depth, value };
	return true;
}

void xpt_folds__call(struct xpt_folds *f, const struct xpt_call *c, bool returned)
{
	uint64_t value = weigh_call(f, c, returned);
	struct fold_thread *t;

	if (!c->stack && c->depth && keep_inner(f, c, value))
		return;
	t = c->depth ? NULL : xpt_hashmap__find(f->threads, &c->tid);
	if (t && t->pending && t->pending->nr)
		settle_pending(f, t->pending, t->pending->proc == c->proc ? c->fn : NULL);
	if (value)
		add_value(f, call_line(f, c), value);
}

/* --- results ------------------------------------------------------------------ */

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct xpt_fold *)a)->text, ((const struct xpt_fold *)b)->text);
}

const struct xpt_fold *xpt_folds__sorted(struct xpt_folds *f, size_t *ret_nr, uint64_t *ret_other)
{
	forget_threads(f);	/* inner calls whose outer ones never returned */
	xpt_hashmap__clear(f->keys);
	xpt_hashmap__clear(f->texts);
	if (f->nr)
		qsort(f->line, f->nr, sizeof(*f->line), by_text);
	*ret_nr = f->nr;
	*ret_other = f->other;
	return f->line;
}
