/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/verb_names.h against the public headers, constant by constant; and
 * rdma/plan/expected_errors.h: what is normal below one method is an error below another.
 */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include "rdma/plan/expected_errors.h"
#include "rdma/trace/job_log/log_event.h"
#include "rdma/trace/verb_names.h"

#define IS(which, prefix, name) \
	assert_string_equal(xpt_rdma_name(XPT_RDMA_##which, prefix##name), #name)
/* The name is not that of the header: the second one is. */
#define IS2(which, value, name) assert_string_equal(xpt_rdma_name(XPT_RDMA_##which, value), name)

static void test_states_and_types(void **state)
{
	(void)state;
	IS(QP_STATES, IBV_QPS_, RESET);
	IS(QP_STATES, IBV_QPS_, INIT);
	IS(QP_STATES, IBV_QPS_, RTR);
	IS(QP_STATES, IBV_QPS_, RTS);
	IS(QP_STATES, IBV_QPS_, SQD);
	IS(QP_STATES, IBV_QPS_, SQE);
	IS(QP_STATES, IBV_QPS_, ERR);
	assert_null(xpt_rdma_name(XPT_RDMA_QP_STATES, 7));
	IS(QP_TYPES, IBV_QPT_, RC);
	IS(QP_TYPES, IBV_QPT_, UC);
	IS(QP_TYPES, IBV_QPT_, UD);
	IS(QP_TYPES, IBV_QPT_, RAW_PACKET);
	IS2(QP_TYPES, IBV_QPT_XRC_SEND, "XRC_INI");
	IS2(QP_TYPES, IBV_QPT_XRC_RECV, "XRC_TGT");
	IS(QP_TYPES, IBV_QPT_, DRIVER);
	assert_null(xpt_rdma_name(XPT_RDMA_QP_TYPES, 5));
	assert_null(xpt_rdma_name(XPT_RDMA_QP_TYPES, 256));
	assert_null(xpt_rdma_name(XPT_RDMA_NR_NAMES, 0));
}

static void test_events(void **state)
{
	(void)state;
	IS(EVENTS, IBV_EVENT_, CQ_ERR);
	IS(EVENTS, IBV_EVENT_, QP_FATAL);
	IS(EVENTS, IBV_EVENT_, QP_REQ_ERR);
	IS(EVENTS, IBV_EVENT_, QP_ACCESS_ERR);
	IS(EVENTS, IBV_EVENT_, COMM_EST);
	IS(EVENTS, IBV_EVENT_, SQ_DRAINED);
	IS(EVENTS, IBV_EVENT_, PATH_MIG);
	IS(EVENTS, IBV_EVENT_, PATH_MIG_ERR);
	IS(EVENTS, IBV_EVENT_, DEVICE_FATAL);
	IS(EVENTS, IBV_EVENT_, PORT_ACTIVE);
	IS(EVENTS, IBV_EVENT_, PORT_ERR);
	IS(EVENTS, IBV_EVENT_, LID_CHANGE);
	IS(EVENTS, IBV_EVENT_, PKEY_CHANGE);
	IS(EVENTS, IBV_EVENT_, SM_CHANGE);
	IS(EVENTS, IBV_EVENT_, SRQ_ERR);
	IS(EVENTS, IBV_EVENT_, SRQ_LIMIT_REACHED);
	IS(EVENTS, IBV_EVENT_, QP_LAST_WQE_REACHED);
	IS(EVENTS, IBV_EVENT_, CLIENT_REREGISTER);
	IS(EVENTS, IBV_EVENT_, GID_CHANGE);
	IS(EVENTS, IBV_EVENT_, WQ_FATAL);
}

static void bit(enum xpt_rdma_names which, uint32_t value, const char *name)
{
	char buf[64];

	assert_string_equal(xpt_rdma_bits(which, value, buf, sizeof(buf)), name);
}

#define BIT(which, prefix, name) bit(XPT_RDMA_##which, prefix##name, #name)

static void test_bits(void **state)
{
	char buf[16];

	(void)state;
	BIT(QP_MASK, IBV_QP_, STATE);
	BIT(QP_MASK, IBV_QP_, CUR_STATE);
	BIT(QP_MASK, IBV_QP_, EN_SQD_ASYNC_NOTIFY);
	BIT(QP_MASK, IBV_QP_, ACCESS_FLAGS);
	BIT(QP_MASK, IBV_QP_, PKEY_INDEX);
	BIT(QP_MASK, IBV_QP_, PORT);
	BIT(QP_MASK, IBV_QP_, QKEY);
	BIT(QP_MASK, IBV_QP_, AV);
	BIT(QP_MASK, IBV_QP_, PATH_MTU);
	BIT(QP_MASK, IBV_QP_, TIMEOUT);
	BIT(QP_MASK, IBV_QP_, RETRY_CNT);
	BIT(QP_MASK, IBV_QP_, RNR_RETRY);
	BIT(QP_MASK, IBV_QP_, RQ_PSN);
	BIT(QP_MASK, IBV_QP_, MAX_QP_RD_ATOMIC);
	BIT(QP_MASK, IBV_QP_, ALT_PATH);
	BIT(QP_MASK, IBV_QP_, MIN_RNR_TIMER);
	BIT(QP_MASK, IBV_QP_, SQ_PSN);
	BIT(QP_MASK, IBV_QP_, MAX_DEST_RD_ATOMIC);
	BIT(QP_MASK, IBV_QP_, PATH_MIG_STATE);
	BIT(QP_MASK, IBV_QP_, CAP);
	BIT(QP_MASK, IBV_QP_, RATE_LIMIT);
	bit(XPT_RDMA_QP_MASK, IBV_QP_DEST_QPN, "DEST_QPN");
	BIT(ACCESS, IBV_ACCESS_, LOCAL_WRITE);
	BIT(ACCESS, IBV_ACCESS_, REMOTE_WRITE);
	BIT(ACCESS, IBV_ACCESS_, REMOTE_READ);
	BIT(ACCESS, IBV_ACCESS_, REMOTE_ATOMIC);
	BIT(ACCESS, IBV_ACCESS_, MW_BIND);
	BIT(ACCESS, IBV_ACCESS_, ZERO_BASED);
	BIT(ACCESS, IBV_ACCESS_, ON_DEMAND);
	BIT(ACCESS, IBV_ACCESS_, HUGETLB);
	BIT(ACCESS, IBV_ACCESS_, RELAXED_ORDERING);
	bit(XPT_RDMA_QP_MASK, 0, "0");
	bit(XPT_RDMA_QP_MASK, 0x31, "STATE|PKEY_INDEX|PORT");
	bit(XPT_RDMA_QP_MASK, 0xc0000001, "STATE|0xc0000000");
	bit(XPT_RDMA_QP_MASK, 0x80000000, "0x80000000");
	/* What does not fit is cut, and ends. */
	assert_string_equal(xpt_rdma_bits(XPT_RDMA_QP_MASK, UINT32_MAX, buf, sizeof(buf)),
			    "STATE|CUR_STATE");
	assert_string_equal(xpt_rdma_bits(XPT_RDMA_QP_MASK, UINT32_MAX, buf, 1), "");
}

static void command(unsigned number, const char *upper)
{
	const char *name = xpt_rdma_name(XPT_RDMA_WRITE_COMMANDS, number);

	assert_non_null(name);
	if (strcasecmp(name, upper))
		fail_msg("%u is %s, not %s", number, name, upper);
}

#define COMMAND(upper) command(IB_USER_VERBS_CMD_##upper, #upper)
#define EXTENDED(upper) command(IB_USER_VERBS_EX_CMD_##upper, #upper)

static void test_commands(void **state)
{
	(void)state;
	COMMAND(GET_CONTEXT), COMMAND(QUERY_DEVICE), COMMAND(QUERY_PORT), COMMAND(ALLOC_PD);
	COMMAND(DEALLOC_PD), COMMAND(CREATE_AH), COMMAND(MODIFY_AH), COMMAND(QUERY_AH);
	COMMAND(DESTROY_AH), COMMAND(REG_MR), COMMAND(REG_SMR), COMMAND(REREG_MR);
	COMMAND(QUERY_MR), COMMAND(DEREG_MR), COMMAND(ALLOC_MW), COMMAND(BIND_MW);
	COMMAND(DEALLOC_MW), COMMAND(CREATE_COMP_CHANNEL), COMMAND(CREATE_CQ), COMMAND(RESIZE_CQ);
	COMMAND(DESTROY_CQ), COMMAND(POLL_CQ), COMMAND(PEEK_CQ), COMMAND(REQ_NOTIFY_CQ);
	COMMAND(CREATE_QP), COMMAND(QUERY_QP), COMMAND(MODIFY_QP), COMMAND(DESTROY_QP);
	COMMAND(POST_SEND), COMMAND(POST_RECV), COMMAND(ATTACH_MCAST), COMMAND(DETACH_MCAST);
	COMMAND(CREATE_SRQ), COMMAND(MODIFY_SRQ), COMMAND(QUERY_SRQ), COMMAND(DESTROY_SRQ);
	COMMAND(POST_SRQ_RECV), COMMAND(OPEN_XRCD), COMMAND(CLOSE_XRCD), COMMAND(CREATE_XSRQ);
	COMMAND(OPEN_QP);
	EXTENDED(CREATE_FLOW), EXTENDED(DESTROY_FLOW), EXTENDED(CREATE_WQ), EXTENDED(MODIFY_WQ);
	EXTENDED(DESTROY_WQ), EXTENDED(MODIFY_CQ);
	/* The handlers spell the table out. */
	command(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL, "CREATE_RWQ_IND_TABLE");
	command(IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL, "DESTROY_RWQ_IND_TABLE");
}

static void test_drivers(void **state)
{
	(void)state;
	IS2(DRIVERS, RDMA_DRIVER_MLX5, "mlx5");
	IS2(DRIVERS, RDMA_DRIVER_MLX4, "mlx4");
	IS2(DRIVERS, RDMA_DRIVER_BNXT_RE, "bnxt_re");
	IS2(DRIVERS, RDMA_DRIVER_VMW_PVRDMA, "vmw_pvrdma");
	IS2(DRIVERS, RDMA_DRIVER_QEDR, "qedr");
	IS2(DRIVERS, RDMA_DRIVER_HNS, "hns");
	IS2(DRIVERS, RDMA_DRIVER_RXE, "rxe");
	IS2(DRIVERS, RDMA_DRIVER_HFI1, "hfi1");
	IS2(DRIVERS, RDMA_DRIVER_EFA, "efa");
	IS2(DRIVERS, RDMA_DRIVER_SIW, "siw");
	assert_null(xpt_rdma_name(XPT_RDMA_DRIVERS, RDMA_DRIVER_UNKNOWN));
}

static void normal(bool want, const char *method, const char *function, int code)
{
	const struct xpt_rdma_expected *e = xpt_rdma_expected__find(method, function, code);

	if (e && e->condition != XPT_RDMA_ALWAYS)
		e = NULL;
	if (!!e != want)
		fail_msg("%s %s %d is %snormal", method, function, code, want ? "not " : "");
	if (e)
		assert_true(strlen(e->reason) > 5 && strlen(e->reason) < 80);
}

static void test_expected(void **state)
{
	(void)state;
	normal(true, "query_device", "ib_uverbs_ioctl", ENOSPC);
	normal(true, "INVOKE_WRITE", "ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE", ENOSPC);
	normal(false, "create_qp", "ib_uverbs_ioctl", ENOSPC);
	normal(true, "QUERY_GID_ENTRY", "rdma_get_gid_attr", ENODATA);
	normal(false, "modify_qp", "rdma_get_gid_attr", ENODATA);
	normal(true, "modify_qp", "rdma_lag_get_ah_roce_slave", 0);
	normal(true, "ex_modify_qp", "rdma_lag_get_ah_roce_slave", 0);
	normal(false, "modify_qp", "rdma_get_gid_attr", 0);
	normal(false, "REG_DMABUF_MR", "dma_buf_get", EBADF);
	normal(false, "reg_mr", "dma_buf_get", EBADF);
	normal(false, "create_qp", "ib_uverbs_create_qp", EOPNOTSUPP);
	normal(false, "create_qp", "mlx5_ib_create_qp", EOPNOTSUPP);
	normal(true, "QP_CREATE", "_uverbs_get_const_signed", ENOENT);
	normal(false, "QP_CREATE", "lookup_get_idr_uobject", ENOENT);
	normal(false, "dealloc_pd", "ib_dealloc_pd_user", EBUSY);
	normal(true, "MR_DESTROY", "uverbs_destroy_uobject", 512);
	normal(false, "alloc_pd", "mlx5_ib_alloc_pd", EBUSY);
	normal(true, "", "rxe_requester", EAGAIN);
	normal(false, "post_send", "rxe_requester", EAGAIN);
	normal(false, "", "ib_uverbs_ioctl", ENOTTY);
	normal(false, "reg_mr", "ib_umem_get", ENOMEM);
	normal(false, "REG_DMABUF_MR", "ib_umem_dmabuf_map_pages", EPERM);
}

static void depends(enum xpt_rdma_condition how, const char *method, const char *function, int code)
{
	const struct xpt_rdma_expected *e = xpt_rdma_expected__find(method, function, code);

	assert_non_null(e);
	assert_int_equal(e->condition, how);
}

/* Normal by what the program asked with, or by what it does next. */
static void test_conditions(void **state)
{
	(void)state;
	depends(XPT_RDMA_IF_NO_FD, "REG_DMABUF_MR", "dma_buf_get", EBADF);
	depends(XPT_RDMA_IF_NO_FD, "REG_DMABUF_MR", "ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR", EOPNOTSUPP);
	depends(XPT_RDMA_IF_GOES_ON, "create_qp", "ib_uverbs_create_qp", EOPNOTSUPP);
	depends(XPT_RDMA_IF_SMALLER, "QP_CREATE", "rxe_qp_chk_cap", EINVAL);
	depends(XPT_RDMA_IF_RETRIED, "dealloc_pd", "ib_dealloc_pd_user", EBUSY);
	assert_null(xpt_rdma_expected__find("create_cq", "rxe_cq_chk_attr", EINVAL));
}

/* Texts of the library that libraries above it write into their logs. */
static void test_texts_of_events(void **state)
{
	void *lib = dlopen("libibverbs.so.1", RTLD_NOW);
	const char *(*text)(int) = NULL;
	char prefixed[64];
	int i;

	(void)state;
	if (lib)
		*(void **)&text = dlsym(lib, "ibv_event_type_str");
	for (i = IBV_EVENT_CQ_ERR; i <= IBV_EVENT_WQ_FATAL; i++) {
		const char *name = xpt_rdma_name(XPT_RDMA_EVENTS, (uint32_t)i);

		if (text)
			assert_string_equal(xpt_rdma_log_event__name(text(i)), name);
		snprintf(prefixed, sizeof(prefixed), "IBV_EVENT_%s", name);
		assert_string_equal(xpt_rdma_log_event__name(prefixed), name);
	}
	assert_string_equal(xpt_rdma_log_event__name("Port error"), "PORT_ERR");
	assert_null(xpt_rdma_log_event__name(""));
	assert_null(xpt_rdma_log_event__name("IBV_EVENT_"));
	assert_null(xpt_rdma_log_event__name("port error on"));
	if (lib)
		dlclose(lib);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states_and_types), cmocka_unit_test(test_events),
		cmocka_unit_test(test_bits), cmocka_unit_test(test_commands),
		cmocka_unit_test(test_drivers), cmocka_unit_test(test_expected),
		cmocka_unit_test(test_conditions), cmocka_unit_test(test_texts_of_events),
	};

	return cmocka_run_group_tests_name("rdma_names", tests, NULL, NULL);
}
