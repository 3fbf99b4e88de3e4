// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The stream of events as a whole, see stream.h. */
#include "model/output/stream.h"

#include "model/output/finding.h"

void xpt_stream__see(struct xpt_stream *s, const struct xpt_event *ev)
{
	xpt_missing__see(&s->missing, ev);
	if (!s->begin_ns)
		s->begin_ns = ev->ts_ns;
	if (ev->ts_ns > s->end_ns)
		s->end_ns = ev->ts_ns;
	if (ev->kind != XPT_EV_END)
		return;
	s->begin_ns = ev->u.end.start_ns ? ev->u.end.start_ns : s->begin_ns;
	s->end_ns = ev->u.end.end_ns ? ev->u.end.end_ns : s->end_ns;
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
