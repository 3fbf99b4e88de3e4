// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See nccl_fit.h. Programs log a failed call at once, with times of a second or finer; a time that another
 * program put on the line may be any later.
 */
#include <string.h>

#include "rdma/trace/job_log/nccl_fit.h"

#define EARLY_NS (-2000000000ll)	/* clocks are read at different moments, and seconds are cut off */
#define AT_ONCE_NS 2000000000ll
#define SOON_NS 60000000000ll

bool xpt_rdma_nccl__is_same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, ".");

	if (!*a || !*b)
		return true;
	if (a[n] && b[strcspn(b, ".")])
		return !strcasecmp(a, b);
	return n == strcspn(b, ".") && !strncasecmp(a, b, n);
}

enum xpt_rdma_nccl_who xpt_rdma_nccl__who(const struct xpt_rdma_log_form *f, const struct xpt_rdma_nccl_call *c)
{
	bool is_here = xpt_rdma_nccl__is_same_host(f->host, c->host);

	if (!f->pid && !f->tid)
		return is_here ? XPT_RDMA_SOMEBODY : XPT_RDMA_STRANGER;
	if (is_here && (!f->pid || f->pid == c->pid)) {
		if (f->tid && f->tid == c->tid)
			return XPT_RDMA_SAME_THREAD;
		if (f->pid)
			return f->tid ? XPT_RDMA_OTHER_THREAD : XPT_RDMA_SAME_PROCESS;
	}
	return c->in_container ? XPT_RDMA_INSIDE : XPT_RDMA_STRANGER;
}

bool xpt_rdma_nccl__is_about(const struct xpt_rdma_nccl_line *line, const struct xpt_rdma_nccl_call *c)
{
	const struct xpt_rdma_log_form *f = &line->form;

	return (c->verbs[line->verb / 64] >> (line->verb % 64) & 1) && (!f->code || f->code == c->code) &&
	       (!*f->state || !*c->state || !strcmp(f->state, c->state)) &&
	       (!f->syndrome || !c->syndrome || f->syndrome == c->syndrome);
}

bool xpt_rdma_nccl__has_time(const struct xpt_rdma_log_form *f)
{
	int64_t ns;

	return !f->when.is_outer && xpt_rdma_log_time__delay(&f->when, f->when.ns, &ns);
}

bool xpt_rdma_nccl__is_in_time(const struct xpt_rdma_log_form *f, const struct xpt_rdma_nccl_call *c,
			       enum xpt_rdma_nccl_window window, uint64_t *ret_ns)
{
	int64_t delay, last = window == XPT_RDMA_AT_ONCE ? AT_ONCE_NS : SOON_NS;

	*ret_ns = 0;
	if (f->when.clock == XPT_RDMA_NO_TIME || (f->when.is_outer && f->when.clock != XPT_RDMA_TIME_UTC) || !c->end_ns)
		return true;
	if (!xpt_rdma_log_time__delay(&f->when, c->end_ns, &delay))
		return false;
	*ret_ns = delay < 0 ? -(uint64_t)delay : (uint64_t)delay;
	return delay >= EARLY_NS && (f->when.is_outer || delay <= last);
}

bool xpt_rdma_nccl__are_alike(const struct xpt_rdma_nccl_call *a, const struct xpt_rdma_nccl_call *b)
{
	const char *x = a->cause ? a->cause : "", *y = b->cause ? b->cause : "";

	return a->code == b->code && !strcmp(x, y) && !strcmp(a->way, b->way);
}
