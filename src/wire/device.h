/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Devices and their readings: a DEVICE record describes a device, and READING records with its id
 * follow, one for each time that it was read. Metrics, parts and kinds of devices: metric.h.
 */
#ifndef XPT_WIRE_DEVICE_H
#define XPT_WIRE_DEVICE_H

#include "wire/metric.h"
#include "wire/wire.h"

#define XPT_MAX_DEVICES 4096	/* of one trace; ids begin with 1 */
#define XPT_NO_MINOR 0xffffffffu

/* Bytes of the strings of a device, NUL included: NVML's longest names and identifiers have 96. */
#define XPT_DEVICE_NAME 96
#define XPT_DEVICE_UUID 96
#define XPT_DEVICE_ADDRESS 64
#define XPT_DEVICE_DETAIL 160

/*
 * Followed by NUL-terminated strings: name (the model of a GPU, else the kernel's name), uuid
 * (GPU: as NVML has it; RDMA: the node's GUID; NVMe: the serial number, subsystem: the NQN),
 * address (PCI, or of a fabric), detail (versions and model). Each may be empty.
 */
struct xpt_rec_device {
	struct xpt_rec rec;
	__u32 id;
	__u32 parent;		/* id of the device that it is a part of, else 0 */
	__u16 kind;		/* enum xpt_device_kind */
	__u16 pad;
	__u32 index;		/* among its kind, or among the parts of its parent */
	__u32 minor;		/* GPU: of /dev/nvidiaN, or XPT_NO_MINOR */
	__s32 numa_node;	/* -1: none, or not known */
};

struct xpt_wire_reading {
	__u16 metric;		/* enum xpt_metric_id */
	__u16 part;		/* link, fan or port, or XPT_PART_NONE */
	__u32 pid;		/* initial PID namespace; 0: of the device */
	__u64 value;
};

/* Followed by nr values. All are of one reading; a process has its values one after the other. */
struct xpt_rec_reading {
	struct xpt_rec rec;
	__u64 ts_ns;		/* CLOCK_MONOTONIC */
	__u32 device;
	__u32 nr;
	struct xpt_wire_reading value[];
};

#define XPT_READINGS_MAX ((XPT_REC_MAX - sizeof(struct xpt_rec_reading)) / sizeof(struct xpt_wire_reading))

_Static_assert(sizeof(struct xpt_rec_device) == 32, "device record");
_Static_assert(sizeof(struct xpt_wire_reading) == 16, "value of a reading");
_Static_assert(sizeof(struct xpt_rec_reading) == 24, "reading record");

#endif
