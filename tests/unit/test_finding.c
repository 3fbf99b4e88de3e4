/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/output/finding.c: the order of findings, how many come out, what is said of
 * the rest, shares of a process's own time, and a flood of them.
 */
#include "unit/feed.h"

static struct xpt_findings *fs;
static struct feed feed;
static struct xpt_proc proc;

static void nothing(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	(void)st;
	(void)ev;
	(void)out;
}

static const struct xpt_analyzer idle = { .name = "idle", .event = nothing };

static int setup(void **state)
{
	(void)state;
	feed_begin(&feed, &idle);
	proc = feed_proc(7, "train");
	return xpt_findings__new(&fs);
}

static int teardown(void **state)
{
	(void)state;
	xpt_findings__free(fs);
	feed_free(&feed);
	return 0;
}

static void add(const char *kind, enum xpt_weight weight, uint64_t lost_ns, uint64_t at)
{
	struct xpt_finding f = {
		.kind = kind, .weight = weight, .lost_ns = lost_ns,
		.at_ns = at ? FEED_T0 + at : 0, .proc = &proc, .text = kind, .advice = "do less",
	};

	xpt_findings__add(fs, &f);
}

static void emit(void)
{
	xpt_findings__emit(fs, FEED_T0, FEED_T0 + SEC, &feed.out);
}

/* The kinds that came out, in order, with a blank behind each. */
static const char *kinds(void)
{
	static char all[256];
	size_t n = feed_rows(&feed, "verdict"), at = 0;

	all[0] = '\0';
	for (size_t i = 0; i < n && at < sizeof(all); i++)
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s ",
				       feed_str(&feed, "verdict", i, "kind"));
	return all;
}

static void test_none(void **state)
{
	(void)state;
	emit();
	assert_int_equal(feed_rows(&feed, "verdict"), 0);
}

static void test_order(void **state)
{
	(void)state;
	add("leak", XPT_WEIGHT_WASTE, 0, 0);
	add("small", XPT_WEIGHT_SLOW, MS, 0);
	add("doubt", XPT_WEIGHT_DOUBT, 0, 0);
	add("big", XPT_WEIGHT_SLOW, 2 * MS, 0);
	add("hang", XPT_WEIGHT_STOPPED, 0, 0);
	emit();
	assert_string_equal(kinds(), "hang doubt big small leak ");
}

static void test_same_weight_by_time(void **state)
{
	(void)state;
	add("nowhere", XPT_WEIGHT_BROKEN, 0, 0);
	add("late", XPT_WEIGHT_BROKEN, 0, 9 * MS);
	add("early", XPT_WEIGHT_BROKEN, 0, MS);
	emit();
	assert_string_equal(kinds(), "early late nowhere ");
}

/* What stopped something: the first one, however long another waits. A hang is none before its threshold. */
static void test_stopped_by_time(void **state)
{
	struct xpt_finding hang = { .kind = "hang", .weight = XPT_WEIGHT_STOPPED, .lost_ns = 60 * SEC,
				    .at_ns = FEED_T0 + MS, .since_ns = FEED_T0 + 10 * SEC, .proc = &proc,
				    .text = "hang", .advice = "" };

	(void)state;
	add("later", XPT_WEIGHT_STOPPED, 0, 11 * SEC);
	xpt_findings__add(fs, &hang);
	add("first", XPT_WEIGHT_STOPPED, 0, 2 * MS);
	emit();
	assert_string_equal(kinds(), "first hang later ");
	assert_int_equal(feed_u64(&feed, "verdict", 1, "at_ns"), MS);
}

static void test_fields(void **state)
{
	(void)state;
	proc.first_ns = FEED_T0 + 500 * MS;
	add("churn", XPT_WEIGHT_SLOW, 50 * MS, 600 * MS);
	add("leak", XPT_WEIGHT_WASTE, 0, 0);
	emit();
	assert_int_equal(feed_u64(&feed, "verdict", 0, "at_ns"), 600 * MS);
	assert_int_equal(feed_u64(&feed, "verdict", 0, "pid"), 7);
	assert_int_equal((int)(100 * feed_f64(&feed, "verdict", 0, "share") + 0.5), 10);
	assert_string_equal(feed_str(&feed, "verdict", 0, "advice"), "do less");
	assert_true(feed_u64(&feed, "verdict", 1, "at_ns") == XPT_ABSENT);
	assert_true(feed_u64(&feed, "verdict", 1, "lost_ns") == XPT_ABSENT);
	assert_true(feed_f64(&feed, "verdict", 1, "share") != feed_f64(&feed, "verdict", 1, "share"));
}

/* Of one kind no more than two, while another kind has something to say. */
static void test_kinds_share_the_places(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 6; i++)
		add("churn", XPT_WEIGHT_SLOW, (10 - i) * MS, 0);
	add("gaps", XPT_WEIGHT_SLOW, MS, 0);
	add("leak", XPT_WEIGHT_WASTE, 0, 0);
	emit();
	assert_string_equal(kinds(), "churn churn churn gaps leak more ");
	assert_true(feed_says(&feed, "verdict", "3 more findings are not shown."));
}

static void test_five_exactly(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < XPT_MAX_FINDINGS; i++)
		add("churn", XPT_WEIGHT_SLOW, MS, 0);
	emit();
	assert_string_equal(kinds(), "churn churn churn churn churn ");
}

static void test_flood(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 10000; i++)
		add("churn", XPT_WEIGHT_SLOW, i + 1, 0);
	emit();
	assert_int_equal(feed_u64(&feed, "verdict", 0, "lost_ns"), 10000);
	assert_int_equal(feed_u64(&feed, "verdict", 4, "lost_ns"), 9996);
	assert_true(feed_says(&feed, "verdict", "9995 more findings"));
}

/* Equal findings of processes of one name are one; another name or another cause is another. */
static void test_alike(void **state)
{
	struct xpt_proc procs[9];

	(void)state;
	for (uint32_t i = 0; i < 9; i++) {
		struct xpt_finding f = { .kind = "fatal_error", .weight = XPT_WEIGHT_STOPPED,
					 .at_ns = FEED_T0 + i + 1, .proc = &procs[i], .text = "No.",
					 .advice = "", .alike = i == 7 ? "701" : "700" };

		procs[i] = feed_proc(100 + i, i == 8 ? "other" : "train");
		xpt_findings__add(fs, &f);
	}
	emit();
	assert_int_equal(feed_rows(&feed, "verdict"), 3);
	assert_int_equal(feed_u64(&feed, "verdict", 0, "processes"), 7);
	assert_int_equal(feed_u64(&feed, "verdict", 0, "pid"), 100);
	assert_int_equal(feed_u64(&feed, "verdict", 1, "processes"), 1);
	assert_string_equal(feed_str(&feed, "verdict", 0, "text"),
			    "No. The same is true of 6 more processes: train[101], train[102], "
			    "train[103], train[104], train[105], ...");
}

/* Workers with the same habit are one finding; the threads of one process are several. */
static void test_habit_of_workers(void **state)
{
	static struct xpt_proc procs[3];

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		struct xpt_finding f = { .kind = "idle_gaps", .weight = XPT_WEIGHT_SLOW, .lost_ns = (i + 1) * MS,
					 .at_ns = FEED_T0 + i + 1, .proc = &procs[i < 2 ? 0 : i < 4 ? 1 : 2],
					 .text = "Idle.", .advice = "", .alike = "" };

		procs[i % 3] = feed_proc(100 + i % 3, "train");
		xpt_findings__add(fs, &f);
	}
	emit();
	assert_int_equal(feed_rows(&feed, "verdict"), 2);
	assert_int_equal(feed_u64(&feed, "verdict", 0, "processes"), 3);
	assert_int_equal(feed_u64(&feed, "verdict", 0, "lost_ns"), 5 * MS);
	assert_int_equal(feed_u64(&feed, "verdict", 1, "processes"), 1);
}

/* However many a user has, those of another are kept, and the first of them is shown. */
static void test_users(void **state)
{
	static struct xpt_proc theirs;

	(void)state;
	theirs = feed_proc(8, "train");
	proc.uid = 1000;
	theirs.uid = 2000;
	for (unsigned i = 0; i < 200; i++) {
		struct xpt_finding f = { .kind = i == 100 ? "leak" : "waste", .weight = XPT_WEIGHT_WASTE, .proc = &theirs,
					 .at_ns = FEED_T0 + i + 1, .text = "No.", .advice = "" };

		add("hang", XPT_WEIGHT_STOPPED, 0, i + 1);
		if (i == 100 || i == 199)
			xpt_findings__add(fs, &f);
	}
	emit();
	assert_string_equal(kinds(), "hang hang hang leak waste more ");
	assert_int_equal(feed_u64(&feed, "verdict", 3, "pid"), 8);
	assert_true(feed_says(&feed, "verdict", "197 more findings"));
}

/* A user's processes are not in the sentence about another user's, whatever their names are. */
static void test_alike_of_users(void **state)
{
	static struct xpt_proc theirs;
	struct xpt_finding f = { .kind = "hang", .weight = XPT_WEIGHT_STOPPED, .proc = &proc, .text = "No.",
				 .advice = "", .alike = "" };

	(void)state;
	theirs = feed_proc(8, "train");
	theirs.uid = 2000;
	xpt_findings__add(fs, &f);
	f.proc = &theirs;
	xpt_findings__add(fs, &f);
	emit();
	assert_string_equal(kinds(), "hang hang ");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_none), T(test_order), T(test_same_weight_by_time), T(test_stopped_by_time), T(test_fields),
		T(test_kinds_share_the_places), T(test_five_exactly), T(test_alike), T(test_habit_of_workers), T(test_flood),
		T(test_users), T(test_alike_of_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
