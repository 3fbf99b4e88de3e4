// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The stream of events as a whole, see stream.h. */
#include "model/output/stream.h"

#include "model/memory/ledger.h"
#include "model/output/finding.h"
#include "model/output/out.h"

int xpt_stream__listen(struct xpt_stream *s, const struct xpt_ledger_ops *ops, void *ctx)
{
	if (s->ledger)
		return xpt_ledger__listen(s->ledger, ops, ctx);
	return xpt_ledger__new(XPT_STREAM_BLOCKS, false, ops, ctx, &s->ledger);
}

void xpt_stream__free(struct xpt_stream *s)
{
	xpt_ledger__free(s->ledger);
	s->ledger = NULL;
}

static void follow_blocks(struct xpt_stream *s, const struct xpt_event *ev, struct xpt_out *out)
{
	struct xpt_ledger *l = s->ledger;
	uint64_t lost;

	switch (ev->kind) {
	case XPT_EV_CALL:
		xpt_ledger__call(l, &ev->u.call);
		break;
	case XPT_EV_INFLIGHT:
		xpt_ledger__inflight(l, &ev->u.call);
		break;
	case XPT_EV_PROC:
		if (ev->u.proc.exec)
			xpt_ledger__gone(l, ev->u.proc.proc, XPT_CLOSE_EXEC, ev->ts_ns);
		break;
	case XPT_EV_EXIT:
		xpt_ledger__gone(l, ev->u.proc.proc, XPT_CLOSE_EXIT, ev->ts_ns);
		break;
	case XPT_EV_FORGET:
		xpt_ledger__forget(l, ev->ts_ns);
		break;
	case XPT_EV_END:
		xpt_ledger__end(l, s->end_ns);
		break;
	default:
		return;
	}
	lost = xpt_ledger__dropped(l) + xpt_ledger__missed(l);
	if (lost != s->reported)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, lost - s->reported);
	s->reported = lost;
}

void xpt_stream__see(struct xpt_stream *s, const struct xpt_event *ev, struct xpt_out *out)
{
	xpt_missing__see(&s->missing, ev);
	if (!s->begin_ns)
		s->begin_ns = ev->ts_ns;
	if (ev->ts_ns > s->end_ns)
		s->end_ns = ev->ts_ns;
	if (ev->kind == XPT_EV_END) {
		s->begin_ns = ev->u.end.start_ns ? ev->u.end.start_ns : s->begin_ns;
		s->end_ns = ev->u.end.end_ns ? ev->u.end.end_ns : s->end_ns;
	}
	if (s->ledger)
		follow_blocks(s, ev, out);
}

uint64_t xpt_out__since(const struct xpt_out *out, uint64_t ns)
{
	uint64_t begin_ns = xpt_out__stream(out)->begin_ns;

	return ns > begin_ns ? ns - begin_ns : 0;
}

uint64_t xpt_out__wall_ns(const struct xpt_out *out, const struct xpt_proc *proc)
{
	const struct xpt_stream *s = xpt_out__stream(out);

	return xpt_finding__wall_ns(proc, s->begin_ns, s->end_ns);
}

bool xpt_out__misses_calls(const struct xpt_out *out)
{
	return xpt_missing__calls(&xpt_out__stream(out)->missing);
}

bool xpt_out__misses_any(const struct xpt_out *out)
{
	return xpt_missing__any(&xpt_out__stream(out)->missing);
}
