/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Callers' stacks inside the engine: ids for them, and a STACK record with
 * names for each. All take NULL for a trace without stacks.
 */
#ifndef XPT_ENGINE_CALLS_CALLERS_H
#define XPT_ENGINE_CALLS_CALLERS_H

#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "wire/wire.h"

struct xpt_callers;
struct xpt_engine;
struct xpt_mapping;
struct xpt_span;

/* read_mappings: reads the kernel's records of mappings until now. Returns 0 or -ENOMEM. */
int xpt_callers__new(struct xpt_engine *e, void (*read_mappings)(struct xpt_engine *e),
		     struct xpt_callers **ret_c);
void xpt_callers__free(struct xpt_callers *c);
void xpt_callers__on_task(struct xpt_callers *c, const struct xpt_rec_task *t);
void xpt_callers__add(struct xpt_callers *c, int pid);	/* it will make calls: look at it now */
void xpt_callers__on_mapping(struct xpt_callers *c, int pid, const struct xpt_mapping *m);
/* The kernel reported an exec, of any process: the mappings of the new program follow. */
void xpt_callers__on_exec(struct xpt_callers *c, int pid, uint64_t ts_ns);
/* The process has ended, or runs another program: its former mappings are not looked at again. */
void xpt_callers__on_end(struct xpt_callers *c, int pid, uint64_t ts_ns);
/* The call with the stack's id in the place of XPT_STACK_WORD; valid until the next. */
const void *xpt_callers__on_call(struct xpt_engine *e, const void *rec, size_t size);
/* The id for such a word, 0 if there is no room; its first use writes a STACK
 * record, by way of e->scratch. */
uint32_t xpt_callers__id(struct xpt_engine *e, uint32_t tgid, uint64_t word);
/*
 * The stack of such a word, a line a frame, innermost first; the code at an address.
 * Both as they were while that program ran; NULL, or where that is not known any more:
 * "unknown(ADDRESS)".
 */
void xpt_callers__add_stack(struct xpt_engine *e, uint32_t tgid, const struct xpt_span *when,
			    uint64_t word, struct xpt_strbuf *sb);
void xpt_callers__add_symbol(struct xpt_engine *e, uint32_t tgid, const struct xpt_span *when,
			     uint64_t addr, struct xpt_strbuf *sb);
uint64_t xpt_callers__failed(const struct xpt_callers *c);	/* calls that got no id */

#endif
