// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See moment.h. What is not known of one of two moments does not tell them apart. */
#include "rdma/trace/moment.h"

struct xpt_rdma_moment xpt_rdma_trace__moment(const struct xpt_rdma_trace *t)
{
	return (struct xpt_rdma_moment){
		.host = t->host, .boot_id = t->boot_id, .monotonic_ns = t->monotonic_ns, .wall_ns = t->wall_ns,
	};
}

static bool is_known(const char *s)
{
	return s && *s;
}

static bool do_differ(const char *a, const char *b)
{
	return is_known(a) && is_known(b) && strcmp(a, b) != 0;
}

bool xpt_rdma_moment__may_share_boot(const struct xpt_rdma_moment *a, const struct xpt_rdma_moment *b)
{
	return !do_differ(a->host, b->host) && !do_differ(a->boot_id, b->boot_id);
}

int64_t xpt_rdma_moment__since(const struct xpt_rdma_moment *a, const struct xpt_rdma_moment *b)
{
	bool is_one_boot = is_known(a->boot_id) && is_known(b->boot_id) && xpt_rdma_moment__may_share_boot(a, b);

	if (is_one_boot && a->monotonic_ns && b->monotonic_ns)
		return (int64_t)(a->monotonic_ns - b->monotonic_ns);
	return (int64_t)(a->wall_ns - b->wall_ns);
}
