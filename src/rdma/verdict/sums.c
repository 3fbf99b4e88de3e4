// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See sums.h. The kernel counts by numbers: several keys may be one method, which
 * came by ioctl and by write.
 */
#include "rdma/verdict/sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/trace/record.h"

enum { MAX_CODES = 4096 };	/* as many as the kernel-side table has */

struct reading {
	const struct xpt_rdma_watchlist *list;
	const uint64_t *expected;
	struct xpt_rdma_sums *s;
	struct xpt_rdma_sum *of;	/* by method, then one for those of no method */
	uint32_t *code_fn;
	unsigned nr_codes;
};

static void add_method(void *ctx, const struct xpt_wire_rdma_key *key,
		       const struct xpt_wire_rdma_method *m)
{
	struct reading *r = ctx;
	const struct xpt_rdma_graph *g = r->list->g;
	uint32_t at = xpt_rdma_watchlist__method(r->list, key);
	struct xpt_rdma_sum *v = &r->of[at == XPT_RDMA_NONE ? g->nr_roots : at];

	v->method = at == XPT_RDMA_NONE ? "(of no plan)" : xpt_rdma_text(g, g->roots[at].name);
	v->object = at == XPT_RDMA_NONE ? "" : xpt_rdma_text(g, g->roots[at].object);
	v->calls += m->calls;
	v->failed += m->failed;
	v->slow += m->slow;
	v->held += m->held;
	v->ns += m->ns;
	v->expected = at == XPT_RDMA_NONE ? 0 : r->expected[at];
	if (v->expected > v->failed)	/* where a method runs another's handler, they are counted there */
		v->expected = v->failed;
}

static void name_held(const struct xpt_rdma_watchlist *l, const struct xpt_wire_rdma_kind *kind,
		      struct xpt_rdma_held *h)
{
	uint32_t at = xpt_rdma_watchlist__method(l, &kind->method);
	uint32_t fn = xpt_rdma_watchlist__fn(l, kind->fn);

	h->method = at == XPT_RDMA_NONE ? "(of no plan)" : xpt_rdma_text(l->g, l->g->roots[at].name);
	h->function = fn == XPT_RDMA_NONE ? "" : xpt_rdma_fn_name(l->g, fn);
	h->error = kind->error < 0 ? -kind->error : 0;
	if (kind->shape)
		xpt_rdma_transition(kind->shape == XPT_RDMA_SHAPE_ATTRIBUTES ? 0 : 1 << 8 | (kind->shape - 1),
				    h->shape, sizeof(h->shape));
}

/* A command that comes by ioctl and by write is one kind. */
static bool is_alike(const struct xpt_rdma_held *a, const struct xpt_rdma_held *b)
{
	return a->error == b->error && !strcmp(a->method, b->method) && !strcmp(a->shape, b->shape) &&
	       !strcmp(a->function, b->function);
}

static void add_held(void *ctx, const struct xpt_wire_rdma_kind *kind, const struct xpt_wire_rdma_limit *l)
{
	struct reading *r = ctx;
	struct xpt_rdma_sums *s = r->s;
	struct xpt_rdma_held h = { .n = l->held };
	unsigned i;

	if (!l->held || !kind->error)
		return;
	name_held(r->list, kind, &h);
	for (i = 0; i < s->nr_held && !is_alike(&s->held[i], &h); i++)
		;
	if (i < s->nr_held)
		h.n += s->held[i].n;
	else if (s->nr_held < XPT_RDMA_HELD)
		s->nr_held++;
	else if (s->held[--i].n < h.n)
		s->held_others += s->held[i].n;
	else {
		s->held_others += h.n;
		return;
	}
	for (; i && s->held[i - 1].n < h.n; i--)
		s->held[i] = s->held[i - 1];
	s->held[i] = h;
}

static void add_code(void *ctx, const struct xpt_wire_rdma_errno *key, uint64_t n)
{
	struct reading *r = ctx;

	if (r->nr_codes >= MAX_CODES)
		return;
	r->s->code[r->nr_codes] = (struct xpt_rdma_code){ key->code, n };
	r->code_fn[r->nr_codes++] = key->fn;
}

/* Moves the errors of one function to the front of the rest; returns their number. */
static unsigned gather_codes(struct reading *r, unsigned from, uint32_t fn)
{
	unsigned i, n = from;

	for (i = from; i < r->nr_codes; i++) {
		struct xpt_rdma_code c = r->s->code[i];
		uint32_t f = r->code_fn[i];

		if (f != fn)
			continue;
		r->s->code[i] = r->s->code[n];
		r->code_fn[i] = r->code_fn[n];
		r->s->code[n] = c;
		r->code_fn[n++] = f;
	}
	return n - from;
}

static void add_functions(struct reading *r, const struct xpt_rdma_watch *w, uint32_t nr)
{
	unsigned from = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		struct xpt_rdma_fn_sum *f = &r->s->fn[r->s->nr_fns];
		const struct xpt_rdma_wish *wish = &r->list->wish[i];
		struct xpt_wire_rdma_count c;

		xpt_rdma_watch__count(w, i + 1, &c);
		if (!c.calls)
			continue;
		*f = (struct xpt_rdma_fn_sum){ .function = wish->name, .module = wish->module,
					       .calls = c.calls, .errors = c.errors,
					       .code = &r->s->code[from] };
		f->nr_codes = gather_codes(r, from, i + 1);
		from += f->nr_codes;
		r->s->nr_fns++;
	}
}

/* Those that were called, to the front. */
static void keep_called(struct xpt_rdma_sums *s, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		if (s->method[i].calls)
			s->method[s->nr_methods++] = s->method[i];
}

static void add_passed(struct xpt_rdma_sums *s, const struct xpt_rdma_watch *w,
		       const struct xpt_rdma_graph *g)
{
	uint32_t i;

	for (i = 0; i < g->nr_roots && s->nr_passed < XPT_RDMA_PASSED; i++) {
		uint64_t n = xpt_rdma_root__is_data_path(g, i) ?
			     xpt_rdma_watch__passed(w, g->roots[i].number) : 0;

		if (n)
			s->passed[s->nr_passed++] = (struct xpt_rdma_passed){
				xpt_rdma_text(g, g->roots[i].name), n };
	}
}

int xpt_rdma_sums__read(const struct xpt_rdma_watch *w, const struct xpt_rdma_watchlist *list,
			uint32_t nr_fns, const uint64_t *expected, struct xpt_rdma_sums *ret_s)
{
	struct xpt_rdma_sums s = { .nr_fns = 0 };
	struct reading r = { .list = list, .expected = expected, .s = &s };

	xpt_rdma_watch__stats(w, &s.stats);
	s.method = r.of = calloc((size_t)list->g->nr_roots + 1, sizeof(*s.method));
	s.fn = calloc((size_t)nr_fns + 1, sizeof(*s.fn));
	s.code = calloc(MAX_CODES, sizeof(*s.code));
	r.code_fn = calloc(MAX_CODES, sizeof(*r.code_fn));
	if (!s.method || !s.fn || !s.code || !r.code_fn) {
		free(r.code_fn);
		xpt_rdma_sums__free(&s);
		return -ENOMEM;
	}
	xpt_rdma_watch__each_method(w, add_method, &r);
	keep_called(&s, list->g->nr_roots + 1);
	add_passed(&s, w, list->g);
	xpt_rdma_watch__each_kind(w, add_held, &r);
	xpt_rdma_watch__each_errno(w, add_code, &r);
	add_functions(&r, w, nr_fns);
	free(r.code_fn);
	*ret_s = s;
	return 0;
}

void xpt_rdma_sums__free(struct xpt_rdma_sums *s)
{
	free(s->method);
	free(s->fn);
	free(s->code);
	*s = (struct xpt_rdma_sums){ .nr_fns = 0 };
}

const char *xpt_rdma_lost_name(enum xpt_rdma_lost what)
{
	static const char *const names[XPT_RDMA_NR_LOST] = {
		"threads", "ring", "methods", "errnos", "unfinished", "commands", "events",
	};

	return names[what];
}
