/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of the hooks of a trace. Between hook_source.c and hook_rows.c only.
 */
#ifndef XPT_ENGINE_SOURCES_HOOKS_HOOK_SOURCE_PRIV_H
#define XPT_ENGINE_SOURCES_HOOKS_HOOK_SOURCE_PRIV_H

#include "base/hashmap.h"
#include "engine/sources/hooks/hook_source.h"

struct xpt_sent_task;

struct xpt_hook_word {		/* a part of a key that means something in its process */
	uint32_t tgid, kind;	/* enum xpt_hook_key_kind */
	uint64_t life, word;
};

struct xpt_hook_life {		/* a program of a process */
	uint64_t tgid, life;
};

struct xpt_hooks {
	struct xpt_hook_state state[XPT_HOOKS_MAX];
	struct xpt_hashmap *ended;	/* struct xpt_hook_life -> struct xpt_span; their keys have no names yet */
	struct xpt_hashmap *naming;	/* the same, of those whose keys are being named; empty otherwise */
	struct xpt_hook_enums *enums;	/* NULL: no key has one */
	bool is_naming;			/* records can be read meanwhile, with the ends of others */
	uint64_t next_look_ns;		/* at the keys in the kernel's table, for these */
	struct xpt_hashmap *texts;	/* struct xpt_hook_word -> char *, of lives that have ended */
};

/* The source's state; NULL: there is no hook. */
struct xpt_hooks *xpt_hooks__of(const struct xpt_engine *e);
/* hook_rows.c: names the keys of lives that have ended; while the lives are known, or soon afterwards. */
void xpt_hooks__on_task(struct xpt_engine *e, const struct xpt_sent_task *t);
void xpt_hooks__step(struct xpt_engine *e);
void xpt_hooks__emit(struct xpt_engine *e);	/* all rows, into the stream */

#endif
