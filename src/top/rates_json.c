// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rates_json.h. Unknown values are left out; they are never 0. */
#include "top/rates_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/device.h"
#include "model/vocab.h"

static void add_text(struct xpt_strbuf *sb, const char *key, const char *text)
{
	xpt_strbuf__addf(sb, "\"%s\":", key);
	xpt_strbuf__add_json(sb, text);
}

static void add_u64(struct xpt_strbuf *sb, const char *key, uint64_t v)
{
	xpt_strbuf__addf(sb, ",\"%s\":%" PRIu64, key, v);
}

static void add_number(struct xpt_strbuf *sb, const char *key, double v)
{
	xpt_strbuf__addf(sb, ",\"%s\":%.3f", key, v);
}

/* Adds a rate of the interval; nothing if there was no interval. */
static void add_rate(struct xpt_strbuf *sb, const struct xpt_top_rates *r, const char *key, uint64_t v)
{
	if (r->interval_ns)
		add_number(sb, key, xpt_top_rates__by_second(r, v));
}

static void add_waiting(struct xpt_strbuf *sb, uint64_t waiting, uint64_t oldest_ns)
{
	if (!waiting)
		return;
	add_u64(sb, "in_flight", waiting);
	add_u64(sb, "oldest_ns", oldest_ns);
}

static void add_bytes(struct xpt_strbuf *sb, const struct xpt_snapshot_row *row)
{
	bool any = false;

	for (unsigned dir = 0; dir < XPT_DIR__MAX; dir++) {
		if (!row->bytes[dir])
			continue;
		xpt_strbuf__addf(sb, "%s\"%s\":%" PRIu64, any ? "," : ",\"bytes\":{", xpt_dir_name(dir), row->bytes[dir]);
		any = true;
	}
	if (any)
		xpt_strbuf__addc(sb, '}');
}

/* Buckets that have calls, since the trace began; the last one may have no bound. */
static void add_durations(struct xpt_strbuf *sb, const struct xpt_snapshot_row *row)
{
	bool any = false;

	for (unsigned i = 0; i < XPT_DURATIONS; i++) {
		if (!row->took[i])
			continue;
		xpt_strbuf__add(sb, any ? ",{" : ",\"durations\":[{");
		if (i < XPT_DURATION_BOUNDS)
			xpt_strbuf__addf(sb, "\"up_to_ns\":%" PRIu64 ",", xpt_durations__bound(i));
		xpt_strbuf__addf(sb, "\"calls\":%" PRIu64 "}", row->took[i]);
		any = true;
	}
	if (any)
		xpt_strbuf__addc(sb, ']');
}

static void add_function(struct xpt_strbuf *sb, const struct xpt_top_rates *r, const struct xpt_top_function *f)
{
	xpt_strbuf__addc(sb, '{');
	add_text(sb, "function", f->function->name);
	xpt_strbuf__addc(sb, ',');
	add_text(sb, "domain", f->function->domain);
	xpt_strbuf__addc(sb, ',');
	add_text(sb, "class", xpt_class_name(f->function->cls));
	add_u64(sb, "calls", f->row->calls);
	add_u64(sb, "nested_calls", f->row->nested_calls);
	add_u64(sb, "errors", f->row->errors);
	add_u64(sb, "time_ns", f->row->time_ns);
	add_bytes(sb, f->row);
	add_durations(sb, f->row);
	add_rate(sb, r, "calls_per_second", f->calls);
	add_rate(sb, r, "errors_per_second", f->errors);
	add_rate(sb, r, "bytes_per_second", f->bytes);
	if (f->calls)
		add_u64(sb, "mean_ns", f->time_ns / f->calls);
	if (r->interval_ns)
		add_number(sb, "time_ratio", f->share);
	add_waiting(sb, f->row->waiting, f->row->oldest_ns);
	xpt_strbuf__addc(sb, '}');
}

static void add_identity(struct xpt_strbuf *sb, const struct xpt_snapshot_process *p)
{
	add_text(sb, "name", p->name);
	if (p->pid)
		add_u64(sb, "pid", p->pid);
	if (p->uid != UINT32_MAX)
		add_u64(sb, "uid", p->uid);
	if (p->container[0]) {
		xpt_strbuf__addc(sb, ',');
		add_text(sb, "container", p->container);
	}
	if (p->ended_ns)
		xpt_strbuf__add(sb, ",\"ended\":true");
}

/* Adds open bytes by kind, without unknown sums. */
static void add_open_bytes(struct xpt_strbuf *sb, const struct xpt_snapshot_process *p)
{
	bool any = false;

	for (unsigned kind = 0; kind < XPT_KIND__MAX; kind++) {
		if (!(p->open_kinds & 1u << kind))
			continue;
		xpt_strbuf__addf(sb, "%s\"%s\":%" PRIu64, any ? "," : ",\"open_bytes\":{", xpt_kind_name(kind), p->open[kind]);
		any = true;
	}
	if (any)
		xpt_strbuf__addc(sb, '}');
}

static void add_process(struct xpt_strbuf *sb, const struct xpt_top_rates *r, const struct xpt_top_process *p)
{
	add_identity(sb, &p->process);
	add_u64(sb, "calls", p->all_calls);
	add_u64(sb, "errors", p->all_errors);
	add_rate(sb, r, "calls_per_second", p->calls);
	add_rate(sb, r, "launches_per_second", p->launches);
	add_rate(sb, r, "copied_bytes_per_second", p->copied);
	add_rate(sb, r, "errors_per_second", p->errors);
	if (r->interval_ns)
		add_number(sb, "wait_ratio", p->wait);
	if (p->gpu >= 0)
		add_number(sb, "gpu_ratio", p->gpu);
	if (p->memory != XPT_TOP_UNKNOWN)
		add_u64(sb, "memory_bytes", p->memory);
	add_open_bytes(sb, &p->process);
	add_waiting(sb, p->waiting, p->oldest_ns);
	if (p->oldest) {
		xpt_strbuf__addc(sb, ',');
		add_text(sb, "oldest_function", p->oldest->name);
	}
	xpt_strbuf__add(sb, ",\"functions\":[");
	for (uint32_t i = 0; i < p->nr; i++) {
		xpt_strbuf__add(sb, i ? "," : "");
		add_function(sb, r, &r->function[p->first + i]);
	}
	xpt_strbuf__addc(sb, ']');
}

static void add_reading(struct xpt_strbuf *sb, const struct xpt_snapshot_reading *v)
{
	const struct xpt_metric *m = xpt_metric__find(v->metric);
	unsigned digits = 0;

	add_text(sb, "metric", m->name);
	if (v->part != XPT_PART_NONE)
		add_u64(sb, "part", v->part);
	if (v->pid)
		add_u64(sb, "pid", v->pid);
	xpt_strbuf__add(sb, ",\"value\":");
	for (uint64_t scale = m->scale; scale >= 10; scale /= 10)
		digits++;
	if (digits)
		xpt_strbuf__add_fixed(sb, v->value, digits);
	else
		xpt_strbuf__addu64(sb, v->value);
}

static void add_devices(struct xpt_strbuf *sb, const struct xpt_snapshot *s)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < s->nr_devices; i++) {
		const struct xpt_snapshot_device *d = &s->device[i];
		uint32_t first = next;

		xpt_strbuf__add(sb, i ? ",{" : "{");
		add_text(sb, "kind", xpt_device_kind_name(d->kind));
		xpt_strbuf__addc(sb, ',');
		add_text(sb, "label", d->label);
		xpt_strbuf__addc(sb, ',');
		add_text(sb, "name", d->name);
		xpt_strbuf__add(sb, ",\"readings\":[");
		for (; next < s->nr_readings && s->reading[next].device == i; next++) {
			xpt_strbuf__add(sb, next > first ? ",{" : "{");
			add_reading(sb, &s->reading[next]);
			xpt_strbuf__addc(sb, '}');
		}
		xpt_strbuf__add(sb, "]}");
	}
}

void xpt_top_rates__print_json(const struct xpt_top_rates *r, const char *source, struct xpt_strbuf *sb)
{
	const struct xpt_snapshot *s = r->now;

	xpt_strbuf__add(sb, "{\"xputrace_top\":1,");
	add_text(sb, "source", source);
	xpt_strbuf__addc(sb, ',');
	add_text(sb, "version", s->version);
	add_u64(sb, "unix_ns", s->unix_ns);
	if (r->interval_ns)
		add_u64(sb, "interval_ns", r->interval_ns);
	add_u64(sb, "left_out", s->left_out);
	add_u64(sb, "cut", s->cut);
	xpt_strbuf__add(sb, ",\"processes\":[");
	for (uint32_t i = 0; i < r->nr_processes; i++) {
		xpt_strbuf__add(sb, i ? ",{" : "{");
		add_process(sb, r, &r->process[i]);
		xpt_strbuf__addc(sb, '}');
	}
	xpt_strbuf__add(sb, "],\"devices\":[");
	add_devices(sb, s);
	xpt_strbuf__add(sb, "]}");
}
