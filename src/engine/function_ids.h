/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of a trace. Whatever is traced - a function of a library or of the kernel, a
 * point, a tracepoint, an ioctl - is a function with an id here, and here alone.
 */
#ifndef XPT_ENGINE_FUNCTION_IDS_H
#define XPT_ENGINE_FUNCTION_IDS_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/wire.h"

struct xpt_domain;
struct xpt_engine;

#define XPT_NO_LIB 0xffffffffu	/* in place of the id of a LIB record: the function is in no library */

struct xpt_efn {		/* a function that has an id */
	char *sym;
	const struct xpt_domain *domain;
	uint8_t cost_kind;	/* enum xpt_cost_kind */
	bool kernel, shares_trap;	/* of the kernel; its trap counts as another function's */
	bool keep, stack;	/* its events are always needed (XPT_FN_KEEP); with the caller's stack */
	uint16_t strings;	/* bit i: value i is a string that can be read later (calls/late_strings.c) */
	uint64_t events, calls;	/* that came as records; from the final counters */
};

/* The description of a function that joins the trace. All texts are copied. */
struct xpt_new_function {
	const char *key;	/* identifies it among all functions; NULL: it is added once only */
	const char *name;	/* in messages */
	const char *sym, *base;	/* in the recording: its symbol, and the name that reports show */
	const char *group;	/* in the recording: the name of its domain or kind */
	const char *const *cap_names;	/* in the recording: of each of spec.nr_caps captures */
	struct xpt_wire_fn spec;	/* for the recording */
	struct xpt_wire_fn live;	/* for the BPF programs */
	uint32_t lib;		/* id of its LIB record, or XPT_NO_LIB */
	uint8_t layer;		/* enum xpt_layer */
	bool no_probe;		/* no program of ours counts it: live is not used */
	struct xpt_efn fn;	/* domain, cost_kind, kernel, stack, strings; the rest is filled in */
};

int xpt_functions__open(struct xpt_engine *e);	/* 0 or -ENOMEM */
void xpt_functions__close(struct xpt_engine *e);

/* The id of the function that was added with that key, or 0. */
uint32_t xpt_functions__find(const struct xpt_engine *e, const char *key);
/*
 * Returns the id that the next function gets, for data that must be set before the function is added; 0: there is no
 * room.
 */
uint32_t xpt_functions__next(const struct xpt_engine *e);
/*
 * Gives the function an id, describes it to the BPF programs and writes its FN record. 0: there
 * is no room, or no memory; then nothing has changed.
 */
uint32_t xpt_functions__add(struct xpt_engine *e, const struct xpt_new_function *f);

/*
 * The id of the LIB record of a file or module. before: the id that its place in a table of files had until now, 0
 * for none. That id is used again unless a function is in that library: reports would show the function in the new
 * file.
 */
uint32_t xpt_functions__lib_id(struct xpt_engine *e, uint32_t before);

/*
 * Ids 1 to n for functions that are alike and get their names when they are first seen: know is
 * called before each record that names one of them. Only before all others. 0 or -errno.
 */
int xpt_functions__reserve(struct xpt_engine *e, uint32_t n, const struct xpt_wire_fn *live,
			   void (*know)(struct xpt_engine *e, uint32_t id));
/* A record that names this function is about to be handed on. */
void xpt_functions__know(struct xpt_engine *e, uint32_t id);
/* Writes the FN record of a reserved function; leaves the engine's scratch as it is. */
void xpt_functions__describe(struct xpt_engine *e, uint32_t id, const struct xpt_new_function *f);

#endif
