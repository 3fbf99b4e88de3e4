/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The texts of kernel names: one copy of each, counted references, made
 * readable when it is first asked for. Used by names.c alone.
 */
#ifndef XPT_PIPELINE_CALLS_NAMES_TEXT_H
#define XPT_PIPELINE_CALLS_NAMES_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct xpt_name_texts;
struct xpt_name_text;

int xpt_name_texts__new(size_t max_nr, struct xpt_name_texts **ret_t);
void xpt_name_texts__free(struct xpt_name_texts *t);	/* after all references; NULL is fine */
size_t xpt_name_texts__bytes(const struct xpt_name_texts *t);	/* held now */
/* A reference to the text of name as it was captured; NULL: no memory. */
struct xpt_name_text *xpt_name_text__get(struct xpt_name_texts *t, const char *name);
struct xpt_name_text *xpt_name_text__ref(struct xpt_name_text *x);
void xpt_name_text__put(struct xpt_name_texts *t, struct xpt_name_text *x);
/* Demangled: in full, and without arguments. Valid as long as the reference. */
const char *xpt_name_text__full(struct xpt_name_texts *t, struct xpt_name_text *x);
const char *xpt_name_text__brief(struct xpt_name_texts *t, struct xpt_name_text *x);

#endif
