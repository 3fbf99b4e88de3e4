/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics of devices: the possible values of a reading, by number. XPT_METRICS is the only
 * list: readers, recordings, analyzers and exporters share it.
 *
 *   X(id, CONSTANT, "name", KIND, UNIT, scale, SCOPE, "help")
 *
 * A value is an unsigned 64-bit integer. Divided by scale it is in the base unit of Prometheus
 * that its name ends with. Integers keep counters of bytes exact, and equal readings are equal
 * bytes. A value that is not known is left out, it is never 0; so is a temperature below zero.
 * Ids are stored in recordings: append, never change or reuse one.
 */
#ifndef XPT_WIRE_METRIC_H
#define XPT_WIRE_METRIC_H

#include "wire/metric_gpu.h"
#include "wire/metric_rdma.h"

#define XPT_RATIO_SCALE 10000	/* of all ratios: hundredths of a percent */
#define XPT_PART_NONE 0xffffu	/* the value is that of the whole device */

#define XPT_METRIC_KINDS(X)                              \
	X(GAUGE, "gauge")	/* goes up and down */   \
	X(COUNTER, "counter")	/* only rises; starts again when the device or driver does */ \
	X(STATE, "state")	/* 1 or 0 */

#define XPT_METRIC_UNITS(X)                \
	X(NONE, "")                        \
	X(RATIO, "ratio")                  \
	X(BYTES, "bytes")                  \
	X(BYTES_PER_SECOND, "bytes/s")     \
	X(WATTS, "watts")                  \
	X(JOULES, "joules")                \
	X(HERTZ, "hertz")                  \
	X(CELSIUS, "celsius")              \
	X(SECONDS, "seconds")

#define XPT_METRIC_SCOPES(X)                                                        \
	X(DEVICE, "device")                                                         \
	X(PART, "part")		/* a link, fan or port; its number is the part */   \
	X(PROCESS, "process")

#define X(name, text) XPT_METRIC_##name,
enum xpt_metric_kind { XPT_METRIC_KINDS(X) XPT_METRIC_KIND__MAX };
#undef X
#define X(name, text) XPT_METRIC_UNIT_##name,
enum xpt_metric_unit { XPT_METRIC_UNITS(X) XPT_METRIC_UNIT__MAX };
#undef X
#define X(name, text) XPT_METRIC_OF_##name,
enum xpt_metric_scope { XPT_METRIC_SCOPES(X) XPT_METRIC_OF__MAX };
#undef X

/* States of NVMe controllers (drivers/nvme/host/sysfs.c), and paths of subsystems. */
#define XPT_NVME_METRICS(X) \
	X(300, NVME_NEW, "nvme_state_new", STATE, NONE, 1, DEVICE, \
	  "The controller's state is new") \
	X(301, NVME_LIVE, "nvme_state_live", STATE, NONE, 1, DEVICE, \
	  "The controller's state is live") \
	X(302, NVME_RESETTING, "nvme_state_resetting", STATE, NONE, 1, DEVICE, \
	  "The controller's state is resetting") \
	X(303, NVME_CONNECTING, "nvme_state_connecting", STATE, NONE, 1, DEVICE, \
	  "The controller's state is connecting") \
	X(304, NVME_DELETING, "nvme_state_deleting", STATE, NONE, 1, DEVICE, \
	  "The controller's state is deleting") \
	X(305, NVME_DELETING_NO_IO, "nvme_state_deleting_no_io", STATE, NONE, 1, DEVICE, \
	  "The controller's state is deleting (no IO)") \
	X(306, NVME_DEAD, "nvme_state_dead", STATE, NONE, 1, DEVICE, \
	  "The controller's state is dead") \
	X(310, NVME_PATHS, "nvmesubsystem_paths", GAUGE, NONE, 1, DEVICE, \
	  "Controllers by which the subsystem can be reached") \
	X(311, NVME_PATHS_LIVE, "nvmesubsystem_paths_live", GAUGE, NONE, 1, DEVICE, \
	  "Controllers of the subsystem whose state is live")

/* Each reader of devices is a process (devices/reader.h) and a device of its own. */
#define XPT_READER_METRICS(X) \
	X(400, READER_UP, "device_reader_up", STATE, NONE, 1, DEVICE, \
	  "The reader answered the last request in time") \
	X(401, READER_UNANSWERED, "device_reader_unanswered_seconds", GAUGE, SECONDS, 1000000000, DEVICE, \
	  "Age of the oldest request without an answer") \
	X(402, READER_ABANDONED, "device_reader_abandoned", GAUGE, NONE, 1, DEVICE, \
	  "Reader processes that were given up and have not ended") \
	X(403, READER_STARTS, "device_reader_starts_total", COUNTER, NONE, 1, DEVICE, \
	  "Reader processes that were started") \
	X(404, READER_ERRORS, "device_reader_errors_total", COUNTER, NONE, 1, DEVICE, \
	  "Queries that failed, other than for lack of support") \
	X(405, READER_LEFT_OUT, "device_reader_left_out_total", COUNTER, NONE, 1, DEVICE, \
	  "Devices, instances, processes and counters above the limits") \
	X(406, READER_SECONDS, "device_reader_seconds", GAUGE, SECONDS, 1000000000, DEVICE, \
	  "Time that the last reading took")

#define XPT_METRICS(X) XPT_GPU_METRICS(X) XPT_GPU_PROCESS_METRICS(X) XPT_RDMA_METRICS(X) \
	XPT_NVME_METRICS(X) XPT_READER_METRICS(X)

#define X(id, constant, name, kind, unit, scale, scope, help) XPT_METRIC_##constant = id,
enum xpt_metric_id { XPT_METRICS(X) XPT_METRIC__MAX = 512 };
#undef X

#define XPT_DEVICE_KINDS(X)                                                       \
	X(GPU, "gpu")                                                             \
	X(MIG, "mig")		/* part of a GPU, its parent */                   \
	X(RDMA, "rdma")                                                           \
	X(NVME, "nvme")		/* a controller */                                \
	X(NVME_SUBSYSTEM, "nvme-subsystem")                                       \
	X(READER, "reader")	/* a process that reads devices */

#define X(name, text) XPT_DEVICE_##name,
enum xpt_device_kind { XPT_DEVICE__NONE, XPT_DEVICE_KINDS(X) XPT_DEVICE__MAX };
#undef X

#endif
