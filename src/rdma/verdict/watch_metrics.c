// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See watch_metrics.h. Names are those that the authors of RDMATracer gave their three
 * counters, calls, errors and errno of a function, with a prefix; units and endings
 * are Prometheus's.
 */
#include "rdma/verdict/watch_metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/formats/prom.h"
#include "rdma/trace/trace_json.h"

#define OTHER "(other)"
#define P "xputrace_rdma_"

struct failures {
	enum xpt_rdma_class cls;
	char device[64], driver[32], method[64], error[24];
	uint64_t n;
};

struct events {
	char event[24], device[64];
	uint64_t n;
};

struct xpt_rdma_metrics {
	uint64_t start_ns;
	char kernel[96];
	uint64_t by_class[XPT_RDMA_NR_CLASSES], other_events;
	uint64_t other[XPT_RDMA_NR_CLASSES];	/* failures that found no place */
	struct failures failed[XPT_RDMA_METRICS_KINDS];
	struct events event[XPT_RDMA_METRICS_KINDS];
	unsigned nr_failed, nr_events;
};

struct xpt_rdma_metrics *xpt_rdma_metrics__new(uint64_t start_wall_ns, const char *kernel)
{
	struct xpt_rdma_metrics *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->start_ns = start_wall_ns;
	snprintf(m->kernel, sizeof(m->kernel), "%s", kernel);
	return m;
}

void xpt_rdma_metrics__free(struct xpt_rdma_metrics *m)
{
	free(m);
}

void xpt_rdma_metrics__failed(struct xpt_rdma_metrics *m, const struct xpt_rdma_trace *t,
			      enum xpt_rdma_class cls)
{
	struct failures f = { .cls = cls };
	char buf[24];
	unsigned i;

	snprintf(f.device, sizeof(f.device), "%s", t->device);
	snprintf(f.driver, sizeof(f.driver), "%s", t->driver);
	snprintf(f.method, sizeof(f.method), "%s", t->method);
	snprintf(f.error, sizeof(f.error), "%s", xpt_rdma_trace__error(t, buf, sizeof(buf)));
	m->by_class[cls]++;
	for (i = 0; i < m->nr_failed; i++) {
		const struct failures *has = &m->failed[i];

		if (has->cls == cls && !strcmp(has->device, f.device) && !strcmp(has->driver, f.driver) &&
		    !strcmp(has->method, f.method) && !strcmp(has->error, f.error))
			break;
	}
	if (i == XPT_RDMA_METRICS_KINDS) {
		m->other[cls]++;
		return;
	}
	if (i == m->nr_failed)
		m->failed[m->nr_failed++] = f;
	m->failed[i].n++;
}

void xpt_rdma_metrics__event(struct xpt_rdma_metrics *m, const char *event, const char *device)
{
	unsigned i;

	for (i = 0; i < m->nr_events; i++)
		if (!strcmp(m->event[i].event, event) && !strcmp(m->event[i].device, device))
			break;
	if (i == XPT_RDMA_METRICS_KINDS) {
		m->other_events++;
		return;
	}
	if (i == m->nr_events) {
		snprintf(m->event[i].event, sizeof(m->event[i].event), "%s", event);
		snprintf(m->event[i].device, sizeof(m->event[i].device), "%s", device);
		m->nr_events++;
	}
	m->event[i].n++;
}

/* --- the page -------------------------------------------------------------------------- */

struct page {
	const struct xpt_rdma_metrics *m;
	const struct xpt_rdma_sums *sums;
	struct xpt_strbuf *sb;
	struct xpt_prom_row *row;
	size_t nr;
	char (*error)[24];	/* names of errnos that rows refer to */
};

static void add_row(struct page *p, uint64_t value, const char *a, const char *b, const char *c,
		    const char *d, const char *e)
{
	p->row[p->nr++] = (struct xpt_prom_row){ { a, b, c, d, e }, value };
}

static void put_family(struct page *p, const struct xpt_prom_family *f)
{
	xpt_prom__add(p->sb, f, p->row, p->nr);
	p->nr = 0;
}

static void put_watch(struct page *p)
{
	static const struct xpt_prom_family info = { P "watch_info", "What watches: versions.",
		XPT_PROM_GAUGE, 0, { "version", "kernel" } };
	static const struct xpt_prom_family start = { P "watch_start_time_seconds",
		"When the watch began, since 1970.", XPT_PROM_GAUGE, 9, { NULL } };
	static const struct xpt_prom_family fns = { P "watched_functions",
		"Functions of the kernel by whether they could be probed.", XPT_PROM_GAUGE, 0, { "state" } };

	add_row(p, 1, XPT_VERSION, p->m->kernel, NULL, NULL, NULL);
	put_family(p, &info);
	add_row(p, p->m->start_ns, NULL, NULL, NULL, NULL, NULL);
	put_family(p, &start);
	if (!p->sums)
		return;
	add_row(p, p->sums->stats.nr, "watched", NULL, NULL, NULL, NULL);
	add_row(p, p->sums->stats.nr_failed, "not_watched", NULL, NULL, NULL, NULL);
	put_family(p, &fns);
}

/* Calls, errors, and which errors. */
static void put_functions(struct page *p)
{
	static const struct xpt_prom_family calls = { P "function_calls_total",
		"Returns of a function of the kernel below RDMA calls.", XPT_PROM_COUNTER, 0,
		{ "function", "module" } };
	static const struct xpt_prom_family errors = { P "function_errors_total",
		"Returns that were an error, normal ones included.", XPT_PROM_COUNTER, 0,
		{ "function", "module" } };
	static const struct xpt_prom_family codes = { P "function_errno_total",
		"The same by error; no: a predicate said no.", XPT_PROM_COUNTER, 0,
		{ "function", "module", "errno" } };
	unsigned i, k, n = 0;

	for (i = 0; i < p->sums->nr_fns; i++)
		add_row(p, p->sums->fn[i].calls, p->sums->fn[i].function, p->sums->fn[i].module, NULL, NULL, NULL);
	put_family(p, &calls);
	for (i = 0; i < p->sums->nr_fns; i++)
		add_row(p, p->sums->fn[i].errors, p->sums->fn[i].function, p->sums->fn[i].module, NULL, NULL, NULL);
	put_family(p, &errors);
	for (i = 0; i < p->sums->nr_fns; i++) {
		const struct xpt_rdma_fn_sum *f = &p->sums->fn[i];

		for (k = 0; k < f->nr_codes; k++, n++) {
			const char *name = f->code[k].code ? xpt_rdma_errno_name(-f->code[k].code, p->error[n],
						      sizeof(p->error[n])) : "no";

			add_row(p, f->code[k].n, f->function, f->module, name, NULL, NULL);
		}
	}
	put_family(p, &codes);
}

static void put_methods(struct page *p)
{
	static const struct {
		size_t at;
		struct xpt_prom_family f;
	} of[] = {
#define FAMILY(field, name, help, digits) { offsetof(struct xpt_rdma_sum, field), \
	{ P "method_" name "_total", help, XPT_PROM_COUNTER, digits, { "method", "object" } } }
		FAMILY(calls, "calls", "Calls of a method.", 0),
		FAMILY(failed, "failed", "Calls that returned an error, normal ones included.", 0),
		FAMILY(expected, "expected", "Failed calls that were looked at and whose error is normal.", 0),
		FAMILY(slow, "slow", "Calls that lasted as long as --slow.", 0),
		FAMILY(held, "held", "Failed or slow calls that came too fast to look at each.", 0),
		FAMILY(ns, "seconds", "Time in calls.", 9),
	};
	unsigned i, k;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		for (k = 0; k < p->sums->nr_methods; k++) {
			const struct xpt_rdma_sum *v = &p->sums->method[k];
			uint64_t n;

			memcpy(&n, (const char *)v + of[i].at, sizeof(n));
			add_row(p, n, v->method, v->object, NULL, NULL, NULL);
		}
		put_family(p, &of[i].f);
	}
}

static void put_passed(struct page *p)
{
	static const struct xpt_prom_family f = { P "method_counted_only_total",
		"Calls of the data path, which nobody looked into.", XPT_PROM_COUNTER, 0, { "method" } };
	unsigned i;

	for (i = 0; i < p->sums->nr_passed; i++)
		add_row(p, p->sums->passed[i].calls, p->sums->passed[i].method, NULL, NULL, NULL, NULL);
	put_family(p, &f);
}

static void put_failures(struct page *p)
{
	static const struct xpt_prom_family by_class = { P "failures_by_class_total",
		"Failed calls whose error is not normal. Every class from the start.", XPT_PROM_COUNTER, 0,
		{ "class" } };
	static const struct xpt_prom_family failures = { P "failures_total",
		"The same by what failed and how.", XPT_PROM_COUNTER, 0,
		{ "class", "device", "driver", "method", "errno" } };
	const struct xpt_rdma_metrics *m = p->m;
	unsigned i;

	for (i = 0; i < XPT_RDMA_NR_CLASSES; i++)
		add_row(p, m->by_class[i], xpt_rdma_class_name((enum xpt_rdma_class)i), NULL, NULL, NULL, NULL);
	put_family(p, &by_class);
	for (i = 0; i < m->nr_failed; i++) {
		const struct failures *f = &m->failed[i];

		add_row(p, f->n, xpt_rdma_class_name(f->cls), f->device, f->driver, f->method, f->error);
	}
	for (i = 0; i < XPT_RDMA_NR_CLASSES; i++)
		if (m->other[i])
			add_row(p, m->other[i], xpt_rdma_class_name((enum xpt_rdma_class)i), OTHER, OTHER, OTHER,
				OTHER);
	put_family(p, &failures);
}

static void put_events(struct page *p)
{
	static const struct xpt_prom_family events = { P "events_total",
		"Asynchronous events of devices, ports and queue pairs.", XPT_PROM_COUNTER, 0,
		{ "event", "device" } };
	unsigned i;

	for (i = 0; i < p->m->nr_events; i++)
		add_row(p, p->m->event[i].n, p->m->event[i].event, p->m->event[i].device, NULL, NULL, NULL);
	if (p->m->other_events)
		add_row(p, p->m->other_events, OTHER, OTHER, NULL, NULL, NULL);
	put_family(p, &events);
}

static void put_losses(struct page *p)
{
	static const struct xpt_prom_family lost = { P "lost_total", "What could not be kept.",
		XPT_PROM_COUNTER, 0, { "what" } };
	unsigned i;

	for (i = 0; i < XPT_RDMA_NR_LOST; i++)
		add_row(p, p->sums->stats.lost[i], xpt_rdma_lost_name((enum xpt_rdma_lost)i), NULL, NULL, NULL, NULL);
	add_row(p, p->sums->stats.missed, "returns", NULL, NULL, NULL, NULL);
	put_family(p, &lost);
}

/* Rows and names that the longest family needs. */
static size_t count_rows(const struct xpt_rdma_sums *sums, size_t *ret_codes)
{
	size_t n = XPT_RDMA_METRICS_KINDS + XPT_RDMA_NR_CLASSES;
	unsigned i;

	*ret_codes = 0;
	if (!sums)
		return n;
	for (i = 0; i < sums->nr_fns; i++)
		*ret_codes += sums->fn[i].nr_codes;
	n = sums->nr_fns > n ? sums->nr_fns : n;
	n = sums->nr_methods > n ? sums->nr_methods : n;
	return *ret_codes > n ? *ret_codes : n;
}

int xpt_rdma_metrics__print(const struct xpt_rdma_metrics *m, const struct xpt_rdma_sums *sums,
			    struct xpt_strbuf *sb)
{
	struct page p = { .m = m, .sums = sums, .sb = sb };
	size_t nr_codes, n = count_rows(sums, &nr_codes);

	p.row = calloc(n, sizeof(*p.row));
	p.error = calloc(nr_codes + 1, sizeof(*p.error));
	if (!p.row || !p.error) {
		free(p.row);
		free(p.error);
		return -ENOMEM;
	}
	put_watch(&p);
	put_failures(&p);
	put_events(&p);
	if (sums) {
		put_methods(&p);
		put_passed(&p);
		put_functions(&p);
		put_losses(&p);
	}
	free(p.row);
	free(p.error);
	return xpt_strbuf__err(sb);
}
