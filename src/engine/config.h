/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What users of the engine ask of its sources, and what they are told about them. Part of
 * struct xpt_engine_cfg and struct xpt_engine_stats (engine.h).
 */
#ifndef XPT_ENGINE_CONFIG_H
#define XPT_ENGINE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include "hooks/hook.h"
#include "kernel/kattach.h"

struct xpt_kfind;

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

#define XPT_KFUNCS_MAX 3000u	/* of one trace; XPT_MAX_FNS is for all layers */

struct xpt_kfunc_cfg {
	struct xpt_kfind *find;	/* NULL: none are traced; needed until xpt_engine__new() returns */
	const char *const *patterns;	/* as for xpt_kfind__match(), or NULL */
	bool tables;		/* functions of loaded drivers that a domain knows, too */
	enum xpt_kattach kind;	/* AUTO: for each function the best that works */
	uint32_t max;		/* functions at most */
};

struct xpt_kfunc_stats {
	uint32_t nr, nr_failed;	/* traced; wanted, but not to be had */
	uint32_t by_kind[XPT_KATTACH__MAX];
	bool works;		/* some way of attaching does, of those asked for */
	uint64_t attach_ns;
	uint32_t slow_links;	/* each takes about 0.14 s to close */
};

/* What became of a hook, for messages. */
struct xpt_hook_state {
	uint32_t nr_fns;		/* functions that have it */
	uint64_t too_many;		/* what matched in a file was more than there is room for, 0: never */
	struct xpt_hook_error err;	/* why[0]: why a function that matched does not have it */
	const char *unseen;		/* why returns of a function that matched cannot be seen; NULL: they can */
};

#endif
