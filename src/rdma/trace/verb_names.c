// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See verb_names.h. Numbers of the kernel's interface never change their meaning.
 */
#include <inttypes.h>
#include <stdio.h>

#include "rdma/trace/verb_names.h"

#define NAMES(a) { a, sizeof(a) / sizeof((a)[0]) }

static const char *const qp_states[] = { "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR" };

static const char *const qp_types[] = {
	[0] = "SMI", [1] = "GSI", [2] = "RC", [3] = "UC", [4] = "UD", [8] = "RAW_PACKET",
	[9] = "XRC_INI", [10] = "XRC_TGT", [255] = "DRIVER",
};

static const char *const events[] = {
	"CQ_ERR", "QP_FATAL", "QP_REQ_ERR", "QP_ACCESS_ERR", "COMM_EST", "SQ_DRAINED", "PATH_MIG",
	"PATH_MIG_ERR", "DEVICE_FATAL", "PORT_ACTIVE", "PORT_ERR", "LID_CHANGE", "PKEY_CHANGE",
	"SM_CHANGE", "SRQ_ERR", "SRQ_LIMIT_REACHED", "QP_LAST_WQE_REACHED", "CLIENT_REREGISTER",
	"GID_CHANGE", "WQ_FATAL",
};

static const char *const drivers[] = {
	NULL, "mlx5", "mlx4", "cxgb3", "cxgb4", "mthca", "bnxt_re", "ocrdma", "nes", "irdma",
	"vmw_pvrdma", "qedr", "hns", "usnic", "rxe", "hfi1", "qib", "efa", "siw", "erdma",
};

static const char *const commands[] = {
	[0] = "get_context", [1] = "query_device", [2] = "query_port", [3] = "alloc_pd",
	[4] = "dealloc_pd", [5] = "create_ah", [6] = "modify_ah", [7] = "query_ah",
	[8] = "destroy_ah", [9] = "reg_mr", [10] = "reg_smr", [11] = "rereg_mr", [12] = "query_mr",
	[13] = "dereg_mr", [14] = "alloc_mw", [15] = "bind_mw", [16] = "dealloc_mw",
	[17] = "create_comp_channel", [18] = "create_cq", [19] = "resize_cq", [20] = "destroy_cq",
	[21] = "poll_cq", [22] = "peek_cq", [23] = "req_notify_cq", [24] = "create_qp",
	[25] = "query_qp", [26] = "modify_qp", [27] = "destroy_qp", [28] = "post_send",
	[29] = "post_recv", [30] = "attach_mcast", [31] = "detach_mcast", [32] = "create_srq",
	[33] = "modify_srq", [34] = "query_srq", [35] = "destroy_srq", [36] = "post_srq_recv",
	[37] = "open_xrcd", [38] = "close_xrcd", [39] = "create_xsrq", [40] = "open_qp",
	[50] = "create_flow", [51] = "destroy_flow", [52] = "create_wq", [53] = "modify_wq",
	[54] = "destroy_wq", [55] = "create_rwq_ind_table", [56] = "destroy_rwq_ind_table",
	[57] = "modify_cq",
};

static const char *const qp_mask[] = {
	[0] = "STATE", [1] = "CUR_STATE", [2] = "EN_SQD_ASYNC_NOTIFY", [3] = "ACCESS_FLAGS",
	[4] = "PKEY_INDEX", [5] = "PORT", [6] = "QKEY", [7] = "AV", [8] = "PATH_MTU", [9] = "TIMEOUT",
	[10] = "RETRY_CNT", [11] = "RNR_RETRY", [12] = "RQ_PSN", [13] = "MAX_QP_RD_ATOMIC",
	[14] = "ALT_PATH", [15] = "MIN_RNR_TIMER", [16] = "SQ_PSN", [17] = "MAX_DEST_RD_ATOMIC",
	[18] = "PATH_MIG_STATE", [19] = "CAP", [20] = "DEST_QPN", [25] = "RATE_LIMIT",
};

static const char *const access_flags[] = {
	[0] = "LOCAL_WRITE", [1] = "REMOTE_WRITE", [2] = "REMOTE_READ", [3] = "REMOTE_ATOMIC",
	[4] = "MW_BIND", [5] = "ZERO_BASED", [6] = "ON_DEMAND", [7] = "HUGETLB",
	[20] = "RELAXED_ORDERING",
};

static const struct {
	const char *const *name;
	size_t nr;
} tables[XPT_RDMA_NR_NAMES] = {
	[XPT_RDMA_QP_STATES] = NAMES(qp_states), [XPT_RDMA_QP_TYPES] = NAMES(qp_types),
	[XPT_RDMA_EVENTS] = NAMES(events), [XPT_RDMA_DRIVERS] = NAMES(drivers),
	[XPT_RDMA_WRITE_COMMANDS] = NAMES(commands), [XPT_RDMA_QP_MASK] = NAMES(qp_mask),
	[XPT_RDMA_ACCESS] = NAMES(access_flags),
};

const char *xpt_rdma_name(enum xpt_rdma_names which, uint32_t value)
{
	if (which >= XPT_RDMA_NR_NAMES || value >= tables[which].nr)
		return NULL;
	return tables[which].name[value];
}

char *xpt_rdma_bits(enum xpt_rdma_names which, uint32_t value, char *buf, size_t n)
{
	uint32_t bit, rest = value;
	size_t at = 0;

	if (!n)
		return buf;
	buf[0] = '\0';
	for (bit = 0; bit < 32 && at < n; bit++) {
		const char *name = value >> bit & 1 ? xpt_rdma_name(which, bit) : NULL;

		if (!name)
			continue;
		rest &= ~((uint32_t)1 << bit);
		at += (size_t)snprintf(buf + at, n - at, "%s%s", at ? "|" : "", name);
	}
	if ((rest || !value) && at < n)
		snprintf(buf + at, n - at, rest ? "%s0x%" PRIx32 : "%s%" PRIx32, at ? "|" : "", rest);
	return buf;
}
