/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flight recorder of an agent: keeps the newest records in memory (pipeline/recording/flight.h) and writes them
 * as a recording when a call hangs, a program crashes in a call, a function fails as it has not failed before, the
 * driver reports an Xid, or SIGUSR1 comes. A child process writes the records from its copy of the memory, so that
 * tracing continues meanwhile.
 */
#ifndef XPT_SESSION_AGENT_RECORDER_H
#define XPT_SESSION_AGENT_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "pipeline/recording/file_share.h"
#include "session/agent/recorder_files.h"

struct xpt_engine;
struct xpt_flight;

enum xpt_recorder_cause {
	XPT_RECORDER_ASKED, XPT_RECORDER_HANG, XPT_RECORDER_CRASH, XPT_RECORDER_ERROR, XPT_RECORDER_XID, XPT_RECORDER__MAX
};

struct xpt_recorder_cfg {
	const char *dir;		/* NULL: there is no flight recorder */
	uint64_t max_bytes, keep_ns;	/* see pipeline/recording/flight.h */
	uint64_t hang_ns;		/* a call that has lasted this long hangs; 0: no call does */
	xpt_owner_fn owner;
	void *owner_ctx;
};

/* A fault or a request that a recording is to be written for. */
struct xpt_recorder_trigger {
	enum xpt_recorder_cause cause;
	uint64_t owner;			/* of the process, or a value that stands for none (recorder.c) */
	char text[160];			/* one line for people */
};

struct xpt_recorder_cooldown {		/* when the last recording for an owner began */
	uint64_t owner, since_ns;
};

enum { XPT_RECORDER_PENDING = 16, XPT_RECORDER_COOLDOWNS = 64 };

struct xpt_recorder {			/* zeroed: closed */
	struct xpt_recorder_cfg cfg;
	struct xpt_flight *flight;	/* NULL: closed */
	struct xpt_recorder_files files;
	struct xpt_recorder_trigger pending[XPT_RECORDER_PENDING];
	unsigned nr_pending;
	struct xpt_recorder_cooldown cooldown[XPT_RECORDER_COOLDOWNS];
	struct xpt_recorder_trigger writing_for;
	char name[XPT_RECORDER_NAME];	/* of the recording that is being written */
	pid_t writer;			/* 0: nothing is being written */
	/* Set while calls in flight are read, and at the end: records then start no recording. */
	bool muted;
	uint64_t nr_written[XPT_RECORDER__MAX], nr_failed[XPT_RECORDER__MAX];
};

const char *xpt_recorder_cause(enum xpt_recorder_cause cause);	/* "hang" ..., as names of files have it */
/* Returns 0, or -errno after a message. */
int xpt_recorder__open(struct xpt_recorder *r, const struct xpt_recorder_cfg *cfg);
/* Changes the folder or the limits. Returns 0; or -errno after a message, and then nothing has changed. */
int xpt_recorder__change(struct xpt_recorder *r, const struct xpt_recorder_cfg *cfg);
/* Keeps a record. If it shows a hanging call, a crash or an Xid, requests a recording. */
void xpt_recorder__take(struct xpt_recorder *r, const void *rec, size_t size);
/* Requests a recording, which is written as soon as that owner may have one. fmt: the reason, for people. */
void xpt_recorder__want(struct xpt_recorder *r, enum xpt_recorder_cause cause, uint64_t owner, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Starts to write a requested recording, and reports the one that was written. Called a few times a second. */
void xpt_recorder__step(struct xpt_recorder *r, struct xpt_engine *e, uint64_t now_ns);
/* The trace ends: records that come from now on start no recording. */
void xpt_recorder__end(struct xpt_recorder *r);
/* Waits for the recording that is being written, 5 s at most. */
void xpt_recorder__close(struct xpt_recorder *r);

#endif
