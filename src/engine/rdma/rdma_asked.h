/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The position of a program's request in the kernel's types: which functions get a struct with the request,
 * and where its members are. Members that a kernel does not have are not known there.
 */
#ifndef XPT_ENGINE_RDMA_RDMA_ASKED_H
#define XPT_ENGINE_RDMA_RDMA_ASKED_H

#include <stdint.h>
#include "kernel/kbtf.h"
#include "wire/rdma_asked.h"

/*
 * Id, name, bit of the mask (enum ib_qp_attr_mask, include/rdma/ib_verbs.h; -1: none), how it is shown, and its paths
 * in struct ib_qp_attr, rdma_ah_attr and ib_uverbs_ex_modify_qp; "": it has none.
 */
#define XPT_RDMA_FIELDS(X) \
	X(MASK, "attr_mask", -1, MASK, "", "", "base.attr_mask") \
	X(QP_STATE, "qp_state", 0, STATE, "qp_state", "", "base.qp_state") \
	X(CUR_STATE, "cur_qp_state", 1, STATE, "cur_qp_state", "", "base.cur_qp_state") \
	X(NOTIFY, "en_sqd_async_notify", 2, NUMBER, "en_sqd_async_notify", "", "base.en_sqd_async_notify") \
	X(ACCESS, "qp_access_flags", 3, ACCESS, "qp_access_flags", "", "base.qp_access_flags") \
	X(PKEY, "pkey_index", 4, NUMBER, "pkey_index", "", "base.pkey_index") \
	X(PORT, "port_num", 5, NUMBER, "port_num", "", "base.port_num") \
	X(QKEY, "qkey", 6, HEX, "qkey", "", "base.qkey") \
	X(MTU, "path_mtu", 8, MTU, "path_mtu", "", "base.path_mtu") \
	X(DEST_QP, "dest_qp_num", 20, NUMBER, "dest_qp_num", "", "base.dest_qp_num") \
	X(RQ_PSN, "rq_psn", 12, NUMBER, "rq_psn", "", "base.rq_psn") \
	X(SQ_PSN, "sq_psn", 16, NUMBER, "sq_psn", "", "base.sq_psn") \
	X(MAX_RD, "max_rd_atomic", 13, NUMBER, "max_rd_atomic", "", "base.max_rd_atomic") \
	X(MAX_DEST_RD, "max_dest_rd_atomic", 17, NUMBER, "max_dest_rd_atomic", "", "base.max_dest_rd_atomic") \
	X(MIN_RNR, "min_rnr_timer", 15, NUMBER, "min_rnr_timer", "", "base.min_rnr_timer") \
	X(TIMEOUT, "timeout", 9, NUMBER, "timeout", "", "base.timeout") \
	X(RETRY, "retry_cnt", 10, NUMBER, "retry_cnt", "", "base.retry_cnt") \
	X(RNR_RETRY, "rnr_retry", 11, NUMBER, "rnr_retry", "", "base.rnr_retry") \
	X(MIG, "path_mig_state", 18, MIGRATION, "path_mig_state", "", "base.path_mig_state") \
	X(SEND_WR, "cap.max_send_wr", 19, NUMBER, "cap.max_send_wr", "", "") \
	X(RECV_WR, "cap.max_recv_wr", 19, NUMBER, "cap.max_recv_wr", "", "") \
	X(RATE, "rate_limit", 25, NUMBER, "rate_limit", "", "rate_limit") \
	X(AH_TYPE, "ah.type", 7, TYPE, "ah_attr.type", "type", "") \
	X(AH_DLID, "ah.dlid", 7, DLID, "ah_attr.ib.dlid", "ib.dlid", "base.dest.dlid") \
	X(AH_DMAC, "ah.dmac", 7, DMAC, "ah_attr.roce.dmac", "roce.dmac", "") \
	X(AH_SL, "ah.sl", 7, NUMBER, "ah_attr.sl", "sl", "base.dest.sl") \
	X(AH_PORT, "ah.port_num", 7, NUMBER, "ah_attr.port_num", "port_num", "base.dest.port_num") \
	X(AH_RATE, "ah.static_rate", 7, NUMBER, "ah_attr.static_rate", "static_rate", "base.dest.static_rate") \
	X(AH_GLOBAL, "ah.is_global", 7, GLOBAL, "ah_attr.ah_flags", "ah_flags", "base.dest.is_global") \
	X(AH_SGID, "ah.sgid_index", 7, OF_GRH, "ah_attr.grh.sgid_index", "grh.sgid_index", "base.dest.sgid_index") \
	X(AH_DGID, "ah.dgid", 7, DGID, "ah_attr.grh.dgid", "grh.dgid", "base.dest.dgid") \
	X(AH_HOPS, "ah.hop_limit", 7, OF_GRH, "ah_attr.grh.hop_limit", "grh.hop_limit", "base.dest.hop_limit") \
	X(AH_CLASS, "ah.traffic_class", 7, OF_GRH, "ah_attr.grh.traffic_class", "grh.traffic_class", \
	  "base.dest.traffic_class") \
	X(AH_FLOW, "ah.flow_label", 7, OF_GRH, "ah_attr.grh.flow_label", "grh.flow_label", "base.dest.flow_label") \
	X(ALT_PKEY, "alt_pkey_index", 14, NUMBER, "alt_pkey_index", "", "base.alt_pkey_index") \
	X(ALT_PORT, "alt_port_num", 14, NUMBER, "alt_port_num", "", "base.alt_port_num") \
	X(ALT_TIMEOUT, "alt_timeout", 14, NUMBER, "alt_timeout", "", "base.alt_timeout") \
	X(ALT_SL, "alt_ah.sl", 14, NUMBER, "alt_ah_attr.sl", "", "base.alt_dest.sl") \
	X(ALT_AH_PORT, "alt_ah.port_num", 14, NUMBER, "alt_ah_attr.port_num", "", "base.alt_dest.port_num") \
	X(ALT_SGID, "alt_ah.sgid_index", 14, NUMBER, "alt_ah_attr.grh.sgid_index", "", "base.alt_dest.sgid_index")

enum xpt_rdma_field {
#define X(id, name, bit, show, qp, ah, user) XPT_RDMA_FIELD_##id,
	XPT_RDMA_FIELDS(X)
#undef X
	XPT_RDMA_NR_FIELDS,
};

struct xpt_rdma_layout {
	uint32_t size;				/* of the struct; 0: it is not known */
	struct xpt_kfield field[XPT_RDMA_NR_FIELDS];	/* size 0: it has none, or that is not known */
};

/* "ib_qp_attr"; "" for XPT_RDMA_ASKED_NOTHING. */
const char *xpt_rdma_asked__struct(enum xpt_rdma_asked_kind kind);
/* The path of a member in such a struct; "": it has none. */
const char *xpt_rdma_asked__path(enum xpt_rdma_asked_kind kind, enum xpt_rdma_field field);
/* Finds all members in the types of ib_uverbs. ret_v: XPT_RDMA_NR_ASKED. b may be NULL: then nothing is known. */
void xpt_rdma_asked__find(const struct btf *b, struct xpt_rdma_layout *ret_v);
/* Finds the argument of a function of b that is one of these structs; kind NOTHING: none is. b may be NULL. */
void xpt_rdma_asked__of_function(const struct btf *b, const struct xpt_kproto *p, const struct xpt_rdma_layout *layouts,
				 struct xpt_wire_rdma_asks *ret_a);

#endif
