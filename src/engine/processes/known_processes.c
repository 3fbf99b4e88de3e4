// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Processes that the engine knows, see known_processes.h. */
#include "engine/processes/known_processes.h"

#include "base/time.h"
#include "engine/cost/calibrate.h"
#include "engine/final_counts.h"
#include "engine/priv.h"
#include "engine/processes/containers.h"
#include "wire/user.h"

#define WAIT_NS 5000000000ull	/* for the record of a process whose counts are there */
#define MAX_UNHEARD 8192	/* processes of which there are counts and no record; those of more do not wait */

/*
 * Without word from the kernel side, a child that has ended before it could be asked belongs to whom its parent does.
 */
static void note_owner(struct xpt_engine *e, uint32_t tgid, uint32_t parent, uint64_t *slot)
{
	const struct xpt_known_proc *of_parent = parent ? xpt_hashmap__find(e->procs, &parent) : NULL;
	uint64_t owner;

	if (!xpt_owner__of_process((int)tgid, &owner))
		*slot = owner;
	else if (of_parent)
		*slot = of_parent->owner;
}

/* sent_owner: the owner that the BPF programs sent, or XPT_OWNER_NOBODY. */
static void add_known(struct xpt_engine *e, uint32_t tgid, uint32_t parent, uint64_t sent_owner, uint64_t ts_ns)
{
	struct xpt_known_proc *p;

	if (xpt_recycle__has_ended(e, tgid))
		xpt_recycle__reused(e, tgid);
	p = xpt_hashmap__get(e->procs, &tgid, NULL);
	if (p && sent_owner != XPT_OWNER_NOBODY)
		p->owner = sent_owner;
	else if (p && xpt_engine__is_open(e))
		note_owner(e, tgid, parent, &p->owner);
	xpt_facts__proc(e, (int)tgid, ts_ns);
}

void xpt_engine__know(struct xpt_engine *e, uint32_t tgid, uint64_t ts_ns)
{
	add_known(e, tgid, 0, XPT_OWNER_NOBODY, ts_ns);
}

uint64_t xpt_engine__owner_of(const struct xpt_engine *e, uint32_t tgid)
{
	const struct xpt_known_proc *p = xpt_hashmap__find(e->procs, &tgid);

	if (p)
		return p->owner;
	return e->last_ended.tgid == tgid ? e->last_ended.owner : XPT_OWNER_NOBODY;
}

static void end_wait(struct xpt_engine *e, uint32_t tgid)
{
	if (e->unheard)
		xpt_hashmap__del(e->unheard, &tgid);
}

void xpt_known__on_task(struct xpt_engine *e, const struct xpt_sent_task *t)
{
	uint32_t tgid = t->task.tgid;
	struct xpt_known_proc *p = xpt_hashmap__find(e->procs, &tgid);

	end_wait(e, tgid);
	if (!p || t->task.event == XPT_TASK_EXEC)
		add_known(e, tgid, t->task.ppid, t->owner, t->task.ts_ns);
	else if (t->owner != XPT_OWNER_NOBODY)	/* /proc was asked before it was in its container */
		p->owner = t->owner;
	p = xpt_hashmap__find(e->procs, &tgid);
	if (p && t->task.event == XPT_TASK_THREAD)
		p->has_called = true;
}

bool xpt_known__on_end(struct xpt_engine *e, const struct xpt_sent_task *t)
{
	uint32_t tgid = t->task.tgid;
	const struct xpt_known_proc *p = xpt_hashmap__find(e->procs, &tgid);
	bool has_called = p && p->has_called;

	end_wait(e, tgid);
	/* For who hears of it by this record for the first time. */
	e->last_ended.tgid = tgid;
	e->last_ended.owner = p && p->owner != XPT_OWNER_NOBODY ? p->owner : t->owner;
	xpt_hashmap__del(e->procs, &tgid);
	return has_called;
}

/* When counts of the process were there first. 0: there is no room for its wait, which is over then. */
static uint64_t since_when(struct xpt_engine *e, uint32_t tgid, uint64_t now)
{
	uint64_t *since;
	bool is_new;

	if (!e->unheard && xpt_hashmap__new(sizeof(tgid), sizeof(*since), MAX_UNHEARD, &e->unheard))
		return 0;
	since = xpt_hashmap__get(e->unheard, &tgid, &is_new);
	if (since && is_new)
		*since = now;
	return since ? *since : 0;
}

/*
 * The kernel's tables have counts of processes whose first record waits in a ring, so that nobody knows their name
 * and user. Such counts wait where they are; after a while the record was lost, and /proc is asked.
 */
bool xpt_known__may_tell(struct xpt_engine *e, uint32_t tgid)
{
	uint64_t now = xpt_now_ns();

	if (xpt_calibration__is_of(e, tgid))	/* our own child */
		return false;
	/* tgid 0 stands for those whose counts found no place. */
	if (!tgid || xpt_hashmap__find(e->procs, &tgid) || xpt_hashmap__find(e->ended, &tgid))
		return true;
	if (now - since_when(e, tgid, now) < WAIT_NS)
		return false;
	end_wait(e, tgid);
	xpt_engine__know(e, tgid, now);
	return true;
}

void xpt_known__free(struct xpt_engine *e)
{
	xpt_hashmap__free(e->unheard);
	e->unheard = NULL;
}
