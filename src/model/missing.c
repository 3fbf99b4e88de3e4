/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The gaps in a stream of events, see missing.h. Losses and counters come at
 * the end of a stream, before its last event.
 */
#include "model/missing.h"

#include <stdio.h>
#include <string.h>

#define ONE_IN 1000	/* lost calls below that move no share that a finding rests on */

void xpt_missing__see(struct xpt_missing *m, const struct xpt_event *ev)
{
	if (ev->kind == XPT_EV_META && !strcmp(ev->u.meta.key, "partial"))
		snprintf(m->why, sizeof(m->why), "%s", ev->u.meta.value);
	else if (ev->kind == XPT_EV_META && !strcmp(ev->u.meta.key, "filtered"))
		m->functions = true;
	else if (ev->kind == XPT_EV_LOSS && ev->u.loss.loss == XPT_LOSS_RING_FULL)
		m->lost = ev->u.loss.count;
	else if (ev->kind == XPT_EV_COUNTER)
		m->counted += ev->u.counter.count->calls;
}

bool xpt_missing__calls(const struct xpt_missing *m)
{
	return m->why[0] || (m->lost && m->lost >= m->counted / ONE_IN);
}

bool xpt_missing__any(const struct xpt_missing *m)
{
	return m->functions || xpt_missing__calls(m);
}
