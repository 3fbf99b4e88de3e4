/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sizes of freed blocks, see freed.h: a ledger of open blocks (model/memory/ledger.h), which reports the bytes of
 * each block that closes. A call of a runtime around the call that freed gets the same bytes: it returns after that
 * one, on the same thread.
 */
#include "pipeline/calls/freed.h"

#include <errno.h>
#include <stdlib.h>
#include "model/call.h"
#include "model/memory/ledger.h"

#define MAX_BLOCKS (1u << 16)	/* open at once; older ones are forgotten */
#define NR_LAST 256		/* threads whose last free is remembered */

struct last {
	const struct xpt_proc *proc;
	uint64_t start_ns, bytes;
	uint32_t tid;
};

struct xpt_freed {
	struct xpt_ledger *ledger;
	uint64_t bytes;		/* that the call which is fed has freed */
	struct last last[NR_LAST];
};

static void on_closed(void *ctx, const struct xpt_block *b, enum xpt_close why, const struct xpt_call *c,
		      uint64_t ts_ns)
{
	struct xpt_freed *f = ctx;

	(void)c;
	(void)ts_ns;
	if (why == XPT_CLOSE_FREE)
		f->bytes = b->bytes;
}

static void on_settled(void *ctx, const struct xpt_block *b, const struct xpt_call *c, uint64_t ts_ns)
{
	struct xpt_freed *f = ctx;

	(void)ts_ns;
	if (c)
		f->bytes = b->bytes;
}

int xpt_freed__new(struct xpt_freed **ret_f)
{
	static const struct xpt_ledger_ops ops = { .closed = on_closed, .settled = on_settled };
	struct xpt_freed *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	if (xpt_ledger__new(MAX_BLOCKS, true, &ops, f, &f->ledger)) {
		free(f);
		return -ENOMEM;
	}
	*ret_f = f;
	return 0;
}

void xpt_freed__free(struct xpt_freed *f)
{
	if (!f)
		return;
	xpt_ledger__free(f->ledger);
	free(f);
}

void xpt_freed__call(struct xpt_freed *f, struct xpt_call *c)
{
	struct last *last = &f->last[c->tid % NR_LAST];
	bool frees = c->fn->cls == XPT_CLASS_FREE || c->fn->cls == XPT_CLASS_DEREGISTER;

	f->bytes = 0;
	xpt_ledger__call(f->ledger, c);
	if (!frees || c->flags & XPT_CALL_FAILED)
		return;
	if (!xpt_call__counts(c)) {
		if (last->proc == c->proc && last->tid == c->tid && last->start_ns >= c->start_ns)
			c->freed = last->bytes;
		return;
	}
	c->freed = f->bytes;
	*last = (struct last){ c->proc, c->start_ns, f->bytes, c->tid };
}

void xpt_freed__gone(struct xpt_freed *f, const struct xpt_proc *proc, uint64_t ts_ns)
{
	xpt_ledger__gone(f->ledger, proc, XPT_CLOSE_EXIT, ts_ns);
}

void xpt_freed__forget(struct xpt_freed *f, uint64_t ts_ns)
{
	for (unsigned i = 0; i < NR_LAST; i++)
		if (f->last[i].proc && f->last[i].proc->forgotten)
			f->last[i].proc = NULL;
	xpt_ledger__forget(f->ledger, ts_ns);
}
