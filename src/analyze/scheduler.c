/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests to the GPU's scheduler: how often a program asks the driver to
 * schedule, bind or preempt a channel or to change its timeslice, and the cost
 * of each type of request. A function counts if its class is
 * XPT_CLASS_SCHED, in any layer: a request that was traced as an ioctl and as
 * a function of the driver has a row for each.
 *
 * The totals are the exact counters of the BPF programs, which come at the end
 * of a trace. A recording that ends before them has only the calls' events,
 * which are summed up instead.
 */
#include <stdlib.h>
#include <string.h>
#include "base/hashmap.h"
#include "base/numbers/mean.h"
#include "model/output/analyzer.h"
#include "model/value.h"

#define TOP 20
#define ERROR_LEN 40
#define REFUSED_MAX 256

struct rec_request {
	const char *request, *function;
	uint64_t calls, failed, time_ns, mean_ns, max_ns;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_request, request, STR, NONE, "request"),
	XPT_FIELD(struct rec_request, function, STR, NONE, ""),
	XPT_FIELD(struct rec_request, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_request, failed, U64, COUNT, "fail"),
	XPT_FIELD(struct rec_request, time_ns, U64, NS, "total"),
	XPT_FIELD(struct rec_request, mean_ns, U64, NS, "mean"),
	XPT_FIELD(struct rec_request, max_ns, U64, NS, "max"),
};

static const struct xpt_schema schema = {
	.name = "scheduler", .title = "Requests to the GPU's scheduler",
	.help = "Requests by what was asked for, most time first: calls, failures and time; "
		"failures that the driver reports in an argument are in the next table alone",
	.layout = XPT_LAYOUT_TABLE, .order = 42, XPT_RECORD(struct rec_request, fields),
};

struct rec_refused {
	const char *request, *function, *error;
	uint64_t calls;
};

static const struct xpt_field refused_fields[] = {
	XPT_FIELD(struct rec_refused, request, STR, NONE, "request"),
	XPT_FIELD(struct rec_refused, function, STR, NONE, ""),
	XPT_FIELD(struct rec_refused, error, STR, NONE, "error"),
	XPT_FIELD(struct rec_refused, calls, U64, COUNT, "calls"),
};

static const struct xpt_schema refused_schema = {
	.name = "scheduler_errors", .title = "Refused requests to the GPU's scheduler",
	.help = "Requests that failed, by errno or by the driver's status in an argument, most first; "
		"from events",
	.layout = XPT_LAYOUT_TABLE, .order = 43, XPT_RECORD(struct rec_refused, refused_fields),
};

static const struct xpt_schema *const emits[] = { &schema, &refused_schema, NULL };

struct refused {		/* a hash key: all its bytes are set, padding included */
	const struct xpt_fn *fn;
	char error[ERROR_LEN];
};

struct scheduler {
	/* Sums of events, and of counters: struct xpt_fn * -> struct xpt_wire_count */
	struct xpt_hashmap *ev, *ctr;
	struct xpt_hashmap *refused;	/* struct refused -> uint64_t calls */
	uint64_t ev_calls, ctr_calls, lost;	/* lost: calls that had no room in a table */
};

static void add_total(struct scheduler *s, struct xpt_hashmap *to, const struct xpt_fn *fn,
		      const struct xpt_wire_count *n)
{
	struct xpt_wire_count *sum;

	if (fn->cls != XPT_CLASS_SCHED)
		return;
	sum = xpt_hashmap__get(to, &fn, NULL);
	if (!sum) {
		s->lost += n->calls;
		return;
	}
	sum->calls += n->calls;
	sum->errors += n->errors;
	sum->time_ns += n->time_ns;
	if (n->max_ns > sum->max_ns)
		sum->max_ns = n->max_ns;
}

static void add_refused(struct scheduler *s, const struct xpt_call *c)
{
	struct refused key;
	uint64_t *calls;

	memset(&key, 0, sizeof(key));
	key.fn = c->fn;
	if (c->fn->cls != XPT_CLASS_SCHED || !xpt_value__failure(c, key.error, sizeof(key.error)))
		return;
	calls = xpt_hashmap__get(s->refused, &key, NULL);
	if (calls)
		(*calls)++;
	else
		s->lost++;
}

static void on_call(struct scheduler *s, const struct xpt_call *c)
{
	struct xpt_wire_count n = { .calls = 1, .errors = c->failed, .time_ns = c->dur_ns,
				    .max_ns = c->dur_ns };

	s->ev_calls++;
	add_total(s, s->ev, c->fn, &n);
	add_refused(s, c);
}

/*
 * Returns the last part of the name: "ioctl:NV_ESC_RM_CONTROL:NVA06C_CTRL_CMD_PREEMPT" asks for
 * NVA06C_CTRL_CMD_PREEMPT.
 */
static const char *request_of(const struct xpt_fn *fn)
{
	const char *last = strrchr(fn->name, ':');

	return last ? last + 1 : fn->name;
}

static int by_time(const void *a, const void *b)
{
	const struct rec_request *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? 1 : -1;
	return strcmp(x->function, y->function);
}

static int by_calls(const void *a, const void *b)
{
	const struct rec_refused *x = a, *y = b;
	int order = strcmp(x->function, y->function);

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return order ? order : strcmp(x->error, y->error);
}

static void emit_refused(struct scheduler *s, struct xpt_out *out)
{
	size_t nr = xpt_hashmap__len(s->refused), n = 0, pos = 0;
	struct rec_refused *rows = calloc(nr ? nr : 1, sizeof(*rows));
	const void *key;
	void *val;

	while (rows && n < nr && xpt_hashmap__next(s->refused, &pos, &key, &val)) {
		const struct refused *r = key;

		rows[n++] = (struct rec_refused){
			.request = request_of(r->fn), .function = r->fn->name, .error = r->error,
			.calls = *(const uint64_t *)val,
		};
	}
	if (rows)
		qsort(rows, n, sizeof(*rows), by_calls);
	for (size_t i = 0; i < n && i < TOP; i++)
		xpt_out__emit(out, &refused_schema, &rows[i]);
	free(rows);
}

static void on_end(struct scheduler *s, struct xpt_out *out)
{
	struct xpt_hashmap *from = s->ctr_calls >= s->ev_calls ? s->ctr : s->ev;
	size_t nr = xpt_hashmap__len(from), n = 0, pos = 0;
	struct rec_request *rows = calloc(nr ? nr : 1, sizeof(*rows));
	const struct xpt_wire_count *c;
	const struct xpt_fn *fn;
	const void *key;
	void *val;

	while (rows && n < nr && xpt_hashmap__next(from, &pos, &key, &val)) {
		fn = *(const struct xpt_fn *const *)key;
		c = val;
		rows[n++] = (struct rec_request){
			.request = request_of(fn), .function = fn->name, .calls = c->calls,
			.failed = c->errors, .time_ns = c->time_ns,
			.mean_ns = xpt_mean(c->time_ns, c->calls), .max_ns = c->max_ns,
		};
	}
	if (rows)
		qsort(rows, n, sizeof(*rows), by_time);
	for (size_t i = 0; i < n && i < TOP; i++)
		xpt_out__emit(out, &schema, &rows[i]);
	free(rows);
	emit_refused(s, out);
}

static void scheduler__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct scheduler *s = st;

	if (ev->kind == XPT_EV_CALL) {
		on_call(s, &ev->u.call);
	} else if (ev->kind == XPT_EV_COUNTER) {
		s->ctr_calls += ev->u.counter.count->calls;
		add_total(s, s->ctr, ev->u.counter.fn, ev->u.counter.count);
	} else if (ev->kind == XPT_EV_END) {
		on_end(s, out);
	}
	if (s->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, s->lost);
	s->lost = 0;
}

const struct xpt_analyzer xpt_analyzer_scheduler = {
	.name = "scheduler",
	.help = "requests to the device's scheduler, and what they cost",
	.emits = emits,
	.state_size = sizeof(struct scheduler),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct scheduler, ev, void *, struct xpt_wire_count, XPT_MAX_FNS, 0),
		XPT_MAP(struct scheduler, ctr, void *, struct xpt_wire_count, XPT_MAX_FNS, 0),
		XPT_MAP(struct scheduler, refused, struct refused, uint64_t, REFUSED_MAX, 0),
		{ 0 }
	},
	.event = scheduler__event,
};
