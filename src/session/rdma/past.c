// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See past.h. A look is one read of /proc/modules. */
#include "session/rdma/past.h"

#include <stdio.h>
#include <string.h>

#define LOOK_NS 500000000ull

/* Modules that a driver brings along are loaded one after the other: a list that is the same twice is complete. */
bool xpt_rdma_past__has_changed(struct xpt_rdma_past *p, uint64_t now_ns)
{
	struct xpt_rdma_modules now;
	bool settled;

	if (now_ns < p->next_ns)
		return false;
	p->next_ns = now_ns + LOOK_NS;
	xpt_rdma_modules__read(&now);
	settled = xpt_rdma_modules__equal(&now, &p->seen);
	p->seen = now;
	return settled && !xpt_rdma_modules__equal(&now, &p->planned);
}

static size_t add_changes(const struct xpt_rdma_modules *from, const struct xpt_rdma_modules *to,
			  const char *how, char *buf, size_t n, size_t len)
{
	unsigned i;

	for (i = 0; i < to->nr && len < n; i++)
		if (!xpt_rdma_modules__has(from, to->v[i].name, to->v[i].at))
			len += (size_t)snprintf(buf + len, n - len, "%s%s was %s", len ? ", " : "",
						to->v[i].name, how);
	return len;
}

const char *xpt_rdma_past__changes(const struct xpt_rdma_past *p, char *buf, size_t n)
{
	buf[0] = '\0';
	add_changes(&p->planned, &p->seen, "loaded", buf, n,
		    add_changes(&p->seen, &p->planned, "removed", buf, n, 0));
	return buf;
}

void xpt_rdma_past__keep(struct xpt_rdma_past *p, const struct xpt_rdma_sums *s, const struct xpt_rdma_plans *plans)
{
	xpt_rdma_sums__free(&p->sums);
	p->sums = *s;
	p->has_sums = true;
	p->plans[p->nr++] = *plans;
}

int xpt_rdma_past__add(const struct xpt_rdma_past *p, struct xpt_rdma_sums *s)
{
	struct xpt_rdma_sums both;
	int err;

	s->nr_anew = p->nr;
	s->unwatched_ns = p->unwatched_ns;
	if (!p->has_sums)
		return 0;
	err = xpt_rdma_sums__merge(&p->sums, s, &both);
	if (err)
		return err;
	xpt_rdma_sums__free(s);
	*s = both;
	return 0;
}

void xpt_rdma_past__free(struct xpt_rdma_past *p)
{
	xpt_rdma_sums__free(&p->sums);
	while (p->nr)
		xpt_rdma_plans__free(&p->plans[--p->nr]);
}
