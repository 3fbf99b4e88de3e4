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
 * To be called after a try: subtracts the places that an earlier try has counted, too. of_file: the counts of the
 * file's earlier tries, which are raised to those of this one; before: xpt_counted__now() before the try.
 */
void xpt_counted__once(struct xpt_engine *e, const struct xpt_counted *before, struct xpt_counted *of_file);
/* Adds b to a. */
void xpt_counted__add(struct xpt_counted *a, const struct xpt_counted *b);

#endif
