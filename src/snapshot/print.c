// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints the data of a collector as a document (snapshot.h): counts are added up by process and function. Processes
 * without a place of their own are added up as "(other)".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/vocab.h"
#include "snapshot/collector_priv.h"

struct row_key {			/* no padding: it is hashed */
	const struct xpt_proc *proc;	/* NULL: the others */
	const struct xpt_fn *fn;
};

struct line {				/* a row with its key, in the order of the document */
	struct row_key key;
	struct xpt_snapshot_row *row;
};

struct page {
	const struct xpt_collector *c;
	struct xpt_strbuf *sb;
	struct xpt_hashmap *rows;	/* struct row_key -> struct xpt_snapshot_row */
	struct line *line;
	size_t nr;
	uint32_t number[XPT_MAX_FNS];	/* of a function in the document, plus 1, by its id; 0: it has none */
	uint32_t nr_functions;
	bool is_full;			/* a row had no room */
	uint64_t cut;			/* rows and readings that the document has no room for */
};

/* --- adding up ---------------------------------------------------------------------------------------- */

static struct xpt_snapshot_row *row_of(struct page *p, const struct xpt_proc *proc, const struct xpt_fn *fn)
{
	const struct row_key key = { xpt_collector__has_place(p->c, proc) ? proc : NULL, fn };
	struct xpt_snapshot_row *row = fn->id < XPT_MAX_FNS ? xpt_hashmap__get(p->rows, &key, NULL) : NULL;

	p->is_full |= !row;
	return row;
}

static void add_sums(struct page *p, const struct xpt_collector_key *key, const struct xpt_collector_sums *n)
{
	struct xpt_snapshot_row *row = row_of(p, key->proc, key->fn);

	if (!row)
		return;
	row->calls += n->calls;
	row->time_ns += n->time_ns;
	row->bytes[key->detail & XPT_SUB_DIR] += n->bytes;
	row->benign += n->errors;	/* all errors; finish_row() subtracts failures */
	for (unsigned i = 0; i < XPT_DURATIONS; i++)
		row->took[i] += n->took[i];
	if (key->detail & XPT_SUB_NESTED) {
		row->nested_calls += n->calls;
		row->nested_errors += n->errors;
	}
	if (key->detail & XPT_SUB_OUTER) {
		row->outer_calls += n->calls;
		row->outer_ns += n->time_ns;
		row->outer_bytes += n->bytes;
	}
}

static void add_errors(struct page *p, const struct xpt_collector_key *key, uint64_t calls)
{
	struct xpt_snapshot_row *row = row_of(p, key->proc, key->fn);

	if (row)
		row->errors += calls;
}

/*
 * Computes the benign answers: the errors of all calls without those whose code is a failure.
 */
static void finish_row(struct xpt_snapshot_row *row)
{
	row->benign = row->benign > row->errors ? row->benign - row->errors : 0;
}

static void add_counts(struct page *p)
{
	const void *key;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(p->c->counts, &pos, &key, &v)) {
		const struct xpt_collector_count *count = v;

		add_sums(p, key, &count->ended);
		add_sums(p, key, &count->now);
	}
	for (pos = 0; xpt_hashmap__next(p->c->gone, &pos, &key, &v); )
		add_sums(p, key, v);
}

static void add_all_errors(struct page *p)
{
	const void *key;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(p->c->errors, &pos, &key, &v)) {
		const struct xpt_collector_error *error = v;

		add_errors(p, key, error->ended + error->now);
	}
	for (pos = 0; xpt_hashmap__next(p->c->gone_errors, &pos, &key, &v); )
		add_errors(p, key, *(const uint64_t *)v);
}

static void add_waiting(struct page *p)
{
	const void *k;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(p->c->open_calls, &pos, &k, &v)) {
		const struct xpt_collector_key *key = k;
		const struct xpt_collector_waiting *w = v;
		struct xpt_snapshot_row *row = row_of(p, key->proc, key->fn);

		if (!row)
			continue;
		row->waiting += w->calls;
		row->waited_ns += w->sum_ns;
		row->oldest_ns = w->oldest_ns > row->oldest_ns ? w->oldest_ns : row->oldest_ns;
	}
}

static int compare_processes(const struct xpt_proc *a, const struct xpt_proc *b)
{
	if (!a || !b)
		return !!a - !!b;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->first_ns < b->first_ns ? -1 : a->first_ns > b->first_ns;
}

static int compare_lines(const void *x, const void *y)
{
	const struct line *a = x, *b = y;
	int diff = compare_processes(a->key.proc, b->key.proc);

	if (!diff && a->key.proc != b->key.proc)	/* two processes that were first seen at the same time */
		diff = a->key.proc < b->key.proc ? -1 : 1;
	return diff ? diff : a->key.fn->id < b->key.fn->id ? -1 : a->key.fn->id > b->key.fn->id;
}

static int make_lines(struct page *p)
{
	const void *key;
	size_t pos = 0;
	void *row;

	add_counts(p);
	add_all_errors(p);
	add_waiting(p);
	p->line = calloc(xpt_hashmap__len(p->rows) + 1, sizeof(*p->line));
	if (!p->line)
		return -ENOMEM;
	while (xpt_hashmap__next(p->rows, &pos, &key, &row)) {
		finish_row(row);
		p->line[p->nr++] = (struct line){ *(const struct row_key *)key, row };
	}
	qsort(p->line, p->nr, sizeof(*p->line), compare_lines);
	return 0;
}

/* --- printing --------------------------------------------------------------------------------------------- */

static void print_u64(struct xpt_strbuf *sb, const char *key, uint64_t v)
{
	xpt_strbuf__addf(sb, "\"%s\":%" PRIu64, key, v);
}

/* Adds ,"key":v; nothing if v is 0. */
static void print_more(struct xpt_strbuf *sb, const char *key, uint64_t v)
{
	if (!v)
		return;
	xpt_strbuf__addc(sb, ',');
	print_u64(sb, key, v);
}

static void print_text(struct xpt_strbuf *sb, const char *key, const char *text)
{
	xpt_strbuf__addf(sb, "\"%s\":", key);
	xpt_strbuf__add_json(sb, text ? text : "");
}

/* Whether the document has room for another row. A quarter is reserved for devices and the largest row. */
static bool has_room(const struct page *p)
{
	return p->sb->len < p->sb->max - p->sb->max / 4;
}

/* Functions without room have no number, and their rows are not printed. */
static void print_functions(struct page *p)
{
	for (size_t i = 0; i < p->nr; i++) {
		const struct xpt_fn *fn = p->line[i].key.fn;

		if (p->number[fn->id] || p->nr_functions == XPT_SNAPSHOT_FUNCTIONS || !has_room(p))
			continue;
		xpt_strbuf__add(p->sb, p->nr_functions ? ",{" : "{");
		print_text(p->sb, "name", fn->name);
		xpt_strbuf__addc(p->sb, ',');
		print_text(p->sb, "domain", fn->domain_name);
		xpt_strbuf__addc(p->sb, ',');
		print_text(p->sb, "class", xpt_class_name(fn->cls));
		xpt_strbuf__addc(p->sb, '}');
		p->number[fn->id] = ++p->nr_functions;
	}
}

static void print_bytes(struct xpt_strbuf *sb, const struct xpt_snapshot_row *row)
{
	bool any = false;

	for (unsigned dir = 0; dir < XPT_DIR__MAX; dir++) {
		if (!row->bytes[dir])
			continue;
		xpt_strbuf__add(sb, any ? "," : ",\"bytes\":{");
		print_u64(sb, xpt_dir_name(dir), row->bytes[dir]);
		any = true;
	}
	if (any)
		xpt_strbuf__addc(sb, '}');
}

/* Prints the buckets up to the last one that has calls. */
static void print_durations(struct xpt_strbuf *sb, const struct xpt_snapshot_row *row)
{
	unsigned nr = XPT_DURATIONS;

	while (nr && !row->took[nr - 1])
		nr--;
	for (unsigned i = 0; i < nr; i++) {
		xpt_strbuf__add(sb, i ? "," : ",\"durations\":[");
		xpt_strbuf__addu64(sb, row->took[i]);
	}
	if (nr)
		xpt_strbuf__addc(sb, ']');
}

static void print_row(struct page *p, const struct line *l)
{
	const struct xpt_snapshot_row *row = l->row;

	xpt_strbuf__addc(p->sb, '{');
	print_u64(p->sb, "function", p->number[l->key.fn->id] - 1);
	print_more(p->sb, "calls", row->calls);
	print_more(p->sb, "time_ns", row->time_ns);
	print_more(p->sb, "errors", row->errors);
	print_more(p->sb, "nested_calls", row->nested_calls);
	print_more(p->sb, "nested_errors", row->nested_errors);
	print_more(p->sb, "benign_errors", row->benign);
	print_more(p->sb, "outer_calls", row->outer_calls);
	print_more(p->sb, "outer_ns", row->outer_ns);
	print_more(p->sb, "outer_bytes", row->outer_bytes);
	print_bytes(p->sb, row);
	print_durations(p->sb, row);
	print_more(p->sb, "in_flight", row->waiting);
	print_more(p->sb, "oldest_ns", row->oldest_ns);
	print_more(p->sb, "waited_ns", row->waited_ns);
	xpt_strbuf__addc(p->sb, '}');
}

/* Prints open bytes by kind, without unknown sums; nothing for a process that never had memory. */
static void print_open_bytes(struct page *p, const struct xpt_proc *proc)
{
	struct xpt_open_bytes open;
	bool any = false;

	if (!proc || !p->c->open_bytes || !p->c->open_bytes(p->c->open_bytes_ctx, proc, &open) || open.is_unknown)
		return;
	for (unsigned kind = 0; kind < XPT_KIND__MAX; kind++) {
		if (!(open.kinds & 1u << kind))
			continue;
		xpt_strbuf__addf(p->sb, "%s\"%s\":%" PRIu64, any ? "," : ",\"open_bytes\":{", xpt_kind_name(kind),
				 open.bytes[kind]);
		any = true;
	}
	if (any)
		xpt_strbuf__addc(p->sb, '}');
}

static void print_process(struct page *p, const struct xpt_proc *proc)
{
	const struct xpt_collector_place *place = proc ? xpt_hashmap__find(p->c->places, &proc) : NULL;

	print_u64(p->sb, "pid", proc ? proc->pid : 0);
	xpt_strbuf__addc(p->sb, ',');
	print_text(p->sb, "name", proc ? proc->comm : XPT_SNAPSHOT_OTHER);
	if (proc && proc->uid != UINT32_MAX)
		xpt_strbuf__addf(p->sb, ",\"uid\":%" PRIu32, proc->uid);
	if (proc && proc->container && proc->container[0]) {
		xpt_strbuf__addc(p->sb, ',');
		print_text(p->sb, "container", proc->container);
	}
	print_more(p->sb, "since_ns", proc ? proc->first_ns : 0);
	print_more(p->sb, "ended_ns", place ? place->ended_ns : 0);
	print_open_bytes(p, proc);
}

static void print_processes(struct page *p)
{
	const struct line *last = NULL;

	for (size_t i = 0; i < p->nr; i++) {
		const struct line *l = &p->line[i];

		if (!p->number[l->key.fn->id] || !has_room(p)) {
			p->cut++;
			continue;
		}
		if (!last || l->key.proc != last->key.proc) {
			xpt_strbuf__add(p->sb, last ? "]},{" : "{");
			print_process(p, l->key.proc);
			xpt_strbuf__add(p->sb, ",\"calls\":[");
		} else {
			xpt_strbuf__addc(p->sb, ',');
		}
		print_row(p, l);
		last = l;
	}
	if (last)
		xpt_strbuf__add(p->sb, "]}");
}

static void print_head(struct page *p, const struct xpt_snapshot_self *self)
{
	xpt_strbuf__addf(p->sb, "{\"xputrace_snapshot\":%d,", XPT_SNAPSHOT_VERSION);
	print_text(p->sb, "version", self->version);
	xpt_strbuf__addc(p->sb, ',');
	print_u64(p->sb, "pid", self->pid);
	print_more(p->sb, "ts_ns", self->ts_ns);
	print_more(p->sb, "unix_ns", self->unix_ns);
	print_more(p->sb, "began_ns", self->began_ns);
	print_more(p->sb, "left_out", p->c->left_out + p->is_full);
}

static int print_document(struct page *p, struct xpt_collector *c, const struct xpt_snapshot_self *self)
{
	int err = make_lines(p);

	if (err)
		return err;
	print_head(p, self);
	xpt_strbuf__add(p->sb, ",\"functions\":[");
	print_functions(p);
	xpt_strbuf__add(p->sb, "],\"processes\":[");
	print_processes(p);
	xpt_strbuf__add(p->sb, "],\"devices\":[");
	err = xpt_collector__print_devices(c, p->sb, &p->cut);
	xpt_strbuf__addc(p->sb, ']');
	print_more(p->sb, "cut", p->cut);
	xpt_strbuf__addc(p->sb, '}');
	return err ? err : xpt_strbuf__err(p->sb);
}

int xpt_collector__print(struct xpt_collector *c, const struct xpt_snapshot_self *self, struct xpt_strbuf *sb)
{
	struct page *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->c = c;
	p->sb = sb;
	err = xpt_hashmap__new(sizeof(struct row_key), sizeof(struct xpt_snapshot_row), XPT_SNAPSHOT_ROWS, &p->rows);
	err = err ? err : print_document(p, c, self);
	xpt_hashmap__free(p->rows);
	free(p->line);
	free(p);
	return err;
}
