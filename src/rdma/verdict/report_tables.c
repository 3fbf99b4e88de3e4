// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See report_tables.h. Rows are few, so each is found by going through them; when all are sorted, their texts move. */
#include "rdma/verdict/report_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define F(m, T, U, title) XPT_FIELD(struct xpt_rdma_row, m, T, U, title)
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
	XPT_FIELD(struct xpt_rdma_call_counts, calls, U64, COUNT, "Calls in the files"),
	XPT_FIELD(struct xpt_rdma_call_counts, failed, U64, COUNT, "Failed"),
	XPT_FIELD(struct xpt_rdma_call_counts, expected, U64, COUNT, "Failed as they should"),
	XPT_FIELD(struct xpt_rdma_call_counts, slow, U64, COUNT, "Slow"),
	XPT_FIELD_QUIET(struct xpt_rdma_call_counts, lost, U64, COUNT, "Lost, not in the files"),
	XPT_FIELD_QUIET(struct xpt_rdma_call_counts, not_whole, U64, COUNT, "Lines not whole"),
	XPT_FIELD_QUIET(struct xpt_rdma_call_counts, left_out, U64, COUNT, "Without a row"),
};
static const struct xpt_field verdict_fields[] = {
	XPT_FIELD(struct xpt_rdma_sentence, text, STR, NONE, "text"),
	XPT_FIELD(struct xpt_rdma_sentence, advice, STR, NONE, "advice"),
};

const struct xpt_schema xpt_rdma_calls_schema =
	XPT_RDMA_SCHEMA("calls", "RDMA calls", "Calls in the files", XPT_LAYOUT_LIST, 1, calls_fields,
			struct xpt_rdma_call_counts);
const struct xpt_schema xpt_rdma_verdict_schema =
	XPT_RDMA_SCHEMA("verdicts", "Verdicts", "What failed, why, and what to try", XPT_LAYOUT_TEXT, 2, verdict_fields,
			struct xpt_rdma_sentence);

#define TABLE(name, title, help, order, fields) \
	XPT_RDMA_SCHEMA(name, title, help, XPT_LAYOUT_TABLE, order, fields, struct xpt_rdma_row)

const struct xpt_schema xpt_rdma_table_schemas[XPT_RDMA_NR_TABLES] = {
	[XPT_RDMA_OF_FAILURES] = TABLE("failures", "Failures", "Alike by call, error and origin", 3, failures_fields),
	[XPT_RDMA_OF_CLASSES] = TABLE("classes", "Classes", "By kind of cause", 4, classes_fields),
	[XPT_RDMA_OF_PROCESSES] = TABLE("processes", "Processes", "By process", 5, processes_fields),
	[XPT_RDMA_OF_JOBS] = TABLE("jobs", "Jobs", "By job", 6, jobs_fields),
	[XPT_RDMA_OF_DEVICES] = TABLE("devices", "Devices", "By device", 7, devices_fields),
	[XPT_RDMA_OF_NORMAL] = TABLE("expected", "Normal errors", "Counted, and no failures", 8, normal_fields),
	[XPT_RDMA_OF_EVENTS] = TABLE("events", "Events of devices", "Asynchronous, as programs get them", 10,
				     events_fields),
	[XPT_RDMA_OF_FIRMWARE] = TABLE("firmware", "Commands refused by firmware", "In calls and outside of them", 11,
				       firmware_fields),
};

const char *xpt_rdma_row__keep(struct xpt_rdma_row *row, unsigned i, const char *s)
{
	snprintf(row->buf[i], sizeof(row->buf[i]), "%s", s);
	return row->buf[i];
}

unsigned xpt_rdma_rows__count(struct xpt_rdma_rows *l, const char *key, uint64_t wall_ns, bool *ret_new)
{
	struct xpt_rdma_row *row;
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

static int by_count(const void *x, const void *y)
{
	const struct xpt_rdma_row *a = x, *b = y;

	if (a->failures != b->failures)
		return a->failures > b->failures ? -1 : 1;
	return strcmp(a->key, b->key);
}

/* Rows have moved: their texts are found again. */
static void find_texts(struct xpt_rdma_row *row)
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

void xpt_rdma_rows__finish(struct xpt_rdma_rows *l)
{
	unsigned i;

	qsort(l->row, l->nr, sizeof(*l->row), by_count);
	for (i = 0; i < l->nr; i++)
		find_texts(&l->row[i]);
}
