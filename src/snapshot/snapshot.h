/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A snapshot: the counts of a trace until a moment, by process and function, and the newest readings of devices. The
 * trace prints it as a JSON document (collector.h), and the program that shows it reads that document again, which
 * may come from another process: nothing in it is trusted. All counts are since the trace began; names are clean
 * text.
 */
#ifndef XPT_SNAPSHOT_SNAPSHOT_H
#define XPT_SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/durations.h"
#include "wire/vocab.h"

#define XPT_SNAPSHOT_VERSION 1		/* of the document */
#define XPT_SNAPSHOT_OTHER "(other)"	/* the process of counts without a row of their own; its pid is 0 */

enum {
	XPT_SNAPSHOT_BYTES = 16 << 20,	/* of a document, at most */
	XPT_SNAPSHOT_PROCESSES = 1024,	/* with a row of their own */
	XPT_SNAPSHOT_ROWS = 65536,
	XPT_SNAPSHOT_FUNCTIONS = 4096,
	XPT_SNAPSHOT_DEVICES = 1024,
	XPT_SNAPSHOT_READINGS = 65536,
};

struct xpt_snapshot_function {
	char name[96], domain[24];
	uint8_t cls;			/* enum xpt_class */
};

struct xpt_snapshot_row {		/* calls of a process to a function */
	uint32_t process, function;	/* indexes */
	uint64_t calls, time_ns, errors;	/* errors: calls that failed, without answers that are no failures */
	uint64_t nested_calls;		/* of them: calls inside other traced calls */
	/* Errors of nested calls, expected ones included, as the kernel does not count these separately. */
	uint64_t nested_errors;
	uint64_t benign;		/* such answers of all calls */
	uint64_t outer_calls, outer_ns, outer_bytes;	/* of them: calls with a call of their class inside */
	uint64_t bytes[XPT_DIR__MAX];	/* by direction; XPT_DIR_NONE: without one */
	uint64_t took[XPT_DURATIONS];	/* calls by how long they took; all 0: the document does not say */
	uint64_t waiting, oldest_ns, waited_ns;	/* calls that have not returned; the oldest one's age, that of all */
};

struct xpt_snapshot_process {
	uint32_t pid, uid;		/* pid 0: the others; uid UINT32_MAX: unknown */
	uint64_t since_ns, ended_ns;	/* CLOCK_MONOTONIC: seen first, and its end; 0: it runs */
	char name[64], container[80];
	uint64_t open[XPT_KIND__MAX];	/* bytes that it has allocated, pinned or registered and not freed, by kind */
	uint32_t open_kinds;		/* bit: the document has that kind; the others are unknown or none */
	uint32_t first_row, nr_rows;
};

struct xpt_snapshot_device {
	uint8_t kind;			/* enum xpt_device_kind */
	uint32_t index;			/* among its kind */
	char label[64], name[96];	/* "GPU 0", its model */
};

struct xpt_snapshot_reading {
	uint32_t device, pid;		/* device: an index; pid 0: the device's own */
	uint16_t metric, part;		/* enum xpt_metric_id; XPT_PART_NONE */
	uint64_t value;			/* as in struct xpt_reading */
	uint64_t ts_ns;			/* CLOCK_MONOTONIC: when it was read; 0: the document does not say */
	uint64_t earlier, earlier_ns;	/* of a counter: the reading before; earlier_ns 0: there was none */
	char process[32];		/* name of pid */
};

struct xpt_snapshot {
	uint64_t ts_ns, unix_ns, began_ns;	/* CLOCK_MONOTONIC, CLOCK_REALTIME; when the trace began */
	uint64_t left_out;		/* counts and readings that found no room */
	uint64_t cut;			/* rows and readings that are there, but had no room in the document */
	uint32_t pid;			/* of the process that traces */
	char version[32];
	struct xpt_snapshot_function *function;
	struct xpt_snapshot_process *process;	/* by pid and since_ns */
	struct xpt_snapshot_row *row;	/* by process */
	struct xpt_snapshot_device *device;
	struct xpt_snapshot_reading *reading;
	uint32_t nr_functions, nr_processes, nr_rows, nr_devices, nr_readings;
};

/* 0; -EBADMSG: this is no snapshot, or one that contradicts itself; -ENOTSUP: of another version; -E2BIG; -ENOMEM. */
int xpt_snapshot__parse(const char *text, size_t n, struct xpt_snapshot **ret_s);
void xpt_snapshot__free(struct xpt_snapshot *s);	/* NULL is fine */

#endif
