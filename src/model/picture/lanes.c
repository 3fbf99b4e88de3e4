/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lanes, see lanes.h. A lane holds the spans drawn last that are in no other
 * span. A call that returns takes in those that began after it did; the one
 * before them must have ended by then.
 */
#include "model/picture/lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "model/forget.h"

struct xpt_open {
	uint64_t start_ns;
	size_t n;
	char data[];
};

struct lane_key {
	const struct xpt_proc *proc;
	uint32_t tid, pad;
};

struct xpt_lanes {
	struct xpt_hashmap *map;	/* struct lane_key -> struct xpt_lane * */
	struct xpt_lane *last;		/* found last */
	size_t max;
	uint32_t nr;
	xpt_lane_drop_t drop;
	void *ctx;
};

int xpt_lanes__new(size_t max, xpt_lane_drop_t drop, void *ctx, struct xpt_lanes **ret_l)
{
	struct xpt_lanes *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	*l = (struct xpt_lanes){ .max = max, .drop = drop, .ctx = ctx };
	err = xpt_hashmap__new(sizeof(struct lane_key), sizeof(struct xpt_lane *), max, &l->map);
	if (err)
		free(l);
	else
		*ret_l = l;
	return err;
}

static void free_lane(struct xpt_lane *lane)
{
	for (unsigned d = 0; d < XPT_MAX_DEPTH; d++)
		free(lane->open[d]);
	free(lane);
}

static void clear_lanes(struct xpt_lanes *l, bool notify)
{
	struct xpt_lane *lane;
	size_t pos = 0;

	while ((lane = xpt_lanes__next(l, &pos))) {
		if (notify && l->drop)
			l->drop(l->ctx, lane);
		free_lane(lane);
	}
	xpt_hashmap__clear(l->map);
	l->last = NULL;
}

static void end_lane(void *ctx, void *val)
{
	struct xpt_lanes *l = ctx;
	struct xpt_lane *lane = *(struct xpt_lane **)val;

	if (l->drop)
		l->drop(l->ctx, lane);
	free_lane(lane);
}

void xpt_lanes__forget(struct xpt_lanes *l)
{
	xpt_forget__map(l->map, end_lane, l);
	l->last = NULL;
}

void xpt_lanes__free(struct xpt_lanes *l)
{
	if (!l)
		return;
	clear_lanes(l, false);
	xpt_hashmap__free(l->map);
	free(l);
}

static struct xpt_lane *find_lane(struct xpt_lanes *l, const struct xpt_call *c)
{
	struct lane_key key = { .proc = c->proc, .tid = c->tid };
	struct xpt_lane **at;

	if (l->last && l->last->proc == c->proc && l->last->tid == c->tid)
		return l->last;
	at = xpt_hashmap__find(l->map, &key);
	if (at)
		return l->last = *at;
	if (xpt_hashmap__len(l->map) >= l->max)
		clear_lanes(l, true);
	at = xpt_hashmap__get(l->map, &key, NULL);
	if (!at)
		return NULL;
	*at = calloc(1, sizeof(**at));
	if (!*at) {
		xpt_hashmap__del(l->map, &key);
		return NULL;
	}
	(*at)->proc = c->proc;
	(*at)->tid = c->tid;
	(*at)->nr = ++l->nr;
	(*at)->renamed = true;
	return l->last = *at;
}

struct xpt_lane *xpt_lanes__get(struct xpt_lanes *l, const struct xpt_call *c)
{
	struct xpt_lane *lane = find_lane(l, c);

	if (lane && strncmp(lane->comm, c->comm, sizeof(lane->comm) - 1) != 0) {
		strncpy(lane->comm, c->comm, sizeof(lane->comm) - 1);
		lane->renamed = true;
	}
	return lane;
}

struct xpt_lane *xpt_lanes__find(const struct xpt_lanes *l, const struct xpt_proc *proc,
				 uint32_t tid)
{
	struct lane_key key = { .proc = proc, .tid = tid };
	struct xpt_lane **at = xpt_hashmap__find(l->map, &key);

	return at ? *at : NULL;
}

struct xpt_lane *xpt_lanes__next(const struct xpt_lanes *l, size_t *pos)
{
	void *val;

	return xpt_hashmap__next(l->map, pos, NULL, &val) ? *(struct xpt_lane **)val : NULL;
}

/* Closes calls in flight at these depths: c returned after them, or is one of them. */
static void close_open(struct xpt_lane *lane, const struct xpt_call *c)
{
	for (unsigned d = c->depth; d < XPT_MAX_DEPTH; d++) {
		if (lane->open[d] && lane->open[d]->start_ns <= c->start_ns + c->dur_ns) {
			free(lane->open[d]);
			lane->open[d] = NULL;
		}
	}
}

/* Neighbours of one depth have the same call around them, so they can be one span. */
static void push_span(struct xpt_lane *lane, struct xpt_span s)
{
	struct xpt_span *last = lane->nr_spans ? &lane->span[lane->nr_spans - 1] : NULL;

	if (last && last->depth == s.depth) {
		last->end_ns = s.end_ns;
		return;
	}
	if (lane->nr_spans == XPT_LANE_SPANS) {	/* the two oldest become one */
		lane->span[1].start_ns = lane->span[0].start_ns;
		memmove(&lane->span[0], &lane->span[1], sizeof(s) * (XPT_LANE_SPANS - 1));
		lane->nr_spans--;
	}
	lane->span[lane->nr_spans++] = s;
}

bool xpt_lane__fit(struct xpt_lane *lane, const struct xpt_call *c, struct xpt_span *ret_span)
{
	struct xpt_span s = { c->start_ns, c->start_ns + c->dur_ns, c->depth };
	bool whole = true;

	close_open(lane, c);
	while (lane->nr_spans && lane->span[lane->nr_spans - 1].start_ns >= s.start_ns) {
		struct xpt_span in = lane->span[--lane->nr_spans];

		whole &= in.end_ns <= s.end_ns;
		s.end_ns = in.end_ns > s.end_ns ? in.end_ns : s.end_ns;
	}
	if (lane->nr_spans && lane->span[lane->nr_spans - 1].end_ns > s.start_ns) {
		whole = false;
		s.start_ns = lane->span[lane->nr_spans - 1].end_ns;
		s.end_ns = s.end_ns > s.start_ns ? s.end_ns : s.start_ns;
	}
	push_span(lane, s);
	*ret_span = s;
	return whole;
}

int xpt_lane__keep_open(struct xpt_lane *lane, const struct xpt_call *c, const void *data,
			size_t n)
{
	struct xpt_open *o;

	if (c->depth >= XPT_MAX_DEPTH)
		return 0;
	o = malloc(sizeof(*o) + n);
	if (!o)
		return -ENOMEM;
	o->start_ns = c->start_ns;
	o->n = n;
	memcpy(o->data, data, n);
	free(lane->open[c->depth]);
	lane->open[c->depth] = o;
	return 0;
}

const void *xpt_lane__open(const struct xpt_lane *lane, unsigned depth, size_t *ret_n,
			   uint64_t *ret_start_ns)
{
	uint64_t start = 0;

	if (depth >= XPT_MAX_DEPTH || !lane->open[depth])
		return NULL;
	for (unsigned d = 0; d <= depth; d++) {
		if (lane->open[d] && lane->open[d]->start_ns > start)
			start = lane->open[d]->start_ns;
	}
	for (unsigned i = 0; i < lane->nr_spans; i++) {
		if (lane->span[i].start_ns < start && lane->span[i].end_ns > start)
			start = lane->span[i].end_ns;
	}
	*ret_n = lane->open[depth]->n;
	*ret_start_ns = start;
	return lane->open[depth]->data;
}
