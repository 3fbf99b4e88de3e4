/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which machine, and which boot of it, records are from: device names and process ids mean
 * something within one boot of one machine only.
 */
#ifndef XPT_RDMA_GRAPH_MACHINE_H
#define XPT_RDMA_GRAPH_MACHINE_H

#include "base/strbuf.h"

struct xpt_rdma_machine {
	char host[65];		/* as uname(2) has it */
	char boot_id[37];	/* of /proc/sys/kernel/random; "" if that cannot be read */
};

/* This one; asked once. Never NULL. */
const struct xpt_rdma_machine *xpt_rdma_machine(void);
/* Appends ,"host":"node7","boot_id":"..." to an object of JSON. */
void xpt_rdma_machine__print(const struct xpt_rdma_machine *m, struct xpt_strbuf *sb);

#endif
