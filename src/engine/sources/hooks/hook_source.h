/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks in the engine: their programs for the kernel, the values that they
 * capture of each function, and the rows of their sums. All functions do
 * nothing where there is no hook.
 */
#ifndef XPT_ENGINE_SOURCES_HOOKS_HOOK_SOURCE_H
#define XPT_ENGINE_SOURCES_HOOKS_HOOK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/engine_config.h"
#include "hooks/hook.h"
#include "sites/returns.h"

struct xpt_domain;
struct xpt_engine;
struct xpt_wire_fn;
struct xpt_wire_hook_steps;

/* The domain that knows functions of such a file, or NULL. */
const struct xpt_domain *xpt_hooks__domain(const char *path);
/* Returns whose function it is if the user names a function of a file. */
enum xpt_return_of xpt_hooks__return_of(const char *path, const char *sym);
/*
 * Builds the captures of hook `nr` (from 1) for a function, and the steps to values that are not in an argument
 * itself. place.known is filled in from d, which may be NULL. Returns false if a value is not to be had; that is
 * noted.
 */
bool xpt_hooks__spec(struct xpt_engine *e, uint8_t nr, struct xpt_hook_place *place, const struct xpt_domain *d,
		     struct xpt_captures *ret_caps, struct xpt_wire_hook_steps *ret_steps);
/* The BPF programs read them so for function `fn` from now on. False: the kernel refuses it. */
bool xpt_hooks__set_steps(struct xpt_engine *e, uint32_t fn, const struct xpt_wire_hook_steps *steps);
/* Changes spec to the form in which a record shows the values of function `fn`: those read after the capture. */
void xpt_hooks__show(const struct xpt_engine *e, uint32_t fn, struct xpt_wire_fn *spec);
/* The hook of a kernel function, from 1; 0: none. */
uint8_t xpt_hooks__kernel(const struct xpt_engine *e, const char *module, const char *name);
/* Whether n more functions or places have room; notes it if not. */
bool xpt_hooks__fit(struct xpt_engine *e, uint8_t nr, uint64_t n, uint64_t room);
/* Notes why a function or place that matched does not get the hook; the first reason is printed. */
void xpt_hooks__refuse(struct xpt_engine *e, uint8_t nr, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void xpt_hooks__found(struct xpt_engine *e, uint8_t nr);
/* A file got probes of these hooks (bit i: hook i + 1): reads the enums that their keys are named by. */
void xpt_hooks__read_enums(struct xpt_engine *e, uint64_t hooks, const char *path);
/* Returns of a function that it matches cannot be seen. why: static text. */
void xpt_hooks__unseen(struct xpt_engine *e, uint8_t nr, const char *why);
/* HOOK records of all rows, by map, the largest first. Each lives for the callback. */
void xpt_hooks__rows(struct xpt_engine *e, void (*fn)(void *ctx, const void *rec, size_t size), void *ctx);

#endif
