// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches the programs on the scheduler's tracepoints, and reads what they counted:
 * see sched_source.h. They are programs of the type tp_btf, which get the kernel's own types
 * and need neither tracefs nor trampolines.
 */
#include "engine/sched_source.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "engine/source.h"
#include "wire/count_key.h"
#include "call.skel.h"

#define MAX_TOTALS 16384	/* processes times functions, as xpt_counts */

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;

	(void)kind;
	cfg->sched = e->cfg.sched;
	bpf_program__set_autoload(skel->progs.xpt_sched_switch, e->cfg.sched);
	bpf_program__set_autoload(skel->progs.xpt_sched_wakeup, e->cfg.sched);
	bpf_map__set_max_entries(skel->maps.xpt_sched_totals, e->cfg.sched ? MAX_TOTALS : 1);
}

/* Attaches the programs: from now on switches are seen. */
static int attach(struct xpt_engine *e)
{
	if (!e->cfg.sched)
		return 0;
	e->skel->links.xpt_sched_wakeup = bpf_program__attach(e->skel->progs.xpt_sched_wakeup);
	if (!e->skel->links.xpt_sched_wakeup)
		return -errno;
	e->skel->links.xpt_sched_switch = bpf_program__attach(e->skel->progs.xpt_sched_switch);
	return e->skel->links.xpt_sched_switch ? 0 : -errno;
}

static void emit_total(struct xpt_engine *e, const struct xpt_wire_count_key *key,
		       const struct xpt_sched_total *n)
{
	struct xpt_rec_sched *r = memset(e->scratch, 0, sizeof(*r));

	if (!key->fn || !n->calls)	/* function 0: the calibration; no calls: a sum that was made this moment */
		return;
	r->rec.kind = XPT_REC_SCHED;
	r->rec.fn = key->fn;
	r->key = *key;
	r->calls = n->calls;
	r->runq_ns = n->runq_ns;
	r->blocked_ns = n->blocked_ns;
	r->voluntary = n->voluntary;
	r->involuntary = n->involuntary;
	xpt_facts__emit(e, sizeof(*r));
}

void xpt_esched__totals(struct xpt_engine *e,
			bool (*over)(const struct xpt_engine *e, const void *ctx, uint32_t tgid, uint64_t began_ns),
			const void *ctx)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_sched_totals);
	struct xpt_count_key key, next;
	struct xpt_sched_total n;
	bool more;

	more = e->cfg.sched && !bpf_map_get_next_key(fd, NULL, &next);
	while (more) {
		key = next;	/* the next key is asked for first: after a deleted key a walk begins again */
		more = !bpf_map_get_next_key(fd, &key, &next);
		if ((over && !over(e, ctx, key.of.tgid, key.began_ns)) || bpf_map_lookup_elem(fd, &key, &n))
			continue;
		if (over)
			bpf_map_delete_elem(fd, &key);
		emit_total(e, &key.of, &n);
	}
}

bool xpt_esched__so_far(const struct xpt_engine *e, const struct xpt_thread *t,
			const struct xpt_frame *f, uint64_t now, uint64_t *ret_word,
			uint8_t *ret_state)
{
	const struct xpt_thread_sched *ts = &t->sched;
	struct xpt_wire_sched s = {
		.runq_ns = ts->sum.runq_ns - f->before.runq_ns,
		.blocked_ns = ts->sum.blocked_ns - f->before.blocked_ns,
		.voluntary = ts->sum.voluntary - f->before.voluntary,
		.involuntary = ts->sum.involuntary - f->before.involuntary,
	};
	uint64_t here = now > ts->since_ns ? now - ts->since_ns : 0;	/* time in the present state */

	*ret_state = 0;
	if (!e->cfg.sched || ts->state >= XPT_CPU__MAX)
		return false;
	*ret_state = ts->state ? (uint8_t)ts->state : XPT_CPU_ON;	/* 0: on a CPU, too */
	if (!s.voluntary && !s.involuntary)
		return false;
	if (ts->state == XPT_CPU_RUNNABLE)
		s.runq_ns += here;
	else if (ts->state == XPT_CPU_BLOCKED)
		s.blocked_ns += here;
	xpt_sched_clamp(&s, now - f->call.start_ns);
	*ret_word = xpt_sched_pack(&s);
	return true;
}

static void emit_totals(struct xpt_engine *e)
{
	xpt_esched__totals(e, NULL, NULL);
}

const struct xpt_source xpt_source_sched = {
	.name = "sched",
	.configure = configure,
	.open = attach,
	.finish = emit_totals,
};
