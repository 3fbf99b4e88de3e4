// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lives of processes, see process_lives.h. With `-a` the exec of a process that is in no call
 * has no record, and programs of tracepoints can be left out by the kernel, so the next
 * record decides.
 */
#include "engine/processes/process_lives.h"

#include <string.h>

#include "engine/priv.h"
#include "proc/symbols/symbolize.h"
#include "wire/user.h"

#define MAX_EXECS 100000u	/* processes with one id begin further apart, in ns */

int xpt_lives__new(struct xpt_engine *e)
{
	return xpt_hashmap__new(sizeof(uint32_t), sizeof(struct xpt_life), XPT_MAX_PROCS, &e->lives);
}

void xpt_lives__free(struct xpt_engine *e)
{
	xpt_hashmap__free(e->lives);
	e->lives = NULL;
}

const struct xpt_life *xpt_lives__find(const struct xpt_engine *e, uint32_t tgid)
{
	return xpt_hashmap__find(e->lives, &tgid);
}

bool xpt_lives__missed(const struct xpt_engine *e, const struct xpt_sent_task *t,
		       struct xpt_sent_task *ret_end)
{
	const struct xpt_life *had = xpt_lives__find(e, t->task.tgid);
	bool forked = t->task.event == XPT_TASK_FORK;

	if (!had || (!forked && (t->task.event != XPT_TASK_THREAD || t->life <= had->nr)))
		return false;
	*ret_end = *t;
	ret_end->task.event = !forked && t->life - had->nr < MAX_EXECS ? XPT_TASK_EXEC : XPT_TASK_EXIT;
	ret_end->task.tid = t->task.tgid;
	ret_end->task.ppid = 0;
	ret_end->task.cut = 0;
	ret_end->task.code = 0;
	if (ret_end->task.event == XPT_TASK_EXIT) {	/* of another process */
		ret_end->task.uid = UINT32_MAX;
		ret_end->owner = XPT_OWNER_NOBODY;
	}
	return true;
}

uint64_t xpt_lives__ended(const struct xpt_engine *e, const struct xpt_sent_task *t,
			  struct xpt_span *ret_when)
{
	const struct xpt_life *had = xpt_lives__find(e, t->task.tgid);

	if (t->task.event != XPT_TASK_EXIT && t->task.event != XPT_TASK_EXEC)
		return 0;
	*ret_when = (struct xpt_span){ had ? had->since_ns : 0, t->task.ts_ns };
	if (had)
		return had->nr;
	return t->life && t->task.event == XPT_TASK_EXEC ? t->life - 1 : t->life;
}

void xpt_lives__on_task(struct xpt_engine *e, const struct xpt_sent_task *t)
{
	uint32_t tgid = t->task.tgid;
	struct xpt_life *l;
	bool is_new;

	if (t->task.event == XPT_TASK_EXIT) {
		xpt_hashmap__del(e->lives, &tgid);
		return;
	}
	if (!t->life || (t->task.event != XPT_TASK_EXEC && t->task.event != XPT_TASK_THREAD))
		return;
	l = xpt_hashmap__get(e->lives, &tgid, &is_new);
	if (l && (is_new || l->nr < t->life))	/* a record of before may come late */
		*l = (struct xpt_life){ t->life, t->task.ts_ns };
}
