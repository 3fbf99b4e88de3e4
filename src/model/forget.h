/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * XPT_EV_FORGET: ended processes that did little are evicted, and the memory of
 * their struct xpt_proc is used again. The owner of a table by process removes
 * them from it then, with the functions below; sums stay.
 *
 * The maps are those whose keys begin with a pointer to a process, or NULL.
 */
#ifndef XPT_MODEL_FORGET_H
#define XPT_MODEL_FORGET_H

#include <stdbool.h>
#include <stddef.h>
#include "base/hashmap.h"
#include "model/event.h"

/* This process is still needed, for a finding for example; it will be asked again and
 * again. False: it goes all the same, for too many that ended are kept already. */
bool xpt_proc__keep(const struct xpt_proc *proc);

/* Keeps the processes of the first n values in this order, that of qsort(3) for an array
 * of pointers to values. */
void xpt_forget__keep_first(const struct xpt_hashmap *map,
			    int (*order)(const void *, const void *), size_t n);

/* Removes the entries of evicted processes. gone, if not NULL, sees each before and
 * must not insert. Returns the number of removed entries. */
size_t xpt_forget__map(struct xpt_hashmap *map, void (*gone)(void *ctx, void *val), void *ctx);

#endif
