// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Metrics by number, and names of devices, see device.h.
 */
#include "model/device.h"

#include <stdio.h>

#define STALE_NS 10000000000ull	/* and two periods more: a device that is not read any more */
#define FORGET 4096	/* values after which a period is forgotten, when a shorter one was asked for */
#define OLD_PERIODS 12u		/* values that change seldom are in every tenth reading */

static const struct xpt_metric metrics[XPT_METRIC__MAX] = {
#define X(id_, constant, name_, kind_, unit_, scale_, scope_, help_)                                   \
	[id_] = { .id = id_, .kind = XPT_METRIC_##kind_, .unit = XPT_METRIC_UNIT_##unit_,              \
		  .scope = XPT_METRIC_OF_##scope_, .scale = scale_, .name = name_, .help = help_ },
	XPT_METRICS(X)
#undef X
};

const struct xpt_metric *xpt_metric__find(unsigned id)
{
	return id < XPT_METRIC__MAX && metrics[id].name ? &metrics[id] : NULL;
}

#define X(constant, text) text,
const char *xpt_metric_kind_name(unsigned kind)
{
	static const char *const names[] = { XPT_METRIC_KINDS(X) };

	return kind < XPT_METRIC_KIND__MAX ? names[kind] : "";
}

const char *xpt_metric_unit_name(unsigned unit)
{
	static const char *const names[] = { XPT_METRIC_UNITS(X) };

	return unit < XPT_METRIC_UNIT__MAX ? names[unit] : "";
}

const char *xpt_device_kind_name(unsigned kind)
{
	static const char *const names[] = { "", XPT_DEVICE_KINDS(X) };

	return kind < XPT_DEVICE__MAX ? names[kind] : "";
}
#undef X

double xpt_reading__value(const struct xpt_reading *r)
{
	return (double)r->value / (double)r->metric->scale;
}

const char *xpt_device__label(const struct xpt_device *d, char *buf, size_t n)
{
	if (d->kind == XPT_DEVICE_GPU)
		snprintf(buf, n, "GPU %u", d->index);
	else if (d->kind == XPT_DEVICE_MIG && d->parent)
		snprintf(buf, n, "GPU %u MIG %u", d->parent->index, d->index);
	else
		snprintf(buf, n, "%s", d->name[0] ? d->name : xpt_device_kind_name(d->kind));
	return buf;
}

bool xpt_reading__point(const struct xpt_reading *r, struct xpt_device_point *ret_point)
{
	static const struct {
		uint16_t metric;
		const char *name;
	} tracks[XPT_DEVICE_TRACK__MAX] = {
		[XPT_DEVICE_TRACK_BUSY] = { XPT_METRIC_GPU_UTILIZATION, "busy (%)" },
		[XPT_DEVICE_TRACK_MEMORY] = { XPT_METRIC_GPU_MEMORY_USED, "memory" },
		[XPT_DEVICE_TRACK_POWER] = { XPT_METRIC_GPU_POWER, "power (W)" },
		[XPT_DEVICE_TRACK_HEAT] = { XPT_METRIC_GPU_TEMPERATURE, "temperature (C)" },
	};
	char label[XPT_DEVICE_NAME];
	unsigned i = 0;

	while (i < XPT_DEVICE_TRACK__MAX && tracks[i].metric != r->metric->id)
		i++;
	if (i == XPT_DEVICE_TRACK__MAX || r->pid)
		return false;
	ret_point->track = (enum xpt_device_track)i;
	ret_point->value = i == XPT_DEVICE_TRACK_BUSY ? r->value / (XPT_RATIO_SCALE / 100) : r->value / r->metric->scale;
	snprintf(ret_point->name, sizeof(ret_point->name), "%s %s", xpt_device__label(r->device, label, sizeof(label)),
		 tracks[i].name);
	return true;
}

/* A reading comes as several records, with some time between them: the longest time of late is the period. */
void xpt_device_read__note(struct xpt_device_read *read, uint64_t ts_ns)
{
	uint64_t gap = read->last_ns && ts_ns > read->last_ns ? ts_ns - read->last_ns : 0;

	if (gap > read->period_ns)
		read->period_ns = gap;
	else
		read->period_ns -= (read->period_ns - gap) / FORGET;
	read->last_ns = ts_ns > read->last_ns ? ts_ns : read->last_ns;
}

bool xpt_device_read__is_current(const struct xpt_device_read *read, uint64_t ts_ns, uint64_t now_ns)
{
	return now_ns - read->last_ns < STALE_NS + 2 * read->period_ns &&
	       read->last_ns - ts_ns <= OLD_PERIODS * read->period_ns;
}
