/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events of the queue pairs of an SPDK process, from its USDT probes: the part of
 * `xputrace spdk record` that uses BPF. It uses nothing of the rest of the engine.
 */
#ifndef XPT_ENGINE_RDMA_QPAIRS_H
#define XPT_ENGINE_RDMA_QPAIRS_H

#include <stdint.h>
#include "wire/qpair.h"

struct xpt_qpairs;
typedef void (*xpt_qpairs_fn)(void *ctx, const struct xpt_wire_qpair *q);

/*
 * Attaches to the probes in all files that the process has mapped. Returns 0; -ENOENT if
 * nvmf_poll_group_add_qpair, nvmf_poll_group_remove_qpair or nvmf_ctrlr_add_qpair is
 * missing; -ESRCH if there is no such process; -EPERM or another error of the kernel.
 */
int xpt_qpairs__open(int pid, xpt_qpairs_fn fn, void *ctx, struct xpt_qpairs **ret_q);
/* Waits at most that long and hands over the events that came. Returns 0 or -errno (-EINTR: a signal). */
int xpt_qpairs__poll(struct xpt_qpairs *q, int timeout_ms);
uint64_t xpt_qpairs__lost(const struct xpt_qpairs *q);	/* events without room in the ring */
void xpt_qpairs__close(struct xpt_qpairs *q);		/* NULL is fine */

#endif
