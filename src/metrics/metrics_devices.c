// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Readings of devices as metrics, under the names and units of wire/metric.h. A value that has not been read for some
 * periods is not shown, nor is a device that has not been read for a while: an old value would look healthy.
 */
#include <stdio.h>
#include <stdlib.h>

#include "metrics/metrics_priv.h"
#include "model/device.h"
#include "model/event.h"

void xpt_metrics__on_reading(struct xpt_metrics *m, const struct xpt_reading *r, uint64_t ts_ns)
{
	const struct xpt_metrics_reading_key key = { r->device, r->metric, r->pid, r->part };
	struct xpt_metrics_reading *to = xpt_hashmap__get(m->readings, &key, NULL);
	struct xpt_device_read *read = xpt_hashmap__get(m->read, &r->device, NULL);

	if (!to || !read) {
		m->left_out++;
		return;
	}
	*to = (struct xpt_metrics_reading){ .value = r->value, .ts_ns = ts_ns };
	xpt_device_read__note(read, ts_ns);
	if (r->pid)
		snprintf(to->process, sizeof(to->process), "%s", r->proc ? r->proc->comm : "");
}

static bool is_current(const struct xpt_metrics *m, const struct xpt_metrics_reading_key *key,
		       const struct xpt_metrics_reading *r)
{
	const struct xpt_device_read *read = xpt_hashmap__find(m->read, &key->device);

	return read && xpt_device_read__is_current(read, r->ts_ns, m->now_ns);
}

/* Powers of ten are digits after the point; other scales are not used by metrics. */
static unsigned digits_of(uint64_t scale)
{
	unsigned digits = 0;

	for (; scale >= 10; scale /= 10)
		digits++;
	return digits;
}

struct texts {			/* texts that labels of a row point to */
	char device[64], part[16];
};

static void print_metric(struct xpt_metrics *m, const struct xpt_metric *metric, struct xpt_prom_row *rows,
			 struct texts *text, struct xpt_strbuf *sb)
{
	char name[128];
	struct xpt_prom_family f = {
		.name = name, .help = metric->help,
		.type = metric->kind == XPT_METRIC_COUNTER ? XPT_PROM_COUNTER : XPT_PROM_GAUGE,
		.digits = digits_of(metric->scale), .label = { "device", "uuid", "part", "process" },
	};
	const void *k;
	size_t pos = 0, n = 0;
	void *v;

	while (xpt_hashmap__next(m->readings, &pos, &k, &v)) {
		const struct xpt_metrics_reading_key *key = k;
		const struct xpt_metrics_reading *r = v;

		if (key->metric != metric || !is_current(m, key, r))
			continue;
		xpt_device__label(key->device, text[n].device, sizeof(text[n].device));
		if (key->part != XPT_PART_NONE)
			snprintf(text[n].part, sizeof(text[n].part), "%u", key->part);
		else
			text[n].part[0] = '\0';
		rows[n] = (struct xpt_prom_row){ { text[n].device, key->device->uuid, text[n].part, r->process }, r->value };
		n++;
	}
	snprintf(name, sizeof(name), "xputrace_%s", metric->name);
	xpt_prom__add(sb, &f, rows, n);
}

/* Readings that are not current any more go. */
static void remove_old(struct xpt_metrics *m)
{
	const void *k;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(m->readings, &pos, &k, &v)) {
		struct xpt_metrics_reading_key key = *(const struct xpt_metrics_reading_key *)k;

		if (!is_current(m, &key, v))
			xpt_hashmap__del(m->readings, &key);
	}
}

void xpt_metrics__print_devices(struct xpt_metrics *m, struct xpt_prom_row *rows, struct xpt_strbuf *sb)
{
	struct texts *text;

	remove_old(m);
	text = calloc(xpt_hashmap__len(m->readings) + 1, sizeof(*text));
	for (unsigned id = 0; text && id < XPT_METRIC__MAX; id++)
		if (xpt_metric__find(id))
			print_metric(m, xpt_metric__find(id), rows, text, sb);
	if (!text)
		xpt_strbuf__add(sb, "# no memory for readings of devices\n");
	free(text);
}
