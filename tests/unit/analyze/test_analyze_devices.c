/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * analyze/devices.c and analyze/device_memory.c: means and extremes, what is unknown, counters that
 * rise and begin anew, states that change, both sides of the findings; what NVML says of processes
 * against what calls account for.
 */
#include <math.h>
#include "unit/feed.h"
#include "model/device.h"

extern const struct xpt_analyzer xpt_analyzer_devices, xpt_analyzer_device_memory;

#define MIB (1ull << 20)
#define SEC 1000000000ull

static const struct xpt_device gpu = { .id = 1, .kind = XPT_DEVICE_GPU, .name = "NVIDIA H100", .uuid = "", .address = "3B:00.0", .detail = "" };
static const struct xpt_device second = { .id = 2, .kind = XPT_DEVICE_GPU, .index = 1, .name = "NVIDIA H100", .uuid = "", .address = "", .detail = "" };
static const struct xpt_device port = { .id = 3, .kind = XPT_DEVICE_RDMA, .name = "mlx5_0", .uuid = "", .address = "", .detail = "" };
static const struct xpt_device disk = { .id = 4, .kind = XPT_DEVICE_NVME, .name = "nvme0", .uuid = "", .address = "", .detail = "" };
static const struct xpt_device reader = { .id = 5, .kind = XPT_DEVICE_READER, .name = "NVML", .uuid = "", .address = "", .detail = "driver 580" };

static struct feed f;

static void reading(const struct xpt_device *d, uint64_t at, uint16_t metric, uint16_t part, uint64_t value)
{
	struct xpt_reading r = { .device = d, .metric = xpt_metric__find(metric), .part = part, .value = value };
	struct xpt_event ev = { .kind = XPT_EV_READING, .ts_ns = FEED_T0 + at };

	ev.u.reading = &r;
	feed_event(&f, &ev);
}

static void value(const struct xpt_device *d, uint64_t at, uint16_t metric, uint64_t v)
{
	reading(d, at, metric, XPT_PART_NONE, v);
}

static int setup(void **state)
{
	(void)state;
	feed_begin(&f, &xpt_analyzer_devices);
	return 0;
}

static int setup_memory(void **state)
{
	(void)state;
	feed_begin(&f, &xpt_analyzer_device_memory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	feed_free(&f);
	return 0;
}

static void test_gpu(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 3; i++) {
		value(&gpu, i * SEC, XPT_METRIC_GPU_UTILIZATION, 2000 * i);
		value(&gpu, i * SEC, XPT_METRIC_GPU_POWER, 100000 * i);
		value(&gpu, i * SEC, XPT_METRIC_GPU_TEMPERATURE, 80 - i);
		value(&gpu, i * SEC, XPT_METRIC_GPU_MEMORY_USED, i == 2 ? 900 * MIB : 100 * MIB);
		value(&gpu, i * SEC, XPT_METRIC_GPU_EVENT_IDLE, 0);
		value(&gpu, i * SEC, XPT_METRIC_GPU_EVENT_POWER_CAP, 1);	/* usual under load */
		value(&gpu, i * SEC, XPT_METRIC_GPU_EVENT_HW_SLOWDOWN, i == 3);
		value(&gpu, i * SEC, XPT_METRIC_GPU_EVENT_HW_THERMAL, i == 3);
	}
	value(&second, SEC, XPT_METRIC_GPU_UP, 1);
	feed_end(&f, 4 * SEC, true);
	assert_int_equal(feed_rows(&f, "devices"), 2);
	assert_string_equal(feed_str(&f, "devices", 0, "device"), "GPU 0");
	assert_true(fabs(feed_f64(&f, "devices", 0, "utilization") - 0.4) < 1e-9);
	assert_true(fabs(feed_f64(&f, "devices", 0, "utilization_max") - 0.6) < 1e-9);
	assert_true(fabs(feed_f64(&f, "devices", 0, "power_watts") - 200) < 1e-9);
	assert_int_equal(feed_u64(&f, "devices", 0, "temperature_max"), 79);
	assert_int_equal(feed_u64(&f, "devices", 0, "memory_max_bytes"), 900 * MIB);
	assert_true(fabs(feed_f64(&f, "devices", 0, "throttled") - 1.0 / 3) < 1e-9);
	/* What is not known is not 0. */
	assert_true(isnan(feed_f64(&f, "devices", 1, "utilization")));
	assert_true(isnan(feed_f64(&f, "devices", 1, "throttled")));
	assert_int_equal(feed_u64(&f, "devices", 1, "temperature_max"), XPT_ABSENT);
	assert_int_equal(feed_rows(&f, "verdict"), 0);
}

static void test_counters(void **state)
{
	(void)state;
	value(&gpu, SEC, XPT_METRIC_GPU_ECC_CORRECTED, 100);
	value(&gpu, 2 * SEC, XPT_METRIC_GPU_ECC_CORRECTED, 105);
	value(&gpu, 3 * SEC, XPT_METRIC_GPU_ECC_CORRECTED, 2);		/* the driver was loaded again */
	value(&gpu, SEC, XPT_METRIC_GPU_ECC_UNCORRECTED, 9);
	value(&gpu, 3 * SEC, XPT_METRIC_GPU_ECC_UNCORRECTED, 9);
	value(&gpu, SEC, XPT_METRIC_GPU_ENERGY, 1);
	value(&gpu, 2 * SEC, XPT_METRIC_GPU_ENERGY, 2);
	reading(&port, SEC, XPT_METRIC_RDMA_PACKETS_SENT, 1, 5);
	reading(&port, 2 * SEC, XPT_METRIC_RDMA_PACKETS_SENT, 1, 50);
	reading(&port, SEC, XPT_METRIC_RDMA_RNR_NAK, 1, 5);
	reading(&port, 2 * SEC, XPT_METRIC_RDMA_RNR_NAK, 2, 1);		/* another port */
	reading(&port, 3 * SEC, XPT_METRIC_RDMA_RNR_NAK, 2, 4);
	feed_end(&f, 4 * SEC, true);
	assert_int_equal(feed_rows(&f, "device_errors"), 2);
	assert_int_equal(feed_u64(&f, "device_errors", 0, "rose"), 7);
	assert_int_equal(feed_u64(&f, "device_errors", 0, "last"), 2);
	assert_string_equal(feed_str(&f, "device_errors", 1, "counter"), "infiniband_rnr_nak_retry_packets_received_total");
	assert_int_equal(feed_u64(&f, "device_errors", 1, "part"), 2);
	assert_int_equal(feed_u64(&f, "device_errors", 1, "rose"), 3);
	assert_int_equal(feed_rows(&f, "verdict"), 0);	/* nine errors were there before */
}

static void test_states(void **state)
{
	(void)state;
	reading(&port, SEC, XPT_METRIC_RDMA_STATE, 1, 4);
	reading(&port, 2 * SEC, XPT_METRIC_RDMA_STATE, 1, 1);
	reading(&port, 3 * SEC, XPT_METRIC_RDMA_STATE, 1, 4);
	reading(&port, SEC, XPT_METRIC_RDMA_STATE, 2, 99);
	for (uint64_t i = 1; i < 4; i++) {
		value(&disk, i * SEC, XPT_METRIC_NVME_LIVE, i == 1);
		value(&disk, i * SEC, XPT_METRIC_NVME_RESETTING, i > 1);
	}
	value(&reader, SEC, XPT_METRIC_READER_UP, 1);
	feed_end(&f, 4 * SEC, true);
	assert_int_equal(feed_rows(&f, "device_states"), 3);
	assert_string_equal(feed_str(&f, "device_states", 0, "state"), "active");
	assert_int_equal(feed_u64(&f, "device_states", 0, "changes"), 2);
	assert_string_equal(feed_str(&f, "device_states", 1, "state"), "unknown");
	assert_string_equal(feed_str(&f, "device_states", 2, "state"), "resetting");
	assert_int_equal(feed_u64(&f, "device_states", 2, "changes"), 1);
	assert_int_equal(feed_rows(&f, "device_readers"), 0);	/* it answers */
}

static void test_findings(void **state)
{
	(void)state;
	value(&gpu, SEC, XPT_METRIC_GPU_UP, 1);
	value(&gpu, 2 * SEC, XPT_METRIC_GPU_UP, 0);
	value(&gpu, 3 * SEC, XPT_METRIC_GPU_UP, 1);
	value(&second, SEC, XPT_METRIC_GPU_ECC_UNCORRECTED, 0);
	value(&second, 2 * SEC, XPT_METRIC_GPU_ECC_UNCORRECTED, 1);
	value(&reader, SEC, XPT_METRIC_READER_UP, 0);
	value(&reader, SEC, XPT_METRIC_READER_UNANSWERED, 40 * SEC);
	feed_end(&f, 4 * SEC, true);
	assert_true(feed_says(&f, "verdict", "GPU 0 (3B:00.0) was lost or had to be reset, as NVML said 2.00 s after"));
	assert_true(feed_says(&f, "verdict", "GPU 1 had 1 uncorrectable memory error during the trace."));
	assert_int_equal(feed_u64(&f, "devices", 0, "up"), 0);
	assert_string_equal(feed_str(&f, "device_readers", 0, "state"), "silent");
	assert_int_equal(feed_u64(&f, "device_readers", 0, "silent_ns"), 40 * SEC);
}

/* --- memory of processes -------------------------------------------------------------------------------- */

static void holds(const struct xpt_device *d, uint64_t at, uint32_t pid, const struct xpt_proc *proc, uint64_t bytes)
{
	struct xpt_reading r = { .device = d, .metric = xpt_metric__find(XPT_METRIC_GPU_PROCESS_MEMORY),
				 .part = XPT_PART_NONE, .pid = pid, .proc = proc, .value = bytes };
	struct xpt_event ev = { .kind = XPT_EV_READING, .ts_ns = FEED_T0 + at };

	ev.u.reading = &r;
	feed_event(&f, &ev);
}

static void test_unexplained(void **state)
{
	static struct xpt_fn alloc, alloc_host, release;
	static struct xpt_proc train;
	struct xpt_event ev = { .kind = XPT_EV_META, .ts_ns = FEED_T0 };

	(void)state;
	alloc = FEED_FN("cuMemAlloc_v2", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	alloc_host = FEED_FN("cuMemAllocHost_v2", ALLOC, HOST, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	release = FEED_FN("cuMemFree_v2", FREE, DEVICE, XPT_ROLE_ADDR);
	train = feed_proc(123, "train");
	ev.u.meta.key = "devices";
	ev.u.meta.value = "1000000000";
	feed_event(&f, &ev);
	feed_call(&f, .fn = &alloc, .proc = &train, .at = 1, .took = 1, .val = { 0x1000, 100 * MIB });
	feed_call(&f, .fn = &alloc, .proc = &train, .at = 3, .took = 1, .val = { 0x2000, 50 * MIB });
	feed_call(&f, .fn = &alloc_host, .proc = &train, .at = 5, .took = 1, .val = { 0x3000, 500 * MIB });
	holds(&gpu, SEC, 123, &train, 700 * MIB);
	feed_call(&f, .fn = &release, .proc = &train, .at = SEC + 1, .took = 1, .val = { 0x2000 });
	holds(&gpu, 2 * SEC, 123, &train, 400 * MIB);
	holds(&second, 2 * SEC, 123, &train, 20 * MIB);
	holds(&second, 2 * SEC, 999, NULL, 10 * MIB);
	feed_end(&f, 4 * SEC, true);
	assert_int_equal(feed_rows(&f, "device_memory"), 2);
	assert_string_equal(feed_str(&f, "device_memory", 0, "process"), "train");
	assert_string_equal(feed_str(&f, "device_memory", 0, "device"), "2 devices");
	assert_int_equal(feed_u64(&f, "device_memory", 0, "nvml_bytes"), 420 * MIB);
	assert_int_equal(feed_u64(&f, "device_memory", 0, "most_bytes"), 720 * MIB);
	assert_int_equal(feed_u64(&f, "device_memory", 0, "traced_bytes"), 100 * MIB);
	assert_int_equal(feed_u64(&f, "device_memory", 0, "unexplained_bytes"), 320 * MIB);
	assert_string_equal(feed_str(&f, "device_memory", 1, "device"), "GPU 1");
	assert_int_equal(feed_u64(&f, "device_memory", 1, "traced_bytes"), XPT_ABSENT);
	assert_int_equal(feed_u64(&f, "device_memory", 1, "unexplained_bytes"), XPT_ABSENT);
}

static void test_no_devices(void **state)
{
	static struct xpt_fn alloc;
	static struct xpt_proc train;

	(void)state;
	alloc = FEED_FN("cuMemAlloc_v2", ALLOC, DEVICE, XPT_ROLE_ADDR, XPT_ROLE_SIZE);
	train = feed_proc(123, "train");
	feed_call(&f, .fn = &alloc, .proc = &train, .at = 1, .took = 1, .val = { 0x1000, MIB });
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "device_memory"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_gpu, setup, teardown),
		cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_states, setup, teardown),
		cmocka_unit_test_setup_teardown(test_findings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unexplained, setup_memory, teardown),
		cmocka_unit_test_setup_teardown(test_no_devices, setup_memory, teardown),
	};

	return cmocka_run_group_tests_name("analyze_devices", tests, NULL, NULL);
}
