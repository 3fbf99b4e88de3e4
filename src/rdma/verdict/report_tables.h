/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables of a report: lists of rows known by a key, with their schemas. All tables have the same kind of row and
 * differ in the fields shown. Rows that find no room are counted.
 */
#ifndef XPT_RDMA_VERDICT_REPORT_TABLES_H
#define XPT_RDMA_VERDICT_REPORT_TABLES_H

#include "model/output/schema.h"
#include "rdma/verdict/classify.h"

enum { XPT_RDMA_REPORT_ROWS = 512 };	/* of one table */

enum xpt_rdma_table {
	XPT_RDMA_OF_FAILURES, XPT_RDMA_OF_CLASSES, XPT_RDMA_OF_PROCESSES, XPT_RDMA_OF_JOBS, XPT_RDMA_OF_DEVICES,
	XPT_RDMA_OF_NORMAL, XPT_RDMA_OF_EVENTS, XPT_RDMA_OF_FIRMWARE, XPT_RDMA_NR_TABLES
};

struct xpt_rdma_row {
	uint64_t failures, pid, first_ns, last_ns, lost_ns, number, opcode, status, syndrome;
	/* Into the buffers below, or constants. */
	const char *syscall, *shape, *error, *origin, *class, *confidence, *process, *job, *device, *driver, *reason,
		   *caller, *outer, *host, *boot_id, *firmware, *asked_for, *counters, *first, *last;
	char key[320], way[256], buf[13][80], refusal[200], when[2][24];
	char asked[640], moved[320];	/* of failures: request of the first one; counters of the first one that has some */
	struct xpt_rdma_cause cause;
};

struct xpt_rdma_rows {
	struct xpt_rdma_row *row;
	unsigned nr;
	uint64_t left_out;
};

struct xpt_rdma_call_counts {
	uint64_t calls, failed, expected, slow, lost, not_whole, left_out;
};

struct xpt_rdma_sentence {
	const char *text, *advice;
};

/* Initialises a schema of records of that type. */
#define XPT_RDMA_SCHEMA(name_, title_, help_, layout_, order_, fields_, type_) { .name = name_, .title = title_, \
	.help = help_, .layout = layout_, .order = order_, .size = sizeof(type_), .fields = fields_, \
	.nr_fields = sizeof(fields_) / sizeof(fields_[0]) }

extern const struct xpt_schema xpt_rdma_calls_schema, xpt_rdma_verdict_schema;
extern const struct xpt_schema xpt_rdma_table_schemas[XPT_RDMA_NR_TABLES];

/* Keeps text i of a row, cut if it has no room; xpt_rdma_rows__finish() finds it again. Returns the copy. */
const char *xpt_rdma_row__keep(struct xpt_rdma_row *row, unsigned i, const char *s);
/* Counts one more at that time in the row with that key. Returns its index; XPT_RDMA_REPORT_ROWS: no room. */
unsigned xpt_rdma_rows__count(struct xpt_rdma_rows *l, const char *key, uint64_t wall_ns, bool *ret_new);
/* Sorts the rows, the most frequent first, and completes them for their schema. */
void xpt_rdma_rows__finish(struct xpt_rdma_rows *l);

#endif
