/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * metrics_compat.c: what is added to the page under the names of DCGM, OpenTelemetry and OBI, to the letter; nothing
 * without being asked, nothing that is not known.
 */
#include "metrics/metrics.h"
#include "model/device.h"
#include "model/kernel/xid_table.h"
#include "unit/feed.h"

static const struct xpt_device gpu = { .id = 1, .kind = XPT_DEVICE_GPU, .index = 0, .minor = 3, .name = "NVIDIA H100",
				       .uuid = "GPU-1", .address = "00000000:3B:00.0", .detail = "" };
static const struct xpt_device second = { .id = 2, .kind = XPT_DEVICE_GPU, .index = 1, .minor = XPT_NO_MINOR,
					  .name = "", .uuid = "GPU-2", .address = "", .detail = "" };
static const struct xpt_device mig = { .id = 3, .kind = XPT_DEVICE_MIG, .parent = &gpu, .minor = XPT_NO_MINOR,
				       .name = "MIG 1g", .uuid = "MIG-1", .address = "", .detail = "" };
static struct xpt_fn launch, alloc, create, create_flags, driver_launch, namesake;
static struct xpt_proc train, twin, serve;
static struct xpt_metrics *m;
static struct xpt_strbuf page;

struct sink_state {
	void *m;
};
static struct sink_state sink;

static struct xpt_fn fn_of(const char *name, const char *domain)
{
	struct xpt_fn fn = FEED_FN("", LAUNCH, NONE, XPT_ROLE_SIZE);

	fn.name = name;
	fn.domain_name = domain;
	return fn;
}

static int setup(void **state)
{
	const struct xpt_sink_cfg none = { .ctx = NULL };
	struct xpt_sink_cfg cfg = none;

	(void)state;
	launch = fn_of("cudaLaunchKernel", "cudart");
	alloc = fn_of("cudaMalloc", "cudart");
	create = fn_of("cudaStreamCreate", "cudart");
	create_flags = fn_of("cudaStreamCreateWithFlags", "cudart");
	driver_launch = fn_of("cuLaunchKernel", "cuda");
	namesake = fn_of("cudaLaunchKernel", "probe");
	train = feed_proc(123, "train");
	twin = feed_proc(124, "train");
	twin.uid = 1000;
	serve = feed_proc(125, "serve");
	if (xpt_metrics__new(&m))
		return -1;
	cfg.ctx = m;
	xpt_strbuf__init(&page, XPT_METRICS_BYTES);
	return xpt_metrics_sink.open(&sink, &cfg);
}

static int teardown(void **state)
{
	(void)state;
	xpt_metrics__free(m);
	xpt_strbuf__free(&page);
	return 0;
}

static void read_part(const struct xpt_device *d, unsigned metric, uint16_t part, uint32_t pid, uint64_t value)
{
	const struct xpt_reading r = { d, xpt_metric__find(metric), part, pid, NULL, value };
	struct xpt_event ev = { .kind = XPT_EV_READING, .ts_ns = SEC };

	assert_non_null(r.metric);
	ev.u.reading = &r;
	xpt_metrics_sink.event(&sink, &ev);
}

static void read_gpu(unsigned metric, uint64_t value)
{
	read_part(&gpu, metric, XPT_PART_NONE, 0, value);
}

static void count(const struct xpt_fn *fn, const struct xpt_proc *proc, uint64_t calls, uint64_t bytes)
{
	const struct xpt_wire_count n = { .calls = calls, .bytes = bytes };
	struct xpt_event ev = { .kind = XPT_EV_COUNTER_NOW, .ts_ns = SEC };

	ev.u.counter.fn = fn;
	ev.u.counter.proc = proc;
	ev.u.counter.dir = XPT_DIR_NONE;
	ev.u.counter.count = &n;
	xpt_metrics_sink.event(&sink, &ev);
}

static void report_xid(uint32_t number, const char *device)
{
	const struct xpt_rec_xid rec = { .xid = number };
	struct xpt_xid xid = { .rec = &rec, .device = device, .text = "" };
	struct xpt_event ev = { .kind = XPT_EV_XID, .ts_ns = SEC };

	xid.info = xpt_xid__info(number);
	ev.u.xid = &xid;
	xpt_metrics_sink.event(&sink, &ev);
}

static const char *print(void)
{
	static const struct xpt_metrics_self self = { .version = "1.0", .kernel = "6.1", .host = "node \"1\"" };

	xpt_strbuf__reset(&page);
	assert_int_equal(xpt_metrics__print(m, &self, &page), 0);
	return xpt_strbuf__str(&page);
}

/* What names of others add to the page: its lines without those that are there anyway. */
static const char *added(unsigned compat)
{
	static char before[1 << 16];
	const char *all;

	xpt_metrics__set_compat(m, 0);
	assert_true(strlen(print()) < sizeof(before));
	snprintf(before, sizeof(before), "%s", xpt_strbuf__str(&page));
	xpt_metrics__set_compat(m, compat);
	all = print();
	assert_memory_equal(all, before, strlen(before));
	return all + strlen(before);
}

/* A family with one line. */
#define FAMILY(name, type, help, labels, value) \
	"# HELP " name " " help "\n# TYPE " name " " type "\n" name "{" labels "} " value "\n"
#define DCGM_LABELS "gpu=\"0\",UUID=\"GPU-1\",pci_bus_id=\"00000000:3B:00.0\",device=\"nvidia3\"," \
	"modelName=\"NVIDIA H100\",Hostname=\"node \\\"1\\\"\""
#define DCGM(name, type, help, value) FAMILY("DCGM_FI_" name, type, help, DCGM_LABELS, value)

static void test_dcgm(void **state)
{
	(void)state;
	read_gpu(XPT_METRIC_GPU_CLOCK_SM, UINT64_C(1980000000));
	read_gpu(XPT_METRIC_GPU_TEMPERATURE, 45);
	read_gpu(XPT_METRIC_GPU_POWER, 68244);
	read_gpu(XPT_METRIC_GPU_ENERGY, UINT64_C(15152422938));
	read_gpu(XPT_METRIC_GPU_UTILIZATION, 9100);
	read_gpu(XPT_METRIC_GPU_MEMORY_USED, (UINT64_C(4210) << 20) + 1000);
	read_gpu(XPT_METRIC_GPU_ROWS_FAILURE, 0);
	read_gpu(XPT_METRIC_GPU_GPM_SM, 1234);
	read_part(&gpu, XPT_METRIC_GPU_NVLINK_REPLAYS, 0, 0, 3);
	read_part(&gpu, XPT_METRIC_GPU_NVLINK_REPLAYS, 1, 0, 4);
	read_part(&gpu, XPT_METRIC_GPU_PROCESS_MEMORY, XPT_PART_NONE, 123, 4096);
	read_part(&mig, XPT_METRIC_GPU_MEMORY_USED, XPT_PART_NONE, 0, 4096);	/* has labels of its own in DCGM */
	assert_string_equal(added(XPT_METRICS_DCGM),
		DCGM("DEV_SM_CLOCK", "gauge", "SM clock frequency (in MHz)", "1980")
		DCGM("DEV_GPU_TEMP", "gauge", "GPU temperature (in C)", "45")
		DCGM("DEV_POWER_USAGE", "gauge", "Power draw (in W)", "68.244")
		DCGM("DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Energy since the driver was loaded (in mJ)", "15152422938")
		DCGM("DEV_GPU_UTIL", "gauge", "GPU utilization (in %)", "91")
		DCGM("DEV_FB_USED", "gauge", "Framebuffer memory used (in MiB)", "4210")
		DCGM("DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "counter", "NVLink transmissions that were repeated", "7")
		DCGM("DEV_ROW_REMAP_FAILURE", "gauge", "Whether remapping of rows has failed", "0")
		DCGM("PROF_SM_ACTIVE", "gauge", "Share of multiprocessors that were busy", "0.1234"));
}

/* The last one, by the order in which they came; its GPU need not be read any more. */
static void test_dcgm_last_xid(void **state)
{
	struct xpt_event tick = { .kind = XPT_EV_TICK, .ts_ns = 100 * SEC };

	(void)state;
	read_gpu(XPT_METRIC_GPU_UP, 1);
	read_part(&second, XPT_METRIC_GPU_UP, XPT_PART_NONE, 0, 1);
	assert_string_equal(added(XPT_METRICS_DCGM), "");
	report_xid(79, "0000:3b:00");
	report_xid(31, "0000:3b:00");
	report_xid(74, "0000:4c:00");	/* a GPU that NVML does not list */
	assert_string_equal(added(XPT_METRICS_DCGM), DCGM("DEV_XID_ERRORS", "gauge", "The last Xid", "31"));
	report_xid(79, "0000:3b:00");
	xpt_metrics_sink.event(&sink, &tick);
	assert_string_equal(added(XPT_METRICS_DCGM), DCGM("DEV_XID_ERRORS", "gauge", "The last Xid", "79"));
}

static void test_dcgm_unknown(void **state)
{
	(void)state;
	read_part(&second, XPT_METRIC_GPU_TEMPERATURE, XPT_PART_NONE, 0, 50);
	assert_string_equal(added(XPT_METRICS_DCGM),
		FAMILY("DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (in C)",
		       "gpu=\"1\",UUID=\"GPU-2\",pci_bus_id=\"\",device=\"\",modelName=\"\",Hostname=\"node \\\"1\\\"\"", "50"));
}

#define OTEL_LABELS "hw_id=\"GPU-1\",hw_type=\"gpu\",hw_name=\"GPU 0\",hw_model=\"NVIDIA H100\",hw_vendor=\"NVIDIA\""
#define OTEL(name, type, help, value) FAMILY(name, type, help, OTEL_LABELS, value)

static void test_otel(void **state)
{
	(void)state;
	read_gpu(XPT_METRIC_GPU_UP, 1);
	read_gpu(XPT_METRIC_GPU_POWER, 300000);
	read_gpu(XPT_METRIC_GPU_ENERGY, 1500);
	read_gpu(XPT_METRIC_GPU_ECC_CORRECTED, 5);
	read_gpu(XPT_METRIC_GPU_ECC_UNCORRECTED, 1);
	read_gpu(XPT_METRIC_GPU_MEMORY_TOTAL, UINT64_C(80) << 30);
	read_gpu(XPT_METRIC_GPU_MEMORY_USED, UINT64_C(20) << 30);
	read_gpu(XPT_METRIC_GPU_UTILIZATION, 9100);
	read_gpu(XPT_METRIC_GPU_DECODER, 700);
	assert_string_equal(added(XPT_METRICS_OTEL),
		OTEL("hw_energy_joules_total", "counter", "Energy consumed by the component", "1.500")
		OTEL("hw_power_watts", "gauge", "Power consumed by the component", "300.000")
		FAMILY("hw_errors_total", "counter", "Errors encountered by the component",
		       OTEL_LABELS ",error_type=\"corrected\"", "5")
		"hw_errors_total{" OTEL_LABELS ",error_type=\"uncorrected\"} 1\n"
		OTEL("hw_gpu_memory_limit_bytes", "gauge", "Size of the GPU's memory", "85899345920")
		OTEL("hw_gpu_memory_usage_bytes", "gauge", "Memory of the GPU that is used", "21474836480")
		OTEL("hw_gpu_memory_utilization_ratio", "gauge", "Share of the GPU's memory that is used", "0.2500")
		FAMILY("hw_gpu_utilization_ratio", "gauge", "Share of time spent in a task",
		       OTEL_LABELS ",hw_gpu_task=\"decoder\"", "0.0700")
		"hw_gpu_utilization_ratio{" OTEL_LABELS ",hw_gpu_task=\"general\"} 0.9100\n"
		FAMILY("hw_status", "gauge", "Whether the component is in the state",
		       OTEL_LABELS ",hw_state=\"failed\"", "0")
		"hw_status{" OTEL_LABELS ",hw_state=\"ok\"} 1\n");
}

/* No share of a memory whose size is not known, or is said to be less than what is used. */
static void test_otel_share(void **state)
{
	(void)state;
	read_gpu(XPT_METRIC_GPU_MEMORY_USED, 100);
	assert_string_equal(added(XPT_METRICS_OTEL), OTEL("hw_gpu_memory_usage_bytes", "gauge",
							  "Memory of the GPU that is used", "100"));
	read_gpu(XPT_METRIC_GPU_MEMORY_TOTAL, 0);
	assert_null(strstr(added(XPT_METRICS_OTEL), "hw_gpu_memory_utilization_ratio"));
	read_gpu(XPT_METRIC_GPU_MEMORY_TOTAL, 99);
	assert_null(strstr(added(XPT_METRICS_OTEL), "hw_gpu_memory_utilization_ratio"));
	read_gpu(XPT_METRIC_GPU_MEMORY_USED, UINT64_MAX);
	read_gpu(XPT_METRIC_GPU_MEMORY_TOTAL, UINT64_MAX);
	assert_non_null(strstr(added(XPT_METRICS_OTEL), "hw_gpu_memory_utilization_ratio{" OTEL_LABELS "} 1.0000\n"));
}

/* Of one name all processes together; calls of the driver that the runtime makes are not counted again. */
static void test_obi(void **state)
{
	(void)state;
	count(&launch, &train, 40, 0);
	count(&launch, &twin, 2, 0);
	count(&launch, &serve, 7, 0);
	count(&driver_launch, &train, 42, 0);
	count(&namesake, &train, 1000, 0);	/* of another library */
	count(&alloc, &train, 3, 4096);
	count(&create, &train, 1, 0);
	count(&create_flags, &train, 4, 0);
#define OBI(process) "service_name=\"" process "\",host_name=\"node \\\"1\\\"\""
	assert_string_equal(added(XPT_METRICS_OBI),
		FAMILY("gpu_cuda_kernel_launch_calls_total", "counter", "Kernels launched", OBI("serve"), "7")
		"gpu_cuda_kernel_launch_calls_total{" OBI("train") "} 42\n"
		FAMILY("gpu_cuda_memory_allocations_bytes_total", "counter", "Device memory allocated", OBI("train"), "4096")
		FAMILY("gpu_cuda_stream_create_calls_total", "counter", "Streams created", OBI("train"), "5"));
}

static void test_several(void **state)
{
	const char *both;

	(void)state;
	read_gpu(XPT_METRIC_GPU_POWER, 1000);
	count(&launch, &train, 1, 0);
	both = added(XPT_METRICS_DCGM | XPT_METRICS_OBI);
	assert_non_null(strstr(both, "DCGM_FI_DEV_POWER_USAGE{"));
	assert_non_null(strstr(both, "gpu_cuda_kernel_launch_calls_total{"));
	assert_null(strstr(both, "hw_"));
	assert_string_equal(added(0), "");
}

static void test_names(void **state)
{
	(void)state;
	assert_int_equal(xpt_metrics_compat("dcgm"), XPT_METRICS_DCGM);
	assert_int_equal(xpt_metrics_compat("otel"), XPT_METRICS_OTEL);
	assert_int_equal(xpt_metrics_compat("obi"), XPT_METRICS_OBI);
	assert_int_equal(xpt_metrics_compat("DCGM"), 0);
	assert_int_equal(xpt_metrics_compat(""), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_dcgm), TEST(test_dcgm_last_xid), TEST(test_dcgm_unknown), TEST(test_otel), TEST(test_otel_share),
		TEST(test_obi), TEST(test_several), TEST(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
