// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ports of RDMA devices, see rdma_ports.h. Each file is read by itself, and one that is missing,
 * holds "N/A" or gives an error is left out: drivers differ in their files. Files and their
 * meaning: Documentation/ABI/stable/sysfs-class-infiniband, and mlx5's counters.
 */
#include "devices/rdma_ports.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "devices/sysfs.h"
#include "devices/values.h"

struct counter {
	const char *file;	/* below the folder of the port */
	uint16_t metric;
	uint16_t factor;	/* data is counted in words of four bytes (IBTA, PortXmitData) */
};

static const struct counter counters[] = {
	{ "counters/link_downed", XPT_METRIC_RDMA_LINK_DOWNED, 1 },
	{ "counters/link_error_recovery", XPT_METRIC_RDMA_LINK_ERROR_RECOVERY, 1 },
	{ "counters/excessive_buffer_overrun_errors", XPT_METRIC_RDMA_EXCESSIVE_OVERRUN, 1 },
	{ "counters/local_link_integrity_errors", XPT_METRIC_RDMA_LOCAL_INTEGRITY, 1 },
	{ "counters/multicast_rcv_packets", XPT_METRIC_RDMA_MULTICAST_RECEIVED, 1 },
	{ "counters/multicast_xmit_packets", XPT_METRIC_RDMA_MULTICAST_SENT, 1 },
	{ "counters/port_rcv_constraint_errors", XPT_METRIC_RDMA_CONSTRAINT_RECEIVED, 1 },
	{ "counters/port_xmit_constraint_errors", XPT_METRIC_RDMA_CONSTRAINT_SENT, 1 },
	{ "counters/port_rcv_data", XPT_METRIC_RDMA_DATA_RECEIVED, 4 },
	{ "counters/port_xmit_data", XPT_METRIC_RDMA_DATA_SENT, 4 },
	{ "counters/port_rcv_discards", XPT_METRIC_RDMA_DISCARDS_RECEIVED, 1 },
	{ "counters/port_xmit_discards", XPT_METRIC_RDMA_DISCARDS_SENT, 1 },
	{ "counters/port_rcv_errors", XPT_METRIC_RDMA_ERRORS_RECEIVED, 1 },
	{ "counters/port_rcv_packets", XPT_METRIC_RDMA_PACKETS_RECEIVED, 1 },
	{ "counters/port_xmit_packets", XPT_METRIC_RDMA_PACKETS_SENT, 1 },
	{ "counters/port_xmit_wait", XPT_METRIC_RDMA_TRANSMIT_WAIT, 1 },
	{ "counters/unicast_rcv_packets", XPT_METRIC_RDMA_UNICAST_RECEIVED, 1 },
	{ "counters/unicast_xmit_packets", XPT_METRIC_RDMA_UNICAST_SENT, 1 },
	{ "counters/port_rcv_remote_physical_errors", XPT_METRIC_RDMA_REMOTE_PHYSICAL, 1 },
	{ "counters/port_rcv_switch_relay_errors", XPT_METRIC_RDMA_SWITCH_RELAY, 1 },
	{ "counters/symbol_error", XPT_METRIC_RDMA_SYMBOL, 1 },
	{ "counters/VL15_dropped", XPT_METRIC_RDMA_VL15_DROPPED, 1 },
	{ "hw_counters/link_downed", XPT_METRIC_RDMA_LINK_DOWNED, 1 },	/* rxe; Linux 7.2 has it in "counters", too */
	{ "hw_counters/duplicate_request", XPT_METRIC_RDMA_DUPLICATE_REQUEST, 1 },
	{ "hw_counters/implied_nak_seq_err", XPT_METRIC_RDMA_IMPLIED_NAK, 1 },
	{ "hw_counters/local_ack_timeout_err", XPT_METRIC_RDMA_ACK_TIMEOUT, 1 },
	{ "hw_counters/np_cnp_sent", XPT_METRIC_RDMA_CNP_SENT, 1 },
	{ "hw_counters/np_ecn_marked_roce_packets", XPT_METRIC_RDMA_ECN_MARKED, 1 },
	{ "hw_counters/out_of_buffer", XPT_METRIC_RDMA_OUT_OF_BUFFER, 1 },
	{ "hw_counters/out_of_sequence", XPT_METRIC_RDMA_OUT_OF_SEQUENCE, 1 },
	{ "hw_counters/packet_seq_err", XPT_METRIC_RDMA_PACKET_SEQUENCE, 1 },
	{ "hw_counters/req_cqe_error", XPT_METRIC_RDMA_REQ_CQE_ERROR, 1 },
	{ "hw_counters/req_cqe_flush_error", XPT_METRIC_RDMA_REQ_CQE_FLUSH, 1 },
	{ "hw_counters/req_remote_access_errors", XPT_METRIC_RDMA_REQ_ACCESS, 1 },
	{ "hw_counters/req_remote_invalid_request", XPT_METRIC_RDMA_REQ_INVALID, 1 },
	{ "hw_counters/resp_cqe_error", XPT_METRIC_RDMA_RESP_CQE_ERROR, 1 },
	{ "hw_counters/resp_cqe_flush_error", XPT_METRIC_RDMA_RESP_CQE_FLUSH, 1 },
	{ "hw_counters/resp_local_length_error", XPT_METRIC_RDMA_RESP_LENGTH, 1 },
	{ "hw_counters/resp_remote_access_errors", XPT_METRIC_RDMA_RESP_ACCESS, 1 },
	{ "hw_counters/rnr_nak_retry_err", XPT_METRIC_RDMA_RNR_NAK, 1 },
	{ "hw_counters/roce_adp_retrans", XPT_METRIC_RDMA_ADP_RETRANSMITS, 1 },
	{ "hw_counters/roce_adp_retrans_to", XPT_METRIC_RDMA_ADP_TIMEOUTS, 1 },
	{ "hw_counters/roce_slow_restart", XPT_METRIC_RDMA_SLOW_RESTART_USED, 1 },
	{ "hw_counters/roce_slow_restart_cnps", XPT_METRIC_RDMA_SLOW_RESTART_CNPS, 1 },
	{ "hw_counters/roce_slow_restart_trans", XPT_METRIC_RDMA_SLOW_RESTART, 1 },
	{ "hw_counters/rp_cnp_handled", XPT_METRIC_RDMA_CNP_HANDLED, 1 },
	{ "hw_counters/rp_cnp_ignored", XPT_METRIC_RDMA_CNP_IGNORED, 1 },
	{ "hw_counters/rx_atomic_requests", XPT_METRIC_RDMA_ATOMIC_REQUESTS, 1 },
	{ "hw_counters/rx_dct_connect", XPT_METRIC_RDMA_DCT_CONNECTS, 1 },
	{ "hw_counters/rx_read_requests", XPT_METRIC_RDMA_READ_REQUESTS, 1 },
	{ "hw_counters/rx_write_requests", XPT_METRIC_RDMA_WRITE_REQUESTS, 1 },
	{ "hw_counters/rx_icrc_encapsulated", XPT_METRIC_RDMA_ICRC_ERRORS, 1 },
};

#define NR_COUNTERS (sizeof(counters) / sizeof(counters[0]))

const char *xpt_rdma_ports__counter(uint16_t metric)
{
	for (size_t i = 0; i < NR_COUNTERS; i++)
		if (counters[i].metric == metric)
			return strchr(counters[i].file, '/') + 1;
	return NULL;
}

static void add_value(struct xpt_values *v, uint16_t metric, uint16_t port, uint64_t value)
{
	xpt_values__add_full(v, metric, port, 0, value);
}

/* Reads "4: ACTIVE". */
static void read_state(struct xpt_values *v, int dir, const char *file, uint16_t metric, uint16_t port)
{
	char text[XPT_SYSFS_TEXT];
	uint64_t id;

	if (xpt_sysfs__text(dir, file, text, sizeof(text)) <= 0)
		return;
	text[strcspn(text, ":")] = '\0';
	if (!xpt_parse_u64(text, 0, 255, &id))
		add_value(v, metric, port, id);
}

/* Reads "100 Gb/sec (4X EDR)" or "2.5 Gb/sec (1X SDR)". */
static void read_rate(struct xpt_values *v, int dir, uint16_t port)
{
	unsigned whole = 0, tenth = 0;
	char text[XPT_SYSFS_TEXT], unit[8] = "";

	if (xpt_sysfs__text(dir, "rate", text, sizeof(text)) <= 0)
		return;
	if (sscanf(text, "%7u.%1u %7s", &whole, &tenth, unit) != 3) {
		tenth = 0;
		if (sscanf(text, "%7u %7s", &whole, unit) != 2)
			return;
	}
	if (!strcmp(unit, "Gb/sec"))
		add_value(v, XPT_METRIC_RDMA_RATE, port, (whole * 10ull + tenth) * 12500000);
}

/* Some drivers have one counter in two folders; the first file in the table that can be read has it. */
static void read_counters(struct xpt_values *v, int dir, uint16_t port)
{
	bool is_read[NR_COUNTERS] = { false };
	uint64_t value;

	for (size_t i = 0; i < NR_COUNTERS; i++) {
		size_t k = 0;

		while (k < i && !(is_read[k] && counters[k].metric == counters[i].metric))
			k++;
		is_read[i] = k == i && xpt_sysfs__number(dir, counters[i].file, &value);
		if (is_read[i])
			add_value(v, counters[i].metric, port, value * counters[i].factor);
	}
}

static void read_port(struct xpt_values *v, int dir, uint16_t port)
{
	uint64_t value;

	read_state(v, dir, "state", XPT_METRIC_RDMA_STATE, port);
	read_state(v, dir, "phys_state", XPT_METRIC_RDMA_PHYSICAL_STATE, port);
	read_rate(v, dir, port);
	if (xpt_sysfs__number(dir, "hw_counters/lifespan", &value))
		add_value(v, XPT_METRIC_RDMA_LIFESPAN, port, value);
	read_counters(v, dir, port);
}

/* Counters that drivers keep by device lie beside the folder of ports. */
static void read_device_counters(struct xpt_values *v, int dir)
{
	uint64_t value;

	for (size_t i = 0; i < NR_COUNTERS; i++) {
		if (!strncmp(counters[i].file, "hw_counters/", 12) && xpt_sysfs__number(dir, counters[i].file, &value))
			add_value(v, counters[i].metric, XPT_PART_NONE, value);
	}
}

static void read_ports(struct xpt_values *v, int dir, uint64_t *left_out)
{
	char names[XPT_RDMA_PORTS_MAX][XPT_SYSFS_NAME];
	int nr = xpt_sysfs__list(dir, "ports", names, XPT_RDMA_PORTS_MAX, left_out);

	for (int i = 0; i < nr; i++) {
		char path[16 + XPT_SYSFS_NAME];
		uint64_t port;
		int fd;

		if (xpt_parse_u64(names[i], 0, 255, &port))
			continue;
		snprintf(path, sizeof(path), "ports/%.63s", names[i]);
		fd = xpt_sysfs__folder(dir, path);
		if (fd < 0)
			continue;
		read_port(v, fd, (uint16_t)port);
		close(fd);
	}
}

/* The folder "device" is a link to that of the PCI function. */
static void describe_port(int dir, const char *name, uint32_t index, struct xpt_device_info *info)
{
	char board[64], firmware[64], target[256];
	ssize_t n = readlinkat(dir, "device", target, sizeof(target) - 1);
	const char *last;

	xpt_device_info__init(info, XPT_DEVICE_RDMA, index);
	snprintf(info->name, sizeof(info->name), "%s", name);
	xpt_sysfs__text(dir, "node_guid", info->uuid, sizeof(info->uuid));
	if (n > 0) {
		target[n] = '\0';
		last = strrchr(target, '/');
		snprintf(info->address, sizeof(info->address), "%.63s", last ? last + 1 : target);
	}
	xpt_sysfs__text(dir, "board_id", board, sizeof(board));
	xpt_sysfs__text(dir, "fw_ver", firmware, sizeof(firmware));
	xpt_sysfs__join(info->detail, sizeof(info->detail), "", board);
	xpt_sysfs__join(info->detail, sizeof(info->detail), "firmware ", firmware);
	info->numa_node = xpt_sysfs__numa_node(dir, "device/numa_node");
}

void xpt_rdma_ports__read(const char *root, uint32_t first, const struct xpt_device_sink *sink, uint64_t *left_out)
{
	static char names[XPT_RDMA_DEVICES_MAX][XPT_SYSFS_NAME];
	struct xpt_values v = { .sink = sink };
	struct xpt_device_info info;
	char path[512];
	int nr, class;

	snprintf(path, sizeof(path), "%s/class/infiniband", root);
	class = xpt_sysfs__folder(AT_FDCWD, path);
	if (class < 0)
		return;
	nr = xpt_sysfs__list(class, ".", names, XPT_RDMA_DEVICES_MAX, left_out);
	for (int i = 0; i < nr; i++) {
		int dir = xpt_sysfs__folder(class, names[i]);

		if (dir < 0)
			continue;
		describe_port(dir, names[i], (uint32_t)i, &info);
		sink->device(sink->ctx, first + (uint32_t)i, &info);
		xpt_values__begin(&v, first + (uint32_t)i);
		read_device_counters(&v, dir);
		read_ports(&v, dir, left_out);
		xpt_values__flush(&v);
		close(dir);
	}
	close(class);
}
