// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How long a poll may wait, and whether there was nothing to do lately: on an idle machine wake-ups are the cost of a
 * trace.
 */
#include "base/time.h"
#include "engine/engine.h"
#include "engine/priv.h"
#include "engine/processes/mappings.h"
#include "engine/waiting/reading.h"

#define IDLE_NS 1000000000ull

int xpt_idle__limit_wait(const struct xpt_engine *e, int timeout_ms)
{
	uint64_t hang_ms = e->cfg.hang_ns / 4000000, reading_ms = e->cfg.readings_ns / 2000000;

	if (xpt_mappings__has_more(e) || e->reading->has_more)
		return 0;
	if (hang_ms && hang_ms < (uint64_t)timeout_ms)
		timeout_ms = (int)hang_ms;
	if (reading_ms && reading_ms < (uint64_t)timeout_ms)
		timeout_ms = (int)reading_ms;
	return timeout_ms;
}

bool xpt_engine__is_idle(const struct xpt_engine *e)
{
	return xpt_now_ns() - e->busy_ns >= IDLE_NS && xpt_mappings__has_watch(e) && !xpt_mappings__has_more(e);
}
