// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The times of all lanes' first records are the leaves of a tree in which each node has the earlier one of the two
 * below it, the root the next record. Once that is taken, only the nodes above its lane are compared again: 5 for 32
 * lanes.
 */
#include "engine/read/thread_lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wire/lane.h"

#define STORE_PART 4	/* the tail is stored when a fourth of the lane was read */

struct lane {
	struct xpt_lane *shared;
	uint64_t pos, end, stored;	/* read up to; written when looked at; tail known to the writer */
	size_t first_size, first_room;	/* the record at pos; its room in the lane */
};

struct node {
	uint64_t ns;			/* of the earliest first record below; UINT64_MAX: there is none */
	uint32_t lane;			/* whose that is, the lowest one of several */
};

struct xpt_thread_lanes {
	char *map;
	size_t map_bytes;
	uint32_t nr, bytes;
	uint32_t used;			/* lanes that were ever written to are below this one */
	uint32_t leaves;		/* a power of two; the leaf of lane i is node[leaves + i], the root node[1] */
	struct node *node;		/* below node i: 2 * i and 2 * i + 1 */
	struct lane lane[];
};

static int make_nodes(struct xpt_thread_lanes *l)
{
	for (l->leaves = 1; l->leaves < l->nr; l->leaves *= 2)
		;
	l->node = calloc(2 * (size_t)l->leaves, sizeof(*l->node));
	for (uint32_t i = 0; l->node && i < 2 * l->leaves; i++)
		l->node[i].ns = UINT64_MAX;
	for (uint32_t i = 0; l->node && i < l->leaves; i++)
		l->node[l->leaves + i].lane = i;
	return l->node ? 0 : -ENOMEM;
}

/* Says when the first record of a lane ended; UINT64_MAX: there is none. */
static void set_first(struct xpt_thread_lanes *l, uint32_t lane, uint64_t ns)
{
	struct node *node = l->node;
	uint32_t i = l->leaves + lane;

	/* Branch-free, because branches on the order of two records cannot be predicted. */
	for (node[i].ns = ns; i > 1; i /= 2)
		node[i / 2] = node[(i & ~1u) + (node[i | 1].ns < node[i & ~1u].ns)];
}

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
	err = make_nodes(l);
	p = err ? MAP_FAILED : mmap(NULL, l->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (p == MAP_FAILED) {
		err = err ? err : -errno;
		free(l->node);
		free(l);
		return err;
	}
	l->map = p;
	for (i = 0; i < nr; i++)
		l->lane[i].shared = (void *)(l->map + i * stride);
	*ret_l = l;
	return 0;
}

void xpt_thread_lanes__free(struct xpt_thread_lanes *l)
{
	if (!l)
		return;
	munmap(l->map, l->map_bytes);
	free(l->node);
	free(l);
}

static const struct xpt_rec_call *record_at(const struct xpt_thread_lanes *l, const struct lane *a)
{
	return (const void *)((const char *)(a->shared + 1) + (a->pos & (l->bytes - 1)));
}

/* Looks at the record at pos. If it cannot be a record, its header is handed over in
 * place of it and all that follows, for the pipeline counts and rejects it. */
static void see_first(struct xpt_thread_lanes *l, uint32_t lane)
{
	struct lane *a = &l->lane[lane];
	const struct xpt_rec_call *c = record_at(l, a);
	uint64_t ns;
	size_t size;

	if (a->pos == a->end) {
		set_first(l, lane, UINT64_MAX);
		return;
	}
	size = c->rec.size;
	if (size < sizeof(*c) || size > XPT_LANE_RECORD || size % 8 || size > a->end - a->pos) {
		a->first_room = a->end - a->pos;
		a->first_size = sizeof(c->rec);
		set_first(l, lane, 0);
		return;
	}
	a->first_room = a->first_size = size;
	ns = c->start_ns + c->dur_ns;
	set_first(l, lane, ns == UINT64_MAX ? ns - 1 : ns);
}

void xpt_thread_lanes__look(struct xpt_thread_lanes *l)
{
	uint32_t i;

	for (i = 0; i < l->nr; i++) {
		struct lane *a = &l->lane[i];
		uint64_t end = __atomic_load_n(&a->shared->head, __ATOMIC_ACQUIRE);

		if (end && i >= l->used)
			l->used = i + 1;
		if (end - a->stored > l->bytes)	/* no writer of ours does that */
			end = a->end;
		if (end == a->end)
			continue;
		a->end = end;
		if (l->node[l->leaves + i].ns == UINT64_MAX)
			see_first(l, i);
	}
}

const void *xpt_thread_lanes__peek(struct xpt_thread_lanes *l, uint64_t *ret_ns, size_t *ret_size)
{
	const struct node *first = &l->node[1];

	if (first->ns == UINT64_MAX)
		return NULL;
	*ret_ns = first->ns;
	*ret_size = l->lane[first->lane].first_size;
	return record_at(l, &l->lane[first->lane]);
}

static void store_lane(struct lane *a)
{
	if (a->stored != a->pos)
		__atomic_store_n(&a->shared->tail, a->pos, __ATOMIC_RELEASE);
	a->stored = a->pos;
}

void xpt_thread_lanes__next(struct xpt_thread_lanes *l)
{
	uint32_t lane = l->node[1].lane;
	struct lane *a = &l->lane[lane];

	a->pos += a->first_room;
	if (a->pos - a->stored >= l->bytes / STORE_PART)
		store_lane(a);
	see_first(l, lane);
}

void xpt_thread_lanes__store(struct xpt_thread_lanes *l)
{
	uint32_t i;

	for (i = 0; i < l->used; i++)
		store_lane(&l->lane[i]);
}
