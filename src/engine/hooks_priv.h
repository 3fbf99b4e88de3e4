/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of the hooks of a trace. Between hooks.c and hook_rows.c only.
 */
#ifndef XPT_ENGINE_HOOKS_PRIV_H
#define XPT_ENGINE_HOOKS_PRIV_H

#include "base/hashmap.h"
#include "engine/hooks.h"

struct xpt_hook_word {		/* a part of a key that means something in its process */
	uint32_t tgid, kind;	/* enum xpt_hook_key_kind */
	uint64_t life, word;
};

struct xpt_hooks {
	struct xpt_hook_state state[XPT_HOOKS_MAX];
	struct xpt_hashmap *texts;	/* struct xpt_hook_word -> char *, of lives that have ended */
};

#endif
