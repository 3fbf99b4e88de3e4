/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel functions in a trace: what the engine's users ask for, and what
 * engine.c calls. All but xpt_kdriver__* is for the engine only.
 */
#ifndef XPT_ENGINE_KFUNC_H
#define XPT_ENGINE_KFUNC_H

#include "engine/kattach.h"
#include "engine/kfind.h"

struct call_bpf;
struct xpt_domain;
struct xpt_engine;
struct xpt_fn_row;

#define XPT_KREGS 6		/* argument words that are in registers: those that are captured */
#define XPT_KFUNCS_MAX 3000u	/* of one trace; XPT_MAX_FNS is for all layers */
#define XPT_KFUNCS_MANY 8u	/* more than these share programs where they can */

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

/* The driver domain that a module belongs to, or NULL; the row of a function, or NULL. */
const struct xpt_domain *xpt_kdriver__domain(const char *module);
const struct xpt_fn_row *xpt_kdriver__row(const char *module, const char *name);

/* For engine.c, in this order; all do nothing where no kernel functions are traced. */
int xpt_kfunc__configure(struct xpt_engine *e, struct call_bpf *skel);
int xpt_kfunc__start(struct xpt_engine *e);
void xpt_kfunc__step(struct xpt_engine *e);
void xpt_kfunc__detach(struct xpt_engine *e);
void xpt_kfunc__free(struct xpt_engine *e);
/* stats.slow_links */
uint32_t xpt_kfunc__slow_links(const struct xpt_engine *e);
/* Calls that were not seen because a program was busy on their CPU; before detach. */
uint64_t xpt_kfunc__missed(const struct xpt_engine *e);
void xpt_kfunc__stats(const struct xpt_engine *e, struct xpt_kfunc_stats *ret_stats);

#endif
