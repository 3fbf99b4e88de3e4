/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings of processes (names, command lines): one copy of each, counted references, so that those of processes
 * that are gone take no memory. Strings that live as long as the trace go to the pool instead (intern.h).
 */
#ifndef XPT_PIPELINE_TEXTS_H
#define XPT_PIPELINE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

struct xpt_texts;

/* max_bytes: of all of them together. *refused, owned by the caller, counts strings that
 * found no room. 0 or -ENOMEM. */
int xpt_texts__new(size_t max_bytes, uint64_t *refused, struct xpt_texts **ret_t);
void xpt_texts__free(struct xpt_texts *t);	/* with all strings; NULL is fine */

/* A reference to the string; "", which needs none, if it is empty or found no room. */
const char *xpt_texts__get(struct xpt_texts *t, const char *s);
const char *xpt_texts__ref(const char *s);	/* of one that xpt_texts__get() gave */
void xpt_texts__put(struct xpt_texts *t, const char *s);

#endif
