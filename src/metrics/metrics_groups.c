// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Groups of processes in the metrics. There are few, and those whose processes have all ended give their place to new
 * ones: the group that ended first goes, and its counts are added to "(other)", so that sums stay exact. Else a user
 * who starts containers all the time would take all lines from others.
 */
#include "metrics/metrics_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_id.h"
#include "model/event.h"
#include "model/forget.h"
#include "wire/user.h"

/* Keys are collected first: a table must not gain entries while it is walked through. */

static void add_count(struct xpt_wire_count *sum, const struct xpt_wire_count *c)
{
	sum->calls += c->calls;
	sum->bytes += c->bytes;
	sum->time_ns += c->time_ns;
	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++)
		sum->hist[i] += c->hist[i];
}

static void move_series(struct xpt_metrics *m, uint32_t group)
{
	struct xpt_metrics_series_key *keys = malloc((xpt_hashmap__len(m->series) + 1) * sizeof(*keys));
	const void *key;
	size_t pos = 0, n = 0;
	void *val;

	while (keys && xpt_hashmap__next(m->series, &pos, &key, &val))
		if (((const struct xpt_metrics_series_key *)key)->group == group)
			keys[n++] = *(const struct xpt_metrics_series_key *)key;
	for (size_t i = 0; i < n; i++) {
		struct xpt_metrics_series_key other = keys[i];
		struct xpt_wire_count had = *(struct xpt_wire_count *)xpt_hashmap__find(m->series, &keys[i]), *sum;

		xpt_hashmap__del(m->series, &keys[i]);
		other.group = XPT_METRICS_OTHERS;
		sum = xpt_hashmap__get(m->series, &other, NULL);
		if (sum)
			add_count(sum, &had);
		else
			m->left_out++;
	}
	xpt_shares__give_back(&m->shares, m->group[group].share, XPT_METRICS_SHARE_SERIES, (uint32_t)n);
	free(keys);
}

struct xpt_metrics_error_key xpt_metrics__others_error(struct xpt_metrics *m, const struct xpt_fn *fn, int64_t code,
						       const struct xpt_result *result, bool *ret_is_new)
{
	struct xpt_metrics_error_key key = { fn, code, XPT_METRICS_OTHERS };
	struct xpt_metrics_error *e;

	if (xpt_hashmap__find(m->errors, &key))
		return key;
	if (!result || m->nr_others_errors >= XPT_MAX_FNS)
		key.code = XPT_METRICS_OTHER_CODE;
	else
		m->nr_others_errors++;
	e = xpt_hashmap__get(m->errors, &key, ret_is_new);
	if (e)
		e->result = result;
	return key;
}

static void move_errors(struct xpt_metrics *m, uint32_t group)
{
	struct xpt_metrics_error_key *keys = malloc((xpt_hashmap__len(m->errors) + 1) * sizeof(*keys));
	const void *key;
	size_t pos = 0, n = 0;
	void *val;

	while (keys && xpt_hashmap__next(m->errors, &pos, &key, &val))
		if (((const struct xpt_metrics_error_key *)key)->group == group)
			keys[n++] = *(const struct xpt_metrics_error_key *)key;
	for (size_t i = 0; i < n; i++) {
		struct xpt_metrics_error_key other;
		struct xpt_metrics_error had = *(struct xpt_metrics_error *)xpt_hashmap__find(m->errors, &keys[i]), *sum;

		xpt_hashmap__del(m->errors, &keys[i]);
		if (!had.calls)		/* all of it is counted by running processes: move_running() */
			continue;
		other = xpt_metrics__others_error(m, keys[i].fn, keys[i].code, had.result, NULL);
		sum = xpt_hashmap__get(m->errors, &other, NULL);
		if (sum) {
			sum->calls += had.calls;
			sum->result = had.result;
		} else {
			m->left_out++;
		}
	}
	xpt_shares__give_back(&m->shares, m->group[group].share, XPT_METRICS_SHARE_ERRORS, (uint32_t)n);
	free(keys);
}

void xpt_metrics__give_open(struct xpt_metrics *m, const struct xpt_metrics_waiting_key *key)
{
	if (key->group != XPT_METRICS_OTHERS)
		xpt_shares__give_back(&m->shares, m->group[key->group].share, XPT_METRICS_SHARE_OPEN, 1);
}

/* Later counts of the group's ended processes belong to "(other)" from now on; its calls in flight are removed. */
static void move_running(struct xpt_metrics *m, uint32_t group)
{
	const void *key;
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(m->running, &pos, &key, &val)) {
		struct xpt_metrics_running *r = val;

		if (r->series.group == group)
			r->series.group = XPT_METRICS_OTHERS;
	}
	for (pos = 0; xpt_hashmap__next(m->running_errors, &pos, &key, &val); ) {
		struct xpt_metrics_running_error *r = val;

		if (r->error.group == group)
			r->error = xpt_metrics__others_error(m, r->error.fn, r->error.code, r->result, NULL);
	}
	for (pos = 0; xpt_hashmap__next(m->open_calls, &pos, &key, &val); ) {
		const struct xpt_metrics_waiting_key *w = key;

		if (w->group != group)
			continue;
		xpt_metrics__give_open(m, w);
		xpt_hashmap__del(m->open_calls, w);
	}
}

/*
 * The owner's group whose processes have all ended, and longest ago; XPT_METRICS_OTHERS: there is none. *ret_n: how
 * many.
 */
static uint32_t find_ended_of(const struct xpt_metrics *m, uint64_t owner, uint32_t *ret_n)
{
	uint32_t found = XPT_METRICS_OTHERS;

	*ret_n = 0;
	for (uint32_t i = 0; i < m->nr_groups; i++) {
		if (m->group[i].alive || m->group[i].owner != owner)
			continue;
		++*ret_n;
		if (found == XPT_METRICS_OTHERS || m->group[i].ended_ns < m->group[found].ended_ns)
			found = i;
	}
	return found;
}

/*
 * A group that has ended: of the owner himself, or of the one who has most of them, so that nobody loses his to
 * another's many.
 */
static uint32_t find_ended(const struct xpt_metrics *m, uint64_t owner)
{
	uint32_t n, most = 0, of, found = find_ended_of(m, owner, &n);

	if (n)
		return found;
	for (uint32_t i = 0; i < m->nr_groups; i++) {
		of = find_ended_of(m, m->group[i].owner, &n);
		if (n > most || (n && n == most && m->group[of].ended_ns < m->group[found].ended_ns)) {
			most = n;
			found = of;
		}
	}
	return found;
}

static uint32_t reuse_group(struct xpt_metrics *m, uint64_t owner)
{
	uint32_t i = find_ended(m, owner);

	if (i == XPT_METRICS_OTHERS)
		return i;
	move_series(m, i);
	move_errors(m, i);
	move_running(m, i);
	xpt_shares__give_back(&m->shares, m->group[i].share, XPT_METRICS_SHARE_GROUPS, 1);
	xpt_hashmap__del(m->groups, &m->group[i].key);
	m->group[i] = (struct xpt_metrics_group){ .process = "" };
	return i;
}

static void leave_group(struct xpt_metrics *m, uint32_t i)
{
	struct xpt_metrics_group *g = &m->group[i];

	if (i == XPT_METRICS_OTHERS || !g->alive)
		return;
	g->alive--;
	g->ended_ns = m->now_ns;
	g->is_memory_unknown &= g->alive > 0;
}

static void join_group(struct xpt_metrics *m, const struct xpt_proc *proc, uint32_t group)
{
	uint32_t *in = proc->exit_ns ? NULL : xpt_hashmap__find(m->group_of_proc, &proc);

	if (proc->exit_ns || group == XPT_METRICS_OTHERS || (in && *in == group))
		return;
	if (in)
		leave_group(m, *in);
	else
		in = xpt_hashmap__get(m->group_of_proc, &proc, NULL);
	if (in)
		*in = group;
	m->group[group].alive++;	/* of one that found no room in the table for ever: its group stays */
}

void xpt_metrics__leave_group(struct xpt_metrics *m, const struct xpt_proc *proc)
{
	uint32_t *in = xpt_hashmap__find(m->group_of_proc, &proc);

	if (!in)
		return;
	leave_group(m, *in);
	xpt_hashmap__del(m->group_of_proc, &proc);
}

static void forget_proc(void *ctx, void *val)
{
	leave_group(ctx, *(uint32_t *)val);
}

void xpt_metrics__forget_procs(struct xpt_metrics *m)
{
	xpt_forget__map(m->group_of_proc, forget_proc, m);
}

/*
 * Asked until it is known, and best at the first record of the process: the owner of a process that has ended cannot
 * be found any more.
 */
uint64_t xpt_metrics__owner_of(struct xpt_metrics *m, const struct xpt_proc *proc)
{
	uint64_t *known;
	bool is_new = true;

	if (!m->shares.ask)
		return xpt_shares__ask(&m->shares, proc);
	known = xpt_hashmap__get(m->owner_of, &proc, &is_new);
	if (!known)
		return UINT64_MAX;
	if (is_new || *known == XPT_OWNER_NOBODY)
		*known = xpt_shares__ask(&m->shares, proc);
	return *known;
}

static uint64_t id_of(const char *text)
{
	return text ? xpt_text_id(text, strlen(text)) : 0;
}

static void name_group(struct xpt_metrics_group *g, const struct xpt_proc *proc)
{
	snprintf(g->process, sizeof(g->process), "%s", proc->comm);
	snprintf(g->container, sizeof(g->container), "%s", proc->container ? proc->container : "");
	snprintf(g->pod, sizeof(g->pod), "%s", proc->pod ? proc->pod : "");
	snprintf(g->slurm_job, sizeof(g->slurm_job), "%s", proc->slurm_job ? proc->slurm_job : "");
	if (proc->uid != UINT32_MAX)
		snprintf(g->user, sizeof(g->user), "%u", proc->uid);
}

/* A place for a new group: a free one, if the owner's share allows it, or that of a group that has ended. */
static uint32_t take_group(struct xpt_metrics *m, uint64_t owner, uint64_t *ret_share)
{
	uint32_t i;

	if (xpt_shares__take(&m->shares, owner, XPT_METRICS_SHARE_GROUPS, ret_share))
		return m->nr_groups++;
	i = reuse_group(m, owner);
	if (i != XPT_METRICS_OTHERS)
		xpt_shares__take_freed(&m->shares, owner, XPT_METRICS_SHARE_GROUPS, ret_share);
	return i;
}

static uint32_t add_group(struct xpt_metrics *m, const struct xpt_metrics_group_key *key, const struct xpt_proc *proc)
{
	uint64_t owner = xpt_metrics__owner_of(m, proc), share;
	uint32_t i = take_group(m, owner, &share), *index;

	if (i == XPT_METRICS_OTHERS)
		return i;
	m->group[i] = (struct xpt_metrics_group){ .key = *key, .owner = owner, .share = share, .ended_ns = m->now_ns };
	name_group(&m->group[i], proc);
	index = xpt_hashmap__get(m->groups, key, NULL);
	if (!index)
		return XPT_METRICS_OTHERS;	/* no memory: its place is free again when it is needed */
	*index = i;
	return i;
}

uint32_t xpt_metrics__group_of(struct xpt_metrics *m, const struct xpt_proc *proc)
{
	struct xpt_metrics_group_key key;
	const uint32_t *index;
	uint32_t i;

	if (!proc)
		return XPT_METRICS_OTHERS;
	key = (struct xpt_metrics_group_key){ id_of(proc->comm), id_of(proc->container), id_of(proc->pod),
					      id_of(proc->slurm_job), proc->uid };
	index = xpt_hashmap__find(m->groups, &key);
	i = index ? *index : add_group(m, &key, proc);
	join_group(m, proc, i);
	return i;
}
