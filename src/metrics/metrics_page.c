// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The page of metrics (metrics.h), family after family. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics_priv.h"
#include "model/domain/domain.h"
#include "model/event.h"
#include "model/vocab.h"

#define P "xputrace_"
#define NS_DIGITS 9
#define CALLER_LABELS "process", "container", "?pod_uid", "?slurm_job", "user"

struct total {			/* a series with the counts of its running processes */
	struct xpt_metrics_series_key key;
	struct xpt_wire_count n;
};

struct page {
	struct xpt_metrics *m;
	struct xpt_strbuf *sb;
	struct xpt_prom_row *row;
	size_t nr;
	struct xpt_hashmap *totals;	/* struct xpt_metrics_series_key -> struct xpt_wire_count */
};

static void add_totals(struct xpt_hashmap *totals, const struct xpt_metrics_series_key *key,
		       const struct xpt_wire_count *c)
{
	struct xpt_wire_count *sum = xpt_hashmap__get(totals, key, NULL);

	if (!sum)
		return;
	sum->calls += c->calls;
	sum->bytes += c->bytes;
	sum->time_ns += c->time_ns;
	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++)
		sum->hist[i] += c->hist[i];
}

static int sum_totals(struct page *p)
{
	int err = xpt_hashmap__new(sizeof(struct xpt_metrics_series_key), sizeof(struct xpt_wire_count),
				   XPT_METRICS_ALL_SERIES, &p->totals);
	const void *key;
	size_t pos = 0;
	void *v;

	if (err)
		return err;
	while (xpt_hashmap__next(p->m->series, &pos, &key, &v))
		add_totals(p->totals, key, v);
	for (pos = 0; xpt_hashmap__next(p->m->running, &pos, &key, &v); ) {
		const struct xpt_metrics_running *r = v;

		add_totals(p->totals, &r->series, &r->count);
	}
	return 0;
}

static void add_row(struct page *p, uint64_t value, const char *a, const char *b, const char *c, const char *d)
{
	p->row[p->nr++] = (struct xpt_prom_row){ { a, b, c, d }, value };
}

/* A line of a group and function; last: the value of the family's last label. */
static void add_group_row(struct page *p, uint64_t value, uint64_t group, const struct xpt_fn *fn, const char *last)
{
	const struct xpt_metrics_group *g = &p->m->group[group];

	p->row[p->nr++] = (struct xpt_prom_row){
		{ g->process, g->container, g->pod, g->slurm_job, g->user, fn->domain_name, fn->name, last }, value };
}

static void print_family(struct page *p, const struct xpt_prom_family *f)
{
	xpt_prom__add(p->sb, f, p->row, p->nr);
	p->nr = 0;
}

/* --- calls ------------------------------------------------------------------------------------ */

static uint64_t calls_of(const struct xpt_wire_count *n)
{
	return n->calls;
}

static uint64_t time_of(const struct xpt_wire_count *n)
{
	return n->time_ns;
}

static void print_calls(struct page *p, const char *name, const char *help, unsigned digits,
			uint64_t (*value)(const struct xpt_wire_count *n))
{
	const struct xpt_prom_family f = {
		name, help, XPT_PROM_COUNTER, digits, { CALLER_LABELS, "domain", "function" } };
	const void *k;
	size_t pos = 0;
	void *n;

	while (xpt_hashmap__next(p->totals, &pos, &k, &n)) {
		const struct xpt_metrics_series_key *key = k;

		add_group_row(p, value(n), key->group, key->fn, NULL);
	}
	print_family(p, &f);
}

static void print_bytes(struct page *p)
{
	static const struct xpt_prom_family f = {
		P "call_bytes_total", "Bytes that calls asked for, allocated or copied, by direction of the copy",
		XPT_PROM_COUNTER, 0, { CALLER_LABELS, "domain", "function", "direction" } };
	const void *k;
	size_t pos = 0;
	void *v;

	while (xpt_hashmap__next(p->totals, &pos, &k, &v)) {
		const struct xpt_metrics_series_key *key = k;
		const struct xpt_wire_count *n = v;

		if (n->bytes)
			add_group_row(p, n->bytes, key->group, key->fn,
				      key->dir == XPT_DIR_NONE ? "" : xpt_dir_name(key->dir));
	}
	print_family(p, &f);
}

/* Calls that have not returned, as they were emitted since the last page. */
static void print_waiting(struct page *p, const char *name, const char *help, unsigned digits,
			  uint64_t (*value)(const struct xpt_metrics_waiting *w))
{
	const struct xpt_prom_family f = {
		name, help, XPT_PROM_GAUGE, digits, { CALLER_LABELS, "domain", "function" } };
	const void *k;
	size_t pos = 0;
	void *w;

	while (xpt_hashmap__next(p->m->open_calls, &pos, &k, &w)) {
		const struct xpt_metrics_waiting_key *key = k;

		add_group_row(p, value(w), key->group, key->fn, NULL);
	}
	print_family(p, &f);
}

static uint64_t waiting_of(const struct xpt_metrics_waiting *w)
{
	return w->calls;
}

static uint64_t oldest_of(const struct xpt_metrics_waiting *w)
{
	return w->oldest_ns;
}

static void add_error(struct page *p, const struct xpt_metrics_error_key *key, uint64_t calls,
		      const struct xpt_result *result, char *buf, size_t n)
{
	bool is_other = key->code == XPT_METRICS_OTHER_CODE;

	snprintf(buf, n, "%" PRId64, key->code);
	add_group_row(p, calls, key->group, key->fn, is_other ? "(other)" : result ? result->name : buf);
}

static void print_errors(struct page *p)
{
	static const struct xpt_prom_family f = {
		P "call_errors_total", "Calls that failed, by error; answers that are no failures are left out",
		XPT_PROM_COUNTER, 0, { CALLER_LABELS, "domain", "function", "error" } };
	size_t n = xpt_hashmap__len(p->m->errors) + xpt_hashmap__len(p->m->running_errors), pos = 0;
	char (*code)[24] = calloc(n + 1, sizeof(*code));
	const void *key;
	void *v;

	while (code && xpt_hashmap__next(p->m->errors, &pos, &key, &v)) {
		const struct xpt_metrics_error *e = v;

		add_error(p, key, e->calls, e->result, code[p->nr], sizeof(*code));
	}
	for (pos = 0; code && xpt_hashmap__next(p->m->running_errors, &pos, &key, &v); ) {
		const struct xpt_metrics_running_error *r = v;

		add_error(p, &r->error, r->calls, r->result, code[p->nr], sizeof(*code));
	}
	print_family(p, &f);
	free(code);
}

/* --- metrics of xputrace itself ------------------------------------------------------------------ */

static void print_losses(struct page *p)
{
	static const struct xpt_prom_family f = {
		P "lost_total", "What the trace has lost, by kind; counts of calls are exact all the same",
		XPT_PROM_COUNTER, 0, { "loss" } };

	for (unsigned i = 0; i < XPT_LOSS__MAX; i++)
		add_row(p, p->m->lost[i], xpt_loss_name(i), NULL, NULL, NULL);
	add_row(p, p->m->left_out, "metrics_full", NULL, NULL, NULL);
	print_family(p, &f);
}

static void print_xids(struct page *p)
{
	static const struct xpt_prom_family f = {
		P "xid_errors_total", "Errors that NVIDIA's driver has reported", XPT_PROM_COUNTER, 0,
		{ "gpu", "xid", "name", "severity" } };
	char number[XPT_METRICS_XIDS][12];

	for (uint32_t i = 0; i < p->m->nr_xids; i++) {
		const struct xpt_metrics_xid *x = &p->m->xid[i];

		snprintf(number[i], sizeof(number[i]), "%u", x->xid);
		add_row(p, x->n, x->device, number[i], x->name, x->severity);
	}
	if (p->m->other_xids)
		add_row(p, p->m->other_xids, "(other)", "", "", "");
	print_family(p, &f);
}

static void print_one(struct page *p, const char *name, const char *help, enum xpt_prom_type type, unsigned digits,
		      uint64_t value)
{
	const struct xpt_prom_family f = { name, help, type, digits, { NULL } };

	add_row(p, value, NULL, NULL, NULL, NULL);
	print_family(p, &f);
}

static void print_self(struct page *p, const struct xpt_metrics_self *self)
{
	static const struct xpt_prom_family info = {
		P "info", "Version of xputrace and of the kernel", XPT_PROM_GAUGE, 0, { "version", "kernel" } };

	add_row(p, 1, self->version, self->kernel, NULL, NULL);
	print_family(p, &info);
	print_one(p, P "start_time_seconds", "When the trace began, seconds since 1970", XPT_PROM_GAUGE, NS_DIGITS,
		  self->start_wall_ns);
	print_one(p, P "own_cpu_seconds_total", "Processor time of xputrace itself, without probes", XPT_PROM_COUNTER,
		  NS_DIGITS, self->cpu_ns);
	print_one(p, P "own_memory_bytes", "Memory of xputrace itself now", XPT_PROM_GAUGE, 0, self->rss_bytes);
}

static void print_recordings(struct page *p, const struct xpt_metrics_self *self)
{
	static const struct xpt_prom_family written = {
		P "recordings_total", "Recordings that the flight recorder has written, by cause", XPT_PROM_COUNTER, 0,
		{ "cause" } };
	static const struct xpt_prom_family failed = {
		P "recordings_failed_total", "Recordings that could not be written, by cause", XPT_PROM_COUNTER, 0,
		{ "cause" } };

	for (unsigned i = 0; i < self->nr_recordings; i++)
		add_row(p, self->recordings[i].written, self->recordings[i].cause, NULL, NULL, NULL);
	print_family(p, &written);
	for (unsigned i = 0; i < self->nr_recordings; i++)
		add_row(p, self->recordings[i].failed, self->recordings[i].cause, NULL, NULL, NULL);
	print_family(p, &failed);
}

static size_t max_rows(const struct page *p, const struct xpt_metrics_self *self)
{
	size_t n = xpt_hashmap__len(p->totals), more;

	more = xpt_hashmap__len(p->m->errors) + xpt_hashmap__len(p->m->running_errors);
	n = more > n ? more : n;
	more = xpt_hashmap__len(p->m->open_calls);
	n = more > n ? more : n;
	more = xpt_hashmap__len(p->m->readings);
	n = more > n ? more : n;
	n = XPT_METRICS_LIVE_ROWS > n ? XPT_METRICS_LIVE_ROWS : n;
	return n + XPT_LOSS__MAX + XPT_METRICS_XIDS + self->nr_recordings + 2;
}

int xpt_metrics__print(struct xpt_metrics *m, const struct xpt_metrics_self *self, struct xpt_strbuf *sb)
{
	struct page p = { .m = m, .sb = sb };
	int err = sum_totals(&p), no_memory;

	p.row = err ? NULL : calloc(max_rows(&p, self), sizeof(*p.row));
	if (!p.row) {
		xpt_hashmap__free(p.totals);
		return -ENOMEM;
	}
	print_self(&p, self);
	print_calls(&p, P "calls_total", "Calls, exact", 0, calls_of);
	print_calls(&p, P "call_seconds_total", "Time in calls, with that of calls inside them", NS_DIGITS, time_of);
	no_memory = xpt_metrics__print_durations(m, p.totals, sb);
	print_waiting(&p, P "calls_in_flight", "Calls that have lasted for a second or more and not returned", 0,
		      waiting_of);
	print_waiting(&p, P "call_in_flight_seconds", "How long the oldest of them has lasted", NS_DIGITS, oldest_of);
	xpt_metrics__clear_open(m);
	print_bytes(&p);
	xpt_metrics_live__print(m->live, self->now_ns, p.row, sb);
	print_errors(&p);
	print_xids(&p);
	print_losses(&p);
	print_recordings(&p, self);
	xpt_metrics__print_devices(m, p.row, sb);
	err = xpt_metrics__print_compat(m, p.totals, self->host, sb);
	xpt_hashmap__free(p.totals);
	free(p.row);
	if (no_memory || err)
		return -ENOMEM;
	return xpt_strbuf__err(sb);
}
