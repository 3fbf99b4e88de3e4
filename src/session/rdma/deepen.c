// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See deepen.h. The purpose is a failure that comes again soon: NCCL repeats a modify_qp that timed out for up
 * to a minute. Few functions come at once, whenever others were there.
 */
#include "session/rdma/deepen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "session/rdma/plans.h"

#define FAILURES 8
#define WHILE_NS 60000000000ull
#define PAUSE_NS 60000000000ull
#define WANTED_NS 30000000000ull	/* without a further failure; NCCL waits some seconds between attempts */
#define PAUSE_FEW_NS 5000000000ull	/* each time the symbols of the kernel are read; for other functions than before */

/*
 * Returns the function of the graph; XPT_RDMA_NONE: it is known by a pointer alone. Several may have the name of a
 * copied call's: then none is chosen.
 */
static uint32_t find_unprobed(const struct xpt_rdma_graph *g, const struct xpt_rdma_trace *t, uint32_t i)
{
	if (t->unprobed_fn)
		return t->unprobed_fn[i];
	return strcmp(t->unprobed[i], XPT_RDMA_BY_POINTER) ? xpt_rdma_graph__find_only(g, t->unprobed[i]) : XPT_RDMA_NONE;
}

/* Notes in which functions without a probe the error may have begun. */
static void want_few(struct xpt_rdma_deep *d, uint32_t root, const struct xpt_rdma_trace *t)
{
	uint32_t i, fn, n = 0;

	for (i = 0; i < t->nr_unprobed && n < XPT_RDMA_TRACE_UNPROBED; i++) {
		fn = find_unprobed(d->list->g, t, i);
		if (fn != XPT_RDMA_NONE)
			d->fns[n++] = fn;
	}
	if (!n)
		return;
	d->nr_fns = n;
	d->wanted = root + 1;
	d->wanted_ns = xpt_now_ns();
	snprintf(d->shape, sizeof(d->shape), "%s", t->shape);
}

bool xpt_rdma_deep__is(const struct xpt_rdma_deep *d, uint32_t root, uint64_t start_ns)
{
	return d->root == root + 1 && !d->is_few && start_ns >= d->since_ns;
}

bool xpt_rdma_deep__is_few(const struct xpt_rdma_deep *d, uint32_t root, const char *shape, uint64_t start_ns)
{
	return d->root == root + 1 && d->is_few && start_ns >= d->since_ns && !strcmp(d->shape, shape ? shape : "");
}

/* Whether few functions are wanted for such calls, and others would not go before. */
static bool is_wanted(const struct xpt_rdma_deep *d, uint32_t root, const char *shape)
{
	return d->wanted == root + 1 && d->nr_fns && !strcmp(d->shape, shape) && d->fns[0] != d->last_few;
}

void xpt_rdma_deep__failed(struct xpt_rdma_deep *d, uint32_t root, const struct xpt_rdma_trace *t, bool all)
{
	if (d->root && d->is_few && all) {
		d->left = 0;	/* a few functions give way to all those that the user wants */
	} else if (d->root == root + 1) {	/* calls of other shapes, and older ones, are not looked into */
		d->left -= d->left > 0 && t->flags & XPT_RDMA_TRACE_DEEP && (d->is_few || all);
	} else if (!d->root && all) {
		d->wanted = root + 1;
		d->wanted_ns = xpt_now_ns();
		d->nr_fns = 0;
	} else if (!d->root && is_wanted(d, root, t->shape)) {
		d->wanted_ns = xpt_now_ns();
	} else if (!d->root && (!d->wanted || (d->nr_fns && d->fns[0] == d->last_few))) {
		want_few(d, root, t);
	}
}

static const char *name_of(const struct xpt_rdma_deep *d, uint32_t root)
{
	return xpt_rdma_text(d->list->g, d->list->g->roots[root].name);
}

static void note_time(struct xpt_rdma_deep *d, uint64_t now_ns)
{
	if (!d->is_few) {
		d->next_ns = now_ns + PAUSE_NS;
		return;
	}
	d->few_ns = now_ns;
	d->last_few = d->fns[0];
}

static bool is_time(const struct xpt_rdma_deep *d, uint64_t now_ns)
{
	if (!d->nr_fns)
		return now_ns >= d->next_ns;
	return !d->few_ns || now_ns - d->few_ns >= (d->fns[0] == d->last_few ? PAUSE_NS : PAUSE_FEW_NS);
}

/* Adds all that lies below a method, or the few functions that are wanted. Returns how many. */
static uint32_t add_functions(struct xpt_rdma_deep *d, uint32_t root)
{
	struct xpt_rdma_limits limits = XPT_RDMA_DEEP_LIMITS(d->kernel_minor);
	struct xpt_rdma_plan *plan;
	uint32_t n;

	if (d->nr_fns)
		return xpt_rdma_watchlist__add_fns(d->list, d->fns, d->nr_fns);
	if (xpt_rdma_plan__make(d->list->g, root, &limits, &plan))
		return 0;
	n = xpt_rdma_watchlist__add(d->list, plan);
	xpt_rdma_plan__free(plan);
	return n;
}

static void go_deeper(struct xpt_rdma_deep *d, uint32_t root, uint64_t now_ns)
{
	uint32_t i, n;
	int err;

	d->is_few = d->nr_fns > 0;
	note_time(d, now_ns);
	d->nr = d->list->nr;
	n = add_functions(d, root);
	d->list->nr_stay = d->nr;
	d->list->more_ns = xpt_now_ns();	/* returns of an earlier generation are not taken any more */
	err = n ? xpt_rdma_watch__more(d->w, d->list->nr) : -ENOENT;
	if (err) {
		xpt_rdma_watchlist__cut(d->list, d->nr);
		d->list->nr_stay = 0;
		xpt_debug("%s: no further functions: %s", name_of(d, root), strerror(-err));
		return;
	}
	for (i = d->nr + 1; i <= d->list->nr; i++)
		d->hold[i] = xpt_rdma_watch__hold(d->w, i);
	d->root = root + 1;
	d->since_ns = xpt_now_ns();
	d->left = FAILURES;
	d->end_ns = now_ns + WHILE_NS;
	d->times++;
	xpt_info("%s failed: %u further functions are watched below it for a while",
		 name_of(d, root), n);
}

static void go_back(struct xpt_rdma_deep *d, uint64_t now_ns)
{
	uint32_t i;

	xpt_rdma_watch__less(d->w);
	xpt_rdma_watch__read(d->w);	/* records that were sent before, while ids still mean something */
	for (i = d->nr + 1; i <= d->list->nr; i++)
		d->hold[i] = NULL;
	xpt_rdma_watchlist__cut(d->list, d->nr);
	d->list->nr_stay = 0;
	d->root = d->wanted = 0;
	note_time(d, now_ns);
}

void xpt_rdma_deep__step(struct xpt_rdma_deep *d, uint64_t now_ns)
{
	uint32_t root = d->wanted;

	if (d->root && (!d->left || now_ns >= d->end_ns)) {
		go_back(d, now_ns);
	} else if (root && now_ns > d->wanted_ns + WANTED_NS) {	/* it did not come again */
		d->wanted = 0;
	} else if (!d->root && root && is_time(d, now_ns)) {
		d->wanted = 0;
		go_deeper(d, root - 1, now_ns);
	}
}
