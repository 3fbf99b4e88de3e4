// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Mistakes of programs with every kind of object, limits and permissions, on
 * soft RoCE (rxe0): `rdma_untuned_verbs FAULT`. By libibverbs where it asks the
 * kernel, else by the kernel's interface. What has to be told: untuned.tsv.
 */
#include <rdma/rdma_user_rxe.h>
#include <sys/mman.h>
#include "pair.h"
#include "raw.h"
#include "say.h"

#define DEVICE "rxe0"
#define NO_HANDLE 4711

static struct pair opened(void)
{
	struct pair p;

	pair_open(&p, DEVICE);
	return p;
}

static int refused(const void *object)
{
	return object ? 0 : errno;
}

/* A queue pair of any type; @change makes it wrong. */
static struct ibv_qp *new_qp(struct pair *p, enum ibv_qp_type type, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr init = {
		.qp_type = type, .send_cq = p->cq, .recv_cq = p->cq, .srq = srq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return ibv_create_qp(p->pd, &init);
}

static struct ibv_srq *new_srq(struct pair *p, uint32_t max_wr)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = max_wr, .max_sge = 1 } };

	return ibv_create_srq(p->pd, &init);
}

/* Objects that others still use. */
static int pd_busy(void)
{
	struct pair p = opened();

	return say("r_pd_busy", "ibv_dealloc_pd", ibv_dealloc_pd(p.pd));
}

static int cq_busy(void)
{
	struct pair p = opened();

	return say("r_cq_busy", "ibv_destroy_cq", ibv_destroy_cq(p.cq));
}

static int srq_busy(void)
{
	struct pair p = opened();
	struct ibv_srq *srq = new_srq(&p, 16);

	must(srq && new_qp(&p, IBV_QPT_RC, srq), "create_qp");
	return say("r_srq_busy", "ibv_destroy_srq", ibv_destroy_srq(srq));
}

static const union ibv_gid group = { .raw = { 0xff, 0x0e, [15] = 9 } };

static int mcast_busy(void)
{
	struct pair p = opened();
	struct ibv_qp *qp = new_qp(&p, IBV_QPT_UD, NULL);

	must(qp && !ibv_attach_mcast(qp, &group, 0), "attach_mcast");
	return say("r_mcast_busy", "ibv_destroy_qp", ibv_destroy_qp(qp));
}

/* Completion queues. */
static int vector(void)
{
	struct ibv_context *ctx = pair_open_device(DEVICE);

	return say("r_vector", "ibv_create_cq", refused(ibv_create_cq(ctx, 8, NULL, NULL, 999)));
}

/* A channel of another context of the same process. */
static int channel(void)
{
	struct ibv_context *ctx = pair_open_device(DEVICE);
	struct ibv_comp_channel *c = ibv_create_comp_channel(pair_open_device(DEVICE));

	must(c != NULL, "create_comp_channel");
	return say("r_channel", "ibv_create_cq", refused(ibv_create_cq(ctx, 8, NULL, c, 0)));
}

static int resize(void)
{
	struct pair p = opened();

	return say("r_resize", "ibv_resize_cq", ibv_resize_cq(p.cq, 1 << 25));
}

/* Memory. */
static int mr_zero(void)
{
	struct pair p = opened();

	return say("r_mr_zero", "ibv_reg_mr", refused(ibv_reg_mr(p.pd, p.bytes, 0, 0)));
}

static int mr_wrap(void)
{
	struct pair p = opened();
	struct ib_uverbs_reg_mr in = {
		.start = -4096ull, .hca_va = -4096ull, .length = 8192, .pd_handle = p.pd->handle, .access_flags = 1,
	};
	struct ib_uverbs_reg_mr_resp out = { 0 };

	return say("r_mr_wrap", "reg_mr",
		   raw_command(p.ctx->cmd_fd, IB_USER_VERBS_CMD_REG_MR, &in, sizeof(in), &out, sizeof(out)));
}

static int readonly(void)
{
	struct pair p = opened();
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return say("r_readonly", "ibv_reg_mr", refused(ibv_reg_mr(p.pd, page, 4096, IBV_ACCESS_LOCAL_WRITE)));
}

static int iova(void)
{
	struct pair p = opened();

	return say("r_iova", "ibv_reg_mr_iova",
		   refused(ibv_reg_mr_iova(p.pd, p.bytes, 4096, (uintptr_t)p.bytes + 12, IBV_ACCESS_LOCAL_WRITE)));
}

static int odp(void)
{
	struct pair p = opened();

	return say("r_odp", "ibv_reg_mr", refused(ibv_reg_mr(p.pd, p.bytes, 4096, IBV_ACCESS_ON_DEMAND)));
}

static int flag(void)
{
	struct pair p = opened();

	return say("r_flag", "ibv_reg_mr", refused(ibv_reg_mr(p.pd, p.bytes, 4096, 1 << 18)));
}

static int rereg_with(const char *fault, uint32_t flags)
{
	struct pair p = opened();
	struct ib_uverbs_rereg_mr in = {
		.mr_handle = p.mr->handle, .flags = flags, .start = (uintptr_t)p.bytes, .length = 4096,
		.hca_va = (uintptr_t)p.bytes, .pd_handle = p.pd->handle, .access_flags = 1,
	};
	struct ib_uverbs_rereg_mr_resp out = { 0 };

	return say(fault, "rereg_mr",
		   raw_command(p.ctx->cmd_fd, IB_USER_VERBS_CMD_REREG_MR, &in, sizeof(in), &out, sizeof(out)));
}

static int rereg(void) { return rereg_with("r_rereg", IBV_REREG_MR_CHANGE_TRANSLATION); }
static int rereg_none(void) { return rereg_with("r_rereg_none", 0); }

static int mw_type(void)
{
	struct pair p = opened();
	struct ib_uverbs_alloc_mw in = { .pd_handle = p.pd->handle, .mw_type = 7 };
	struct ib_uverbs_alloc_mw_resp out = { 0 };

	return say("r_mw_type", "alloc_mw",
		   raw_command(p.ctx->cmd_fd, IB_USER_VERBS_CMD_ALLOC_MW, &in, sizeof(in), &out, sizeof(out)));
}

static int mw_handle(void)
{
	struct pair p = opened();
	struct ibv_mw *mw = ibv_alloc_mw(p.pd, IBV_MW_TYPE_1);

	must(mw != NULL, "alloc_mw");
	mw->handle = NO_HANDLE;
	return say("r_mw_handle", "ibv_dealloc_mw", ibv_dealloc_mw(mw));
}

/* A handle, but that of a completion queue. */
static int wrong_type(void)
{
	struct pair p = opened();

	p.pd->handle = p.cq->handle;
	return say("r_wrong_type", "ibv_reg_mr", refused(ibv_reg_mr(p.pd, p.bytes, 4096, IBV_ACCESS_LOCAL_WRITE)));
}

/* Shared receive queues. */
static int srq_large(void)
{
	struct pair p = opened();

	return say("r_srq_large", "ibv_create_srq", refused(new_srq(&p, 1 << 26)));
}

static int srq_limit(void)
{
	struct pair p = opened();
	struct ibv_srq *srq = new_srq(&p, 16);
	struct ibv_srq_attr attr = { .srq_limit = 5000 };

	must(srq != NULL, "create_srq");
	return say("r_srq_limit", "ibv_modify_srq", ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
}

/* One that matches tags. */
static int srq_type(void)
{
	struct pair p = opened();
	struct ib_uverbs_create_xsrq in = {
		.pd_handle = p.pd->handle, .max_wr = 16, .max_sge = 1, .srq_type = IBV_SRQT_TM, .max_num_tags = 4,
		.cq_handle = p.cq->handle,
	};
	struct {
		struct ib_uverbs_create_srq_resp resp;
		struct rxe_create_srq_resp driver;
	} out;

	return say("r_srq_type", "create_xsrq",
		   raw_command(p.ctx->cmd_fd, IB_USER_VERBS_CMD_CREATE_XSRQ, &in, sizeof(in), &out, sizeof(out)));
}

/* Queue pairs. */
static int raw_root(void)
{
	struct pair p = opened();

	return say("r_raw_root", "ibv_create_qp", refused(new_qp(&p, IBV_QPT_RAW_PACKET, NULL)));
}

static int qp_with(const char *fault, struct ibv_qp_cap cap)
{
	struct pair p = opened();
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .send_cq = p.cq, .recv_cq = p.cq, .cap = cap };

	return say(fault, "ibv_create_qp", refused(ibv_create_qp(p.pd, &init)));
}

/* As a program that knows what it wants, and gives up. */
static int too_much_inline(void)
{
	struct ibv_qp_cap cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_inline_data = 99999 };

	return qp_with("r_inline", cap);
}

/* As many as the driver allows: 2 GiB, in a machine of one. */
static int huge_queue(void)
{
	struct ibv_qp_cap cap = { .max_send_wr = 1 << 20, .max_recv_wr = 4, .max_send_sge = 32 };

	return qp_with("r_huge_queue", cap);
}

static int no_cq(void)
{
	struct pair p = opened();

	p.cq->handle = NO_HANDLE;
	return say("r_no_cq", "ibv_create_qp", refused(new_qp(&p, IBV_QPT_RC, NULL)));
}

/* The management queue pair is the kernel's. */
static int qp_flags_with(const char *fault, uint32_t type)
{
	struct pair p = opened();
	struct ib_uverbs_qp_cap cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 };
	struct ib_uverbs_qp_cap got;
	struct rxe_create_qp_resp driver;
	struct raw_method m = raw_method(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);
	uint32_t number;

	m.hdr.driver_id = RDMA_DRIVER_RXE;
	raw_in(&m, UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0);
	raw_in(&m, UVERBS_ATTR_CREATE_QP_PD_HANDLE, 0, p.pd->handle);
	raw_in(&m, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, 0, p.cq->handle);
	raw_in(&m, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, 0, p.cq->handle);
	raw_in(&m, UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, 0);
	raw_in(&m, UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap), (uintptr_t)&cap);
	raw_in(&m, UVERBS_ATTR_CREATE_QP_TYPE, 8, type);
	raw_in(&m, UVERBS_ATTR_CREATE_QP_FLAGS, 8, IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK);
	raw_in(&m, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(got), (uintptr_t)&got);
	raw_in(&m, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, sizeof(number), (uintptr_t)&number);
	raw_in(&m, UVERBS_ATTR_UHW_OUT, sizeof(driver), (uintptr_t)&driver);
	return say(fault, "create_qp", raw_call(p.ctx->cmd_fd, &m));
}

static int qp_flags(void) { return qp_flags_with("r_qp_flags", IB_UVERBS_QPT_UD); }
static int qp_flags_rc(void) { return qp_flags_with("r_qp_flags_rc", IB_UVERBS_QPT_RC); }

/* Changes of a queue pair's state. */
static struct pair at_init(void)
{
	struct pair p = opened();

	errno = pair_to_init(&p, 0, PORT);
	must(!errno, "modify_qp INIT");
	return p;
}

static struct pair at_rtr(void)
{
	struct pair p = at_init();

	errno = pair_to_rtr(&p, 0, GID, &p.gid);
	must(!errno, "modify_qp RTR");
	return p;
}

static int bad_state(void)
{
	struct pair p = opened();
	struct ibv_qp_attr attr = { .qp_state = 9 };

	return say("r_state", "ibv_modify_qp", ibv_modify_qp(p.qp[0], &attr, IBV_QP_STATE));
}

static int extra_mask(void)
{
	struct pair p = opened();
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = PORT };

	return say("r_extra_mask", "ibv_modify_qp",
		   ibv_modify_qp(p.qp[0], &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS |
						 IBV_QP_TIMEOUT));
}

static int qp_gone(void)
{
	struct pair p = opened();

	p.qp[0]->handle = NO_HANDLE;
	return say("r_qp_gone", "ibv_modify_qp", pair_to_init(&p, 0, PORT));
}

static struct ibv_qp_attr good_rtr(const struct pair *p)
{
	return (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .rq_psn = 1, .dest_qp_num = p->qp[1]->qp_num,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 12,
		.ah_attr = { .is_global = 1, .port_num = PORT,
			     .grh = { .dgid = p->gid, .sgid_index = GID, .hop_limit = 4 } },
	};
}

static int rtr_with(const char *fault, struct pair *p, struct ibv_qp_attr *attr, int more)
{
	return say(fault, "ibv_modify_qp",
		   ibv_modify_qp(p->qp[0], attr,
				 IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER | more));
}

static int mtu(void)
{
	struct pair p = at_init();
	struct ibv_qp_attr attr = good_rtr(&p);

	attr.path_mtu = 9;
	return rtr_with("r_mtu", &p, &attr, 0);
}

static int rtr_port(void)
{
	struct pair p = at_init();
	struct ibv_qp_attr attr = good_rtr(&p);

	attr.ah_attr.port_num = 2;
	return rtr_with("r_rtr_port", &p, &attr, 0);
}

static int no_grh(void)
{
	struct pair p = at_init();
	struct ibv_qp_attr attr = good_rtr(&p);

	attr.ah_attr.is_global = 0;
	return rtr_with("r_no_grh", &p, &attr, 0);
}

/* An alternate path, by a GID that is not there; by one that is, where soft RoCE has no such paths. */
static int alt_with(const char *fault, uint8_t gid_index)
{
	struct pair p = at_init();
	struct ibv_qp_attr attr = good_rtr(&p);

	attr.alt_ah_attr = attr.ah_attr;
	attr.alt_ah_attr.grh.sgid_index = gid_index;
	attr.alt_port_num = PORT;
	return rtr_with(fault, &p, &attr, IBV_QP_ALT_PATH);
}

static int alt_gid(void) { return alt_with("r_alt_gid", 99); }
static int alt_path(void) { return alt_with("r_alt_path", GID); }

static int rts_with(const char *fault, uint8_t timeout, uint8_t rd_atomic)
{
	struct pair p = at_rtr();
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .timeout = timeout, .retry_cnt = 7, .rnr_retry = 7, .sq_psn = 1,
		.max_rd_atomic = rd_atomic,
	};

	return say(fault, "ibv_modify_qp",
		   ibv_modify_qp(p.qp[0], &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
						 IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

static int timeout(void) { return rts_with("r_timeout", 40, 1); }
static int rd_atomic(void) { return rts_with("r_rd_atomic", 14, 200); }

/* Addresses and groups. */
static int ah_with(const char *fault, uint8_t port, uint8_t gid_index)
{
	struct pair p = opened();
	struct ib_uverbs_create_ah in = {
		.pd_handle = p.pd->handle,
		.attr = { .is_global = 1, .port_num = port, .grh = { .sgid_index = gid_index, .hop_limit = 4 } },
	};
	struct ib_uverbs_create_ah_resp out = { 0 };

	memcpy(in.attr.grh.dgid, p.gid.raw, sizeof(p.gid.raw));
	return say(fault, "create_ah",
		   raw_command(p.ctx->cmd_fd, IB_USER_VERBS_CMD_CREATE_AH, &in, sizeof(in), &out, sizeof(out)));
}

static int ah_port(void) { return ah_with("r_ah_port", 3, GID); }
static int ah_gid(void) { return ah_with("r_ah_gid", PORT, 77); }

static int mcast_rc(void)
{
	struct pair p = opened();

	return say("r_mcast_rc", "ibv_attach_mcast", ibv_attach_mcast(p.qp[0], &group, 0));
}

static int mcast_none(void)
{
	struct pair p = opened();

	return say("r_mcast_none", "ibv_detach_mcast", ibv_detach_mcast(new_qp(&p, IBV_QPT_UD, NULL), &group, 0));
}

/* What the driver does not have. */
static int xrcd(void)
{
	struct pair p = opened();
	struct ib_uverbs_open_xrcd in = { .fd = -1u, .oflags = O_CREAT };
	struct ib_uverbs_open_xrcd_resp out = { 0 };

	return say("r_xrcd", "open_xrcd",
		   raw_command(p.ctx->cmd_fd, IB_USER_VERBS_CMD_OPEN_XRCD, &in, sizeof(in), &out, sizeof(out)));
}

static int flow(void)
{
	struct pair p = opened();
	struct ib_uverbs_create_flow in = {
		.qp_handle = p.qp[0]->handle, .flow_attr = { .type = IBV_FLOW_ATTR_NORMAL, .port = PORT },
	};
	struct ib_uverbs_create_flow_resp out = { 0 };

	return say("r_flow", "create_flow", raw_command_ex(p.ctx->cmd_fd, IB_USER_VERBS_EX_CMD_CREATE_FLOW, &in,
							     sizeof(in), &out, sizeof(out)));
}

static int method_of(const char *fault, const char *call, uint16_t object, uint16_t method)
{
	struct pair p = opened();
	struct raw_method m = raw_method(object, method);

	m.hdr.driver_id = RDMA_DRIVER_RXE;
	return say(fault, call, raw_call(p.ctx->cmd_fd, &m));
}

static int device_memory(void)
{
	return method_of("r_dm", "alloc_dm", UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
}

static int counters(void)
{
	return method_of("r_counters", "create_counters", UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE);
}

/* Questions about ports that are not there. */
static int no_port(void)
{
	struct ibv_context *ctx = pair_open_device(DEVICE);
	struct ib_uverbs_query_port in = { .port_num = 5 };
	struct ib_uverbs_query_port_resp out = { 0 };

	return say("r_no_port", "query_port",
		   raw_command(ctx->cmd_fd, IB_USER_VERBS_CMD_QUERY_PORT, &in, sizeof(in), &out, sizeof(out)));
}

static int gid_port(void)
{
	struct ibv_context *ctx = pair_open_device(DEVICE);
	struct ib_uverbs_gid_entry entry;
	struct raw_method m = raw_method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY);

	m.hdr.driver_id = RDMA_DRIVER_RXE;
	raw_in(&m, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, sizeof(uint64_t), 9);	/* UVERBS_ATTR_CONST_IN */
	raw_in(&m, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, sizeof(uint64_t), 0);
	raw_in(&m, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, sizeof(uint32_t), 0);
	raw_in(&m, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, sizeof(entry), (uintptr_t)&entry);
	return say("r_gid_port", "query_gid_ex", raw_call(ctx->cmd_fd, &m));
}

static int bad_page(void)
{
	struct pair p = opened();
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, p.ctx->cmd_fd, 0x7f000000);

	return say("r_mmap", "mmap", at == MAP_FAILED ? errno : 0);
}

static const struct fault faults[] = {
	{ "r_pd_busy", pd_busy }, { "r_cq_busy", cq_busy }, { "r_srq_busy", srq_busy }, { "r_mcast_busy", mcast_busy },
	{ "r_vector", vector }, { "r_channel", channel }, { "r_resize", resize }, { "r_mr_zero", mr_zero },
	{ "r_mr_wrap", mr_wrap }, { "r_readonly", readonly }, { "r_iova", iova }, { "r_odp", odp }, { "r_flag", flag },
	{ "r_rereg", rereg }, { "r_rereg_none", rereg_none }, { "r_mw_type", mw_type }, { "r_mw_handle", mw_handle },
	{ "r_wrong_type", wrong_type }, { "r_srq_large", srq_large }, { "r_srq_limit", srq_limit },
	{ "r_srq_type", srq_type }, { "r_raw_root", raw_root }, { "r_inline", too_much_inline },
	{ "r_huge_queue", huge_queue }, { "r_no_cq", no_cq }, { "r_qp_flags", qp_flags },
	{ "r_qp_flags_rc", qp_flags_rc }, { "r_state", bad_state }, { "r_extra_mask", extra_mask },
	{ "r_qp_gone", qp_gone }, { "r_mtu", mtu }, { "r_rtr_port", rtr_port }, { "r_no_grh", no_grh },
	{ "r_alt_gid", alt_gid }, { "r_alt_path", alt_path }, { "r_timeout", timeout }, { "r_rd_atomic", rd_atomic },
	{ "r_ah_port", ah_port }, { "r_ah_gid", ah_gid }, { "r_mcast_rc", mcast_rc }, { "r_mcast_none", mcast_none },
	{ "r_xrcd", xrcd }, { "r_flow", flow }, { "r_dm", device_memory },
	{ "r_counters", counters }, { "r_no_port", no_port }, { "r_gid_port", gid_port }, { "r_mmap", bad_page },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	return run_fault(faults, argc, argv);
}
