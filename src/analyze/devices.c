// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Readings of devices from NVML and sysfs during the trace: utilization, memory, power and heat of
 * GPUs, states of RDMA ports and NVMe controllers, counters of errors that rose, and readers that did
 * not answer. A finding for a GPU that was lost or had uncorrectable memory errors.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "model/output/analyzer.h"
#include "model/device.h"

#define LABEL_MAX 128
#define PARTS_MAX 16384		/* ports and controllers, and counters of parts */

struct rec_device {
	const char *device, *name;
	double utilization, utilization_max, power_watts;
	uint64_t memory_max_bytes, memory_bytes, temperature_max;
	double throttled;
	uint64_t up;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_device, device, STR, NONE, "device"),
	XPT_FIELD(struct rec_device, utilization, F64, RATIO, "busy"),
	XPT_FIELD(struct rec_device, utilization_max, F64, RATIO, "most"),
	XPT_FIELD(struct rec_device, memory_max_bytes, U64, BYTES, "memory"),
	XPT_FIELD(struct rec_device, memory_bytes, U64, BYTES, "of"),
	XPT_FIELD(struct rec_device, power_watts, F64, NONE, "watts"),
	XPT_FIELD(struct rec_device, temperature_max, U64, NONE, "celsius"),
	XPT_FIELD(struct rec_device, throttled, F64, RATIO, "throttled"),
	XPT_FIELD(struct rec_device, up, U64, NONE, ""),
	XPT_FIELD(struct rec_device, name, STR, NONE, "name"),
};

static const struct xpt_schema schema = {
	.name = "devices", .title = "GPUs, as NVML says",
	.help = "GPUs and MIG devices: mean and highest utilization, most memory, mean power, highest temperature, "
		"share of readings with slower clocks because of heat or the power supply",
	.layout = XPT_LAYOUT_TABLE, .order = 95, XPT_RECORD(struct rec_device, fields), .brief = 16,
};

struct rec_state {
	const char *device, *state;
	uint64_t port, changes;
};

static const struct xpt_field state_fields[] = {
	XPT_FIELD(struct rec_state, device, STR, NONE, "device"),
	XPT_FIELD(struct rec_state, port, U64, NONE, "port"),
	XPT_FIELD(struct rec_state, state, STR, NONE, "state"),
	XPT_FIELD(struct rec_state, changes, U64, COUNT, "changes"),
};

static const struct xpt_schema state_schema = {
	.name = "device_states", .title = "RDMA ports and NVMe controllers",
	.help = "State at the last reading, and how often it was another one than at the reading before",
	.layout = XPT_LAYOUT_TABLE, .order = 96, XPT_RECORD(struct rec_state, state_fields), .brief = 16,
};

struct rec_error {
	const char *device, *counter, *meaning;
	uint64_t part, rose, last;
};

static const struct xpt_field error_fields[] = {
	XPT_FIELD(struct rec_error, device, STR, NONE, "device"),
	XPT_FIELD(struct rec_error, part, U64, NONE, "part"),
	XPT_FIELD(struct rec_error, counter, STR, NONE, "counter"),
	XPT_FIELD(struct rec_error, rose, U64, COUNT, "rose by"),
	XPT_FIELD(struct rec_error, last, U64, COUNT, "to"),
	XPT_FIELD(struct rec_error, meaning, STR, NONE, ""),
};

static const struct xpt_schema error_schema = {
	.name = "device_errors", .title = "Errors of devices during the trace",
	.help = "Counters of errors and congestion that rose; part: number of the link or port",
	.layout = XPT_LAYOUT_TABLE, .order = 97, XPT_RECORD(struct rec_error, error_fields), .brief = 20,
};

struct rec_reader {
	const char *reader, *state, *detail;
	uint64_t silent_ns, abandoned, starts, errors, left_out;
};

static const struct xpt_field reader_fields[] = {
	XPT_FIELD(struct rec_reader, reader, STR, NONE, "reader"),
	XPT_FIELD(struct rec_reader, state, STR, NONE, "state"),
	XPT_FIELD(struct rec_reader, silent_ns, U64, NS, "no answer for"),
	XPT_FIELD(struct rec_reader, abandoned, U64, COUNT, "given up"),
	XPT_FIELD(struct rec_reader, starts, U64, COUNT, "processes"),
	XPT_FIELD(struct rec_reader, errors, U64, COUNT, "errors"),
	XPT_FIELD(struct rec_reader, left_out, U64, COUNT, "left out"),
	XPT_FIELD(struct rec_reader, detail, STR, NONE, "says"),
};

static const struct xpt_schema reader_schema = {
	.name = "device_readers", .title = "Readings of devices that are missing",
	.help = "Readers that did not answer, failed or left something out: what NVML or sysfs last said",
	.layout = XPT_LAYOUT_TABLE, .order = 99, XPT_RECORD(struct rec_reader, reader_fields),
};

static const struct xpt_schema *const emits[] = { &schema, &state_schema, &error_schema, &reader_schema, NULL };

struct mean {
	double sum, most;
	uint64_t nr;
};

struct row {			/* of a device */
	const struct xpt_device *device;
	struct mean utilization, power;
	uint64_t memory_max, memory_total, temperature_max;	/* XPT_ABSENT: unknown */
	uint64_t nr_events, nr_slow;	/* readings of clock events; one of heat or power supply was set */
	bool is_slow;			/* in the reading that is being taken */
	uint64_t lost_ns;		/* first reading that says that the GPU is lost, 0: none */
	uint64_t reader[XPT_METRIC_READER_SECONDS - XPT_METRIC_READER_UP];	/* the last values */
};

struct part_key {
	uint32_t device;
	uint16_t metric, part;
};

struct part {			/* a state or a counter of a device or of a part of it */
	const struct xpt_device *device;
	const struct xpt_metric *metric;
	uint64_t order, at_ns;	/* at_ns: when it last rose */
	uint64_t last, rose, changes;
	uint16_t part;
};

struct devices {
	struct row *row[XPT_MAX_DEVICES];	/* index = id - 1 */
	struct xpt_hashmap *parts;	/* struct part_key -> struct part */
	uint64_t lost;
};

static void devices__close(void *st)
{
	struct devices *d = st;

	for (size_t i = 0; i < XPT_MAX_DEVICES; i++)
		free(d->row[i]);
}

/* --- readings ------------------------------------------------------------------------------------- */

static struct row *row_of(struct devices *d, const struct xpt_device *device)
{
	struct row **r = &d->row[device->id - 1];

	if (!*r) {
		*r = calloc(1, sizeof(**r));
		if (!*r) {
			d->lost++;
			return NULL;
		}
		(*r)->device = device;
		(*r)->memory_max = (*r)->memory_total = (*r)->temperature_max = XPT_ABSENT;
	}
	return *r;
}

static void add_mean(struct mean *m, double v)
{
	m->sum += v;
	m->nr++;
	m->most = v > m->most ? v : m->most;
}

static void keep_most(uint64_t *most, uint64_t v)
{
	if (*most == XPT_ABSENT || v > *most)
		*most = v;
}

/* The bits of one reading of clock events come as readings of their own, that of idle first. */
static void add_clock_event(struct row *r, uint16_t metric, bool is_set)
{
	if (metric == XPT_METRIC_GPU_EVENT_IDLE) {
		r->nr_events++;
		r->is_slow = false;
	}
	if (!is_set || r->is_slow || (metric != XPT_METRIC_GPU_EVENT_HW_SLOWDOWN && metric != XPT_METRIC_GPU_EVENT_SW_THERMAL &&
				      metric != XPT_METRIC_GPU_EVENT_HW_THERMAL && metric != XPT_METRIC_GPU_EVENT_POWER_BRAKE))
		return;
	r->is_slow = true;
	r->nr_slow++;
}

static void add_to_row(struct row *r, const struct xpt_reading *v, uint64_t ts_ns)
{
	uint16_t metric = v->metric->id;

	if (v->pid || (v->part != XPT_PART_NONE))
		return;
	if (metric == XPT_METRIC_GPU_UTILIZATION)
		add_mean(&r->utilization, xpt_reading__value(v));
	else if (metric == XPT_METRIC_GPU_POWER)
		add_mean(&r->power, xpt_reading__value(v));
	else if (metric == XPT_METRIC_GPU_MEMORY_USED)
		keep_most(&r->memory_max, v->value);
	else if (metric == XPT_METRIC_GPU_MEMORY_TOTAL)
		keep_most(&r->memory_total, v->value);
	else if (metric == XPT_METRIC_GPU_TEMPERATURE)
		keep_most(&r->temperature_max, v->value);
	else if (metric >= XPT_METRIC_GPU_EVENT_IDLE && metric <= XPT_METRIC_GPU_EVENT_DISPLAY)
		add_clock_event(r, metric, v->value);
	else if (metric == XPT_METRIC_GPU_UP && !v->value && !r->lost_ns)
		r->lost_ns = ts_ns;
	else if (metric >= XPT_METRIC_READER_UP && metric < XPT_METRIC_READER_SECONDS)
		r->reader[metric - XPT_METRIC_READER_UP] = v->value;
}

/* Whether the metric is a counter of errors, or of congestion. */
static bool is_error(const struct xpt_metric *m)
{
	static const uint16_t traffic[] = {
		XPT_METRIC_RDMA_MULTICAST_RECEIVED, XPT_METRIC_RDMA_MULTICAST_SENT, XPT_METRIC_RDMA_PACKETS_RECEIVED,
		XPT_METRIC_RDMA_PACKETS_SENT, XPT_METRIC_RDMA_UNICAST_RECEIVED, XPT_METRIC_RDMA_UNICAST_SENT,
		XPT_METRIC_RDMA_ATOMIC_REQUESTS, XPT_METRIC_RDMA_DCT_CONNECTS, XPT_METRIC_RDMA_READ_REQUESTS,
		XPT_METRIC_RDMA_WRITE_REQUESTS,
	};

	for (size_t i = 0; i < sizeof(traffic) / sizeof(traffic[0]); i++)
		if (m->id == traffic[i])
			return false;
	return m->kind == XPT_METRIC_COUNTER && m->unit == XPT_METRIC_UNIT_NONE && m->id < XPT_METRIC_READER_UP;
}

/* Whether the state is shown: of the states of an NVMe controller only the one that is set. */
static bool is_state(const struct xpt_reading *v)
{
	return v->metric->id == XPT_METRIC_RDMA_STATE ||
	       (v->metric->id >= XPT_METRIC_NVME_NEW && v->metric->id <= XPT_METRIC_NVME_DEAD && v->value);
}

/* A counter that is lower than before was reset, as its driver was loaded again: its whole value is the increase. */
static void note_value(struct part *p, const struct xpt_reading *v, uint64_t ts_ns, bool is_counter)
{
	uint64_t rise = v->value >= p->last ? v->value - p->last : v->value;

	if (is_counter && rise) {
		p->rose = p->rose > UINT64_MAX - rise ? UINT64_MAX : p->rose + rise;
		p->at_ns = ts_ns;
	} else if (!is_counter) {
		p->changes += p->last != v->value || p->metric != v->metric;
	}
	p->last = v->value;
	p->metric = v->metric;
}

static void add_part(struct devices *d, const struct xpt_reading *v, uint64_t ts_ns, bool is_counter)
{
	struct part_key key = { v->device->id, is_counter ? v->metric->id : 0, v->part };
	struct part *p;
	bool is_new;

	p = xpt_hashmap__get(d->parts, &key, &is_new);
	if (!p) {
		d->lost++;
		return;
	}
	if (is_new)
		*p = (struct part){ .device = v->device, .metric = v->metric, .last = v->value, .part = v->part,
				    .order = xpt_hashmap__len(d->parts) };
	note_value(p, v, ts_ns, is_counter);
}

static void on_reading(struct devices *d, const struct xpt_reading *v, uint64_t ts_ns)
{
	struct row *r = row_of(d, v->device);

	if (r)
		add_to_row(r, v, ts_ns);
	if (v->pid)
		return;
	if (is_error(v->metric))
		add_part(d, v, ts_ns, true);
	else if (is_state(v))
		add_part(d, v, ts_ns, false);
}

/* --- results ----------------------------------------------------------------------------------------- */

static double mean_of(const struct mean *m)
{
	return m->nr ? m->sum / (double)m->nr : NAN;
}

static void emit_device(const struct row *r, struct xpt_out *out)
{
	char label[LABEL_MAX];
	struct rec_device rec = {
		.device = xpt_device__label(r->device, label, sizeof(label)), .name = r->device->name,
		.utilization = mean_of(&r->utilization), .utilization_max = r->utilization.nr ? r->utilization.most : NAN,
		.power_watts = mean_of(&r->power), .memory_max_bytes = r->memory_max, .memory_bytes = r->memory_total,
		.temperature_max = r->temperature_max, .up = !r->lost_ns,
		.throttled = r->nr_events ? (double)r->nr_slow / (double)r->nr_events : NAN,
	};

	xpt_out__emit(out, &schema, &rec);
}

static const char *const port_states[] = { "no change", "down", "init", "armed", "active", "active deferred" };

static void emit_state(const struct part *p, struct xpt_out *out)
{
	char label[LABEL_MAX];
	struct rec_state rec = {
		.device = xpt_device__label(p->device, label, sizeof(label)), .changes = p->changes,
		.port = p->part == XPT_PART_NONE ? XPT_ABSENT : p->part, .state = "unknown",
	};

	if (p->metric->id != XPT_METRIC_RDMA_STATE)
		rec.state = p->metric->name + strlen("nvme_state_");
	else if (p->last < sizeof(port_states) / sizeof(port_states[0]))
		rec.state = port_states[p->last];
	xpt_out__emit(out, &state_schema, &rec);
}

static void emit_error(const struct part *p, struct xpt_out *out)
{
	char label[LABEL_MAX];
	struct rec_error rec = {
		.device = xpt_device__label(p->device, label, sizeof(label)), .counter = p->metric->name,
		.part = p->part == XPT_PART_NONE ? XPT_ABSENT : p->part, .rose = p->rose, .last = p->last,
		.meaning = p->metric->help,
	};

	xpt_out__emit(out, &error_schema, &rec);
}

#define READER(r, name) ((r)->reader[XPT_METRIC_READER_##name - XPT_METRIC_READER_UP])

static void emit_reader(const struct row *r, struct xpt_out *out)
{
	struct rec_reader rec = {
		.reader = r->device->name, .detail = r->device->detail, .silent_ns = READER(r, UNANSWERED),
		.abandoned = READER(r, ABANDONED), .starts = READER(r, STARTS), .errors = READER(r, ERRORS),
		.left_out = READER(r, LEFT_OUT),
		.state = READER(r, UP) ? "answers" : READER(r, UNANSWERED) ? "silent" : "failed",
	};

	if (!READER(r, UP) || rec.abandoned || rec.left_out)
		xpt_out__emit(out, &reader_schema, &rec);
}

static void find_lost(const struct row *r, struct xpt_out *out)
{
	char label[LABEL_MAX], text[400], when[32];
	struct xpt_finding f = {
		.kind = "device_lost", .weight = XPT_WEIGHT_BROKEN, .at_ns = r->lost_ns, .text = text,
		.advice = "Look for Xids in the kernel log; the GPU has to be reset, or the machine restarted.",
	};

	snprintf(text, sizeof(text), "%s (%s) was lost or had to be reset, as NVML said %s after the start.",
		 xpt_device__label(r->device, label, sizeof(label)), r->device->address[0] ? r->device->address : r->device->name,
		 xpt_fmt_ns(xpt_out__since(out, r->lost_ns), when, sizeof(when)));
	xpt_out__finding(out, &f);
}

static void find_uncorrected(const struct part *p, struct xpt_out *out)
{
	char label[LABEL_MAX], text[400];
	struct xpt_finding f = {
		.kind = "device_memory_errors", .weight = XPT_WEIGHT_BROKEN, .at_ns = p->at_ns, .text = text,
		.advice = "Take the GPU out of use, reset it, and look whether rows were remapped.",
	};

	snprintf(text, sizeof(text), "%s had %" PRIu64 " uncorrectable memory error%s during the trace.",
		 xpt_device__label(p->device, label, sizeof(label)), p->rose, p->rose == 1 ? "" : "s");
	xpt_out__finding(out, &f);
}

static int by_order(const void *a, const void *b)
{
	const struct part *x = *(const struct part *const *)a, *y = *(const struct part *const *)b;

	return x->device->id != y->device->id ? (x->device->id > y->device->id) - (x->device->id < y->device->id) :
	       (x->order > y->order) - (x->order < y->order);
}

static void emit_parts(struct devices *d, struct xpt_out *out)
{
	size_t nr;
	void **all = xpt_hashmap__sorted(d->parts, by_order, &nr);

	for (size_t i = 0; i < nr; i++) {
		const struct part *p = all[i];

		if (!is_error(p->metric))
			emit_state(p, out);
		else if (p->rose)
			emit_error(p, out);
		if (p->rose && p->metric->id == XPT_METRIC_GPU_ECC_UNCORRECTED)
			find_uncorrected(p, out);
	}
	free(all);
}

static void report_all(struct devices *d, struct xpt_out *out)
{
	for (size_t i = 0; i < XPT_MAX_DEVICES; i++) {
		const struct row *r = d->row[i];

		if (!r)
			continue;
		if (r->device->kind == XPT_DEVICE_READER)
			emit_reader(r, out);
		else if (r->device->kind == XPT_DEVICE_GPU || r->device->kind == XPT_DEVICE_MIG)
			emit_device(r, out);
		if (r->lost_ns)
			find_lost(r, out);
	}
	emit_parts(d, out);
	if (d->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, d->lost);
}

static void devices__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct devices *d = st;

	if (ev->kind == XPT_EV_READING)
		on_reading(d, ev->u.reading, ev->ts_ns);
	else if (ev->kind == XPT_EV_END)
		report_all(d, out);
}

const struct xpt_analyzer xpt_analyzer_devices = {
	.name = "devices",
	.help = "what NVML and sysfs said about devices",
	.emits = emits,
	.state_size = sizeof(struct devices),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct devices, parts, struct part_key, struct part, PARTS_MAX, 0),
		{ 0 }
	},
	.event = devices__event,
	.close = devices__close,
};
