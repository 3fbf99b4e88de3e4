/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the inputs of the analysis, on this machine or in a copy of another one's files: modules, BTF of the
 * kernel, the lists of functions that can be traced and of all names. An input that is missing but not needed is
 * noted, not an error.
 */
#ifndef XPT_RDMA_GRAPH_INPUTS_H
#define XPT_RDMA_GRAPH_INPUTS_H

#include <stddef.h>
#include "rdma/graph/graph.h"

enum { XPT_RDMA_MAX_DRIVERS = 8, XPT_RDMA_WHY = 512 };

struct xpt_rdma_where {
	const char *root;	/* "" : this machine; else a directory in the place of / */
	const char *release;	/* NULL: the running kernel's; with root the only one there is */
	const char *const *drivers;	/* NULL-terminated; NULL: those that are loaded */
	bool no_driver;		/* none at all */
};

/*
 * Builds the graph of the kernel, which the caller frees.
 * On errors why (XPT_RDMA_WHY bytes) has a sentence for the user: -ENOENT no
 * such modules; -EINVAL no or several kernels below root; -ENOEXEC a damaged
 * module; -EOPNOTSUPP packed in a way that this build cannot read; -ESTALE a
 * loaded module is not the file on disk; -ENOMEM.
 */
int xpt_rdma_graph__load(const struct xpt_rdma_where *where, struct xpt_rdma_graph **ret_g,
			 char *why);

#endif
