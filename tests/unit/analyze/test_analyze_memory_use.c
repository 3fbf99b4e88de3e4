/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/memory_use.c, memory_faults.c and model/memory/contexts.c: memory by process
 * and device over time, growth and what only looks like it, failed and double
 * frees, allocations that found no room although there was some, and which
 * context memory belongs to.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_memory, xpt_analyzer_memory_use,
	xpt_analyzer_memory_faults;

static struct xpt_fn alloc, release, host, create, retain, set, push, pop, choose, destroy, reset,
	ask, launch;
static struct xpt_proc train, other;

static int setup(void **state)
{
	(void)state;
	alloc = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	release = FEED_FN("memFree", FREE, NONE, XPT_ROLE_ADDR);
	host = FEED_FN("hostAlloc", ALLOC, HOST, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	create = FEED_FN("create", INIT, NONE, XPT_ROLE_CONTEXT, XPT_ROLE_DEVICE, XPT_ROLE_CURRENT);
	retain = FEED_FN("retain", INIT, NONE, XPT_ROLE_CONTEXT, XPT_ROLE_DEVICE);
	set = FEED_FN("set", MODIFY, NONE, XPT_ROLE_CONTEXT, XPT_ROLE_CURRENT);
	push = set;
	pop = set;
	choose = FEED_FN("setDevice", MODIFY, NONE, XPT_ROLE_DEVICE, XPT_ROLE_CURRENT);
	destroy = FEED_FN("destroy", RESET, NONE, XPT_ROLE_CONTEXT);
	reset = FEED_FN("reset", RESET, NONE, XPT_ROLE_DEVICE);
	ask = FEED_FN("getInfo", QUERY, NONE, XPT_ROLE_AVAIL, XPT_ROLE_TOTAL);
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_STREAM);
	train = feed_proc(123, "train");
	other = feed_proc(124, "other");
	return 0;
}

static bool found(struct feed *f, const char *kind)
{
	for (size_t i = 0; i < feed_rows(f, "verdict"); i++)
		if (strcmp(feed_str(f, "verdict", i, "kind"), kind) == 0)
			return true;
	return false;
}

static void one(struct feed *f, const struct xpt_fn *fn, uint32_t tid, uint64_t at, uint64_t a,
		uint64_t b, uint64_t c)
{
	feed_call(f, .fn = fn, .proc = &train, .tid = tid, .at = at, .took = 1, .val = { a, b, c });
}

static uint64_t implicit(struct feed *f)
{
	uint64_t n = feed_u64(f, "memory", 0, "implicit");

	feed_free(f);
	return n;
}

/* The older of two contexts ends: the memory of the newer one stays. */
static void test_older_context_ends(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_memory);
	one(&f, &create, 1, 1, 0xa, 0, XPT_CURRENT_PUSH);
	one(&f, &alloc, 1, 2, 0x1000, MIB, 0);
	one(&f, &create, 1, 3, 0xb, 0, XPT_CURRENT_PUSH);
	one(&f, &alloc, 1, 4, 0x2000, MIB, 0);
	one(&f, &alloc, 1, 5, 0x3000, MIB, 0);
	one(&f, &set, 1, 6, 0xa, XPT_CURRENT_SET, 0);
	one(&f, &alloc, 1, 7, 0x4000, MIB, 0);
	one(&f, &destroy, 1, 8, 0xa, 0, 0);	/* takes 0x1000 and 0x4000 */
	feed_end(&f, SEC, true);
	assert_int_equal(feed_u64(&f, "memory", 0, "not_freed"), 2);
	assert_int_equal(implicit(&f), 2);
}

/* Another context gets the same handle before the call that destroyed this one has returned. */
static void test_context_ends_late(void **state)
{
	struct feed f;

	(void)state;
	for (unsigned last = 0; last < 2; last++) {
		feed_begin(&f, &xpt_analyzer_memory);
		one(&f, &create, 1, 1, 0xa, 0, XPT_CURRENT_PUSH);
		one(&f, &alloc, 1, 3, 0x1000, MIB, 0);
		feed_call(&f, .fn = &create, .proc = &train, .tid = 2, .at = 20, .took = 10,
			  .val = { 0xa, 0, XPT_CURRENT_PUSH });
		one(&f, &alloc, 2, 40, 0x2000, MIB, 0);
		feed_call(&f, .fn = &destroy, .proc = &train, .tid = 1, .at = 10, .took = 80, .val = { 0xa });
		one(&f, &alloc, 2, 95, 0x3000, MIB, 0);
		if (last)
			one(&f, &destroy, 2, 100, 0xa, 0, 0);
		feed_end(&f, SEC, true);
		assert_int_equal(feed_u64(&f, "memory", 0, "not_freed"), last ? 0 : 2);
		assert_int_equal(implicit(&f), last ? 3 : 1);
	}
}

/* Each thread has its own stack of contexts. */
static void test_threads_and_stack(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_memory);
	one(&f, &create, 1, 1, 0xa, 0, XPT_CURRENT_PUSH);
	one(&f, &create, 2, 2, 0xb, 1, XPT_CURRENT_PUSH);
	one(&f, &push, 1, 3, 0xb, XPT_CURRENT_PUSH, 0);
	one(&f, &alloc, 1, 4, 0x1000, MIB, 0);		/* b */
	one(&f, &pop, 1, 5, 0xb, XPT_CURRENT_POP, 0);
	one(&f, &alloc, 1, 6, 0x2000, MIB, 0);		/* a */
	one(&f, &alloc, 2, 7, 0x3000, MIB, 0);		/* b */
	one(&f, &destroy, 1, 8, 0xb, 0, 0);
	feed_end(&f, SEC, true);
	assert_int_equal(implicit(&f), 2);
}

/* Primary contexts by device, and a runtime that only names devices. */
static void test_devices(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_memory);
	one(&f, &retain, 1, 1, 0xa, 0, 0);
	one(&f, &retain, 1, 2, 0xb, 1, 0);
	one(&f, &set, 1, 3, 0xb, XPT_CURRENT_SET, 0);
	one(&f, &alloc, 1, 4, 0x1000, MIB, 0);
	one(&f, &choose, 1, 5, 0, XPT_CURRENT_SET, 0);
	one(&f, &alloc, 1, 6, 0x2000, MIB, 0);
	one(&f, &reset, 1, 7, 1, 0, 0);
	feed_end(&f, SEC, true);
	assert_int_equal(implicit(&f), 1);
	feed_begin(&f, &xpt_analyzer_memory);
	one(&f, &choose, 1, 1, 2, XPT_CURRENT_SET, 0);
	one(&f, &alloc, 1, 2, 0x1000, MIB, 0);
	one(&f, &choose, 1, 3, 3, XPT_CURRENT_SET, 0);
	one(&f, &alloc, 1, 4, 0x2000, MIB, 0);
	one(&f, &reset, 1, 5, 2, 0, 0);
	feed_end(&f, SEC, true);
	assert_int_equal(implicit(&f), 1);
}

static void test_by_process_and_device(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_memory_use);
	one(&f, &create, 1, 1, 0xa, 3, XPT_CURRENT_PUSH);
	one(&f, &alloc, 1, 2, 0x1000, 4 * MIB, 0);
	one(&f, &alloc, 1, 3, 0x2000, 2 * MIB, 0);
	one(&f, &release, 1, 4, 0x1000, 0, 0);
	one(&f, &host, 1, 5, 0x3000, MIB, 0);
	feed_call(&f, .fn = &alloc, .proc = &other, .at = 6, .took = 1, .val = { 0x1000, 8 * MIB });
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "memory_processes"), 3);
	assert_int_equal(feed_u64(&f, "memory_processes", 0, "pid"), 124);
	assert_int_equal(feed_u64(&f, "memory_processes", 0, "device"), XPT_ABSENT);
	assert_int_equal(feed_u64(&f, "memory_processes", 1, "device"), 3);
	assert_int_equal(feed_u64(&f, "memory_processes", 1, "peak_bytes"), 6 * MIB);
	assert_int_equal(feed_u64(&f, "memory_processes", 1, "peak_at_ns"), 4);
	assert_int_equal(feed_u64(&f, "memory_processes", 1, "not_freed_bytes"), 2 * MIB);
	assert_string_equal(feed_str(&f, "memory_processes", 2, "kind"), "host");
	assert_int_equal(feed_u64(&f, "memory_processes", 2, "device"), XPT_ABSENT);
	feed_free(&f);
}

static bool launches;	/* in each round of loop() */

/* n rounds, each with a buffer of 64 MiB that comes and goes; kept: what a round keeps. */
static void loop(struct feed *f, uint64_t n, uint64_t kept, uint64_t keep_for)
{
	one(f, &create, 1, 1, 0xa, 0, XPT_CURRENT_PUSH);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = MS + i * MS;

		one(f, &alloc, 1, at, 0x1000, 64 * MIB, 0);
		if (launches)
			one(f, &launch, 1, at + 50 * US, 0, 0, 0);
		if (kept && i < keep_for)
			one(f, &alloc, 1, at + 100 * US, 0x100000 + (i << 12), kept, 0);
		one(f, &release, 1, at + 500 * US, 0x1000, 0, 0);
		if (!i)
			one(f, &ask, 1, at + 600 * US, GIB, 2 * GIB, 0);
	}
}

static void test_growth(void **state)
{
	struct feed f;
	double rate;

	(void)state;
	launches = true;
	feed_begin(&f, &xpt_analyzer_memory_use);
	loop(&f, 200, MIB, 200);
	feed_proc_event(&f, XPT_EV_EXIT, &train, 202 * MS, false);
	feed_end(&f, 210 * MS, true);
	assert_int_equal(feed_rows(&f, "memory_growth"), 1);
	rate = feed_f64(&f, "memory_growth", 0, "rate") / (double)MIB;
	assert_true(rate > 980 && rate < 1020);
	assert_true(feed_f64(&f, "memory_growth", 0, "low") / (double)MIB <= rate);
	assert_true(feed_f64(&f, "memory_growth", 0, "high") / (double)MIB >= rate);
	assert_true(feed_u64(&f, "memory_growth", 0, "grown_bytes") > 140 * MIB);
	assert_string_equal(feed_str(&f, "memory_growth", 0, "function"), "memAlloc");
	/* 1024 MiB were free when 1 was held; 200 are, at 1000 MiB/s. */
	assert_true(feed_u64(&f, "memory_growth", 0, "full_in_ns") > 800 * MS);
	assert_true(feed_u64(&f, "memory_growth", 0, "full_in_ns") < 850 * MS);
	assert_true(found(&f, "memory_growth"));
	assert_true(feed_rows(&f, "memory_over_time") > 256);
	assert_true(feed_rows(&f, "memory_over_time") <= 512);
	feed_free(&f);
}

static void test_no_growth(void **state)
{
	struct feed f;

	(void)state;
	launches = false;	/* data is loaded: in the table, and no finding */
	feed_begin(&f, &xpt_analyzer_memory_use);
	loop(&f, 200, MIB, 200);
	feed_end(&f, 210 * MS, true);
	assert_int_equal(feed_rows(&f, "memory_growth"), 1);
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
	launches = true;
	feed_begin(&f, &xpt_analyzer_memory_use);	/* everything is loaded, then used */
	loop(&f, 200, MIB, 100);
	feed_end(&f, 210 * MS, true);
	assert_int_equal(feed_rows(&f, "memory_growth"), 0);
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_memory_use);	/* kept, but given back in the end */
	loop(&f, 200, MIB, 200);
	for (uint64_t i = 0; i < 200; i++)
		one(&f, &release, 1, 201 * MS + i, 0x100000 + (i << 12), 0, 0);
	feed_end(&f, 210 * MS, true);
	assert_int_equal(feed_rows(&f, "memory_growth"), 0);
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_memory_use);	/* 800 KiB in all */
	loop(&f, 200, 4096, 200);
	feed_end(&f, 210 * MS, true);
	assert_int_equal(feed_rows(&f, "memory_growth"), 0);
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_memory_use);	/* frees may be missing */
	feed_meta(&f, "partial", "sampled");
	loop(&f, 200, MIB, 200);
	feed_end(&f, 210 * MS, true);
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
}

static void failing(struct feed *f, const struct xpt_fn *fn, uint64_t at, uint64_t addr, int64_t ret)
{
	feed_call(f, .fn = fn, .proc = &train, .at = at, .took = 5, .ret = ret,
		  .val = { addr, addr });
}

static void test_failed_frees(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_memory_faults);
	one(&f, &alloc, 1, 1, 0x1000, MIB, 0);
	one(&f, &alloc, 1, 2, 0x2000, MIB, 0);
	one(&f, &release, 1, 3, 0x1000, 0, 0);
	failing(&f, &release, 4, 0x1000, ERR_MEMORY);	/* freed before */
	failing(&f, &release, 5, 0x2000, ERR_MEMORY);	/* open */
	failing(&f, &release, 6, 0x9000, ERR_MEMORY);	/* never seen */
	one(&f, &alloc, 1, 7, 0x1000, MIB, 0);		/* handed out again */
	one(&f, &release, 1, 8, 0x1000, 0, 0);
	failing(&f, &release, 9, 0x1000, ERR_MEMORY);
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "failed_frees"), 3);
	assert_string_equal(feed_str(&f, "failed_frees", 0, "reason"), "freed before");
	assert_int_equal(feed_u64(&f, "failed_frees", 0, "calls"), 2);
	assert_int_equal(feed_u64(&f, "failed_frees", 0, "addr"), 0x1000);
	assert_int_equal(feed_u64(&f, "failed_frees", 0, "at_ns"), 4);
	assert_string_equal(feed_str(&f, "failed_frees", 1, "reason"), "still open");
	assert_string_equal(feed_str(&f, "failed_frees", 2, "reason"), "not seen allocated");
	assert_true(found(&f, "double_free"));
	assert_int_equal(feed_rows(&f, "verdict"), 1);
	feed_free(&f);
}

/* Destructors after a reset free what is gone; that is a finding only if it could have hit another block. */
static void test_gone_with_context(void **state)
{
	(void)state;
	for (int risky = 0; risky < 2; risky++) {
		struct feed f;

		feed_begin(&f, &xpt_analyzer_memory_faults);
		one(&f, &retain, 1, 1, 0xa, 0, 0);
		one(&f, &alloc, 1, 2, 0x1000, MIB, 0);
		one(&f, &reset, 1, 5, 0, 0, 0);
		if (risky)
			one(&f, &alloc, 1, 7, 0x5000, MIB, 0);
		failing(&f, &release, 9, 0x1000, ERR_MEMORY);
		feed_end(&f, SEC, true);
		assert_string_equal(feed_str(&f, "failed_frees", 0, "reason"), "gone with its context");
		assert_int_equal(found(&f, "double_free"), risky);
		assert_true(!risky || feed_says(&f, "verdict", "for what had gone with its context before"));
		feed_free(&f);
	}
}

/* After a sticky error every free fails: no double free. */
static void test_sticky_is_no_double_free(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_memory_faults);
	one(&f, &alloc, 1, 1, 0x1000, MIB, 0);
	one(&f, &release, 1, 3, 0x1000, 0, 0);
	failing(&f, &release, 4, 0x1000, ERR_ILLEGAL);
	one(&f, &alloc, 1, 5, 0x1000, MIB, 0);	/* the same address, freed once more: right */
	one(&f, &release, 1, 6, 0x1000, 0, 0);
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
}

/* An allocation of 1 GiB fails; `avail` was free when the program asked, 1 GiB was held. */
static void no_room(struct feed *f, uint64_t avail, uint64_t asked_at, uint64_t freed)
{
	feed_begin(f, &xpt_analyzer_memory_faults);
	one(f, &create, 1, 1, 0xa, 0, XPT_CURRENT_PUSH);
	one(f, &alloc, 1, 2, 0x1000, GIB, 0);
	one(f, &alloc, 1, 3, 0x2000, MIB, 0);
	if (asked_at < 10 * SEC)
		one(f, &ask, 1, asked_at, avail, 4 * GIB, 0);
	if (freed)
		one(f, &release, 1, 9 * SEC, freed, 0, 0);
	feed_call(f, .fn = &alloc, .proc = &train, .tid = 1, .at = 10 * SEC, .took = 5,
		  .ret = ERR_MEMORY, .val = { 0, GIB });
	if (asked_at > 10 * SEC)
		one(f, &ask, 1, asked_at, avail, 4 * GIB, 0);
	feed_end(f, 20 * SEC, true);
	assert_int_equal(feed_rows(f, "failed_allocations"), 1);
	assert_int_equal(feed_u64(f, "failed_allocations", 0, "size"), GIB);
}

static void check_room(uint64_t avail, uint64_t asked_at, uint64_t freed, bool in_pieces,
		       uint64_t free_bytes)
{
	struct feed f;

	no_room(&f, avail, asked_at, freed);
	assert_int_equal(found(&f, "fragmentation"), in_pieces);
	assert_int_equal(feed_u64(&f, "failed_allocations", 0, "free_bytes"), free_bytes);
	feed_free(&f);
}

static void test_fragmentation(void **state)
{
	uint64_t before = 9 * SEC + 500 * MS, after = 10 * SEC + MS;

	(void)state;
	check_room(2 * GIB, before, 0, true, 2 * GIB);
	check_room(GIB + MIB, before, 0, false, GIB + MIB);	/* the driver rounds */
	check_room(2 * GIB, 8 * SEC, 0, false, XPT_ABSENT);	/* long ago */
	check_room(MIB, 8 * SEC + 500 * MS, 0x1000, false, XPT_ABSENT);
	check_room(MIB, 9 * SEC - 1, 0x1000, false, XPT_ABSENT);
	check_room(2 * GIB, after, 0, true, 2 * GIB);
	check_room(MIB, after, 0, false, MIB);
	check_room(2 * GIB, 12 * SEC, 0, false, XPT_ABSENT);
}

/* Who makes pieces of physical memory is not told to make them. */
static void test_fragmentation_of_pieces(void **state)
{
	struct xpt_fn pieces = FEED_FN("memCreate", ALLOC, VMM, XPT_ROLE_HANDLE, XPT_ROLE_SIZE);
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_memory_faults);
	one(&f, &ask, 1, 9 * SEC, 2 * GIB, 4 * GIB, 0);
	failing(&f, &pieces, 9 * SEC + MS, GIB, ERR_MEMORY);
	feed_end(&f, 20 * SEC, true);
	assert_true(found(&f, "fragmentation"));
	assert_non_null(strstr(feed_str(&f, "verdict", 0, "advice"), "smaller pieces"));
	feed_free(&f);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, setup)
	const struct CMUnitTest tests[] = {
		T(test_older_context_ends), T(test_threads_and_stack), T(test_devices),
		T(test_context_ends_late),
		T(test_by_process_and_device), T(test_growth), T(test_no_growth),
		T(test_failed_frees), T(test_gone_with_context), T(test_sticky_is_no_double_free), T(test_fragmentation), T(test_fragmentation_of_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
