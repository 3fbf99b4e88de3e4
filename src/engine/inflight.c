// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls in flight: reads the open frames of all threads while they run, and
 * writes INFLIGHT records. Once a second for calls older than the hang limit,
 * each reported once; all of them on request and at the end of the trace. Which
 * have been reported is kept beside each frame, so that no thread's calls take
 * the room of another's.
 *
 * A frame is read while its thread may be writing it. The BPF program clears
 * start_ns before it counts a frame in and sets it last, so a frame that is
 * half made shows start_ns 0 and is left out; one that returns meanwhile was
 * in flight when we looked.
 */
#include "engine/priv.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "engine/callers.h"
#include "engine/sched.h"
#include "wire/config.h"
#include "call.skel.h"

/* The start of the last call of each frame that was reported as hanging, by slot and depth. */
struct xpt_reported {
	uint64_t start_ns[XPT_MAX_DEPTH];
};

/*
 * True the first time this call is seen to be over the limit. Without memory, which is taken when the first
 * call is over it, each look reports it again.
 */
static bool is_news(struct xpt_engine *e, uint32_t slot, uint32_t depth, uint64_t start_ns)
{
	if (!e->reported)
		e->reported = calloc(e->skel->rodata->cfg.nr_slots, sizeof(*e->reported));
	if (!e->reported)
		return true;
	if (e->reported[slot].start_ns[depth] == start_ns)
		return false;
	e->reported[slot].start_ns[depth] = start_ns;
	return true;
}

static void emit(struct xpt_engine *e, const struct xpt_thread *t, const struct xpt_frame *f,
		 uint64_t now)
{
	size_t n = f->call.nr_vals < XPT_MAX_VALS ? f->call.nr_vals : XPT_MAX_VALS;
	uint32_t stack = f->stack ? xpt_callers__id(e, f->call.tgid, f->stack) : 0;
	struct xpt_rec_call *c = memset(e->scratch, 0, sizeof(*c));
	uint64_t word;

	*c = f->call;
	c->rec.kind = XPT_REC_INFLIGHT;
	c->dur_ns = now - f->call.start_ns;
	c->ret = 0;
	c->nr_vals = (__u8)n;
	c->str_len = 0;
	memcpy(c->val, f->val, n * sizeof(*f->val));
	if (stack) {
		c->val[n++] = stack;
		c->flags |= XPT_CALL_STACK;
	}
	if (xpt_esched__so_far(e, t, f, now, &word, &c->cpu)) {
		c->val[n++] = word;
		c->flags |= XPT_CALL_SCHED;
	}
	xpt_facts__emit(e, sizeof(*c) + n * sizeof(*f->val));
}

void xpt_inflight__report(struct xpt_engine *e, uint64_t older_ns, bool news_only)
{
	struct xpt_threads_at at = { 0 };
	const struct xpt_thread *t;
	uint32_t i;

	while ((t = xpt_threads__next(e, &at))) {
		uint64_t now = xpt_now_ns();

		for (i = 0; i < t->depth && i < XPT_MAX_DEPTH; i++) {
			const struct xpt_frame *f = &t->frame[i];

			if (!f->call.rec.fn || !f->call.start_ns || f->call.start_ns > now ||
			    now - f->call.start_ns < older_ns || (news_only && !is_news(e, at.slot - 1, i, f->call.start_ns)))
				continue;
			emit(e, t, f, now);
		}
	}
}
