// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The panel of processes: GPUs, sums, and a row for each process. See draw.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "model/memory/ledger.h"
#include "top/draw.h"

#define GPU_LINES 2			/* on a screen of 24 lines; a line more for each 8 lines more */

/* --- columns ------------------------------------------------------------------------------------------- */

static void print_pid(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct xpt_top_process *p = row;

	(void)d;
	if (p->process.pid)
		snprintf(buf, n, "%" PRIu32, p->process.pid);
}

static void print_user(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct xpt_top_process *p = row;

	if (p->process.uid == UINT32_MAX)
		return;
	if (d->v->user)
		snprintf(buf, n, "%s", d->v->user(p->process.uid));
	else
		snprintf(buf, n, "%" PRIu32, p->process.uid);
}

static void print_name(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	(void)d;
	snprintf(buf, n, "%s", ((const struct xpt_top_process *)row)->process.name);
}

static void print_rate(const struct xpt_top_draw *d, uint64_t v, char *buf, size_t n)
{
	if (d->r->interval_ns)
		xpt_top_fmt_rate(xpt_top_rates__by_second(d->r, v), buf, n);
	else
		snprintf(buf, n, "-");
}

static void print_calls(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	print_rate(d, ((const struct xpt_top_process *)row)->calls, buf, n);
}

static void print_launches(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	print_rate(d, ((const struct xpt_top_process *)row)->launches, buf, n);
}

static void print_errors(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	print_rate(d, ((const struct xpt_top_process *)row)->errors, buf, n);
}

static void print_copied(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	if (d->r->interval_ns)
		xpt_top_fmt_bytes(xpt_top_rates__by_second(d->r, ((const struct xpt_top_process *)row)->copied), buf, n);
	else
		snprintf(buf, n, "-");
}

static void print_wait(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	if (d->r->interval_ns)
		xpt_top_fmt_share(((const struct xpt_top_process *)row)->wait, buf, n);
	else
		snprintf(buf, n, "-");
}

static void print_gpu(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct xpt_top_process *p = row;

	(void)d;
	if (p->gpu < 0)
		snprintf(buf, n, "-");
	else
		xpt_top_fmt_share(p->gpu, buf, n);
}

static void print_memory(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct xpt_top_process *p = row;

	(void)d;
	if (p->memory == XPT_TOP_UNKNOWN)
		snprintf(buf, n, "-");
	else
		xpt_top_fmt_bytes((double)p->memory, buf, n);
}

/* Prints the open memory of all kinds. */
static void print_open(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct xpt_snapshot_process *p = &((const struct xpt_top_process *)row)->process;
	double sum = 0;

	(void)d;
	for (unsigned kind = 0; kind < XPT_KIND__MAX; kind++)
		sum += xpt_kind_is_memory(kind) ? (double)p->open[kind] : 0;
	if (p->open_kinds && !p->ended_ns)
		xpt_top_fmt_bytes(sum, buf, n);
	else
		snprintf(buf, n, "-");
}

static void print_container(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	(void)d;
	snprintf(buf, n, "%.12s", ((const struct xpt_top_process *)row)->process.container);
}

static void print_oldest(const struct xpt_top_draw *d, const void *row, char *buf, size_t n)
{
	const struct xpt_top_process *p = row;
	char age[16];

	(void)d;
	if (p->process.ended_ns) {
		snprintf(buf, n, "(ended)");
		return;
	}
	if (!p->waiting || !p->oldest)
		return;
	xpt_top_fmt_age(p->oldest_ns, age, sizeof(age));
	if (p->waiting > 1)
		snprintf(buf, n, "%s %s and %" PRIu64 " more", age, p->oldest->name, p->waiting - 1);
	else
		snprintf(buf, n, "%s %s", age, p->oldest->name);
}

static const struct xpt_top_column columns[] = {
	{ "PID", 7, 0, false, print_pid },
	{ "USER", 10, 100, true, print_user },
	{ "NAME", 12, 0, true, print_name },
	{ "CALLS/s", 7, 0, false, print_calls },
	{ "LNCH/s", 6, 0, false, print_launches },
	{ "COPY/s", 6, 0, false, print_copied },
	{ "WAIT", 5, 0, false, print_wait },
	{ "GPU", 4, 0, false, print_gpu },
	{ "MEM", 5, 0, false, print_memory },
	{ "ALLOC", 5, 100, false, print_open },
	{ "ERR/s", 5, 0, false, print_errors },
	{ "CONTAINER", 12, 140, true, print_container },
	{ "IN FLIGHT", 0, 0, true, print_oldest },
};

static enum xpt_top_look look_of(const struct xpt_top_draw *d, const void *row)
{
	const struct xpt_top_process *p = row;

	(void)d;
	if (p->process.ended_ns)
		return XPT_TOP_DIM;
	return p->waiting && p->oldest_ns >= XPT_TOP_LONG_NS ? XPT_TOP_ALERT : XPT_TOP_PLAIN;
}

static const struct xpt_top_table table = { columns, sizeof(columns) / sizeof(columns[0]), look_of };

/* --- sums --------------------------------------------------------------------------------------------------- */

static void draw_sums(struct xpt_top_draw *d)
{
	uint64_t calls = 0, launches = 0, copied = 0, errors = 0, waiting = 0, oldest_ns = 0;
	char c[16], l[16], b[16], e[16], age[16], more[64] = "";

	for (uint32_t i = 0; i < d->r->nr_processes; i++) {
		const struct xpt_top_process *p = &d->r->process[i];

		calls += p->calls;
		launches += p->launches;
		copied += p->copied;
		errors += p->errors;
		waiting += p->waiting;
		oldest_ns = p->oldest_ns > oldest_ns ? p->oldest_ns : oldest_ns;
	}
	print_rate(d, calls, c, sizeof(c));
	print_rate(d, launches, l, sizeof(l));
	print_rate(d, errors, e, sizeof(e));
	xpt_top_fmt_bytes(xpt_top_rates__by_second(d->r, copied), b, sizeof(b));
	xpt_top_fmt_age(oldest_ns, age, sizeof(age));
	if (waiting)
		snprintf(more, sizeof(more), "  in flight %" PRIu64 " (%s)", waiting, age);
	xpt_top_draw__say(d, XPT_TOP_PLAIN, "calls %s/s  launches %s/s  copied %s/s  errors %s/s%s", c, l, b, e, more);
}

static void say_nothing(struct xpt_top_draw *d)
{
	xpt_top_draw__line(d, XPT_TOP_PLAIN);
	if (d->v->filter[0] && d->r->nr_processes)
		xpt_top_draw__say(d, XPT_TOP_PLAIN, "No process matches the filter '%s' (Esc clears it).", d->v->filter);
	else
		xpt_top_draw__say(d, XPT_TOP_PLAIN, "%s", d->v->nothing ? d->v->nothing :
				  "No process has made a traced call yet.");
}

static void say_left_out(struct xpt_top_draw *d)
{
	if (d->r->now->left_out)
		xpt_top_draw__say(d, XPT_TOP_ALERT, "%" PRIu64 " counts and readings found no room and are not shown",
				  d->r->now->left_out);
}

/* --- the panel ------------------------------------------------------------------------------------------------- */

static uint32_t select_process(struct xpt_top_view *v, const struct xpt_top_process *const *list, uint32_t nr)
{
	uint32_t found = 0;

	while (found < nr && (!v->has_selection || list[found]->process.pid != v->pid ||
			      list[found]->process.since_ns != v->since_ns))
		found++;
	found = xpt_top_draw__select(v, found, nr);
	v->has_selection = nr > 0;
	if (nr) {
		v->pid = list[found]->process.pid;
		v->since_ns = list[found]->process.since_ns;
	}
	return found;
}

void xpt_top_draw__processes(struct xpt_top_draw *d)
{
	unsigned height = d->page->height, gpus = height > 24 ? GPU_LINES + (height - 24) / 8 : height ? GPU_LINES : ~0u;
	const struct xpt_top_process **list;
	uint32_t nr, selected;

	xpt_top_draw__gpus(d, gpus);
	draw_sums(d);
	say_left_out(d);
	if (d->v->filter[0] && !d->v->typing)
		xpt_top_draw__say(d, XPT_TOP_BOLD, "Filter: %s", d->v->filter);
	xpt_top_draw__head(d, &table);
	list = xpt_top_list__processes(d->v, d->r, &nr);
	selected = select_process(d->v, list, nr);
	if (nr)
		xpt_top_draw__rows(d, &table, (const void *const *)list, nr, selected, &d->v->top[XPT_TOP_PROCESSES], 1);
	else
		say_nothing(d);
	free(list);
}
