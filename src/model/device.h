/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Devices and their readings, as events have them; metrics by number (wire/metric.h).
 */
#ifndef XPT_MODEL_DEVICE_H
#define XPT_MODEL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire/device.h"

struct xpt_proc;

struct xpt_metric {
	uint16_t id;
	uint8_t kind, unit, scope;	/* enum xpt_metric_kind, xpt_metric_unit, xpt_metric_scope */
	uint64_t scale;		/* a value divided by it is in the base unit */
	const char *name, *help;
};

/* Lives until the pipeline is freed. Its texts are clean and may change when it is described again. */
struct xpt_device {
	uint32_t id;
	const struct xpt_device *parent;	/* the device that it is a part of, or NULL */
	uint8_t kind;			/* enum xpt_device_kind */
	uint32_t index, minor;		/* minor: XPT_NO_MINOR if it is not known */
	int32_t numa_node;		/* -1: none, or not known */
	const char *name, *uuid, *address, *detail;	/* never NULL, "" if unknown; see struct xpt_rec_device */
};

struct xpt_reading {			/* one value of a device */
	const struct xpt_device *device;
	const struct xpt_metric *metric;
	uint16_t part;			/* link, fan or port; XPT_PART_NONE */
	uint32_t pid;			/* 0: of the device */
	const struct xpt_proc *proc;	/* NULL: of the device, or of a process that the trace does not know */
	uint64_t value;
};

/* Returns the metric, or NULL if this build does not know it. */
const struct xpt_metric *xpt_metric__find(unsigned id);
/* Words for outputs: "gauge", "bytes", "gpu"; "" for a number that is none. */
const char *xpt_metric_kind_name(unsigned kind);
const char *xpt_metric_unit_name(unsigned unit);
const char *xpt_device_kind_name(unsigned kind);

/* The value in the metric's base unit. */
double xpt_reading__value(const struct xpt_reading *r);
/* Writes the device's name for people to buf: "GPU 0", "GPU 0 MIG 1", "mlx5_0". Returns buf. */
const char *xpt_device__label(const struct xpt_device *d, char *buf, size_t n);

struct xpt_device_read {		/* when a device was read */
	uint64_t last_ns, period_ns;	/* period_ns: since the reading before, 0: there was none */
};

/* A value of the device was read at that time. */
void xpt_device_read__note(struct xpt_device_read *read, uint64_t ts_ns);
/*
 * Whether a value that was read at ts_ns may still be shown: it would look healthy when it is old. It may not if it
 * is missing from several readings, nor if its device has not been read for a while.
 */
bool xpt_device_read__is_current(const struct xpt_device_read *read, uint64_t ts_ns, uint64_t now_ns);

/* Readings of a device that pictures show over time. */
enum xpt_device_track { XPT_DEVICE_TRACK_BUSY, XPT_DEVICE_TRACK_MEMORY, XPT_DEVICE_TRACK_POWER, XPT_DEVICE_TRACK_HEAT,
			XPT_DEVICE_TRACK__MAX };

struct xpt_device_point {
	enum xpt_device_track track;
	uint64_t value;		/* percent, bytes, watts, degrees Celsius */
	char name[XPT_DEVICE_NAME + 32];	/* of the track: "GPU 0 power (W)" */
};

/* Makes the point of a reading for pictures. Returns false if pictures do not show it. */
bool xpt_reading__point(const struct xpt_reading *r, struct xpt_device_point *ret_point);

#endif
