/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of graphs (model/memory/graph_nodes.c and the ledger): a launch allocates what
 * the graph's nodes say, another launch, a node or a call frees it. Graphs that
 * are never launched, handles that are given out again, a table that is full.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_memory;

static struct xpt_fn create, instantiate, destroy, add_alloc, rt_alloc, add_free, launch, release;
static struct xpt_proc train, other;

enum { GRAPH = 0x100, EXEC = 0x200, OTHER = 0x300, OTHER_EXEC = 0x400, A = 4096, B = 8192 };

static int setup(void **state)
{
	struct feed *f = malloc(sizeof(*f));

	create = FEED_FN("graphCreate", CREATE, GRAPH, XPT_ROLE_HANDLE);
	instantiate = FEED_FN("graphInstantiate", CREATE, GRAPH, XPT_ROLE_HANDLE, XPT_ROLE_GRAPH);
	destroy = FEED_FN("graphDestroy", DESTROY, GRAPH, XPT_ROLE_HANDLE);
	add_alloc = FEED_FN("addAlloc", MODIFY, GRAPH, XPT_ROLE_GRAPH, XPT_ROLE_SIZE, XPT_ROLE_ADDR);
	rt_alloc = FEED_FN("rtAddAlloc", MODIFY, GRAPH, XPT_ROLE_GRAPH, XPT_ROLE_SIZE, XPT_ROLE_ADDR);
	add_free = FEED_FN("addFree", MODIFY, GRAPH, XPT_ROLE_GRAPH, XPT_ROLE_ADDR);
	launch = FEED_FN("graphLaunch", LAUNCH, NONE, XPT_ROLE_GRAPH, XPT_ROLE_STREAM);
	release = FEED_FN("memFree", FREE, NONE, XPT_ROLE_ADDR);
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

/* The next call, one a millisecond; a and b and c are its values in the order of its roles. */
static void call(struct feed *f, const struct xpt_fn *fn, uint64_t a, uint64_t b, uint64_t c)
{
	feed_call(f, .fn = fn, .proc = &train, .at = (f->nr_calls + 1) * MS, .took = 10 * US,
		  .val = { a, b, c });
}

static void graph_with(struct feed *f, uint64_t graph, uint64_t exec, uint64_t alloc, uint64_t bytes,
		       uint64_t freed)
{
	call(f, &create, graph, 0, 0);
	if (alloc)
		call(f, &add_alloc, graph, bytes, alloc);
	if (freed)
		call(f, &add_free, graph, freed, 0);
	call(f, &instantiate, exec, graph, 0);
}

static void test_launch_allocates(void **state)
{
	struct feed *f = *state;

	graph_with(f, GRAPH, EXEC, A, MIB, 0);
	call(f, &destroy, GRAPH, 0, 0);
	for (int i = 0; i < 3; i++) {
		call(f, &launch, EXEC, 0, 0);
		call(f, &release, A, 0, 0);
	}
	call(f, &launch, EXEC, 0, 0);
	feed_end(f, SEC, true);
	assert_string_equal(feed_str(f, "memory", 0, "kind"), "graph");
	assert_int_equal(feed_u64(f, "memory", 0, "allocations"), 4);
	assert_int_equal(feed_u64(f, "memory", 0, "frees"), 3);
	assert_int_equal(feed_u64(f, "memory", 0, "peak_bytes"), MIB);
	assert_int_equal(feed_rows(f, "leaks"), 1);
	assert_string_equal(feed_str(f, "leaks", 0, "function"), "addAlloc");
	assert_int_equal(feed_u64(f, "leaks", 0, "bytes"), MIB);
	assert_int_equal(feed_u64(f, "leaks", 0, "age_ns"), SEC - 11 * MS - 10 * US);
	assert_false(feed_says(f, "memory_notes", "freed"));
}

static void test_nodes_free(void **state)
{
	struct feed *f = *state;

	graph_with(f, GRAPH, EXEC, A, MIB, A);
	graph_with(f, OTHER, OTHER_EXEC, B, 2 * MIB, 0);
	for (int i = 0; i < 100; i++)
		call(f, &launch, EXEC, 0, 0);
	call(f, &launch, OTHER_EXEC, 0, 0);
	call(f, &launch, EXEC, 0, 0);
	graph_with(f, GRAPH, EXEC, 0, 0, B);
	call(f, &launch, EXEC, 0, 0);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "memory", 0, "allocations"), 102);
	assert_int_equal(feed_u64(f, "memory", 0, "frees"), 102);
	assert_int_equal(feed_u64(f, "memory", 0, "peak_bytes"), 3 * MIB);
	assert_int_equal(feed_rows(f, "leaks"), 0);
}

/* Instantiated so that a launch frees what the one before has left. */
static void test_launched_again(void **state)
{
	struct feed *f = *state;

	graph_with(f, GRAPH, EXEC, A, MIB, 0);
	for (int i = 0; i < 5; i++)
		call(f, &launch, EXEC, 0, 0);
	call(f, &release, A, 0, 0);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "memory", 0, "allocations"), 5);
	assert_int_equal(feed_u64(f, "memory", 0, "peak_bytes"), MIB);
	assert_int_equal(feed_rows(f, "leaks"), 0);
}

/* A graph that begins with what is still there frees that, and its own once more. */
static void test_launched_again_and_freed(void **state)
{
	struct feed *f = *state;

	graph_with(f, GRAPH, EXEC, A, MIB, A);
	graph_with(f, OTHER, OTHER_EXEC, A, MIB, 0);
	call(f, &launch, OTHER_EXEC, 0, 0);
	call(f, &launch, EXEC, 0, 0);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "memory", 0, "frees"), 2);
	assert_int_equal(feed_rows(f, "leaks"), 0);
}

static void test_never_launched(void **state)
{
	struct feed *f = *state;

	graph_with(f, GRAPH, EXEC, A, MIB, 0);
	feed_call(f, .fn = &launch, .proc = &train, .at = SEC, .ret = ERR_ILLEGAL, .val = { EXEC });
	feed_call(f, .fn = &launch, .proc = &other, .at = SEC, .val = { EXEC });
	call(f, &launch, OTHER, 0, 0);
	feed_end(f, 2 * SEC, true);
	assert_int_equal(feed_rows(f, "memory"), 0);
}

static void test_handles_come_again(void **state)
{
	struct feed *f = *state;

	graph_with(f, GRAPH, EXEC, A, MIB, 0);
	call(f, &destroy, EXEC, 0, 0);
	call(f, &launch, EXEC, 0, 0);
	graph_with(f, OTHER, EXEC, 0, 0, 0);	/* its destroying was not seen */
	call(f, &launch, EXEC, 0, 0);
	graph_with(f, GRAPH, EXEC, 0, 0, 0);
	call(f, &launch, EXEC, 0, 0);
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "memory"), 0);
}

/* rtAddAlloc calls addAlloc: one node, shown as what the program called. */
static void test_nested_node_is_one(void **state)
{
	struct feed *f = *state;

	call(f, &create, GRAPH, 0, 0);
	feed_call(f, .fn = &add_alloc, .proc = &train, .at = 20 * MS, .took = 50, .depth = 1,
		  .flags = XPT_CALL_NESTED, .val = { GRAPH, MIB, A });
	feed_call(f, .fn = &rt_alloc, .proc = &train, .at = 20 * MS - 10, .took = 80,
		  .flags = XPT_CALL_OUTER, .val = { GRAPH, MIB, A });
	feed_call(f, .fn = &instantiate, .proc = &train, .at = 30 * MS, .val = { EXEC, GRAPH });
	feed_call(f, .fn = &launch, .proc = &train, .at = 40 * MS, .val = { EXEC });
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "memory", 0, "allocations"), 1);
	assert_string_equal(feed_str(f, "leaks", 0, "function"), "rtAddAlloc");
}

static void test_exec_forgets(void **state)
{
	struct feed *f = *state;

	graph_with(f, GRAPH, EXEC, A, MIB, 0);
	feed_proc_event(f, XPT_EV_PROC, &train, 100 * MS, true);
	feed_call(f, .fn = &launch, .proc = &train, .at = 200 * MS, .val = { EXEC });
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "memory"), 0);
}

static void test_forgotten_process(void **state)
{
	struct feed *f = *state;
	struct xpt_event ev = { .kind = XPT_EV_FORGET, .ts_ns = FEED_T0 + 100 * MS };

	graph_with(f, GRAPH, EXEC, A, MIB, 0);
	train.forgotten = true;
	feed_event(f, &ev);
	train.forgotten = false;	/* another process in the same memory */
	feed_call(f, .fn = &launch, .proc = &train, .at = 200 * MS, .val = { EXEC });
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "memory"), 0);
}

/* A graph has room for 256 nodes, all together for 64 times that. */
static void test_full(void **state)
{
	struct feed *f = *state;

	for (uint64_t i = 0; i < 256 + 3; i++)
		feed_call(f, .fn = &add_alloc, .proc = &train, .at = MS + i,
			  .val = { GRAPH, 256, A + 256 * i });
	assert_int_equal(f->out.lost[XPT_LOSS_TABLE_EVICTED], 3);
	feed_call(f, .fn = &instantiate, .proc = &train, .at = 2 * MS, .val = { EXEC, GRAPH });
	feed_call(f, .fn = &launch, .proc = &train, .at = 3 * MS, .val = { EXEC });
	for (uint64_t i = 1; i < 64; i++)
		feed_call(f, .fn = &instantiate, .proc = &train, .at = 4 * MS + i,
			  .val = { EXEC + i, GRAPH });
	assert_int_equal(f->out.lost[XPT_LOSS_TABLE_EVICTED], 3 + 1);
	feed_call(f, .fn = &destroy, .proc = &train, .at = 5 * MS, .val = { GRAPH });
	feed_call(f, .fn = &instantiate, .proc = &train, .at = 6 * MS, .val = { GRAPH, EXEC });
	assert_int_equal(f->out.lost[XPT_LOSS_TABLE_EVICTED], 3 + 1);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "memory", 0, "allocations"), 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_launch_allocates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nodes_free, setup, teardown),
		cmocka_unit_test_setup_teardown(test_launched_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_launched_again_and_freed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_never_launched, setup, teardown),
		cmocka_unit_test_setup_teardown(test_handles_come_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nested_node_is_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec_forgets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_forgotten_process, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
