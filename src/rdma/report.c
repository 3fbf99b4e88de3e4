// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See report.h. A table is a list of rows known by a key; what finds no room is
 * counted. All tables have the same kind of row and differ in the fields shown.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rdma/job.h"
#include "rdma/report.h"
#include "rdma/trace_json.h"

enum table { FAILURES, CLASSES, PROCESSES, JOBS, DEVICES, NORMAL, NR_TABLES };

struct row {
	uint64_t failures, pid, first_ns, last_ns;
	const char *syscall, *shape, *error, *origin, *class, *confidence, *process, *job, *device,
		   *driver, *reason, *first, *last;	/* into the buffers below, or constants */
	char key[256], way[256], buf[9][80], when[2][24];
	struct xpt_rdma_cause cause;
};

struct list {
	struct row *row;
	unsigned nr;
	uint64_t left_out;
};

struct nccl_row {
	uint64_t line;
	const char *text, *way, *class;
	char buf[2][256];
};

struct calls {
	uint64_t calls, failed, expected, slow, not_whole, left_out;
};

struct sentence {
	const char *text, *advice;
};

struct xpt_rdma_report {
	struct list list[NR_TABLES];
	struct nccl_row *nccl;
	unsigned nr_nccl;
	struct calls calls;
};

#define F(m, T, U, title) XPT_FIELD(struct row, m, T, U, title)
#define WHEN F(first, STR, NONE, "First (UTC)"), F(last, STR, NONE, "Last (UTC)"), \
	F(first_ns, U64, NONE, ""), F(last_ns, U64, NONE, "")

static const struct xpt_field failures_fields[] = {
	F(failures, U64, COUNT, "Times"), F(syscall, STR, NONE, "Call"), F(shape, STR, NONE, "Kind"),
	F(error, STR, NONE, "Error"), F(origin, STR, NONE, "Origin"), F(class, STR, NONE, "Class"),
	F(confidence, STR, NONE, ""), F(process, STR, NONE, ""), F(job, STR, NONE, ""),
	F(device, STR, NONE, ""), F(first, STR, NONE, ""), F(last, STR, NONE, ""),
	F(first_ns, U64, NONE, ""), F(last_ns, U64, NONE, ""),
};
static const struct xpt_field classes_fields[] = {
	F(failures, U64, COUNT, "Failures"), F(class, STR, NONE, "Class"), WHEN,
};
static const struct xpt_field processes_fields[] = {
	F(failures, U64, COUNT, "Failures"), F(process, STR, NONE, "Process"),
	F(pid, U64, NONE, "PID"), F(job, STR, NONE, ""), WHEN,
};
static const struct xpt_field jobs_fields[] = {
	F(failures, U64, COUNT, "Failures"), F(job, STR, NONE, "Job"), WHEN,
};
static const struct xpt_field devices_fields[] = {
	F(failures, U64, COUNT, "Failures"), F(device, STR, NONE, "Device"),
	F(driver, STR, NONE, "Driver"), WHEN,
};
static const struct xpt_field normal_fields[] = {
	F(failures, U64, COUNT, "Times"), F(syscall, STR, NONE, "Call"), F(error, STR, NONE, "Error"),
	F(origin, STR, NONE, "Origin"), F(reason, STR, NONE, "Why it is normal"),
	F(first_ns, U64, NONE, ""), F(last_ns, U64, NONE, ""),
};
static const struct xpt_field calls_fields[] = {
	XPT_FIELD(struct calls, calls, U64, COUNT, "Calls in the files"),
	XPT_FIELD(struct calls, failed, U64, COUNT, "Failed"),
	XPT_FIELD(struct calls, expected, U64, COUNT, "Failed as they should"),
	XPT_FIELD(struct calls, slow, U64, COUNT, "Slow"),
	XPT_FIELD_QUIET(struct calls, not_whole, U64, COUNT, "Lines not whole"),
	XPT_FIELD_QUIET(struct calls, left_out, U64, COUNT, "Without a row"),
};
static const struct xpt_field verdict_fields[] = {
	XPT_FIELD(struct sentence, text, STR, NONE, "text"),
	XPT_FIELD(struct sentence, advice, STR, NONE, "advice"),
};
static const struct xpt_field nccl_fields[] = {
	XPT_FIELD(struct nccl_row, line, U64, NONE, "Line"),
	XPT_FIELD(struct nccl_row, way, STR, NONE, "From NCCL to the kernel"),
	XPT_FIELD(struct nccl_row, class, STR, NONE, "Class"),
	XPT_FIELD(struct nccl_row, text, STR, NONE, ""),
};

#define SCHEMA(name_, title_, help_, layout_, order_, fields_, type_) { .name = name_, .title = title_, \
	.help = help_, .layout = layout_, .order = order_, .size = sizeof(type_), .fields = fields_, \
	.nr_fields = sizeof(fields_) / sizeof(fields_[0]) }

static const struct xpt_schema calls_schema =
	SCHEMA("calls", "RDMA calls", "Calls in the files", XPT_LAYOUT_LIST, 1, calls_fields,
	       struct calls);
static const struct xpt_schema verdict_schema =
	SCHEMA("verdicts", "Verdicts", "What failed, why, and what to try", XPT_LAYOUT_TEXT, 2,
	       verdict_fields, struct sentence);
static const struct xpt_schema nccl_schema =
	SCHEMA("nccl", "Warnings of NCCL", "Its log, with the functions behind it", XPT_LAYOUT_TABLE, 9,
	       nccl_fields, struct nccl_row);
static const struct xpt_schema schemas[NR_TABLES] = {
	[FAILURES] = SCHEMA("failures", "Failures", "Alike by call, error and origin", XPT_LAYOUT_TABLE,
			    3, failures_fields, struct row),
	[CLASSES] = SCHEMA("classes", "Classes", "By kind of cause", XPT_LAYOUT_TABLE, 4,
			   classes_fields, struct row),
	[PROCESSES] = SCHEMA("processes", "Processes", "By process", XPT_LAYOUT_TABLE, 5,
			     processes_fields, struct row),
	[JOBS] = SCHEMA("jobs", "Jobs", "By job", XPT_LAYOUT_TABLE, 6, jobs_fields, struct row),
	[DEVICES] = SCHEMA("devices", "Devices", "By device", XPT_LAYOUT_TABLE, 7, devices_fields,
			   struct row),
	[NORMAL] = SCHEMA("expected", "Normal errors", "Counted, and no failures", XPT_LAYOUT_TABLE, 8,
			  normal_fields, struct row),
};

struct xpt_rdma_report *xpt_rdma_report__new(void)
{
	struct xpt_rdma_report *r = calloc(1, sizeof(*r));
	bool ok = r;
	int i;

	for (i = 0; ok && i < NR_TABLES; i++) {
		r->list[i].row = calloc(XPT_RDMA_REPORT_ROWS, sizeof(struct row));
		ok = r->list[i].row;
	}
	if (ok)
		r->nccl = calloc(XPT_RDMA_NCCL_LINES, sizeof(*r->nccl));
	if (ok && r->nccl)
		return r;
	xpt_rdma_report__free(r);
	return NULL;
}

void xpt_rdma_report__free(struct xpt_rdma_report *r)
{
	int i;

	for (i = 0; r && i < NR_TABLES; i++)
		free(r->list[i].row);
	if (r)
		free(r->nccl);
	free(r);
}

/* --- adding -------------------------------------------------------------------------- */

static const char *keep(struct row *row, unsigned i, const char *s)
{
	snprintf(row->buf[i], sizeof(row->buf[i]), "%s", s);
	return row->buf[i];
}

/* "ncclCommInitRank -> ibv_reg_dmabuf_mr -> ib_umem_dmabuf_map_pages" */
static void find_way(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, char *buf,
		     size_t n)
{
	const struct xpt_rdma_node *origin = xpt_rdma_chain__origin(t, &v->chain);

	if (v->chain.nr > 1 && xpt_rdma_node__outcome(origin) == XPT_RDMA_CUT_TO_INT)
		origin = &t->node[v->chain.node[v->chain.nr - 2]];	/* where it became an error */
	snprintf(buf, n, "%.72s%s%.72s%s%.72s", t->outer, *t->outer ? " -> " : "",
		 *t->caller ? t->caller : t->method, origin ? " -> " : "", origin ? origin->fn : "");
}

static void fill(struct row *row, const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	char name[32], job[80];

	row->syscall = keep(row, 0, t->method);
	row->shape = keep(row, 1, t->shape);
	row->error = keep(row, 2, xpt_rdma_errno_name((int)-t->ret, name, sizeof(name)));
	row->origin = keep(row, 3, xpt_rdma_verdict__origin(t, v));
	row->process = keep(row, 4, t->comm);
	xpt_rdma_job(t->cgroup, t->container, job, sizeof(job));
	row->job = keep(row, 5, job);
	row->device = keep(row, 6, t->device);
	row->driver = keep(row, 7, t->driver);
	row->reason = keep(row, 8, v->expected ? v->expected : "");
	row->class = xpt_rdma_class_name(v->cause.cls);
	row->confidence = xpt_rdma_sure_name(v->cause.sure);
	row->cause = v->cause;
	row->pid = t->pid;
	row->first_ns = t->wall_ns;
	find_way(t, v, row->way, sizeof(row->way));
}

static void count(struct xpt_rdma_report *r, enum table which, const char *key,
		  const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	struct list *l = &r->list[which];
	struct row *row;
	unsigned i;

	for (i = 0; i < l->nr && strcmp(l->row[i].key, key); i++)
		;
	if (i == XPT_RDMA_REPORT_ROWS) {
		l->left_out++;
		return;
	}
	row = &l->row[i];
	if (i == l->nr) {
		l->nr++;
		snprintf(row->key, sizeof(row->key), "%s", key);
		fill(row, t, v);
	}
	row->failures++;
	if (t->wall_ns < row->first_ns)
		row->first_ns = t->wall_ns;
	if (t->wall_ns > row->last_ns)
		row->last_ns = t->wall_ns;
}

static void add_nccl(struct xpt_rdma_report *r, const struct xpt_rdma_trace *t,
		     const struct xpt_rdma_verdict *v, const struct xpt_rdma_nccl_line *nccl)
{
	struct nccl_row *row;

	if (!nccl || r->nr_nccl == XPT_RDMA_NCCL_LINES)
		return;
	row = &r->nccl[r->nr_nccl++];
	row->line = nccl->number;
	snprintf(row->buf[0], sizeof(row->buf[0]), "%s", nccl->text);
	row->text = row->buf[0];
	find_way(t, v, row->buf[1], sizeof(row->buf[1]));
	row->way = row->buf[1];
	row->class = xpt_rdma_class_name(v->cause.cls);
}

void xpt_rdma_report__add(struct xpt_rdma_report *r, const struct xpt_rdma_trace *t,
			  const struct xpt_rdma_verdict *v, const struct xpt_rdma_nccl_line *nccl)
{
	char key[256], job[160];

	r->calls.calls++;
	r->calls.slow += !!(t->flags & XPT_RDMA_TRACE_SLOW);
	if (!v->failed)
		return;
	snprintf(key, sizeof(key), "%.60s|%.60s|%" PRId64 "|%.60s", t->method, t->shape, t->ret,
		 xpt_rdma_verdict__origin(t, v));
	if (v->expected) {
		r->calls.expected++;
		count(r, NORMAL, key, t, v);
		return;
	}
	r->calls.failed++;
	count(r, FAILURES, key, t, v);
	count(r, CLASSES, xpt_rdma_class_name(v->cause.cls), t, v);
	snprintf(key, sizeof(key), "%" PRIu32 " %.64s", t->pid, t->comm);
	count(r, PROCESSES, key, t, v);
	if (xpt_rdma_job(t->cgroup, t->container, job, sizeof(job)))
		count(r, JOBS, job, t, v);
	snprintf(key, sizeof(key), "%.64s %.64s", t->device, t->driver);
	if (*t->device)
		count(r, DEVICES, key, t, v);
	add_nccl(r, t, v, nccl);
}

/* --- out ------------------------------------------------------------------------------ */

static int by_count(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	if (a->failures != b->failures)
		return a->failures > b->failures ? -1 : 1;
	return strcmp(a->key, b->key);
}

/* Rows have moved: their texts are found again. */
static void find_texts(struct row *row)
{
	const char **const to[] = { &row->syscall, &row->shape, &row->error, &row->origin, &row->process,
				    &row->job, &row->device, &row->driver, &row->reason };
	uint64_t when[2] = { row->first_ns, row->last_ns };
	struct tm tm;
	unsigned i;

	for (i = 0; i < sizeof(to) / sizeof(to[0]); i++)
		*to[i] = row->buf[i];
	for (i = 0; i < 2; i++) {
		time_t at = (time_t)(when[i] / 1000000000u);

		gmtime_r(&at, &tm);
		strftime(row->when[i], sizeof(row->when[i]), "%Y-%m-%d %H:%M:%S", &tm);
	}
	row->first = row->when[0];
	row->last = row->when[1];
}

static int emit_verdict(const struct row *row,
			int (*fn)(void *ctx, const struct xpt_schema *schema, const void *rec), void *ctx)
{
	struct sentence s = { .advice = row->cause.advice };
	char text[1024];

	snprintf(text, sizeof(text), "%s%s%s failed with %s, %" PRIu64 " time%s, in %s%s%s: %s: %s "
		 "(confidence %s). %s", row->syscall, *row->shape ? " " : "", row->shape, row->error,
		 row->failures, row->failures == 1 ? "" : "s", row->process, *row->device ? " on " : "",
		 row->device, xpt_rdma_class_title(row->cause.cls), row->cause.what, row->confidence,
		 row->way);
	s.text = text;
	return fn(ctx, &verdict_schema, &s);
}

int xpt_rdma_report__emit(struct xpt_rdma_report *r, uint64_t bad_lines,
			  int (*fn)(void *ctx, const struct xpt_schema *schema, const void *rec),
			  void *ctx)
{
	unsigned i;
	int which, err;

	r->calls.not_whole = bad_lines;
	for (which = 0; which < NR_TABLES; which++) {
		struct list *l = &r->list[which];

		qsort(l->row, l->nr, sizeof(*l->row), by_count);
		r->calls.left_out += l->left_out;
		for (i = 0; i < l->nr; i++)
			find_texts(&l->row[i]);
	}
	err = fn(ctx, &calls_schema, &r->calls);
	for (i = 0; !err && i < r->list[FAILURES].nr; i++)
		err = emit_verdict(&r->list[FAILURES].row[i], fn, ctx);
	for (which = 0; which < NR_TABLES; which++)
		for (i = 0; !err && i < r->list[which].nr; i++)
			err = fn(ctx, &schemas[which], &r->list[which].row[i]);
	for (i = 0; !err && i < r->nr_nccl; i++)
		err = fn(ctx, &nccl_schema, &r->nccl[i]);
	return err;
}
