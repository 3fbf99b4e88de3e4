// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares two runs, A (before) and B (now). The results are records of schemas, so the sinks print them as text,
 * JSON or CSV.
 *
 * A difference is listed only beyond noise. A mean must have changed by MIN_CHANGE and by SIGMAS standard errors,
 * which are computed from the histograms, and the change must cost at least MIN_SHARE of the wall time. A count must
 * have changed by MIN_CHANGE both as a number and per second, so that neither a longer run nor a slower machine alone
 * shows as "more calls".
 */
#include "recordings/compare.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "base/log.h"
#include "session/options/usage.h"
#include "model/output/sink.h"

#define MIN_CHANGE 0.10
#define SIGMAS 3.0
#define MIN_SHARE 0.001
#define MIN_CALLS 5		/* fewer give no mean worth comparing */
#define LOST_ONE_IN 1000
#define TOP 20

struct rec_sum {
	const char *file_a, *file_b, *program, *comparable;
	uint64_t wall_a_ns, wall_b_ns, calls_a, calls_b, time_a_ns, time_b_ns;
	double price, price_noise;
};

static const struct xpt_field sum_fields[] = {
	XPT_FIELD(struct rec_sum, file_a, STR, NONE, "Before"),
	XPT_FIELD(struct rec_sum, file_b, STR, NONE, "Now"),
	XPT_FIELD(struct rec_sum, program, STR, NONE, "Program"),
	XPT_FIELD(struct rec_sum, wall_a_ns, U64, NS, "Traced for, before"),
	XPT_FIELD(struct rec_sum, wall_b_ns, U64, NS, "            now"),
	XPT_FIELD(struct rec_sum, calls_a, U64, COUNT, "Calls, before"),
	XPT_FIELD(struct rec_sum, calls_b, U64, COUNT, "       now"),
	XPT_FIELD(struct rec_sum, time_a_ns, U64, NS, "Time in calls, before"),
	XPT_FIELD(struct rec_sum, time_b_ns, U64, NS, "               now"),
	XPT_FIELD(struct rec_sum, price, F64, RATIO, "Price of the same calls"),
	XPT_FIELD(struct rec_sum, price_noise, F64, RATIO, "        give or take"),
	XPT_FIELD(struct rec_sum, comparable, STR, NONE, "Comparable"),
};
static const struct xpt_schema sum_schema = {
	.name = "comparison", .title = "Comparison",
	.help = "Both runs as a whole; price: what the calls of the first run would take at the "
		"mean times of the second, as a share of what they took; noise: three standard "
		"errors of that share",
	.layout = XPT_LAYOUT_LIST, .order = 10, XPT_RECORD(struct rec_sum, sum_fields),
};

struct rec_fn {
	const char *function;
	double change;
	uint64_t calls_a, calls_b, mean_a_ns, mean_b_ns, p50_a_ns, p50_b_ns, p99_a_ns, p99_b_ns;
	uint64_t time_a_ns, time_b_ns;
	int64_t extra_ns;
};

static const struct xpt_field fn_fields[] = {
	XPT_FIELD(struct rec_fn, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_fn, calls_a, U64, COUNT, ""),
	XPT_FIELD(struct rec_fn, calls_b, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_fn, mean_a_ns, U64, NS, "mean was"),
	XPT_FIELD(struct rec_fn, mean_b_ns, U64, NS, "mean"),
	XPT_FIELD(struct rec_fn, change, F64, RATIO, "change"),
	XPT_FIELD(struct rec_fn, p50_a_ns, U64, NS, ""),
	XPT_FIELD(struct rec_fn, p50_b_ns, U64, NS, ""),
	XPT_FIELD(struct rec_fn, p99_a_ns, U64, NS, "p99 was"),
	XPT_FIELD(struct rec_fn, p99_b_ns, U64, NS, "p99"),
	XPT_FIELD(struct rec_fn, time_a_ns, U64, NS, ""),
	XPT_FIELD(struct rec_fn, time_b_ns, U64, NS, ""),
	XPT_FIELD(struct rec_fn, extra_ns, I64, NS, "costs"),
};
static const struct xpt_schema fn_schema = {
	.name = "changed_functions", .title = "Slower or faster",
	.help = "Functions whose mean time moved beyond noise; costs is the change of the mean "
		"times the calls now. p50 and p99 are at most 1.6 % off, or upper bounds of "
		"powers of two where calls were not sent as events",
	.layout = XPT_LAYOUT_TABLE, .order = 20, XPT_RECORD(struct rec_fn, fn_fields),
};

struct rec_count {
	const char *function;
	uint64_t calls_a, calls_b, bytes_a, bytes_b;
	double change, bytes_change;
};

static const struct xpt_field count_fields[] = {
	XPT_FIELD(struct rec_count, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_count, calls_a, U64, COUNT, "calls were"),
	XPT_FIELD(struct rec_count, calls_b, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_count, change, F64, RATIO, "change"),
	XPT_FIELD(struct rec_count, bytes_a, U64, BYTES, "bytes were"),
	XPT_FIELD(struct rec_count, bytes_b, U64, BYTES, "bytes"),
	XPT_FIELD(struct rec_count, bytes_change, F64, RATIO, "change"),
};
static const struct xpt_schema count_schema = {
	.name = "changed_counts", .title = "More or fewer calls or bytes",
	.help = "Functions whose calls or bytes moved, as a number and per second; a change is "
		"null where there was nothing before",
	.layout = XPT_LAYOUT_TABLE, .order = 30, XPT_RECORD(struct rec_count, count_fields),
};

struct rec_error {
	const char *function, *error;
	uint64_t calls_a, calls_b;
};

static const struct xpt_field error_fields[] = {
	XPT_FIELD(struct rec_error, function, STR, NONE, "function"),
	XPT_FIELD(struct rec_error, error, STR, NONE, "error"),
	XPT_FIELD(struct rec_error, calls_a, U64, COUNT, "calls were"),
	XPT_FIELD(struct rec_error, calls_b, U64, COUNT, "calls"),
};
static const struct xpt_schema error_schema = {
	.name = "new_errors", .title = "New errors",
	.help = "Errors that the first run did not have",
	.layout = XPT_LAYOUT_TABLE, .order = 40, XPT_RECORD(struct rec_error, error_fields),
};

struct rec_memory {
	const char *kind;
	uint64_t peak_a_bytes, peak_b_bytes;
	double change;
};

static const struct xpt_field memory_fields[] = {
	XPT_FIELD(struct rec_memory, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_memory, peak_a_bytes, U64, BYTES, "peak was"),
	XPT_FIELD(struct rec_memory, peak_b_bytes, U64, BYTES, "peak"),
	XPT_FIELD(struct rec_memory, change, F64, RATIO, "change"),
};
static const struct xpt_schema memory_schema = {
	.name = "changed_memory", .title = "Peak memory",
	.help = "Most bytes open at once by kind, where they moved",
	.layout = XPT_LAYOUT_TABLE, .order = 50, XPT_RECORD(struct rec_memory, memory_fields),
};

struct rec_finding {
	const char *kind, *text, *advice;
};

static const struct xpt_field finding_fields[] = {
	XPT_FIELD(struct rec_finding, kind, STR, NONE, "kind"),
	XPT_FIELD(struct rec_finding, text, STR, NONE, "finding"),
	XPT_FIELD(struct rec_finding, advice, STR, NONE, "advice"),
};
static const struct xpt_schema finding_schema = {
	.name = "new_findings", .title = "New findings",
	.help = "Findings of a kind that the first run did not have",
	.layout = XPT_LAYOUT_TEXT, .order = 60, XPT_RECORD(struct rec_finding, finding_fields),
};

struct cmp {
	struct xpt_run a, b;
	const struct xpt_sink *sink;
	void *st;
	int err;
	char why[200];		/* the runs are not comparable, "" if they are */
	double price, noise;	/* NAN: nothing in common */
};

static void emit_row(struct cmp *c, const struct xpt_schema *schema, const void *rec)
{
	int err = c->sink->record(c->st, schema, rec);

	c->err = c->err ? c->err : err;
}

/* --- functions ---------------------------------------------------------------- */

static const struct xpt_run_fn *same_fn(const struct xpt_run *r, const struct xpt_fn *fn)
{
	for (size_t i = 0; i < XPT_MAX_FNS; i++) {
		const struct xpt_fn *other = r->fns[i].fn;

		if (other && !strcmp(other->name, fn->name) &&
		    !strcmp(other->domain_name, fn->domain_name))
			return &r->fns[i];
	}
	return NULL;
}

static double mean_of(const struct xpt_wire_count *n)
{
	return n->calls ? (double)n->time_ns / (double)n->calls : NAN;
}

/* Returns the squared standard error of the mean, with the middle of a histogram slot as the time of its calls. */
static double error_of_mean(const struct xpt_wire_count *n)
{
	double m = mean_of(n), sum = 0;

	for (unsigned i = 0; i < XPT_HIST_SLOTS; i++) {
		double at = i ? 0.75 * (double)(1ull << i) : 0.5;

		sum += (double)n->hist[i] * (at - m) * (at - m);
	}
	return sum / ((double)n->calls * (double)n->calls);
}

/* Newton's method, so that no mathematics library is needed. Ends when the value no longer falls. */
static double square_root(double v)
{
	double x = v > 1 ? v : 1, next = x;

	if (!(v > 0))
		return 0;
	do {
		x = next;
		next = (x + v / x) / 2;
	} while (next < x);
	return x;
}

/* Returns the nearest integer of 64 bits: sums of times of a damaged recording may be larger. */
static uint64_t to_ns(double ns)
{
	return !(ns > 0) ? 0 : ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
}

static int64_t to_change(double ns)
{
	return isnan(ns) ? 0 : ns >= 0x1p63 ? INT64_MAX : ns <= -0x1p63 ? INT64_MIN : (int64_t)ns;
}

static bool is_slower_or_faster(const struct cmp *c, const struct xpt_run_fn *a,
				const struct xpt_run_fn *b)
{
	double d = mean_of(&b->n) - mean_of(&a->n);

	if (a->n.calls < MIN_CALLS || b->n.calls < MIN_CALLS)
		return false;
	return fabs(d) >= MIN_CHANGE * mean_of(&a->n) &&
	       d * d >= SIGMAS * SIGMAS * (error_of_mean(&a->n) + error_of_mean(&b->n)) &&
	       fabs(d) * (double)b->n.calls >= MIN_SHARE * (double)c->b.wall_ns;
}

static struct rec_fn fn_record(const struct xpt_run_fn *a, const struct xpt_run_fn *b)
{
	double d = mean_of(&b->n) - mean_of(&a->n);

	return (struct rec_fn){
		.function = b->fn->name, .calls_a = a->n.calls, .calls_b = b->n.calls,
		.mean_a_ns = to_ns(mean_of(&a->n)), .mean_b_ns = to_ns(mean_of(&b->n)),
		.change = d / mean_of(&a->n), .extra_ns = to_change(d * (double)b->n.calls),
		.p50_a_ns = xpt_run__quantile(a, 0.5), .p50_b_ns = xpt_run__quantile(b, 0.5),
		.p99_a_ns = xpt_run__quantile(a, 0.99), .p99_b_ns = xpt_run__quantile(b, 0.99),
		.time_a_ns = a->n.time_ns, .time_b_ns = b->n.time_ns,
	};
}

static int by_cost(const void *x, const void *y)
{
	int64_t a = ((const struct rec_fn *)x)->extra_ns, b = ((const struct rec_fn *)y)->extra_ns;

	if (a != b)
		return a < b ? 1 : -1;	/* functions that got slower first */
	return strcmp(((const struct rec_fn *)x)->function, ((const struct rec_fn *)y)->function);
}

/* Emits both ends of the list: the functions that got slower most, and those that got faster most. */
static void emit_functions(struct cmp *c)
{
	struct rec_fn *all = calloc(XPT_MAX_FNS, sizeof(*all));
	size_t nr = 0;

	for (size_t i = 0; all && i < XPT_MAX_FNS; i++) {
		const struct xpt_run_fn *b = &c->b.fns[i];
		const struct xpt_run_fn *a = b->fn ? same_fn(&c->a, b->fn) : NULL;

		if (a && is_slower_or_faster(c, a, b))
			all[nr++] = fn_record(a, b);
	}
	if (all)
		qsort(all, nr, sizeof(*all), by_cost);
	for (size_t i = 0; i < nr; i++)
		if (i < TOP || nr - i <= TOP)
			emit_row(c, &fn_schema, &all[i]);
	free(all);
}

/* Whether the number has changed, and the number per second, too. */
static bool has_moved(const struct cmp *c, uint64_t a, uint64_t b)
{
	double rate_a = (double)a / (double)c->a.wall_ns, rate_b = (double)b / (double)c->b.wall_ns;
	double more = 1 + MIN_CHANGE;

	if (!c->a.wall_ns || !c->b.wall_ns)
		return false;
	return ((double)b > more * (double)a && rate_b > more * rate_a) ||
	       ((double)a > more * (double)b && rate_a > more * rate_b);
}

static double ratio_of(uint64_t a, uint64_t b)
{
	return a ? (double)b / (double)a - 1 : NAN;
}

static int by_difference(const void *x, const void *y)
{
	const struct rec_count *a = x, *b = y;
	double da = fabs((double)a->calls_b - (double)a->calls_a);
	double db = fabs((double)b->calls_b - (double)b->calls_a);

	return da != db ? (da < db ? 1 : -1) : strcmp(a->function, b->function);
}

static size_t add_count(struct cmp *c, struct rec_count *all, size_t nr, const struct xpt_run_fn *a,
			const struct xpt_run_fn *b)
{
	static const struct xpt_run_fn none;
	const char *name = b ? b->fn->name : a->fn->name;

	a = a ? a : &none;
	b = b ? b : &none;
	if (!has_moved(c, a->n.calls, b->n.calls) && !has_moved(c, a->n.bytes, b->n.bytes))
		return nr;
	all[nr] = (struct rec_count){
		.function = name, .calls_a = a->n.calls, .calls_b = b->n.calls,
		.change = ratio_of(a->n.calls, b->n.calls),
		.bytes_a = a->n.bytes ? a->n.bytes : XPT_ABSENT,
		.bytes_b = b->n.bytes ? b->n.bytes : XPT_ABSENT,
		.bytes_change = ratio_of(a->n.bytes, b->n.bytes),
	};
	return nr + 1;
}

static void emit_counts(struct cmp *c)
{
	struct rec_count *all = calloc(2 * XPT_MAX_FNS, sizeof(*all));
	size_t nr = 0;

	for (size_t i = 0; all && i < XPT_MAX_FNS; i++) {
		if (c->b.fns[i].fn)
			nr = add_count(c, all, nr, same_fn(&c->a, c->b.fns[i].fn), &c->b.fns[i]);
		if (c->a.fns[i].fn && !same_fn(&c->b, c->a.fns[i].fn))
			nr = add_count(c, all, nr, &c->a.fns[i], NULL);
	}
	if (all)
		qsort(all, nr, sizeof(*all), by_difference);
	for (size_t i = 0; i < nr && i < TOP; i++)
		emit_row(c, &count_schema, &all[i]);
	free(all);
}

/* --- records of analyzers ----------------------------------------------------- */

static size_t count_rows(const struct xpt_section *sec)
{
	return sec ? sec->nr : 0;
}

static bool same_row(const struct xpt_section *a, size_t i, const struct xpt_section *b, size_t k,
		     const char *field)
{
	const char *x = xpt_run__str(a, i, field), *y = xpt_run__str(b, k, field);

	return x && y && !strcmp(x, y);
}

static void emit_errors(struct cmp *c)
{
	const struct xpt_section *a = xpt_run__section(&c->a, "errors");
	const struct xpt_section *b = xpt_run__section(&c->b, "errors");

	for (size_t i = 0; i < count_rows(b); i++) {
		struct rec_error rec = { .function = xpt_run__str(b, i, "function"),
					 .error = xpt_run__str(b, i, "error"),
					 .calls_b = xpt_run__u64(b, i, "calls") };
		size_t k = 0;

		while (k < count_rows(a) && !(same_row(a, k, b, i, "function") && same_row(a, k, b, i, "error")))
			k++;
		if (k == count_rows(a))
			emit_row(c, &error_schema, &rec);
	}
}

static void emit_memory(struct cmp *c)
{
	const struct xpt_section *a = xpt_run__section(&c->a, "memory");
	const struct xpt_section *b = xpt_run__section(&c->b, "memory");

	for (size_t i = 0; i < count_rows(b); i++) {
		struct rec_memory rec = { .kind = xpt_run__str(b, i, "kind"),
					  .peak_b_bytes = xpt_run__u64(b, i, "peak_bytes") };

		for (size_t k = 0; k < count_rows(a); k++)
			if (same_row(a, k, b, i, "kind"))
				rec.peak_a_bytes = xpt_run__u64(a, k, "peak_bytes");
		rec.change = ratio_of(rec.peak_a_bytes, rec.peak_b_bytes);
		if (rec.peak_a_bytes != rec.peak_b_bytes && !(fabs(rec.change) < MIN_CHANGE))
			emit_row(c, &memory_schema, &rec);
	}
}

static void emit_findings(struct cmp *c)
{
	const struct xpt_section *a = xpt_run__section(&c->a, "verdict");
	const struct xpt_section *b = xpt_run__section(&c->b, "verdict");

	for (size_t i = 0; i < count_rows(b); i++) {
		struct rec_finding rec = { xpt_run__str(b, i, "kind"), xpt_run__str(b, i, "text"),
					   xpt_run__str(b, i, "advice") };
		size_t k = 0;

		while (k < count_rows(a) && !same_row(a, k, b, i, "kind"))
			k++;
		if (k == count_rows(a) && strcmp(rec.kind, "more") != 0)
			emit_row(c, &finding_schema, &rec);
	}
}

/* --- the whole ---------------------------------------------------------------- */

static void why_not(struct cmp *c)
{
	const struct xpt_run *runs[] = { &c->a, &c->b };

	if (strcmp(c->a.program, c->b.program) != 0)
		snprintf(c->why, sizeof(c->why), "no: different programs, %s and %s",
			 c->a.program, c->b.program);
	for (size_t i = 0; i < 2 && !c->why[0]; i++) {
		const struct xpt_run *r = runs[i];
		bool exact = r->ctr_calls >= r->ev_calls;

		if (r->err || !r->complete)
			snprintf(c->why, sizeof(c->why), "no: %s was cut short", r->path);
		else if (!r->top_calls)
			snprintf(c->why, sizeof(c->why), "no: %s has no calls", r->path);
		else if (!exact && r->lost > r->ev_calls / LOST_ONE_IN)
			snprintf(c->why, sizeof(c->why), "no: %s has lost calls", r->path);
	}
	for (size_t i = 0; i < 2 && !c->why[0]; i++)
		if (runs[i]->partial[0] && strcmp(c->a.partial, c->b.partial) != 0)
			snprintf(c->why, sizeof(c->why), "no: %s is partial: %s", runs[i]->path,
				 runs[i]->partial);
}

/* Sets the time that the outermost calls of A would take at the mean times of B, against A. */
static void set_price(struct cmp *c)
{
	double was = 0, now = 0, var = 0;

	for (size_t i = 0; i < XPT_MAX_FNS; i++) {
		const struct xpt_run_fn *a = &c->a.fns[i];
		const struct xpt_run_fn *b = a->fn && a->top_calls ? same_fn(&c->b, a->fn) : NULL;

		if (!b || !b->top_calls)
			continue;
		was += (double)a->top_ns;
		now += (double)a->top_calls * (double)b->top_ns / (double)b->top_calls;
		var += (double)a->top_calls * (double)a->top_calls *
		       (error_of_mean(&a->n) + error_of_mean(&b->n));
	}
	c->price = was > 0 ? now / was : NAN;
	c->noise = was > 0 ? SIGMAS * square_root(var) / was : NAN;
}

static void emit_all(struct cmp *c)
{
	struct rec_sum rec;

	why_not(c);
	set_price(c);
	rec = (struct rec_sum){
		.file_a = c->a.path, .file_b = c->b.path, .program = c->b.program,
		.comparable = c->why[0] ? c->why : "yes", .price = c->price,
		.price_noise = c->noise,
		.wall_a_ns = c->a.wall_ns, .wall_b_ns = c->b.wall_ns,
		.calls_a = c->a.top_calls, .calls_b = c->b.top_calls,
		.time_a_ns = c->a.top_ns, .time_b_ns = c->b.top_ns,
	};
	emit_row(c, &sum_schema, &rec);
	emit_functions(c);
	emit_counts(c);
	emit_errors(c);
	emit_memory(c);
	emit_findings(c);
}

static int write_result(struct cmp *c, const struct xpt_outputs_cfg *from)
{
	const char *name = from->json ? "json" : from->csv ? "tables" : "summary";
	struct xpt_sink_cfg cfg = xpt_outputs__sink_cfg(from, stdout);
	int err;

	c->sink = xpt_sink__find(name);
	c->st = c->sink ? calloc(1, c->sink->state_size) : NULL;
	if (!c->st)
		return xpt_err(-ENOMEM, "out of memory");
	err = c->sink->open(c->st, &cfg);
	if (!err)
		emit_all(c);
	c->err = c->err ? c->err : err;
	err = c->sink->close(c->st);
	free(c->st);
	err = c->err ? c->err : err;
	if (err == -EPIPE)
		return 0;
	return err ? xpt_err(err, "cannot write standard output: %s", strerror(-err)) : 0;
}

/* Exit status 1 with a message where a limit was asked for and is not kept. */
static int judge_limit(const struct cmp *c, double limit)
{
	double time = c->a.top_ns ? (double)c->b.top_ns / (double)c->a.top_ns : NAN;
	double share = time * (double)c->a.wall_ns / (double)c->b.wall_ns;

	if (c->why[0])
		xpt_warn("the runs cannot be compared (%s)", c->why);
	else if (c->price > 1 + limit && c->price - 1 > c->noise)
		xpt_warn("calls are %.1f %% slower than before", 100 * (c->price - 1));
	else if (time > 1 + limit && share > 1 + limit)
		xpt_warn("calls take %.1f %% more time than before", 100 * (time - 1));
	else
		return XPT_EXIT_OK;
	return XPT_EXIT_FAILED;
}

int xpt_compare(const char *a, const char *b, const struct xpt_outputs_cfg *cfg, bool fail,
		uint64_t fail_ppm)
{
	struct cmp c = { 0 };
	int err, status = XPT_EXIT_FAILED;

	signal(SIGPIPE, SIG_IGN);
	err = xpt_run__read(a, &c.a);
	if (!err)
		err = xpt_run__read(b, &c.b);
	if (!err)
		err = write_result(&c, cfg);
	if (!err && !c.a.err && !c.b.err)
		status = fail ? judge_limit(&c, (double)fail_ppm / 1e6) : XPT_EXIT_OK;
	xpt_run__free(&c.a);
	xpt_run__free(&c.b);
	return status;
}
