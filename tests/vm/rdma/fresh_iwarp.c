// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Mistakes of programs on soft iWARP (siw0): `rdma_fresh_iwarp FAULT`. What has to be
 * told: fresh.tsv.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include "fresh.h"
#include "pair.h"
#include "raw.h"

#define IWARP "siw0"
#define PAGE 4096ul

struct iwarp {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
};

static struct iwarp iwarp(void)
{
	struct iwarp w = { .ctx = pair_open_device(IWARP) };

	w.pd = ibv_alloc_pd(w.ctx);
	w.cq = ibv_create_cq(w.ctx, 8, NULL, NULL, 0);
	must(w.pd && w.cq, "create_cq");
	return w;
}

static int iwarp_qp(const char *fault, enum ibv_qp_type type, struct ibv_qp_cap cap)
{
	struct iwarp w = iwarp();
	struct ibv_qp_init_attr init = qp_init(w.cq);

	must(ibv_create_qp(w.pd, &init) != NULL, "create_qp");
	init.qp_type = type;
	init.cap = cap;
	return say(fault, "ibv_create_qp", refused(ibv_create_qp(w.pd, &init)));
}

static const struct ibv_qp_cap few = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 };

static int iwarp_type(void) { return iwarp_qp("s_type", IBV_QPT_UD, few); }

static int iwarp_sge(void)
{
	struct ibv_qp_cap cap = few;

	cap.max_send_sge = 500;
	return iwarp_qp("s_sge", IBV_QPT_RC, cap);
}

static int iwarp_no_send(void)
{
	struct ibv_qp_cap cap = few;

	cap.max_send_wr = 0;
	return iwarp_qp("s_no_send", IBV_QPT_RC, cap);
}

static int iwarp_mr(const char *fault, char *at, size_t n)
{
	struct iwarp w = iwarp();
	static char good[8192];

	must(ibv_reg_mr(w.pd, good, PAGE, IBV_ACCESS_LOCAL_WRITE) != NULL, "reg_mr");
	return say(fault, "ibv_reg_mr", refused(ibv_reg_mr(w.pd, at, n, IBV_ACCESS_LOCAL_WRITE)));
}

static int iwarp_empty(void) { return iwarp_mr("s_empty", aligned_alloc(PAGE, PAGE), 0); }
static int iwarp_unmapped(void) { return iwarp_mr("s_unmapped", (char *)(uintptr_t)0x7000000000, PAGE); }

static int iwarp_lock(void)
{
	struct rlimit limit = { .rlim_cur = 65536, .rlim_max = 65536 };
	struct iwarp w = iwarp();
	char *p = aligned_alloc(PAGE, 1 << 20);

	memset(p, 1, 1 << 20);
	must(!setrlimit(RLIMIT_MEMLOCK, &limit), "setrlimit");
	become_nobody();
	return say("s_lock", "ibv_reg_mr", refused(ibv_reg_mr(w.pd, p, 1 << 20, IBV_ACCESS_LOCAL_WRITE)));
}

static int iwarp_srq(void)
{
	struct iwarp w = iwarp();
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 16, .max_sge = 1, .srq_limit = 40 } };

	return say("s_srq_limit", "ibv_create_srq", refused(ibv_create_srq(w.pd, &init)));
}

static int iwarp_cq(void)
{
	struct iwarp w = iwarp();

	return say("s_cq_large", "ibv_create_cq", refused(ibv_create_cq(w.ctx, 1 << 28, NULL, NULL, 0)));
}

/* Its queue pairs are connected by the connection manager alone. */
static int iwarp_rts(void)
{
	struct iwarp w = iwarp();
	struct ibv_qp_init_attr init = qp_init(w.cq);
	struct ib_uverbs_modify_qp in = { .attr_mask = IBV_QP_STATE, .qp_state = IBV_QPS_RTS };
	struct ibv_qp *qp = ibv_create_qp(w.pd, &init);

	must(qp != NULL, "create_qp");
	in.qp_handle = qp->handle;
	return say("s_rts", "modify_qp",
		   raw_command(w.ctx->cmd_fd, IB_USER_VERBS_CMD_MODIFY_QP, &in, sizeof(in), NULL, 0));
}

static int iwarp_window(void)
{
	struct iwarp w = iwarp();
	struct ib_uverbs_alloc_mw in = { .pd_handle = w.pd->handle, .mw_type = 1 };
	struct ib_uverbs_alloc_mw_resp out;

	return say("s_window", "alloc_mw",
		   raw_command(w.ctx->cmd_fd, IB_USER_VERBS_CMD_ALLOC_MW, &in, sizeof(in), &out, sizeof(out)));
}

static int iwarp_map(void)
{
	struct iwarp w = iwarp();
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, w.ctx->cmd_fd, 4711 * PAGE);

	return say("s_map", "mmap", at == MAP_FAILED ? errno : 0);
}

static const struct fault faults[] = {
	{ "s_type", iwarp_type }, { "s_sge", iwarp_sge }, { "s_no_send", iwarp_no_send }, { "s_empty", iwarp_empty },
	{ "s_unmapped", iwarp_unmapped }, { "s_lock", iwarp_lock }, { "s_srq_limit", iwarp_srq },
	{ "s_cq_large", iwarp_cq }, { "s_rts", iwarp_rts }, { "s_window", iwarp_window }, { "s_map", iwarp_map },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_fault(faults, argc, argv);
}
