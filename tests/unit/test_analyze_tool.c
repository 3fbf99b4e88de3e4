/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tool says about itself: analyze/losses.c, analyze/cost.c. And the
 * schemas of all analyzers, on which every sink relies.
 */
#include "feed.h"

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
	struct xpt_proc a = feed_proc(1, "a"), b = feed_proc(2, "b"), idle = feed_proc(3, "c");
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_cost);
	feed_proc_event(&f, XPT_EV_PROC, &idle, 0, false);
	feed_call(&f, .fn = &fn, .proc = &a, .at = 1, .took = 1);
	feed_proc_event(&f, XPT_EV_EXIT, &a, 2 * SEC, false);
	b.first_ns += 2 * SEC;
	feed_counter(&f, &fn, &b, XPT_DIR_NONE, 5, 0, 0, 1);
	feed_cost(&f, 100000, 1000);
	feed_end(&f, 10 * SEC, true);
	assert_int_equal(feed_rows(&f, "overhead"), 1);
	assert_int_equal(feed_u64(&f, "overhead", 0, "total_cost_ns"), 100 * MS);
	assert_int_equal((int)(10000 * feed_f64(&f, "overhead", 0, "wall_share") + 0.5), 100);
	assert_int_equal((int)(10000 * feed_f64(&f, "overhead", 0, "cpu_share") + 0.5), 100);
	assert_int_equal(feed_u64(&f, "overhead", 0, "slow_probes"), 3);
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
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_cost);
	feed_end(&f, 10 * SEC, true);
	assert_int_equal(feed_rows(&f, "overhead"), 0);	/* a recording without it */
	feed_free(&f);
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

/* Every analyzer lives through an end without a begin and a failed open. */
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
		if (a->close)
			a->close(st);
		memset(st, 0, a->state_size);
		assert_int_equal(a->open ? a->open(st) : 0, 0);
		a->event(st, &end, &out);
		if (a->close)
			a->close(st);
		free(st);
	}
	xpt_records__free(out.recs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_losses), cmocka_unit_test(test_no_losses),
		cmocka_unit_test(test_cost), cmocka_unit_test(test_cost_not_calibrated),
		cmocka_unit_test(test_schemas), cmocka_unit_test(test_bare_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
