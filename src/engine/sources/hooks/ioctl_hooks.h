/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks on ioctls: which commands they are for, as the kernel side looks them up.
 */
#ifndef XPT_ENGINE_SOURCES_HOOKS_IOCTL_HOOKS_H
#define XPT_ENGINE_SOURCES_HOOKS_IOCTL_HOOKS_H

#include <stdbool.h>
#include <stdint.h>
#include "hooks/hook.h"
#include "wire/ioctl.h"

struct call_bpf;
struct xpt_engine;

#define XPT_IOCTL_HOOK_KEYS 8192u	/* commands and groups of them, of all hooks */

typedef bool (*xpt_ioctl_key_fn)(void *ctx, const struct xpt_ioctl_key *key);
/*
 * Calls fn for every command that the probe of an ioctl's hook means, as a key with
 * XPT_IOCTL_ANY where it is any; false from fn ends it. Their number.
 */
uint32_t xpt_ioctl_hook__keys(const struct xpt_probe *p, xpt_ioctl_key_fn fn, void *ctx);
/* Names that a probe could have meant, each with fn. */
void xpt_ioctl_hook__names(void (*fn)(void *ctx, const char *name), void *ctx);
/* Whether DEVICE of the probe is a kind of device; else it is a file. */
bool xpt_ioctl_hook__is_kind(const char *device);

/* For engine.c and ioctl_source.c; all do nothing where no hook is for ioctls. */
bool xpt_ioctl_hooks__any(const struct xpt_engine *e);
void xpt_ioctl_hooks__configure(const struct xpt_engine *e, struct call_bpf *skel);
int xpt_ioctl_hooks__open(struct xpt_engine *e);	/* 0 or -errno */
/* The hook on the command that has function id fn, or NULL. */
const struct xpt_hook *xpt_ioctl_hooks__of(const struct xpt_engine *e, uint32_t fn);

#endif
