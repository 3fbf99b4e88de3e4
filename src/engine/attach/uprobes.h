/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attaches and detaches the probes of a file. */
#ifndef XPT_ENGINE_ATTACH_UPROBES_H
#define XPT_ENGINE_ATTACH_UPROBES_H

#include <stdint.h>
#include "engine/attach/link_set.h"

struct xpt_elib;
struct xpt_engine;

/*
 * Attaches probes to n places of the file at path, given as offsets; see XPT_AT_RETURN for cookies. The links are
 * added to lib. Returns how many were attached, or -errno; notes refused ones.
 */
int xpt_uprobes__link(struct xpt_engine *e, struct xpt_elib *lib, const char *path,
		      const uint64_t *offsets, const uint64_t *cookies, uint32_t n);
/*
 * Returns the allowed cost of setting probes on that file, where anybody may join: no limit for a file of the
 * machine.
 */
struct xpt_link_allowance xpt_uprobes__allowance(const struct xpt_engine *e, const struct xpt_elib *lib);
void xpt_uprobes__unlink(struct xpt_elib *lib);	/* takes all of them away */

#endif
