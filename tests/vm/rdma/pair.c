// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See pair.h. A failure of what must not fail ends the program. */
#include "pair.h"
#include <poll.h>
#include "say.h"

int pair_calls;

struct ibv_context *pair_open_device(const char *name)
{
	struct ibv_context *ctx = NULL;
	struct ibv_device **list = ibv_get_device_list(NULL);

	must(list != NULL, "get_device_list");
	for (int i = 0; list[i] && !ctx; i++) {
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	}
	ibv_free_device_list(list);
	must(ctx != NULL, name);
	pair_calls++;
	return ctx;
}

void pair_open(struct pair *p, const char *device)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	memset(p, 0, sizeof(*p));
	p->ctx = pair_open_device(device);
	p->pd = ibv_alloc_pd(p->ctx);
	must(p->pd != NULL, "alloc_pd");
	p->channel = ibv_create_comp_channel(p->ctx);
	must(p->channel != NULL, "create_comp_channel");
	p->cq = ibv_create_cq(p->ctx, 32, NULL, p->channel, 0);
	must(p->cq != NULL, "create_cq");
	init.send_cq = init.recv_cq = p->cq;
	for (int i = 0; i < 2; i++) {
		p->qp[i] = ibv_create_qp(p->pd, &init);
		must(p->qp[i] != NULL, "create_qp");
	}
	p->bytes = aligned_alloc(4096, PAIR_BYTES);
	memset(p->bytes, 0, PAIR_BYTES);
	p->mr = ibv_reg_mr(p->pd, p->bytes, PAIR_BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	must(p->mr != NULL, "reg_mr");
	must(!ibv_query_gid(p->ctx, PORT, GID, &p->gid), "query_gid");
	pair_calls += 6;
}

int pair_to_init(struct pair *p, int which, int port)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = port, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};

	pair_calls++;
	return ibv_modify_qp(p->qp[which], &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

int pair_to_rtr(struct pair *p, int which, int gid_index, const union ibv_gid *to)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .rq_psn = 1,
		.dest_qp_num = p->qp[!which]->qp_num, .max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = PORT,
			     .grh = { .dgid = *to, .sgid_index = gid_index, .hop_limit = 4 } },
	};

	pair_calls++;
	return ibv_modify_qp(p->qp[which], &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

int pair_to_rts(struct pair *p, int which)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .sq_psn = 1, .max_rd_atomic = 1,
	};

	pair_calls++;
	return ibv_modify_qp(p->qp[which], &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			     IBV_QP_MAX_QP_RD_ATOMIC);
}

/* As many completions, all good; waits for each on the channel. */
static int completions(struct pair *p, int nr)
{
	struct ibv_wc wc;
	struct ibv_cq *cq;
	void *context;

	while (nr) {
		struct pollfd fd = { .fd = p->channel->fd, .events = POLLIN };
		int got = ibv_poll_cq(p->cq, 1, &wc);

		if (got < 0 || (got && wc.status != IBV_WC_SUCCESS))
			return EIO;
		nr -= got;
		if (got)
			continue;
		if (ibv_req_notify_cq(p->cq, 0))
			return errno;
		if (ibv_poll_cq(p->cq, 1, &wc) == 1) {
			nr--;
			continue;
		}
		if (poll(&fd, 1, 10000) != 1 || ibv_get_cq_event(p->channel, &cq, &context))
			return ETIMEDOUT;
		ibv_ack_cq_events(cq, 1);
	}
	return 0;
}

/* A message from one queue to the other, then a write to its memory. */
int pair_transfer(struct pair *p)
{
	char *half = p->bytes + PAIR_BYTES / 2;
	struct ibv_sge from = { .addr = (uintptr_t)p->bytes, .length = 1024, .lkey = p->mr->lkey };
	struct ibv_sge to = { .addr = (uintptr_t)half, .length = 1024, .lkey = p->mr->lkey };
	struct ibv_recv_wr recv = { .sg_list = &to, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr send = {
		.sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
	}, *bad_send;
	int err;

	memset(p->bytes, 'a' + pair_calls % 26, 1024);
	err = ibv_post_recv(p->qp[1], &recv, &bad_recv);
	err = err ? err : ibv_post_send(p->qp[0], &send, &bad_send);
	err = err ? err : completions(p, 2);
	if (err || memcmp(p->bytes, half, 1024))
		return err ? err : EBADMSG;
	send.opcode = IBV_WR_RDMA_WRITE;
	send.wr.rdma.remote_addr = (uintptr_t)half + 1024;
	send.wr.rdma.rkey = p->mr->rkey;
	err = ibv_post_send(p->qp[0], &send, &bad_send);
	err = err ? err : completions(p, 1);
	return err || !memcmp(p->bytes, half + 1024, 1024) ? err : EBADMSG;
}

void pair_close(struct pair *p)
{
	for (int i = 0; i < 2; i++)
		must(!ibv_destroy_qp(p->qp[i]), "destroy_qp");
	must(!ibv_dereg_mr(p->mr), "dereg_mr");
	must(!ibv_destroy_cq(p->cq), "destroy_cq");
	must(!ibv_destroy_comp_channel(p->channel), "destroy_comp_channel");
	must(!ibv_dealloc_pd(p->pd), "dealloc_pd");
	must(!ibv_close_device(p->ctx), "close_device");
	free(p->bytes);
	pair_calls += 7;
}
