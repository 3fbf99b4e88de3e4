/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings of hooks (docs/hooks.md), which the engine and its BPF programs exchange in maps (wire/hook_text.h).
 */
#ifndef XPT_ENGINE_SOURCES_HOOKS_HOOK_TEXTS_H
#define XPT_ENGINE_SOURCES_HOOKS_HOOK_TEXTS_H

#include <stdint.h>

struct call_bpf;
struct xpt_engine;

/* Sets the sizes of these maps, before they are created. */
void xpt_hook_texts__configure(const struct xpt_engine *e, struct call_bpf *skel);
/* Writes all hooks and the strings of their filters into maps. Returns 0 or -errno. */
int xpt_hook_texts__open(const struct xpt_engine *e);
/*
 * Returns the string with this hash, which a key of a hook holds; "..." follows one that was longer
 * than 255 bytes. If the map had no room for the string, returns a text with the hash instead.
 * The caller frees it. NULL: no memory.
 */
char *xpt_hook_texts__find(const struct xpt_engine *e, uint64_t hash);

#endif
