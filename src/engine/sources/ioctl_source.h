/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Device ioctls in the engine: the requests of its users.
 */
#ifndef XPT_ENGINE_SOURCES_IOCTL_SOURCE_H
#define XPT_ENGINE_SOURCES_IOCTL_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/engine_config.h"
#include "wire/ioctl.h"

struct xpt_engine;

const char *xpt_ioctls_name(enum xpt_ioctls_kind kind);	/* "fentry" */

/* Whether a function of the kernel is one of these system calls itself. */
bool xpt_ioctl__is_call(const char *name);

/* Writes the name of the function to buf. Returns false if fn is no function id that the BPF programs give out. */
bool xpt_ioctl__function(struct xpt_engine *e, uint64_t fn, char *buf, size_t n);

#endif
