/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes that the engine knows, and the owner of each. The BPF programs send the owner with the first call of a
 * process (struct xpt_sent_task), because /proc has nothing about a process that has ended by then.
 */
#ifndef XPT_ENGINE_PROCESSES_KNOWN_PROCESSES_H
#define XPT_ENGINE_PROCESSES_KNOWN_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/life.h"

struct xpt_engine;

/* The process that a task of a new or running process is about, which is known from now on. */
void xpt_known__on_task(struct xpt_engine *e, const struct xpt_sent_task *t);
/* Notes that a process has ended. Returns whether it had made a call. */
bool xpt_known__on_end(struct xpt_engine *e, const struct xpt_sent_task *t);
void xpt_known__free(struct xpt_engine *e);

#endif
