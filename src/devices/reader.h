/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A reader of devices: a process of xputrace that answers "read everything once". It is a process
 * because a call into a driver may never return, and it is this program executed anew, so that it
 * has nothing of a trace. The side here never waits.
 *
 *   new -> [poll its descriptor] -> step... -> free
 *
 * A reader that has not answered in time is abandoned: its socket is closed, so that it ends by
 * itself when the call returns after all. It is killed only after kill_ns, for a process that ends
 * inside a driver can freeze the device. Another one is tried after retry_ns, then after twice
 * that, up to retry_max_ns, and while fewer than max_abandoned are left; soon, when one has ended.
 */
#ifndef XPT_DEVICES_READER_H
#define XPT_DEVICES_READER_H

#include <stdbool.h>
#include "devices/device_reader.h"

#define XPT_ABANDONED_MAX 8

enum xpt_reader_kind { XPT_READER_NVML, XPT_READER_SYSFS, XPT_READER__MAX };

struct xpt_reader_cfg {
	enum xpt_reader_kind kind;
	/* NVML: path of the library, NULL: searched; sysfs: folder used as /sys, NULL: /sys */
	const char *from;
	const char *exe;	/* program with xpt_reader_child__run(); NULL: this one */
	uint64_t period_ns;	/* from one request to the next */
	uint64_t deadline_ns;	/* for an answer; 0: 2 s */
	uint64_t start_ns;	/* for the first answer of a process, which loads and starts the library; 0: 30 s */
	uint64_t retry_ns, retry_max_ns;	/* 0: 10 s, 5 min */
	uint64_t kill_ns;	/* 0: 10 min */
	uint32_t max_abandoned;	/* 0: 3; at most XPT_ABANDONED_MAX */
	void *ctx;
	/*
	 * A process was started; it makes no call into a driver before this returns. 0, or -errno: it is not asked
	 * for anything and ends. May be NULL.
	 */
	int (*started)(void *ctx, int pid);
	/* Returns the id of the device, or 0 if it is not wanted. parent: id, or 0. Texts are clean. */
	uint32_t (*device)(void *ctx, const struct xpt_device_info *info, uint32_t parent);
	void (*values)(void *ctx, uint32_t device, const struct xpt_wire_reading *value, size_t nr);
	/* A reading is complete, or there will be none for some time. The status has changed. May be NULL. */
	void (*end)(void *ctx);
};

enum xpt_reader_state {
	XPT_READER_STARTING,	/* no answer yet, none is late */
	XPT_READER_ANSWERS,
	XPT_READER_SILENT,	/* the last request had no answer in time */
	XPT_READER_NO_LIBRARY, XPT_READER_NO_DRIVER,
	XPT_READER_FAILED,	/* the library, the driver or the process; see text */
};

struct xpt_reader_status {
	enum xpt_reader_state state;
	uint64_t silent_ns;	/* SILENT: since the oldest request without an answer */
	uint64_t starts, answers;	/* processes that were started; readings that were complete */
	uint64_t rejected;	/* messages that contradict themselves; the process was given up */
	uint32_t abandoned;	/* processes that were given up and have not ended */
	uint64_t asked_ns;	/* when the request of the last answer went out, as step() had it */
	struct xpt_read_result last;	/* of the last answer; zeroed before the first */
};

struct xpt_reader;

/* Copies cfg, but not the data that it points to. Starts nothing yet. Returns 0 or -errno. */
int xpt_reader__new(const struct xpt_reader_cfg *cfg, struct xpt_reader **ret_r);
/* A descriptor that is readable when step() has something to do before its time; it stays the same. */
int xpt_reader__fd(const struct xpt_reader *r);
/* Makes the steps that are due. now_ns: CLOCK_MONOTONIC. Never waits. */
void xpt_reader__step(struct xpt_reader *r, uint64_t now_ns);
/* The next step asks, whenever that was due, unless an answer is awaited. */
void xpt_reader__hurry(struct xpt_reader *r);
void xpt_reader__status(const struct xpt_reader *r, uint64_t now_ns, struct xpt_reader_status *ret_s);
/* Writes the error as a sentence without a stop: "NVML has not answered for 40 s"; "" if there
 * is none. Returns buf. */
const char *xpt_reader__say(const struct xpt_reader *r, uint64_t now_ns, char *buf, size_t n);
/* Lets its processes end by themselves and does not wait for them. NULL is fine. */
void xpt_reader__free(struct xpt_reader *r);

#endif
