// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See metrics.h. The kernel's count for a process that runs is replaced by each new count, and is added to
 * the sums of its group when the process has ended.
 */
#include "metrics/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics_priv.h"
#include "model/domain/domain.h"
#include "model/event.h"
#include "model/device.h"
#include "model/forget.h"
#include "wire/device.h"

#define OTHER "(other)"

static int new_maps(struct xpt_metrics *m)
{
	int err = xpt_hashmap__new(sizeof(struct xpt_metrics_group_key), sizeof(uint32_t), XPT_METRICS_GROUPS, &m->groups);

	if (!err)
		err = xpt_hashmap__new(sizeof(void *), sizeof(uint32_t), XPT_METRICS_PROCESSES, &m->group_of_proc);
	if (!err)
		err = xpt_hashmap__new(sizeof(void *), sizeof(uint64_t), XPT_METRICS_PROCESSES, &m->owner_of);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct xpt_metrics_series_key), sizeof(struct xpt_wire_count),
				       XPT_METRICS_ALL_SERIES, &m->series);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct xpt_metrics_error_key), sizeof(struct xpt_metrics_error),
				       XPT_METRICS_ALL_SERIES, &m->errors);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct xpt_metrics_running_key), sizeof(struct xpt_metrics_running),
				       XPT_METRICS_RUNNING, &m->running);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct xpt_metrics_running_key),
				       sizeof(struct xpt_metrics_running_error), XPT_METRICS_RUNNING,
				       &m->running_errors);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct xpt_metrics_reading_key), sizeof(struct xpt_metrics_reading),
				       XPT_METRICS_READINGS, &m->readings);
	if (!err)
		err = xpt_hashmap__new(sizeof(void *), 1, XPT_METRICS_HISTOGRAMS, &m->histograms);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct xpt_metrics_waiting_key), sizeof(struct xpt_metrics_waiting),
				       XPT_METRICS_ALL_SERIES, &m->open_calls);
	return err ? err : xpt_hashmap__new(sizeof(void *), sizeof(struct xpt_device_read), XPT_MAX_DEVICES,
					    &m->read);
}

int xpt_metrics__new(struct xpt_metrics **ret_m)
{
	static const uint32_t max[] = {
		[XPT_METRICS_SHARE_GROUPS] = XPT_METRICS_OTHERS, [XPT_METRICS_SHARE_SERIES] = XPT_METRICS_SERIES,
		[XPT_METRICS_SHARE_ERRORS] = XPT_METRICS_SERIES, [XPT_METRICS_SHARE_HISTOGRAMS] = XPT_METRICS_HISTOGRAMS,
		[XPT_METRICS_SHARE_BLOCKS] = XPT_METRICS_BLOCKS, [XPT_METRICS_SHARE_OPEN] = XPT_METRICS_SERIES,
	};
	struct xpt_metrics *m = calloc(1, sizeof(*m));
	int err = m ? new_maps(m) : -ENOMEM;

	err = err ? err : xpt_shares__init(&m->shares, max, sizeof(max) / sizeof(max[0]));
	err = err ? err : xpt_metrics_live__new(m, &m->live);
	if (err) {
		xpt_metrics__free(m);
		return err;
	}
	snprintf(m->group[XPT_METRICS_OTHERS].process, sizeof(m->group[0].process), OTHER);
	*ret_m = m;
	return 0;
}

void xpt_metrics__free(struct xpt_metrics *m)
{
	if (!m)
		return;
	xpt_hashmap__free(m->groups);
	xpt_hashmap__free(m->group_of_proc);
	xpt_metrics_live__free(m->live);
	xpt_shares__free(&m->shares);
	xpt_hashmap__free(m->owner_of);
	xpt_hashmap__free(m->series);
	xpt_hashmap__free(m->errors);
	xpt_hashmap__free(m->running);
	xpt_hashmap__free(m->running_errors);
	xpt_hashmap__free(m->histograms);
	xpt_hashmap__free(m->open_calls);
	xpt_hashmap__free(m->readings);
	xpt_hashmap__free(m->read);
	free(m);
}

void xpt_metrics__set_owner(struct xpt_metrics *m, xpt_shares_owner_fn owner, void *ctx)
{
	m->shares.ask = owner;
	m->shares.ask_ctx = ctx;
}

void xpt_metrics__set_new_error(struct xpt_metrics *m, xpt_metrics_error_fn fn, void *ctx)
{
	m->on_error = fn;
	m->error_ctx = ctx;
}

/* --- calls ------------------------------------------------------------------------------------ */

/* A place from the share of a group's owner; that of the others has none. */
static bool take_for_group(struct xpt_metrics *m, uint64_t group, unsigned kind)
{
	return group != XPT_METRICS_OTHERS && xpt_shares__take(&m->shares, m->group[group].share, kind, NULL);
}

/*
 * The series of a function's calls, which has a place from now on; that of the others where the owner has no share
 * left.
 */
static struct xpt_metrics_series_key series_of(struct xpt_metrics *m, const struct xpt_event *ev)
{
	struct xpt_metrics_series_key key = { ev->u.counter.fn, xpt_metrics__group_of(m, ev->u.counter.proc), ev->u.counter.dir };

	if (xpt_hashmap__find(m->series, &key))
		return key;
	if (!take_for_group(m, key.group, XPT_METRICS_SHARE_SERIES))
		key.group = XPT_METRICS_OTHERS;
	else if (!xpt_hashmap__find(m->histograms, &key.fn) &&
		 take_for_group(m, key.group, XPT_METRICS_SHARE_HISTOGRAMS))
		xpt_hashmap__get(m->histograms, &key.fn, NULL);
	xpt_hashmap__get(m->series, &key, NULL);
	return key;
}

static void report_error(const struct xpt_metrics *m, const struct xpt_event *ev)
{
	const struct xpt_result *result = ev->u.errcount.result;
	char number[24];

	if (!m->on_error)
		return;
	snprintf(number, sizeof(number), "%" PRId64, ev->u.errcount.code);
	m->on_error(m->error_ctx, ev->u.errcount.fn, ev->u.errcount.proc, result ? result->name : number);
}

/* The same of an error. */
static struct xpt_metrics_error_key error_of(struct xpt_metrics *m, const struct xpt_event *ev)
{
	struct xpt_metrics_error_key key = { ev->u.errcount.fn, ev->u.errcount.code, xpt_metrics__group_of(m, ev->u.errcount.proc) };
	struct xpt_metrics_error *e;
	bool is_new = false;

	if (xpt_hashmap__find(m->errors, &key))
		return key;
	e = take_for_group(m, key.group, XPT_METRICS_SHARE_ERRORS) ? xpt_hashmap__get(m->errors, &key, &is_new) : NULL;
	if (e)
		e->result = ev->u.errcount.result;	/* its line has the name from the first count on */
	else
		key = xpt_metrics__others_error(m, key.fn, key.code, ev->u.errcount.result, &is_new);
	if (is_new)
		report_error(m, ev);
	return key;
}

static void add_count(struct xpt_wire_count *sum, const struct xpt_wire_count *c)
{
	sum->calls += c->calls;
	sum->bytes += c->bytes;
	sum->time_ns += c->time_ns;
	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++)
		sum->hist[i] += c->hist[i];
}

static void add_series(struct xpt_metrics *m, const struct xpt_metrics_series_key *key, const struct xpt_wire_count *c)
{
	struct xpt_wire_count *sum = xpt_hashmap__get(m->series, key, NULL);

	if (sum)
		add_count(sum, c);
	else
		m->left_out++;
}

static void raise_to(__u64 *v, __u64 to)
{
	*v = to > *v ? to : *v;
}

/* Counts are read while calls end, so two looks may see them in another order than they were added. */
static void raise_count(struct xpt_wire_count *had, const struct xpt_wire_count *c)
{
	raise_to(&had->calls, c->calls);
	raise_to(&had->bytes, c->bytes);
	raise_to(&had->time_ns, c->time_ns);
	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++)
		raise_to(&had->hist[i], c->hist[i]);
}

static struct xpt_metrics_running_key counter_key(const struct xpt_event *ev)
{
	return (struct xpt_metrics_running_key){
		.proc = ev->u.counter.proc, .fn = ev->u.counter.fn,
		.detail = ev->u.counter.dir | (ev->u.counter.outer ? XPT_SUB_OUTER : 0) |
			(ev->u.counter.nested ? XPT_SUB_NESTED : 0) |
			(ev->u.counter.in_named ? XPT_SUB_IN_NAMED : 0) |
			(ev->u.counter.passed_on ? XPT_SUB_PASSED_ON : 0),
	};
}

static void on_counter_now(struct xpt_metrics *m, const struct xpt_event *ev)
{
	struct xpt_metrics_running_key key = counter_key(ev);
	bool is_new;
	struct xpt_metrics_running *r = xpt_hashmap__get(m->running, &key, &is_new);

	if (!r) {
		m->left_out++;
		return;
	}
	if (is_new)
		r->series = series_of(m, ev);
	raise_count(&r->count, ev->u.counter.count);
}

/* The process has ended: earlier counts of it are part of this one. */
static void on_counter(struct xpt_metrics *m, const struct xpt_event *ev)
{
	struct xpt_metrics_running_key key = counter_key(ev);
	const struct xpt_metrics_running *r = xpt_hashmap__find(m->running, &key);
	struct xpt_metrics_series_key series = r ? r->series : series_of(m, ev);
	struct xpt_wire_count count = *ev->u.counter.count;

	if (r)
		raise_count(&count, &r->count);
	xpt_hashmap__del(m->running, &key);
	add_series(m, &series, &count);
}

static void on_error_now(struct xpt_metrics *m, const struct xpt_event *ev)
{
	struct xpt_metrics_running_key key = { ev->u.errcount.proc, ev->u.errcount.fn, ev->u.errcount.code };
	bool is_new;
	struct xpt_metrics_running_error *r = xpt_hashmap__get(m->running_errors, &key, &is_new);

	if (!r) {
		m->left_out++;
		return;
	}
	if (is_new)
		r->error = error_of(m, ev);
	r->result = ev->u.errcount.result;
	r->calls = ev->u.errcount.calls > r->calls ? ev->u.errcount.calls : r->calls;
}

static void add_error(struct xpt_metrics *m, const struct xpt_metrics_error_key *key, uint64_t calls,
		      const struct xpt_result *result)
{
	struct xpt_metrics_error *e = xpt_hashmap__get(m->errors, key, NULL);

	if (!e) {
		m->left_out++;
		return;
	}
	e->calls += calls;
	e->result = result;
}

static void on_error(struct xpt_metrics *m, const struct xpt_event *ev)
{
	struct xpt_metrics_running_key key = { ev->u.errcount.proc, ev->u.errcount.fn, ev->u.errcount.code };
	const struct xpt_metrics_running_error *r = xpt_hashmap__find(m->running_errors, &key);
	struct xpt_metrics_error_key error = r ? r->error : error_of(m, ev);
	__u64 calls = ev->u.errcount.calls;

	if (r)
		raise_to(&calls, r->calls);
	xpt_hashmap__del(m->running_errors, &key);
	add_error(m, &error, calls, ev->u.errcount.result);
}

/* The place is given back with the page: xpt_metrics__clear_open(). */
static struct xpt_metrics_waiting *find_open(struct xpt_metrics *m, const struct xpt_event *ev)
{
	struct xpt_metrics_waiting_key key = { ev->u.inflight.fn, xpt_metrics__group_of(m, ev->u.inflight.proc) };

	if (!xpt_hashmap__find(m->open_calls, &key) && !take_for_group(m, key.group, XPT_METRICS_SHARE_OPEN))
		key.group = XPT_METRICS_OTHERS;
	return xpt_hashmap__get(m->open_calls, &key, NULL);
}

void xpt_metrics__clear_open(struct xpt_metrics *m)
{
	const void *key;
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(m->open_calls, &pos, &key, &val))
		xpt_metrics__give_open(m, key);
	xpt_hashmap__clear(m->open_calls);
}

static void on_inflight_now(struct xpt_metrics *m, const struct xpt_event *ev)
{
	struct xpt_metrics_waiting *w = find_open(m, ev);

	if (!w) {
		m->left_out++;
		return;
	}
	w->calls += ev->u.inflight.calls;
	w->oldest_ns = ev->u.inflight.oldest_ns > w->oldest_ns ? ev->u.inflight.oldest_ns : w->oldest_ns;
}

/* --- processes that are forgotten -------------------------------------------------------------- */

static void keep_count(void *ctx, void *val)
{
	const struct xpt_metrics_running *r = val;

	add_series(ctx, &r->series, &r->count);
}

static void keep_error(void *ctx, void *val)
{
	const struct xpt_metrics_running_error *r = val;

	add_error(ctx, &r->error, r->calls, r->result);
}

/* --- other events ------------------------------------------------------------------------------ */

static void on_xid(struct xpt_metrics *m, const struct xpt_xid *x)
{
	const char *severity = xpt_xid__severity(x);
	uint32_t i;

	for (i = 0; i < m->nr_xids; i++)
		if (m->xid[i].xid == x->rec->xid && !strcmp(m->xid[i].severity, severity) &&
		    !strcmp(m->xid[i].device, x->device))
			break;
	if (i == XPT_METRICS_XIDS) {
		m->other_xids++;
		return;
	}
	if (i == m->nr_xids) {
		m->nr_xids++;
		m->xid[i].xid = x->rec->xid;
		snprintf(m->xid[i].device, sizeof(m->xid[i].device), "%s", x->device);
	}
	m->xid[i].name = x->info->name;
	m->xid[i].severity = severity;
	m->xid[i].n++;
	m->xid[i].last = ++m->all_xids;
}

struct sink {
	struct xpt_metrics *m;
};

static int open_sink(void *st, const struct xpt_sink_cfg *cfg)
{
	((struct sink *)st)->m = cfg->ctx;
	return 0;
}

static int add_event(void *st, const struct xpt_event *ev)
{
	struct xpt_metrics *m = ((struct sink *)st)->m;

	m->now_ns = ev->ts_ns > m->now_ns ? ev->ts_ns : m->now_ns;
	switch (ev->kind) {
	case XPT_EV_PROC:
		xpt_metrics__owner_of(m, ev->u.proc.proc);
		if (ev->u.proc.exec)
			xpt_metrics_live__gone(m->live, ev->u.proc.proc, false, ev->ts_ns);
		break;
	case XPT_EV_CALL:
		xpt_metrics_live__call(m->live, &ev->u.call);
		break;
	case XPT_EV_COUNTER_NOW:
		on_counter_now(m, ev);
		break;
	case XPT_EV_COUNTER:
		on_counter(m, ev);
		break;
	case XPT_EV_ERRCOUNT_NOW:
		if (ev->u.errcount.failed)
			on_error_now(m, ev);
		break;
	case XPT_EV_ERRCOUNT:
		if (ev->u.errcount.failed)
			on_error(m, ev);
		break;
	case XPT_EV_INFLIGHT_NOW:
		on_inflight_now(m, ev);
		break;
	case XPT_EV_EXIT:
		xpt_metrics__leave_group(m, ev->u.proc.proc);
		xpt_metrics_live__gone(m->live, ev->u.proc.proc, true, ev->ts_ns);
		break;
	case XPT_EV_FORGET:
		xpt_metrics_live__forget(m->live, ev->ts_ns);
		xpt_metrics__forget_procs(m);
		xpt_forget__map(m->owner_of, NULL, NULL);
		xpt_forget__map(m->running, keep_count, m);
		xpt_forget__map(m->running_errors, keep_error, m);
		break;
	case XPT_EV_LOSS:
		m->lost[ev->u.loss.loss % XPT_LOSS__MAX] = ev->u.loss.count;
		break;
	case XPT_EV_XID:
		on_xid(m, ev->u.xid);
		break;
	case XPT_EV_READING:
		xpt_metrics__on_reading(m, ev->u.reading, ev->ts_ns);
		break;
	default:
		break;
	}
	return 0;
}

static int close_sink(void *st)
{
	(void)st;
	return 0;
}

const struct xpt_sink xpt_metrics_sink = {
	.name = "metrics", .state_size = sizeof(struct sink), .open = open_sink,
	.event = add_event, .close = close_sink,
};
