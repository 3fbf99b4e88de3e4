/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An analyzer gets events and emits records. One analyzer is one file,
 * src/analyze/<name>.c, with one `const struct xpt_analyzer
 * xpt_analyzer_<name>`; the makefile generates the registry.
 *
 * Order of calls: open, event..., close; close also after a failed open (the state is zeroed before open). The tables
 * that an analyzer declares exist from open to close. Analyzers see events in order of completion, keep no pointer
 * but those that event.h allows, bound every table and count what they evict. A result that asks the user to act is a
 * finding (finding.h). They may include base, wire/vocab.h and model; nothing else.
 */
#ifndef XPT_MODEL_OUTPUT_ANALYZER_H
#define XPT_MODEL_OUTPUT_ANALYZER_H

#include <stddef.h>
#include <stdint.h>
#include "model/event.h"
#include "model/output/finding.h"
#include "model/output/out.h"
#include "model/output/schema.h"
#include "model/output/stream.h"

enum {
	XPT_TABLE_OF_PROCESSES = 1,	/* keys begin with a process: the entries of evicted ones go at XPT_EV_FORGET,
					 * after the event */
	XPT_TABLE_OWNS = 2,		/* values are pointers of malloc(3) or NULL, freed with their entries */
};

/* A table of an analyzer's state: a hash map, or an array of zeros. */
struct xpt_table {
	size_t offset;		/* of the pointer to it, in the state */
	size_t key_size;	/* 0: an array */
	size_t val_size, max;	/* max: entries, elements */
	unsigned flags;		/* XPT_TABLE_* */
};

/* state: the struct; key, val: types; nr: elements */
#define XPT_MAP(state, member, key, val, max, flags) { offsetof(state, member), sizeof(key), sizeof(val), max, flags }
#define XPT_ARRAY(state, member, nr) { offsetof(state, member), 0, sizeof(*((state *)0)->member), nr, 0 }

struct xpt_analyzer {
	const char *name, *help;
	const struct xpt_schema *const *emits;	/* NULL-terminated */
	size_t state_size;
	const struct xpt_table *tables;		/* ends with val_size 0; may be NULL */
	const struct xpt_ledger_ops *blocks;	/* called for blocks of memory before the event; or NULL */
	int (*open)(void *st);	/* 0 or -errno; may be NULL */
	/* XPT_EV_END is the moment to emit results. */
	void (*event)(void *st, const struct xpt_event *ev, struct xpt_out *out);
	void (*close)(void *st);	/* frees; may be NULL */
};

/* For the owner of an analyzer. open: makes its state and tables; 0, -ENOMEM, -E2BIG or the error of a->open(). */
int xpt_analyzer__open(const struct xpt_analyzer *a, struct xpt_stream *stream, void **ret_state);
void xpt_analyzer__event(const struct xpt_analyzer *a, void *st, const struct xpt_event *ev, struct xpt_out *out);
void xpt_analyzer__close(const struct xpt_analyzer *a, void *st);	/* frees the state, too */

extern const struct xpt_analyzer *const xpt_analyzers[];
extern const size_t xpt_nr_analyzers;

#endif
