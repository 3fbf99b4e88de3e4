/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whose code an address of the running kernel lies in: functions of the call
 * graph's modules. A return address tells which function made the call.
 */
#ifndef XPT_RDMA_PLAN_OWNERS_H
#define XPT_RDMA_PLAN_OWNERS_H

#include <stdint.h>
#include "rdma/graph/graph.h"

struct xpt_rdma_owners;

/*
 * path: /proc/kallsyms, or a file of that form. -ENOENT: no module of the graph has an
 * address there, since they are hidden or another kernel runs; -ENOMEM; -errno of reading.
 */
int xpt_rdma_owners__new(const struct xpt_rdma_graph *g, const char *path,
			 struct xpt_rdma_owners **ret_o);
void xpt_rdma_owners__free(struct xpt_rdma_owners *o);	/* NULL is fine */
/*
 * from: the low half of a return address; the instruction before it is looked up. Kernel and modules are in the
 * last 2 GiB of addresses (Documentation/arch/x86/x86_64/mm.rst), so the low half is enough. Returns the index of a
 * function, or XPT_RDMA_NONE: in none of the modules, as trampolines of probes are, too.
 */
uint32_t xpt_rdma_owners__find(const struct xpt_rdma_owners *o, uint32_t from);

#endif
