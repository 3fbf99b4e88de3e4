// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See report.h. A table is a list of rows known by a key; rows that find no room are counted. All tables have the
 * same kind of row and differ in the fields shown.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fmt.h"
#include "rdma/trace/asked_for.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/evidence/job.h"
#include "rdma/trace/job_log/log_event.h"
#include "rdma/trace/evidence/moved.h"
#include "rdma/verdict/report.h"
#include "rdma/trace/trace_json.h"

enum table { FAILURES, CLASSES, PROCESSES, JOBS, DEVICES, NORMAL, EVENTS, FIRMWARE, NR_TABLES };
enum {
	PENDING = 256,		/* processes that failed and run still */
	LOG_BOOTS = 64,		/* of machines that a job's log is of */
};

struct row {
	uint64_t failures, pid, first_ns, last_ns, lost_ns, number, opcode, status, syndrome;
	/* Into the buffers below, or constants. */
	const char *syscall, *shape, *error, *origin, *class, *confidence, *process, *job, *device, *driver, *reason,
		   *caller, *outer, *host, *boot_id, *firmware, *asked_for, *counters, *first, *last;
	char key[320], way[256], buf[13][80], refusal[200], when[2][24];
	char asked[640], moved[320];	/* of failures: request of the first one; counters of the first one that has some */
	struct xpt_rdma_cause cause;
};

struct list {
	struct row *row;
	unsigned nr;
	uint64_t left_out;
};

struct nccl_row {
	uint64_t line, retries, pid, choices;
	const char *text, *way, *class, *host;
};

struct count_row {		/* a status of completions, or a type of events, in the job's log */
	uint64_t times, status, line, traced;	/* traced: such events in the files */
	const char *name, *device, *first;
};

struct calls {
	uint64_t calls, failed, expected, slow, lost, not_whole, left_out;
};

struct sentence {
	const char *text, *advice;
};

/* The last failure of a process, and the rows that it is in (index + 1, 0: none). */
struct pending {
	uint32_t pid;
	char host[65], boot_id[37];
	uint64_t monotonic_ns, wall_ns;	/* when its last failure began, as in struct xpt_rdma_moment */
	unsigned row[NR_TABLES];
};

struct xpt_rdma_report {
	struct pending pending[PENDING];
	unsigned nr_pending;
	struct list list[NR_TABLES];
	const struct xpt_rdma_nccl *nccl;
	struct calls calls;
};

#define F(m, T, U, title) XPT_FIELD(struct row, m, T, U, title)
#define LOST F(lost_ns, U64, NS, "Time lost")
#define WHEN F(first, STR, NONE, "First (UTC)"), F(last, STR, NONE, "Last (UTC)"), \
	F(first_ns, U64, NONE, ""), F(last_ns, U64, NONE, "")

static const struct xpt_field failures_fields[] = {
	F(failures, U64, COUNT, "Times"), F(syscall, STR, NONE, "Call"), F(shape, STR, NONE, "Kind"),
	F(error, STR, NONE, "Error"), F(origin, STR, NONE, "Origin"), F(class, STR, NONE, "Class"),
	F(confidence, STR, NONE, ""), F(process, STR, NONE, ""), F(job, STR, NONE, ""),
	F(device, STR, NONE, ""), F(first, STR, NONE, ""), F(last, STR, NONE, ""),
	F(first_ns, U64, NONE, ""), F(last_ns, U64, NONE, ""), F(lost_ns, U64, NS, ""),
	F(caller, STR, NONE, ""), F(outer, STR, NONE, ""), F(firmware, STR, NONE, ""),
	F(asked_for, STR, NONE, ""), F(counters, STR, NONE, ""),
};
static const struct xpt_field classes_fields[] = {
	F(failures, U64, COUNT, "Failures"), F(class, STR, NONE, "Class"), LOST, WHEN,
};
static const struct xpt_field processes_fields[] = {
	F(failures, U64, COUNT, "Failures"), F(process, STR, NONE, "Process"),
	F(pid, U64, NONE, "PID"), F(job, STR, NONE, ""), LOST,	/* the last would not fit a terminal */
	F(first, STR, NONE, "First (UTC)"), F(last, STR, NONE, ""), F(first_ns, U64, NONE, ""),
	F(last_ns, U64, NONE, ""), F(host, STR, NONE, ""), F(boot_id, STR, NONE, ""),
};
static const struct xpt_field jobs_fields[] = {
	F(failures, U64, COUNT, "Failures"), F(job, STR, NONE, "Job"), WHEN, F(lost_ns, U64, NS, ""),
};
static const struct xpt_field devices_fields[] = {
	F(failures, U64, COUNT, "Failures"), F(device, STR, NONE, "Device"),
	F(driver, STR, NONE, "Driver"), F(host, STR, NONE, "Host"), WHEN, F(lost_ns, U64, NS, ""),
};
static const struct xpt_field events_fields[] = {
	F(failures, U64, COUNT, "Times"), F(syscall, STR, NONE, "Event"), F(device, STR, NONE, "Device"),
	F(number, U64, NONE, "Port or QP"), F(driver, STR, NONE, ""), WHEN, F(host, STR, NONE, ""),
	F(boot_id, STR, NONE, ""),
};
static const struct xpt_field firmware_fields[] = {
	F(failures, U64, COUNT, "Times"), F(syscall, STR, NONE, "Command"), F(error, STR, NONE, "Error"),
	F(reason, STR, NONE, "Status"), F(firmware, STR, NONE, "Syndrome"), F(device, STR, NONE, ""),
	F(opcode, U64, NONE, ""), F(status, U64, NONE, ""), F(syndrome, U64, NONE, ""), WHEN,
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
	XPT_FIELD_QUIET(struct calls, lost, U64, COUNT, "Lost, not in the files"),
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
	XPT_FIELD(struct nccl_row, retries, U64, COUNT, "Retries"),
	XPT_FIELD(struct nccl_row, host, STR, NONE, ""), XPT_FIELD(struct nccl_row, pid, U64, NONE, ""),
	XPT_FIELD(struct nccl_row, choices, U64, NONE, ""),
};
static const struct xpt_field completions_fields[] = {
	XPT_FIELD(struct count_row, times, U64, COUNT, "Times"),
	XPT_FIELD(struct count_row, name, STR, NONE, "Status"),
	XPT_FIELD(struct count_row, status, U64, NONE, "Number"),
	XPT_FIELD(struct count_row, line, U64, NONE, "First line"),
};
static const struct xpt_field log_events_fields[] = {
	XPT_FIELD(struct count_row, times, U64, COUNT, "Times"),
	XPT_FIELD(struct count_row, name, STR, NONE, "Event"),
	XPT_FIELD(struct count_row, line, U64, NONE, "First line"),
	XPT_FIELD(struct count_row, traced, U64, COUNT, "In the trace"),
	XPT_FIELD(struct count_row, device, STR, NONE, "Device"),
	XPT_FIELD(struct count_row, first, STR, NONE, "First (UTC)"),
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
static const struct xpt_schema completions_schema =
	SCHEMA("completions", "Completions with errors", "In the job's log, by status", XPT_LAYOUT_TABLE, 12,
	       completions_fields, struct count_row);
static const struct xpt_schema log_events_schema =
	SCHEMA("log_events", "Events in the job's log", "Asynchronous ones of devices", XPT_LAYOUT_TABLE, 13,
	       log_events_fields, struct count_row);
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
	[EVENTS] = SCHEMA("events", "Events of devices", "Asynchronous, as programs get them",
			  XPT_LAYOUT_TABLE, 10, events_fields, struct row),
	[FIRMWARE] = SCHEMA("firmware", "Commands refused by firmware", "In calls and outside of them",
			    XPT_LAYOUT_TABLE, 11, firmware_fields, struct row),
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
		return r;
	xpt_rdma_report__free(r);
	return NULL;
}

void xpt_rdma_report__free(struct xpt_rdma_report *r)
{
	int i;

	for (i = 0; r && i < NR_TABLES; i++)
		free(r->list[i].row);
	free(r);
}

/* --- adding -------------------------------------------------------------------------- */

static const char *keep_text(struct row *row, unsigned i, const char *s)
{
	snprintf(row->buf[i], sizeof(row->buf[i]), "%s", s);
	return row->buf[i];
}

void xpt_rdma_report__way(const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, char *buf,
			  size_t n)
{
	const struct xpt_rdma_node *origin = xpt_rdma_chain__origin(t, &v->chain);

	if (v->chain.nr > 1 && xpt_rdma_node__outcome(origin) == XPT_RDMA_CUT_TO_INT)
		origin = &t->node[v->chain.node[v->chain.nr - 2]];	/* where it became an error */
	snprintf(buf, n, "%.72s%s%.72s%s%.72s", t->outer, *t->outer ? " -> " : "",
		 *t->caller ? t->caller : t->method, origin ? " -> " : "", origin ? origin->fn : "");
}

/* "" in files of older versions. */
static const char *host_of(const struct xpt_rdma_trace *t)
{
	return t->host ? t->host : "";
}

static const char *boot_of(const struct xpt_rdma_trace *t)
{
	return t->boot_id ? t->boot_id : "";
}

static void fill_row(struct row *row, const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	char name[32], job[80];

	row->syscall = keep_text(row, 0, t->method);
	row->shape = keep_text(row, 1, t->shape);
	row->error = keep_text(row, 2, xpt_rdma_trace__error(t, name, sizeof(name)));
	row->origin = keep_text(row, 3, xpt_rdma_verdict__origin(t, v));
	row->process = keep_text(row, 4, t->comm);
	xpt_rdma_job(t->cgroup, t->container, job, sizeof(job));
	row->job = keep_text(row, 5, job);
	row->device = keep_text(row, 6, t->device);
	row->driver = keep_text(row, 7, t->driver);
	row->reason = keep_text(row, 8, v->expected ? v->expected : "");
	row->caller = keep_text(row, 9, t->caller);
	row->outer = keep_text(row, 10, t->outer);
	row->host = keep_text(row, 11, host_of(t));
	row->boot_id = keep_text(row, 12, boot_of(t));
	if (t->firmware)
		xpt_rdma_firmware__text(t->firmware, row->refusal, sizeof(row->refusal));
	row->class = xpt_rdma_class_name(v->cause.cls);
	row->confidence = xpt_rdma_confidence_name(v->cause.confidence);
	row->cause = v->cause;
	row->pid = t->pid;
	xpt_rdma_report__way(t, v, row->way, sizeof(row->way));
}

/* Keeps the facts of a failure beside its cause, in the row that it is counted in. */
static void keep_more(struct row *row, const struct xpt_rdma_trace *t)
{
	struct xpt_strbuf sb;

	xpt_strbuf__init(&sb, 4096);
	if (t->asked_for && !*row->asked) {
		xpt_rdma_asked_for__text(t->asked_for, &sb);
		snprintf(row->asked, sizeof(row->asked), "%s", xpt_strbuf__err(&sb) ? "" : sb.s);
	}
	xpt_strbuf__reset(&sb);
	if (t->moved && !*row->moved && xpt_rdma_moved__text(t->moved, &sb))
		snprintf(row->moved, sizeof(row->moved), "%s", xpt_strbuf__err(&sb) ? "" : sb.s);
	xpt_strbuf__free(&sb);
}

/* One more at that time in the row with that key; its index. XPT_RDMA_REPORT_ROWS: no room. */
static unsigned count_at(struct list *l, const char *key, uint64_t wall_ns, bool *ret_new)
{
	struct row *row;
	unsigned i;

	for (i = 0; i < l->nr && strcmp(l->row[i].key, key); i++)
		;
	*ret_new = i == l->nr && i < XPT_RDMA_REPORT_ROWS;
	if (i == XPT_RDMA_REPORT_ROWS) {
		l->left_out++;
		return i;
	}
	row = &l->row[i];
	if (*ret_new) {
		l->nr++;
		snprintf(row->key, sizeof(row->key), "%s", key);
		row->first_ns = wall_ns;
	}
	row->failures++;
	if (wall_ns < row->first_ns)
		row->first_ns = wall_ns;
	if (wall_ns > row->last_ns)
		row->last_ns = wall_ns;
	return i;
}

static void count_in(struct xpt_rdma_report *r, enum table which, const char *key,
		     const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, struct pending *p)
{
	struct list *l = &r->list[which];
	bool is_new;
	unsigned i = count_at(l, key, t->wall_ns, &is_new);

	if (is_new)
		fill_row(&l->row[i], t, v);
	if (which == FAILURES && i < XPT_RDMA_REPORT_ROWS)
		keep_more(&l->row[i], t);
	if (p)
		p->row[which] = i < XPT_RDMA_REPORT_ROWS ? i + 1 : 0;
}

static struct xpt_rdma_moment moment_of(const struct pending *p)
{
	return (struct xpt_rdma_moment){ p->host, p->boot_id, p->monotonic_ns, p->wall_ns };
}

/* Whether that is a process of that id and of the boot of that moment, as far as both boots are known. */
static bool is_process(const struct pending *p, uint32_t pid, const struct xpt_rdma_moment *at)
{
	struct xpt_rdma_moment failed = moment_of(p);

	return p->pid == pid && xpt_rdma_moment__may_share_boot(&failed, at);
}

/* The place for the process's last failure, emptied; NULL: this was not the last. */
static struct pending *pending_of(struct xpt_rdma_report *r, const struct xpt_rdma_trace *t)
{
	struct xpt_rdma_moment began = xpt_rdma_trace__moment(t), last;
	struct pending *p;
	unsigned i, oldest = 0;

	for (i = 0; i < r->nr_pending && !is_process(&r->pending[i], t->pid, &began); i++)
		if (r->pending[i].wall_ns < r->pending[oldest].wall_ns)
			oldest = i;
	if (i == PENDING)
		i = oldest;
	p = &r->pending[i];
	last = moment_of(p);
	if (i == r->nr_pending)
		r->nr_pending++;
	else if (is_process(p, t->pid, &began) && xpt_rdma_moment__since(&last, &began) > 0)
		return NULL;
	*p = (struct pending){ .pid = t->pid, .monotonic_ns = t->monotonic_ns, .wall_ns = t->wall_ns };
	snprintf(p->host, sizeof(p->host), "%s", host_of(t));
	snprintf(p->boot_id, sizeof(p->boot_id), "%s", boot_of(t));
	return p;
}

static void on_exit_line(struct xpt_rdma_report *r, const struct xpt_rdma_other_line *line)
{
	struct xpt_rdma_moment ended = xpt_rdma_other__moment(line), failed;
	struct pending *p;
	int64_t lost;
	int which;

	for (p = r->pending; p < r->pending + r->nr_pending && !is_process(p, line->pid, &ended); p++)
		;
	if (p == r->pending + r->nr_pending)
		return;
	failed = moment_of(p);
	lost = xpt_rdma_moment__since(&ended, &failed);
	if (lost < 0)
		return;
	for (which = 0; which < NR_TABLES; which++)
		if (p->row[which])
			r->list[which].row[p->row[which] - 1].lost_ns += (uint64_t)lost;
	*p = r->pending[--r->nr_pending];
}

static void count_refused(struct xpt_rdma_report *r, const struct xpt_rdma_firmware *f, const char *device,
			  uint64_t wall_ns)
{
	char key[256], name[32];
	struct row *row;
	bool is_new;
	unsigned i;

	snprintf(key, sizeof(key), "%s|%.47s|%.64s", xpt_rdma_firmware__key(f, name, sizeof(name)), f->command,
		 device);
	i = count_at(&r->list[FIRMWARE], key, wall_ns, &is_new);
	if (!is_new)
		return;
	row = &r->list[FIRMWARE].row[i];
	row->opcode = f->opcode;
	row->status = f->status;
	row->syndrome = f->syndrome;
	keep_text(row, 0, f->command);
	keep_text(row, 2, xpt_rdma_errno_name(xpt_rdma_firmware__errno(f), name, sizeof(name)));
	keep_text(row, 6, device);
	keep_text(row, 8, f->status_text);
	snprintf(row->refusal, sizeof(row->refusal), "0x%" PRIx32, f->syndrome);
}

void xpt_rdma_report__other(struct xpt_rdma_report *r, const struct xpt_rdma_other_line *line)
{
	char key[256];
	struct row *row;
	bool is_new;
	unsigned i;

	if (line->kind == XPT_RDMA_LINE_EXIT) {
		on_exit_line(r, line);
		return;
	}
	if (line->kind == XPT_RDMA_LINE_LOST) {
		r->calls.lost += line->number;
		return;
	}
	if (line->kind == XPT_RDMA_LINE_COMMAND) {
		count_refused(r, &line->firmware, "", line->wall_ns);
		return;
	}
	snprintf(key, sizeof(key), "%.31s|%.63s|%" PRIu64 "|%.64s|%.36s", line->name, line->device, line->number,
		 line->host, line->boot_id);
	i = count_at(&r->list[EVENTS], key, line->wall_ns, &is_new);
	if (!is_new)
		return;
	row = &r->list[EVENTS].row[i];
	row->number = line->number;
	keep_text(row, 0, line->name);
	keep_text(row, 6, line->device);
	keep_text(row, 7, line->driver);
	keep_text(row, 11, line->host);
	keep_text(row, 12, line->boot_id);
}

void xpt_rdma_report__add(struct xpt_rdma_report *r, const struct xpt_rdma_trace *t,
			  const struct xpt_rdma_verdict *v)
{
	char key[320], job[160], refusal[32];
	struct pending *p;

	r->calls.calls++;
	r->calls.slow += !!(t->flags & XPT_RDMA_TRACE_SLOW);
	if (t->firmware)
		count_refused(r, t->firmware, t->device, t->wall_ns);
	if (!v->failed)
		return;
	snprintf(key, sizeof(key), "%.48s|%.32s|%" PRId64 "|%.60s|%.40s|%.40s|%s", t->method, t->shape,
		 t->ret, xpt_rdma_verdict__origin(t, v), t->caller, t->outer,
		 xpt_rdma_firmware__key(t->firmware, refusal, sizeof(refusal)));
	if (v->expected) {
		r->calls.expected++;
		count_in(r, NORMAL, key, t, v, NULL);
		return;
	}
	r->calls.failed++;
	p = pending_of(r, t);
	count_in(r, FAILURES, key, t, v, p);
	count_in(r, CLASSES, xpt_rdma_class_name(v->cause.cls), t, v, p);
	snprintf(key, sizeof(key), "%" PRIu32 " %.64s %.64s %.36s", t->pid, t->comm, host_of(t), boot_of(t));
	count_in(r, PROCESSES, key, t, v, p);
	if (xpt_rdma_job(t->cgroup, t->container, job, sizeof(job)))
		count_in(r, JOBS, job, t, v, p);
	snprintf(key, sizeof(key), "%.64s %.64s %.64s", t->device, t->driver, host_of(t));
	if (*t->device)
		count_in(r, DEVICES, key, t, v, p);
}

void xpt_rdma_report__set_log(struct xpt_rdma_report *r, const struct xpt_rdma_nccl *nccl)
{
	r->nccl = nccl;
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
				    &row->job, &row->device, &row->driver, &row->reason, &row->caller, &row->outer, &row->host,
				    &row->boot_id };
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
	row->firmware = row->refusal;
	row->asked_for = row->asked;
	row->counters = row->moved;
	row->first = row->when[0];
	row->last = row->when[1];
}

static int emit_verdict(const struct row *row,
			int (*fn)(void *ctx, const struct xpt_schema *schema, const void *rec), void *ctx)
{
	struct sentence s = { .advice = row->cause.advice };
	char text[2400], lost[80] = "", time[32];

	if (row->lost_ns)
		snprintf(lost, sizeof(lost), ". %s passed until the process ended",
			 xpt_fmt_ns(row->lost_ns, time, sizeof(time)));

	snprintf(text, sizeof(text), "%s%s%s failed with %s, %" PRIu64 " time%s, in %s%s%s: %s: %s "
		 "(confidence %s). %s%s%s%s%s%s%s%s", row->syscall, *row->shape ? " " : "", row->shape, row->error,
		 row->failures, row->failures == 1 ? "" : "s", row->process, *row->device ? " on " : "",
		 row->device, xpt_rdma_class_title(row->cause.cls), row->cause.sentence, row->confidence,
		 row->way, *row->firmware ? ". Firmware: " : "", row->firmware,
		 *row->asked_for ? ". Asked for: " : "", row->asked_for, *row->counters ? ". Counters: " : "",
		 row->counters, lost);
	s.text = text;
	return fn(ctx, &verdict_schema, &s);
}

/* A line of the log with the call that it is about, or between how many that is not known. */
static int emit_line(const struct xpt_rdma_nccl *nccl, const struct xpt_rdma_nccl_line *line,
		     int (*fn)(void *ctx, const struct xpt_schema *schema, const void *rec), void *ctx)
{
	const struct xpt_rdma_nccl_call *c = line->call ? &nccl->call[line->call - 1] : NULL;
	struct nccl_row row = {
		.line = line->number, .retries = line->retries, .pid = line->form.pid, .host = line->form.host,
		.text = line->form.text, .way = c ? c->way : "", .class = c && c->cause ? c->cause : "",
		.choices = c ? 1 : line->choices,
	};
	char way[48];

	if (!c && line->choices == 1)
		row.way = "a call that other lines may be about, too";
	if (!c && line->choices > 1) {
		snprintf(way, sizeof(way), "one of %" PRIu32 " calls", line->choices);
		row.way = way;
	}
	return fn(ctx, &nccl_schema, &row);
}

struct log_boots {		/* of the calls that lines of the log are about */
	const struct xpt_rdma_nccl_call *of[LOG_BOOTS];
	unsigned nr;
	bool has_more;
};

static void find_boots(const struct xpt_rdma_nccl *nccl, struct log_boots *boots)
{
	unsigned i, k;

	for (i = 0; i < nccl->nr_calls; i++) {
		const struct xpt_rdma_nccl_call *c = &nccl->call[i];

		for (k = 0; c->line && k < boots->nr; k++)
			if (!strcmp(boots->of[k]->machine, c->machine) && !strcmp(boots->of[k]->boot_id, c->boot_id))
				break;
		if (!c->line || k < boots->nr)
			continue;
		boots->has_more |= boots->nr == LOG_BOOTS;
		if (boots->nr < LOG_BOOTS)
			boots->of[boots->nr++] = c;
	}
}

/*
 * Tells whether an event may be of a boot that the log is of: of the boots of its machine that are known to be, one is
 * the event's, or there is none.
 */
static bool is_of_log(const struct row *e, const struct log_boots *boots)
{
	struct xpt_rdma_moment event = { .host = e->host, .boot_id = e->boot_id };
	bool is_other = false;
	unsigned i;

	for (i = 0; i < boots->nr; i++) {
		struct xpt_rdma_moment call = { .host = boots->of[i]->machine, .boot_id = boots->of[i]->boot_id };

		if (strcmp(call.host, e->host) != 0)
			continue;
		if (xpt_rdma_moment__may_share_boot(&event, &call))
			return true;
		is_other = true;
	}
	return !is_other || boots->has_more;
}

static bool is_event_of(const struct row *e, const char *name, const char *host)
{
	return !strcmp(e->syscall, name) && xpt_rdma_nccl__is_same_host(e->host, host);
}

/* Returns the host of the log's lines, as far as the trace has such events of it; else "". */
static const char *find_host(const struct list *l, const char *name, const char *host)
{
	unsigned i;

	for (i = 0; i < l->nr; i++)
		if (*l->row[i].host && is_event_of(&l->row[i], name, host))
			return host;
	return "";	/* a container's log has another name for it */
}

/* Finds the events of the trace that lines of the log are about, by their name, host and boot. */
static void join_events(const struct list *l, const struct log_boots *boots, const char *host, struct count_row *row,
			char *device, size_t n)
{
	const char *name = xpt_rdma_log_event__name(row->name);
	const struct row *earliest = NULL, *one = NULL;
	unsigned i;

	host = name ? find_host(l, name, host) : "";
	for (i = 0; name && i < l->nr; i++) {
		const struct row *e = &l->row[i];

		if (!is_event_of(e, name, host) || !is_of_log(e, boots))
			continue;
		row->traced += e->failures;
		one = one ? one : e;
		snprintf(device, n, "%s", strcmp(one->device, e->device) || strcmp(one->host, e->host) ||
			 !strcmp(device, "several") ? "several" : e->device);
		if (!earliest || e->first_ns < earliest->first_ns)
			earliest = e;
	}
	row->first = earliest ? earliest->first : "";
	row->device = device;
}

/* The counts of completions or of events, one after the other: a section is whole. */
static int emit_counts(const struct xpt_rdma_nccl *nccl, const struct list *traced, const struct log_boots *boots, bool events,
		       int (*fn)(void *ctx, const struct xpt_schema *schema, const void *rec), void *ctx)
{
	unsigned i;
	int err = 0;

	for (i = 0; !err && i < nccl->nr_counts; i++) {
		const struct xpt_rdma_nccl_count *c = &nccl->count[i];
		struct count_row row = { .times = c->n, .status = c->status, .line = c->first, .name = c->name };
		char device[80] = "";

		join_events(traced, boots, c->host, &row, device, sizeof(device));
		if (events == !c->status)
			err = fn(ctx, events ? &log_events_schema : &completions_schema, &row);
	}
	return err;
}

static int emit_log(const struct xpt_rdma_nccl *nccl, const struct list *traced,
		    int (*fn)(void *ctx, const struct xpt_schema *schema, const void *rec), void *ctx)
{
	struct log_boots boots = { .nr = 0 };
	unsigned i;
	int err = 0;

	find_boots(nccl, &boots);
	for (i = 0; !err && i < nccl->nr; i++)
		if (nccl->line[i].call || nccl->line[i].choices)
			err = emit_line(nccl, &nccl->line[i], fn, ctx);
	if (!err)
		err = emit_counts(nccl, traced, &boots, false, fn, ctx);
	return err ? err : emit_counts(nccl, traced, &boots, true, fn, ctx);
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
	return !err && r->nccl ? emit_log(r->nccl, &r->list[EVENTS], fn, ctx) : err;
}
