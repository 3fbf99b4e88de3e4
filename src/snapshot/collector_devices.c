// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Readings of devices in a collector: the newest value of each, as long as it is not old. See collector.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "snapshot/collector_priv.h"
#include "wire/device.h"

#define LATE_NS 200000000ull		/* that a reading may come late, on a machine that is busy */

#define READING_BYTES 2048		/* at most, of one with its device and the end of the document */

struct line {
	struct xpt_collector_reading_key key;
	const struct xpt_collector_reading *reading;
};

/* Whether the metric is a list of a device's processes: a process that is not in the newest list is gone. */
static bool is_of_list(unsigned metric)
{
	return metric == XPT_METRIC_GPU_PROCESS_MEMORY || metric == XPT_METRIC_GPU_PROCESS_COMPUTE ||
	       metric == XPT_METRIC_GPU_PROCESS_GRAPHICS || metric == XPT_METRIC_GPU_PROCESS_MPS;
}

/* Whether the metric changes all the time, and is therefore in every reading. */
static bool is_soon_old(const struct xpt_collector_reading_key *key)
{
	unsigned metric = key->metric->id;

	return key->pid || metric == XPT_METRIC_GPU_UTILIZATION || metric == XPT_METRIC_GPU_MEMORY_USED ||
	       metric == XPT_METRIC_GPU_POWER || metric == XPT_METRIC_GPU_TEMPERATURE;
}

void xpt_collector__on_reading(struct xpt_collector *c, const struct xpt_reading *r, uint64_t ts_ns)
{
	const struct xpt_collector_reading_key key = { r->device, r->metric, r->pid, r->part };
	struct xpt_collector_reading *to = xpt_hashmap__get(c->readings, &key, NULL);
	struct xpt_collector_read *read = xpt_hashmap__get(c->read, &r->device, NULL);

	if (!to || !read) {
		c->left_out++;
		return;
	}
	if (r->metric->kind == XPT_METRIC_COUNTER && ts_ns > to->ts_ns) {
		to->earlier = to->value;
		to->earlier_ns = to->ts_ns;
	}
	if (is_soon_old(&key) && !key.pid && to->ts_ns && ts_ns > to->ts_ns)
		read->beat_ns = ts_ns - to->ts_ns;
	to->value = r->value;
	to->ts_ns = ts_ns;
	xpt_device_read__note(&read->read, ts_ns);
	if (r->pid)
		snprintf(to->process, sizeof(to->process), "%s", r->proc ? r->proc->comm : "");
}

static bool is_current(const struct xpt_collector *c, const struct xpt_collector_reading_key *key,
		       const struct xpt_collector_reading *r)
{
	const struct xpt_collector_read *read = xpt_hashmap__find(c->read, &key->device);

	if (!read || !xpt_device_read__is_current(&read->read, r->ts_ns, c->now_ns))
		return false;
	if (!is_soon_old(key) || !read->beat_ns)
		return true;
	if (is_of_list(key->metric->id) && read->read.last_ns - r->ts_ns > read->beat_ns + read->beat_ns / 2)
		return false;
	return c->now_ns - r->ts_ns <= 3 * read->beat_ns + LATE_NS;
}

void xpt_collector__remove_readings(struct xpt_collector *c)
{
	const void *k;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(c->readings, &pos, &k, &v)) {
		const struct xpt_collector_reading_key key = *(const struct xpt_collector_reading_key *)k;

		if (!is_current(c, &key, v))
			xpt_hashmap__del(c->readings, &key);
	}
}

static int compare_lines(const void *x, const void *y)
{
	const struct xpt_collector_reading_key *a = &((const struct line *)x)->key, *b = &((const struct line *)y)->key;

	if (a->device->id != b->device->id)
		return a->device->id < b->device->id ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return (int)a->metric->id - (int)b->metric->id;
}

/* Prints a value in the metric's base unit; scales are powers of ten. */
static void print_value(struct xpt_strbuf *sb, const struct xpt_metric *m, uint64_t value)
{
	unsigned digits = 0;

	for (uint64_t scale = m->scale; scale >= 10; scale /= 10)
		digits++;
	if (digits)
		xpt_strbuf__add_fixed(sb, value, digits);
	else
		xpt_strbuf__addu64(sb, value);
}

static void print_reading(struct xpt_strbuf *sb, const struct line *l)
{
	xpt_strbuf__addf(sb, "{\"metric\":\"%s\"", l->key.metric->name);
	if (l->key.part != XPT_PART_NONE)
		xpt_strbuf__addf(sb, ",\"part\":%" PRIu32, l->key.part);
	if (l->key.pid) {
		xpt_strbuf__addf(sb, ",\"pid\":%" PRIu32 ",\"process\":", l->key.pid);
		xpt_strbuf__add_json(sb, l->reading->process);
	}
	xpt_strbuf__add(sb, ",\"value\":");
	print_value(sb, l->key.metric, l->reading->value);
	xpt_strbuf__addf(sb, ",\"ts_ns\":%" PRIu64, l->reading->ts_ns);
	if (l->reading->earlier_ns) {
		xpt_strbuf__add(sb, ",\"earlier_value\":");
		print_value(sb, l->key.metric, l->reading->earlier);
		xpt_strbuf__addf(sb, ",\"earlier_ns\":%" PRIu64, l->reading->earlier_ns);
	}
	xpt_strbuf__addc(sb, '}');
}

static void print_device(struct xpt_strbuf *sb, const struct xpt_device *d)
{
	char label[64];

	xpt_strbuf__addf(sb, "{\"kind\":\"%s\",\"index\":%" PRIu32 ",\"label\":", xpt_device_kind_name(d->kind), d->index);
	xpt_strbuf__add_json(sb, xpt_device__label(d, label, sizeof(label)));
	xpt_strbuf__add(sb, ",\"name\":");
	xpt_strbuf__add_json(sb, d->name);
	xpt_strbuf__add(sb, ",\"readings\":[");
}

/* Lines are in the order of their devices. */
static void print_lines(struct xpt_strbuf *sb, const struct line *line, size_t nr, uint64_t *cut)
{
	const struct line *last = NULL;
	unsigned nr_devices = 0;

	for (size_t i = 0; i < nr; i++) {
		bool is_first = !last || line[i].key.device != last->key.device;

		if (sb->len + READING_BYTES > sb->max || (is_first && nr_devices == XPT_SNAPSHOT_DEVICES)) {
			++*cut;
			continue;
		}
		if (is_first) {
			xpt_strbuf__add(sb, last ? "]}," : "");
			print_device(sb, line[i].key.device);
			nr_devices++;
		} else {
			xpt_strbuf__addc(sb, ',');
		}
		print_reading(sb, &line[i]);
		last = &line[i];
	}
	if (last)
		xpt_strbuf__add(sb, "]}");
}

int xpt_collector__print_devices(struct xpt_collector *c, struct xpt_strbuf *sb, uint64_t *cut)
{
	struct line *line;
	size_t pos = 0, n = 0;
	const void *key;
	void *reading;

	xpt_collector__remove_readings(c);
	line = calloc(xpt_hashmap__len(c->readings) + 1, sizeof(*line));
	if (!line)
		return -ENOMEM;
	while (xpt_hashmap__next(c->readings, &pos, &key, &reading))
		line[n++] = (struct line){ *(const struct xpt_collector_reading_key *)key, reading };
	qsort(line, n, sizeof(*line), compare_lines);
	print_lines(sb, line, n, cut);
	free(line);
	return 0;
}
