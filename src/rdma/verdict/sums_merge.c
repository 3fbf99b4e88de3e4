// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sums of a watch that was begun anew: the counts from before and since, by name. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/verdict/sums.h"

static void add_method(struct xpt_rdma_sums *to, const struct xpt_rdma_sum *m)
{
	struct xpt_rdma_sum *t;
	unsigned i;

	for (i = 0; i < to->nr_methods; i++)
		if (!strcmp(to->method[i].method, m->method) && !strcmp(to->method[i].object, m->object))
			break;
	t = &to->method[i];
	if (i == to->nr_methods) {
		to->method[to->nr_methods++] = *m;
		return;
	}
	t->calls += m->calls;
	t->failed += m->failed;
	t->slow += m->slow;
	t->held += m->held;
	t->ns += m->ns;
	t->expected += m->expected;
}

static void add_passed(struct xpt_rdma_sums *to, const struct xpt_rdma_passed *p)
{
	unsigned i;

	for (i = 0; i < to->nr_passed && strcmp(to->passed[i].method, p->method) != 0; i++)
		;
	if (i < to->nr_passed)
		to->passed[i].calls += p->calls;
	else if (i < XPT_RDMA_PASSED)
		to->passed[to->nr_passed++] = *p;
}

static bool is_same_kind(const struct xpt_rdma_held *a, const struct xpt_rdma_held *b)
{
	return a->error == b->error && !strcmp(a->method, b->method) && !strcmp(a->function, b->function) &&
	       !strcmp(a->shape, b->shape);
}

static void add_held(struct xpt_rdma_sums *to, const struct xpt_rdma_held *h)
{
	unsigned i;

	for (i = 0; i < to->nr_held && !is_same_kind(&to->held[i], h); i++)
		;
	if (i < to->nr_held)
		to->held[i].n += h->n;
	else if (i < XPT_RDMA_HELD)
		to->held[to->nr_held++] = *h;
	else
		to->held_others += h->n;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = ((const struct xpt_rdma_held *)a)->n, y = ((const struct xpt_rdma_held *)b)->n;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* code: f's, with room for all. */
static void add_codes(struct xpt_rdma_fn_sum *f, const struct xpt_rdma_fn_sum *from, struct xpt_rdma_code *code)
{
	unsigned i, k;

	for (i = 0; i < from->nr_codes; i++) {
		for (k = 0; k < f->nr_codes && code[k].code != from->code[i].code; k++)
			;
		if (k < f->nr_codes)
			code[k].n += from->code[i].n;
		else
			code[f->nr_codes++] = from->code[i];
	}
}

static const struct xpt_rdma_fn_sum *same_fn(const struct xpt_rdma_sums *s, const struct xpt_rdma_fn_sum *f)
{
	unsigned i;

	for (i = 0; f && i < s->nr_fns; i++)
		if (!strcmp(s->fn[i].function, f->function) && !strcmp(s->fn[i].module, f->module))
			return &s->fn[i];
	return NULL;
}

/* a, b: one of them may be NULL. */
static void add_fn(struct xpt_rdma_sums *to, const struct xpt_rdma_fn_sum *a, const struct xpt_rdma_fn_sum *b,
		   unsigned *nr_codes)
{
	struct xpt_rdma_fn_sum *f = &to->fn[to->nr_fns++];
	struct xpt_rdma_code *code = &to->code[*nr_codes];

	*f = a ? *a : *b;
	f->nr_codes = 0;
	f->code = code;
	if (a)
		add_codes(f, a, code);
	if (b)
		add_codes(f, b, code);
	if (a && b) {
		f->calls += b->calls;
		f->errors += b->errors;
	}
	*nr_codes += f->nr_codes;
}

static unsigned count_codes(const struct xpt_rdma_sums *s)
{
	unsigned i, n = 0;

	for (i = 0; i < s->nr_fns; i++)
		n += s->fn[i].nr_codes;
	return n;
}

static void add_all(struct xpt_rdma_sums *to, const struct xpt_rdma_sums *s)
{
	unsigned i;

	for (i = 0; i < s->nr_methods; i++)
		add_method(to, &s->method[i]);
	for (i = 0; i < s->nr_passed; i++)
		add_passed(to, &s->passed[i]);
	for (i = 0; i < s->nr_held; i++)
		add_held(to, &s->held[i]);
	to->held_others += s->held_others;
}

int xpt_rdma_sums__merge(const struct xpt_rdma_sums *before, const struct xpt_rdma_sums *since,
			 struct xpt_rdma_sums *ret_s)
{
	struct xpt_rdma_sums s = {
		.stats = since->stats, .nr_anew = since->nr_anew, .unwatched_ns = since->unwatched_ns,
	};
	unsigned i, codes = 0;

	s.method = calloc((size_t)before->nr_methods + since->nr_methods + 1, sizeof(*s.method));
	s.fn = calloc((size_t)before->nr_fns + since->nr_fns + 1, sizeof(*s.fn));
	s.code = calloc((size_t)count_codes(before) + count_codes(since) + 1, sizeof(*s.code));
	if (!s.method || !s.fn || !s.code) {
		xpt_rdma_sums__free(&s);
		return -ENOMEM;
	}
	add_all(&s, before);
	add_all(&s, since);
	qsort(s.held, s.nr_held, sizeof(*s.held), by_number);
	for (i = 0; i < before->nr_fns; i++)
		add_fn(&s, &before->fn[i], same_fn(since, &before->fn[i]), &codes);
	for (i = 0; i < since->nr_fns; i++)
		if (!same_fn(before, &since->fn[i]))
			add_fn(&s, NULL, &since->fn[i], &codes);
	for (i = 0; i < XPT_RDMA_NR_LOST; i++)
		s.stats.lost[i] += before->stats.lost[i];
	s.stats.missed += before->stats.missed;
	*ret_s = s;
	return 0;
}
