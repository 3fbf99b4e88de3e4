// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The order of two rings and the lanes. Calls of the first ring and of the lanes
 * are put in the order in which they ended. Within one ring records keep the order in which they
 * were put there. A record of the second ring goes before the first one of the
 * first ring that is younger. If there is none it waits until all records that could precede it
 * have been written; a record that comes later still is handed over as it comes, and counted.
 */
#include "engine/read/merge.h"

#include "engine/read/thread_lanes.h"
#include "engine/read/ring.h"
#include "wire/wire.h"

/* When it happened, ns; 0 for records that are too short. */
static uint64_t time_of(const void *rec, size_t size)
{
	const struct xpt_rec_call *c = rec;
	const struct xpt_rec_task *t = rec;

	if (size >= sizeof(*t) && t->rec.kind == XPT_REC_TASK)
		return t->ts_ns;
	return size >= sizeof(*c) ? c->start_ns + c->dur_ns : 0;
}

/*
 * The next ordinary record: of the first ring, or of a lane if that one is older.
 * With lanes none is taken that ended after the look at the lanes began,
 * for an older one may come into a lane still.
 */
static const void *peek_ordinary(struct xpt_merge *m, uint64_t *ret_ns, size_t *ret_size)
{
	const void *rec = xpt_ring__peek(m->ring, ret_size), *of_lane;
	size_t size;
	uint64_t ns;

	m->from_lane = false;
	*ret_ns = rec ? time_of(rec, *ret_size) : UINT64_MAX;
	of_lane = m->lanes ? xpt_thread_lanes__peek(m->lanes, &ns, &size) : NULL;
	if (of_lane && ns <= *ret_ns) {
		m->from_lane = true;
		*ret_ns = ns;
		*ret_size = size;
		rec = of_lane;
	}
	return *ret_ns <= m->limit_ns ? rec : NULL;
}

static int take_ordinary(struct xpt_merge *m, const void *rec, size_t size)
{
	int err = m->fn(m->ctx, rec, size);

	if (m->from_lane)
		xpt_thread_lanes__next(m->lanes);
	else
		xpt_ring__next(m->ring);
	return err;
}

/* The next record of the second ring if it belongs before `before`. */
static const void *urgent_before(struct xpt_merge *m, uint64_t before, size_t *ret_size)
{
	const void *rec = xpt_ring__peek(m->urgent, ret_size);

	return rec && time_of(rec, *ret_size) <= before ? rec : NULL;
}

static int take_urgent(struct xpt_merge *m, const void *rec, size_t size, bool waited)
{
	uint64_t ts = time_of(rec, size);
	int err;

	m->late += ts + XPT_MERGE_WINDOW_NS < m->ring_ns;
	if (waited)
		m->waited_ns = ts;
	err = m->fn(m->ctx, rec, size);
	xpt_ring__next(m->urgent);
	return err;
}

int xpt_merge__consume(struct xpt_merge *m, uint64_t now_ns)
{
	uint64_t old = now_ns == UINT64_MAX || now_ns < XPT_MERGE_WINDOW_NS ?
		       now_ns : now_ns - XPT_MERGE_WINDOW_NS;
	int err = 0;

	m->limit_ns = m->lanes ? now_ns : UINT64_MAX;
	if (m->lanes)
		xpt_thread_lanes__look(m->lanes);
	while (!err) {
		size_t size, urgent_size;
		uint64_t ts;
		const void *rec = peek_ordinary(m, &ts, &size), *urgent;

		if (!rec)
			ts = old;
		urgent = urgent_before(m, ts, &urgent_size);
		/* Look once more: the record that precedes it may have come meanwhile. */
		if (urgent && !rec && peek_ordinary(m, &ts, &size))
			continue;
		if (!urgent && !rec)
			break;
		if (urgent) {
			err = take_urgent(m, urgent, urgent_size, !rec);
			continue;
		}
		m->late += ts < m->waited_ns;
		m->ring_ns = ts;
		err = take_ordinary(m, rec, size);
	}
	if (m->lanes)
		xpt_thread_lanes__store(m->lanes);
	xpt_ring__store(m->ring);
	xpt_ring__store(m->urgent);
	return err;
}
