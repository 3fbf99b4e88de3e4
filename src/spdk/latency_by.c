// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Latencies by the object that requests belong to, see latency_by.h. The facts about a request come with its
 * entries, those about an I/O of a block device from the request that it is related to, so both are kept while they
 * are underway.
 */
#include "spdk/latency_by.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/text_id.h"
#include "spdk/latency_rows.h"
#include "spdk/lives_priv.h"

#define UNKNOWN "(unknown)"
#define OTHERS "(others)"
#define NO_TYPE "(no block device I/O)"

struct member {			/* a request that is underway */
	struct xpt_spdk_life *life;
	struct xpt_spdk_owner *owner;
	struct xpt_spdk_object parent;
	uint64_t type;		/* of the block device's I/O, 0: none yet */
	bool presumed;		/* life: see struct xpt_spdk_note */
};

/* A host may be called "(unknown)" or "(others)", so the text alone does not say which row it is. */
enum row_kind {
	ROW_NAMED,
	ROW_PRESUMED,		/* by a presumed life */
	ROW_UNKNOWN,
	ROW_OTHERS,		/* of all objects for which there is no row */
};

struct row_key {
	uint64_t first, by, kind, text;	/* first: id of the point that begins such requests; text: its hash */
};

struct row {
	const struct xpt_spdk_tpoint *first;
	enum xpt_spdk_by by;
	enum row_kind kind;
	char *text;
	struct xpt_dist ns;
};

struct xpt_spdk_latency_by {
	unsigned by;
	uint64_t left_out;		/* requests for which there was no room */
	struct xpt_hashmap *members;	/* struct xpt_spdk_object -> struct member */
	struct xpt_hashmap *rows;	/* struct row_key -> struct row * */
};

static const char *const by_names[XPT_SPDK_BY__MAX] = {
	[XPT_SPDK_BY_HOST] = "host", [XPT_SPDK_BY_SUBSYSTEM] = "subsystem", [XPT_SPDK_BY_QPAIR] = "qpair",
	[XPT_SPDK_BY_TYPE] = "type",
};

bool xpt_spdk_by__parse(const char *list, unsigned *ret_by)
{
	unsigned by = 0, i;

	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");

		for (i = 0; i < XPT_SPDK_BY__MAX; i++)
			if (strlen(by_names[i]) == n && !memcmp(by_names[i], p, n))
				break;
		if (i == XPT_SPDK_BY__MAX)
			return false;
		by |= 1u << i;
		p += n;
		if (!*p)
			break;
	}
	*ret_by = by;
	return true;
}

int xpt_spdk_latency_by__new(unsigned by, struct xpt_spdk_latency_by **ret_l)
{
	struct xpt_spdk_latency_by *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->by = by;
	if (xpt_hashmap__new(sizeof(struct xpt_spdk_object), sizeof(struct member), XPT_SPDK_MAX_UNDERWAY, &l->members) ||
	    xpt_hashmap__new(sizeof(struct row_key), sizeof(struct row *), XPT_SPDK_MAX_ROWS, &l->rows)) {
		xpt_spdk_latency_by__free(l);
		return -ENOMEM;
	}
	*ret_l = l;
	return 0;
}

static void free_row(struct row *r)
{
	free(r->text);
	free(r);
}

void xpt_spdk_latency_by__free(struct xpt_spdk_latency_by *l)
{
	size_t pos = 0;
	void *val;

	if (!l)
		return;
	while (l->rows && xpt_hashmap__next(l->rows, &pos, NULL, &val))
		free_row(*(struct row **)val);
	xpt_hashmap__free(l->rows);
	xpt_hashmap__free(l->members);
	free(l);
}

/* --- requests underway ------------------------------------------------------------------ */

/* enum spdk_bdev_io_type of SPDK's include/spdk/bdev.h, the same in 24.01 and 26.05. */
static const char *name_type(uint64_t type, char *buf, size_t n)
{
	static const char *const names[] = {
		"INVALID", "READ", "WRITE", "UNMAP", "FLUSH", "RESET", "NVME_ADMIN", "NVME_IO", "NVME_IO_MD", "WRITE_ZEROES",
		"ZCOPY", "GET_ZONE_INFO", "ZONE_MANAGEMENT", "ZONE_APPEND", "COMPARE", "COMPARE_AND_WRITE", "ABORT",
		"SEEK_HOLE", "SEEK_DATA", "COPY", "NVME_IOV_MD", "NVME_NSSR", "WRITE_UNCORRECTABLE",
	};

	if (type < sizeof(names) / sizeof(names[0]))
		return names[type];
	snprintf(buf, n, "type %" PRIu64, type);
	return buf;
}

static uint64_t read_type(const struct xpt_spdk_entry *e)
{
	for (unsigned i = 0; !strcmp(e->tp->name, "BDEV_IO_START") && i < e->nr_args && i < e->tp->nr_args; i++)
		if (!strcmp(e->tp->arg[i].name, "type") && !e->arg[i].text.s && !e->arg[i].bad)
			return e->arg[i].v;
	return 0;
}

/* A presumed life does not replace one that is sure. */
static void take_note(struct member *m, const struct xpt_spdk_note *note)
{
	if (note->life && (!note->presumed || !m->life || m->presumed)) {
		m->life = note->life;
		m->presumed = note->presumed;
	}
	m->owner = note->owner ? note->owner : m->owner;
}

/* Links a request and the object it is related to. */
static void take_relation(struct xpt_spdk_latency_by *l, struct member *m, const struct xpt_spdk_entry *e)
{
	struct member *parent = NULL;

	m->type = read_type(e);
	if (xpt_spdk_object__parse(&e->related, &m->parent))
		parent = xpt_hashmap__find(l->members, &m->parent);
	if (!parent || parent == m)
		return;
	if (!m->life) {
		m->life = parent->life;
		m->presumed = parent->presumed;
	}
	m->owner = m->owner ? m->owner : parent->owner;
	if (!parent->type)
		parent->type = m->type;
	m->type = m->type ? m->type : parent->type;
}

static void begin_member(struct xpt_spdk_latency_by *l, const struct xpt_spdk_object *object, const struct xpt_spdk_entry *e,
			 const struct xpt_spdk_note *note)
{
	struct member *m = xpt_hashmap__get(l->members, object, NULL);

	if (!m) {
		l->left_out++;
		return;
	}
	*m = (struct member){ .life = note->life, .owner = note->owner, .presumed = note->presumed };
	take_relation(l, m, e);
}

/* --- rows ---------------------------------------------------------------------------------- */

static bool has_text(const char *s)
{
	return s && *s;
}

/* The object of that kind which the request belongs to; NULL: it is not known. */
static const char *name_object(const struct member *m, enum xpt_spdk_by by, char *buf, size_t n)
{
	switch (by) {
	case XPT_SPDK_BY_HOST:
		return m->life && has_text(m->life->hostnqn) ? m->life->hostnqn : NULL;
	case XPT_SPDK_BY_SUBSYSTEM:	/* an owner has its whole name and is never presumed */
		if (m->owner)
			return m->owner->subnqn;
		return m->life && has_text(m->life->subnqn) ? m->life->subnqn : NULL;
	case XPT_SPDK_BY_QPAIR:
		return m->life ? m->life->text : m->owner ? m->owner->text : NULL;
	default:
		return m->type ? name_type(m->type, buf, n) : NO_TYPE;
	}
}

static struct row *add_row(struct xpt_spdk_latency_by *l, const struct row_key *key, const struct row *like, const char *text)
{
	struct row *r = calloc(1, sizeof(*r));
	struct row **at = r ? xpt_hashmap__get(l->rows, key, NULL) : NULL;

	if (!at) {
		free(r);
		return NULL;
	}
	*r = *like;
	r->text = strdup(text);
	*at = r;
	return r;
}

/* The row of that text, or that of all others; NULL: no memory. */
static struct row *find_row(struct xpt_spdk_latency_by *l, const struct row *like, const char *text)
{
	bool full = xpt_hashmap__len(l->rows) >= XPT_SPDK_MAX_ROWS / 2;	/* the rest is for the rows of others */
	struct row_key key = { like->first->id, like->by, like->kind, xpt_text_id(text, strlen(text)) };
	struct row **at = xpt_hashmap__find(l->rows, &key);

	if (at)
		return *at;
	if (full && like->kind != ROW_OTHERS)
		return find_row(l, &(struct row){ .first = like->first, .by = like->by, .kind = ROW_OTHERS }, OTHERS);
	return add_row(l, &key, like, text);
}

static struct row *row_of(struct xpt_spdk_latency_by *l, const struct member *m, const struct xpt_spdk_io *io,
			  enum xpt_spdk_by by)
{
	bool of_life = by == XPT_SPDK_BY_HOST || by == XPT_SPDK_BY_QPAIR;
	struct row like = { .first = io->first, .by = by, .kind = of_life && m->presumed ? ROW_PRESUMED : ROW_NAMED };
	char buf[32];
	const char *text = name_object(m, by, buf, sizeof(buf));

	if (!text)
		like.kind = ROW_UNKNOWN;
	return find_row(l, &like, text ? text : UNKNOWN);
}

static void end_member(struct xpt_spdk_latency_by *l, const struct xpt_spdk_object *object, const struct member *m,
		       const struct xpt_spdk_io *io, uint64_t ns)
{
	struct row *r;

	for (unsigned by = 0; by < XPT_SPDK_BY__MAX; by++) {
		if (!(l->by >> by & 1))
			continue;
		r = row_of(l, m, io, by);
		if (r)
			xpt_dist__add(&r->ns, ns);
		else
			l->left_out++;
	}
	xpt_hashmap__del(l->members, object);
}

void xpt_spdk_latency_by__entry(struct xpt_spdk_latency_by *l, const struct xpt_spdk_states *s, const struct xpt_spdk_entry *e,
				const struct xpt_spdk_note *note, enum xpt_spdk_step step, const struct xpt_spdk_io *io,
				const struct xpt_spdk_io *cut)
{
	struct xpt_spdk_object object;
	struct member *m;

	if (step == XPT_SPDK_NONE || !xpt_spdk_object__parse(&e->id, &object))
		return;
	if (cut)
		xpt_hashmap__del(l->members, &(struct xpt_spdk_object){ .nr = cut->nr, .prefix = object.prefix });
	if (step == XPT_SPDK_BEGIN) {
		begin_member(l, &object, e, note);
		return;
	}
	m = xpt_hashmap__find(l->members, &object);
	if (!m)
		return;
	take_note(m, note);
	if (step == XPT_SPDK_END)
		end_member(l, &object, m, io, xpt_spdk_states__age(s, io, e->tsc));
}

/* --- output -------------------------------------------------------------------------------- */

static int by_time(const void *x, const void *y)
{
	const struct row *a = *(struct row *const *)x, *b = *(struct row *const *)y;

	if (a->by != b->by)
		return a->by < b->by ? -1 : 1;
	if (a->first->id != b->first->id)
		return a->first->id < b->first->id ? -1 : 1;
	if (a->ns.sum != b->ns.sum)
		return a->ns.sum > b->ns.sum ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return strcmp(a->text ? a->text : "", b->text ? b->text : "");
}

/* All rows, table by table. The caller frees; NULL: there are none, or no memory. */
static struct row **sort_rows(const struct xpt_spdk_latency_by *l, size_t *ret_n)
{
	struct row **rows = calloc(xpt_hashmap__len(l->rows) + 1, sizeof(*rows));
	size_t pos = 0;
	void *val;

	*ret_n = 0;
	while (rows && xpt_hashmap__next(l->rows, &pos, NULL, &val))
		rows[(*ret_n)++] = *(struct row **)val;
	if (rows)
		qsort(rows, *ret_n, sizeof(*rows), by_time);
	return rows;
}

static bool same_table(const struct row *a, const struct row *b)
{
	return a->by == b->by && a->first == b->first;
}

static void add_table(struct xpt_strbuf *sb, struct row **rows, size_t n)
{
	char name[160];
	struct xpt_strbuf text;
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += rows[i]->ns.sum;
	xpt_strbuf__addf(sb, "\nBy %s: ", by_names[rows[0]->by]);
	xpt_spdk_add_clean(sb, xpt_spdk_kind_name(rows[0]->first, name, sizeof(name)));
	xpt_strbuf__addc(sb, '\n');
	xpt_spdk_latency__add_head(sb, by_names[rows[0]->by]);
	for (size_t i = 0; i < n; i++) {
		xpt_strbuf__init(&text, 4096);
		xpt_spdk_add_clean(&text, rows[i]->text ? rows[i]->text : "?");
		if (rows[i]->kind == ROW_PRESUMED)
			xpt_strbuf__add(&text, " presumed");
		xpt_spdk_latency__add_row(sb, xpt_strbuf__str(&text), &rows[i]->ns, total);
		xpt_strbuf__free(&text);
	}
}

void xpt_spdk_latency_by__text(const struct xpt_spdk_latency_by *l, struct xpt_strbuf *sb)
{
	size_t n, to;
	struct row **rows = sort_rows(l, &n);

	for (size_t from = 0; rows && from < n; from = to) {
		for (to = from + 1; to < n && same_table(rows[from], rows[to]); to++)
			;
		add_table(sb, rows + from, to - from);
	}
	free(rows);
	if (l->left_out)
		xpt_strbuf__addf(sb, "\n%" PRIu64 " requests found no room in these tables\n", l->left_out);
}

void xpt_spdk_latency_by__json(const struct xpt_spdk_latency_by *l, struct xpt_strbuf *sb)
{
	char name[160];
	size_t n;
	struct row **rows = sort_rows(l, &n);

	xpt_strbuf__addc(sb, '[');
	for (size_t i = 0; rows && i < n; i++) {
		const struct row *r = rows[i];

		xpt_strbuf__addf(sb, "%s{\"kind\":", i ? "," : "");
		xpt_strbuf__add_json(sb, xpt_spdk_kind_name(r->first, name, sizeof(name)));
		xpt_strbuf__addf(sb, ",\"by\":\"%s\",\"value\":", by_names[r->by]);
		xpt_strbuf__add_json(sb, r->text ? r->text : "?");
		xpt_strbuf__add(sb, r->kind == ROW_PRESUMED ? ",\"presumed\":true," : ",");
		xpt_spdk_latency__add_json(sb, &r->ns);
		xpt_strbuf__addc(sb, '}');
	}
	xpt_strbuf__addc(sb, ']');
	free(rows);
}
