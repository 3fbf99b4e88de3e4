/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An analyzer gets events and emits records. One analyzer is one file,
 * src/analyze/<name>.c, with one `const struct xpt_analyzer
 * xpt_analyzer_<name>`; the makefile generates the registry.
 *
 * Order of calls: open, event..., close; close also after a failed open (the
 * state is zeroed before open). Analyzers see events in order of completion,
 * keep no pointer but those that event.h allows, bound every table and count
 * what they evict. A result that asks the user to act is a finding (finding.h).
 * They may include base, wire/vocab.h and model; nothing else.
 */
#ifndef XPT_MODEL_OUTPUT_ANALYZER_H
#define XPT_MODEL_OUTPUT_ANALYZER_H

#include <stddef.h>
#include <stdint.h>
#include "model/event.h"
#include "model/output/finding.h"
#include "model/output/out.h"
#include "model/output/schema.h"

struct xpt_analyzer {
	const char *name, *help;
	const struct xpt_schema *const *emits;	/* NULL-terminated */
	size_t state_size;
	int (*open)(void *st);	/* 0 or -errno; may be NULL */
	/* XPT_EV_END is the moment to emit results. */
	void (*event)(void *st, const struct xpt_event *ev, struct xpt_out *out);
	void (*close)(void *st);	/* frees; may be NULL */
};

extern const struct xpt_analyzer *const xpt_analyzers[];
extern const size_t xpt_nr_analyzers;

#endif
