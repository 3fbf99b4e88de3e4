// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The panel of one process: a row for each function that it has called, and how long calls of the selected one took.
 * See draw.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "model/vocab.h"
#include "top/draw.h"

#define NOTE_HEIGHT 16			/* smaller screens have no line for the note on memory by call site */

static void print_name(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	(void)d;
	snprintf(buf, n, "%s", ((const struct xpt_top_function *)row)->function->name);
}

static void print_domain(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	(void)d;
	snprintf(buf, n, "%s", ((const struct xpt_top_function *)row)->function->domain);
}

static void print_class(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	(void)d;
	snprintf(buf, n, "%s", xpt_class_name(((const struct xpt_top_function *)row)->function->cls));
}

static void print_rate(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct xpt_top_function *f = row;

	if (d->r->interval_ns)
		xpt_top_fmt_rate(xpt_top_rates__by_second(d->r, f->calls), buf, n);
	else
		snprintf(buf, n, "-");
}

static void print_calls(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	(void)d;
	xpt_fmt_count(((const struct xpt_top_function *)row)->row->calls, buf, n);
}

/* Prints the mean of the calls of the interval, or of all calls if there were none in the interval. */
static void print_mean(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct xpt_top_function *f = row;

	(void)d;
	if (f->calls)
		xpt_fmt_ns(f->time_ns / f->calls, buf, n);
	else if (f->row->calls)
		xpt_fmt_ns(f->row->time_ns / f->row->calls, buf, n);
}

static void print_errors(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	(void)d;
	xpt_top_fmt_rate((double)((const struct xpt_top_function *)row)->row->errors, buf, n);
}

static void print_bytes(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct xpt_top_function *f = row;

	if (f->bytes)
		xpt_top_fmt_bytes(xpt_top_rates__by_second(d->r, f->bytes), buf, n);
}

static void print_share(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	if (d->r->interval_ns)
		xpt_top_fmt_share(((const struct xpt_top_function *)row)->share, buf, n);
	else
		snprintf(buf, n, "-");
}

static void print_waiting(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct xpt_top_function *f = row;
	char age[16];

	(void)d;
	if (!f->row->waiting)
		return;
	xpt_top_fmt_age(f->row->oldest_ns, age, sizeof(age));
	if (f->row->waiting > 1)
		snprintf(buf, n, "%s (%" PRIu64 ")", age, f->row->waiting);
	else
		snprintf(buf, n, "%s", age);
}

static const struct xpt_top_column columns[] = {
	{ "FUNCTION", 0, 0, true, print_name },
	{ "DOMAIN", 8, 110, true, print_domain },
	{ "CLASS", 10, 100, true, print_class },
	{ "CALLS/s", 7, 0, false, print_rate },
	{ "CALLS", 9, 0, false, print_calls },
	{ "MEAN", 8, 0, false, print_mean },
	{ "SHARE", 5, 0, false, print_share },
	{ "BYTE/s", 6, 0, false, print_bytes },
	{ "FAILED", 6, 0, false, print_errors },
	{ "IN FLIGHT", 9, 0, true, print_waiting },
};

static enum xpt_top_look look_of(const struct xpt_top_draw *d, const void *row)
{
	const struct xpt_top_function *f = row;

	(void)d;
	return f->row->waiting && f->row->oldest_ns >= XPT_TOP_LONG_NS ? XPT_TOP_ALERT : XPT_TOP_PLAIN;
}

static const struct xpt_top_table table = { columns, sizeof(columns) / sizeof(columns[0]), look_of };

static const struct xpt_top_process *find_process(const struct xpt_top_draw *d)
{
	for (uint32_t i = 0; d->v->has_selection && i < d->r->nr_processes; i++)
		if (d->r->process[i].process.pid == d->v->pid && d->r->process[i].process.since_ns == d->v->since_ns)
			return &d->r->process[i];
	return NULL;
}

static void draw_process(struct xpt_top_draw *d, const struct xpt_top_process *p)
{
	char mem[16] = "", user[32] = "", calls[24], errors[24];

	if (p->process.uid != UINT32_MAX)
		snprintf(user, sizeof(user), "   user %s", d->v->user ? d->v->user(p->process.uid) : "");
	if (p->process.uid != UINT32_MAX && !d->v->user)
		snprintf(user, sizeof(user), "   user %" PRIu32, p->process.uid);
	if (p->memory != XPT_TOP_UNKNOWN)
		xpt_top_fmt_bytes((double)p->memory, mem, sizeof(mem));
	if (p->process.pid)
		xpt_top_draw__say(d, XPT_TOP_BOLD, "%s (%" PRIu32 ")%s%s%s%s%.12s%s", p->process.name, p->process.pid, user,
				  mem[0] ? "   memory " : "", mem, p->process.container[0] ? "   container " : "",
				  p->process.container, p->process.ended_ns ? "   has ended" : "");
	else
		xpt_top_draw__say(d, XPT_TOP_BOLD, "%s: processes that found no row of their own", p->process.name);
	xpt_top_draw__say(d, XPT_TOP_PLAIN, "calls %s   failed %s", xpt_fmt_count(p->all_calls, calls, sizeof(calls)),
			  xpt_fmt_count(p->all_errors, errors, sizeof(errors)));
	if (p->process.pid && d->page->height >= NOTE_HEIGHT)
		xpt_top_draw__say(d, XPT_TOP_DIM, "Memory by call site is not counted: `xputrace attach -p %" PRIu32
				  "` records it.", p->process.pid);
}

static uint32_t select_function(struct xpt_top_view *v, const struct xpt_top_function *const *list, uint32_t nr)
{
	uint32_t found = 0;

	while (found < nr && strcmp(list[found]->function->name, v->function))
		found++;
	found = xpt_top_draw__select(v, found, nr);
	if (nr)
		snprintf(v->function, sizeof(v->function), "%s", list[found]->function->name);
	return found;
}

void xpt_top_draw__functions(struct xpt_top_draw *d)
{
	const struct xpt_top_process *p = find_process(d);
	const struct xpt_top_function **list;
	uint32_t nr, selected;
	unsigned below;

	if (!p) {
		xpt_top_draw__say(d, XPT_TOP_PLAIN, "This process is not there any more (Esc goes back).");
		return;
	}
	draw_process(d, p);
	xpt_top_draw__head(d, &table);
	list = xpt_top_list__functions(d->v, d->r, p, &nr);
	selected = select_function(d->v, list, nr);
	below = nr ? xpt_top_durations__lines(d, list[selected]) : 0;
	if (nr)
		xpt_top_draw__rows(d, &table, (const void *const *)list, nr, selected, &d->v->top[XPT_TOP_FUNCTIONS], 1 + below);
	if (below)
		xpt_top_durations__draw(d, list[selected], p->process.pid);
	if (!nr)
		xpt_top_draw__say(d, XPT_TOP_PLAIN, "It has made no traced call; only a device tells of it.");
	free(list);
}
