/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queue pairs of an SPDK process, as its probes tell of them: the part of `xputrace
 * spdk record` that meets the kernel. Nothing of the rest of the engine is used.
 */
#ifndef XPT_ENGINE_RDMA_QPAIRS_H
#define XPT_ENGINE_RDMA_QPAIRS_H

#include <stdint.h>
#include "wire/qpair.h"

struct xpt_qpairs;
typedef void (*xpt_qpairs_fn)(void *ctx, const struct xpt_wire_qpair *q);

/*
 * Puts the programs on the probes, in whatever file of the process they are. 0;
 * -ENOENT: it has none of nvmf_poll_group_add_qpair, nvmf_poll_group_remove_qpair,
 * nvmf_ctrlr_add_qpair; -ESRCH: no such process; -EPERM and others of the kernel.
 */
int xpt_qpairs__open(int pid, xpt_qpairs_fn fn, void *ctx, struct xpt_qpairs **ret_q);
/* Waits at most that long and hands over the events that came. Returns 0 or -errno (-EINTR: a signal). */
int xpt_qpairs__poll(struct xpt_qpairs *q, int timeout_ms);
uint64_t xpt_qpairs__lost(const struct xpt_qpairs *q);	/* events without room in the ring */
void xpt_qpairs__close(struct xpt_qpairs *q);		/* NULL is fine */

#endif
