/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The RDMA modules that are loaded: ib_core, and modules that use it or ib_uverbs. Drivers come and go while their
 * calls are watched.
 */
#ifndef XPT_RDMA_GRAPH_LOADED_MODULES_H
#define XPT_RDMA_GRAPH_LOADED_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#define XPT_RDMA_MODULES 64

struct xpt_rdma_modules {
	unsigned nr;
	struct {
		char name[56];		/* MODULE_NAME_LEN of include/linux/module.h */
		uint64_t at;		/* its address, 0 without CAP_SYSLOG: loaded again, it has another */
	} v[XPT_RDMA_MODULES];
};

/*
 * Reads the text of /proc/modules; modules that are being loaded or removed are left out, and those beyond the
 * limit.
 */
void xpt_rdma_modules__parse(const char *text, struct xpt_rdma_modules *ret_m);
/* The same of this machine; nothing where it cannot be read. */
void xpt_rdma_modules__read(struct xpt_rdma_modules *ret_m);
bool xpt_rdma_modules__has(const struct xpt_rdma_modules *m, const char *name, uint64_t at);
/* Whether both are the same, in any order. */
bool xpt_rdma_modules__equal(const struct xpt_rdma_modules *a, const struct xpt_rdma_modules *b);

#endif
