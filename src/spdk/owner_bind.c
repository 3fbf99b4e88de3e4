// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which queue pair an owner of trace entries is (lives.h), where several hosts have one with the same id on the same
 * subsystem. Where an owner's text has the client's port, it is one connection: its events in the trace (its
 * creation, its requests, its destruction) fit the life of that queue pair. An owner that fits one life alone is
 * bound to it, and then no other owner can be that life. Nothing is guessed: an owner that fits two lives, or a life
 * that two owners claim, is left alone.
 */
#include "spdk/lives_priv.h"

#include <stdlib.h>

#include "base/hashmap.h"

#define MAX_ROUNDS 32		/* most owners are bound in the first */

/* Whether a came after b, by more than the clocks of the probes and of the trace may differ. */
static bool comes_after(const struct owner *o, uint64_t a, uint64_t b)
{
	return a > b && a - b > o->lives->slack;
}

/*
 * Events of a queue pair in their order; the owner has some, the life has others: created (o->born), added
 * (life->begin), sends its connect (o->first), connected (life->connected), removed (life->removed), destroyed
 * (o->gone).
 */
static bool fits_begin(const struct owner *o, const struct xpt_spdk_life *life)
{
	if (o->first && comes_after(o, life->begin, o->first) && !life->older)
		return false;
	if (!o->born)	/* its creation was not seen: if the trace has creations, it is older than the trace */
		return !o->lives->tells_births || life->older || !comes_after(o, life->begin, o->lives->trace_begin);
	if (comes_after(o, o->born, life->older ? life->connected : life->begin))
		return false;
	return !o->first || !comes_after(o, o->first, life->connected);
}

/* A life that was not removed fits an owner that was destroyed only where the recording had ended, or may have. */
static bool fits_end(const struct owner *o, const struct xpt_spdk_life *life)
{
	if (o->last && comes_after(o, o->last, life->removed))
		return false;
	if (!o->gone)
		return true;
	if (life->removed == UINT64_MAX)
		return o->gone > o->lives->last || !o->lives->has_span;
	return !comes_after(o, life->removed, o->gone);
}

bool xpt_spdk_owner__fits(const struct owner *o, const struct xpt_spdk_life *life)
{
	return (!life->owner || life->owner == o) && fits_begin(o, life) && fits_end(o, life);
}

bool xpt_spdk_owner__connects_in(const struct owner *o, const struct xpt_spdk_life *life)
{
	return o->first && !life->older && life->connected != UINT64_MAX && !comes_after(o, life->begin, o->first) &&
	       !comes_after(o, o->first, life->connected);
}

/*
 * Does the trace show that the owner is that life, the only life that it fits? It could also be a connection from
 * before the recording, which has no life here, unless its creation or its connect is in the trace: then it was in
 * the time of the recording, too. Its end is no proof: the end of an older connection has no names.
 */
static bool is_proven(const struct owner *o, const struct xpt_spdk_life *life)
{
	return o->born || xpt_spdk_owner__connects_in(o, life);
}

void xpt_spdk_owner__bind(struct owner *o, struct xpt_spdk_life *life)
{
	o->bound = life;
	o->proven = is_proven(o, life);
	life->owner = o;
	o->list->nr_bound++;
	o->lives->nr_bound++;
}

/* Clears the notes: from now on the owner's text means another queue pair. */
static void begin_again(struct owner *o)
{
	if (o->bound)
		o->bound->owner = o->bound;	/* not NULL, so that no other owner gets it */
	o->bound = NULL;
	o->born = o->first = o->last = o->gone = 0;
	o->from = o->to = 0;
}

void xpt_spdk_owner__note(struct xpt_spdk_owner *owner, enum xpt_spdk_event ev, uint64_t tsc)
{
	struct owner *o = (struct owner *)owner;
	bool is_new = ev == XPT_SPDK_BORN ? o->first || o->gone
					  : ev == XPT_SPDK_BEGUN && o->bound && tsc > o->bound->removed;

	o->lives->tells_births |= ev == XPT_SPDK_BORN;
	if (o->lives->scanned && !o->named_twice)
		return;
	o->named_twice |= is_new && !o->lives->scanned;
	if (is_new)
		begin_again(o);
	if (ev == XPT_SPDK_BORN && !o->born)
		o->born = tsc;
	if (ev == XPT_SPDK_BEGUN) {
		o->first = o->first ? o->first : tsc;
		o->last = tsc;
	}
	if (ev == XPT_SPDK_GONE)
		o->gone = tsc;
	if (!o->bound && (ev != XPT_SPDK_BEGUN || o->first == tsc))
		o->to = 0;	/* the answer found for it may not hold any more */
}

/* --- binding, after a first pass ------------------------------------------------------------------ */

/* The only life that it fits, or NULL. */
static struct xpt_spdk_life *find_only(struct owner *o)
{
	struct xpt_spdk_life *only = NULL;

	if (!o->list || o->list->full || !xpt_spdk_owner__may_compare(o))
		return NULL;
	for (uint32_t i = 0; i < o->list->nr; i++) {
		struct xpt_spdk_life *life = o->list->life[i];

		if (!xpt_spdk_owner__is_named(o, life) || !xpt_spdk_owner__fits(o, life))
			continue;
		if (only)
			return NULL;
		only = life;
	}
	return only;
}

/* Each owner names the only life that it fits; a life that is named once is bound. True if one was. */
static bool bind_round(struct xpt_spdk_lives *l)
{
	uint64_t before = l->nr_bound;
	size_t pos = 0;
	void *val;

	for (size_t i = 0; i < l->nr; i++)
		l->life[i].claims = 0;
	while (xpt_hashmap__next(l->owners, &pos, NULL, &val)) {
		struct owner *o = *(struct owner **)val;

		o->answer = o->has_port && !o->bound && !o->named_twice ? find_only(o) : NULL;
		if (o->answer)
			o->answer->claims++;
	}
	for (pos = 0; xpt_hashmap__next(l->owners, &pos, NULL, &val);) {
		struct owner *o = *(struct owner **)val;

		if (o->answer && o->answer->claims == 1)
			xpt_spdk_owner__bind(o, o->answer);
	}
	return l->nr_bound > before;
}

void xpt_spdk_lives__bind_owners(struct xpt_spdk_lives *l)
{
	size_t pos = 0;
	void *val;

	for (unsigned i = 0; i < MAX_ROUNDS && bind_round(l); i++)
		;
	l->scanned = true;
	while (xpt_hashmap__next(l->owners, &pos, NULL, &val)) {
		struct owner *o = *(struct owner **)val;

		o->from = o->to = 0;
		if (o->named_twice)
			begin_again(o);
	}
}
