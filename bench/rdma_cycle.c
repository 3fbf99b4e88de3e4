// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What bench/rdma.sh measures: a queue pair goes through RESET, INIT, RTR and RTS,
 * and memory is registered and taken back, again and again. Prints the shortest of all
 * rounds in nanoseconds, which under QEMU's -icount shift=0 are instructions.
 */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 60
#define PORT 1
#define GID 1

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void modify(struct ibv_qp *qp, enum ibv_qp_state state, const union ibv_gid *gid)
{
	static const int mask[] = {
		[IBV_QPS_RESET] = IBV_QP_STATE,
		[IBV_QPS_INIT] = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		[IBV_QPS_RTR] = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		[IBV_QPS_RTS] = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
	};
	struct ibv_qp_attr a = {
		.qp_state = state, .port_num = PORT, .path_mtu = IBV_MTU_1024, .dest_qp_num = qp->qp_num,
		.max_dest_rd_atomic = 1, .max_rd_atomic = 1, .min_rnr_timer = 12, .timeout = 14,
		.retry_cnt = 7, .rnr_retry = 7,
		.ah_attr = { .is_global = 1, .port_num = PORT,
			     .grh = { .dgid = *gid, .sgid_index = GID, .hop_limit = 1 } },
	};

	must(!ibv_modify_qp(qp, &a, mask[state]), "modify_qp");
}

int main(void)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	struct ibv_context *ctx = devices && *devices ? ibv_open_device(*devices) : NULL;
	uint64_t best_qp = UINT64_MAX, best_mr = UINT64_MAX, t0, t;
	struct ibv_qp_init_attr init = { .cap = { 4, 4, 1, 1, 0 }, .qp_type = IBV_QPT_RC };
	char *buf = aligned_alloc(4096, 65536);
	union ibv_gid gid;
	struct ibv_qp *qp;
	struct ibv_pd *pd;

	must(ctx != NULL && buf != NULL, "device");
	memset(buf, 1, 65536);
	pd = ibv_alloc_pd(ctx);
	init.send_cq = init.recv_cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	qp = pd && init.send_cq ? ibv_create_qp(pd, &init) : NULL;
	must(qp != NULL && !ibv_query_gid(ctx, PORT, GID, &gid), "queue pair");
	for (int i = 0; i < ROUNDS; i++) {
		struct ibv_mr *mr;

		t0 = now();
		modify(qp, IBV_QPS_INIT, &gid);
		modify(qp, IBV_QPS_RTR, &gid);
		modify(qp, IBV_QPS_RTS, &gid);
		modify(qp, IBV_QPS_RESET, &gid);
		t = now() - t0;
		best_qp = t < best_qp ? t : best_qp;
		t0 = now();
		mr = ibv_reg_mr(pd, buf, 65536, IBV_ACCESS_LOCAL_WRITE);
		must(mr != NULL && !ibv_dereg_mr(mr), "reg_mr");
		t = now() - t0;
		best_mr = t < best_mr ? t : best_mr;
	}
	printf("%llu %llu\n", (unsigned long long)best_qp / 4, (unsigned long long)best_mr / 2);
	return 0;
}
