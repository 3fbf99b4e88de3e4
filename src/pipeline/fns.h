/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions and libraries that a stream has named: ids become pointers
 * that live until the table is freed.
 */
#ifndef XPT_PIPELINE_FNS_H
#define XPT_PIPELINE_FNS_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event.h"
#include "pipeline/decode.h"
#include "pipeline/calls/names.h"

#define XPT_MAX_LIB_RECORDS 8192

struct xpt_intern;
struct xpt_fns;

struct xpt_fn_entry {
	struct xpt_fn fn;
	uint32_t lib_id;
	struct xpt_names_use names;
	uint16_t out_mask;	/* bit i: value i is an out-parameter */
	uint8_t gpu;		/* enum xpt_gpu_use */
	uint8_t capturing;	/* enum xpt_capturing_act */
	bool cached;		/* result is the meaning of code */
	int64_t code;
	const struct xpt_result *result;
};

/* Names go to pool, paths of libraries to paths; both must outlive the table. 0 or -ENOMEM. */
int xpt_fns__new(struct xpt_intern *pool, struct xpt_intern *paths, struct xpt_fns **ret_fns);
void xpt_fns__free(struct xpt_fns *fns);	/* NULL is fine */
/* Takes a decoded FN record. False: its id belongs to another function, or no memory. */
bool xpt_fns__add(struct xpt_fns *fns, const struct xpt_decoded *d);
struct xpt_fn_entry *xpt_fns__get(const struct xpt_fns *fns, uint32_t id);	/* or NULL */
/* Takes a decoded LIB record, new or an update. NULL: XPT_MAX_LIB_RECORDS reached, or no memory. */
const struct xpt_lib *xpt_fns__add_lib(struct xpt_fns *fns, const struct xpt_decoded *d);
/*
 * Names of the states of objects of a kind, "A,B,,D" from 0 on: values of that kind have them from now on. Without
 * them they have those of the newest release that the domain knows.
 */
void xpt_fns__name_states(struct xpt_fns *fns, const char *kind, const char *names);
/* Returns the meaning of code as a return value of the function, or NULL if it is unknown. */
const struct xpt_result *xpt_fns__result(struct xpt_fn_entry *f, int64_t code);

#endif
