// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Device memory by process: the bytes that a process holds according to NVML, and how much of it the calls
 * of the trace account for. The rest is unexplained: contexts, kernels and buffers of the driver, memory
 * from before the trace, or from calls that it did not see. Managed memory is not among
 * the traced bytes, as it may be on the device or not: what is there is unexplained.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/hashmap.h"
#include "model/output/analyzer.h"
#include "model/device.h"
#include "model/memory/ledger.h"

#define PROCS_MAX 65536
#define ENTRIES_MAX 16384	/* processes on devices */
#define LABEL_MAX 128
#define COMM_MAX 16

struct rec_process {
	const char *process, *device;
	uint64_t pid, nvml_bytes, most_bytes, traced_bytes, unexplained_bytes;
};

static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec_process, process, STR, NONE, "process"),
	XPT_FIELD(struct rec_process, pid, U64, NONE, "pid"),
	XPT_FIELD(struct rec_process, device, STR, NONE, "device"),
	XPT_FIELD(struct rec_process, nvml_bytes, U64, BYTES, "NVML"),
	XPT_FIELD(struct rec_process, most_bytes, U64, BYTES, "most"),
	XPT_FIELD(struct rec_process, traced_bytes, U64, BYTES, "traced"),
	XPT_FIELD(struct rec_process, unexplained_bytes, U64, BYTES, "unexplained"),
};

static const struct xpt_schema schema = {
	.name = "device_memory", .title = "Device memory by process, as NVML says",
	.help = "At the last reading that has the process: what NVML says it holds, what traced calls account for, and the "
		"rest; several devices are one line",
	.layout = XPT_LAYOUT_TABLE, .order = 98, XPT_RECORD(struct rec_process, fields), .brief = 20,
};

static const struct xpt_schema *const emits[] = { &schema, NULL };

struct entry_key {
	uint32_t pid, device;
};

struct entry {			/* of a process on a device */
	const struct xpt_device *device;
	uint64_t bytes, most, traced;	/* traced: XPT_ABSENT if the trace does not know the process */
	uint64_t at_ns;
	uint32_t pid;
	char comm[COMM_MAX];
};

struct device_memory {
	struct xpt_hashmap *open;	/* struct xpt_proc * -> uint64_t bytes */
	struct xpt_hashmap *entries;	/* struct entry_key -> struct entry */
	uint64_t lost;
};

/* --- memory that calls account for ----------------------------------------------------------------- */

static bool is_on_device(const struct xpt_block *b)
{
	return b->kind == XPT_KIND_DEVICE || b->kind == XPT_KIND_POOL || b->kind == XPT_KIND_VMM ||
	       b->kind == XPT_KIND_ARRAY || b->kind == XPT_KIND_GRAPH;
}

static void on_opened(void *ctx, struct xpt_block *b)
{
	struct device_memory *m = ctx;
	uint64_t *bytes = is_on_device(b) ? xpt_hashmap__get(m->open, &b->proc, NULL) : NULL;

	if (bytes)
		*bytes += b->bytes;
}

static void on_closed(void *ctx, const struct xpt_block *b, enum xpt_close why, const struct xpt_call *c, uint64_t ts_ns)
{
	struct device_memory *m = ctx;
	uint64_t *bytes = is_on_device(b) ? xpt_hashmap__find(m->open, &b->proc) : NULL;

	(void)why;
	(void)c;
	(void)ts_ns;
	if (bytes)
		*bytes -= b->bytes < *bytes ? b->bytes : *bytes;
}

/* --- readings of NVML -------------------------------------------------------------------------------- */

static void on_reading(struct device_memory *m, const struct xpt_reading *v, uint64_t ts_ns)
{
	struct entry_key key = { v->pid, v->device->id };
	struct entry *e;
	const uint64_t *traced;

	if (v->metric->id != XPT_METRIC_GPU_PROCESS_MEMORY || !v->pid)
		return;
	e = xpt_hashmap__get(m->entries, &key, NULL);
	if (!e) {
		m->lost++;
		return;
	}
	traced = v->proc ? xpt_hashmap__find(m->open, &v->proc) : NULL;
	e->device = v->device;
	e->pid = v->pid;
	e->at_ns = ts_ns;
	e->bytes = v->value;
	e->most = v->value > e->most ? v->value : e->most;
	e->traced = !v->proc ? XPT_ABSENT : traced ? *traced : 0;
	if (v->proc)
		snprintf(e->comm, sizeof(e->comm), "%s", v->proc->comm);
}

/* --- the table ------------------------------------------------------------------------------------------ */

static int by_pid(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;

	return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid) :
	       (x->device->id > y->device->id) - (x->device->id < y->device->id);
}

static int by_bytes(const void *a, const void *b)
{
	const struct rec_process *x = a, *y = b;

	return x->nvml_bytes != y->nvml_bytes ? (x->nvml_bytes < y->nvml_bytes) - (x->nvml_bytes > y->nvml_bytes) :
	       (x->pid > y->pid) - (x->pid < y->pid);
}

/* Adds up the nr entries of one process. Traced bytes are of all its devices; the latest reading
 * has them. */
static struct rec_process sum_up(const struct entry *const *e, size_t nr, char *label, size_t size)
{
	struct rec_process rec = { .process = e[0]->comm, .pid = e[0]->pid, .device = label };
	uint64_t at_ns = 0;

	if (nr == 1)
		xpt_device__label(e[0]->device, label, size);
	else
		snprintf(label, size, "%zu devices", nr);
	for (size_t i = 0; i < nr; i++) {
		rec.nvml_bytes += e[i]->bytes;
		rec.most_bytes += e[i]->most;
		if (e[i]->at_ns >= at_ns)
			rec.traced_bytes = e[i]->traced;
		at_ns = e[i]->at_ns > at_ns ? e[i]->at_ns : at_ns;
	}
	rec.unexplained_bytes = rec.traced_bytes == XPT_ABSENT ? XPT_ABSENT :
				rec.nvml_bytes > rec.traced_bytes ? rec.nvml_bytes - rec.traced_bytes : 0;
	return rec;
}

static void report_all(struct device_memory *m, struct xpt_out *out)
{
	size_t nr, rows = 0;
	void **all = xpt_hashmap__sorted(m->entries, by_pid, &nr);
	const struct entry *const *e = (const struct entry *const *)all;
	struct rec_process *rec = calloc(nr + 1, sizeof(*rec));
	char (*label)[LABEL_MAX] = calloc(nr + 1, sizeof(*label));

	for (size_t i = 0, end; rec && label && i < nr; i = end) {
		for (end = i + 1; end < nr && e[end]->pid == e[i]->pid; end++)
			;
		rec[rows] = sum_up(&e[i], end - i, label[rows], sizeof(label[rows]));
		rows++;
	}
	if (rows)
		qsort(rec, rows, sizeof(*rec), by_bytes);
	for (size_t i = 0; i < rows; i++)
		xpt_out__emit(out, &schema, &rec[i]);
	free(all);
	free(rec);
	free(label);
	if (m->lost)
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, m->lost);
}

static void device_memory__event(void *st, const struct xpt_event *ev, struct xpt_out *out)
{
	struct device_memory *m = st;

	if (ev->kind == XPT_EV_READING)
		on_reading(m, ev->u.reading, ev->ts_ns);
	else if (ev->kind == XPT_EV_END)
		report_all(m, out);
}

static const struct xpt_ledger_ops blocks = { .opened = on_opened, .closed = on_closed };

const struct xpt_analyzer xpt_analyzer_device_memory = {
	.name = "device_memory",
	.help = "device memory by process, and what calls account for",
	.emits = emits,
	.state_size = sizeof(struct device_memory),
	.tables = (const struct xpt_table[]){
		XPT_MAP(struct device_memory, open, void *, uint64_t, PROCS_MAX, XPT_TABLE_OF_PROCESSES),
		XPT_MAP(struct device_memory, entries, struct entry_key, struct entry, ENTRIES_MAX, 0),
		{ 0 }
	},
	.blocks = &blocks,
	.event = device_memory__event,
};
