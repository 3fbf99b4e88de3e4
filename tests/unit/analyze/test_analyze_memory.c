/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/memory.c and the ledger behind it: what is a leak and what only
 * looks like one (freed, failed, passed on, freed with the context, by exec,
 * older than the trace, reused by another thread), bytes by kind, and groups.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_memory;

static struct xpt_fn alloc, outer, release, host, map, unmap, vmm, create, reset, begin, end;
static struct xpt_proc train, other;

static int setup(void **state)
{
	struct feed *f = malloc(sizeof(*f));

	alloc = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	outer = FEED_FN("rtMalloc", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	release = FEED_FN("memFree", FREE, NONE, XPT_ROLE_ADDR);
	host = FEED_FN("hostAlloc", ALLOC, HOST, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	map = FEED_FN("memMap", ALLOC, MAPPING, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	unmap = FEED_FN("memUnmap", FREE, MAPPING, XPT_ROLE_ADDR);
	vmm = FEED_FN("memCreate", ALLOC, VMM, XPT_ROLE_HANDLE, XPT_ROLE_SIZE);
	create = FEED_FN("memReserve", ALLOC, RESERVED, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	reset = FEED_FN("ctxDestroy", RESET, NONE, XPT_ROLE_NONE);
	begin = FEED_FN("ctxCreate", INIT, NONE, XPT_ROLE_CONTEXT);
	end = FEED_FN("ctxDestroy", RESET, NONE, XPT_ROLE_CONTEXT);
	train = feed_proc(123, "train");
	other = feed_proc(124, "other");
	if (!f)
		return -1;
	feed_begin(f, &xpt_analyzer_memory);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	feed_free(*state);
	free(*state);
	return 0;
}

static void test_leak_at_exit(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 1; i <= 3; i++)
		feed_call(f, .fn = &alloc, .proc = &train, .at = i * SEC, .took = 100 * US,
			  .val = { i << 12, GIB });
	feed_call(f, .fn = &release, .proc = &train, .at = 4 * SEC, .val = { 2 << 12 });
	feed_call(f, .fn = &alloc, .proc = &train, .at = 5 * SEC, .val = { 9 << 12, MIB });
	feed_proc_event(f, XPT_EV_EXIT, &train, 11 * SEC, false);
	feed_end(f, 12 * SEC, true);

	assert_int_equal(feed_rows(f, "leaks"), 2);
	assert_string_equal(feed_str(f, "leaks", 0, "function"), "memAlloc");
	assert_string_equal(feed_str(f, "leaks", 0, "kind"), "device");
	assert_string_equal(feed_str(f, "leaks", 0, "state"), "at exit");
	assert_int_equal(feed_u64(f, "leaks", 0, "size"), GIB);
	assert_int_equal(feed_u64(f, "leaks", 0, "blocks"), 2);
	assert_int_equal(feed_u64(f, "leaks", 0, "bytes"), 2 * GIB);
	assert_int_equal(feed_u64(f, "leaks", 0, "age_ns"), 10 * SEC - 100 * US);
	assert_int_equal(feed_u64(f, "leaks", 1, "bytes"), MIB);
	assert_int_equal(feed_rows(f, "memory"), 1);
	assert_int_equal(feed_u64(f, "memory", 0, "allocations"), 4);
	assert_int_equal(feed_u64(f, "memory", 0, "bytes"), 3 * GIB + MIB);
	assert_int_equal(feed_u64(f, "memory", 0, "frees"), 1);
	assert_int_equal(feed_u64(f, "memory", 0, "peak_bytes"), 3 * GIB);
	assert_int_equal(feed_u64(f, "memory", 0, "not_freed"), 3);
	assert_int_equal(feed_u64(f, "memory", 0, "not_freed_bytes"), 2 * GIB + MIB);
	assert_true(feed_says(f, "memory_notes", "train[123] ended with 3 blocks (2.0 GiB)"));
}

static void test_clean_program_is_silent(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 1; i <= 100; i++)
		feed_call(f, .fn = &alloc, .proc = &train, .at = i * MS, .val = { i << 12, MIB });
	for (uint64_t i = 1; i <= 100; i++)
		feed_call(f, .fn = &release, .proc = &train, .at = SEC + i * MS,
			  .val = { i << 12 });
	feed_call(f, .fn = &release, .proc = &train, .at = 2 * SEC, .val = { 0 });
	feed_proc_event(f, XPT_EV_EXIT, &train, 3 * SEC, false);
	feed_end(f, 3 * SEC, true);
	assert_int_equal(feed_rows(f, "leaks"), 0);
	assert_int_equal(feed_rows(f, "memory_notes"), 0);
	assert_int_equal(feed_u64(f, "memory", 0, "peak_bytes"), 100 * MIB);
}

static void test_failed_calls_do_nothing(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = 1, .ret = ERR_MEMORY,
		  .val = { 4096, GIB });
	feed_call(f, .fn = &alloc, .proc = &train, .at = 2, .val = { 8192, MIB });
	feed_call(f, .fn = &release, .proc = &train, .at = 3, .ret = ERR_ILLEGAL,
		  .val = { 8192 });
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "leaks"), 1);
	assert_int_equal(feed_u64(f, "leaks", 0, "bytes"), MIB);
	assert_string_equal(feed_str(f, "leaks", 0, "state"), "running");
	assert_int_equal(feed_rows(f, "memory_notes"), 0);	/* it has not ended */
}

/* rtMalloc calls memAlloc: one block, shown as what the program called. */
static void test_nested_allocation_is_one(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = 20, .took = 50,
		  .flags = XPT_CALL_NESTED, .depth = 1, .val = { 4096, MIB });
	feed_call(f, .fn = &outer, .proc = &train, .at = 10, .took = 80,
		  .flags = XPT_CALL_OUTER, .val = { 4096, MIB });
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "memory", 0, "allocations"), 1);
	assert_int_equal(feed_rows(f, "leaks"), 1);
	assert_string_equal(feed_str(f, "leaks", 0, "function"), "rtMalloc");
	assert_int_equal(feed_u64(f, "leaks", 0, "blocks"), 1);
}

/* What was allocated before a context began cannot end with it. */
static void test_context_takes_only_what_is_younger(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &begin, .proc = &train, .at = 1, .val = { 11 });
	feed_call(f, .fn = &alloc, .proc = &train, .at = 2, .val = { 4096, MIB });
	feed_call(f, .fn = &begin, .proc = &train, .at = 3, .val = { 22 });
	feed_call(f, .fn = &alloc, .proc = &train, .at = 4, .val = { 8192, 2 * MIB });
	feed_call(f, .fn = &end, .proc = &train, .at = 5, .val = { 22 });
	assert_int_equal(feed_rows(f, "leaks"), 0);
	/* The handle is used again: its age begins anew. */
	feed_call(f, .fn = &begin, .proc = &train, .at = 6, .val = { 22 });
	feed_call(f, .fn = &end, .proc = &train, .at = 7, .val = { 22 });
	feed_call(f, .fn = &alloc, .proc = &train, .at = 8, .val = { 16384, GIB });
	/* One whose beginning was not seen may own anything of this process. */
	feed_call(f, .fn = &alloc, .proc = &other, .at = 9, .val = { 4096, 4 * MIB });
	feed_call(f, .fn = &end, .proc = &other, .at = 10, .val = { 33 });
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "memory", 0, "implicit"), 2);
	assert_int_equal(feed_u64(f, "memory", 0, "not_freed"), 2);
	assert_int_equal(feed_u64(f, "memory", 0, "not_freed_bytes"), GIB + MIB);
}

static void test_context_and_exec_free(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = 1, .val = { 4096, MIB });
	feed_call(f, .fn = &vmm, .proc = &train, .at = 2, .val = { 77, GIB });
	feed_call(f, .fn = &reset, .proc = &train, .at = 3);
	/* Of another context after all: explained, so not said to be unknown. */
	feed_call(f, .fn = &release, .proc = &train, .at = 4, .val = { 4096 });
	feed_call(f, .fn = &alloc, .proc = &other, .at = 5, .val = { 4096, 2 * MIB });
	feed_proc_event(f, XPT_EV_PROC, &other, 6, true);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "leaks"), 1);	/* physical memory outlives contexts */
	assert_string_equal(feed_str(f, "leaks", 0, "kind"), "vmm");
	assert_int_equal(feed_u64(f, "memory", feed_row(f, "memory", "kind", "device"),
				  "implicit"), 2);
	assert_true(feed_says(f, "memory_notes", "2 blocks (3.0 MiB) were freed implicitly"));
	assert_false(feed_says(f, "memory_notes", "not traced"));
}

static void test_free_of_older_memory(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &release, .proc = &train, .at = 1, .val = { 4096 });
	/* The same address in another process is another block. */
	feed_call(f, .fn = &alloc, .proc = &other, .at = 2, .val = { 4096, MIB });
	feed_call(f, .fn = &release, .proc = &train, .at = 3, .val = { 4096 });
	feed_call(f, .fn = &release, .proc = &other, .at = 4, .val = { 4096 });
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "leaks"), 0);
	assert_true(feed_says(f, "memory_notes", "2 frees were of memory whose allocation"));
}

/* B's allocation of X returns before A's free of the older X does. */
static void test_reuse_race(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = 10, .took = 10, .val = { 4096, MIB });
	feed_call(f, .fn = &alloc, .proc = &train, .at = 40, .took = 10, .tid = 2,
		  .val = { 4096, 2 * MIB });
	feed_call(f, .fn = &release, .proc = &train, .at = 35, .took = 30, .val = { 4096 });
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "leaks"), 1);	/* the younger block, still open */
	assert_int_equal(feed_u64(f, "leaks", 0, "bytes"), 2 * MIB);
	assert_int_equal(feed_u64(f, "memory", 0, "peak_bytes"), 2 * MIB);
}

/* The near miss: the free began after the second allocation returned. */
static void test_lost_free_is_not_a_race(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = 10, .took = 10, .val = { 4096, MIB });
	feed_call(f, .fn = &alloc, .proc = &train, .at = 40, .took = 10, .val = { 4096, MIB });
	feed_call(f, .fn = &release, .proc = &train, .at = 60, .took = 5, .val = { 4096 });
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "leaks"), 0);
	assert_int_equal(feed_u64(f, "memory", 0, "frees"), 2);
}

/* Reserved range, mapping and memory of one address are three things. */
static void test_spaces(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &create, .proc = &train, .at = 1, .val = { 4096, GIB });
	feed_call(f, .fn = &map, .proc = &train, .at = 2, .val = { 4096, MIB });
	feed_call(f, .fn = &unmap, .proc = &train, .at = 3, .val = { 4096 });
	feed_call(f, .fn = &release, .proc = &train, .at = 4, .val = { 4096 });
	feed_proc_event(f, XPT_EV_EXIT, &train, SEC, false);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "leaks"), 1);
	assert_string_equal(feed_str(f, "leaks", 0, "kind"), "reserved");
	assert_true(feed_says(f, "memory_notes", "1 free was of memory"));
	assert_false(feed_says(f, "memory_notes", "ended with"));	/* no memory in it */
}

static void test_top_and_other(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 1; i <= 30; i++)
		feed_call(f, .fn = i % 2 ? &alloc : &host, .proc = &train, .at = i,
			  .val = { i << 20, i * 1024 });
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "leaks"), 11);
	assert_int_equal(feed_u64(f, "leaks", 0, "size"), 30 * 1024);
	assert_string_equal(feed_str(f, "leaks", 0, "kind"), "host");
	assert_string_equal(feed_str(f, "leaks", 10, "function"), "other (20 groups)");
	assert_int_equal(feed_u64(f, "leaks", 10, "blocks"), 20);
	assert_int_equal(feed_u64(f, "leaks", 10, "bytes"), 210 * 1024);
	assert_int_equal(feed_rows(f, "memory"), 2);
}

static void test_loss_is_said(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = 1, .val = { 4096, MIB });
	feed_loss(f, XPT_LOSS_RING_FULL, 17);
	feed_end(f, SEC, true);
	assert_true(feed_says(f, "memory_notes", "17 calls were lost"));
}

/* What was left out on purpose would look like leaks: none is told. */
static void test_partial_trace(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .at = 1, .val = { 4096, MIB });
	feed_meta(f, "partial", "some calls were left out as asked");
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "leaks"), 0);
	assert_int_equal(feed_rows(f, "memory"), 0);
	assert_true(feed_says(f, "memory_notes", "not judged: some calls were left out"));
}

/* More blocks than the ledger holds: the table stays bounded and says so. */
static void test_full_table(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 1; i <= (3u << 17) + 5; i++)
		feed_call(f, .fn = &alloc, .proc = &train, .at = i, .val = { i << 8, 256 });
	assert_int_equal(f->out.lost[XPT_LOSS_TABLE_EVICTED], 5);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "leaks", 0, "blocks"), 3u << 17);
	assert_true(feed_says(f, "memory_notes", "5 blocks were not followed"));
}

/* Frames innermost first: in the library, in one of another version of it, the callers. */
static struct xpt_stack *stack_of(const char *const *fn, const char *const *module)
{
	struct xpt_stack *st = calloc(1, sizeof(*st) + 4 * sizeof(st->frame[0]));

	assert_non_null(st);
	for (; st->nr < 4 && fn[st->nr]; st->nr++)
		st->frame[st->nr] = (struct xpt_frame_name){ fn[st->nr], module[st->nr] };
	return st;
}

/* With stacks: by the innermost caller outside of the libraries of the call. */
static void test_by_place(void **state)
{
	static const char *const module[] = { "/usr/lib/libcuda.so.535.1", "/usr/lib/librt.so.12",
					      "/bin/train", "/bin/train" };
	static const char *const from_a[] = { "libcuda.so.535.1+0x5", "rtMalloc+0x9", "a+0x1", NULL };
	static const char *const from_b[] = { "libcuda.so.535.1+0x5", "rtMalloc+0x9", "b+0x2", "a+0x1" };
	static const char *const inside[] = { "libcuda.so.535.1+0x5", NULL };
	struct xpt_lib cuda = { .path = "/lib/libcuda.so.1" }, rt = { .path = "librt.so.12" };
	struct xpt_stack *a = stack_of(from_a, module), *b = stack_of(from_b, module);
	struct xpt_stack *c = stack_of(inside, module);
	struct feed *f = *state;

	alloc.lib = &cuda;
	outer.lib = &rt;
	for (uint64_t i = 1; i <= 5; i++) {
		const struct xpt_stack *st = i <= 3 ? a : b;

		feed_call(f, .fn = &alloc, .proc = &train, .at = i * SEC, .took = US,
			  .val = { i << 20, MIB }, .stack = st, .depth = 1);
		feed_call(f, .fn = &outer, .proc = &train, .at = i * SEC, .took = 2 * US,
			  .val = { i << 20, MIB }, .stack = st, .flags = XPT_CALL_OUTER);
	}
	feed_call(f, .fn = &alloc, .proc = &train, .at = 6 * SEC, .val = { 9 << 20, MIB }, .stack = c);
	feed_call(f, .fn = &host, .proc = &train, .at = 7 * SEC, .val = { 10 << 20, 4096 });
	feed_end(f, 9 * SEC, true);

	assert_int_equal(feed_rows(f, "leaks"), 4);
	assert_string_equal(feed_str(f, "leaks", 0, "function"), "rtMalloc");
	assert_string_equal(feed_str(f, "leaks", 0, "at"), "a+0x1");
	assert_int_equal(feed_u64(f, "leaks", 0, "blocks"), 3);
	assert_string_equal(feed_str(f, "leaks", 1, "at"), "b+0x2");
	assert_int_equal(feed_u64(f, "leaks", 1, "blocks"), 2);
	assert_string_equal(feed_str(f, "leaks", 2, "function"), "memAlloc");
	assert_null(feed_str(f, "leaks", 2, "at"));	/* nobody outside */
	assert_null(feed_str(f, "leaks", 3, "at"));	/* without a stack */
	free(a);
	free(b);
	free(c);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_leak_at_exit), T(test_clean_program_is_silent),
		T(test_failed_calls_do_nothing), T(test_nested_allocation_is_one),
		T(test_context_takes_only_what_is_younger), T(test_context_and_exec_free),
		T(test_free_of_older_memory), T(test_reuse_race),
		T(test_lost_free_is_not_a_race), T(test_spaces), T(test_top_and_other),
		T(test_loss_is_said), T(test_partial_trace), T(test_full_table), T(test_by_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
