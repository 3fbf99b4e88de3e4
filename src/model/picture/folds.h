/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folded stacks: how much time, how many bytes or calls each different stack has.
 * A stack is a line of text, `process;outermost;...;innermost;function`; without
 * recorded stacks `process;thread;outer call;...;function`. Bounded: the values of
 * stacks that find no room are in one sum.
 */
#ifndef XPT_MODEL_PICTURE_FOLDS_H
#define XPT_MODEL_PICTURE_FOLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/event.h"

/* Order: that of the option --weight. */
enum xpt_fold_weight {
	XPT_FOLD_TIME,	/* ns in the traced function, without traced calls inside it */
	XPT_FOLD_BYTES,	/* allocated, copied, set or pinned */
	XPT_FOLD_COUNT,	/* calls */
	XPT_FOLD__MAX,
};

struct xpt_fold {
	char *text;
	uint64_t value;
};

struct xpt_folds;

int xpt_folds__new(enum xpt_fold_weight weight, struct xpt_folds **ret_f);	/* 0 or -ENOMEM */
void xpt_folds__free(struct xpt_folds *f);	/* NULL is fine */
/* returned: not in flight. A call may come while it runs and again when it returns. */
void xpt_folds__call(struct xpt_folds *f, const struct xpt_call *c, bool returned);
void xpt_folds__forget(struct xpt_folds *f);	/* at XPT_EV_FORGET */
/* All lines by text, once, at the end; other: the sum of the stacks that found no room. */
const struct xpt_fold *xpt_folds__sorted(struct xpt_folds *f, size_t *ret_nr, uint64_t *ret_other);
/* Returns the weight in a file's name (x.bytes.svg), else weight. */
enum xpt_fold_weight xpt_fold_weight(const char *path, unsigned weight);

#endif
