// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory that is open: memory that calls have allocated, pinned or registered while the trace ran, and no call has
 * freed.
 *
 * Counters of the kernel do not have it, because a free names an address and no bytes. The ledger of blocks does,
 * from the calls themselves; and calls can get lost, or be left out by a budget. So each page compares the kernel's
 * counts for the page before with the calls that ended until then: those that have not come by now will not come any
 * more, and the memory of their process is not known from then on. An unknown sum is not shown.
 */
#include "metrics/metrics_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/event.h"
#include "model/forget.h"
#include "model/memory/ledger.h"
#include "model/vocab.h"

struct process {
	uint64_t bytes[XPT_KIND__MAX];
	uint64_t share;			/* of the table of blocks: the key of the owner's share */
	uint32_t nr_blocks;		/* places of that share */
	uint32_t kinds;			/* bit: memory of that kind has been there */
	/* Calls that change memory: those that ended before the last page, and those after it. */
	uint64_t calls, later;
	uint64_t counted, counted_before;	/* the same by the kernel: for this page, and for the last one */
	bool is_unknown;
};

struct xpt_metrics_live {
	struct xpt_metrics *m;
	struct xpt_ledger *ledger;
	uint64_t page_ns;		/* when counts for the last page had been read */
	uint64_t dropped;		/* blocks that the ledger had no room for */
	bool is_refused;		/* a block was opened for which its owner has no share left */
	struct xpt_hashmap *processes;	/* proc pointer -> struct process */
	const struct xpt_proc *caller;	/* of the call that the ledger gets at the moment, and its row */
	struct process *row;
};

static struct process *find_process(const struct xpt_metrics_live *l, const struct xpt_proc *proc)
{
	return proc == l->caller ? l->row : xpt_hashmap__find(l->processes, &proc);
}

/* Forgets the blocks of a process, whose open memory is not known any more. */
static void make_unknown(struct xpt_metrics_live *l, const struct xpt_proc *proc, uint64_t ts_ns)
{
	struct process *p = find_process(l, proc);

	if (!p || p->is_unknown)
		return;
	p->is_unknown = true;
	xpt_ledger__gone(l->ledger, proc, XPT_CLOSE_EXIT, ts_ns);
}

/* --- the ledger's blocks ------------------------------------------------------------------------ */

/* Callback of the ledger. */
static void on_opened(void *ctx, struct xpt_block *b)
{
	struct xpt_metrics_live *l = ctx;
	struct process *p = find_process(l, b->proc);

	if (!p)
		return;
	p->bytes[b->kind] += b->bytes;
	p->kinds |= 1u << b->kind;
	if (xpt_shares__take(&l->m->shares, p->share, XPT_METRICS_SHARE_BLOCKS, NULL))
		p->nr_blocks++;
	else
		l->is_refused = true;
}

/* Callback of the ledger. Of one whose address was handed out again the free is on its way. */
static void on_closed(void *ctx, const struct xpt_block *b, enum xpt_close why, const struct xpt_call *c, uint64_t ts_ns)
{
	struct xpt_metrics_live *l = ctx;
	struct process *p = find_process(l, b->proc);

	(void)why;
	(void)c;
	(void)ts_ns;
	if (!p)
		return;
	p->bytes[b->kind] -= b->bytes;
	if (!p->nr_blocks)
		return;
	p->nr_blocks--;
	xpt_shares__give_back(&l->m->shares, p->share, XPT_METRICS_SHARE_BLOCKS, 1);
}

int xpt_metrics_live__new(struct xpt_metrics *m, struct xpt_metrics_live **ret_l)
{
	static const struct xpt_ledger_ops ops = { on_opened, on_closed, NULL, NULL };
	struct xpt_metrics_live *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return -ENOMEM;
	l->m = m;
	err = xpt_hashmap__new(sizeof(void *), sizeof(struct process), XPT_METRICS_PROCESSES, &l->processes);
	if (!err)
		err = xpt_ledger__new(XPT_METRICS_BLOCKS, false, &ops, l, &l->ledger);
	if (err)
		xpt_metrics_live__free(l);
	else
		*ret_l = l;
	return err;
}

void xpt_metrics_live__free(struct xpt_metrics_live *l)
{
	if (!l)
		return;
	xpt_ledger__free(l->ledger);
	xpt_hashmap__free(l->processes);
	free(l);
}

/* --- calls and processes ------------------------------------------------------------------------ */

static struct process *get_process(struct xpt_metrics_live *l, const struct xpt_proc *proc)
{
	bool is_new;
	struct process *p = xpt_hashmap__get(l->processes, &proc, &is_new);

	if (p && is_new)
		p->share = xpt_metrics__owner_of(l->m, proc);
	return p;
}

/*
 * Hides the sum of a group while a process of the group runs that has no place in the table, because its memory is
 * not known.
 */
static void hide_group(struct xpt_metrics *m, const struct xpt_proc *proc)
{
	m->group[xpt_metrics__group_of(m, proc)].is_memory_unknown = true;
	m->left_out++;
}

void xpt_metrics_live__call(struct xpt_metrics_live *l, const struct xpt_call *c)
{
	struct process *p;

	if (!xpt_ledger__takes(c->fn) || c->proc->exit_ns)
		return;
	p = get_process(l, c->proc);
	if (!p)
		hide_group(l->m, c->proc);
	if (!p || p->is_unknown)
		return;
	if (xpt_ledger__is_changed_by(c->fn))
		++*(c->start_ns + c->dur_ns <= l->page_ns ? &p->calls : &p->later);
	l->is_refused = false;
	l->caller = c->proc;
	l->row = p;
	xpt_ledger__call(l->ledger, c);
	if (l->is_refused || l->dropped != xpt_ledger__dropped(l->ledger))
		make_unknown(l, c->proc, c->start_ns + c->dur_ns);
	l->dropped = xpt_ledger__dropped(l->ledger);
	l->caller = NULL;
}

void xpt_metrics_live__gone(struct xpt_metrics_live *l, const struct xpt_proc *proc, bool ended, uint64_t ts_ns)
{
	struct process *p = find_process(l, proc);

	if (!p)
		return;
	xpt_ledger__gone(l->ledger, proc, ended ? XPT_CLOSE_EXIT : XPT_CLOSE_EXEC, ts_ns);
	if (ended)
		xpt_hashmap__del(l->processes, &proc);
}

void xpt_metrics_live__forget(struct xpt_metrics_live *l, uint64_t ts_ns)
{
	xpt_ledger__forget(l->ledger, ts_ns);
	xpt_forget__map(l->processes, NULL, NULL);
}

/* --- the page ----------------------------------------------------------------------------------- */

/* Adds up the kernel's counts of the calls that change a process's memory. */
static void add_counted(struct xpt_metrics_live *l)
{
	const void *k;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(l->m->running, &pos, &k, &v)) {
		const struct xpt_metrics_running_key *key = k;
		struct process *p = xpt_ledger__is_changed_by(key->fn) ? find_process(l, key->proc) : NULL;

		if (p)
			p->counted += ((const struct xpt_metrics_running *)v)->count.calls;
	}
}

static void find_missing(struct xpt_metrics_live *l, uint64_t now_ns)
{
	const void *key;
	size_t pos = 0;
	void *v;

	add_counted(l);
	while (xpt_hashmap__next(l->processes, &pos, &key, &v)) {
		struct process *p = v;

		if (p->counted_before > p->calls)
			make_unknown(l, *(const struct xpt_proc *const *)key, now_ns);
		p->counted_before = p->counted;
		p->counted = 0;
		p->calls += p->later;
		p->later = 0;
	}
	l->page_ns = now_ns;
}

static bool is_shown(unsigned kind)
{
	return xpt_kind_is_memory(kind) || kind == XPT_KIND_REGISTERED || kind == XPT_KIND_REGION;
}

bool xpt_metrics__open_bytes(void *m, const struct xpt_proc *proc, struct xpt_open_bytes *ret)
{
	const struct process *p = xpt_hashmap__find(((struct xpt_metrics *)m)->live->processes, &proc);

	if (!p)
		return false;
	memcpy(ret->bytes, p->bytes, sizeof(ret->bytes));
	ret->kinds = 0;
	for (unsigned kind = 0; kind < XPT_KIND__MAX; kind++)
		ret->kinds |= is_shown(kind) ? p->kinds & 1u << kind : 0;
	ret->is_unknown = p->is_unknown;
	return true;
}

struct group_sum {
	uint64_t bytes[XPT_KIND__MAX];
	uint32_t kinds;
	bool is_unknown;		/* the memory of one of its processes is */
};

static void sum_groups(struct xpt_metrics_live *l, struct group_sum *sum)
{
	const void *key;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(l->processes, &pos, &key, &v)) {
		const struct process *p = v;
		struct group_sum *to = &sum[xpt_metrics__group_of(l->m, *(const struct xpt_proc *const *)key)];

		to->is_unknown |= p->is_unknown;
		to->kinds |= p->kinds;
		for (unsigned kind = 0; kind < XPT_KIND__MAX; kind++)
			to->bytes[kind] += p->bytes[kind];
	}
}

void xpt_metrics_live__print(struct xpt_metrics_live *l, uint64_t now_ns, struct xpt_prom_row *rows, struct xpt_strbuf *sb)
{
	static const struct xpt_prom_family f = {
		"xputrace_live_bytes", "Bytes that calls have allocated, pinned or registered and not freed, since the trace began",
		XPT_PROM_GAUGE, 0, { "process", "container", "?pod_uid", "?slurm_job", "user", "kind" } };
	struct group_sum *sum = calloc(XPT_METRICS_GROUPS, sizeof(*sum));
	size_t nr = 0;

	find_missing(l, now_ns);
	if (!sum)
		return;
	sum_groups(l, sum);
	for (unsigned i = 0; i < XPT_METRICS_GROUPS; i++) {
		const struct xpt_metrics_group *g = &l->m->group[i];

		if (sum[i].is_unknown || g->is_memory_unknown)
			continue;
		for (unsigned kind = 0; kind < XPT_KIND__MAX; kind++)
			if (sum[i].kinds & 1u << kind && is_shown(kind))
				rows[nr++] = (struct xpt_prom_row){
					{ g->process, g->container, g->pod, g->slurm_job, g->user, xpt_kind_name(kind) },
					sum[i].bytes[kind] };
	}
	xpt_prom__add(sb, &f, rows, nr);
	free(sum);
}
