/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Launches by CUDA kernel: their number, the time of the launch calls, and the most frequent grid and block. There is
 * a row for each kernel, without template arguments, one for all graphs, and one for kernels beyond the first TOP.
 *
 * Computed from events: calls without an event are missing.
 *
 * A thread is launch-bound if it spends its time in launch calls and hardly any in waits: then the device has
 * finished before the next kernel arrives. Launch calls that are long because the queue of the device is full are no
 * sign of that, so their mean may not be far above the usual duration.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/numbers/mean.h"
#include "model/forget.h"
#include "model/output/analyzer.h"

#define TOP 10
#define MAX_KERNELS 4096
#define KERNEL_NAME 128	/* bytes kept of a name, NUL included */
#define SHAPES 8	/* counted exactly; beyond that the rarest gives way */
#define GRAPHS "(graphs)"

#define MAX_THREADS 8192
#define HIST 40		/* log2 slots of ns */
#define MIN_LAUNCHES 1000
#define MIN_SHARE 0.3	/* of a thread's time, in launch calls */
#define MAX_WAIT 0.1	/* of it, in waiting */
#define MAX_SINGLES 0.8	/* of the launches, each waited for: the finding sync_every_launch is about these */
#define TEXT_LEN 400

struct rec_launch {
	const char *kernel, *shape;
	uint64_t launches, failed, time_ns, mean_ns;
	double share, rate, of_wall;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_launch, kernel, STR, NONE, "kernel"),
	XPT_FIELD(struct rec_launch, launches, U64, COUNT, "launches"),
	XPT_FIELD(struct rec_launch, share, F64, RATIO, "share"),
	XPT_FIELD(struct rec_launch, failed, U64, COUNT, "fail"),
	XPT_FIELD(struct rec_launch, time_ns, U64, NS, "enqueue"),
	XPT_FIELD(struct rec_launch, mean_ns, U64, NS, "mean"),
	XPT_FIELD(struct rec_launch, rate, F64, RATE, ""),
	XPT_FIELD(struct rec_launch, of_wall, F64, RATIO, ""),
	XPT_FIELD(struct rec_launch, shape, STR, NONE, "grid,block mostly"),
};

static const struct xpt_schema schema = {
	.name = "launches", .title = "Kernel launches",
	.help = "Launches per kernel that worked, from the events: share of all, time that all calls "
		"took (not that of the kernel on the device) and its share of the trace, rate from "
		"the first to the last, most used grid and block",
	.layout = XPT_LAYOUT_TABLE, .brief = 5, .order = 31, XPT_RECORD(struct rec_launch, fields),
};

struct rec_shape {
	const char *kernel;
	uint64_t launches, grid_x, grid_y, grid_z, block_x, block_y, block_z;
};

static const struct xpt_field shape_fields[] = {
	XPT_FIELD(struct rec_shape, kernel, STR, NONE, "kernel"),
	XPT_FIELD(struct rec_shape, launches, U64, COUNT, "launches"),
	XPT_FIELD(struct rec_shape, grid_x, U64, NONE, "grid x"),
	XPT_FIELD(struct rec_shape, grid_y, U64, NONE, "y"),
	XPT_FIELD(struct rec_shape, grid_z, U64, NONE, "z"),
	XPT_FIELD(struct rec_shape, block_x, U64, NONE, "block x"),
	XPT_FIELD(struct rec_shape, block_y, U64, NONE, "y"),
	XPT_FIELD(struct rec_shape, block_z, U64, NONE, "z"),
};

static const struct xpt_schema shape_schema = {
	.name = "launch_shapes", .title = "Grids and blocks",
	.help = "Grids and blocks of the kernels above; exact for up to 8 of one kernel, beyond "
		"that the rarest are counted as others",
	.layout = XPT_LAYOUT_TABLE, .order = 32, XPT_RECORD(struct rec_shape, shape_fields),
	.detail = true,
};

static const struct xpt_schema *const emits[] = { &schema, &shape_schema, NULL };

struct shape {
	uint32_t dim[6];	/* grid x y z, block x y z */
	uint64_t n;		/* 0: free */
};

struct kernel {
	char name[KERNEL_NAME];
	uint64_t launches, failed, time_ns, first_ns, last_ns;
	struct shape shape[SHAPES];
};

struct thread_key {
	const struct xpt_proc *proc;
	uint64_t tid;
};

struct thread {
	struct thread_key key;
	uint64_t launches, launch_ns, waits, wait_ns, first_ns, end_ns;
	uint64_t since, singles;	/* launches since the last wait; waits for a single one */
	uint32_t hist[HIST];
};

struct launches {
	struct xpt_hashmap *by_name;	/* char[KERNEL_NAME] -> struct kernel * */
	struct kernel *last;		/* launches of one kernel often follow one another */
	struct kernel other;
	struct xpt_hashmap *threads;	/* struct thread_key -> struct thread */
	uint64_t total;
};

/* Returns the row of that name, or the row of the rest if there are too many. */
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
	/* The new entry continues the count of the rarest one, so that frequent ones stay. */
	memcpy(least->dim, s.dim, sizeof(s.dim));
	least->n++;
}

/* Whether the call waits for the device: a synchronization, or a copy that names no stream. */
static bool waits_for_device(const struct xpt_call *c)
{
	return c->fn->cls == XPT_CLASS_SYNC ||
	       (c->fn->cls == XPT_CLASS_COPY && c->fn->role_idx[XPT_ROLE_STREAM] < 0);
}

static void follow_thread(struct launches *l, const struct xpt_call *c, struct xpt_out *out)
{
	struct thread_key key = { c->proc, c->tid };
	bool launch = c->fn->cls == XPT_CLASS_LAUNCH;
	struct thread *t = launch ? xpt_hashmap__get(l->threads, &key, NULL)
				  : xpt_hashmap__find(l->threads, &key);
	unsigned slot = c->dur_ns ? 63u - (unsigned)__builtin_clzll(c->dur_ns) : 0;

	if (!t) {
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, launch);
		return;
	}
	t->key = key;
	t->first_ns = t->first_ns ? t->first_ns : c->start_ns;
	t->end_ns = c->start_ns + c->dur_ns > t->end_ns ? c->start_ns + c->dur_ns : t->end_ns;
	if (!launch) {
		t->waits++;
		t->singles += t->since == 1;
		t->since = 0;
		t->wait_ns += c->dur_ns;
		return;
	}
	t->launches++;
	t->since++;
	t->launch_ns += c->dur_ns;
	t->hist[slot < HIST ? slot : HIST - 1]++;
}

static void on_call(struct launches *l, const struct xpt_call *c, struct xpt_out *out)
{
	struct kernel *k;

	if (!xpt_call__counts(c))
		return;
	if (!c->failed && (waits_for_device(c) || c->fn->cls == XPT_CLASS_LAUNCH))
		follow_thread(l, c, out);
	if (c->fn->cls != XPT_CLASS_LAUNCH)
		return;
	k = kernel_of(l, c->kernel_short ? c->kernel_short
					 : c->fn->role_idx[XPT_ROLE_GRAPH] >= 0 ? GRAPHS : "unknown",
		      out);
	k->time_ns += c->dur_ns;
	if (c->failed) {
		k->failed++;
		return;
	}
	if (!k->launches++)
		k->first_ns = c->start_ns;
	k->last_ns = c->start_ns > k->last_ns ? c->start_ns : k->last_ns;
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

static void emit_shapes(const struct kernel *k, const char *name, struct xpt_out *out)
{
	for (const struct shape *s = k->shape; s < k->shape + SHAPES; s++) {
		struct rec_shape rec = {
			.kernel = name, .launches = s->n, .grid_x = s->dim[0], .grid_y = s->dim[1],
			.grid_z = s->dim[2], .block_x = s->dim[3], .block_y = s->dim[4],
			.block_z = s->dim[5],
		};

		if (s->n)
			xpt_out__emit(out, &shape_schema, &rec);
	}
}

/* Returns launches per second, from the first to the last; NaN if there is only one. */
static double rate_of(const struct kernel *k)
{
	if (k->launches < 2 || k->last_ns <= k->first_ns)
		return __builtin_nan("");
	return (double)(k->launches - 1) / (double)(k->last_ns - k->first_ns) * 1e9;
}

static uint64_t calls_of(const struct kernel *k)
{
	return k->launches + k->failed;
}

static void emit_kernel(const struct launches *l, const struct kernel *k, const char *name,
			struct xpt_out *out)
{
	uint64_t wall = xpt_out__wall_ns(out, NULL);
	char shape[96];
	struct rec_launch rec = {
		.kernel = name, .shape = shape_text(k, shape, sizeof(shape)),
		.launches = k->launches, .failed = k->failed, .time_ns = k->time_ns,
		.mean_ns = xpt_mean(k->time_ns, calls_of(k)),
		.share = l->total ? (double)k->launches / (double)l->total : 0, .rate = rate_of(k),
		.of_wall = wall ? (double)k->time_ns / (double)wall : 0,
	};

	xpt_out__emit(out, &schema, &rec);
	emit_shapes(k, name, out);
}

static int by_launches(const void *a, const void *b)
{
	const struct kernel *x = **(struct kernel **const *)a, *y = **(struct kernel **const *)b;

	if (x->launches != y->launches)
		return x->launches < y->launches ? 1 : -1;
	if (x->failed != y->failed)
		return x->failed < y->failed ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Returns the usual longest duration of a launch: the end of the slot that has the median. */
static uint64_t usual_ns(const struct thread *t)
{
	uint64_t below = 0;

	for (unsigned i = 0; i < HIST; i++) {
		below += t->hist[i];
		if (2 * below >= t->launches)
			return 2ull << i;
	}
	return 0;
}

static bool launch_bound(const struct thread *t)
{
	double span = (double)(t->end_ns - t->first_ns);

	return t->launches >= MIN_LAUNCHES && t->waits && (double)t->launch_ns >= MIN_SHARE * span &&
	       (double)t->wait_ns <= MAX_WAIT * span &&
	       (double)t->singles < MAX_SINGLES * (double)t->launches &&
	       xpt_mean(t->launch_ns, t->launches) <= 2 * usual_ns(t);
}

static void report_thread(const struct thread *t, struct xpt_out *out)
{
	uint64_t mean = xpt_mean(t->launch_ns, t->launches);
	uint64_t span = t->end_ns - t->first_ns, rest = (t->waits + 1) * mean;
	char text[TEXT_LEN], n[16], each[16], in[16];
	struct xpt_finding f = {
		.kind = "launch_bound", .weight = XPT_WEIGHT_SLOW, .at_ns = t->first_ns,
		.lost_ns = t->launch_ns > rest ? t->launch_ns - rest : 0, .proc = t->key.proc,
		.text = text, .alike = "",
		.advice = "Launch a graph in place of the series between two waits, or put small "
			  "kernels together.",
	};

	if (!launch_bound(t))
		return;
	snprintf(text, sizeof(text),
		 "%s[%u] spends %.1f %% of its time in launch calls and only %.1f %% in waiting for "
		 "the device: %s launches of %s, %s together.", t->key.proc->comm, t->key.proc->pid,
		 100.0 * (double)t->launch_ns / (double)span,
		 100.0 * (double)t->wait_ns / (double)span,
		 xpt_fmt_count(t->launches, n, sizeof(n)), xpt_fmt_ns(mean, each, sizeof(each)),
		 xpt_fmt_ns(t->launch_ns, in, sizeof(in)));
	xpt_out__finding(out, &f);
}

/* Keeps the threads that would be reported. */
static void keep_bound(struct launches *l)
{
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(l->threads, &pos, NULL, &val)) {
		const struct thread *t = val;

		if (t->key.proc->forgotten && launch_bound(t))
			xpt_proc__keep(t->key.proc);
	}
}

static void report_threads(const struct launches *l, struct xpt_out *out)
{
	size_t pos = 0;
	void *val;

	while (!xpt_out__misses_any(out) && xpt_hashmap__next(l->threads, &pos, NULL, &val))
		report_thread(val, out);
}

static void on_end(struct launches *l, struct xpt_out *out)
{
	size_t nr, shown, i;
	void **all = xpt_hashmap__sorted(l->by_name, by_launches, &nr);
	struct kernel other = l->other;
	char name[48];

	shown = nr <= TOP + 1 && !calls_of(&other) ? nr : nr < TOP ? nr : TOP;
	for (i = 0; i < nr; i++) {
		const struct kernel *k = *(struct kernel **)all[i];

		if (i < shown) {
			emit_kernel(l, k, k->name, out);
			continue;
		}
		other.launches += k->launches;
		other.failed += k->failed;
		other.time_ns += k->time_ns;
		if (!other.first_ns || k->first_ns < other.first_ns)
			other.first_ns = k->first_ns;
		if (k->last_ns > other.last_ns)
			other.last_ns = k->last_ns;
	}
	snprintf(name, sizeof(name), "other (%s%zu kernels)", calls_of(&l->other) ? "over " : "",
		 nr - shown);
	memset(other.shape, 0, sizeof(other.shape));
	if (calls_of(&other))
		emit_kernel(l, &other, name, out);
	free(all);
}

static void launches__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct launches *l = st;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(l, &ev->u.call, out);
		break;
	case XPT_EV_FORGET:
		keep_bound(l);
		break;
	case XPT_EV_END:
		on_end(l, out);
		report_threads(l, out);
		break;
	default:
		break;
	}
}

const struct xpt_analyzer xpt_analyzer_launches = {
	.name = "launches",
	.help = "launches of each kernel, with grid and block",
	.emits = emits,
	.state_size = sizeof(struct launches),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct launches, by_name, char[KERNEL_NAME], struct kernel *, MAX_KERNELS, XPT_TABLE_OWNS),
		XPT_MAP(struct launches, threads, struct thread_key, struct thread, MAX_THREADS, XPT_TABLE_OF_PROCESSES),
		{ 0 }
	},
	.event = launches__event,
};
