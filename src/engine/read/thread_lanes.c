// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each lane in use keeps the time of its first record at hand; the next one is
 * found by comparing those, which for a few lanes costs less than a heap.
 */
#include "engine/read/thread_lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wire/lane.h"

#define TELL_PART 4	/* the writer is told when a fourth of the lane was read */

struct lane {
	struct xpt_lane *shared;
	uint64_t pos, end, told;	/* read up to; written when looked at; what the writer knows */
	uint64_t first_ns;		/* when the record at pos ended; UINT64_MAX: there is none */
	size_t first_size, first_room;	/* the record at pos; what it takes of the lane */
};

struct xpt_thread_lanes {
	char *map;
	size_t map_bytes;
	uint32_t nr, bytes;
	uint32_t used;			/* lanes that were ever written to are below this one */
	uint32_t first;			/* lane of the record that peek found */
	struct lane lane[];
};

int xpt_thread_lanes__new(int map_fd, uint32_t nr, uint32_t bytes, struct xpt_thread_lanes **ret_l)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), stride = XPT_LANE_SIZE((size_t)bytes);
	struct xpt_thread_lanes *l = calloc(1, sizeof(*l) + nr * sizeof(l->lane[0]));
	uint32_t i;
	void *p;
	int err;

	if (!l)
		return -ENOMEM;
	l->nr = nr;
	l->bytes = bytes;
	l->map_bytes = (nr * stride + page - 1) & ~(page - 1);
	p = mmap(NULL, l->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (p == MAP_FAILED) {
		err = -errno;
		free(l);
		return err;
	}
	l->map = p;
	for (i = 0; i < nr; i++) {
		l->lane[i].shared = (void *)(l->map + i * stride);
		l->lane[i].first_ns = UINT64_MAX;
	}
	*ret_l = l;
	return 0;
}

void xpt_thread_lanes__free(struct xpt_thread_lanes *l)
{
	if (!l)
		return;
	munmap(l->map, l->map_bytes);
	free(l);
}

static const struct xpt_rec_call *record_at(const struct xpt_thread_lanes *l, const struct lane *a)
{
	return (const void *)((const char *)(a->shared + 1) + (a->pos & (l->bytes - 1)));
}

/* Finds out about the record at pos. Of what cannot be one, with all that follows, the
 * header is handed over, for the pipeline counts and rejects it. */
static void see_first(struct xpt_thread_lanes *l, struct lane *a)
{
	const struct xpt_rec_call *c = record_at(l, a);
	size_t size;

	a->first_ns = UINT64_MAX;
	if (a->pos == a->end)
		return;
	size = c->rec.size;
	if (size < sizeof(*c) || size > XPT_LANE_RECORD || size % 8 || size > a->end - a->pos) {
		a->first_room = a->end - a->pos;
		a->first_size = sizeof(c->rec);
		a->first_ns = 0;
		return;
	}
	a->first_room = a->first_size = size;
	a->first_ns = c->start_ns + c->dur_ns;
	if (a->first_ns == UINT64_MAX)
		a->first_ns--;
}

void xpt_thread_lanes__look(struct xpt_thread_lanes *l)
{
	uint32_t i;

	for (i = 0; i < l->nr; i++) {
		struct lane *a = &l->lane[i];
		uint64_t end = __atomic_load_n(&a->shared->head, __ATOMIC_ACQUIRE);

		if (end && i >= l->used)
			l->used = i + 1;
		if (end - a->told > l->bytes)	/* no writer of ours does that */
			end = a->end;
		if (end == a->end)
			continue;
		a->end = end;
		if (a->first_ns == UINT64_MAX)
			see_first(l, a);
	}
}

const void *xpt_thread_lanes__peek(struct xpt_thread_lanes *l, uint64_t *ret_ns, size_t *ret_size)
{
	uint64_t first = UINT64_MAX;
	uint32_t i;

	for (i = 0; i < l->used; i++) {
		if (l->lane[i].first_ns >= first)
			continue;
		first = l->lane[i].first_ns;
		l->first = i;
	}
	if (first == UINT64_MAX)
		return NULL;
	*ret_ns = first;
	*ret_size = l->lane[l->first].first_size;
	return record_at(l, &l->lane[l->first]);
}

static void tell(struct lane *a)
{
	if (a->told != a->pos)
		__atomic_store_n(&a->shared->tail, a->pos, __ATOMIC_RELEASE);
	a->told = a->pos;
}

void xpt_thread_lanes__next(struct xpt_thread_lanes *l)
{
	struct lane *a = &l->lane[l->first];

	a->pos += a->first_room;
	if (a->pos - a->told >= l->bytes / TELL_PART)
		tell(a);
	see_first(l, a);
}

void xpt_thread_lanes__tell(struct xpt_thread_lanes *l)
{
	uint32_t i;

	for (i = 0; i < l->used; i++)
		tell(&l->lane[i]);
}
