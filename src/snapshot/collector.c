// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See collector.h. Processes without a place have their counts kept apart, too, because each running count of a
 * process (COUNTER_NOW) replaces the one before; they are added up only where a snapshot is printed.
 */
#include "snapshot/collector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/forget.h"
#include "snapshot/collector_priv.h"
#include "wire/device.h"
#include "wire/user.h"

/* Time after the end of a process until its last counts are there (pipeline/procs.c: 8 s). */
#define SETTLE_NS 12000000000ull
#define SWEEP_NS 10000000000ull		/* between two sweeps, which remove the counts of ended processes */

/* --- life -------------------------------------------------------------------------------------- */

static int new_maps(struct xpt_collector *c)
{
	const struct {
		struct xpt_hashmap **map;
		size_t key, val, max;
	} maps[] = {
		{ &c->places, sizeof(void *), sizeof(struct xpt_collector_place), XPT_COLLECTOR_SEEN },
		{ &c->counts, sizeof(struct xpt_collector_key), sizeof(struct xpt_collector_count),
		  XPT_COLLECTOR_COUNTS },
		{ &c->errors, sizeof(struct xpt_collector_key), sizeof(struct xpt_collector_error),
		  XPT_COLLECTOR_COUNTS },
		{ &c->open_calls, sizeof(struct xpt_collector_key), sizeof(struct xpt_collector_waiting),
		  XPT_COLLECTOR_COUNTS },
		{ &c->gone, sizeof(struct xpt_collector_key), sizeof(struct xpt_collector_sums), XPT_COLLECTOR_COUNTS },
		{ &c->gone_errors, sizeof(struct xpt_collector_key), sizeof(uint64_t), XPT_COLLECTOR_COUNTS },
		{ &c->readings, sizeof(struct xpt_collector_reading_key), sizeof(struct xpt_collector_reading),
		  XPT_SNAPSHOT_READINGS },
		{ &c->read, sizeof(void *), sizeof(struct xpt_collector_read), XPT_MAX_DEVICES },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(maps) / sizeof(maps[0]); i++)
		err = xpt_hashmap__new(maps[i].key, maps[i].val, maps[i].max, maps[i].map);
	return err;
}

int xpt_collector__new(struct xpt_collector **ret_c)
{
	static const uint32_t max[] = { XPT_SNAPSHOT_PROCESSES };
	struct xpt_collector *c = calloc(1, sizeof(*c));
	int err = c ? new_maps(c) : -ENOMEM;

	err = err ? err : xpt_shares__init(&c->shares, max, 1);
	if (err) {
		xpt_collector__free(c);
		return err;
	}
	*ret_c = c;
	return 0;
}

void xpt_collector__free(struct xpt_collector *c)
{
	if (!c)
		return;
	xpt_hashmap__free(c->places);
	xpt_shares__free(&c->shares);
	xpt_hashmap__free(c->counts);
	xpt_hashmap__free(c->errors);
	xpt_hashmap__free(c->open_calls);
	xpt_hashmap__free(c->gone);
	xpt_hashmap__free(c->gone_errors);
	xpt_hashmap__free(c->readings);
	xpt_hashmap__free(c->read);
	free(c);
}

void xpt_collector__set_owner(struct xpt_collector *c, xpt_shares_owner_fn owner, void *ctx)
{
	c->shares.ask = owner;
	c->shares.ask_ctx = ctx;
}

void xpt_collector__set_open_bytes(struct xpt_collector *c, xpt_open_bytes_fn open_bytes, void *ctx)
{
	c->open_bytes = open_bytes;
	c->open_bytes_ctx = ctx;
}

/* --- places ------------------------------------------------------------------------------------- */

static void give_place_back(struct xpt_collector *c, struct xpt_collector_place *place)
{
	if (place->has_place)
		xpt_shares__give_back(&c->shares, place->share, 0, 1);
	place->has_place = false;
	place->has_none = true;
}

/* The last processes to end keep their places, so that a user who looks seldom sees their counts. */
static void remember_ended(struct xpt_collector *c, const struct xpt_proc *proc)
{
	const struct xpt_proc **slot = &c->ended[c->next_ended];
	struct xpt_collector_place *oldest = *slot ? xpt_hashmap__find(c->places, slot) : NULL;

	if (oldest)
		give_place_back(c, oldest);
	*slot = proc;
	c->next_ended = (c->next_ended + 1) % XPT_COLLECTOR_ENDED;
}

static void take_place(struct xpt_collector *c, const struct xpt_proc *proc, struct xpt_collector_place *place)
{
	if (!xpt_shares__take(&c->shares, place->owner, 0, &place->share)) {
		place->has_none = true;
		return;
	}
	place->has_place = true;
	if (place->ended_ns)
		remember_ended(c, proc);
}

/*
 * The entry of a process, made if it is new; it may have no place. Asks for the owner until he is known: at once,
 * because the owner of a process that has ended cannot be found any more.
 */
static struct xpt_collector_place *place_of(struct xpt_collector *c, const struct xpt_proc *proc)
{
	bool is_new;
	struct xpt_collector_place *place = proc ? xpt_hashmap__get(c->places, &proc, &is_new) : NULL;

	if (place && (is_new || (place->owner == XPT_OWNER_NOBODY && !place->has_place)))
		place->owner = xpt_shares__ask(&c->shares, proc);
	return place;
}

/* Called for each count of a process, and only then: processes that make no calls need no place. */
static void need_place(struct xpt_collector *c, const struct xpt_proc *proc)
{
	struct xpt_collector_place *place = place_of(c, proc);

	if (place && !place->has_place && !place->has_none)
		take_place(c, proc, place);
}

bool xpt_collector__has_place(const struct xpt_collector *c, const struct xpt_proc *proc)
{
	const struct xpt_collector_place *place = proc ? xpt_hashmap__find(c->places, &proc) : NULL;

	return place && place->has_place;
}

static void note_end(struct xpt_collector *c, const struct xpt_proc *proc)
{
	struct xpt_collector_place *place = place_of(c, proc);

	if (!place || place->ended_ns)
		return;
	place->ended_ns = proc->exit_ns ? proc->exit_ns : c->now_ns;
	if (place->has_place)
		remember_ended(c, proc);
}

/* --- counts ---------------------------------------------------------------------------------------- */

static void raise_to(uint64_t *v, uint64_t to)
{
	*v = to > *v ? to : *v;
}

/* Counts only grow, but they are read while calls end: a later reading may have the older value of one of them. */
static void raise_sums(struct xpt_collector_sums *sums, const struct xpt_collector_sums *to)
{
	raise_to(&sums->calls, to->calls);
	raise_to(&sums->time_ns, to->time_ns);
	raise_to(&sums->bytes, to->bytes);
	raise_to(&sums->errors, to->errors);
	for (unsigned i = 0; i < XPT_DURATIONS; i++)
		raise_to(&sums->took[i], to->took[i]);
}

static void add_sums(struct xpt_collector_sums *sums, const struct xpt_collector_sums *more)
{
	sums->calls += more->calls;
	sums->time_ns += more->time_ns;
	sums->bytes += more->bytes;
	sums->errors += more->errors;
	for (unsigned i = 0; i < XPT_DURATIONS; i++)
		sums->took[i] += more->took[i];
}

/* is_final: these sums contain the running counts so far; counts that come later begin at 0 again. */
static void add_count(struct xpt_collector *c, const struct xpt_collector_key *key, const struct xpt_collector_sums *sums,
		      bool is_final)
{
	struct xpt_collector_count *count = xpt_hashmap__get(c->counts, key, NULL);

	if (!count) {
		c->left_out++;
		return;
	}
	need_place(c, key->proc);
	raise_sums(&count->now, sums);
	if (!is_final)
		return;
	add_sums(&count->ended, &count->now);
	count->now = (struct xpt_collector_sums){ 0 };
}

static void on_counter(struct xpt_collector *c, const struct xpt_event *ev, bool is_final)
{
	const struct xpt_wire_count *n = ev->u.counter.count;
	const struct xpt_collector_key key = {
		ev->u.counter.proc, ev->u.counter.fn,
		ev->u.counter.dir | (ev->u.counter.outer ? XPT_SUB_OUTER : 0) |
		(ev->u.counter.nested ? XPT_SUB_NESTED : 0) | (ev->u.counter.in_named ? XPT_SUB_IN_NAMED : 0) |
		(ev->u.counter.passed_on ? XPT_SUB_PASSED_ON : 0),
	};
	struct xpt_collector_sums sums = { n->calls, n->time_ns, n->bytes, n->errors, { 0 } };

	xpt_durations__add(sums.took, n);
	add_count(c, &key, &sums, is_final);
}

static void on_error(struct xpt_collector *c, const struct xpt_event *ev, bool is_final)
{
	const struct xpt_collector_key key = { ev->u.errcount.proc, ev->u.errcount.fn, ev->u.errcount.code };
	struct xpt_collector_error *error = ev->u.errcount.failed ? xpt_hashmap__get(c->errors, &key, NULL) : NULL;

	c->left_out += ev->u.errcount.failed && !error;
	if (!error)
		return;
	need_place(c, key.proc);
	raise_to(&error->now, ev->u.errcount.calls);
	if (!is_final)
		return;
	error->ended += error->now;
	error->now = 0;
}

static void on_waiting(struct xpt_collector *c, const struct xpt_event *ev)
{
	const struct xpt_collector_key key = { ev->u.inflight.proc, ev->u.inflight.fn, 0 };
	struct xpt_collector_waiting *w = xpt_hashmap__get(c->open_calls, &key, NULL);

	if (!w) {
		c->left_out++;
		return;
	}
	need_place(c, key.proc);
	*w = (struct xpt_collector_waiting){ ev->u.inflight.calls, ev->u.inflight.oldest_ns, ev->u.inflight.sum_ns };
}

/* --- processes that are forgotten --------------------------------------------------------------------- */

/*
 * Whether the counts of a process need not be kept apart: it is forgotten, or has ended so long ago that its last
 * counts are there, and has no place.
 */
static bool is_over(const struct xpt_collector *c, const struct xpt_proc *proc)
{
	const struct xpt_collector_place *place = xpt_hashmap__find(c->places, &proc);

	return proc->forgotten || (place && place->ended_ns && !place->has_place && c->now_ns > place->ended_ns + SETTLE_NS);
}

/* Adds the counts of processes that are over to sums without a process, by function, and removes them. */
static void move_counts(struct xpt_collector *c)
{
	const void *k;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(c->counts, &pos, &k, &v)) {
		const struct xpt_collector_key key = *(const struct xpt_collector_key *)k;
		const struct xpt_collector_key to = { NULL, key.fn, key.detail };
		const struct xpt_collector_count *count = v;
		struct xpt_collector_sums *sums;

		if (!key.proc || !is_over(c, key.proc))
			continue;
		sums = xpt_hashmap__get(c->gone, &to, NULL);
		if (sums) {
			add_sums(sums, &count->ended);
			add_sums(sums, &count->now);
		} else {
			c->left_out++;
		}
		xpt_hashmap__del(c->counts, &key);
	}
}

/* The same of errors; their sums are not kept apart by code. */
static void move_errors(struct xpt_collector *c)
{
	const void *k;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(c->errors, &pos, &k, &v)) {
		const struct xpt_collector_key key = *(const struct xpt_collector_key *)k;
		const struct xpt_collector_key to = { NULL, key.fn, 0 };
		const struct xpt_collector_error *error = v;
		uint64_t *sum;

		if (!key.proc || !is_over(c, key.proc))
			continue;
		sum = xpt_hashmap__get(c->gone_errors, &to, NULL);
		if (sum)
			*sum += error->ended + error->now;
		else
			c->left_out++;
		xpt_hashmap__del(c->errors, &key);
	}
}

static void forget_places(struct xpt_collector *c)
{
	const void *key;
	size_t pos = 0;
	void *place;

	for (unsigned i = 0; i < XPT_COLLECTOR_ENDED; i++)
		if (c->ended[i] && c->ended[i]->forgotten)
			c->ended[i] = NULL;
	while (xpt_hashmap__next(c->places, &pos, &key, &place))
		if ((*(const struct xpt_proc *const *)key)->forgotten)
			give_place_back(c, place);
	xpt_forget__map(c->places, NULL, NULL);
}

static void on_forget(struct xpt_collector *c)
{
	move_counts(c);
	move_errors(c);
	xpt_forget__map(c->open_calls, NULL, NULL);
	forget_places(c);
}

void xpt_collector__end_round(struct xpt_collector *c)
{
	xpt_hashmap__clear(c->open_calls);
	if (c->now_ns - c->swept_ns < SWEEP_NS)
		return;
	c->swept_ns = c->now_ns;
	move_counts(c);
	move_errors(c);
	xpt_collector__remove_readings(c);
}

/* --- the sink ---------------------------------------------------------------------------------------- */

struct sink {
	struct xpt_collector *c;
};

static int open_sink(void *st, const struct xpt_sink_cfg *cfg)
{
	((struct sink *)st)->c = cfg->ctx;
	return 0;
}

static int add_event(void *st, const struct xpt_event *ev)
{
	struct xpt_collector *c = ((struct sink *)st)->c;

	c->now_ns = ev->ts_ns > c->now_ns ? ev->ts_ns : c->now_ns;
	switch (ev->kind) {
	case XPT_EV_PROC:
		place_of(c, ev->u.proc.proc);
		break;
	case XPT_EV_EXIT:
		note_end(c, ev->u.proc.proc);
		break;
	case XPT_EV_COUNTER_NOW:
	case XPT_EV_COUNTER:
		on_counter(c, ev, ev->kind == XPT_EV_COUNTER);
		break;
	case XPT_EV_ERRCOUNT_NOW:
	case XPT_EV_ERRCOUNT:
		on_error(c, ev, ev->kind == XPT_EV_ERRCOUNT);
		break;
	case XPT_EV_INFLIGHT_NOW:
		on_waiting(c, ev);
		break;
	case XPT_EV_FORGET:
		on_forget(c);
		break;
	case XPT_EV_READING:
		xpt_collector__on_reading(c, ev->u.reading, ev->ts_ns);
		break;
	default:
		break;
	}
	return 0;
}

static int close_sink(void *st)
{
	(void)st;
	return 0;
}

const struct xpt_sink xpt_snapshot_sink = {
	.name = "snapshot", .state_size = sizeof(struct sink), .open = open_sink, .event = add_event, .close = close_sink,
};
