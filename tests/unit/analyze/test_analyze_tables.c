// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What an analyzer's owner does for it (model/output/analyzer.h, stream.h): tables are there in open() and freed after
 * close(), evicted processes leave those that have them as keys, and the stream's time and gaps are known.
 */
#include <errno.h>
#include "unit/feed.h"
#include "base/hashmap.h"

#define MAX 8

struct tables {
	struct xpt_hashmap *owned;	/* proc pointer -> malloc(3) */
	struct xpt_hashmap *plain;	/* the same keys, kept */
	uint64_t *array;
	uint64_t forgets, since, wall;
};

static int refusal;

static int tables_open(void *st)
{
	struct tables *t = st;

	assert_non_null(t->owned);
	assert_non_null(t->plain);
	assert_int_equal(t->array[MAX - 1], 0);
	return refusal;
}

static void tables_event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct tables *t = st;
	void **owned;

	if (ev->kind == XPT_EV_CALL) {
		owned = xpt_hashmap__get(t->owned, &ev->u.call.proc, NULL);
		*owned = *owned ? *owned : malloc(16);
		xpt_hashmap__get(t->plain, &ev->u.call.proc, NULL);
		t->since = xpt_out__since(out, ev->u.call.start_ns);
		t->wall = xpt_out__wall_ns(out, ev->u.call.proc);
	} else if (ev->kind == XPT_EV_FORGET) {
		t->forgets = xpt_hashmap__len(t->owned);	/* the event comes first */
	}
}

static const struct xpt_schema *const none[] = { NULL };
static const struct xpt_analyzer analyzer = {
	.name = "tables", .help = "", .emits = none, .state_size = sizeof(struct tables),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct tables, owned, void *, void *, MAX, XPT_TABLE_OF_PROCESSES | XPT_TABLE_OWNS),
		XPT_MAP(struct tables, plain, void *, char, MAX, 0),
		XPT_ARRAY(struct tables, array, MAX),
		{ 0 }
	},
	.open = tables_open, .event = tables_event,
};

static void test_processes(void **state)
{
	struct xpt_proc one = { .pid = 1, .comm = "one" }, two = { .pid = 2, .comm = "two", .first_ns = FEED_T0 + 4 * MS };
	struct xpt_fn fn = { .name = "f", .nr_caps = 0 };
	struct xpt_event forget = { .kind = XPT_EV_FORGET };
	const struct tables *t;
	struct feed f;

	(void)state;
	refusal = 0;
	feed_begin(&f, &analyzer);
	t = f.st;
	feed_call(&f, .fn = &fn, .proc = &one, .at = 2 * MS, .took = MS);
	assert_int_equal(t->since, 2 * MS);
	assert_int_equal(t->wall, 3 * MS);
	feed_call(&f, .fn = &fn, .proc = &two, .at = 4 * MS, .took = MS);
	assert_int_equal(t->wall, MS);
	one.forgotten = true;
	feed_event(&f, &forget);
	assert_int_equal(t->forgets, 2);
	assert_int_equal(xpt_hashmap__len(t->owned), 1);
	assert_int_equal(xpt_hashmap__len(t->plain), 2);
	feed_free(&f);
}

static void test_refusal(void **state)
{
	struct xpt_out out = { 0 };
	void *st = NULL;

	(void)state;
	refusal = -EPERM;
	assert_int_equal(xpt_analyzer__open(&analyzer, &out.stream, &st), -EPERM);
	assert_null(st);
	assert_false(xpt_out__misses_any(&out));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_processes), cmocka_unit_test(test_refusal) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
