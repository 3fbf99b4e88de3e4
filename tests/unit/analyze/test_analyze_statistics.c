/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/statistics.c: operations are counted once whatever layers saw them,
 * counters win over events, ioctl lines stand where there were ioctls.
 */
#include "unit/feed.h"

extern const struct xpt_analyzer xpt_analyzer_statistics;

static struct xpt_fn alloc, outer, release, copy, launch, pin, ioctl_fn, map, sched, driver;
static struct xpt_proc train;
static struct feed feed;

static int setup(void **state)
{
	alloc = FEED_FN("memAlloc", ALLOC, DEVICE, XPT_ROLE_SIZE);
	outer = FEED_FN("rtMalloc", ALLOC, DEVICE, XPT_ROLE_SIZE);
	release = FEED_FN("memFree", FREE, NONE, XPT_ROLE_ADDR);
	copy = FEED_FN("copy", COPY, NONE, XPT_ROLE_SIZE);
	launch = FEED_FN("launch", LAUNCH, NONE, XPT_ROLE_STREAM);
	pin = FEED_FN("hostRegister", REGISTER, NONE, XPT_ROLE_SIZE);
	ioctl_fn = FEED_FN("ioctl", IOCTL, NONE, XPT_ROLE_NONE);
	ioctl_fn.layer = XPT_LAYER_IOCTL;
	map = FEED_FN("mmap:nvidia", MAP, NONE, XPT_ROLE_NONE);
	map.layer = XPT_LAYER_IOCTL;
	sched = FEED_FN("ioctl:PREEMPT", SCHED, NONE, XPT_ROLE_NONE);
	sched.layer = XPT_LAYER_IOCTL;
	driver = FEED_FN("preempt", SCHED, NONE, XPT_ROLE_NONE);
	driver.layer = XPT_LAYER_DRIVER;
	train = feed_proc(123, "train");
	feed_begin(&feed, &xpt_analyzer_statistics);
	*state = &feed;
	return 0;
}

/* CUDA's calls in a total of their own: without ioctls, drivers, other libraries. */
static void count_beside(struct feed *f, const struct xpt_fn *beside)
{
	struct xpt_fn driver_api = alloc, runtime = outer;

	driver_api.domain_name = "cuda";
	driver_api.layer = runtime.layer = XPT_LAYER_API;
	runtime.domain_name = "cudart";
	runtime.id = 77;
	feed_call(f, .fn = &driver_api, .proc = &train, .took = US, .flags = XPT_CALL_NESTED, .val = { MIB });
	feed_call(f, .fn = &runtime, .proc = &train, .took = US, .flags = XPT_CALL_OUTER, .val = { MIB });
	if (beside)
		feed_call(f, .fn = beside, .proc = &train, .took = US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "statistics", 0, "cuda_api_calls"), 1);	/* that the program made */
	assert_int_equal(feed_u64(f, "statistics", 0, "total_calls"), beside ? 3 : 2);
	assert_int_equal(feed_u64(f, "statistics", 0, "allocations"), 1);
	assert_string_equal(feed_section(f, "statistics")->schema->fields[0].title, "Total CUDA API calls");
	assert_string_equal(feed_section(f, "statistics")->schema->fields[1].title,
			    "All traced calls");	/* nested ones, too */
}

/* The summary shows the block where calls of CUDA were traced, and only there. */
static void test_shown_for_cuda(void **state)
{
	for (int cuda = 0; cuda < 2; cuda++) {
		struct xpt_fn fn = alloc;

		fn.domain_name = cuda ? "cudart" : "nvml";
		fn.layer = XPT_LAYER_API;
		feed_free(*state);
		feed_begin(*state, &xpt_analyzer_statistics);
		feed_call(*state, .fn = &fn, .proc = &train, .took = US, .val = { MIB });
		feed_call(*state, .fn = &ioctl_fn, .proc = &train, .took = US);
		feed_end(*state, SEC, true);
		assert_int_equal(feed_section(*state, "statistics")->schema->detail, !cuda);
	}
}

static void test_cuda_alone(void **state)
{
	count_beside(*state, NULL);
}

static void test_cuda_and_ioctl(void **state)
{
	ioctl_fn.domain_name = "cuda";	/* the layer decides */
	count_beside(*state, &ioctl_fn);
}

static void test_cuda_and_driver(void **state)
{
	count_beside(*state, &driver);
}

static void test_cuda_and_nccl(void **state)
{
	release.domain_name = "nccl";
	count_beside(*state, &release);
}

/* By counters as by events: what a library of CUDA, or NCCL, calls itself is its own. */
static void test_outermost(void **state)
{
	struct feed *f = *state;
	struct xpt_fn driver_api = alloc, runtime = outer, collective = release;

	driver_api.layer = runtime.layer = collective.layer = XPT_LAYER_API;
	driver_api.domain_name = "cuda";
	runtime.domain_name = "cudart";
	runtime.id = 77;
	collective.domain_name = "nccl";
	feed_counter(f, &runtime, &train, XPT_DIR_NONE | XPT_SUB_OUTER, 3, 0, MIB, US);
	feed_counter(f, &runtime, &train, XPT_DIR_NONE | XPT_SUB_NESTED | XPT_SUB_OUTER, 1, 0, MIB, US);
	feed_counter(f, &collective, &train, XPT_DIR_NONE, 2, 0, 0, US);
	feed_counter(f, &driver_api, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 6, 0, MIB, US);
	feed_counter(f, &driver_api, &train, XPT_DIR_NONE, 5, 0, MIB, US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "statistics", 0, "cuda_api_calls"), 8);
	assert_int_equal(feed_u64(f, "statistics", 0, "total_calls"), 17);
}

/* A function that the user named is the program's own code, and so is what it calls. */
static void test_in_named(void **state)
{
	struct feed *f = *state;
	struct xpt_fn driver_api = alloc;

	driver_api.layer = XPT_LAYER_API;
	driver_api.domain_name = "cuda";
	feed_call(f, .fn = &driver_api, .proc = &train, .took = US, .flags = XPT_CALL_NESTED | XPT_CALL_IN_NAMED);
	feed_counter(f, &driver_api, &train, XPT_DIR_NONE | XPT_SUB_NESTED | XPT_SUB_IN_NAMED, 4, 0, MIB, US);
	feed_counter(f, &driver_api, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 2, 0, MIB, US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "statistics", 0, "cuda_api_calls"), 4);
	assert_int_equal(feed_u64(f, "statistics", 0, "total_calls"), 6);
}

/* A point is passed, not called. */
static void test_points(void **state)
{
	struct feed *f = *state;
	struct xpt_fn driver_api = alloc, point = pin;

	driver_api.layer = XPT_LAYER_API;
	driver_api.domain_name = "cuda";
	point.layer = XPT_LAYER_POINT;
	feed_counter(f, &driver_api, &train, XPT_DIR_NONE, 2, 0, MIB, US);
	feed_counter(f, &point, &train, XPT_DIR_NONE, 7, 0, 0, 0);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "statistics", 0, "cuda_api_calls"), 2);
	assert_int_equal(feed_u64(f, "statistics", 0, "total_calls"), 2);
	assert_string_equal(feed_section(f, "statistics")->schema->fields[1].title, "");
	assert_int_equal(feed_u64(f, "events_by_type", 1, "events"), 7);	/* as lines have them */
}

static int teardown(void **state)
{
	feed_free(*state);
	return 0;
}

static void test_events(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &alloc, .proc = &train, .took = US, .flags = XPT_CALL_NESTED,
		  .val = { 3 * MIB });
	feed_call(f, .fn = &outer, .proc = &train, .took = 2 * US, .flags = XPT_CALL_OUTER,
		  .val = { 3 * MIB });
	feed_call(f, .fn = &alloc, .proc = &train, .took = US, .ret = ERR_MEMORY, .val = { GIB });
	feed_call(f, .fn = &release, .proc = &train, .took = US);
	feed_call(f, .fn = &copy, .proc = &train, .took = US, .val = { MIB / 2 });
	feed_call(f, .fn = &launch, .proc = &train, .took = US);
	feed_call(f, .fn = &pin, .proc = &train, .took = US, .val = { MIB });
	feed_end(f, SEC, true);
	assert_int_equal(feed_rows(f, "statistics"), 1);
	assert_int_equal(feed_u64(f, "statistics", 0, "total_calls"), 7);
	assert_int_equal(feed_u64(f, "statistics", 0, "kernel_launches"), 1);
	/* That which failed is none. */
	assert_int_equal(feed_u64(f, "statistics", 0, "allocations"), 1);
	assert_int_equal(feed_u64(f, "statistics", 0, "allocation_bytes"), 3 * MIB);
	assert_true(feed_f64(f, "statistics", 0, "allocation_mb") == 3.0);
	assert_int_equal(feed_u64(f, "statistics", 0, "transfers"), 1);
	assert_true(feed_f64(f, "statistics", 0, "transfer_mb") == 0.5);
	assert_true(feed_u64(f, "statistics", 0, "ioctl_calls") == XPT_ABSENT);
	assert_true(feed_u64(f, "statistics", 0, "scheduler_calls") == XPT_ABSENT);
	assert_string_equal(feed_section(f, "statistics")->schema->fields[9].title, "");
	assert_int_equal(feed_rows(f, "events_by_type"), 4);
	assert_int_equal(feed_u64(f, "events_by_type", 0, "events"), 3);	/* memory */
	assert_string_equal(feed_str(f, "events_by_type", 3, "type"), "userspace");
	assert_int_equal(feed_u64(f, "events_by_type", 3, "events"), 2);
	assert_int_equal(feed_u64(f, "events_by_type", 3, "time_ns"), 3 * US);
}

static void test_counters(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &launch, .proc = &train, .took = US);
	feed_counter(f, &launch, &train, XPT_DIR_NONE, 5, 0, 0, US);
	feed_counter(f, &alloc, &train, XPT_DIR_NONE | XPT_SUB_NESTED, 2, 0, MIB, US);
	feed_counter(f, &outer, &train, XPT_DIR_NONE | XPT_SUB_OUTER, 2, 0, MIB, US);
	feed_counter(f, &ioctl_fn, NULL, XPT_DIR_NONE, 4, 0, 0, 3 * US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "statistics", 0, "total_calls"), 13);
	assert_int_equal(feed_u64(f, "statistics", 0, "kernel_launches"), 5);
	assert_int_equal(feed_u64(f, "statistics", 0, "allocation_bytes"), MIB);
	assert_int_equal(feed_u64(f, "statistics", 0, "ioctl_calls"), 4);
	assert_int_equal(feed_u64(f, "statistics", 0, "ioctl_ns"), 12 * US);
	assert_string_equal(feed_section(f, "statistics")->schema->fields[9].title, "ioctl calls");
	assert_int_equal(feed_u64(f, "events_by_type", 1, "events"), 9);	/* kernel */
}

/* The same requests, seen by the ioctl and in the driver, are counted once. */
static void test_scheduler(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &ioctl_fn, .proc = &train, .took = US);
	feed_call(f, .fn = &driver, .proc = &train, .took = US);
	feed_call(f, .fn = &sched, .proc = &train, .took = 2 * US);
	feed_call(f, .fn = &sched, .proc = &train, .took = 2 * US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "statistics", 0, "scheduler_calls"), 2);
	assert_int_equal(feed_u64(f, "statistics", 0, "ioctl_calls"), 3);
	assert_int_equal(feed_u64(f, "statistics", 0, "ioctl_ns"), 5 * US);
	assert_string_equal(feed_section(f, "statistics")->schema->fields[11].title,
			    "Scheduler calls");
	assert_string_equal(feed_str(f, "events_by_type", 1, "type"), "scheduler");
	assert_int_equal(feed_u64(f, "events_by_type", 1, "events"), 3);
	assert_int_equal(feed_u64(f, "events_by_type", 1, "time_ns"), 5 * US);
}

/* A device's mapping is a call, but no ioctl, and no memory. */
static void test_mmap(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &ioctl_fn, .proc = &train, .took = US);
	feed_call(f, .fn = &map, .proc = &train, .took = US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "statistics", 0, "total_calls"), 2);
	assert_int_equal(feed_u64(f, "statistics", 0, "ioctl_calls"), 1);
	assert_int_equal(feed_u64(f, "statistics", 0, "allocations"), 0);
	assert_int_equal(feed_u64(f, "events_by_type", 0, "events"), 2);	/* kernel */
}

/* Ioctls without such requests: none, not unknown. Requests in the driver alone count. */
static void test_scheduler_missing(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &ioctl_fn, .proc = &train, .took = US);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "statistics", 0, "scheduler_calls"), 0);
}

static void test_scheduler_driver(void **state)
{
	struct feed *f = *state;

	feed_call(f, .fn = &driver, .proc = &train, .took = US);
	feed_call(f, .fn = &driver, .proc = &train, .took = 2 * US, .flags = XPT_CALL_OUTER);
	feed_end(f, SEC, true);
	assert_int_equal(feed_u64(f, "statistics", 0, "scheduler_calls"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_shown_for_cuda, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cuda_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cuda_and_ioctl, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cuda_and_driver, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cuda_and_nccl, setup, teardown),
		cmocka_unit_test_setup_teardown(test_outermost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_in_named, setup, teardown),
		cmocka_unit_test_setup_teardown(test_points, setup, teardown),
		cmocka_unit_test_setup_teardown(test_events, setup, teardown),
		cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scheduler, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scheduler_missing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mmap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scheduler_driver, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
