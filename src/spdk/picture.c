// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The Perfetto trace of an SPDK trace, see picture.h. Entries come in order of time, so nothing is held back; all
 * tracks share one sequence and its table of names. On a lane slices close in the reverse order, so slices inside a
 * request end with its state.
 */
#include "spdk/picture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "model/picture/pftrace.h"
#include "spdk/lives_priv.h"

#define BUF_MAX (8u << 20)
#define FLUSH_AT (64u << 10)
#define ORIGIN_NS 1000000000ull	/* where the first entry lies: earlier ones need room */
#define NAME_MAX_LEN 1024

/* Interned ids: points and their arguments by number, then kinds of requests. */
#define IID_POINT(tp) ((uint64_t)(tp)->id + 1)
#define IID_KIND(tp) ((uint64_t)XPT_SPDK_MAX_TPOINTS + (tp)->id + 1)
#define IID_ARG(tp, i) ((uint64_t)(tp)->id * XPT_SPDK_MAX_ARGS + (i) + 10)
enum { IID_OBJECT = 1, IID_SIZE, IID_RELATED };

enum { TRACK_UUID = 11 };	/* TrackEvent */

#define MAX_NESTED 4		/* a request, the block device's I/O for it, that device's I/O below */

struct lane {
	uint64_t uuid;
	uint32_t group, next_free;	/* index + 1 of the next free one of the group, 0: none */
	uint32_t nr_open;
	/* Requests whose slices are open, each inside the one before */
	struct xpt_spdk_object open[MAX_NESTED];
};

struct group {
	uint64_t uuid;
	uint32_t free;		/* index + 1 */
	uint32_t nr_lanes;
};

struct xpt_spdk_picture {
	FILE *file;
	struct xpt_spdk_clock clock;
	struct xpt_strbuf buf, body, defs;
	struct xpt_pf_seq seq;
	struct xpt_hashmap *groups;	/* the object that it represents -> index + 1 */
	struct xpt_hashmap *lanes;	/* struct xpt_spdk_object, of requests underway -> index + 1 */
	struct group *group;
	struct lane *lane;
	uint32_t nr_groups, nr_lanes;
	uint64_t last_uuid;
	struct xpt_spdk_picture_stats stats;
	uint8_t known[XPT_SPDK_MAX_TPOINTS];	/* names that are defined: 1 point, 2 kind */
	int err;
};

/* CLOCK_MONOTONIC, where pairs of clocks give it; else since the first entry. */
static uint64_t to_ns(const struct xpt_spdk_clock *c, uint64_t tsc)
{
	bool known = c->end.tsc > c->begin.tsc && c->end.mono_ns > c->begin.mono_ns;
	uint64_t from = known ? c->begin.tsc : c->first, at = known ? c->begin.mono_ns : ORIGIN_NS;
	uint64_t ticks = tsc < from ? from - tsc : tsc - from;
	unsigned __int128 ns;

	if (known)
		ns = (unsigned __int128)ticks * (c->end.mono_ns - c->begin.mono_ns) /
		     (c->end.tsc - c->begin.tsc);
	else
		ns = (unsigned __int128)ticks * 1000000000 / c->rate;
	if (tsc < from)
		return ns < at ? at - (uint64_t)ns : 0;
	return ns > INT64_MAX - (at < INT64_MAX ? at : INT64_MAX) ? INT64_MAX : at + (uint64_t)ns;
}

int xpt_spdk_picture__new(FILE *file, const struct xpt_spdk_clock *clock,
			  struct xpt_spdk_picture **ret_p)
{
	struct xpt_spdk_picture *p = calloc(1, sizeof(*p));
	struct xpt_spdk_picture_stats none;
	uint64_t key;

	if (!p)
		return -ENOMEM;
	p->file = file;
	p->clock = *clock;
	xpt_strbuf__init(&p->buf, BUF_MAX);
	xpt_strbuf__init(&p->body, BUF_MAX / 8);
	xpt_strbuf__init(&p->defs, BUF_MAX / 8);
	p->group = calloc(XPT_SPDK_MAX_GROUPS, sizeof(*p->group));
	p->lane = calloc(XPT_SPDK_MAX_LANES, sizeof(*p->lane));
	if (!p->group || !p->lane ||
	    xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), XPT_SPDK_MAX_GROUPS, &p->groups) ||
	    xpt_hashmap__new(sizeof(struct xpt_spdk_object), sizeof(uint32_t), XPT_SPDK_MAX_UNDERWAY, &p->lanes)) {
		p->file = NULL;
		xpt_spdk_picture__close(p, &none);
		return -ENOMEM;
	}
	/* Other pictures, which this one may be joined to, count from 1. */
	key = xpt_hash(&clock->first, sizeof(clock->first)) | 1ull << 63;
	p->last_uuid = key & ~(uint64_t)UINT32_MAX;
	p->seq = (struct xpt_pf_seq){ .id = (uint32_t)(key >> 32), .track = ++p->last_uuid };
	xpt_pf__start(&p->buf, &p->seq, to_ns(clock, clock->first), 0, 0);
	xpt_pf__track(&p->buf, p->seq.id, &(struct xpt_pf_track){ .uuid = p->seq.track,
								  .name = "SPDK" });
	xpt_pf__intern(&p->defs, XPT_PF_INTERN_ANN_NAME, IID_OBJECT, "object");
	xpt_pf__intern(&p->defs, XPT_PF_INTERN_ANN_NAME, IID_SIZE, "size");
	xpt_pf__intern(&p->defs, XPT_PF_INTERN_ANN_NAME, IID_RELATED, "related");
	xpt_pf__intern(&p->defs, XPT_PF_INTERN_CATEGORY, 1, "spdk");
	*ret_p = p;
	return 0;
}

static int flush_buf(struct xpt_spdk_picture *p)
{
	if (!p->err && xpt_strbuf__err(&p->buf))
		p->err = xpt_strbuf__err(&p->buf);
	errno = 0;
	if (!p->err && fwrite(xpt_strbuf__str(&p->buf), 1, p->buf.len, p->file) != p->buf.len)
		p->err = errno ? -errno : -EIO;
	xpt_strbuf__reset(&p->buf);
	return p->err;
}

/* --- tracks -------------------------------------------------------------------------------- */

static uint64_t key_of(const struct xpt_spdk_entry *e, const struct xpt_spdk_note *note)
{
	const struct xpt_spdk_text *t = e->owner.s ? &e->owner : &e->poller;

	if (note->life)		/* its address is even: requests of which it is presumed are a group of their own */
		return (uintptr_t)note->life + note->presumed;
	if (note->owner)
		return (uintptr_t)note->owner;
	return t->s ? xpt_hash(t->s, t->n) : e->lcore + 1;
}

static void describe_group(struct xpt_spdk_picture *p, const struct group *g,
			   const struct xpt_spdk_entry *e, const struct xpt_spdk_note *note)
{
	const struct xpt_spdk_text *t = e->owner.s ? &e->owner : &e->poller;
	char name[NAME_MAX_LEN];

	if (note->text)
		snprintf(name, sizeof(name), "qpair%s%s", note->text, note->presumed ? " presumed" : "");
	else if (t->s)
		snprintf(name, sizeof(name), "%s", t->s);
	else
		snprintf(name, sizeof(name), "core %llu", (unsigned long long)e->lcore);
	xpt_pf__track(&p->buf, p->seq.id, &(struct xpt_pf_track){ .uuid = g->uuid, .name = name,
								  .parent = p->seq.track });
}

/* Index + 1; 0: no room. */
static uint32_t group_of(struct xpt_spdk_picture *p, const struct xpt_spdk_entry *e,
			 const struct xpt_spdk_note *note)
{
	uint64_t key = key_of(e, note);
	uint32_t *at = xpt_hashmap__find(p->groups, &key);

	if (at)
		return *at;
	at = xpt_hashmap__get(p->groups, &key, NULL);
	if (!at || p->nr_groups == XPT_SPDK_MAX_GROUPS)
		return 0;
	p->group[p->nr_groups] = (struct group){ .uuid = ++p->last_uuid };
	describe_group(p, &p->group[p->nr_groups], e, note);
	*at = ++p->nr_groups;
	return *at;
}

/* A lane of the group that no request is on; index + 1, 0: no room. */
static uint32_t take_lane(struct xpt_spdk_picture *p, uint32_t group)
{
	struct group *g = &p->group[group - 1];
	uint32_t lane = g->free;
	char name[32];

	if (lane) {
		g->free = p->lane[lane - 1].next_free;
		return lane;
	}
	if (p->nr_lanes == XPT_SPDK_MAX_LANES)
		return 0;
	p->lane[p->nr_lanes] = (struct lane){ .uuid = ++p->last_uuid, .group = group };
	snprintf(name, sizeof(name), "requests %u", ++g->nr_lanes);
	xpt_pf__track(&p->buf, p->seq.id, &(struct xpt_pf_track){
		.uuid = p->last_uuid, .name = name, .parent = g->uuid });
	return ++p->nr_lanes;
}

static void give_lane(struct xpt_spdk_picture *p, uint32_t lane)
{
	struct group *g = &p->group[p->lane[lane - 1].group - 1];

	p->lane[lane - 1].next_free = g->free;
	g->free = lane;
}

/* --- events ---------------------------------------------------------------------------------- */

/* Names of a point, its kind and its arguments are defined before they are first used. */
static void define_names(struct xpt_spdk_picture *p, const struct xpt_spdk_tpoint *tp, bool kind)
{
	uint8_t bit = kind ? 2 : 1;
	char name[160];

	if (!(p->known[tp->id] & bit)) {
		p->known[tp->id] |= bit;
		xpt_pf__intern(&p->defs, XPT_PF_INTERN_NAME, kind ? IID_KIND(tp) : IID_POINT(tp),
			       kind ? xpt_spdk_kind_name(tp, name, sizeof(name)) : tp->name);
		for (unsigned i = 0; !kind && i < tp->nr_args; i++)
			xpt_pf__intern(&p->defs, XPT_PF_INTERN_ANN_NAME, IID_ARG(tp, i), tp->arg[i].name);
	}
	if (!p->defs.len)
		return;
	xpt_pf__interned(&p->buf, &p->seq, xpt_strbuf__str(&p->defs), p->defs.len);
	xpt_strbuf__reset(&p->defs);
}

static void start_body(struct xpt_spdk_picture *p, uint64_t track, uint64_t name)
{
	xpt_strbuf__reset(&p->body);
	xpt_pb__u64(&p->body, TRACK_UUID, track);
	if (!name)
		return;
	xpt_pb__u64(&p->body, XPT_PF_CATEGORY_IID, 1);
	xpt_pb__u64(&p->body, XPT_PF_NAME_IID, name);
}

static void add_text(struct xpt_strbuf *sb, unsigned iid, const char *s)
{
	size_t ann;

	if (!s)
		return;
	ann = xpt_pb__begin(sb, XPT_PF_ANNOTATION);
	xpt_pb__u64(sb, XPT_PF_ANN_NAME_IID, iid);
	xpt_pb__str(sb, XPT_PF_ANN_STRING, s);
	xpt_pb__end(sb, ann);
}

static void add_number(struct xpt_strbuf *sb, uint64_t iid, uint64_t v)
{
	size_t ann = xpt_pb__begin(sb, XPT_PF_ANNOTATION);

	xpt_pb__u64(sb, XPT_PF_ANN_NAME_IID, iid);
	xpt_pb__u64(sb, XPT_PF_ANN_UINT, v);
	xpt_pb__end(sb, ann);
}

static void add_args(struct xpt_spdk_picture *p, const struct xpt_spdk_entry *e)
{
	unsigned n = e->nr_args < e->tp->nr_args ? e->nr_args : e->tp->nr_args;

	if (e->size)
		add_number(&p->body, IID_SIZE, e->size);
	for (unsigned i = 0; i < n; i++) {
		if (e->arg[i].text.s)
			add_text(&p->body, (unsigned)IID_ARG(e->tp, i), e->arg[i].text.s);
		else if (!e->arg[i].bad && e->tp->arg[i].type == XPT_SPDK_INT)
			add_number(&p->body, IID_ARG(e->tp, i), e->arg[i].v);
	}
	add_text(&p->body, IID_RELATED, e->related.s);
}

static void put_event(struct xpt_spdk_picture *p, uint64_t ts_ns, enum xpt_pf_type type)
{
	xpt_pf__event(&p->buf, &p->seq, ts_ns, type, xpt_strbuf__str(&p->body), p->body.len, 0);
}

static void put_end(struct xpt_spdk_picture *p, uint32_t lane, uint64_t ts_ns)
{
	start_body(p, p->lane[lane - 1].uuid, 0);
	put_event(p, ts_ns, XPT_PF_END);
}

static void put_state(struct xpt_spdk_picture *p, uint32_t lane, const struct xpt_spdk_entry *e,
		      uint64_t ts_ns)
{
	define_names(p, e->tp, false);
	start_body(p, p->lane[lane - 1].uuid, IID_POINT(e->tp));
	add_args(p, e);
	put_event(p, ts_ns, XPT_PF_BEGIN);
}

/* --- requests within requests ------------------------------------------------------------ */

/* Which of the lane's open requests it is; nr_open: none, it is closed already. */
static uint32_t find_open(const struct lane *l, const struct xpt_spdk_object *object)
{
	uint32_t i = 0;

	while (i < l->nr_open && memcmp(&l->open[i], object, sizeof(*object)) != 0)
		i++;
	return i;
}

/* Ends the slices of all that lie deeper than nr requests: each has one of its own and one of its state. */
static void close_down_to(struct xpt_spdk_picture *p, uint32_t lane, uint32_t nr, uint64_t ts_ns)
{
	struct lane *l = &p->lane[lane - 1];

	while (l->nr_open > nr) {
		put_end(p, lane, ts_ns);
		put_end(p, lane, ts_ns);
		xpt_hashmap__del(p->lanes, &l->open[--l->nr_open]);
	}
}

/*
 * The lane of the request that it is related to, if nothing else is open inside of that one; else one of that one's
 * group.
 */
static uint32_t find_lane(struct xpt_spdk_picture *p, const struct xpt_spdk_entry *e, const struct xpt_spdk_note *note)
{
	struct xpt_spdk_object parent;
	const uint32_t *at = NULL;
	const struct lane *l;
	uint32_t group;

	if (xpt_spdk_object__parse(&e->related, &parent))
		at = xpt_hashmap__find(p->lanes, &parent);
	if (!at) {
		group = group_of(p, e, note);
		return group ? take_lane(p, group) : 0;
	}
	l = &p->lane[*at - 1];
	if (l->nr_open < MAX_NESTED && find_open(l, &parent) + 1 == l->nr_open)
		return *at;
	return take_lane(p, l->group);
}

static void put_begin(struct xpt_spdk_picture *p, const struct xpt_spdk_entry *e, const struct xpt_spdk_note *note,
		      const struct xpt_spdk_object *object, struct xpt_spdk_io *io, uint64_t ts_ns)
{
	uint32_t lane = find_lane(p, e, note), *at = lane ? xpt_hashmap__get(p->lanes, object, NULL) : NULL;

	if (lane && !at && !p->lane[lane - 1].nr_open)
		give_lane(p, lane);
	io->user = at ? lane : 0;
	if (!at) {
		p->stats.left_out++;
		return;
	}
	*at = lane;
	p->lane[lane - 1].open[p->lane[lane - 1].nr_open++] = *object;
	define_names(p, e->tp, true);
	start_body(p, p->lane[lane - 1].uuid, IID_KIND(e->tp));
	add_text(&p->body, IID_OBJECT, e->id.s);
	put_event(p, ts_ns, XPT_PF_BEGIN);
	put_state(p, lane, e, ts_ns);
}

/* Begins another state of a request; slices inside the old one end. */
static void put_next_state(struct xpt_spdk_picture *p, uint32_t lane, const struct xpt_spdk_object *object,
			   const struct xpt_spdk_entry *e, uint64_t ts_ns)
{
	uint32_t i = find_open(&p->lane[lane - 1], object);

	if (i == p->lane[lane - 1].nr_open)
		return;
	p->stats.cut_short += p->lane[lane - 1].nr_open - i - 1;
	close_down_to(p, lane, i + 1, ts_ns);
	put_end(p, lane, ts_ns);
	put_state(p, lane, e, ts_ns);
}

static void put_over(struct xpt_spdk_picture *p, const struct xpt_spdk_io *io, uint64_t prefix, uint64_t ts_ns)
{
	const struct xpt_spdk_object object = { .nr = io->nr, .prefix = prefix };
	struct lane *l = io->user ? &p->lane[io->user - 1] : NULL;
	uint32_t i = l ? find_open(l, &object) : 0;

	if (!l || i == l->nr_open)
		return;
	p->stats.cut_short += l->nr_open - i - 1;
	close_down_to(p, io->user, i, ts_ns);
	if (!l->nr_open)
		give_lane(p, io->user);
}

static void put_instant(struct xpt_spdk_picture *p, const struct xpt_spdk_entry *e, uint32_t group,
			uint64_t ts_ns)
{
	define_names(p, e->tp, false);
	start_body(p, group ? p->group[group - 1].uuid : p->seq.track, IID_POINT(e->tp));
	add_text(&p->body, IID_OBJECT, e->id.s);
	add_args(p, e);
	put_event(p, ts_ns, XPT_PF_INSTANT);
}

int xpt_spdk_picture__entry(struct xpt_spdk_picture *p, const struct xpt_spdk_entry *e,
			    const struct xpt_spdk_note *note, enum xpt_spdk_step step,
			    struct xpt_spdk_io *io, const struct xpt_spdk_io *cut)
{
	uint64_t ns = to_ns(&p->clock, e->tsc);
	struct xpt_spdk_object object = { .nr = 0 };

	xpt_spdk_object__parse(&e->id, &object);	/* of a request it is one */
	if (ns < p->seq.last_ns)
		ns = p->seq.last_ns;	/* not in order, as spdk_trace would have it */
	if (cut)
		put_over(p, cut, object.prefix, ns);
	switch (step) {
	case XPT_SPDK_NONE:
		put_instant(p, e, group_of(p, e, note), ns);
		break;
	case XPT_SPDK_BEGIN:
		put_begin(p, e, note, &object, io, ns);
		break;
	case XPT_SPDK_STATE:
		if (io->user)
			put_next_state(p, io->user, &object, e, ns);
		break;
	case XPT_SPDK_END:
		put_over(p, io, object.prefix, ns);
		break;
	}
	return p->buf.len >= FLUSH_AT ? flush_buf(p) : p->err;
}

int xpt_spdk_picture__close(struct xpt_spdk_picture *p, struct xpt_spdk_picture_stats *ret_stats)
{
	int err = p->file ? flush_buf(p) : 0;

	*ret_stats = p->stats;
	xpt_hashmap__free(p->groups);
	xpt_hashmap__free(p->lanes);
	xpt_strbuf__free(&p->buf);
	xpt_strbuf__free(&p->body);
	xpt_strbuf__free(&p->defs);
	free(p->group);
	free(p->lane);
	free(p);
	return err;
}
