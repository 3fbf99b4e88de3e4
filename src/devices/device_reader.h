/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of a reading of devices, and the receiver to which the functions that read give it:
 * the end of a pipe in a reader process, or a test.
 */
#ifndef XPT_DEVICES_DEVICE_READER_H
#define XPT_DEVICES_DEVICE_READER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "wire/device.h"

#define XPT_READER_SLOTS 1024	/* devices of one reader process */
#define XPT_NO_SLOT 0xffffffffu

/* Strings end within their arrays. They are as the library or the kernel gave them. */
struct xpt_device_info {
	uint32_t kind;		/* enum xpt_device_kind */
	uint32_t index, minor;	/* as in struct xpt_rec_device */
	uint32_t parent;	/* its slot, or XPT_NO_SLOT */
	int32_t numa_node;
	char name[XPT_DEVICE_NAME], uuid[XPT_DEVICE_UUID];
	char address[XPT_DEVICE_ADDRESS], detail[XPT_DEVICE_DETAIL];
};

/* Begins a description: everything is unknown but these, and its padding is 0. */
static inline void xpt_device_info__init(struct xpt_device_info *info, enum xpt_device_kind kind, uint32_t index)
{
	memset(info, 0, sizeof(*info));
	info->kind = kind;
	info->index = index;
	info->minor = XPT_NO_MINOR;
	info->parent = XPT_NO_SLOT;
	info->numa_node = -1;
}

/* How a reading ended. */
enum xpt_read_state {
	XPT_READ_OK,
	XPT_READ_NO_LIBRARY,	/* there is no libnvidia-ml, or none that may be loaded */
	XPT_READ_NO_DRIVER,	/* its driver is not loaded */
	XPT_READ_FAILED,	/* it did not begin; code says why */
	XPT_READ_LOST,		/* the driver has gone while it was read: begin again */
	XPT_READ__MAX
};

struct xpt_read_result {
	uint32_t state;		/* enum xpt_read_state */
	int32_t code;		/* nvmlReturn_t or -errno, 0: none */
	uint64_t errors;	/* queries that failed, other than for lack of support; since the start */
	uint64_t left_out;	/* devices, ports and processes above a limit, since the start */
	uint64_t read_ns;	/* time that this reading took */
	char text[128];		/* the error, or the versions of driver and library; may be empty */
};

/*
 * Takes the readings. Slots are numbers that the reading function chose, below XPT_READER_SLOTS. A
 * slot is described before its first values, and again when another device has taken its place.
 */
struct xpt_device_sink {
	void *ctx;
	void (*device)(void *ctx, uint32_t slot, const struct xpt_device_info *info);
	void (*values)(void *ctx, uint32_t slot, const struct xpt_wire_reading *value, size_t nr);
};

#endif
