// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See left_out.h: of each kind the first is kept, the others are counted. */
#include "engine/left_out.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "engine/priv.h"

void xpt_left_out__unseen(struct xpt_engine *e, const char *sym, const struct xpt_returns *r)
{
	if (!e->stats.nr_unseen++) {
		snprintf(e->stats.unseen, sizeof(e->stats.unseen), "%s", sym);
		e->stats.unseen_why = r->reason;
	}
	xpt_debug("%s: its returns cannot be seen: %s", sym, r->reason);
}

void xpt_left_out__costly(struct xpt_engine *e, int err, uint64_t owner, const char *name)
{
	if ((err != -EFBIG && err != -E2BIG && err != -EDQUOT) || e->stats.nr_costly++)
		return;
	e->stats.costly_owner = owner;
	snprintf(e->stats.costly, sizeof(e->stats.costly), "%s", name);
}

/* Errors of files that would keep us waiting: see remote.h and xpt_inode__open(). */
bool xpt_left_out__may_wait(int err)
{
	return err == -EREMOTE || err == -ETIMEDOUT || err == -EBUSY;
}

bool xpt_left_out__may_pass(int err)
{
	return err == -ETIMEDOUT || err == -EBUSY || err == -ETIME;
}

void xpt_left_out__served(struct xpt_engine *e, int pid, const char *name)
{
	if (xpt_process_owner__choose(&e->stats.served_owner, e->stats.nr_served++, pid))
		snprintf(e->stats.served, sizeof(e->stats.served), "%s", name);
}
