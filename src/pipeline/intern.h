/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * String pool: one copy of each distinct string, alive until the pool is
 * freed, so that long-lived entities may point into it and be renamed.
 */
#ifndef XPT_PIPELINE_INTERN_H
#define XPT_PIPELINE_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct xpt_intern;

/*
 * max_bytes bounds strings and table together. *refused, owned by the caller,
 * counts strings for which there was no room. 0 or -ENOMEM.
 */
int xpt_intern__new(size_t max_bytes, uint64_t *refused, struct xpt_intern **ret_pool);
void xpt_intern__free(struct xpt_intern *pool);	/* NULL is fine */
/* The pool's copy of s; "" when the pool is full or memory is out. */
const char *xpt_intern__get(struct xpt_intern *pool, const char *s);

#endif
