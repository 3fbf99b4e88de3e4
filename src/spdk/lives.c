// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lives of queue pairs, see lives.h. Points are sorted by time; then one pass makes the lives, which are sorted by
 * pointer and begin. The life of a pointer at a given time is found by a binary search for the first life that ends
 * later: their ends ascend.
 */
#include "spdk/lives.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/strbuf.h"
#include "base/text_id.h"
#include "spdk/lives_priv.h"

#define MAX_POINTS (1u << 20)
#define MAX_NAMES (64u << 20)	/* bytes */
#define CUT_LEN 63	/* bpftrace's default: 64 bytes with the NUL */

int xpt_spdk_lives__new(bool as_upstream, struct xpt_spdk_lives **ret_l)
{
	struct xpt_spdk_lives *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->as_upstream = as_upstream;
	l->first = l->trace_begin = UINT64_MAX;
	err = xpt_hashmap__new(sizeof(uint64_t), sizeof(char *), MAX_POINTS, &l->names);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint64_t), sizeof(struct range), MAX_POINTS, &l->by_ptr);
	if (!err)
		err = xpt_spdk_owners__new(l);
	if (err) {
		xpt_spdk_lives__free(l);
		return err;
	}
	*ret_l = l;
	return 0;
}

void xpt_spdk_lives__free(struct xpt_spdk_lives *l)
{
	size_t pos = 0;
	void *val;

	if (!l)
		return;
	xpt_spdk_owners__free(l);
	for (size_t i = 0; i < l->nr; i++)
		free(l->life[i].text);
	while (l->names && xpt_hashmap__next(l->names, &pos, NULL, &val))
		free(*(char **)val);
	xpt_hashmap__free(l->names);
	xpt_hashmap__free(l->by_ptr);
	free(l->life);
	free(l->point);
	free(l);
}

/* Returns a copy that lives as long as l; equal names share it. NULL: no room. */
static const char *keep_name(struct xpt_spdk_lives *l, const char *s)
{
	size_t n = strnlen(s, XPT_SPDK_NQN_MAX);
	uint64_t key = xpt_text_id(s, n);
	char **at = xpt_hashmap__find(l->names, &key);

	if (at && !strncmp(*at, s, n) && !(*at)[n])
		return *at;
	if (at || l->names_len + n + 1 > MAX_NAMES)	/* at: another name with the same hash, so a hostile one */
		return NULL;
	at = xpt_hashmap__get(l->names, &key, NULL);
	if (!at)
		return NULL;
	*at = strndup(s, n);
	if (!*at)
		xpt_hashmap__del(l->names, &key);
	l->names_len += n + 1;
	l->nr_cut += n == CUT_LEN;
	return *at;
}

int xpt_spdk_lives__add(struct xpt_spdk_lives *l, const struct xpt_spdk_point *p)
{
	struct point *to;

	if (l->nr_points == MAX_POINTS)
		return -E2BIG;
	if (l->nr_points == l->cap_points) {
		size_t cap = l->cap_points ? 2 * l->cap_points : 256;

		to = realloc(l->point, cap * sizeof(*to));
		if (!to)
			return -ENOMEM;
		l->point = to;
		l->cap_points = cap;
	}
	to = &l->point[l->nr_points];
	*to = (struct point){ .p = *p, .nr = l->nr_points++ };
	to->p.subnqn = p->subnqn ? keep_name(l, p->subnqn) : NULL;
	to->p.hostnqn = p->hostnqn ? keep_name(l, p->hostnqn) : NULL;
	l->first = p->tsc < l->first ? p->tsc : l->first;
	l->last = p->tsc > l->last ? p->tsc : l->last;
	return 0;
}

void xpt_spdk_lives__set_span(struct xpt_spdk_lives *l, uint64_t first, uint64_t last)
{
	l->has_span = true;
	l->span_first = first;
	l->last = last > l->last ? last : l->last;
}

/* --- making the lives ----------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->p.tsc != y->p.tsc)
		return x->p.tsc < y->p.tsc ? -1 : 1;
	return (x->nr > y->nr) - (x->nr < y->nr);
}

static int by_ptr(const void *a, const void *b)
{
	const struct xpt_spdk_life *x = a, *y = b;

	if (x->ptr != y->ptr)
		return x->ptr < y->ptr ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->nr > y->nr) - (x->nr < y->nr);
}

static void set_names(struct xpt_spdk_life *life, const struct xpt_spdk_point *p)
{
	life->has_qid = true;
	life->connected = p->tsc;
	life->qid = p->qid;
	life->subnqn = p->subnqn;
	life->hostnqn = p->hostnqn;
}

/* Makes a new life of p's pointer from begin on; the life before ends there. */
static struct xpt_spdk_life *start_life(struct xpt_spdk_lives *l, struct now *now, uint64_t ptr,
					uint64_t begin)
{
	struct xpt_spdk_life *life = now->life ? &l->life[now->life - 1] : NULL;

	if (life && life->open)
		life->end = begin ? begin - 1 : 0;
	if (life && life->end < life->begin)	/* two in one tick */
		life->end = life->begin;
	if (life)
		life->open = false;
	life = &l->life[l->nr];
	*life = (struct xpt_spdk_life){ .ptr = ptr, .begin = begin, .end = UINT64_MAX, .open = true, .older = true,
				        .connected = UINT64_MAX, .removed = UINT64_MAX, .nr = (uint32_t)l->nr };
	now->life = (uint32_t)++l->nr;
	return life;
}

/* Returns the time from which on a life is known whose first recorded point is p. */
static uint64_t unseen_begin(const struct xpt_spdk_lives *l, const struct xpt_spdk_point *p)
{
	if (!l->has_span)
		return 0;
	return p->tsc < l->span_first ? p->tsc : l->span_first;
}

/* Returns the life to which a point other than an add belongs; a new one if its begin was not recorded. */
static struct xpt_spdk_life *life_of(struct xpt_spdk_lives *l, struct now *now,
				     const struct xpt_spdk_point *p)
{
	struct xpt_spdk_life *life = now->life ? &l->life[now->life - 1] : NULL;

	if (!life)
		return start_life(l, now, p->qpair, unseen_begin(l, p));
	if (!life->open)	/* after a fini */
		return start_life(l, now, p->qpair, life->end + 1);
	if (p->kind == XPT_SPDK_CONNECT && (life->has_qid || life->removed != UINT64_MAX))
		return start_life(l, now, p->qpair, life->removed != UINT64_MAX ? life->removed + 1 : p->tsc);
	if (p->kind == XPT_SPDK_REMOVE && life->removed != UINT64_MAX)
		return start_life(l, now, p->qpair, life->removed + 1);
	return life;
}

static void take_point(struct xpt_spdk_lives *l, struct now *now, const struct xpt_spdk_point *p)
{
	struct xpt_spdk_life *life = p->kind == XPT_SPDK_ADD ? start_life(l, now, p->qpair, p->tsc)
							  : life_of(l, now, p);

	switch (p->kind) {
	case XPT_SPDK_REMOVE:
		life->removed = p->tsc;
		if (life->has_thread)
			break;
		life->has_thread = true;
		life->thread = p->thread;
		break;
	case XPT_SPDK_ADD:
		life->older = false;
		life->has_thread = true;
		life->thread = p->thread;
		break;
	case XPT_SPDK_CONNECT:
		set_names(life, p);
		break;
	case XPT_SPDK_FINI:
		life->fini = true;
		life->end = p->tsc;
		life->open = false;
		break;
	}
}

/* Goes through the points backwards: for each add it finds the points that SPDK's own script would find after it. */
static void take_as_upstream(struct xpt_spdk_lives *l, struct now *now, const struct point *at)
{
	const struct xpt_spdk_point *p = &at->p;
	struct xpt_spdk_life *life;

	if (p->kind == XPT_SPDK_REMOVE) {
		now->remove = at;
		now->connect = NULL;
	} else if (p->kind == XPT_SPDK_CONNECT && !now->connect) {
		now->connect = at;
	} else if (p->kind == XPT_SPDK_ADD) {
		life = &l->life[l->nr++];
		*life = (struct xpt_spdk_life){ .ptr = p->qpair, .begin = p->tsc, .has_thread = true,
			.thread = p->thread, .removed = UINT64_MAX, .nr = (uint32_t)at->nr,
			.end = now->remove ? now->remove->p.tsc : UINT64_MAX };
		if (now->connect)
			set_names(life, &now->connect->p);
	}
}

static int make_lives(struct xpt_spdk_lives *l)
{
	struct xpt_hashmap *map;
	int err = xpt_hashmap__new(sizeof(uint64_t), sizeof(struct now), MAX_POINTS, &map);

	for (size_t i = 0; !err && i < l->nr_points; i++) {
		const struct point *p = &l->point[l->as_upstream ? l->nr_points - 1 - i : i];
		struct now *now = xpt_hashmap__get(map, &p->p.qpair, NULL);

		if (!now)
			err = -ENOMEM;
		else if (l->as_upstream)
			take_as_upstream(l, now, p);
		else
			take_point(l, now, &p->p);
	}
	xpt_hashmap__free(map);
	return err;
}

static void add_name(struct xpt_strbuf *sb, const char *key, const char *name, bool as_upstream)
{
	xpt_strbuf__add(sb, key);
	if (!as_upstream && (!name || !*name))
		xpt_strbuf__add(sb, name ? "(empty or unreadable)" : "(unreadable)");
	else
		xpt_spdk_add_clean(sb, name ? name : "");
}

static int make_text(struct xpt_spdk_life *life, bool as_upstream)
{
	struct xpt_strbuf sb;

	xpt_strbuf__init(&sb, 4096);
	xpt_strbuf__addf(&sb, "(ptr=0x%" PRIx64, life->ptr);
	if (life->has_thread)
		xpt_strbuf__addf(&sb, ", thread=%" PRIu64, life->thread);
	if (life->has_qid) {
		xpt_strbuf__addf(&sb, ", qid=%" PRIu64, life->qid);
		add_name(&sb, ", subnqn=", life->subnqn, as_upstream);
		add_name(&sb, ", hostnqn=", life->hostnqn, as_upstream);
	}
	xpt_strbuf__addc(&sb, ')');
	life->text = xpt_strbuf__err(&sb) ? NULL : strdup(xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
	return life->text ? 0 : -ENOMEM;
}

int xpt_spdk_lives__build(struct xpt_spdk_lives *l)
{
	struct range *r;
	int err;

	l->life = calloc(l->nr_points + 1, sizeof(*l->life));
	if (!l->life)
		return -ENOMEM;
	if (l->nr_points)
		qsort(l->point, l->nr_points, sizeof(*l->point), by_time);
	err = make_lives(l);
	qsort(l->life, l->nr, sizeof(*l->life), by_ptr);
	for (size_t i = 0; !err && i < l->nr; i++) {
		r = xpt_hashmap__get(l->by_ptr, &l->life[i].ptr, NULL);
		if (!r)
			return -ENOMEM;
		if (!r->nr++)
			r->first = (uint32_t)i;
		err = make_text(&l->life[i], l->as_upstream);
	}
	free(l->point);
	l->point = NULL;
	l->nr_points = l->cap_points = 0;
	return err;
}

/* --- questions -------------------------------------------------------------------------- */

/* Returns the life at that time. If there is none, NULL, and *ret_before is the last that ended before, or NULL. */
static struct xpt_spdk_life *find_life(struct xpt_spdk_lives *l, uint64_t ptr, uint64_t tsc, struct xpt_spdk_life **ret_before)
{
	const struct range *r = xpt_hashmap__find(l->by_ptr, &ptr);
	struct xpt_spdk_life *life;
	uint32_t low = 0, high, mid;

	*ret_before = NULL;
	if (!r)
		return NULL;
	life = &l->life[r->first];
	for (high = r->nr; low < high;) {
		mid = low + (high - low) / 2;
		if (life[mid].end < tsc)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < r->nr && life[low].begin <= tsc)
		return &life[low];
	*ret_before = low ? &life[low - 1] : NULL;
	return NULL;
}

/*
 * Whether the queue pair still exists at a time after nvmf_transport_qpair_fini: some of its entries come between
 * that and its destruction, which the trace has.
 */
static bool is_ending(const struct xpt_spdk_lives *l, const struct xpt_spdk_life *life, enum xpt_spdk_transport by)
{
	return life && life->fini && !life->destroyed && by < XPT_SPDK_TRANSPORTS && l->traced[by] && l->trace_begin <= life->end;
}

bool xpt_spdk_lives__is_outside(const struct xpt_spdk_lives *l, uint64_t tsc)
{
	return l->has_span && !l->as_upstream && (tsc < l->span_first || tsc > l->last);
}

bool xpt_spdk_lives__is_unsure(const struct xpt_spdk_lives *l, uint64_t tsc)
{
	return !l->has_span && !l->as_upstream && (tsc < l->first || tsc > l->last);
}

struct xpt_spdk_life *xpt_spdk_lives__at(struct xpt_spdk_lives *l, uint64_t ptr, uint64_t tsc, enum xpt_spdk_transport by)
{
	struct xpt_spdk_life *before, *life = find_life(l, ptr, tsc, &before);

	if (!life && is_ending(l, before, by))
		return before;
	if (!life || !life->open || tsc <= l->last || !xpt_spdk_lives__is_outside(l, tsc))
		return life;
	/* The trace was there when the recording ended, and has had no entry about an end since. */
	return by < XPT_SPDK_TRANSPORTS && l->traced[by] && l->trace_begin <= l->last ? life : NULL;
}

void xpt_spdk_lives__begin_trace(struct xpt_spdk_lives *l, uint64_t tsc, uint64_t rate)
{
	l->trace_begin = tsc;
	l->slack = rate / 10000;	/* 100 us: a probe hits later than its instruction would have run */
}

void xpt_spdk_lives__traced(struct xpt_spdk_lives *l, enum xpt_spdk_transport by, uint64_t ptr, uint64_t tsc)
{
	struct xpt_spdk_life *before, *life = find_life(l, ptr, tsc, &before);

	l->traced[by] = true;
	if (before)
		before->destroyed = true;
	if (!life || !life->open || tsc <= life->begin)
		return;
	life->end = tsc - 1;
	life->open = false;
}

size_t xpt_spdk_lives__nr_cut(const struct xpt_spdk_lives *l)
{
	return l->nr_cut;
}
