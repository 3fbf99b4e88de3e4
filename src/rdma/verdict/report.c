// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See report.h. A failure is counted in a row of each table (report_tables.h); the time until the end of its process is
 * added to these rows later.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "rdma/trace/asked_for.h"
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/evidence/job.h"
#include "rdma/trace/evidence/moved.h"
#include "rdma/verdict/report.h"
#include "rdma/verdict/report_log.h"
#include "rdma/verdict/report_tables.h"
#include "rdma/trace/trace_json.h"

enum { PENDING = 256 };		/* processes that failed and run still */

/* The last failure of a process, and the rows that it is in (index + 1, 0: none). */
struct pending {
	uint32_t pid;
	char host[65], boot_id[37];
	uint64_t monotonic_ns, wall_ns;	/* when its last failure began, as in struct xpt_rdma_moment */
	unsigned row[XPT_RDMA_NR_TABLES];
};

struct xpt_rdma_report {
	struct pending pending[PENDING];
	unsigned nr_pending;
	struct xpt_rdma_rows list[XPT_RDMA_NR_TABLES];
	const struct xpt_rdma_nccl *nccl;
	struct xpt_rdma_call_counts calls;
};

struct xpt_rdma_report *xpt_rdma_report__new(void)
{
	struct xpt_rdma_report *r = calloc(1, sizeof(*r));
	bool ok = r;
	int i;

	for (i = 0; ok && i < XPT_RDMA_NR_TABLES; i++) {
		r->list[i].row = calloc(XPT_RDMA_REPORT_ROWS, sizeof(struct xpt_rdma_row));
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

	for (i = 0; r && i < XPT_RDMA_NR_TABLES; i++)
		free(r->list[i].row);
	free(r);
}

/* --- adding -------------------------------------------------------------------------- */

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

static void fill_row(struct xpt_rdma_row *row, const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v)
{
	char name[32], job[80];

	row->syscall = xpt_rdma_row__keep(row, 0, t->method);
	row->shape = xpt_rdma_row__keep(row, 1, t->shape);
	row->error = xpt_rdma_row__keep(row, 2, xpt_rdma_trace__error(t, name, sizeof(name)));
	row->origin = xpt_rdma_row__keep(row, 3, xpt_rdma_verdict__origin(t, v));
	row->process = xpt_rdma_row__keep(row, 4, t->comm);
	xpt_rdma_job(t->cgroup, t->container, job, sizeof(job));
	row->job = xpt_rdma_row__keep(row, 5, job);
	row->device = xpt_rdma_row__keep(row, 6, t->device);
	row->driver = xpt_rdma_row__keep(row, 7, t->driver);
	row->reason = xpt_rdma_row__keep(row, 8, v->expected ? v->expected : "");
	row->caller = xpt_rdma_row__keep(row, 9, t->caller);
	row->outer = xpt_rdma_row__keep(row, 10, t->outer);
	row->host = xpt_rdma_row__keep(row, 11, host_of(t));
	row->boot_id = xpt_rdma_row__keep(row, 12, boot_of(t));
	if (t->firmware)
		xpt_rdma_firmware__text(t->firmware, row->refusal, sizeof(row->refusal));
	row->class = xpt_rdma_class_name(v->cause.cls);
	row->confidence = xpt_rdma_confidence_name(v->cause.confidence);
	row->cause = v->cause;
	row->pid = t->pid;
	xpt_rdma_report__way(t, v, row->way, sizeof(row->way));
}

/* Keeps the facts of a failure beside its cause, in the row that it is counted in. */
static void keep_more(struct xpt_rdma_row *row, const struct xpt_rdma_trace *t)
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

static void count_in(struct xpt_rdma_report *r, enum xpt_rdma_table which, const char *key,
		     const struct xpt_rdma_trace *t, const struct xpt_rdma_verdict *v, struct pending *p)
{
	struct xpt_rdma_rows *l = &r->list[which];
	bool is_new;
	unsigned i = xpt_rdma_rows__count(l, key, t->wall_ns, &is_new);

	if (is_new)
		fill_row(&l->row[i], t, v);
	if (which == XPT_RDMA_OF_FAILURES && i < XPT_RDMA_REPORT_ROWS)
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
	for (which = 0; which < XPT_RDMA_NR_TABLES; which++)
		if (p->row[which])
			r->list[which].row[p->row[which] - 1].lost_ns += (uint64_t)lost;
	*p = r->pending[--r->nr_pending];
}

static void count_refused(struct xpt_rdma_report *r, const struct xpt_rdma_firmware *f, const char *device,
			  uint64_t wall_ns)
{
	char key[256], name[32];
	struct xpt_rdma_row *row;
	bool is_new;
	unsigned i;

	snprintf(key, sizeof(key), "%s|%.47s|%.64s", xpt_rdma_firmware__key(f, name, sizeof(name)), f->command,
		 device);
	i = xpt_rdma_rows__count(&r->list[XPT_RDMA_OF_FIRMWARE], key, wall_ns, &is_new);
	if (!is_new)
		return;
	row = &r->list[XPT_RDMA_OF_FIRMWARE].row[i];
	row->opcode = f->opcode;
	row->status = f->status;
	row->syndrome = f->syndrome;
	xpt_rdma_row__keep(row, 0, f->command);
	xpt_rdma_row__keep(row, 2, xpt_rdma_errno_name(xpt_rdma_firmware__errno(f), name, sizeof(name)));
	xpt_rdma_row__keep(row, 6, device);
	xpt_rdma_row__keep(row, 8, f->status_text);
	snprintf(row->refusal, sizeof(row->refusal), "0x%" PRIx32, f->syndrome);
}

void xpt_rdma_report__other(struct xpt_rdma_report *r, const struct xpt_rdma_other_line *line)
{
	char key[256];
	struct xpt_rdma_row *row;
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
	i = xpt_rdma_rows__count(&r->list[XPT_RDMA_OF_EVENTS], key, line->wall_ns, &is_new);
	if (!is_new)
		return;
	row = &r->list[XPT_RDMA_OF_EVENTS].row[i];
	row->number = line->number;
	xpt_rdma_row__keep(row, 0, line->name);
	xpt_rdma_row__keep(row, 6, line->device);
	xpt_rdma_row__keep(row, 7, line->driver);
	xpt_rdma_row__keep(row, 11, line->host);
	xpt_rdma_row__keep(row, 12, line->boot_id);
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
		count_in(r, XPT_RDMA_OF_NORMAL, key, t, v, NULL);
		return;
	}
	r->calls.failed++;
	p = pending_of(r, t);
	count_in(r, XPT_RDMA_OF_FAILURES, key, t, v, p);
	count_in(r, XPT_RDMA_OF_CLASSES, xpt_rdma_class_name(v->cause.cls), t, v, p);
	snprintf(key, sizeof(key), "%" PRIu32 " %.64s %.64s %.36s", t->pid, t->comm, host_of(t), boot_of(t));
	count_in(r, XPT_RDMA_OF_PROCESSES, key, t, v, p);
	if (xpt_rdma_job(t->cgroup, t->container, job, sizeof(job)))
		count_in(r, XPT_RDMA_OF_JOBS, job, t, v, p);
	snprintf(key, sizeof(key), "%.64s %.64s %.64s", t->device, t->driver, host_of(t));
	if (*t->device)
		count_in(r, XPT_RDMA_OF_DEVICES, key, t, v, p);
}

void xpt_rdma_report__set_log(struct xpt_rdma_report *r, const struct xpt_rdma_nccl *nccl)
{
	r->nccl = nccl;
}

/* --- out ------------------------------------------------------------------------------ */

static int emit_verdict(const struct xpt_rdma_row *row,
			int (*fn)(void *ctx, const struct xpt_schema *schema, const void *rec), void *ctx)
{
	struct xpt_rdma_sentence s = { .advice = row->cause.advice };
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
	return fn(ctx, &xpt_rdma_verdict_schema, &s);
}

int xpt_rdma_report__emit(struct xpt_rdma_report *r, uint64_t bad_lines,
			  int (*fn)(void *ctx, const struct xpt_schema *schema, const void *rec),
			  void *ctx)
{
	unsigned i;
	int which, err;

	r->calls.not_whole = bad_lines;
	for (which = 0; which < XPT_RDMA_NR_TABLES; which++) {
		struct xpt_rdma_rows *l = &r->list[which];

		xpt_rdma_rows__finish(l);
		r->calls.left_out += l->left_out;
	}
	err = fn(ctx, &xpt_rdma_calls_schema, &r->calls);
	for (i = 0; !err && i < r->list[XPT_RDMA_OF_FAILURES].nr; i++)
		err = emit_verdict(&r->list[XPT_RDMA_OF_FAILURES].row[i], fn, ctx);
	for (which = 0; which < XPT_RDMA_NR_TABLES; which++)
		for (i = 0; !err && i < r->list[which].nr; i++)
			err = fn(ctx, &xpt_rdma_table_schemas[which], &r->list[which].row[i]);
	return !err && r->nccl ? xpt_rdma_report_log__emit(r->nccl, &r->list[XPT_RDMA_OF_EVENTS], fn, ctx) : err;
}
