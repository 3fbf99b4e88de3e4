/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tool says about itself: analyze/losses.c, analyze/cost.c. And the
 * schemas of all analyzers, on which every sink relies.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_losses, xpt_analyzer_cost;

static void test_losses(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_losses);
	feed_loss(&f, XPT_LOSS_RING_FULL, 5);
	feed_loss(&f, XPT_LOSS_RING_FULL, 12);	/* running totals */
	feed_loss(&f, XPT_LOSS_READ_FAILED, 1);
	feed_loss(&f, XPT_LOSS_CUT_EXEC, 0);
	feed_loss(&f, 999, 4);
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "losses"), 2);
	assert_string_equal(feed_str(&f, "losses", 0, "loss"), "ring_full");
	assert_int_equal(feed_u64(&f, "losses", 0, "count"), 12);
	assert_string_equal(feed_str(&f, "losses", 1, "meaning"), "argument reads that failed");
	feed_free(&f);
}

static void test_no_losses(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_losses);
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "losses"), 0);
	feed_free(&f);
}

static void feed_cost(struct feed *f, uint64_t hits, uint64_t hit_ns)
{
	struct xpt_rec_cost cost = { .hits = hits, .hit_ns = hit_ns, .cpu_ns = 100 * MS,
				     .rss_bytes = 8 * MIB, .nr_probes = 600, .nr_slow = 3 };
	struct xpt_event ev = { .kind = XPT_EV_COST, .ts_ns = FEED_T0 };

	ev.u.cost = &cost;
	feed_event(f, &ev);
}

/* Two processes of 2 s and 8 s made calls, a third only lived. */
static void test_cost(void **state)
{
	struct xpt_fn fn = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_NONE);
	struct xpt_fn slow = FEED_FN("sync", SYNC, NONE, XPT_ROLE_NONE);
	struct xpt_fn point = FEED_FN("point", OTHER, NONE, XPT_ROLE_NONE);
	struct xpt_proc a = feed_proc(1, "a"), b = feed_proc(2, "b"), idle = feed_proc(3, "c");
	struct feed f;

	(void)state;
	point.layer = XPT_LAYER_POINT;
	feed_begin(&f, &xpt_analyzer_cost);
	feed_proc_event(&f, XPT_EV_PROC, &idle, 0, false);
	feed_call(&f, .fn = &fn, .proc = &a, .at = 1, .took = 1);
	feed_proc_event(&f, XPT_EV_EXIT, &a, 2 * SEC, false);
	b.first_ns += 2 * SEC;
	feed_counter(&f, &fn, &b, XPT_DIR_NONE, 5, 0, 0, 1);
	feed_counter(&f, &slow, &b, XPT_DIR_NONE, 5, 0, 0, 1000);
	feed_counter(&f, &point, &b, XPT_DIR_NONE, 5, 0, 0, 0);
	feed_cost(&f, 100000, 1000);
	feed_end(&f, 10 * SEC, true);
	assert_int_equal(feed_rows(&f, "overhead"), 1);
	assert_int_equal(feed_u64(&f, "overhead", 0, "total_cost_ns"), 100 * MS);
	assert_int_equal((int)(10000 * feed_f64(&f, "overhead", 0, "wall_share") + 0.5), 100);
	assert_int_equal((int)(10000 * feed_f64(&f, "overhead", 0, "cpu_share") + 0.5), 100);
	assert_int_equal(feed_u64(&f, "overhead", 0, "slow_probes"), 3);
	assert_int_equal(feed_u64(&f, "overhead", 0, "functions_below"), 1);
	feed_free(&f);
}

/* A function whose own cost is known is compared with that, and not with the mean of all. */
static void test_cost_of_own(void **state)
{
	struct xpt_fn cheap = FEED_FN("cheap", LAUNCH, NONE, XPT_ROLE_NONE);
	struct xpt_fn dear = FEED_FN("dear", SYNC, NONE, XPT_ROLE_NONE);
	struct xpt_fn counted = FEED_FN("counted", QUERY, NONE, XPT_ROLE_NONE);
	struct xpt_proc a = feed_proc(1, "a");
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_cost);
	feed_counter(&f, &cheap, &a, XPT_DIR_NONE, 5, 0, 0, 3000);
	feed_counter(&f, &dear, &a, XPT_DIR_NONE, 5, 0, 0, 9000);
	feed_counter(&f, &counted, &a, XPT_DIR_NONE, 5, 0, 0, 1450);
	feed_fncost(&f, &cheap, 1500, 1400, 5);
	feed_fncost(&f, &dear, 10500, 10400, 5);
	feed_fncost(&f, &counted, 1500, 1400, 0);
	feed_cost(&f, 15, 4500);
	feed_end(&f, 10 * SEC, true);
	assert_int_equal(feed_u64(&f, "overhead", 0, "functions_below"), 1);
	feed_free(&f);
}

static void test_cost_not_calibrated(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_cost);
	feed_cost(&f, 100000, 0);
	feed_end(&f, 10 * SEC, true);
	assert_int_equal(feed_u64(&f, "overhead", 0, "call_cost_ns"), XPT_ABSENT);
	assert_int_equal(feed_u64(&f, "overhead", 0, "total_cost_ns"), XPT_ABSENT);
	assert_int_equal(feed_u64(&f, "overhead", 0, "functions_below"), XPT_ABSENT);
	assert_string_equal(feed_str(&f, "overhead", 0, "call_cost_note"), "not known");
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_cost);
	feed_end(&f, 10 * SEC, true);
	assert_int_equal(feed_rows(&f, "overhead"), 0);	/* a recording without it */
	feed_free(&f);
}

/* A range, where what was measured differs much. */
static void test_cost_range(void **state)
{
	struct xpt_rec_cost cost = { .hits = 10, .hit_ns = 3000, .hit_low_ns = 1400, .hit_high_ns = 7000 };
	struct xpt_event ev = { .kind = XPT_EV_COST, .ts_ns = FEED_T0 };
	struct feed f;
	int narrow;

	(void)state;
	ev.u.cost = &cost;
	for (narrow = 0; narrow < 2; narrow++) {
		feed_begin(&f, &xpt_analyzer_cost);
		cost.hit_high_ns = narrow ? 1500 : 7000;
		feed_event(&f, &ev);
		feed_end(&f, 10 * SEC, true);
		assert_int_equal(feed_u64(&f, "overhead", 0, "call_cost_ns"), 3000);
		assert_int_equal(feed_u64(&f, "overhead", 0, "call_cost_low_ns"), narrow ? XPT_ABSENT : 1400);
		assert_int_equal(feed_u64(&f, "overhead", 0, "call_cost_high_ns"), narrow ? XPT_ABSENT : 7000);
		assert_string_equal(feed_str(&f, "overhead", 0, "call_cost_note"), "");
		feed_free(&f);
	}
}

static void check_fields(const struct xpt_schema *s)
{
	bool has_text = false;

	for (size_t i = 0; i < s->nr_fields; i++) {
		const struct xpt_field *f = &s->fields[i];

		assert_int_equal(strspn(f->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
				 strlen(f->name));
		assert_true(f->offset + 8 <= s->size);
		assert_true(strlen(f->title) < 40);
		has_text |= strcmp(f->name, "text") == 0 && f->type == XPT_T_STR;
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(f->name, s->fields[k].name);
	}
	assert_true(s->nr_fields > 0);
	assert_true(has_text || s->layout != XPT_LAYOUT_TEXT);
}

static void test_schemas(void **state)
{
	const struct xpt_schema *all[256];
	size_t nr = 0;

	(void)state;
	assert_true(xpt_nr_analyzers >= 9);
	for (size_t i = 0; i < xpt_nr_analyzers; i++) {
		const struct xpt_analyzer *a = xpt_analyzers[i];
		size_t first = nr;

		assert_true(a->name && a->help && a->event && a->state_size);
		for (size_t k = 0; a->emits[k]; k++) {
			const struct xpt_schema *s = a->emits[k];

			assert_true(s->name && s->title && s->help && nr < 256);
			check_fields(s);
			/* One table may have two forms; then they are in one list. */
			for (size_t o = 0; o < nr; o++) {
				bool form = o >= first && !strcmp(all[o]->name, s->name);

				assert_int_equal(!strcmp(all[o]->name, s->name), form);
				assert_int_equal(all[o]->order == s->order, form);
			}
			all[nr++] = s;
		}
	}
}

/* Every analyzer lives through an end without a begin; what it frees of itself may be missing. */
static void test_bare_life(void **state)
{
	struct xpt_event end = { .kind = XPT_EV_END };
	struct xpt_out out = { 0 };

	(void)state;
	assert_int_equal(xpt_records__new(1 << 20, &out.recs), 0);
	for (size_t i = 0; i < xpt_nr_analyzers; i++) {
		const struct xpt_analyzer *a = xpt_analyzers[i];
		void *st = calloc(1, a->state_size);

		assert_non_null(st);
		xpt_analyzer__close(a, st);
		assert_int_equal(xpt_analyzer__open(a, &out.stream, &st), 0);
		xpt_analyzer__event(a, st, &end, &out);
		xpt_analyzer__close(a, st);
		xpt_stream__free(&out.stream);
	}
	xpt_records__free(out.recs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_losses), cmocka_unit_test(test_no_losses),
		cmocka_unit_test(test_cost), cmocka_unit_test(test_cost_not_calibrated),
		cmocka_unit_test(test_cost_range), cmocka_unit_test(test_cost_of_own),
		cmocka_unit_test(test_schemas), cmocka_unit_test(test_bare_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
