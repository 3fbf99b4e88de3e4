// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls in flight: reads the open frames of all threads while they run, and
 * writes INFLIGHT records. Once a second for calls older than the hang limit,
 * each reported once; all of them on request and at the end of the trace; for
 * metrics their number and the oldest one, by process and function. Which
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

#include "base/hashmap.h"
#include "base/time.h"
#include "engine/calls/callers.h"
#include "engine/sched_source.h"
#include "wire/config.h"
#include "call.skel.h"

#define NOW_NS 1000000000ull	/* calls of that age and older are emitted for metrics */
#define MAX_NOW 262144		/* of processes and functions: as many calls as the slots of threads hold */

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

static void emit_call(struct xpt_engine *e, const struct xpt_thread *t, const struct xpt_frame *f,
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

/* Whether the frame is a call that began at least older_ns ago. */
static bool is_older(const struct xpt_frame *f, uint64_t older_ns, uint64_t now)
{
	return f->call.rec.fn && f->call.start_ns && f->call.start_ns <= now && now - f->call.start_ns >= older_ns;
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

			if (is_older(f, older_ns, now) && (!news_only || is_news(e, at.slot - 1, i, f->call.start_ns)))
				emit_call(e, t, f, now);
		}
	}
}

/* --- for metrics ----------------------------------------------------------------------------- */

struct waiting_key {
	uint32_t tgid, fn;
};

struct waiting {
	uint64_t calls, oldest_ns, sum_ns;
};

static void add_frames(struct xpt_engine *e, struct xpt_hashmap *sums, const struct xpt_thread *t)
{
	uint64_t now = xpt_now_ns();

	for (uint32_t i = 0; i < t->depth && i < XPT_MAX_DEPTH; i++) {
		/* The thread goes on writing it, so each member is read once. */
		const volatile struct xpt_rec_call *call = &t->frame[i].call;
		struct waiting_key key = { call->tgid, call->rec.fn };
		uint64_t start_ns = call->start_ns, age = start_ns && start_ns < now ? now - start_ns : 0;
		struct waiting *w;

		if (!key.fn || age < NOW_NS)
			continue;
		w = xpt_hashmap__get(sums, &key, NULL);
		if (!w) {
			e->lost[XPT_LOSS_TABLE_EVICTED]++;
			continue;
		}
		w->calls++;
		w->sum_ns += age;
		w->oldest_ns = age > w->oldest_ns ? age : w->oldest_ns;
	}
}

void xpt_inflight__emit_now(struct xpt_engine *e)
{
	struct xpt_hashmap *sums = NULL;
	struct xpt_threads_at at = { 0 };
	const struct xpt_thread *t;
	const void *key;
	size_t pos = 0;
	void *val;

	if (xpt_hashmap__new(sizeof(struct waiting_key), sizeof(struct waiting), MAX_NOW, &sums))
		return;
	while ((t = xpt_threads__next(e, &at)))
		add_frames(e, sums, t);
	while (xpt_hashmap__next(sums, &pos, &key, &val)) {
		const struct waiting_key *k = key;
		const struct waiting *w = val;
		struct xpt_rec_inflight_now *r = memset(e->scratch, 0, sizeof(*r));

		r->rec = (struct xpt_rec){ .kind = XPT_REC_INFLIGHT_NOW, .fn = k->fn };
		r->tgid = k->tgid;
		r->calls = (uint32_t)w->calls;
		r->oldest_ns = w->oldest_ns;
		r->sum_ns = w->sum_ns;
		xpt_facts__emit(e, sizeof(*r));
	}
	xpt_hashmap__free(sums);
}
