/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of the values of hooks' keys, from enums of the programs that they are on.
 */
#ifndef XPT_ENGINE_SOURCES_HOOKS_HOOK_ENUMS_H
#define XPT_ENGINE_SOURCES_HOOKS_HOOK_ENUMS_H

#include <stdint.h>
#include "hooks/hook.h"

struct xpt_hook_enums;

/* hooks outlive it. 0, *ret_s NULL: no key has an enum; or -ENOMEM. */
int xpt_hook_enums__new(const struct xpt_hook *hooks, uint32_t nr, struct xpt_hook_enums **ret_s);
void xpt_hook_enums__free(struct xpt_hook_enums *s);	/* NULL is fine */
/*
 * A file got probes of these hooks (bit i: hook i): reads the enums of their keys. path may be a link of /proc.
 * Returns how many times debug information was there and could not be read.
 */
unsigned xpt_hook_enums__read(struct xpt_hook_enums *s, uint64_t hooks, const char *path);
/* An enum of a key of hook i of which a file had no names, or NULL. */
const char *xpt_hook_enums__unnamed(const struct xpt_hook_enums *s, uint32_t i);
/* The name of a value of key `key` in a table (xpt_wire_hook.map) that all programs of its hooks have for it, or the
 * number. The caller frees; NULL: no memory. s may be NULL. */
char *xpt_hook_enums__name(const struct xpt_hook_enums *s, uint32_t map, unsigned key, uint64_t value);

#endif
