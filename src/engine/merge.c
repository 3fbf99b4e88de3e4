// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The order of two rings. Within one ring records keep the order in which they
 * were put there. A record of the second ring goes before the first one of the
 * first ring that is younger. If there is none it waits until all that could
 * precede it has been written; what comes later still is handed over as it
 * comes, and counted.
 */
#include "engine/merge.h"

#include "engine/ring.h"
#include "wire/wire.h"

/* When it happened, ns; 0 for records too short to tell. */
static uint64_t time_of(const void *rec, size_t size)
{
	const struct xpt_rec_call *c = rec;
	const struct xpt_rec_task *t = rec;

	if (size >= sizeof(*t) && t->rec.kind == XPT_REC_TASK)
		return t->ts_ns;
	return size >= sizeof(*c) ? c->start_ns + c->dur_ns : 0;
}

static int take(struct xpt_merge *m, struct xpt_ring *r, const void *rec, size_t size)
{
	int err = m->fn(m->ctx, rec, size);

	xpt_ring__next(r);
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

	m->late += ts + XPT_MERGE_WINDOW_NS < m->ring_ns;
	if (waited)
		m->waited_ns = ts;
	return take(m, m->urgent, rec, size);
}

int xpt_merge__consume(struct xpt_merge *m, uint64_t now_ns)
{
	uint64_t old = now_ns == UINT64_MAX || now_ns < XPT_MERGE_WINDOW_NS ?
		       now_ns : now_ns - XPT_MERGE_WINDOW_NS;
	int err = 0;

	while (!err) {
		size_t size, urgent_size;
		const void *rec = xpt_ring__peek(m->ring, &size), *urgent;
		uint64_t ts = rec ? time_of(rec, size) : old;

		urgent = urgent_before(m, ts, &urgent_size);
		/* Look once more: the record that precedes it may have come meanwhile. */
		if (urgent && !rec && xpt_ring__peek(m->ring, &size))
			continue;
		if (!urgent && !rec)
			break;
		if (urgent) {
			err = take_urgent(m, urgent, urgent_size, !rec);
			continue;
		}
		m->late += ts < m->waited_ns;
		m->ring_ns = ts;
		err = take(m, m->ring, rec, size);
	}
	xpt_ring__tell(m->ring);
	xpt_ring__tell(m->urgent);
	return err;
}
