/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel names: which kernel a launched handle stands for, learned by watching
 * look-ups, registrations and aliases, which are recognized by class and role alone.
 *
 * A name is forgotten with the code it came from (UNLOAD), with its context
 * (RESET), with the program (exec) and the process, and when a look-up hands
 * its handle out again: a handle without a name is unknown, never wrong.
 */
#ifndef XPT_PIPELINE_CALLS_NAMES_H
#define XPT_PIPELINE_CALLS_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"

#define XPT_MAX_NAMES 262144		/* handles of one trace; the oldest goes */
#define XPT_MAX_NAME_BYTES (32u << 20)	/* of their text, each text once */
#define XPT_MAX_OWNERS 65536		/* modules and libraries with names, of one trace */

struct xpt_names;

enum xpt_names_act {
	XPT_NAMES_NOTHING,
	XPT_NAMES_LEARN,	/* LOAD, QUERY */
	XPT_NAMES_UNLOAD,
	XPT_NAMES_CONTEXT,	/* INIT: a context begins */
	XPT_NAMES_RESET,
	XPT_NAMES_LAUNCH,
};

/* The use of a function's calls for names; indexes of captures, -1: none. */
struct xpt_names_use {
	uint8_t act;
	int8_t out, in;			/* FUNC or KERNEL that comes out, that goes in */
	int8_t owner_out, owner;	/* MODULE or LIBRARY, likewise */
	int8_t context;
	bool bound;			/* the handle that gets a name is of one context */
	bool text;			/* call.str is a name */
	bool ret_owner;			/* the returned value is a fresh LIBRARY */
};

void xpt_names__use(const struct xpt_fn *fn, struct xpt_names_use *ret_use);

/* *evicted, owned by the caller, counts names that there was no room for. 0 or -ENOMEM. */
int xpt_names__new(uint64_t *evicted, struct xpt_names **ret_n);
void xpt_names__free(struct xpt_names *n);	/* NULL is fine */
/*
 * For calls of functions with an act, in order of arrival. returned: false for
 * a call in flight. Sets kernel and kernel_short of launches, which live until
 * the next use of n.
 */
void xpt_names__call(struct xpt_names *n, const struct xpt_names_use *use, struct xpt_call *c,
		     bool returned);
/* It ended, or runs another program. */
void xpt_names__forget(struct xpt_names *n, const struct xpt_proc *proc);
/* The child of a fork has the kernels that its parent had registered so far. */
void xpt_names__fork(struct xpt_names *n, const struct xpt_proc *parent,
		     const struct xpt_proc *child);

#endif
