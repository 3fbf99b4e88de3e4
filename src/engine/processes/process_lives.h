/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lives of processes inside the engine: which program of which process the last
 * record of a process id was about (struct xpt_sent_task), and since when. So an
 * exec or an end without a record of its own is noticed at the next record of
 * that process id.
 */
#ifndef XPT_ENGINE_PROCESSES_PROCESS_LIVES_H
#define XPT_ENGINE_PROCESSES_PROCESS_LIVES_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/life.h"

struct xpt_engine;
struct xpt_span;

struct xpt_life {
	uint64_t nr;
	uint64_t since_ns;	/* CLOCK_MONOTONIC: its first record */
};

int xpt_lives__new(struct xpt_engine *e);	/* 0 or -errno */
void xpt_lives__free(struct xpt_engine *e);
/* Returns the life, valid until the next on_task; NULL if there was no record of it, or no room. */
const struct xpt_life *xpt_lives__find(const struct xpt_engine *e, uint32_t tgid);
/* Whether t belongs to another life than the last one of its process, whose end is then made
 * up in *ret_end: it comes first. */
bool xpt_lives__missed(const struct xpt_engine *e, const struct xpt_sent_task *t,
		       struct xpt_sent_task *ret_end);
/* The life that ends with t, and its time; 0: none does, or it is not known. */
uint64_t xpt_lives__ended(const struct xpt_engine *e, const struct xpt_sent_task *t,
			  struct xpt_span *ret_when);
void xpt_lives__on_task(struct xpt_engine *e, const struct xpt_sent_task *t);	/* after all others */

#endif
