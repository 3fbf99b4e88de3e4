/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cost of a traced call on this machine, at this time. A child of ours calls
 * functions of this binary, with and without the very programs that trace the
 * user's process, now and then while the trace lasts. Only the engine sees this
 * child.
 */
#ifndef XPT_ENGINE_COST_CALIBRATE_H
#define XPT_ENGINE_COST_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>
#include "engine/cost/call_cost.h"

struct xpt_engine;

/*
 * To be called at each poll: begins the calibration once there are probes and the trace has lasted for a moment.
 * is_idle: no process is traced, so no rounds are made.
 */
void xpt_calibration__step(struct xpt_engine *e, bool is_idle);
/* Sets e->cost as it is now; begins and measures if nothing was measured yet. */
void xpt_calibration__now(struct xpt_engine *e);
/* The last rounds, at the conditions of the end, and no more child. Sets e->cost. */
void xpt_calibration__end(struct xpt_engine *e);
void xpt_calibration__free(struct xpt_engine *e);
/* No round is made while a setting makes the programs do nothing. */
void xpt_calibration__pause(struct xpt_engine *e);
void xpt_calibration__go_on(struct xpt_engine *e);
bool xpt_calibration__is_of(const struct xpt_engine *e, uint32_t tgid);	/* a record of the child */
void xpt_calibration__on_call(struct xpt_engine *e);			/* one of its calls came */
/* Returns the part of a loss (an enum xpt_loss) that was the child's. */
uint64_t xpt_calibration__loss(const struct xpt_engine *e, uint32_t loss);

/* Measures, now and for the last time, the cost of a traced call that is sent as an event,
 * where its instruction is emulated and where it is single-stepped. Returns 0, or -EAGAIN if
 * it is not known. */
int xpt_engine__call_cost(struct xpt_engine *e, struct xpt_cost_value *ret_emulated,
			  struct xpt_cost_value *ret_stepped);

#endif
