// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See report_log.h. Lines of the log name no boot: the calls that they are about tell which ones the log is of. */
#include "rdma/verdict/report_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rdma/trace/job_log/log_event.h"
#include "rdma/trace/moment.h"

enum { LOG_BOOTS = 64 };	/* of machines that a job's log is of */

struct nccl_row {
	uint64_t line, retries, pid, choices;
	const char *text, *way, *class, *host;
};

struct count_row {		/* a status of completions, or a type of events, in the job's log */
	uint64_t times, status, line, traced;	/* traced: such events in the files */
	const char *name, *device, *first;
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

static const struct xpt_schema nccl_schema =
	XPT_RDMA_SCHEMA("nccl", "Warnings of NCCL", "Its log, with the functions behind it", XPT_LAYOUT_TABLE, 9,
			nccl_fields, struct nccl_row);
static const struct xpt_schema completions_schema =
	XPT_RDMA_SCHEMA("completions", "Completions with errors", "In the job's log, by status", XPT_LAYOUT_TABLE, 12,
			completions_fields, struct count_row);
static const struct xpt_schema log_events_schema =
	XPT_RDMA_SCHEMA("log_events", "Events in the job's log", "Asynchronous ones of devices", XPT_LAYOUT_TABLE, 13,
			log_events_fields, struct count_row);

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
static bool is_of_log(const struct xpt_rdma_row *e, const struct log_boots *boots)
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

static bool is_event_of(const struct xpt_rdma_row *e, const char *name, const char *host)
{
	return !strcmp(e->syscall, name) && xpt_rdma_nccl__is_same_host(e->host, host);
}

/* Returns the host of the log's lines, as far as the trace has such events of it; else "". */
static const char *find_host(const struct xpt_rdma_rows *l, const char *name, const char *host)
{
	unsigned i;

	for (i = 0; i < l->nr; i++)
		if (*l->row[i].host && is_event_of(&l->row[i], name, host))
			return host;
	return "";	/* a container's log has another name for it */
}

/* Finds the events of the trace that lines of the log are about, by their name, host and boot. */
static void join_events(const struct xpt_rdma_rows *l, const struct log_boots *boots, const char *host,
			struct count_row *row, char *device, size_t n)
{
	const char *name = xpt_rdma_log_event__name(row->name);
	const struct xpt_rdma_row *earliest = NULL, *one = NULL;
	unsigned i;

	host = name ? find_host(l, name, host) : "";
	for (i = 0; name && i < l->nr; i++) {
		const struct xpt_rdma_row *e = &l->row[i];

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
static int emit_counts(const struct xpt_rdma_nccl *nccl, const struct xpt_rdma_rows *traced,
		       const struct log_boots *boots, bool events,
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

int xpt_rdma_report_log__emit(const struct xpt_rdma_nccl *nccl, const struct xpt_rdma_rows *traced,
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
