// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Requests and their states, see request_states.h: requests underway in a hash map, and one distribution for each
 * state and kind.
 */
#include "spdk/request_states.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"

struct key {
	uint64_t value, prefix;		/* address and letter of the object */
};

struct xpt_spdk_states {
	uint64_t rate, unknown, left_out;
	struct xpt_hashmap *underway;	/* struct key -> struct xpt_spdk_io */
	struct xpt_spdk_io last, cut;	/* requests that were handed out and are in the map no more */
	struct xpt_spdk_kind *kind[XPT_SPDK_MAX_TPOINTS];
	struct xpt_spdk_state *state[XPT_SPDK_MAX_TPOINTS];
};

int xpt_spdk_states__new(uint64_t rate, struct xpt_spdk_states **ret_s)
{
	struct xpt_spdk_states *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->rate = rate;
	if (xpt_hashmap__new(sizeof(struct key), sizeof(struct xpt_spdk_io), XPT_SPDK_MAX_UNDERWAY,
			     &s->underway)) {
		free(s);
		return -ENOMEM;
	}
	*ret_s = s;
	return 0;
}

void xpt_spdk_states__free(struct xpt_spdk_states *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < XPT_SPDK_MAX_TPOINTS; i++) {
		free(s->kind[i]);
		free(s->state[i]);
	}
	xpt_hashmap__free(s->underway);
	free(s);
}

static struct xpt_spdk_kind *kind_of(struct xpt_spdk_states *s, const struct xpt_spdk_tpoint *first)
{
	struct xpt_spdk_kind **at = &s->kind[first->id];

	if (!*at)
		*at = calloc(1, sizeof(**at));
	if (*at)
		(*at)->first = first;
	return *at;
}

static uint64_t to_ns(const struct xpt_spdk_states *s, uint64_t from, uint64_t to)
{
	unsigned __int128 ns = to < from ? 0 : (unsigned __int128)(to - from) * 1000000000 / s->rate;

	return ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

/* The state that io was in ends. */
static void end_state(struct xpt_spdk_states *s, const struct xpt_spdk_io *io, uint64_t tsc)
{
	struct xpt_spdk_state **at = &s->state[io->state->id];

	if (!*at)
		*at = calloc(1, sizeof(**at));
	if (!*at)
		return;
	if (!(*at)->tp) {
		(*at)->tp = io->state;
		(*at)->kind = kind_of(s, io->first);
	}
	xpt_dist__add(&(*at)->ns, to_ns(s, io->since, tsc));
}

bool xpt_spdk_object__parse(const struct xpt_spdk_text *id, struct xpt_spdk_object *ret_object)
{
	uint64_t nr = 0;

	if (!id->s || id->n < 2 || id->n > 20)
		return false;
	for (size_t i = 1; i < id->n; i++) {
		if (id->s[i] < '0' || id->s[i] > '9')
			return false;
		nr = nr * 10 + (uint64_t)(id->s[i] - '0');
	}
	*ret_object = (struct xpt_spdk_object){ .nr = nr, .prefix = (unsigned char)id->s[0] };
	return true;
}

static enum xpt_spdk_step begin_request(struct xpt_spdk_states *s, const struct xpt_spdk_entry *e,
					const struct key *key, uint64_t nr, struct xpt_spdk_io **ret_io,
					struct xpt_spdk_io **ret_cut)
{
	struct xpt_spdk_kind *kind = kind_of(s, e->tp);
	bool is_new;
	struct xpt_spdk_io *io = xpt_hashmap__get(s->underway, key, &is_new);

	if (!io || !kind) {
		s->left_out++;
		return XPT_SPDK_NONE;
	}
	if (!is_new) {
		s->cut = *io;
		*ret_cut = &s->cut;
		if (s->kind[io->first->id])
			s->kind[io->first->id]->cut++;
	}
	*io = (struct xpt_spdk_io){ .first = e->tp, .state = e->tp, .start = e->tsc, .since = e->tsc,
				    .nr = nr };
	kind->begun++;
	*ret_io = io;
	return XPT_SPDK_BEGIN;
}

enum xpt_spdk_step xpt_spdk_states__entry(struct xpt_spdk_states *s, const struct xpt_spdk_entry *e,
					  struct xpt_spdk_io **ret_io, struct xpt_spdk_io **ret_cut)
{
	struct key key = { .value = e->value };
	struct xpt_spdk_object object;
	struct xpt_spdk_io *io;

	*ret_io = *ret_cut = NULL;
	if (!xpt_spdk_object__parse(&e->id, &object)) {
		s->unknown += e->has_object && !e->tp->new_object;
		return XPT_SPDK_NONE;
	}
	key.prefix = object.prefix;
	if (e->tp->new_object)
		return begin_request(s, e, &key, object.nr, ret_io, ret_cut);
	io = xpt_hashmap__find(s->underway, &key);
	if (!io || io->nr != object.nr) {
		s->unknown++;
		return XPT_SPDK_NONE;
	}
	end_state(s, io, e->tsc);
	if (!e->tp->final) {
		io->state = e->tp;
		io->since = e->tsc;
		*ret_io = io;
		return XPT_SPDK_STATE;
	}
	xpt_dist__add(&s->kind[io->first->id]->whole, to_ns(s, io->start, e->tsc));
	s->last = *io;
	*ret_io = &s->last;
	xpt_hashmap__del(s->underway, &key);
	return XPT_SPDK_END;
}

uint64_t xpt_spdk_states__age(const struct xpt_spdk_states *s, const struct xpt_spdk_io *io, uint64_t tsc)
{
	return to_ns(s, io->start, tsc);
}

const struct xpt_spdk_kind *xpt_spdk_states__kind(const struct xpt_spdk_states *s, unsigned id)
{
	return s->kind[id];
}

const struct xpt_spdk_state *xpt_spdk_states__state(const struct xpt_spdk_states *s, unsigned id)
{
	return s->state[id];
}

uint64_t xpt_spdk_states__unknown(const struct xpt_spdk_states *s)
{
	return s->unknown;
}

uint64_t xpt_spdk_states__left_out(const struct xpt_spdk_states *s)
{
	return s->left_out;
}

char *xpt_spdk_kind_name(const struct xpt_spdk_tpoint *first, char *buf, size_t n)
{
	char *last;

	snprintf(buf, n, "%s", first->name);
	last = strrchr(buf, '_');
	if (last && last > buf)
		*last = '\0';
	return buf;
}
