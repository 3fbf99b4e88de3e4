// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rdma_deep.h. A failure that comes again soon is what this is for: NCCL
 * repeats a modify_qp that timed out for up to a minute.
 */
#include "session/rdma/deepen.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "session/rdma/plans.h"

#define FAILURES 8
#define WHILE_NS 60000000000ull
#define PAUSE_NS 60000000000ull

void xpt_rdma_deep__failed(struct xpt_rdma_deep *d, uint32_t root)
{
	if (!d->root)
		d->wanted = root + 1;
	else if (d->root == root + 1 && d->left)
		d->left--;
}

bool xpt_rdma_deep__is(const struct xpt_rdma_deep *d, uint32_t root)
{
	return d->root == root + 1;
}

static const char *name_of(const struct xpt_rdma_deep *d, uint32_t root)
{
	return xpt_rdma_text(d->list->g, d->list->g->roots[root].name);
}

static void more(struct xpt_rdma_deep *d, uint32_t root, uint64_t now_ns)
{
	struct xpt_rdma_limits limits = XPT_RDMA_DEEP_LIMITS(d->kernel_minor);
	struct xpt_rdma_plan *plan;
	uint32_t i, n;
	int err = xpt_rdma_plan__make(d->list->g, root, &limits, &plan);

	d->next_ns = now_ns + PAUSE_NS;
	if (err)
		return;
	d->nr = d->list->nr;
	n = xpt_rdma_watchlist__add(d->list, plan);
	xpt_rdma_plan__free(plan);
	err = n ? xpt_rdma_watch__more(d->w, d->list->nr) : -ENOENT;
	if (err) {
		xpt_rdma_watchlist__cut(d->list, d->nr);
		xpt_debug("%s: no further functions: %s", name_of(d, root), strerror(-err));
		return;
	}
	for (i = d->nr + 1; i <= d->list->nr; i++)
		d->hold[i] = xpt_rdma_watch__hold(d->w, i);
	d->root = root + 1;
	d->left = FAILURES;
	d->end_ns = now_ns + WHILE_NS;
	d->times++;
	xpt_info("%s failed: %u further functions are watched below it for a while",
		 name_of(d, root), n);
}

static void less(struct xpt_rdma_deep *d, uint64_t now_ns)
{
	uint32_t i;

	xpt_rdma_watch__less(d->w);
	xpt_rdma_watch__read(d->w);	/* what was sent before, while ids still mean something */
	for (i = d->nr + 1; i <= d->list->nr; i++)
		d->hold[i] = NULL;
	xpt_rdma_watchlist__cut(d->list, d->nr);
	d->root = d->wanted = 0;
	d->next_ns = now_ns + PAUSE_NS;
}

void xpt_rdma_deep__step(struct xpt_rdma_deep *d, uint64_t now_ns)
{
	uint32_t root = d->wanted;

	if (d->root && (!d->left || now_ns >= d->end_ns)) {
		less(d, now_ns);
	} else if (!d->root && root && now_ns >= d->next_ns) {
		d->wanted = 0;
		more(d, root - 1, now_ns);
	}
}
