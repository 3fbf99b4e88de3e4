/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/unprobed.h on a graph made by hand: functions without a probe in which an error may have begun,
 * how a trace keeps them, and what the verdict says of them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "rdma/trace/record.h"
#include "rdma/trace/trace_json.h"
#include "rdma/trace/unprobed.h"
#include "rdma/verdict/judge.h"

/* Functions by number; each is called by the one before, unless a test says otherwise. */
enum { ORIGIN, A, B, C, NR = 8 };

static char text[64];
static struct xpt_rdma_fn fns[NR];
static struct xpt_rdma_call calls[NR];
static struct xpt_rdma_site site = { .resolution = XPT_RDMA_UNRESOLVED };
static int32_t errnos[NR];
static uint32_t watched[2] = { ORIGIN };
static struct xpt_rdma_graph g = { .text = text, .fns = fns, .calls = calls, .errnos = errnos, .sites = &site,
				   .nr_fns = NR, .nr_calls = NR, .nr_errnos = NR, .nr_sites = 1 };
static struct xpt_rdma_watchlist list = { .g = &g, .fn = watched, .nr = 1, .nr_plain = 1 };

static int begin(void **state)
{
	uint32_t i;

	(void)state;
	list.nr = list.nr_plain = 1;
	list.hold = NULL;
	for (i = 0; i < NR; i++) {
		snprintf(text + 4 * i, 4, "f%u", i);
		calls[i] = (struct xpt_rdma_call){ .callee = i + 1 };
		errnos[i] = -EIO;
		fns[i] = (struct xpt_rdma_fn){ .name = 4 * i, .ret = XPT_RDMA_RET_INT, .first_call = i, .first_errno = i,
					       .nr_calls = i + 1 < NR };
	}
	return 0;
}

/* The names found, separated by blanks. */
static const char *find(int code, bool is_deep)
{
	uint32_t v[XPT_RDMA_TRACE_UNPROBED];
	uint32_t n = xpt_rdma_unprobed__find(&list, is_deep, ORIGIN, code, v, XPT_RDMA_TRACE_UNPROBED), i;
	static char buf[64];

	buf[0] = '\0';
	for (i = 0; i < n; i++)
		snprintf(buf + strlen(buf), sizeof(buf) - strlen(buf), "%s%s", i ? " " : "",
			 v[i] == XPT_RDMA_NONE ? XPT_RDMA_BY_POINTER : xpt_rdma_fn_name(&g, v[i]));
	return buf;
}

static void test_find(void **state)
{
	(void)state;
	assert_string_equal(find(-EIO, false), "");		/* nobody has that errno in the code */
	fns[B].nr_errnos = 1;
	assert_string_equal(find(-EIO, false), "f2");		/* through another one without a probe */
	assert_string_equal(find(-EINVAL, false), "");
	fns[A].nr_errnos = 1;
	assert_string_equal(find(-EIO, false), "f1 f2");
	fns[C].nr_errnos = fns[4].nr_errnos = fns[5].nr_errnos = 1;
	assert_string_equal(find(-EIO, false), "f1 f2 f3 f4");	/* not more than there is room for */
	fns[A].ret = XPT_RDMA_RET_VOID;
	assert_string_equal(find(-EIO, false), "");		/* no error comes through that */
}

static void test_watched(void **state)
{
	(void)state;
	fns[A].nr_errnos = fns[B].nr_errnos = 1;
	calls[ORIGIN].unread = 1;
	assert_string_equal(find(-EIO, false), "");
	calls[ORIGIN].unread = 0;
	fns[A].module = XPT_RDMA_KERNEL;
	assert_string_equal(find(-EIO, false), "");
	fns[A].module = 0;
	watched[1] = A;
	list.nr = list.nr_plain = 2;
	assert_string_equal(find(-EIO, false), "");		/* it has a probe, and did not return that */
	list.nr_plain = 1;					/* ... in calls that are looked into deeper */
	assert_string_equal(find(-EIO, true), "");
	assert_string_equal(find(-EIO, false), "f1 f2");
	calls[B].callee = ORIGIN;				/* a circle */
	assert_string_equal(find(-EIO, false), "f1 f2");
	assert_int_equal(xpt_rdma_unprobed__find(&list, false, XPT_RDMA_NONE, -EIO, NULL, 0), 0);
}

/* A function that could not be attached is on the list all the same. */
static void test_not_attached(void **state)
{
	struct xpt_rdma_hold none = { .kind = XPT_KATTACH_AUTO }, held = { .kind = XPT_KATTACH_KPROBE };
	const struct xpt_rdma_hold *hold[3] = { NULL, &held, &held };

	(void)state;
	fns[A].nr_errnos = 1;
	watched[1] = A;
	list.nr = list.nr_plain = 2;
	list.hold = hold;
	assert_string_equal(find(-EIO, false), "");
	hold[2] = &none;
	assert_string_equal(find(-EIO, false), "f1");
	hold[2] = NULL;
	assert_string_equal(find(-EIO, false), "");
}

static void test_pointer(void **state)
{
	(void)state;
	fns[ORIGIN].nr_sites = 1;
	assert_string_equal(find(-EIO, false), "*");
	fns[A].nr_errnos = 1;
	assert_string_equal(find(-EIO, false), "f1 *");
	fns[ORIGIN].nr_errnos = 1;				/* that its own code has the errno proves nothing */
	assert_string_equal(find(-EIO, false), "f1 *");
}

/* A call as it comes from the kernel. */
static void test_record(void **state)
{
	static struct xpt_rdma_box box;
	static struct {
		struct xpt_wire_rdma_rec r;
		struct xpt_wire_rdma_exit e[1];
	} rec;
	struct xpt_rdma_trace *again;
	struct xpt_strbuf sb;

	(void)state;
	fns[A].nr_errnos = fns[ORIGIN].nr_sites = 1;
	g.modules = &(struct xpt_rdma_module){ .name = 0 };
	g.nr_modules = 1;
	rec.r = (struct xpt_wire_rdma_rec){ .kind = XPT_RDMA_REC_CALL, .root = 1, .nr = 1, .ret = -EIO,
					    .why = XPT_RDMA_SENT_FAILED };
	rec.e[0] = (struct xpt_wire_rdma_exit){ .fn = 1, .place = 100, .ret = (uint64_t)-EIO };
	xpt_rdma_record__trace(&list, &rec.r, 0, &box);
	assert_int_equal(box.t.nr_unprobed, 2);
	assert_true(box.t.unprobed_fn[0] == A && box.t.unprobed_fn[1] == XPT_RDMA_NONE);
	xpt_strbuf__init(&sb, 1 << 20);
	xpt_rdma_trace__print(&box.t, &sb);
	assert_non_null(strstr(sb.s, "\"unprobed\":[\"f1\",\"*\"]"));
	assert_int_equal(xpt_rdma_trace__parse(sb.s, sb.len, &again), 0);
	assert_int_equal(again->nr_unprobed, 2);
	assert_string_equal(again->unprobed[0], "f1");
	assert_string_equal(again->unprobed[1], XPT_RDMA_BY_POINTER);
	xpt_rdma_trace__free(again);
	xpt_strbuf__free(&sb);
}

static bool says(void (*print)(const struct xpt_rdma_trace *, const struct xpt_rdma_verdict *, struct xpt_strbuf *),
		 const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, const char *what)
{
	struct xpt_strbuf sb;
	bool found;
	char *s;

	xpt_strbuf__init(&sb, 1 << 16);
	print(t, v, &sb);
	for (s = sb.s; (s = strstr(s, "\n    ")); )	/* lines are wrapped */
		memmove(s, s + 4, strlen(s + 4) + 1), *s = ' ';
	found = strstr(sb.s, what);
	xpt_strbuf__free(&sb);
	return found;
}

static void print_all(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, struct xpt_strbuf *sb)
{
	xpt_rdma_verdict__text(t, v, false, sb);
}

static void test_said(void **state)
{
	static const char *const unprobed[] = { "make_basic", XPT_RDMA_BY_POINTER };
	struct xpt_rdma_node nodes[2] = {
		{ .fn = "r", .module = "m", .ret = 0, .ret_type = XPT_RDMA_RET_INT },
		{ .fn = "a", .module = "m", .ret = 0, .depth = 1, .ret_type = XPT_RDMA_RET_INT },
	};
	struct xpt_rdma_trace t = { .method = "m", .object = "", .shape = "", .device = "d", .driver = "x",
				    .driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "",
				    .caller = "", .outer = "", .node = nodes, .nr = 2 };
	struct xpt_rdma_verdict v;
	struct xpt_rdma_tree *good;
	struct xpt_rdma_key key;

	(void)state;
	xpt_rdma_key__of(&t, &key);
	good = xpt_rdma_tree__new(&key);
	assert_non_null(good);
	xpt_rdma_tree__add(good, &t, NULL);
	t.ret = nodes[0].ret = nodes[1].ret = -EIO;
	xpt_rdma_judge(&t, NULL, good, &v);
	assert_false(says(print_all, &t, &v, "without a probe"));
	assert_true(says(print_all, &t, &v, "good call: a (m)"));
	t.unprobed = unprobed;
	t.nr_unprobed = 2;
	assert_true(says(print_all, &t, &v, "or below a, in a function without a probe: make_basic, one that it calls by"));
	assert_true(says(print_all, &t, &v, "good call: in or below a (m)"));
	assert_true(says(xpt_rdma_verdict__brief, &t, &v, "or below a, in a function without a probe: make_basic"));
	assert_true(says(xpt_rdma_verdict__json, &t, &v, ",\"unprobed\":[\"make_basic\",\"*\"]"));
	free(good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_find, begin), cmocka_unit_test_setup(test_watched, begin),
		cmocka_unit_test_setup(test_not_attached, begin), cmocka_unit_test_setup(test_pointer, begin),
		cmocka_unit_test_setup(test_record, begin),
		cmocka_unit_test(test_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
