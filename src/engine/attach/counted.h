/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counts of the places that got no probe when xputrace tried to set probes on a file. A file whose probes are refused
 * is tried repeatedly, and each place without a probe is counted once.
 */
#ifndef XPT_ENGINE_ATTACH_COUNTED_H
#define XPT_ENGINE_ATTACH_COUNTED_H

#include "engine/attach/counts.h"

struct xpt_engine;

/* Returns what the engine has counted until now: before a try. */
struct xpt_counted xpt_counted__now(const struct xpt_engine *e);
/*
 * After a try: takes back what it has counted and an earlier one had, too. of_file: what the file's earlier tries
 * have counted, which rises to what this one found; before: xpt_counted__now() before the try.
 */
void xpt_counted__once(struct xpt_engine *e, const struct xpt_counted *before, struct xpt_counted *of_file);
/* Adds b to a. */
void xpt_counted__add(struct xpt_counted *a, const struct xpt_counted *b);

#endif
