/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes in the table of targets that are gone although no program saw their end: without this they would be
 * waited for, or be taken for the next process with that id.
 */
#ifndef XPT_ENGINE_PROCESSES_UNSEEN_ENDS_H
#define XPT_ENGINE_PROCESSES_UNSEEN_ENDS_H

#include <stddef.h>
#include <stdint.h>

struct xpt_engine;

/*
 * Looks for them now and then; now_ns: CLOCK_MONOTONIC. on_end gets e and the record that the program would have
 * sent. Processes of xputrace's own are removed from the table without one, since no record has mentioned them.
 */
void xpt_unseen_ends__step(struct xpt_engine *e, uint64_t now_ns, int (*on_end)(void *e, const void *record, size_t size));

#endif
