/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs on libibverbs of fresh.tsv share. */
#ifndef RDMA_FRESH_H
#define RDMA_FRESH_H

#include <fcntl.h>
#include <grp.h>
#include <infiniband/verbs.h>
#include "say.h"

#define NOBODY 65534

static inline int refused(const void *object)
{
	return object ? 0 : errno;
}

static inline void become_nobody(void)
{
	must(!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY), "setuid");
}

static inline void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	must(fd >= 0 && write(fd, text, strlen(text)) > 0, path);
	close(fd);
}

static inline struct ibv_qp_init_attr qp_init(struct ibv_cq *cq)
{
	return (struct ibv_qp_init_attr){
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
}

#endif
