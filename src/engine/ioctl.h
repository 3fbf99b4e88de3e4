/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device ioctls in the engine: what its users ask for, and its own state.
 */
#ifndef XPT_ENGINE_IOCTL_H
#define XPT_ENGINE_IOCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire/ioctl.h"

struct bpf_link;
struct call_bpf;
struct xpt_engine;
struct xpt_engine_cfg;

/* How the system call is watched, cheapest first. */
enum xpt_ioctls_kind {
	XPT_IOCTLS_AUTO,
	XPT_IOCTLS_FENTRY,	/* on the system call itself: other system calls pay nothing */
	XPT_IOCTLS_TRACEPOINT,	/* its own tracepoints: the others pay a little */
	XPT_IOCTLS_RAW,		/* those of all system calls: the others pay; without tracefs */
	XPT_IOCTLS__MAX
};

struct xpt_ioctl_device {
	uint64_t dev;		/* xpt_ioctl_device_key(), or with XPT_IOCTL_ANY_MINOR */
	uint32_t table;		/* enum xpt_ioctl_table; 0: its driver's */
};

#define XPT_IOCTL_CALLS 4	/* ioctl, mmap, poll, ppoll */

struct xpt_eioctl {		/* part of struct xpt_engine */
	enum xpt_ioctls_kind kind;
	struct bpf_link *link[2 * XPT_IOCTL_CALLS];
	unsigned nr_links;
	uint32_t nr_devices;	/* devices and majors that are watched */
	uint64_t next_look_ns;
	bool known[XPT_IOCTL_FNS + 1];	/* its FN record was written */
};

const char *xpt_ioctls_name(enum xpt_ioctls_kind kind);	/* "fentry" */
/* The key of a device by st_mode and st_rdev of stat(2). */
uint64_t xpt_ioctl_device_key(unsigned mode, uint64_t rdev);

/* Whether a function of the kernel is one of these system calls itself. */
bool xpt_ioctl__is_call(const char *name);

/* Why what was asked for cannot be, found out before anything is loaded; or NULL. */
const char *xpt_ioctl__why_not(const struct xpt_engine_cfg *cfg);
/* For engine.c, in this order; all do nothing where ioctls are not traced. 0 or -errno. */
void xpt_ioctl__configure(struct xpt_engine *e, struct call_bpf *skel);
int xpt_ioctl__open(struct xpt_engine *e);
int xpt_ioctl__start(struct xpt_engine *e);
void xpt_ioctl__step(struct xpt_engine *e);
void xpt_ioctl__detach(struct xpt_engine *e);
/* Runs of fentry programs that the kernel left out, of whatever process. */
uint64_t xpt_ioctl__missed(const struct xpt_engine *e);
/* Links that each take some 0.1 s to close. */
bool xpt_ioctl__slow_to_leave(const struct xpt_engine *e);
/* The name of a function that the kernel side has made up; false: it is none. */
bool xpt_ioctl__function(struct xpt_engine *e, uint64_t fn, char *buf, size_t n);
/* Writes the FN record of a function that the kernel side has made up, once. */
void xpt_ioctl__know(struct xpt_engine *e, uint32_t fn);

#endif
