/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings of hooks between the engine and its BPF programs (wire/hook_text.h).
 */
#ifndef XPT_ENGINE_SOURCES_HOOK_TEXTS_H
#define XPT_ENGINE_SOURCES_HOOK_TEXTS_H

#include <stdint.h>

struct call_bpf;
struct xpt_engine;

/* Before loading: sizes of the tables. */
void xpt_hook_texts__configure(const struct xpt_engine *e, struct call_bpf *skel);
/* Puts the programs of all hooks into the kernel, with the strings of their filters. 0 or -errno. */
int xpt_hook_texts__open(const struct xpt_engine *e);
/*
 * Returns the string that has this hash in keys, for free(), with "..." if it was longer than
 * 255 bytes; a text that contains the hash if the string was not kept; NULL without memory.
 */
char *xpt_hook_texts__find(const struct xpt_engine *e, uint64_t hash);

#endif
