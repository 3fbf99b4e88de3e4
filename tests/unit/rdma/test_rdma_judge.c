/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/chain.h, tree.h, diff.h, store.h, rules.h and job.h on traces
 * made by hand: loops, calls that come and go, swallowed errors, wider plans, bounds.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "rdma/trace/evidence/job.h"
#include "rdma/verdict/judge.h"
#include "rdma/baseline/store.h"
#include "rdma/trace/trace_json.h"

enum { ROOM = XPT_RDMA_TRACE_NODES };

static struct xpt_rdma_node nodes[ROOM];
static char names[ROOM][16];
static struct xpt_rdma_trace trace;

/*
 * "r a b c" below each other by dots: "r .a .b ..c=-22" is r over a and b, and c below
 * b with -EINVAL. "=L" stands for LONG_MAX cut to an int, "=N" NULL, "=0" a bool's no.
 * "+a" is beyond the method's ordinary plan.
 */
static struct xpt_rdma_trace *make(const char *s)
{
	uint32_t n = 0;

	memset(nodes, 0, sizeof(nodes));
	for (; *s; s += strcspn(s, " "), s += strspn(s, " ")) {
		struct xpt_rdma_node *node = &nodes[n];
		const char *value = memchr(s, '=', strcspn(s, " "));
		int32_t code;

		node->depth = (uint16_t)strspn(s, ".");
		s += node->depth;
		node->flags = *s == '+' ? XPT_RDMA_NODE_BEYOND : 0;
		s += *s == '+';
		snprintf(names[n], sizeof(names[n]), "%.*s", (int)strcspn(s, " ="), s);
		node->fn = names[n++];
		node->module = "m";
		node->ret_type = XPT_RDMA_RET_INT;
		if (!value)
			continue;
		if (value[1] == 'L') {
			node->ret_type = XPT_RDMA_RET_LONG;
			node->ret = INT64_MAX;
			node->flags |= XPT_RDMA_NODE_NARROWED;
		} else if (value[1] == 'N') {
			node->ret_type = XPT_RDMA_RET_POINTER;
		} else {
			assert_int_equal(sscanf(value + 1, "%d", &code), 1);
			node->ret = code;
			node->ret_type = code ? XPT_RDMA_RET_INT : XPT_RDMA_RET_BOOL;
			node->flags |= XPT_RDMA_NODE_FAILED;
		}
	}
	trace = (struct xpt_rdma_trace){ .method = "m", .object = "", .shape = "", .device = "d",
		.driver = "x", .driver_version = "", .kernel = "k", .comm = "c", .cgroup = "",
		.container = "", .caller = "", .outer = "", .node = nodes, .nr = n,
		.ret = nodes[0].ret, .dur_ns = 1000, .wall_ns = 5 };
	return &trace;
}

static const char *origin(const char *s)
{
	static struct xpt_rdma_chain chain;
	const struct xpt_rdma_node *node;

	xpt_rdma_chain__find(make(s), &chain);
	node = xpt_rdma_chain__origin(&trace, &chain);
	return node ? node->fn : "";
}

static void test_origin(void **state)
{
	(void)state;
	assert_string_equal(origin("r"), "");				/* nothing failed */
	assert_string_equal(origin("r=-22"), "r");
	assert_string_equal(origin("r=-22 .a ..b=-22"), "r");		/* a took b's error in */
	assert_string_equal(origin("r=-22 .a=-22 ..b=-22 .c"), "b");	/* c cleaned up */
	assert_string_equal(origin("r=-22 .a=-22 .b=-22"), "a");	/* b is rollback, which failed, too */
	assert_string_equal(origin("r=-22 .a=-22 .undo_a .b=-22"), "a");
	assert_string_equal(origin("r=-22 .a=-22 .c .b=-22"), "b");	/* a's error was put up with */
	assert_string_equal(origin("r=-22 .a=-5 .b"), "r");		/* a's error was no reason */
	assert_string_equal(origin("r=-22 .a .b=-5"), "b");		/* became another */
	assert_string_equal(origin("r=-22 .a .b=0"), "b");		/* a "no" became one */
	assert_string_equal(origin("r=-1 .a=-1 ..w=L"), "w");		/* narrowed */
	assert_string_equal(origin("r=-5 .a=-5 ..w=L"), "a");		/* its low half is -1 */
	assert_string_equal(origin("r=-22 .a=N"), "r");			/* NULL is normal, */
	assert_string_equal(origin("r=-12 .a=N"), "a");			/* but of what gives memory */
	assert_string_equal(origin("r=-12 .a=N .b"), "r");
}

static void test_expected_below(void **state)
{
	struct xpt_rdma_chain chain;

	(void)state;
	make("r=-2 .a=-2 .opt=-2");
	nodes[2].flags |= XPT_RDMA_NODE_EXPECTED;
	xpt_rdma_chain__find(&trace, &chain);
	assert_string_equal(xpt_rdma_chain__origin(&trace, &chain)->fn, "a");
}

static struct xpt_rdma_tree *good(const char *const *v, unsigned n)
{
	struct xpt_rdma_tree *tree;
	struct xpt_rdma_key key;
	unsigned i;

	xpt_rdma_key__of(make(v[0]), &key);
	tree = xpt_rdma_tree__new(&key);
	assert_non_null(tree);
	for (i = 0; i < n; i++)
		xpt_rdma_tree__add(tree, make(v[i]), NULL);
	return tree;
}

/* "FUNCTION parted missing" of bad against one or two good ones. */
static const char *parts(const char *one, const char *two, const char *bad, uint32_t flags)
{
	static const char *const how[] = { "nowhere", "result", "call", "shorter", "stranger" };
	const char *const v[] = { one, two };
	struct xpt_rdma_tree *tree = good(v, two ? 2 : 1);
	struct xpt_rdma_diff d;
	static char text[64];

	make(bad)->flags = flags;
	xpt_rdma_diff__make(tree, &trace, &d);
	snprintf(text, sizeof(text), "%s %s %u", d.node == XPT_RDMA_NO_NODE ? "-" : nodes[d.node].fn,
		 how[d.parted], d.nr_missing);
	free(tree);
	return text;
}

static void test_parts(void **state)
{
	(void)state;
	assert_string_equal(parts("r .a .b", NULL, "r .a .b", 0), "- nowhere 0");
	assert_string_equal(parts("r .a .b ..c", NULL, "r=-22 .a=-22", 0), "a result 2");
	assert_string_equal(parts("r .a .b ..c .e", NULL, "r=-22 .a .b=-22 ..c=-22", 0), "c result 1");
	assert_string_equal(parts("r .a .b", NULL, "r=-22 .a", 0), "r result 1");
	assert_string_equal(parts("r .a .b", NULL, "r .a", 0), "- shorter 1");
	assert_string_equal(parts("r .a .b", NULL, "r=-22 .a .x=-22 ..y=-22 .b", 0), "x call 0");
	assert_string_equal(parts("r .a .b", "r .a", "r .a", 0), "- nowhere 0");	/* b is optional */
	assert_string_equal(parts("r .a .b=N", "r .a .b", "r .a .b=N", 0), "- nowhere 0");
	assert_string_equal(parts("r .a", NULL, "z .a", 0), "- stranger 0");
	assert_string_equal(parts("r .a", NULL, "r .x .y .z .w", 0), "- stranger 0");
	assert_string_equal(parts("r .w", NULL, "r=-1 .w=L", 0), "w result 0");
}

static void test_loops(void **state)
{
	(void)state;
	/* A loop is one place, however often it ran; what comes behind it does not move. */
	assert_string_equal(parts("r .l .l .l .z", NULL, "r .l .z", 0), "- nowhere 0");
	assert_string_equal(parts("r .l .z", NULL, "r .l .l .l .l .z", 0), "- nowhere 0");
	assert_string_equal(parts("r .l ..i .l ..i .z", NULL, "r=-5 .l ..i .l=-5 ..i=-5", 0), "i result 1");
	/* A second run of a function is another place, unless it never had one. */
	assert_string_equal(parts("r .a .b .a=-2", NULL, "r .a .b .a=-2", 0), "- nowhere 0");
	assert_string_equal(parts("r .a .b", NULL, "r .a .b .a .b .a", 0), "- nowhere 0");
	/* Suffixes of the compiler do not count. */
	assert_string_equal(parts("r .a.isra.0 .b", NULL, "r .a .b.part.1", 0), "- nowhere 0");
}

static void test_deeper(void **state)
{
	(void)state;
	/* With a wider plan, what is new and did not fail is passed over. */
	assert_string_equal(parts("r .a ..b", NULL, "r=-5 .n .a=-5 ..m=-5 ...b=-5", 0), "m call 0");
	assert_string_equal(parts("r .a ..b", NULL, "r .n .a ..m ...b", XPT_RDMA_TRACE_DEEP), "- nowhere 0");
	assert_string_equal(parts("r .a ..b", NULL, "r=-5 .a=-5 ..m=-5 ...b", XPT_RDMA_TRACE_DEEP),
			    "m call 0");
}

/* What a call showed beyond the ordinary plan of its method neither parts nor is missed. */
static void test_beyond(void **state)
{
	(void)state;
	assert_string_equal(parts("r .a ..b", NULL, "r .+n .a ..+m ...b", 0), "- nowhere 0");
	assert_string_equal(parts("r .+n .a ..+m ...b", NULL, "r .a ..b", 0), "- nowhere 0");
	assert_string_equal(parts("r .a ..b", NULL, "r=-5 .+n .a=-5 ..+m=-5 ...b=-5", 0), "b result 0");
	assert_string_equal(parts("r .a ..b", NULL, "r=-5 .a=-5 ..+m=-5", 0), "a result 1");
	assert_string_equal(parts("r .a ..b", NULL, "r=-5 .a=-5 ..+m=-5", XPT_RDMA_TRACE_DEEP), "a result 1");
	/* However many there are, and wherever: runs of a function are those that count. */
	assert_string_equal(parts("r .a", NULL, "r=-5 .+t .+u .+v .a=-5 ..+x ..+y ..+z=-5", 0), "a result 0");
	assert_string_equal(parts("r .a .+x .a .c", NULL, "r .a .a .+y .c", 0), "- nowhere 0");
	assert_string_equal(parts("r .a .c .a=-2", NULL, "r .+x ..a .+y ..c ..a=-2", 0), "- nowhere 0");
	/* The error still has its whole way. */
	assert_string_equal(origin("r=-5 .a=-5 ..+m=-5"), "m");
	/* Of a call that was cut nobody knows what it did not reach. */
	assert_string_equal(parts("r .a .b", NULL, "r .a", XPT_RDMA_TRACE_CUT), "- nowhere 0");
	assert_string_equal(parts("r .a .b", NULL, "r=-5 .a=-5", XPT_RDMA_TRACE_CUT), "a result 0");
}

/* Functions without a probe may have run unseen: in the good calls, in the bad one, or in both. */
static void test_unwatched(void **state)
{
	static const char *const goods[] = { "r .a ..b .c" }, *const unseen[] = { "b.isra.0", "c" };
	struct xpt_rdma_tree *tree = good(goods, 1);
	struct xpt_rdma_diff d;

	(void)state;
	make("r=-5 .a=-5");
	trace.unwatched = unseen;
	trace.nr_unwatched = 1;
	xpt_rdma_diff__make(tree, &trace, &d);
	assert_int_equal(d.nr_missing, 1);	/* c: of b nobody knows */
	make("r=-22 .a .x.isra.0=-22 ..b .c");
	xpt_rdma_diff__make(tree, &trace, &d);
	assert_int_equal(d.parted, XPT_RDMA_AT_CALL);
	xpt_rdma_tree__note_unwatched(tree, "x");
	xpt_rdma_tree__note_unwatched(tree, "x.constprop.0");
	assert_int_equal(tree->nr_unwatched, 1);
	xpt_rdma_diff__make(tree, &trace, &d);
	assert_int_equal(d.parted, XPT_RDMA_AT_RESULT);	/* the system call's: x may have run in good ones, too */
	assert_int_equal(d.node, 0);
	free(tree);
}

/* Of a call that failed only what handed the error on is named, and nothing that contradicts itself. */
static void test_never_misleads(void **state)
{
	(void)state;
	/* Something ran that good calls do not have, and has nothing to do with it. */
	assert_string_equal(parts("r .a .b", NULL, "r=-22 .a .x .b=-22", 0), "b result 0");
	assert_string_equal(parts("r .a .b", NULL, "r=-22 .a .x=-5 .y .b=-22", 0), "b result 0");
	/* Rollback: it fails likewise, or with another error, or is called there for the first time. */
	assert_string_equal(parts("r .a .b", NULL, "r=-5 .a=-5 .undo=-5", 0), "a result 1");
	assert_string_equal(parts("r .a .b .c", NULL, "r=-28 .a .b=-28 .undo=-16", 0), "b result 1");
	assert_string_equal(parts("r .a .b .undo", NULL, "r=-28 .a=-28 .undo=-16", 0), "a result 1");
	/* A jump at the end of a function moves what it called: that was called in good calls, too. */
	assert_string_equal(parts("r .a ..b ..c", NULL, "r=-22 .a ..b .c=-22", 0), "c result 0");
	assert_string_equal(parts("r .a .c", NULL, "r=-22 .a=-22 ..c=-22", 0), "c result 0");
	/* Another run of a function that good calls have elsewhere. */
	assert_string_equal(parts("r .a .b .x ..a", NULL, "r=-22 .b .y=-22 ..a=-22", 0), "y call 1");
	/* It had that result elsewhere: then who handed it on tells. */
	assert_string_equal(parts("r .a ..f=-2 .b", NULL, "r=-2 .b=-2 ..f=-2", 0), "b result 1");
	/* What ran anywhere in the bad call was reached. */
	assert_string_equal(parts("r .a ..b .c", NULL, "r=-22 .b .a=-22", 0), "a result 1");
	/* Where returns were lost nobody knows what was not reached. */
	assert_string_equal(parts("r .a .b", NULL, "r=-5 .a=-5", XPT_RDMA_TRACE_LOST), "a result 0");
	/* Without a way of the error nothing is said. */
	assert_string_equal(parts("r=-22 .a", NULL, "r=-22 .a .x", 0), "- nowhere 0");
}

static void test_order(void **state)
{
	const char *const v[] = { "r .a .c", "r .a .b .c", "r .a .b ..x .c .d" };
	struct xpt_rdma_tree *tree = good(v, 3), *again;
	struct xpt_strbuf one, two;
	char order[64] = "";
	unsigned depth = 0;
	uint16_t at;

	(void)state;
	for (at = 0; at != XPT_RDMA_TREE_NONE; at = xpt_rdma_tree__next(tree, at, &depth))
		snprintf(order + strlen(order), sizeof(order) - strlen(order), "%s%" PRIu32 " ",
			 tree->node[at].fn, tree->node[at].seen);
	assert_string_equal(order, "r3 a3 b2 x1 c3 d1 ");
	xpt_strbuf__init(&one, 1 << 20);
	xpt_strbuf__init(&two, 1 << 20);
	xpt_rdma_tree__print(tree, &one);
	assert_int_equal(xpt_rdma_tree__parse(one.s, one.len, &again), 0);
	xpt_rdma_tree__print(again, &two);
	assert_string_equal(one.s, two.s);
	xpt_strbuf__free(&one);
	xpt_strbuf__free(&two);
	free(tree);
	free(again);
}

static void test_bounded_tree(void **state)
{
	const char *const v[] = { "r" };
	struct xpt_rdma_tree *tree = good(v, 1);
	unsigned i, k;

	(void)state;
	for (i = 0; i < 10; i++) {
		make("r");
		for (k = 1; k < ROOM; k++) {
			snprintf(names[k], sizeof(names[k]), "f%u_%u", i, k);
			nodes[k] = (struct xpt_rdma_node){ .fn = names[k], .module = "", .depth = 1,
							   .ret_type = XPT_RDMA_RET_INT };
		}
		trace.nr = ROOM;
		nodes[0].ret_type = XPT_RDMA_RET_POINTER;
		nodes[0].ret = -(int64_t)i - 1;		/* too many results of one place, too */
		xpt_rdma_tree__add(tree, &trace, NULL);
	}
	assert_int_equal(tree->nr, XPT_RDMA_TREE_NODES);
	assert_int_equal(tree->node[0].nr_outcomes, XPT_RDMA_TREE_OUTCOMES);
	assert_int_equal(tree->left_out, 10 * (ROOM - 1) - (XPT_RDMA_TREE_NODES - 1) +
					 10 - (XPT_RDMA_TREE_OUTCOMES - 1));
	free(tree);
}

static void offer(struct xpt_rdma_store *store, const char *s, enum xpt_rdma_offer want)
{
	assert_int_equal(xpt_rdma_store__offer(store, make(s)), want);
}

static void test_learning(void **state)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_verdict v;
	struct xpt_rdma_store *store;

	(void)state;
	assert_int_equal(xpt_rdma_store__open(NULL, rules, &store), 0);
	offer(store, "r .a=-2", XPT_RDMA_NOT_CLEAN);
	offer(store, "r .a=-2", XPT_RDMA_NOT_CLEAN);
	offer(store, "r .a=-2", XPT_RDMA_TAKEN);
	offer(store, "r .a=-5", XPT_RDMA_NOT_CLEAN);	/* another errno is another thing */
	offer(store, "r=-2 .a=-2", XPT_RDMA_NOT_GOOD);
	/* Learned from calls that succeed: of one that failed it says nothing. */
	xpt_rdma_judge(make("r=-2 .a=-2"), rules, NULL, &v);
	assert_null(v.expected);
	rules->own[rules->nr_own++] = (struct xpt_rdma_own){ "m", "a", "because", 2, false };
	xpt_rdma_judge(make("r=-2 .a=-2"), rules, NULL, &v);
	assert_string_equal(v.expected, "because");
	rules->own[0].never = true;
	xpt_rdma_judge(make("r=-2 .a=-2"), rules, NULL, &v);
	assert_null(v.expected);
	assert_int_equal(xpt_rdma_store__close(store), 0);
	free(rules);
}

static void test_learned_bounded(void **state)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	char fn[32];
	unsigned i;

	(void)state;
	for (i = 0; i < XPT_RDMA_MAX_LEARNED + 10; i++) {
		snprintf(fn, sizeof(fn), "f%u", i);
		xpt_rdma_rules__learn(rules, "m", fn, 5, 100 + i);
	}
	assert_int_equal(rules->nr_learned, XPT_RDMA_MAX_LEARNED);
	assert_int_equal(rules->evicted, 10);
	assert_string_equal(rules->learned[0].function, "f512");	/* in the place of the oldest */
	free(rules);
}

/* More kinds than the store holds, in a file: neither memory nor file grows with them. */
static void grow(const char *path)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;
	char shape[32];
	off_t full = 0;
	struct stat st;
	unsigned i;

	remove(path);
	assert_int_equal(xpt_rdma_store__open(path, rules, &store), 0);
	for (i = 0; i < 4 * XPT_RDMA_STORE_TREES; i++) {
		snprintf(shape, sizeof(shape), "shape %08u", i);
		make("r .a .b ..c .d .e");
		trace.shape = shape;
		trace.wall_ns = 1000 + i;
		assert_int_equal(xpt_rdma_store__offer(store, &trace), XPT_RDMA_TAKEN);
		if ((i + 1) % XPT_RDMA_STORE_TREES)
			continue;
		assert_int_equal(xpt_rdma_store__flush(store), 0);
		assert_int_equal(stat(path, &st), 0);
		full = full ? full : st.st_size;
		assert_true(st.st_size < full + full / 4);
	}
	assert_int_equal(xpt_rdma_store__evicted(store), 3 * XPT_RDMA_STORE_TREES);
	assert_int_equal(xpt_rdma_store__close(store), 0);
	assert_int_equal(xpt_rdma_store__open(path, rules, &store), 0);
	assert_int_equal(xpt_rdma_store__nr(store), XPT_RDMA_STORE_TREES);
	trace.shape = "shape 00000000";		/* gone; another of its method is near */
	assert_non_null(xpt_rdma_store__nearest(store, &trace));
	trace.method = "other";
	assert_null(xpt_rdma_store__nearest(store, &trace));
	xpt_rdma_store__close(store);
	free(rules);
	remove(path);
}

static void add_kind(struct xpt_rdma_store *store, const char *shape)
{
	make("r .a");
	trace.shape = shape;
	assert_int_equal(xpt_rdma_store__add(store, &trace), 0);
}

/* Calls that the file has of a kind. */
static uint64_t traces_of(const char *path, const char *shape)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;
	uint64_t n = 0;
	unsigned i;

	assert_int_equal(xpt_rdma_store__open(path, rules, &store), 0);
	for (i = 0; i < xpt_rdma_store__nr(store); i++)
		if (!strcmp(xpt_rdma_store__tree(store, i)->key.shape, shape))
			n += xpt_rdma_store__tree(store, i)->traces;
	assert_int_equal(xpt_rdma_store__close(store), 0);
	free(rules);
	return n;
}

/* Two watchers and a command with one file: none takes away what the others wrote. */
enum { MADE = 40 };	/* files that are made while another opens them */

static void two_writers(const char *path)
{
	struct xpt_rdma_rules *rules[3];
	struct xpt_rdma_store *v[3];
	int i;

	for (i = 0; i < 3; i++)
		rules[i] = xpt_rdma_rules__new();
	for (i = 0; i < 2; i++)
		assert_int_equal(xpt_rdma_store__open(path, rules[i], &v[i]), 0);
	add_kind(v[0], "first");
	add_kind(v[0], "both");
	offer(v[0], "r .a=-2", XPT_RDMA_NOT_CLEAN);
	assert_int_equal(xpt_rdma_store__flush(v[0]), 0);
	add_kind(v[1], "second");
	add_kind(v[1], "gone");
	add_kind(v[1], "both");
	offer(v[1], "r .a=-5", XPT_RDMA_NOT_CLEAN);
	xpt_rdma_store__remove(v[1], 1);
	assert_int_equal(xpt_rdma_store__flush(v[1]), 0);
	add_kind(v[0], "both");		/* of which the other has added one */
	assert_int_equal(xpt_rdma_store__flush(v[0]), 0);
	assert_int_equal(traces_of(path, "first"), 1);
	assert_int_equal(traces_of(path, "second"), 1);
	assert_int_equal(traces_of(path, "gone"), 0);
	assert_int_equal(traces_of(path, "both"), 3);
	/* A command takes kinds away: they stay away, but for what comes anew. */
	assert_int_equal(xpt_rdma_store__open(path, rules[2], &v[2]), 0);
	assert_int_equal(rules[2]->nr_learned, 2);
	while (xpt_rdma_store__nr(v[2]))
		xpt_rdma_store__remove(v[2], 0);
	assert_int_equal(xpt_rdma_store__close(v[2]), 0);
	add_kind(v[0], "both");
	assert_int_equal(xpt_rdma_store__close(v[0]), 0);
	assert_int_equal(xpt_rdma_store__close(v[1]), 0);
	assert_int_equal(traces_of(path, "first"), 0);
	assert_int_equal(traces_of(path, "both"), 1);
	for (i = 0; i < 3; i++)
		free(rules[i]);
	remove(path);
}

static void test_two_writers(void **state)
{
	char dir[] = "/tmp/xpt-store-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s.jsonl", dir);
	two_writers(path);
	assert_int_equal(rmdir(dir), 0);
}

/* One process of several that add to a file: 0 if it could. */
static int add_many(const char *path, int who)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store = NULL;
	char own[16];
	int i, err = xpt_rdma_store__open(path, rules, &store);

	snprintf(own, sizeof(own), "own %d", who);
	for (i = 0; !err && i < 8; i++) {
		make("r .a");
		trace.shape = i % 2 ? own : "both";
		err = xpt_rdma_store__add(store, &trace);
		while (!err && (err = xpt_rdma_store__flush(store)) == -EBUSY)
			err = 0;
	}
	if (store)
		xpt_rdma_store__close(store);
	free(rules);
	return err;
}

static void at_once(const char *path)
{
	int i, status;

	for (i = 0; i < 3; i++)
		if (!fork())
			_exit(add_many(path, i) != 0);
	for (i = 0; i < 3; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(traces_of(path, "both"), 12);
	assert_int_equal(traces_of(path, "own 1"), 4);
	remove(path);
}

/* Opens the files that another makes until it is killed; all that it may be told is to wait. */
static void open_always(const char *dir)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;
	char path[64];
	int err = 0, i;

	for (i = 0; !err || err == -EBUSY; i = (i + 1) % MADE) {
		snprintf(path, sizeof(path), "%s/%d.jsonl", dir, i);
		err = xpt_rdma_store__open(path, rules, &store);
		if (!err)
			xpt_rdma_store__close(store);
	}
	fprintf(stderr, "%s: %s\n", path, strerror(-err));
	_exit(1);
}

/* Whoever opens a file while another makes it finds nothing in it, or all. */
static void test_being_made(void **state)
{
	char dir[] = "/tmp/xpt-store-XXXXXX", path[64];
	int i, status;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	pid = fork();
	if (!pid)
		open_always(dir);
	for (i = 0; i < MADE; i++) {
		snprintf(path, sizeof(path), "%s/%d.jsonl", dir, i);
		assert_int_equal(add_many(path, 0), 0);
	}
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	for (i = 0; i < MADE; i++) {
		snprintf(path, sizeof(path), "%s/%d.jsonl", dir, i);
		assert_int_equal(remove(path), 0);
	}
	assert_int_equal(rmdir(dir), 0);
}

static void test_at_once(void **state)
{
	char dir[] = "/tmp/xpt-store-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s.jsonl", dir);
	at_once(path);
	assert_int_equal(rmdir(dir), 0);
}

/* As if all had been added to one: places that only one has, in the order of execution. */
static void test_merge(void **state)
{
	const char *const v[] = { "r .a .c ..d", "r .a=-5 .b .c .c" };
	struct xpt_rdma_tree *one = good(v, 1), *two = good(v + 1, 1), *all = good(v, 2);
	struct xpt_strbuf a, b;

	(void)state;
	xpt_strbuf__init(&a, 10000);
	xpt_strbuf__init(&b, 10000);
	xpt_rdma_tree__merge(one, two);
	xpt_rdma_tree__print(one, &a);
	xpt_rdma_tree__print(all, &b);
	assert_string_equal(xpt_strbuf__str(&a), xpt_strbuf__str(&b));
	assert_int_equal(one->traces, 2);
	xpt_strbuf__free(&a);
	xpt_strbuf__free(&b);
	free(one);
	free(two);
	free(all);
}

static void test_growth(void **state)
{
	char dir[] = "/tmp/xpt-store-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s.jsonl", dir);
	grow(path);
	assert_int_equal(rmdir(dir), 0);
}

static void test_nearest(void **state)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;

	(void)state;
	assert_int_equal(xpt_rdma_store__open(NULL, rules, &store), 0);
	make("r .a")->shape = "A";
	xpt_rdma_store__add(store, &trace);
	trace.kernel = "other";
	xpt_rdma_store__add(store, &trace);
	trace.shape = "B";
	xpt_rdma_store__add(store, &trace);
	trace.kernel = "k";		/* B, on k: the same shape counts more than the kernel */
	assert_string_equal(xpt_rdma_store__nearest(store, &trace)->key.kernel, "other");
	trace.shape = "C";
	assert_string_equal(xpt_rdma_store__nearest(store, &trace)->key.kernel, "k");
	trace.driver = "y";
	assert_null(xpt_rdma_store__nearest(store, &trace));
	trace.driver = "";		/* it failed before a driver was called, and nothing else tells which one */
	assert_non_null(xpt_rdma_store__nearest(store, &trace));
	xpt_rdma_store__close(store);
	free(rules);
}

/* What `watch` prints of a failed call, as one line. */
static const char *brief(const struct xpt_rdma_store *store)
{
	static char text[2000];
	struct xpt_rdma_verdict v;
	struct xpt_strbuf sb;
	const char *s;
	size_t n = 0;

	xpt_strbuf__init(&sb, sizeof(text) - 1);
	xpt_rdma_judge(&trace, NULL, xpt_rdma_store__nearest(store, &trace), &v);
	xpt_rdma_verdict__brief(&trace, &v, &sb);
	for (s = xpt_strbuf__str(&sb); *s; s++)
		if (*s > ' ' || (n && text[n - 1] != ' '))
			text[n++] = *s > ' ' ? *s : ' ';
	text[n] = '\0';
	xpt_strbuf__free(&sb);
	s = strstr(text, "machine. ");	/* the end of what to try */
	return s ? s + strlen("machine. ") : text;
}

/* What is compared with other calls than those of its kind says so, and first. */
static void test_hint(void **state)
{
	struct xpt_rdma_rules *rules = xpt_rdma_rules__new();
	struct xpt_rdma_store *store;

	(void)state;
	assert_int_equal(xpt_rdma_store__open(NULL, rules, &store), 0);
	make("r .a .b .c")->shape = "A>B";
	xpt_rdma_store__add(store, &trace);
	xpt_rdma_store__add(store, &trace);
	make("r=-71 .a .b=-71")->shape = "A>B";
	assert_string_equal(brief(store), "2 good calls: b did not fail, and 1 more function ran ");
	make("r=-71 .a .b=-71")->shape = "B>C";
	assert_string_equal(brief(store), "no good calls of this kind (B>C) are known. The nearest, 2 of A>B, "
			    "are a hint: b did not fail ");
	make("r=-71 .a .b .x=-71")->shape = "B>C";
	assert_string_equal(brief(store), "No good calls of this kind (B>C) are known. The nearest, 2 of A>B, "
			    "go another way before it fails. ");
	make("r=-71 .a .x .b=-71")->shape = "B>C";	/* what is beside the error's way is not named */
	assert_non_null(strstr(brief(store), "are a hint: b did not fail "));
	make("r=-71 .a .b=-71 ..x=-71")->shape = "B>C";
	assert_non_null(strstr(brief(store), "go another way before it fails. "));
	assert_null(strstr(brief(store), "not reached"));
	make("r=-71 .a .b=-71")->shape = "A>B";
	trace.kernel = "k2";
	assert_string_equal(brief(store), "no good calls of this kernel are known. The nearest, 2 of kernel k, "
			    "are a hint: b did not fail ");
	make("r=-71 .a .z=-71 ..b=-71")->shape = "A>B";
	trace.kernel = "k2";
	assert_non_null(strstr(brief(store), "The nearest, 2 of kernel k, are compared by the names of functions; "
			       "what only this kernel has is passed over. First different: z (m)"));
	assert_non_null(strstr(brief(store), "not reached, or named otherwise on this kernel: c "));
	/* An error of good calls, too, but another one. */
	make("r .a .b=-2 .c")->shape = "A>B";
	xpt_rdma_store__add(store, &trace);
	make("r=-71 .a .b=-71")->shape = "A>B";
	assert_string_equal(brief(store), "3 good calls: b returned ok 2, -ENOENT 1, and 1 more function ran ");
	xpt_rdma_store__close(store);
	free(rules);
}

static const char *job(const char *cgroup)
{
	static char buf[160];

	xpt_rdma_job(cgroup, "", buf, sizeof(buf));
	return buf;
}

static void test_jobs(void **state)
{
	(void)state;
	assert_string_equal(job("/slurm/uid_1000/job_42/step_0/task_1"), "Slurm job 42");
	assert_string_equal(job("/system.slice/slurmstepd.scope/job_7/step_batch/user/task_0"), "Slurm job 7");
	assert_string_equal(job("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod"
				"6b1f2c3d_0001_4aaa_8bbb_0123456789ab.slice/cri-containerd-x.scope"),
			    "Kubernetes pod 6b1f2c3d-0001-4aaa-8bbb-0123456789ab");
	assert_string_equal(job("/kubepods/besteffort/pod6b1f2c3d-0001-4aaa-8bbb-0123456789ab/f00"),
			    "Kubernetes pod 6b1f2c3d-0001-4aaa-8bbb-0123456789ab");
	assert_string_equal(job("/system.slice/docker-0123456789abcdef0123456789abcdef"
				"0123456789abcdef0123456789abcdef.scope"), "container 0123456789ab");
	assert_string_equal(job("/system.slice/train.service"), "train.service");
	assert_string_equal(job("/user.slice"), "");
	assert_string_equal(job("/slurm/job_"), "");
	assert_string_equal(job(""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_origin), cmocka_unit_test(test_expected_below),
		cmocka_unit_test(test_unwatched), cmocka_unit_test(test_parts), cmocka_unit_test(test_loops),
		cmocka_unit_test(test_deeper), cmocka_unit_test(test_beyond), cmocka_unit_test(test_order),
		cmocka_unit_test(test_never_misleads),
		cmocka_unit_test(test_bounded_tree), cmocka_unit_test(test_learning),
		cmocka_unit_test(test_learned_bounded), cmocka_unit_test(test_growth), cmocka_unit_test(test_two_writers),
		cmocka_unit_test(test_nearest), cmocka_unit_test(test_hint), cmocka_unit_test(test_being_made),
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_merge), cmocka_unit_test(test_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
