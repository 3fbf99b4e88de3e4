/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Launches: which kernels were launched how often, how long the calls took to
 * enqueue them, and with what grid and block mostly. One row a kernel, without
 * template arguments; graphs are one row, kernels beyond the first TOP another.
 *
 * From events: calls that were lost or left out of the events are missing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "model/analyzer.h"

#define TOP 10
#define MAX_KERNELS 4096
#define KERNEL_NAME 128	/* bytes kept of a name, NUL included */
#define SHAPES 8	/* counted exactly; beyond that the rarest gives way */
#define GRAPHS "(graphs)"

struct rec_launch {
	const char *kernel, *shape;
	uint64_t launches, failed, time_ns, mean_ns;
	double share;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_launch, kernel, STR, NONE, "kernel"),
	XPT_FIELD(struct rec_launch, launches, U64, COUNT, "launches"),
	XPT_FIELD(struct rec_launch, share, F64, RATIO, "share"),
	XPT_FIELD(struct rec_launch, failed, U64, COUNT, ""),
	XPT_FIELD(struct rec_launch, time_ns, U64, NS, "enqueue"),
	XPT_FIELD(struct rec_launch, mean_ns, U64, NS, "mean"),
	XPT_FIELD(struct rec_launch, shape, STR, NONE, "grid,block mostly"),
};

static const struct xpt_schema schema = {
	.name = "launches", .title = "Kernel launches",
	.help = "Launches per kernel, from the events: share of all launches, time that the calls "
		"took (not that of the kernel on the device), most used grid and block",
	.layout = XPT_LAYOUT_TABLE, .order = 35, .size = sizeof(struct rec_launch),
	.fields = fields, .nr_fields = sizeof(fields) / sizeof(fields[0]),
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct shape {
	uint32_t dim[6];	/* grid x y z, block x y z */
	uint64_t n;		/* 0: free */
};

struct kernel {
	char name[KERNEL_NAME];
	uint64_t launches, failed, time_ns;
	struct shape shape[SHAPES];
};

struct launches {
	struct xpt_hashmap *by_name;	/* char[KERNEL_NAME] -> struct kernel * */
	struct kernel *last;		/* launches of one kernel often follow one another */
	struct kernel other;
	uint64_t total;
};

static int launches__open(void *st)
{
	struct launches *l = st;

	return xpt_hashmap__new(KERNEL_NAME, sizeof(struct kernel *), MAX_KERNELS, &l->by_name);
}

static void launches__close(void *st)
{
	struct launches *l = st;
	const void *key;
	size_t pos = 0;
	void *val;

	while (l->by_name && xpt_hashmap__next(l->by_name, &pos, &key, &val))
		free(*(struct kernel **)val);
	xpt_hashmap__free(l->by_name);
}

/* The row of that name; the row of the rest when there are too many. */
static struct kernel *kernel_of(struct launches *l, const char *name, struct xpt_out *out)
{
	char key[KERNEL_NAME] = { 0 };
	struct kernel *k, **slot;

	memcpy(key, name, strnlen(name, sizeof(key) - 1));
	if (l->last && !memcmp(l->last->name, key, sizeof(key)))
		return l->last;
	slot = xpt_hashmap__find(l->by_name, key);
	if (slot)
		return l->last = *slot;
	k = calloc(1, sizeof(*k));
	slot = k ? xpt_hashmap__get(l->by_name, key, NULL) : NULL;
	if (!slot) {
		free(k);
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
		return &l->other;
	}
	memcpy(k->name, key, sizeof(k->name));
	*slot = k;
	return l->last = k;
}

static bool get_shape(const struct xpt_call *c, struct shape *ret_s)
{
	uint64_t v;

	for (unsigned i = 0; i < 6; i++) {
		v = 1;
		if (!xpt_call__role(c, XPT_ROLE_GRID_X + i, &v) && i % 3 == 0)
			return false;
		ret_s->dim[i] = (uint32_t)v;
	}
	return true;
}

_Static_assert(XPT_ROLE_BLOCK_Z == XPT_ROLE_GRID_X + 5, "get_shape() counts on it");

static void count_shape(struct kernel *k, const struct xpt_call *c)
{
	struct shape s, *at, *least = k->shape;

	if (!get_shape(c, &s))
		return;
	for (at = k->shape; at < k->shape + SHAPES; at++) {
		if (at->n && !memcmp(at->dim, s.dim, sizeof(s.dim))) {
			at->n++;
			return;
		}
		if (at->n < least->n)
			least = at;
	}
	/* It takes over the count of the rarest: one that is frequent stays. */
	memcpy(least->dim, s.dim, sizeof(s.dim));
	least->n++;
}

static void on_call(struct launches *l, const struct xpt_call *c, struct xpt_out *out)
{
	struct kernel *k;

	if (c->fn->cls != XPT_CLASS_LAUNCH || !xpt_call__counts(c))
		return;
	k = kernel_of(l, c->kernel_short ? c->kernel_short
					 : c->fn->role_idx[XPT_ROLE_GRAPH] >= 0 ? GRAPHS : "unknown",
		      out);
	k->launches++;
	k->failed += c->failed;
	k->time_ns += c->dur_ns;
	l->total++;
	count_shape(k, c);
}

/* 8, 8x8 or 1x1x4 */
static int add_dims(char *buf, size_t n, const uint32_t *dim)
{
	if (dim[2] != 1)
		return snprintf(buf, n, "%ux%ux%u", dim[0], dim[1], dim[2]);
	if (dim[1] != 1)
		return snprintf(buf, n, "%ux%u", dim[0], dim[1]);
	return snprintf(buf, n, "%u", dim[0]);
}

static const char *shape_text(const struct kernel *k, char *buf, size_t n)
{
	const struct shape *most = k->shape, *s;
	char grid[40], block[40];

	for (s = k->shape; s < k->shape + SHAPES; s++)
		if (s->n > most->n)
			most = s;
	if (!most->n)
		return "-";
	add_dims(grid, sizeof(grid), most->dim);
	add_dims(block, sizeof(block), most->dim + 3);
	snprintf(buf, n, "<<<%s,%s>>>", grid, block);
	return buf;
}

static void emit(const struct launches *l, const struct kernel *k, const char *name,
		 struct xpt_out *out)
{
	char shape[96];
	struct rec_launch rec = {
		.kernel = name, .shape = shape_text(k, shape, sizeof(shape)),
		.launches = k->launches, .failed = k->failed, .time_ns = k->time_ns,
		.mean_ns = k->time_ns / k->launches,
		.share = (double)k->launches / (double)l->total,
	};

	xpt_out__emit(out, &schema, &rec);
}

static int by_launches(const void *a, const void *b)
{
	const struct kernel *x = *(struct kernel *const *)a, *y = *(struct kernel *const *)b;

	if (x->launches != y->launches)
		return x->launches < y->launches ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void on_end(struct launches *l, struct xpt_out *out)
{
	struct kernel **all = calloc(xpt_hashmap__len(l->by_name) + 1, sizeof(*all));
	size_t nr = 0, pos = 0, shown, i;
	struct kernel other = l->other;
	const void *key;
	char name[48];
	void *val;

	while (all && xpt_hashmap__next(l->by_name, &pos, &key, &val))
		all[nr++] = *(struct kernel **)val;
	if (nr)
		qsort(all, nr, sizeof(*all), by_launches);
	shown = nr <= TOP + 1 && !other.launches ? nr : nr < TOP ? nr : TOP;
	for (i = 0; i < shown; i++)
		emit(l, all[i], all[i]->name, out);
	for (; i < nr; i++) {
		other.launches += all[i]->launches;
		other.failed += all[i]->failed;
		other.time_ns += all[i]->time_ns;
	}
	snprintf(name, sizeof(name), "other (%s%zu kernels)", l->other.launches ? "over " : "",
		 nr - shown);
	memset(other.shape, 0, sizeof(other.shape));
	if (other.launches)
		emit(l, &other, name, out);
	free(all);
}

static void launches__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	if (ev->kind == XPT_EV_CALL)
		on_call(st, &ev->u.call, out);
	else if (ev->kind == XPT_EV_END)
		on_end(st, out);
}

const struct xpt_analyzer xpt_analyzer_launches = {
	.name = "launches",
	.help = "launches of each kernel, with grid and block",
	.emits = emits,
	.state_size = sizeof(struct launches),
	.open = launches__open,
	.event = launches__event,
	.close = launches__close,
};
