// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See owners.h. A function ends where the next symbol begins. The code after the last one of a module is not known
 * (trampolines of probes may be near), so that function ends with its page.
 */
#include "rdma/plan/owners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "kernel/ksyms.h"

#define PAGE 4096u
#define COLD ".cold"	/* the part of a function that the compiler put elsewhere */
#define MAX_RANGES (1u << 20)

struct range {
	uint32_t from, to;	/* low halves of addresses, both included */
	uint32_t fn;		/* of the graph, or XPT_RDMA_NONE */
	uint32_t module;	/* of the graph */
};

struct xpt_rdma_owners {
	struct range *v;
	size_t n, room;
};

struct build {
	const struct xpt_rdma_graph *g;
	struct xpt_hashmap *functions;	/* hash_name() to index */
	struct xpt_rdma_owners *o;
	int err;
};

static int compare_ranges(const void *x, const void *y)
{
	const struct range *a = x, *b = y;

	return a->from < b->from ? -1 : a->from > b->from;
}

static uint64_t hash_name(uint32_t module, const char *name, size_t len)
{
	return xpt_hash(name, len) + module;
}

static int index_functions(struct build *b)
{
	uint32_t i;
	int err = xpt_hashmap__new(8, 4, (size_t)b->g->nr_fns + 1, &b->functions);

	for (i = 0; !err && i < b->g->nr_fns; i++) {
		const char *name = xpt_rdma_fn_name(b->g, i);
		uint64_t key = hash_name(b->g->fns[i].module, name, strlen(name));
		uint32_t *fn = xpt_hashmap__get(b->functions, &key, NULL);

		if (fn)
			*fn = i;
		else
			err = -ENOMEM;
	}
	return err;
}

static uint32_t find_module(const struct xpt_rdma_graph *g, const char *name)
{
	uint32_t i;

	for (i = 0; i < g->nr_modules; i++)
		if (!strcmp(xpt_rdma_text(g, g->modules[i].name), name))
			return i;
	return XPT_RDMA_NONE;
}

static uint32_t find_function(const struct build *b, uint32_t module, const char *name)
{
	size_t len = strlen(name), cold = strlen(COLD);
	const uint32_t *fn;
	uint64_t key;

	if (len > cold && !strcmp(name + len - cold, COLD))
		len -= cold;
	key = hash_name(module, name, len);
	fn = xpt_hashmap__find(b->functions, &key);
	return fn ? *fn : XPT_RDMA_NONE;
}

static void add_symbol(void *ctx, const struct xpt_ksym *s)
{
	struct build *b = ctx;
	uint32_t module = s->addr ? find_module(b->g, s->module) : XPT_RDMA_NONE;
	struct xpt_rdma_owners *o = b->o;

	if (module == XPT_RDMA_NONE || b->err)
		return;
	if (o->n == o->room) {
		size_t room = o->room ? o->room * 2 : 4096;
		struct range *more = room > MAX_RANGES ? NULL : reallocarray(o->v, room, sizeof(*more));

		if (!more) {
			b->err = -ENOMEM;
			return;
		}
		o->v = more;
		o->room = room;
	}
	o->v[o->n++] = (struct range){ .from = (uint32_t)s->addr, .module = module,
				       .fn = find_function(b, module, s->name) };
}

static void end_ranges(struct xpt_rdma_owners *o)
{
	size_t i;

	qsort(o->v, o->n, sizeof(*o->v), compare_ranges);
	for (i = 0; i < o->n; i++) {
		struct range *r = &o->v[i];
		bool is_last = i + 1 == o->n || o->v[i + 1].module != r->module;

		r->to = is_last ? (r->from | (PAGE - 1)) : o->v[i + 1].from - 1;
	}
}

int xpt_rdma_owners__new(const struct xpt_rdma_graph *g, const char *path,
			 struct xpt_rdma_owners **ret_o)
{
	struct build b = { .g = g, .o = calloc(1, sizeof(struct xpt_rdma_owners)) };
	int err = b.o ? index_functions(&b) : -ENOMEM;

	if (!err)
		err = xpt_ksyms__each_code(path, add_symbol, &b);
	if (!err)
		err = b.err ? b.err : b.o->n ? 0 : -ENOENT;
	xpt_hashmap__free(b.functions);
	if (err) {
		xpt_rdma_owners__free(b.o);
		return err;
	}
	end_ranges(b.o);
	*ret_o = b.o;
	return 0;
}

void xpt_rdma_owners__free(struct xpt_rdma_owners *o)
{
	if (!o)
		return;
	free(o->v);
	free(o);
}

uint32_t xpt_rdma_owners__find(const struct xpt_rdma_owners *o, uint32_t from)
{
	size_t low = 0, high = o->n;
	uint32_t at = from - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (o->v[middle].from <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low && at <= o->v[low - 1].to ? o->v[low - 1].fn : XPT_RDMA_NONE;
}
