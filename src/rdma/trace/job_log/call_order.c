// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See call_order.h. All calls of a boot get one offset between the clocks, that of its first call. */
#include <errno.h>

#include "base/hashmap.h"
#include "rdma/trace/job_log/call_order.h"

struct boot {			/* key; no padding */
	char machine[65], id[37], zero[2];
};

static int set_order(struct xpt_hashmap *offsets, struct xpt_rdma_nccl_call *c)
{
	struct boot boot = { .zero = { 0 } };
	uint64_t *offset;
	bool is_new;

	c->order_ns = c->wall_ns;
	if (!c->monotonic_ns || !*c->boot_id)
		return 0;
	snprintf(boot.machine, sizeof(boot.machine), "%s", c->machine);
	snprintf(boot.id, sizeof(boot.id), "%s", c->boot_id);
	offset = xpt_hashmap__get(offsets, &boot, &is_new);
	if (!offset)
		return -ENOMEM;
	if (is_new)
		*offset = c->wall_ns - c->monotonic_ns;
	c->order_ns = c->monotonic_ns + *offset;
	return 0;
}

int xpt_rdma_nccl__set_order(struct xpt_rdma_nccl *nccl)
{
	struct xpt_hashmap *offsets = NULL;	/* struct boot -> uint64_t */
	int err = xpt_hashmap__new(sizeof(struct boot), sizeof(uint64_t), XPT_RDMA_NCCL_CALLS, &offsets);
	unsigned i;

	for (i = 0; !err && i < nccl->nr_calls; i++)
		err = set_order(offsets, &nccl->call[i]);
	xpt_hashmap__free(offsets);
	return err;
}
