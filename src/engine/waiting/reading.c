// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pauses in the reading of files, see reading.h. There is no second thread: a pause does
 * the next work of the loop around it, except for looking at another file.
 */
#include "engine/waiting/reading.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hashmap.h"
#include "base/process/jail.h"
#include "base/time.h"
#include "engine/priv.h"
#include "engine/read/ring.h"

#define MAX_USERS 4096
#define SHARE 20000000000ull	/* units of work (elf_work.c), some 12 s, for the files of a user, */
#define SHARE_OF_TIME 20u	/* and one for so many ns that the trace lasts */

static const uint64_t others = UINT64_MAX;

/*
 * Returns the account of an owner; owners beyond the table share one account. NULL: no limit, for the machine, and
 * for all processes that the user has named.
 */
static uint64_t *account_of(struct xpt_engine *e, uint64_t owner)
{
	uint64_t *spent;

	if (owner == XPT_OWNER_MACHINE || !xpt_engine__is_open(e))
		return NULL;
	spent = xpt_hashmap__get(e->reading->spent, &owner, NULL);
	return spent ? spent : xpt_hashmap__get(e->reading->spent, &others, NULL);
}

static bool has_share_left(struct xpt_engine *e, uint64_t owner, uint64_t units)
{
	uint64_t *spent = account_of(e, owner), now = xpt_now_ns();

	if (!spent)
		return true;
	*spent += units;
	return *spent < SHARE + (e->start_ns ? (now - e->start_ns) / SHARE_OF_TIME : 0);
}

bool xpt_reading__has_share(struct xpt_engine *e, uint64_t owner)
{
	return has_share_left(e, owner, 0);
}

static int on_pause(void *ctx, uint64_t units)
{
	struct xpt_engine *e = ctx;

	if (xpt_reading__is_stopped(e))
		return -ECANCELED;
	xpt_reading__pause(e);
	return has_share_left(e, e->reading->owner, units) ? 0 : -EFBIG;
}

/* The end does not spare the names of recorded calls, so the end is no reason to give up. */
static int on_pause_of_naming(void *ctx, uint64_t units)
{
	struct xpt_engine *e = ctx;

	return has_share_left(e, e->reading->owner, units) ? 0 : -EFBIG;
}

/* Callback of xpt_jail__while_waiting(). */
static int empty_rings(void *ctx)
{
	xpt_reading__pause(ctx);
	return xpt_reading__is_stopped(ctx) ? -ECANCELED : 0;
}

int xpt_reading__open(struct xpt_engine *e)
{
	int err;

	e->reading = calloc(1, sizeof(*e->reading));
	if (!e->reading)
		return -ENOMEM;
	err = xpt_hashmap__new(sizeof(uint64_t), sizeof(uint64_t), MAX_USERS, &e->reading->spent);
	e->reading->pause = (struct xpt_elf_pause){ on_pause, e };
	e->reading->naming = (struct xpt_elf_pause){ on_pause_of_naming, e };
	xpt_jail__while_waiting(empty_rings, e);
	return err || xpt_hashmap__get(e->reading->spent, &others, NULL) ? err : -ENOMEM;
}

void xpt_reading__close(struct xpt_engine *e)
{
	xpt_jail__while_waiting(NULL, NULL);
	if (e->reading)
		xpt_hashmap__free(e->reading->spent);
	free(e->reading);
}

uint64_t xpt_reading__used_ns(const struct xpt_engine *e)
{
	return xpt_clock_ns(CLOCK_THREAD_CPUTIME_ID) - e->reading->paused_ns + e->reading->blocked_ns;
}

uint64_t xpt_reading__begin(struct xpt_engine *e, uint64_t owner)
{
	uint64_t before = e->reading->owner;

	e->reading->owner = owner;
	return before;
}

void xpt_reading__end(struct xpt_engine *e, uint64_t owner_before)
{
	e->reading->owner = owner_before;
}

int xpt_reading__begin_naming(struct xpt_engine *e, uint64_t owner)
{
	if (!xpt_reading__has_share(e, owner))
		return -EDQUOT;
	e->reading->was_delivering = e->reading->delivering;
	e->reading->owner_before = e->reading->owner;
	e->reading->delivering = true;
	e->reading->owner = owner;
	return 0;
}

int xpt_reading__end_naming(struct xpt_engine *e, int err)
{
	uint64_t owner = e->reading->owner;

	e->reading->delivering = e->reading->was_delivering;
	e->reading->owner = e->reading->owner_before;
	return err == -EFBIG && !xpt_reading__has_share(e, owner) ? -EDQUOT : err;
}

/*
 * Mappings are read before calls are handed over, because the names of callers come from
 * the mappings. So that order is left only where records would be lost.
 */
void xpt_reading__pause(struct xpt_engine *e)
{
	if (!e->start_ns || e->reading->delivering ||
	    !(xpt_ring__is_filling(e->rings.ring) || xpt_ring__is_filling(e->rings.urgent)))
		return;
	e->reading->inside = true;
	e->reading->paused_ns -= xpt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	xpt_reading__consume(e, xpt_now_ns());
	e->reading->paused_ns += xpt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	e->reading->inside = false;
}

bool xpt_reading__is_stopped(const struct xpt_engine *e)
{
	return e->cfg.stopped && e->cfg.stopped();
}

int xpt_reading__consume(struct xpt_engine *e, uint64_t now_ns)
{
	int err;

	e->reading->delivering = true;
	e->reading->batch_ns = xpt_now_ns();
	err = xpt_merge__consume(&e->rings, now_ns);
	e->reading->delivering = false;
	e->reading->has_more = err == -EAGAIN;
	return err;
}
