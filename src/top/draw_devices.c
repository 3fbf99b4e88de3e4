// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* GPUs in the panel of processes, and the panels of devices and of RDMA ports. See draw.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "model/device.h"
#include "top/draw.h"

#define GIGABIT 125000000.0

/* --- pieces --------------------------------------------------------------------------------------------- */

struct part {				/* a row: a device, or a part of one, such as a port */
	uint32_t device;
	uint16_t part;
};

/* Gets the value of a metric in its base unit. Returns false if there is no reading of it. */
static bool value_of(const struct xpt_top_draw *d, const struct part *p, unsigned metric, double *ret_v)
{
	uint64_t v;

	if (!xpt_top_rates__reading(d->r->now, p->device, metric, p->part, &v))
		return false;
	*ret_v = (double)v / (double)xpt_metric__find(metric)->scale;
	return true;
}

enum form { NUMBER, BYTES, SHARE };

static void print_value(const struct xpt_top_draw *d, const void *row, unsigned metric, enum form form, char *buf, size_t n)
{
	double v;

	if (!value_of(d, row, metric, &v))
		snprintf(buf, n, "-");
	else if (form == BYTES)
		xpt_top_fmt_bytes(v, buf, n);
	else if (form == SHARE)
		xpt_top_fmt_share(v, buf, n);
	else
		xpt_top_fmt_rate(v, buf, n);
}

#define COLUMN(name, metric, form) \
	static void name(const struct xpt_top_draw *d, const void *row, char *buf, size_t n) \
	{ \
		print_value(d, row, XPT_METRIC_##metric, form, buf, n); \
	}

static void print_label(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct part *p = row;

	if (p->part == XPT_PART_NONE)
		snprintf(buf, n, "%s", d->r->now->device[p->device].label);
	else
		snprintf(buf, n, "%s/%u", d->r->now->device[p->device].label, p->part);
}

/* Lists all devices whose bit is in `kinds`; with by_part their parts instead. The caller frees the list. */
static struct part *list_parts(const struct xpt_snapshot *s, unsigned kinds, bool by_part, uint32_t *ret_nr)
{
	struct part *list = calloc(s->nr_devices + s->nr_readings + 1ul, sizeof(*list));
	uint32_t nr = 0;

	for (uint32_t i = 0; list && !by_part && i < s->nr_devices; i++)
		if (kinds & 1u << s->device[i].kind)
			list[nr++] = (struct part){ i, XPT_PART_NONE };
	for (uint32_t i = 0; list && by_part && i < s->nr_readings; i++) {
		const struct xpt_snapshot_reading *v = &s->reading[i];

		if (!(kinds & 1u << s->device[v->device].kind) || v->part == XPT_PART_NONE || v->pid)
			continue;
		if (!nr || list[nr - 1].device != v->device || list[nr - 1].part != v->part)
			list[nr++] = (struct part){ v->device, v->part };
	}
	*ret_nr = nr;
	return list;
}

/* --- GPUs --------------------------------------------------------------------------------------------------- */

#define GPUS (1u << XPT_DEVICE_GPU | 1u << XPT_DEVICE_MIG)

COLUMN(print_used, GPU_UTILIZATION, SHARE)
COLUMN(print_memory, GPU_MEMORY_USED, BYTES)
COLUMN(print_total, GPU_MEMORY_TOTAL, BYTES)
COLUMN(print_power, GPU_POWER, NUMBER)
COLUMN(print_heat, GPU_TEMPERATURE, NUMBER)
COLUMN(print_clock, GPU_CLOCK_SM, NUMBER)
COLUMN(print_sent, GPU_PCIE_SENT, BYTES)
COLUMN(print_received, GPU_PCIE_RECEIVED, BYTES)
COLUMN(print_ecc, GPU_ECC_UNCORRECTED, NUMBER)

static void print_model(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	snprintf(buf, n, "%s", d->r->now->device[((const struct part *)row)->device].name);
}

static const struct xpt_top_column gpu_columns[] = {
	{ "DEVICE", 11, 0, true, print_label },
	{ "BUSY", 4, 0, false, print_used },
	{ "MEM", 5, 0, false, print_memory },
	{ "OF", 5, 0, false, print_total },
	{ "WATT", 5, 0, false, print_power },
	{ "TEMP", 4, 0, false, print_heat },
	{ "CLOCK", 5, 0, false, print_clock },
	{ "PCIE TX", 7, 0, false, print_sent },
	{ "RX/s", 5, 0, false, print_received },
	{ "ECC", 4, 0, false, print_ecc },
	{ "MODEL", 0, 0, true, print_model },
};

static enum xpt_top_look look_of_gpu(const struct xpt_top_draw *d, const void *row)
{
	double up, ecc;

	return (value_of(d, row, XPT_METRIC_GPU_UP, &up) && !up) ||
	       (value_of(d, row, XPT_METRIC_GPU_ECC_UNCORRECTED, &ecc) && ecc) ? XPT_TOP_ALERT : XPT_TOP_PLAIN;
}

static const struct xpt_top_table gpu_table = { gpu_columns, sizeof(gpu_columns) / sizeof(gpu_columns[0]), look_of_gpu };

/* Prints a GPU as one line in the panel of processes. */
static void draw_gpu(struct xpt_top_draw *d, const struct part *p)
{
	const struct xpt_snapshot_device *dev = &d->r->now->device[p->device];
	char busy[16] = "-", mem[16] = "-", total[16] = "-", power[16] = "-", heat[16] = "-";
	double up;

	if (value_of(d, p, XPT_METRIC_GPU_UP, &up) && !up) {
		xpt_top_draw__say(d, XPT_TOP_ALERT, "%s does not answer: it is lost or must be reset", dev->label);
		return;
	}
	print_used(d, p, busy, sizeof(busy));
	print_memory(d, p, mem, sizeof(mem));
	print_total(d, p, total, sizeof(total));
	print_power(d, p, power, sizeof(power));
	print_heat(d, p, heat, sizeof(heat));
	xpt_top_draw__say(d, look_of_gpu(d, p), "%-6s  busy %4s   mem %5s of %5s   %4s W   %3s C   %s", dev->label, busy,
			  mem, total, power, heat, dev->name);
}

void xpt_top_draw__gpus(struct xpt_top_draw *d, unsigned max)
{
	uint32_t nr;
	struct part *list = list_parts(d->r->now, 1u << XPT_DEVICE_GPU, false, &nr);
	uint32_t shown = list && nr > max ? max - 1 : nr;

	for (uint32_t i = 0; list && i < shown; i++)
		draw_gpu(d, &list[i]);
	if (list && shown < nr)
		xpt_top_draw__say(d, XPT_TOP_DIM, "and %" PRIu32 " more GPUs (d shows all)", nr - shown);
	free(list);
}

/* --- other devices --------------------------------------------------------------------------------------------- */

#define OTHERS (1u << XPT_DEVICE_NVME | 1u << XPT_DEVICE_NVME_SUBSYSTEM | 1u << XPT_DEVICE_READER)

static const char *nvme_state(const struct xpt_top_draw *d, const struct part *p)
{
	static const struct {
		unsigned metric;
		const char *name;
	} states[] = {
		{ XPT_METRIC_NVME_LIVE, "live" }, { XPT_METRIC_NVME_NEW, "new" },
		{ XPT_METRIC_NVME_RESETTING, "resetting" }, { XPT_METRIC_NVME_CONNECTING, "connecting" },
		{ XPT_METRIC_NVME_DELETING, "deleting" }, { XPT_METRIC_NVME_DELETING_NO_IO, "deleting (no IO)" },
		{ XPT_METRIC_NVME_DEAD, "dead" },
	};
	double v;

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (value_of(d, p, states[i].metric, &v) && v)
			return states[i].name;
	return "state unknown";
}

static void print_state(const struct xpt_top_draw *d, const struct part *p, char *buf, size_t n)
{
	double paths, live, seconds, v;
	char age[16];

	switch (d->r->now->device[p->device].kind) {
	case XPT_DEVICE_NVME:
		snprintf(buf, n, "%s", nvme_state(d, p));
		break;
	case XPT_DEVICE_NVME_SUBSYSTEM:
		if (value_of(d, p, XPT_METRIC_NVME_PATHS, &paths) && value_of(d, p, XPT_METRIC_NVME_PATHS_LIVE, &live))
			snprintf(buf, n, "%.0f of %.0f paths live", live, paths);
		break;
	default:
		if (value_of(d, p, XPT_METRIC_READER_UP, &v) && !v &&
		    value_of(d, p, XPT_METRIC_READER_UNANSWERED, &seconds)) {
			xpt_top_fmt_age(xpt_u64_of(seconds * 1e9), age, sizeof(age));
			snprintf(buf, n, "has not answered for %s", age);
		} else {
			snprintf(buf, n, "answers");
		}
	}
}

static void draw_other(struct xpt_top_draw *d, const struct part *p)
{
	static const char *const kinds[XPT_DEVICE__MAX] = {
		[XPT_DEVICE_NVME] = "NVMe controller", [XPT_DEVICE_NVME_SUBSYSTEM] = "NVMe subsystem",
		[XPT_DEVICE_READER] = "reader of devices",
	};
	const struct xpt_snapshot_device *dev = &d->r->now->device[p->device];
	char state[XPT_TOP_CELL] = "";

	print_state(d, p, state, sizeof(state));
	xpt_top_draw__say(d, XPT_TOP_PLAIN, "%-17s %-16s %s", kinds[dev->kind], dev->label, state);
}

/* Prints a table of GPUs, an empty line, and one line for each other device. */
void xpt_top_draw__devices(struct xpt_top_draw *d)
{
	uint32_t nr, nr_others, from, to;
	struct part *list = list_parts(d->r->now, GPUS, false, &nr);
	struct part *others = list_parts(d->r->now, OTHERS, false, &nr_others);

	if (nr)
		xpt_top_draw__head(d, &gpu_table);
	else
		xpt_top_draw__say(d, XPT_TOP_PLAIN, "No GPU has been read: none is here, or NVIDIA's driver is not loaded.");
	xpt_top_draw__scroll(d, nr + nr_others + !!nr_others, &from, &to);
	for (uint32_t i = from; i < to; i++) {
		if (i < nr)
			xpt_top_draw__row(d, &gpu_table, &list[i], false);
		else if (i == nr)
			xpt_top_draw__line(d, XPT_TOP_PLAIN);
		else
			draw_other(d, &others[i - nr - 1]);
	}
	free(list);
	free(others);
}

/*
 * --- RDMA ----------------------------------------------------------------------------------------------------------
 */

static void print_port_state(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	static const char *const states[] = { "-", "down", "init", "armed", "active", "deferred" };
	double v;

	if (value_of(d, row, XPT_METRIC_RDMA_STATE, &v) && v < 6)
		snprintf(buf, n, "%s", states[(unsigned)v]);
	else
		snprintf(buf, n, "-");
}

static void print_link(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	double v;

	if (value_of(d, row, XPT_METRIC_RDMA_RATE, &v))
		snprintf(buf, n, "%.0f", v / GIGABIT);
	else
		snprintf(buf, n, "-");
}

/* Sums up the increases per second of counters, without those that the driver lacks. Returns false if it has none. */
static bool rise_of(const struct xpt_top_draw *d, const struct part *p, const unsigned *metrics, double *ret_by_second)
{
	bool any = false;
	double sum = 0, v;

	for (; *metrics; metrics++) {
		if (!xpt_top_rates__rise(d->r, p->device, *metrics, p->part, &v))
			continue;
		sum += v;
		any = true;
	}
	*ret_by_second = sum;
	return any;
}

static void print_rise(const struct xpt_top_draw *d, const void *row, const unsigned *metrics, bool bytes, char *buf, size_t n)
{
	double v;

	if (!rise_of(d, row, metrics, &v))
		snprintf(buf, n, "-");
	else if (bytes)
		xpt_top_fmt_bytes(v, buf, n);
	else
		xpt_top_fmt_rate(v, buf, n);
}

#define RISE(name, bytes, ...) \
	static const unsigned name##_metrics[] = { __VA_ARGS__, 0 }; \
	static void name(const struct xpt_top_draw *d, const void *row, char *buf, size_t n) \
	{ \
		print_rise(d, row, name##_metrics, bytes, buf, n); \
	}

RISE(print_tx, true, XPT_METRIC_RDMA_DATA_SENT)
RISE(print_rx, true, XPT_METRIC_RDMA_DATA_RECEIVED)
RISE(print_cnp, false, XPT_METRIC_RDMA_CNP_SENT, XPT_METRIC_RDMA_CNP_HANDLED)
RISE(print_ecn, false, XPT_METRIC_RDMA_ECN_MARKED)
RISE(print_sequence, false, XPT_METRIC_RDMA_OUT_OF_SEQUENCE, XPT_METRIC_RDMA_PACKET_SEQUENCE)
RISE(print_rnr, false, XPT_METRIC_RDMA_RNR_NAK, XPT_METRIC_RDMA_OUT_OF_BUFFER)
RISE(print_timeout, false, XPT_METRIC_RDMA_ACK_TIMEOUT)
RISE(print_bad, false, XPT_METRIC_RDMA_REQ_CQE_ERROR, XPT_METRIC_RDMA_RESP_CQE_ERROR, XPT_METRIC_RDMA_ERRORS_RECEIVED,
     XPT_METRIC_RDMA_DISCARDS_SENT, XPT_METRIC_RDMA_SYMBOL, XPT_METRIC_RDMA_LINK_DOWNED)

static const struct xpt_top_column port_columns[] = {
	{ "PORT", 0, 0, true, print_label },
	{ "STATE", 8, 0, true, print_port_state },
	{ "Gbit/s", 6, 0, false, print_link },
	{ "TX/s", 6, 0, false, print_tx },
	{ "RX/s", 6, 0, false, print_rx },
	{ "CNP/s", 5, 0, false, print_cnp },
	{ "ECN/s", 5, 0, false, print_ecn },
	{ "SEQ/s", 5, 0, false, print_sequence },
	{ "RNR/s", 5, 0, false, print_rnr },
	{ "TOUT/s", 6, 0, false, print_timeout },
	{ "ERR/s", 5, 0, false, print_bad },
};

static enum xpt_top_look look_of_port(const struct xpt_top_draw *d, const void *row)
{
	double v, state;

	return (rise_of(d, row, print_bad_metrics, &v) && v) || (rise_of(d, row, print_timeout_metrics, &v) && v) ||
	       (value_of(d, row, XPT_METRIC_RDMA_STATE, &state) && state < 4) ? XPT_TOP_ALERT : XPT_TOP_PLAIN;
}

static const struct xpt_top_table port_table = {
	port_columns, sizeof(port_columns) / sizeof(port_columns[0]), look_of_port
};

void xpt_top_draw__rdma(struct xpt_top_draw *d)
{
	uint32_t nr, from, to;
	struct part *list = list_parts(d->r->now, 1u << XPT_DEVICE_RDMA, true, &nr);

	if (nr)
		xpt_top_draw__head(d, &port_table);
	else
		xpt_top_draw__say(d, XPT_TOP_PLAIN, "No RDMA port has been read: this machine has none.");
	xpt_top_draw__scroll(d, nr, &from, &to);
	for (uint32_t i = from; i < to; i++)
		xpt_top_draw__row(d, &port_table, &list[i], false);
	free(list);
}
