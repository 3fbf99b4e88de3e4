/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel functions in a trace: the requests of the engine's users.
 */
#ifndef XPT_ENGINE_SOURCES_KFUNC_H
#define XPT_ENGINE_SOURCES_KFUNC_H

#include "engine/engine_config.h"
#include "kernel/kattach.h"
#include "kernel/kfind.h"

struct call_bpf;
struct xpt_domain;
struct xpt_engine;
struct xpt_fn_row;

#define XPT_KREGS 6		/* argument words that are in registers: those that are captured */
#define XPT_KFUNCS_MANY 8u	/* more than these share programs where they can */

/* Return the driver domain of a module, or NULL; and the row of a function, or NULL. */
const struct xpt_domain *xpt_kdriver__domain(const char *module);
const struct xpt_fn_row *xpt_kdriver__row(const char *module, const char *name);

#endif
