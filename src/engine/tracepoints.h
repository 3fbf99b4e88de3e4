/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tracepoints that hooks name, for engine.c. All do nothing where none does.
 */
#ifndef XPT_ENGINE_TRACEPOINTS_H
#define XPT_ENGINE_TRACEPOINTS_H

#include <stdbool.h>
#include <stdint.h>

struct call_bpf;
struct xpt_engine;
struct xpt_tps;

void xpt_tracepoints__configure(const struct xpt_engine *e, struct call_bpf *skel);
int xpt_tracepoints__open(struct xpt_engine *e);	/* finds and describes them; 0 or -errno */
int xpt_tracepoints__start(struct xpt_engine *e);	/* attaches them */
void xpt_tracepoints__detach(struct xpt_engine *e);
void xpt_tracepoints__free(struct xpt_engine *e);
/* Links that each take some 0.1 s to close. */
uint32_t xpt_tracepoints__slow_links(const struct xpt_engine *e);
/* Calls fn for each tracepoint; false: there is no tracefs. */
bool xpt_tracepoints__each(void (*fn)(void *ctx, const char *category, const char *name), void *ctx);

#endif
