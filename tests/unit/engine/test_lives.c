/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many short lives through the pipeline with all analyzers: memory after a
 * third is memory at the end, sums are exact, and the processes that mattered
 * are still told apart from those that were summed. Once with lives that do
 * little, once with lives that use every table, and all sinks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "model/output/analyzer.h"
#include "model/output/sink.h"
#include "pipeline/pipeline.h"
#include "wire_records.h"

#if defined(__SANITIZE_ADDRESS__)
#define KEEPS_FREED	/* memory, for a while */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEPS_FREED
#endif
#endif

/* Process ids come again after 30,000; more only shows that memory stays what it is. */
#ifdef KEEPS_FREED
#define LIVES 40000u
#define BUSY_LIVES 10000u
#else
#define LIVES 200000u
#define BUSY_LIVES 40000u
#endif
#define LIFE_NS 2000000ull	/* 500 a second */
#define BIG 7u			/* the life with most calls, an early one */
#define BIG_CALLS 50u
#define BAD 9u			/* an early one that fails */

static struct xpt_pipeline *p;
static struct wstream s;
static uint64_t rows, calls, other_calls, big_calls, bad_seen, processes, evicted;
static char other[64];

static uint64_t u64_of(const struct xpt_schema *schema, const void *rec, const char *name)
{
	for (size_t i = 0; i < schema->nr_fields; i++)
		if (!strcmp(schema->fields[i].name, name))
			return *(const uint64_t *)((const char *)rec + schema->fields[i].offset);
	fail_msg("no field %s", name);
	return 0;
}

static const char *str_of(const struct xpt_schema *schema, const void *rec, const char *name)
{
	return (const char *)(uintptr_t)u64_of(schema, rec, name);
}

static int on_record(void *st, const struct xpt_schema *schema, const void *rec)
{
	(void)st;
	if (!strcmp(schema->name, "summary"))
		processes = u64_of(schema, rec, "processes");
	if (!strcmp(schema->name, "losses") && !strcmp(str_of(schema, rec, "loss"), "table_evicted"))
		evicted = u64_of(schema, rec, "count");
	if (!strcmp(schema->name, "first_failures") && u64_of(schema, rec, "pid") == BAD)
		bad_seen++;
	if (strcmp(schema->name, "processes") != 0)
		return 0;
	rows++;
	calls += u64_of(schema, rec, "calls");
	if (u64_of(schema, rec, "pid") == XPT_ABSENT) {
		other_calls = u64_of(schema, rec, "calls");
		snprintf(other, sizeof(other), "%s", str_of(schema, rec, "process"));
	} else if (!strcmp(str_of(schema, rec, "process"), "big")) {
		big_calls = u64_of(schema, rec, "calls");
	}
	return 0;
}

static const struct xpt_sink catcher = {
	.name = "catch", .help = "remembers some records", .state_size = 1, .record = on_record,
};

static void feed(void)
{
	const struct xpt_rec *rec;

	for (size_t at = 0; at < s.len; at += rec->size) {
		rec = (const void *)(s.buf + at);
		xpt_pipeline__feed(p, rec, rec->size);
	}
	w_clear(&s);
}

/* Pids come again every 30,000 lives, as on a small machine. */
static bool lose_exits;		/* of every eighth life */

static void live(uint32_t i)
{
	uint32_t pid = i % 30000 + 1, n = i == BIG ? BIG_CALLS : 2, k;
	static const char names[2][XPT_COMM_LEN] = { "short", "big" };
	const char *name = names[i == BIG];
	uint64_t at = (i + 1) * LIFE_NS;

	w_proc(&s, pid, at, name, "/bin/short", "short --now")->start_ns = i + 1;
	w_task(&s, XPT_TASK_THREAD, pid, pid, at + 1, name);
	for (k = 0; k < n; k++) {
		struct xpt_rec_call *c = w_call(&s, 1, pid, pid, at + 2 + k, 1);

		c->nr_vals = 0;
		if (i + 1 == BAD && !k) {
			c->ret = 2;
			c->flags = XPT_CALL_FAILED;
		}
	}
	if (!lose_exits || i % 8)
		w_task(&s, XPT_TASK_EXIT, pid, pid, at + 1000000, name);
}

/* The counters of a life come some time after its end. */
static void count(uint32_t i)
{
	uint32_t n = i == BIG ? BIG_CALLS : 2;

	w_counter(&s, 1, i % 30000 + 1, n)->count.time_ns = n;
}

static long rss_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long pages = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d %ld", &pages), 1);
	fclose(f);
	return pages;
}

static void many_lives(void)
{
	const struct xpt_sink_cfg cfg = { .all = true };
	long third = 0, end;
	char want[64];
	uint32_t i;

	rows = calls = other_calls = big_calls = bad_seen = processes = 0;
	assert_int_equal(xpt_pipeline__new(&p), 0);
	for (i = 0; i < xpt_nr_analyzers; i++)
		assert_int_equal(xpt_pipeline__add_analyzer(p, xpt_analyzers[i]), 0);
	assert_int_equal(xpt_pipeline__add_sink(p, &catcher, "catch", &cfg), 0);
	w_bare_fn(&s, 1, "f");
	w_clock(&s, 0, 0);
	for (i = 0; i < LIVES; i++) {
		live(i);
		if (i >= 1000)
			count(i - 1000);
		feed();
		if (i == LIVES / 3)
			third = rss_pages();
	}
	for (i = LIVES - 1000; i < LIVES; i++)
		count(i);
	feed();
	end = rss_pages();
	print_message("# %ld pages at a third, %ld at the end\n", third, end);
#ifndef KEEPS_FREED
	assert_in_range(end, 1, third + third / 5);
#endif
	w_end(&s, LIFE_NS, (LIVES + 2) * LIFE_NS);
	feed();
	assert_int_equal(xpt_pipeline__finish(p), 0);
	assert_int_equal(processes, LIVES);
	assert_int_equal(calls, 2 * LIVES + BIG_CALLS - 2);
	assert_int_equal(evicted, 0);
	assert_int_equal(rows, 21);
	assert_int_equal(big_calls, BIG_CALLS);
	assert_true(other_calls >= 2 * (LIVES - 20));
	snprintf(want, sizeof(want), "other (%u processes)", LIVES - 20);
	assert_string_equal(other, want);
	assert_int_equal(bad_seen, 1);
	xpt_pipeline__free(p);
	w_free(&s);
}

static void test_many_lives(void **state)
{
	(void)state;
	many_lives();
}

/* Whose id another has by now has ended, though nobody saw how. */
static void test_lost_exits(void **state)
{
	(void)state;
	lose_exits = true;
	many_lives();
	lose_exits = false;
}

/* --- lives that use every table --------------------------------------------------- */


enum { F_ALLOC = 1, F_LAUNCH, F_SYNC, F_COPY, F_GRAPH, F_RECORD, F_FAILS, F__MAX };

static const struct {
	const char *name;
	uint8_t cls, kind, roles[2];
} fns[F__MAX] = {
	[F_ALLOC] = { "alloc", XPT_CLASS_ALLOC, XPT_KIND_HOST, { XPT_ROLE_ADDR, XPT_ROLE_SIZE } },
	[F_LAUNCH] = { "launch", XPT_CLASS_LAUNCH, 0, { XPT_ROLE_STREAM, XPT_ROLE_FUNC } },
	[F_SYNC] = { "sync", XPT_CLASS_SYNC, 0, { XPT_ROLE_STREAM } },
	[F_COPY] = { "copy", XPT_CLASS_COPY, 0, { XPT_ROLE_DST, XPT_ROLE_SIZE } },
	[F_GRAPH] = { "graph", XPT_CLASS_CREATE, XPT_KIND_GRAPH, { XPT_ROLE_HANDLE, XPT_ROLE_GRAPH } },
	[F_RECORD] = { "record", XPT_CLASS_RECORD, 0, { XPT_ROLE_EVENT, XPT_ROLE_STREAM } },
	[F_FAILS] = { "release", XPT_CLASS_FREE, XPT_KIND_HOST, { XPT_ROLE_ADDR } },
};

static uint64_t sync_calls, launch_calls, copy_calls;

static int on_sums(void *st, const struct xpt_schema *schema, const void *rec)
{
	(void)st;
	if (!strcmp(schema->name, "sync"))
		sync_calls += u64_of(schema, rec, "calls");
	else if (!strcmp(schema->name, "launches"))
		launch_calls += u64_of(schema, rec, "launches");
	else if (!strcmp(schema->name, "copies"))
		copy_calls += u64_of(schema, rec, "calls");
	else if (!strcmp(schema->name, "summary"))
		processes = u64_of(schema, rec, "processes");
	return 0;
}

static const struct xpt_sink sums_catcher = {
	.name = "sums", .help = "adds up some records", .state_size = 1, .record = on_sums,
};

static void busy_life(uint32_t i)
{
	uint32_t pid = i % 30000 + 1, f;
	uint64_t at = (i + 1) * LIFE_NS;
	char cmdline[2000];

	memset(cmdline, 'x', sizeof(cmdline));
	snprintf(cmdline + sizeof(cmdline) - 20, 20, " --job %u", i);	/* never twice */
	w_proc(&s, pid, at, "busy", "/bin/busy", cmdline)->start_ns = i + 1;
	for (f = 1; f < F__MAX; f++) {
		struct xpt_rec_call *c;

		if (i % 4 == 0 && f != F_SYNC)	/* some only wait */
			continue;
		c = w_call(&s, f, pid, pid, at + 1000 * f, 100);

		c->val[1] = f == F_RECORD ? 7 : 4096;
		c->ret = f == F_FAILS;
		c->flags = f == F_FAILS ? XPT_CALL_FAILED : 0;
	}
	if (i % 100 == 1)	/* it ends inside of a call */
		w_call(&s, F_SYNC, pid, pid, at + 10000, 100)->rec.kind = XPT_REC_INFLIGHT;
	w_task(&s, XPT_TASK_EXIT, pid, pid, at + 1000000, "busy");
}

static void describe_busy(void)
{
	for (uint32_t f = 1; f < F__MAX; f++) {
		struct xpt_rec_fn *r = w_fn(&s, f, fns[f].name, fns[f].cls, 1);

		r->spec.kind = fns[f].kind;
		r->spec.size_cap = fns[f].roles[1] == XPT_ROLE_SIZE ? 1 : 0xff;
		r->spec.cap[0].role = fns[f].roles[0];
		r->spec.cap[1].role = fns[f].roles[1];
	}
}

static void test_busy_lives(void **state)
{
	struct xpt_sink_cfg cfg = { .all = true, .file = fopen("/dev/null", "we") };
	long third = 0, end;
	uint32_t i;

	(void)state;
	assert_non_null(cfg.file);
	assert_int_equal(xpt_pipeline__new(&p), 0);
	for (i = 0; i < xpt_nr_analyzers; i++)
		assert_int_equal(xpt_pipeline__add_analyzer(p, xpt_analyzers[i]), 0);
	for (i = 0; i < xpt_nr_sinks; i++)
		assert_int_equal(xpt_pipeline__add_sink(p, xpt_sinks[i], "null", &cfg), 0);
	assert_int_equal(xpt_pipeline__add_sink(p, &sums_catcher, "sums", &cfg), 0);
	describe_busy();
	w_clock(&s, 0, 0);
	for (i = 0; i < BUSY_LIVES; i++) {
		busy_life(i);
		feed();
		if (i == BUSY_LIVES / 3)
			third = rss_pages();
	}
	end = rss_pages();
	print_message("# %ld pages at a third, %ld at the end\n", third, end);
#ifndef KEEPS_FREED
	assert_in_range(end, 1, third + third / 20);
#endif
	w_end(&s, LIFE_NS, (BUSY_LIVES + 2) * LIFE_NS);
	feed();
	assert_int_equal(xpt_pipeline__finish(p), 0);
	assert_int_equal(processes, BUSY_LIVES);
	assert_int_equal(sync_calls, BUSY_LIVES);
	assert_int_equal(launch_calls, BUSY_LIVES / 4 * 3);
	assert_int_equal(copy_calls, BUSY_LIVES / 4 * 3);
	xpt_pipeline__free(p);
	fclose(cfg.file);
	w_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_many_lives),
					    cmocka_unit_test(test_lost_exits),
					    cmocka_unit_test(test_busy_lives) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
