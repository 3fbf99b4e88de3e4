/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --budget inside the engine: feeds the controller (budget.h) and carries out
 * its decisions. Without the option all of this does nothing.
 */
#ifndef XPT_ENGINE_COST_BUDGET_APPLY_H
#define XPT_ENGINE_COST_BUDGET_APPLY_H

#include <stdbool.h>
#include "wire/wire.h"

struct xpt_engine;

int xpt_spend__new(struct xpt_engine *e);	/* sets e->spend; 0 or -errno */
void xpt_spend__free(struct xpt_engine *e);
void xpt_spend__set(struct xpt_engine *e, uint64_t budget_ppm);	/* another budget, where there is one */
void xpt_spend__on_task(struct xpt_engine *e, const struct xpt_rec_task *t);
void xpt_spend__on_call(struct xpt_engine *e, const struct xpt_rec_call *c);
void xpt_spend__step(struct xpt_engine *e);	/* at each poll */
bool xpt_spend__switched(const struct xpt_engine *e);	/* some calls were only counted */

#endif
