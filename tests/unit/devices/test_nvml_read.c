/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * devices/nvml_read.h with the simulated library: values and their units, what a device lacks, old
 * libraries, MIG, processes, numbers that lie, a lost GPU, a driver that goes; which files are loaded.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>
#include "devices/nvml_api.h"
#include "devices/nvml_path.h"
#include "devices/nvml_read.h"
#include "unit/devices/readings.h"

#define EACH XPT_NVML_SLOTS_EACH
#define MIB (1ull << 20)

static struct xpt_nvml *nvml;
static struct xpt_read_result result;

static void open_library(const char *path)
{
	if (access(path, R_OK))
		skip();
	assert_int_equal(xpt_nvml__new(path, &nvml), 0);
}

static int close_library(void **state)
{
	(void)state;
	xpt_nvml__free(nvml);
	nvml = NULL;
	return 0;
}

static void read_once(void)
{
	memset(&readings, 0, sizeof(readings));
	xpt_nvml__read(nvml, &keep, &result);
}

static void test_values(void **state)
{
	(void)state;
	write_script("devices 2\nvalue Temperature 1 77\n");
	open_library(FAKE_NVML);
	read_once();
	assert_int_equal(result.state, XPT_READ_OK);
	assert_int_equal(result.errors, 0);
	assert_string_equal(result.text, "driver 580.00.fake, NVML 13.580.00.fake");
	assert_string_equal(readings.device[0].name, "NVIDIA Fake 100");
	assert_string_equal(readings.device[EACH].uuid, "GPU-00000000-0000-0000-0000-000000000001");
	assert_string_equal(readings.device[0].address, "00000000:10:00.0");
	assert_int_equal(readings.device[EACH].minor, 1);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_UP), 1);
	assert_int_equal(value_of_device(EACH, XPT_METRIC_GPU_POWER), 301000);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_UTILIZATION), 5000);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_MEMORY_USED), 1000 * MIB);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_MEMORY_RESERVED), 600 * MIB);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_CLOCK_SM), 1001000000);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_TEMPERATURE), 60);
	assert_int_equal(value_of_device(EACH, XPT_METRIC_GPU_TEMPERATURE), 77);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_MEMORY_TEMPERATURE), 70);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_EVENT_POWER_CAP), 1);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_EVENT_IDLE), 0);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_ECC_CORRECTED_LIFE), 10);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_PCIE_SENT), 2048 * 1024);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_NVLINK_RECEIVED), 4097 * 1024);
	assert_int_equal(value_of(0, XPT_METRIC_GPU_NVLINK_ACTIVE, 3, 0), 0);
	assert_int_equal(value_of(0, XPT_METRIC_GPU_NVLINK_REPLAYS, 2, 0), 2);
	assert_int_equal(value_of(0, XPT_METRIC_GPU_NVLINK_ECC, 2, 0), XPT_UNKNOWN);
	assert_int_equal(value_of(0, XPT_METRIC_GPU_FAN, 0, 0), 3000);
	/* Rows exist, so pages do not; GPM needs a second sample. */
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_ROWS_PENDING), 0);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_PAGES_SINGLE), XPT_UNKNOWN);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_GPM_SM), XPT_UNKNOWN);
	read_once();
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_GPM_SM), 250);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_GPM_FP64), XPT_UNKNOWN);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_PCIE_WIDTH), XPT_UNKNOWN);	/* a slow one */
}

static void test_unknown(void **state)
{
	(void)state;
	write_script("devices 1\nvalue Temperature 4294967291\nvalue PerformanceState 32\nvalue PowerUsage 4294967295\n"
		     "value UtilizationRates 400\nvalue MemoryTemp 2000\nerror nvmlDeviceGetClockInfo 3\n"
		     "error nvmlDeviceGetEnforcedPowerLimit 999\nvalue MinorNumber 0\n");
	open_library(FAKE_NVML);
	read_once();
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_TEMPERATURE), XPT_UNKNOWN);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_PERFORMANCE_STATE), XPT_UNKNOWN);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_POWER), XPT_UNKNOWN);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_UTILIZATION), XPT_UNKNOWN);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_MEMORY_TEMPERATURE), XPT_UNKNOWN);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_CLOCK_SM), XPT_UNKNOWN);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_UP), 1);
	assert_int_equal(result.errors, 1);
}

static void test_old_library(void **state)
{
	(void)state;
	write_script("devices 1\nprocesses 0 2\n");
	open_library(FAKE_OLD_NVML);
	read_once();
	assert_int_equal(result.state, XPT_READ_OK);
	assert_string_equal(readings.device[0].address, "0000:10:00.0");
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_MEMORY_USED), 1000 * MIB);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_MEMORY_RESERVED), XPT_UNKNOWN);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_EVENT_POWER_CAP), 1);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_PAGES_SINGLE), 0);
	assert_int_equal(value_of(0, XPT_METRIC_GPU_PROCESS_MEMORY, XPT_PART_NONE, 1001), MIB);
	assert_int_equal(value_of(0, XPT_METRIC_GPU_PROCESS_MEMORY, XPT_PART_NONE, 1002), 2 * MIB);
}

/* A library that has a function whose struct its driver does not know. */
static void test_old_driver(void **state)
{
	(void)state;
	write_script("devices 1\nerror nvmlDeviceGetMemoryInfo_v2 25\n");
	open_library(FAKE_NVML);
	read_once();
	assert_int_equal(result.errors, 0);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_MEMORY_USED), 1000 * MIB);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_MEMORY_RESERVED), XPT_UNKNOWN);
}

static void test_mig(void **state)
{
	(void)state;
	write_script("devices 2\nmig 1 2\n");
	open_library(FAKE_NVML);
	read_once();
	assert_int_equal(value_of_device(EACH, XPT_METRIC_GPU_MIG_MODE), 1);
	assert_int_equal(value_of_device(EACH, XPT_METRIC_GPU_MIG_INSTANCES), 2);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_MIG_MODE), 0);
	assert_int_equal(readings.device[EACH + 2].kind, XPT_DEVICE_MIG);
	assert_int_equal(readings.device[EACH + 2].parent, EACH);
	assert_int_equal(readings.device[EACH + 2].index, 1);
	assert_int_equal(value_of_device(EACH + 2, XPT_METRIC_GPU_MEMORY_USED), 1000 * MIB);
	/* The GPU lists the process, too: it counts once. */
	assert_int_equal(value_of(EACH + 2, XPT_METRIC_GPU_PROCESS_MEMORY, XPT_PART_NONE, 2001), 5 * MIB);
	assert_int_equal(value_of(EACH, XPT_METRIC_GPU_PROCESS_MEMORY, XPT_PART_NONE, 2001), XPT_UNKNOWN);
	write_script("devices 2\nmig 1 1\n");
	for (int i = 0; i < XPT_NVML_SLOW_EVERY; i++)
		read_once();
	assert_true(readings.is_known[EACH + 1]);
	assert_false(readings.is_known[EACH + 2]);
}

static void test_processes(void **state)
{
	(void)state;
	write_script("devices 1\nprocesses 0 3\npid 0 4711 500\n");
	open_library(FAKE_NVML);
	read_once();
	assert_int_equal(value_of(0, XPT_METRIC_GPU_PROCESS_MEMORY, XPT_PART_NONE, 4711), 500 * MIB);
	assert_int_equal(value_of(0, XPT_METRIC_GPU_PROCESS_COMPUTE, XPT_PART_NONE, 1003), 1);
	assert_int_equal(value_of(0, XPT_METRIC_GPU_PROCESS_SM, XPT_PART_NONE, 1001), 4000);
	assert_int_equal(value_of(0, XPT_METRIC_GPU_PROCESS_SM, XPT_PART_NONE, 1002), XPT_UNKNOWN);
}

static void test_numbers_that_lie(void **state)
{
	(void)state;
	write_script("devices 1\nclaim 1000000\nprocesses 0 1\nclaim-processes 4000000\nmig 0 1\n"
		     "value MaxMigDeviceCount 60000\npid 0 4294967295 1\n");
	open_library(FAKE_NVML);
	read_once();
	assert_int_equal(result.state, XPT_READ_OK);
	assert_int_equal(value_of(0, XPT_METRIC_GPU_PROCESS_MEMORY, XPT_PART_NONE, 1001), MIB);
	/* Twice: by the GPU and by its MIG device. */
	assert_int_equal(result.left_out, 1000000 - XPT_NVML_DEVICES_MAX + 60000 - XPT_NVML_MIG_MAX +
			 2 * (4000000 - XPT_NVML_PROCESSES_MAX));
	write_script("devices 1\nprocesses 0 1500\n");
	close_library(NULL);
	open_library(FAKE_NVML);
	read_once();	/* none is written where the room is too small */
	assert_int_equal(result.left_out, 1500 - XPT_NVML_PROCESSES_MAX);
}

static void test_lost_gpu(void **state)
{
	(void)state;
	write_script("devices 3\nerror nvmlDeviceGetPowerUsage 1 15\n");
	open_library(FAKE_NVML);
	read_once();
	assert_int_equal(result.state, XPT_READ_OK);
	assert_int_equal(value_of_device(EACH, XPT_METRIC_GPU_UP), 0);
	assert_int_equal(value_of_device(EACH, XPT_METRIC_GPU_TEMPERATURE), XPT_UNKNOWN);
	assert_int_equal(value_of_device(0, XPT_METRIC_GPU_UP), 1);
	assert_int_equal(value_of_device(2 * EACH, XPT_METRIC_GPU_TEMPERATURE), 62);
	write_script("devices 3\n");
	read_once();
	assert_int_equal(value_of_device(EACH, XPT_METRIC_GPU_TEMPERATURE), 61);
	/* One that cannot even be opened. */
	write_script("devices 3\nerror nvmlDeviceGetHandleByIndex 0 15\n");
	close_library(NULL);
	open_library(FAKE_NVML);
	read_once();
	assert_false(readings.is_known[0]);
	assert_int_equal(value_of_device(EACH, XPT_METRIC_GPU_UP), 1);
}

static void test_driver_goes(void **state)
{
	(void)state;
	write_script("driver gone\n");
	open_library(FAKE_NVML);
	read_once();
	assert_int_equal(result.state, XPT_READ_NO_DRIVER);
	assert_int_equal(readings.nr, 0);
	write_script("devices 1\n");
	read_once();
	assert_int_equal(result.state, XPT_READ_OK);
	write_script("driver gone\n");
	read_once();
	assert_int_equal(result.state, XPT_READ_LOST);
	read_once();
	assert_int_equal(result.state, XPT_READ_NO_DRIVER);
	write_script("devices 1\nerror nvmlInit 18\n");
	read_once();
	assert_int_equal(result.state, XPT_READ_FAILED);
	assert_int_equal(result.code, 18);
}

static void test_no_library(void **state)
{
	struct xpt_nvml_api api;
	char why[256];

	(void)state;
	assert_int_equal(xpt_nvml_api__open("/nonexistent/libnvidia-ml.so.1", &api, why, sizeof(why)), -ELIBBAD);
	assert_non_null(strstr(why, "/nonexistent/"));
	assert_int_equal(xpt_nvml_api__open("libz.so.1", &api, why, sizeof(why)), -ELIBBAD);
	assert_string_equal(why, "libnvidia-ml.so.1 has no nvmlInit_v2");
}

static void test_who_may_change_it(void **state)
{
	char dir[] = "/tmp/xpt-nvml-path.XXXXXX", file[64], resolved[256];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/libnvidia-ml.so.1", dir);
	assert_int_equal(xpt_nvml_path__check(file, resolved, sizeof(resolved)), -ENOENT);
	f = fopen(file, "we");
	assert_non_null(f);
	fclose(f);
	/* /tmp is everybody's, whoever owns what is in it. */
	assert_int_equal(xpt_nvml_path__check(file, resolved, sizeof(resolved)), -EPERM);
	unlink(file);
	rmdir(dir);
	assert_int_equal(xpt_nvml_path__check("/etc/passwd", resolved, sizeof(resolved)), 0);
	assert_int_equal(xpt_nvml_path__check("/etc", resolved, sizeof(resolved)), -EPERM);
	assert_int_equal(xpt_nvml_path__check("/dev/null", resolved, sizeof(resolved)), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_values, close_library),
		cmocka_unit_test_teardown(test_unknown, close_library),
		cmocka_unit_test_teardown(test_old_library, close_library),
		cmocka_unit_test_teardown(test_old_driver, close_library),
		cmocka_unit_test_teardown(test_mig, close_library),
		cmocka_unit_test_teardown(test_processes, close_library),
		cmocka_unit_test_teardown(test_numbers_that_lie, close_library),
		cmocka_unit_test_teardown(test_lost_gpu, close_library),
		cmocka_unit_test_teardown(test_driver_goes, close_library),
		cmocka_unit_test(test_no_library),
		cmocka_unit_test(test_who_may_change_it),
	};

	return cmocka_run_group_tests_name("nvml_read", tests, NULL, remove_script);
}
