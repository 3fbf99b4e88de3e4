// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which processes and functions are shown, and in which order. See draw.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "top/draw.h"

#define ENDED_NS 10000000000ull		/* a process is shown for so long after its end */

/* qsort_r(3) hands it to the comparing functions. */
struct order {
	enum xpt_top_sort by;
	bool reverse;
};

static int compare_numbers(double a, double b)	/* the larger one first */
{
	return a > b ? -1 : a < b;
}

static double rate_attention(const struct xpt_top_process *p)
{
	return p->waiting && p->oldest_ns >= XPT_TOP_LONG_NS ? (double)p->oldest_ns : 0;
}

/* Compares by the user's sort key; 0: they are equal in it. */
static int compare_by(enum xpt_top_sort by, const struct xpt_top_process *a, const struct xpt_top_process *b)
{
	int diff;

	switch (by) {
	case XPT_TOP_BY_ATTENTION:
		diff = compare_numbers(rate_attention(a), rate_attention(b));
		return diff ? diff : compare_numbers((double)a->calls, (double)b->calls);
	case XPT_TOP_BY_LAUNCHES:
		return compare_numbers((double)a->launches, (double)b->launches);
	case XPT_TOP_BY_COPIES:
		return compare_numbers((double)a->copied, (double)b->copied);
	case XPT_TOP_BY_WAIT:
		return compare_numbers(a->wait, b->wait);
	case XPT_TOP_BY_GPU:
		return compare_numbers(a->gpu, b->gpu);
	case XPT_TOP_BY_MEMORY:
		return compare_numbers(a->memory == XPT_TOP_UNKNOWN ? -1 : (double)a->memory,
				       b->memory == XPT_TOP_UNKNOWN ? -1 : (double)b->memory);
	case XPT_TOP_BY_ERRORS:
		return compare_numbers((double)a->errors, (double)b->errors);
	case XPT_TOP_BY_OLDEST:
		return compare_numbers((double)a->oldest_ns, (double)b->oldest_ns);
	case XPT_TOP_BY_NAME:
		return strcmp(a->process.name, b->process.name);
	case XPT_TOP_BY_PID:
		return 0;
	default:
		return compare_numbers((double)a->calls, (double)b->calls);
	}
}

/* The others come last, in every order; ended processes come before them. */
static int compare_processes(const void *x, const void *y, void *ctx)
{
	const struct xpt_top_process *a = *(const struct xpt_top_process *const *)x;
	const struct xpt_top_process *b = *(const struct xpt_top_process *const *)y;
	const struct order *o = ctx;
	int diff;

	if (!a->process.pid || !b->process.pid)
		return !a->process.pid - !b->process.pid;
	if (!a->process.ended_ns != !b->process.ended_ns)
		return a->process.ended_ns ? 1 : -1;
	diff = compare_by(o->by, a, b);
	if (!diff)
		diff = -compare_numbers(a->process.pid, b->process.pid);
	if (!diff)
		diff = -compare_numbers((double)a->process.since_ns, (double)b->process.since_ns);
	return o->reverse ? -diff : diff;
}

/* The filter is a part of the name, of the container or of a number, in any case of letters. */
static bool is_wanted(const struct xpt_top_view *v, const struct xpt_top_rates *r, const struct xpt_top_process *p)
{
	char pid[16];

	if (p->process.ended_ns && !p->calls && !p->errors && r->now->ts_ns > p->process.ended_ns + ENDED_NS)
		return false;
	if (!v->filter[0])
		return true;
	snprintf(pid, sizeof(pid), "%" PRIu32, p->process.pid);
	return strcasestr(p->process.name, v->filter) || strcasestr(p->process.container, v->filter) ||
	       strstr(pid, v->filter) ||
	       (v->user && p->process.uid != UINT32_MAX && strcasestr(v->user(p->process.uid), v->filter));
}

const struct xpt_top_process **xpt_top_list__processes(const struct xpt_top_view *v, const struct xpt_top_rates *r,
							uint32_t *ret_nr)
{
	struct order o = { v->sort[0], v->reverse[0] };
	const struct xpt_top_process **list = calloc(r->nr_processes + 1ul, sizeof(*list));

	*ret_nr = 0;
	for (uint32_t i = 0; list && i < r->nr_processes; i++)
		if (is_wanted(v, r, &r->process[i]))
			list[(*ret_nr)++] = &r->process[i];
	if (*ret_nr)
		qsort_r(list, *ret_nr, sizeof(*list), compare_processes, &o);
	return list;
}

/* Time by default: of calls that take it, then of those that are made most. */
static int compare_functions(const void *x, const void *y, void *ctx)
{
	const struct xpt_top_function *a = *(const struct xpt_top_function *const *)x;
	const struct xpt_top_function *b = *(const struct xpt_top_function *const *)y;
	const struct order *o = ctx;
	int diff = 0;

	if (o->by == XPT_TOP_BY_CALLS || o->by == XPT_TOP_BY_LAUNCHES)
		diff = compare_numbers((double)a->calls, (double)b->calls);
	else if (o->by == XPT_TOP_BY_COPIES)
		diff = compare_numbers((double)a->bytes, (double)b->bytes);
	else if (o->by == XPT_TOP_BY_ERRORS)
		diff = compare_numbers((double)a->errors, (double)b->errors);
	else if (o->by == XPT_TOP_BY_OLDEST)
		diff = compare_numbers((double)a->row->oldest_ns, (double)b->row->oldest_ns);
	else if (o->by == XPT_TOP_BY_NAME)
		diff = strcmp(a->function->name, b->function->name);
	else
		diff = compare_numbers(a->share, b->share);
	if (!diff)
		diff = compare_numbers((double)a->calls, (double)b->calls);
	if (!diff)
		diff = compare_numbers((double)a->row->calls, (double)b->row->calls);
	if (!diff)
		diff = strcmp(a->function->name, b->function->name);
	return o->reverse ? -diff : diff;
}

const struct xpt_top_function **xpt_top_list__functions(const struct xpt_top_view *v, const struct xpt_top_rates *r,
							 const struct xpt_top_process *p, uint32_t *ret_nr)
{
	struct order o = { v->sort[1], v->reverse[1] };
	const struct xpt_top_function **list = calloc(p->nr + 1ul, sizeof(*list));

	*ret_nr = 0;
	for (uint32_t i = 0; list && i < p->nr; i++)
		list[(*ret_nr)++] = &r->function[p->first + i];
	if (*ret_nr)
		qsort_r(list, *ret_nr, sizeof(*list), compare_functions, &o);
	return list;
}
