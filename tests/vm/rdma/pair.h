/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two queue pairs of one device connected with each other, and what they need:
 * where healthy work and faults of libibverbs begin.
 */
#ifndef RDMA_PAIR_H
#define RDMA_PAIR_H

#include <infiniband/verbs.h>

#define PORT 1
#define GID 1	/* the IPv4 address; 0 is the link's */
#define PAIR_BYTES 8192

struct pair {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_comp_channel *channel;
	struct ibv_qp *qp[2];
	struct ibv_mr *mr;
	char *bytes;
	union ibv_gid gid;
};

extern int pair_calls;	/* of libibverbs so far, polls and posts left out */

struct ibv_context *pair_open_device(const char *name);
void pair_open(struct pair *p, const char *device);	/* queues are in RESET; ends the program if it fails */
int pair_to_init(struct pair *p, int which, int port);	/* 0 or the errno, as the next two */
int pair_to_rtr(struct pair *p, int which, int gid_index, const union ibv_gid *to);
int pair_to_rts(struct pair *p, int which);
int pair_transfer(struct pair *p);	/* 0, or why a transfer did not come: an errno */
void pair_close(struct pair *p);

#endif
