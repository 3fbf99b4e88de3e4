// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Filters: comparisons with and, or, not. A tree while they are read, then a
 * list of tests in the order of the line, each with the next one for yes and
 * for no: the kernel never looks at more than it must, and needs no stack.
 */
#include "hooks/lex.h"

#include <errno.h>
#include <string.h>

#define MAX_NODES 64
#define MAX_DEPTH 24

enum node_kind { TEST, AND, OR, NOT };

struct node {
	uint8_t kind, left, right;
	struct xpt_wire_hook_test test;
};

struct filter {
	struct xpt_hook_lex *l;
	struct node node[MAX_NODES];
	uint8_t nr, nr_tests, depth;
};

static int read_condition(struct filter *f);

/* A node's index or -EINVAL. */
static int add_node(struct filter *f, enum node_kind kind, int left, int right)
{
	if (f->nr == MAX_NODES)
		return xpt_hook_lex__wrong(f->l, f->l->at, "too long a filter");
	f->node[f->nr] = (struct node){ .kind = kind, .left = (uint8_t)left, .right = (uint8_t)right };
	return f->nr++;
}

static const struct {
	const char *sign;
	uint8_t cmp, with_sign;
} compares[] = {
	{ "==", XPT_HOOK_EQ, XPT_HOOK_EQ }, { "!=", XPT_HOOK_NE, XPT_HOOK_NE },
	{ "<", XPT_HOOK_LT, XPT_HOOK_SLT }, { "<=", XPT_HOOK_LE, XPT_HOOK_SLE },
	{ ">", XPT_HOOK_GT, XPT_HOOK_SGT }, { ">=", XPT_HOOK_GE, XPT_HOOK_SGE },
	{ "&", XPT_HOOK_BITS, XPT_HOOK_BITS },
};

#define NR_COMPARES (sizeof(compares) / sizeof(*compares))

static size_t which_compare(const struct xpt_hook_lex *l)
{
	size_t i;

	for (i = 0; i < NR_COMPARES && !xpt_hook_lex__is(l, compares[i].sign); i++)
		;
	return i;
}

static bool is_text(const struct xpt_wire_hook_src *s)
{
	return s->source == XPT_HOOK_COMM || s->source == XPT_HOOK_STRING;
}

/* A string of which 16 bytes are not enough to distinguish it from others. */
static int compare_whole(struct xpt_hook_lex *l, struct xpt_wire_hook_test *t, size_t n)
{
	struct xpt_hook *h = l->h;

	if (h->nr_strings == XPT_HOOK_TESTS)
		return xpt_hook_lex__wrong(l, l->at, "more than %d comparisons in a filter", XPT_HOOK_TESTS);
	memcpy(h->string[h->nr_strings].word, l->text, n);
	t->b.source = XPT_HOOK_STRING;
	t->imm[0] = h->nr_strings++;
	return xpt_hook_lex__next(l);
}

static int compare_text(struct xpt_hook_lex *l, struct xpt_wire_hook_test *t)
{
	size_t n = strlen(l->text);

	if (t->cmp != XPT_HOOK_EQ && t->cmp != XPT_HOOK_NE)
		return xpt_hook_lex__wrong(l, l->at, "strings are compared by == and !=");
	if (l->kind != XPT_WORD_STRING)
		return xpt_hook_lex__wrong(l, l->at, "expected a string in double quotes");
	if (t->a.source == XPT_HOOK_COMM && n >= XPT_HOOK_SHORT)
		return xpt_hook_lex__wrong(l, l->at, "comm has %d bytes at most", XPT_HOOK_SHORT - 1);
	if (t->a.source == XPT_HOOK_STRING && n >= XPT_HOOK_SHORT - 1)
		return compare_whole(l, t, n);
	memcpy(t->imm, l->text, n);
	return xpt_hook_lex__next(l);
}

/* The right side, when the left one and the sign were read. */
static int right_side(struct xpt_hook_lex *l, bool is_signed, size_t which, struct xpt_wire_hook_test *t)
{
	struct xpt_hook_value v;
	int err;

	t->cmp = compares[which].cmp;
	if (is_text(&t->a))
		return compare_text(l, t);
	if (l->kind == XPT_WORD_STRING)
		return xpt_hook_lex__wrong(l, l->at, "a number is not compared with a string: use str()");
	if (l->kind == XPT_WORD_NUMBER) {
		t->imm[0] = (uint64_t)l->number;
		is_signed = is_signed || l->negative;
		err = xpt_hook_lex__next(l);
	} else {
		err = xpt_hook_value__parse(l, XPT_USE_FILTER, &v);
		if (!err && is_text(&v.src))
			err = xpt_hook_lex__wrong(l, v.at, "a number is not compared with a string");
		if (!err) {
			t->b = v.src;
			is_signed = is_signed || v.is_signed;
		}
	}
	if (is_signed)
		t->cmp = compares[which].with_sign;
	return err;
}

static int read_comparison(struct filter *f)
{
	struct xpt_hook_lex *l = f->l;
	struct xpt_wire_hook_test t = { .cmp = XPT_HOOK_NE };	/* a value alone: not 0 */
	struct xpt_hook_value v;
	size_t which, at = l->at;
	int err, i;

	err = xpt_hook_value__parse(l, XPT_USE_FILTER, &v);
	if (err)
		return err;
	t.a = v.src;
	which = which_compare(l);
	if (xpt_hook_lex__is(l, "="))
		return xpt_hook_lex__wrong(l, l->at, "a comparison is ==");
	if (which == NR_COMPARES && is_text(&t.a))
		return xpt_hook_lex__wrong(l, l->at, "expected == or != and a string");
	if (which < NR_COMPARES) {
		err = xpt_hook_lex__next(l);
		err = err ? err : right_side(l, v.is_signed, which, &t);
	}
	if (err)
		return err;
	if (f->nr_tests++ == XPT_HOOK_TESTS)
		return xpt_hook_lex__wrong(l, at, "more than %d comparisons in a filter", XPT_HOOK_TESTS);
	i = add_node(f, TEST, 0, 0);
	if (i >= 0)
		f->node[i].test = t;
	return i;
}

static int read_term(struct filter *f)
{
	struct xpt_hook_lex *l = f->l;
	int err, i;

	if (++f->depth > MAX_DEPTH)
		return xpt_hook_lex__wrong(l, l->at, "brackets too deep");
	if (xpt_hook_lex__is(l, "not") || xpt_hook_lex__is(l, "!")) {
		err = xpt_hook_lex__next(l);
		i = err ? err : read_term(f);
		i = i < 0 ? i : add_node(f, NOT, i, 0);
	} else if (xpt_hook_lex__is(l, "(")) {
		err = xpt_hook_lex__next(l);
		i = err ? err : read_condition(f);
		err = i < 0 ? i : xpt_hook_lex__expect(l, ")", "to end the brackets");
		i = err ? err : i;
	} else {
		i = read_comparison(f);
	}
	f->depth--;
	return i;
}

static int all_of(struct filter *f)
{
	int left = read_term(f), right, err;

	while (left >= 0 && (xpt_hook_lex__is(f->l, "and") || xpt_hook_lex__is(f->l, "&&"))) {
		err = xpt_hook_lex__next(f->l);
		right = err ? err : read_term(f);
		left = right < 0 ? right : add_node(f, AND, left, right);
	}
	return left;
}

static int read_condition(struct filter *f)
{
	int left = all_of(f), right, err;

	while (left >= 0 && (xpt_hook_lex__is(f->l, "or") || xpt_hook_lex__is(f->l, "||"))) {
		err = xpt_hook_lex__next(f->l);
		right = err ? err : all_of(f);
		left = right < 0 ? right : add_node(f, OR, left, right);
	}
	return left;
}

static uint8_t tests_in(const struct filter *f, uint8_t i)
{
	const struct node *n = &f->node[i];

	if (n->kind == TEST)
		return 1;
	return tests_in(f, n->left) + (n->kind == NOT ? 0 : tests_in(f, n->right));
}

/* Tests of node i from `at` on; children come before their parents, so this ends. */
static void place_tests(const struct filter *f, uint8_t i, uint8_t at, uint8_t yes, uint8_t no,
			struct xpt_wire_hook_test *out)
{
	const struct node *n = &f->node[i];
	uint8_t second;

	if (n->kind == TEST) {
		out[at] = n->test;
		out[at].yes = yes;
		out[at].no = no;
		return;
	}
	if (n->kind == NOT) {
		place_tests(f, n->left, at, no, yes, out);
		return;
	}
	second = at + tests_in(f, n->left);
	place_tests(f, n->left, at, n->kind == AND ? second : yes, n->kind == AND ? no : second, out);
	place_tests(f, n->right, second, yes, no, out);
}

int xpt_hook_filter__parse(struct xpt_hook_lex *l, const char *end)
{
	struct filter f = { .l = l };
	int root = read_condition(&f);

	if (root < 0)
		return root;
	place_tests(&f, (uint8_t)root, 0, XPT_HOOK_YES, XPT_HOOK_NO, l->h->prog.test);
	l->h->prog.nr_tests = f.nr_tests;
	return *end ? xpt_hook_lex__expect(l, end, "to end the filter") : 0;
}
