/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * devices/rdma_ports.h and devices/nvme.h on folders that look like sysfs: values and their units,
 * odd files, drivers that lack half of it, limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>
#include "devices/nvme.h"
#include "devices/rdma_ports.h"
#include "unit/devices/readings.h"

static char root[] = "/tmp/xpt-sysfs.XXXXXX";
static uint64_t left_out;

/* Writes a file below root, and the folders above it. */
static void put(const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int make_root(void **state)
{
	(void)state;
	return !mkdtemp(root);
}

static int remove_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

#define PORT "class/infiniband/mlx5_0/ports/1/"

static void put_ports(void)
{
	put("class/infiniband/mlx5_0/node_guid", "0c42:a103:0065:1234\n");
	put("class/infiniband/mlx5_0/fw_ver", "28.39.1002\n");
	put("class/infiniband/mlx5_0/board_id", "MT_0000000838\n");
	put("class/infiniband/mlx5_0/device/numa_node", "1\n");
	put(PORT "state", "4: ACTIVE\n");
	put(PORT "phys_state", "5: LinkUp\n");
	put(PORT "rate", "400 Gb/sec (4X NDR)\n");
	put(PORT "counters/port_rcv_data", "1000\n");
	put(PORT "counters/link_downed", "3\n");
	put(PORT "counters/symbol_error", "N/A (no PMA)\n");
	put(PORT "counters/VL15_dropped", "");
	put(PORT "hw_counters/link_downed", "3\n");	/* the same counter once more, as rxe of Linux 7.2 has it */
	put(PORT "hw_counters/lifespan", "10\n");
	put(PORT "hw_counters/np_cnp_sent", "42\n");
	put(PORT "hw_counters/out_of_sequence", "18446744073709551616\n");	/* 2^64 */
	put("class/infiniband/mlx5_0/ports/x/state", "4: ACTIVE\n");
	/* As irdma: no counters; rates with a fraction; counters of the device. */
	put("class/infiniband/irdma0/ports/1/state", "1: DOWN\n");
	put("class/infiniband/irdma0/ports/1/rate", "2.5 Gb/sec (1X SDR)\n");
	put("class/infiniband/irdma0/hw_counters/rx_read_requests", "7\n");
	/* As nobody: nothing but garbage. */
	put("class/infiniband/odd/ports/1/state", "ACTIVE\n");
	put("class/infiniband/odd/ports/1/rate", "fast\n");
	put("class/infiniband/odd/ports/1/counters/link_downed", "-1\n");
}

static uint64_t port(uint32_t slot, uint16_t metric)
{
	return value_of(slot, metric, 1, 0);
}

static unsigned count_readings(uint32_t slot, uint16_t metric)
{
	unsigned n = 0;

	for (size_t i = 0; i < readings.nr; i++)
		n += readings.at[i].slot == slot && readings.at[i].value.metric == metric;
	return n;
}

static void test_rdma(void **state)
{
	(void)state;
	put_ports();
	memset(&readings, 0, sizeof(readings));
	left_out = 0;
	xpt_rdma_ports__read(root, 10, &keep, &left_out);
	/* By name: irdma0, mlx5_0, odd. */
	assert_string_equal(readings.device[11].name, "mlx5_0");
	assert_string_equal(readings.device[11].uuid, "0c42:a103:0065:1234");
	assert_string_equal(readings.device[11].detail, "MT_0000000838, firmware 28.39.1002");
	assert_int_equal(readings.device[11].numa_node, 1);
	assert_int_equal(port(11, XPT_METRIC_RDMA_STATE), 4);
	assert_int_equal(port(11, XPT_METRIC_RDMA_PHYSICAL_STATE), 5);
	assert_int_equal(port(11, XPT_METRIC_RDMA_RATE), 50000000000ull);
	assert_int_equal(port(11, XPT_METRIC_RDMA_DATA_RECEIVED), 4000);
	assert_int_equal(port(11, XPT_METRIC_RDMA_LINK_DOWNED), 3);
	assert_int_equal(count_readings(11, XPT_METRIC_RDMA_LINK_DOWNED), 1);
	assert_int_equal(port(11, XPT_METRIC_RDMA_SYMBOL), XPT_UNKNOWN);
	assert_int_equal(port(11, XPT_METRIC_RDMA_VL15_DROPPED), XPT_UNKNOWN);
	assert_int_equal(port(11, XPT_METRIC_RDMA_OUT_OF_SEQUENCE), XPT_UNKNOWN);
	assert_int_equal(port(11, XPT_METRIC_RDMA_CNP_SENT), 42);
	assert_int_equal(port(11, XPT_METRIC_RDMA_LIFESPAN), 10);
	assert_int_equal(port(10, XPT_METRIC_RDMA_STATE), 1);
	assert_int_equal(port(10, XPT_METRIC_RDMA_RATE), 312500000);
	assert_int_equal(value_of_device(10, XPT_METRIC_RDMA_READ_REQUESTS), 7);
	assert_true(readings.is_known[12]);
	assert_int_equal(port(12, XPT_METRIC_RDMA_STATE), XPT_UNKNOWN);
	assert_int_equal(port(12, XPT_METRIC_RDMA_LINK_DOWNED), XPT_UNKNOWN);
	assert_int_equal(left_out, 0);
}

static void test_rdma_limits(void **state)
{
	char path[96];

	(void)state;
	for (int i = 0; i < XPT_RDMA_PORTS_MAX + 5; i++) {
		snprintf(path, sizeof(path), "class/infiniband/zz/ports/%d/state", i + 1);
		put(path, "4: ACTIVE\n");
	}
	for (int i = 0; i < XPT_RDMA_DEVICES_MAX; i++) {
		snprintf(path, sizeof(path), "class/infiniband/a%03d/fw_ver", i);
		put(path, "1\n");
	}
	memset(&readings, 0, sizeof(readings));
	left_out = 0;
	xpt_rdma_ports__read(root, 0, &keep, &left_out);
	assert_in_range(left_out, 4, 4 + 5);	/* four devices, of which one may be that with too many ports */
}

static void test_nvme(void **state)
{
	const uint32_t first_subsystem = 20 + XPT_NVME_MAX;

	(void)state;
	put("class/nvme/nvme0/state", "live\n");
	put("class/nvme/nvme0/model", "FAKE SSD 1000                           \n");
	put("class/nvme/nvme0/serial", "S123  \n");
	put("class/nvme/nvme0/firmware_rev", "1.0\n");
	put("class/nvme/nvme0/transport", "pcie\n");
	put("class/nvme/nvme0/address", "0000:01:00.0\n");
	put("class/nvme/nvme1/state", "deleting (no IO)\n");
	put("class/nvme/nvme2/state", "melting\n");
	put("class/nvme-subsystem/nvme-subsys0/subsysnqn", "nqn.2014-08.org.example:1\n");
	put("class/nvme-subsystem/nvme-subsys0/iopolicy", "numa\n");
	put("class/nvme-subsystem/nvme-subsys0/nvme0/transport", "tcp\n");
	put("class/nvme-subsystem/nvme-subsys0/nvme0/state", "live\n");
	put("class/nvme-subsystem/nvme-subsys0/nvme1/transport", "tcp\n");
	put("class/nvme-subsystem/nvme-subsys0/nvme1/state", "connecting\n");
	put("class/nvme-subsystem/nvme-subsys0/nvme0n1/size", "1\n");
	memset(&readings, 0, sizeof(readings));
	left_out = 0;
	xpt_nvme__read(root, 20, &keep, &left_out);
	assert_string_equal(readings.device[20].detail, "FAKE SSD 1000, firmware 1.0, pcie");
	assert_string_equal(readings.device[20].uuid, "S123");
	assert_int_equal(value_of_device(20, XPT_METRIC_NVME_LIVE), 1);
	assert_int_equal(value_of_device(20, XPT_METRIC_NVME_DEAD), 0);
	assert_int_equal(value_of_device(21, XPT_METRIC_NVME_DELETING_NO_IO), 1);
	assert_int_equal(value_of_device(21, XPT_METRIC_NVME_DELETING), 0);
	assert_int_equal(value_of_device(22, XPT_METRIC_NVME_LIVE), 0);
	assert_string_equal(readings.device[first_subsystem].detail, "I/O policy numa");
	assert_int_equal(value_of_device(first_subsystem, XPT_METRIC_NVME_PATHS), 2);
	assert_int_equal(value_of_device(first_subsystem, XPT_METRIC_NVME_PATHS_LIVE), 1);
}

static void test_nothing(void **state)
{
	(void)state;
	memset(&readings, 0, sizeof(readings));
	xpt_rdma_ports__read("/nonexistent", 0, &keep, &left_out);
	xpt_nvme__read("/nonexistent", 0, &keep, &left_out);
	assert_int_equal(readings.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rdma),
		cmocka_unit_test(test_rdma_limits),
		cmocka_unit_test(test_nvme),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests_name("sysfs_devices", tests, make_root, remove_root);
}
