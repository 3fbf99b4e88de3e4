/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Signatures of the verbs API as of 65 functions: names, kinds and places of
 * parameters, fields and constants, in the form that model/domain/sig.h explains.
 * Made by scripts/gen-sigs, not by hand; tests/contract/check-sigs compares.
 */
static const char *const sig_fns[] = {
	"_ibv_query_gid_ex context:p port_num:u4 gid_index:u4 entry:p flags:u4 entry_size:u8",
	"_ibv_query_gid_table context:p entries:p max_entries:u8 flags:u4 entry_size:u8",
	"ibv_ack_async_event event:p",
	"ibv_ack_cq_events cq:p nevents:u4",
	"ibv_alloc_pd context:p",
	"ibv_attach_mcast qp:pt0 gid:p lid:u2",
	"ibv_close_device context:p",
	"ibv_create_ah pd:p attr:pt6",
	"ibv_create_ah_from_wc pd:p wc:p grh:p port_num:u1",
	"ibv_create_comp_channel context:p",
	"ibv_create_cq context:p cqe:i4 cq_context:p channel:p comp_vector:i4",
	"ibv_create_qp pd:p qp_init_attr:pt4",
	"ibv_create_srq pd:p srq_init_attr:pt2",
	"ibv_dealloc_pd pd:p",
	"ibv_dereg_mr mr:pt1",
	"ibv_destroy_ah ah:p",
	"ibv_destroy_comp_channel channel:p",
	"ibv_destroy_cq cq:p",
	"ibv_destroy_qp qp:pt0",
	"ibv_destroy_srq srq:p",
	"ibv_detach_mcast qp:pt0 gid:p lid:u2",
	"ibv_event_type_str event:e9",
	"ibv_fork_init",
	"ibv_free_device_list list:p",
	"ibv_get_async_event context:p event:p",
	"ibv_get_cq_event channel:p cq:op cq_context:op",
	"ibv_get_device_guid device:p",
	"ibv_get_device_index device:p",
	"ibv_get_device_list num_devices:oi4",
	"ibv_get_device_name device:p",
	"ibv_get_pkey_index context:p port_num:u1 pkey:u2",
	"ibv_import_device cmd_fd:i4",
	"ibv_import_dm context:p dm_handle:u4",
	"ibv_import_mr pd:p mr_handle:u4",
	"ibv_import_pd context:p pd_handle:u4",
	"ibv_init_ah_from_wc context:p port_num:u1 wc:p grh:p ah_attr:ot6",
	"ibv_is_fork_initialized",
	"ibv_modify_qp qp:pt0 attr:pt5 attr_mask:e5",
	"ibv_modify_srq srq:p srq_attr:pt3 srq_attr_mask:e4",
	"ibv_node_type_str node_type:e7",
	"ibv_open_device device:p",
	"ibv_port_state_str port_state:e8",
	"ibv_qp_to_qp_ex qp:pt0",
	"ibv_query_device context:p device_attr:p",
	"ibv_query_ece qp:pt0 ece:p",
	"ibv_query_gid context:p port_num:u1 index:i4 gid:p",
	"ibv_query_pkey context:p port_num:u1 index:i4 pkey:ou2",
	"ibv_query_port context:p port_num:u1 port_attr:p",
	"ibv_query_qp qp:pt0 attr:ot5 attr_mask:e5 init_attr:ot4",
	"ibv_query_qp_data_in_order qp:pt0 op:e6 flags:u4",
	"ibv_query_srq srq:p srq_attr:ot3",
	"ibv_rate_to_mbps rate:e1",
	"ibv_rate_to_mult rate:e1",
	"ibv_reg_dmabuf_mr pd:p offset:u8 length:u8 iova:u8 fd:i4 access:e2",
	"ibv_reg_mr pd:p addr:p length:u8 access:e2",
	"ibv_reg_mr_iova pd:p addr:p length:u8 iova:u8 access:e2",
	"ibv_reg_mr_iova2 pd:p addr:p length:u8 iova:u8 access:e2",
	"ibv_rereg_mr mr:pt1 flags:e3 pd:p addr:p length:u8 access:e2",
	"ibv_resize_cq cq:p cqe:i4",
	"ibv_resolve_eth_l2_from_gid context:p attr:ot6 eth_mac:ou1 vid:ou2",
	"ibv_set_ece qp:pt0 ece:p",
	"ibv_unimport_dm dm:p",
	"ibv_unimport_mr mr:pt1",
	"ibv_unimport_pd pd:p",
	"ibv_wc_status_str status:e0",
};

static const char *const sig_structs[] = {
	"ibv_qp 160 qp_num:u4@52 state:e10@56 qp_type:e11@60",
	"ibv_mr 48 addr:p@16 length:u8@24 lkey:u4@36 rkey:u4@40",
	"ibv_srq_init_attr 24 attr.max_wr:u4@8 attr.max_sge:u4@12 attr.srq_limit:u4@16",
	"ibv_srq_attr 12 max_wr:u4@0 max_sge:u4@4 srq_limit:u4@8",
	"ibv_qp_init_attr 64 qp_type:e11@52 send_cq:p@8 recv_cq:p@16 srq:p@24 "
	 "cap.max_send_wr:u4@32 cap.max_recv_wr:u4@36 cap.max_send_sge:u4@40 "
	 "cap.max_recv_sge:u4@44 cap.max_inline_data:u4@48",
	"ibv_qp_attr 144 qp_state:e10@0 cur_qp_state:e10@4 path_mtu:e12@8 qkey:u4@16 "
	 "rq_psn:u4@20 sq_psn:u4@24 dest_qp_num:u4@28 qp_access_flags:e2@32 port_num:u1@129 "
	 "ah_attr.dlid:u2@80 ah_attr.port_num:u1@86 ah_attr.is_global:u1@85 "
	 "ah_attr.grh.sgid_index:u1@76 timeout:u1@130 retry_cnt:u1@131 rnr_retry:u1@132",
	"ibv_ah_attr 32 dlid:u2@24 sl:u1@26 is_global:u1@29 port_num:u1@30 grh.sgid_index:u1@20",
};

static const char *const sig_enums[] = {
	"ibv_wc_status IBV_WC_ 0=SUCCESS LOC_LEN_ERR LOC_QP_OP_ERR LOC_EEC_OP_ERR LOC_PROT_ERR "
	 "WR_FLUSH_ERR MW_BIND_ERR BAD_RESP_ERR LOC_ACCESS_ERR REM_INV_REQ_ERR REM_ACCESS_ERR "
	 "REM_OP_ERR RETRY_EXC_ERR RNR_RETRY_EXC_ERR LOC_RDD_VIOL_ERR REM_INV_RD_REQ_ERR "
	 "REM_ABORT_ERR INV_EECN_ERR INV_EEC_STATE_ERR FATAL_ERR RESP_TIMEOUT_ERR GENERAL_ERR "
	 "TM_ERR TM_RNDV_INCOMPLETE",
	"ibv_rate IBV_RAT 2=E_2_5_GBPS E_10_GBPS E_30_GBPS E_5_GBPS E_20_GBPS E_40_GBPS "
	 "E_60_GBPS E_80_GBPS E_120_GBPS E_14_GBPS E_56_GBPS E_112_GBPS E_168_GBPS E_25_GBPS "
	 "E_100_GBPS E_200_GBPS E_300_GBPS E_28_GBPS E_50_GBPS E_400_GBPS E_600_GBPS E_800_GBPS "
	 "E_1200_GBPS",
	"|ibv_access_flags IBV_ACCESS_ 1=LOCAL_WRITE REMOTE_WRITE 4=REMOTE_READ "
	 "8=REMOTE_ATOMIC 16=MW_BIND 32=ZERO_BASED 64=ON_DEMAND 128=HUGETLB "
	 "1048576=RELAXED_ORDERING",
	"|ibv_rereg_mr_flags IBV_REREG_MR_ 1=CHANGE_TRANSLATION CHANGE_PD 4=CHANGE_ACCESS "
	 "7=FLAGS_SUPPORTED",
	"|ibv_srq_attr_mask IBV_SRQ_ 1=MAX_WR LIMIT",
	"|ibv_qp_attr_mask IBV_QP_ 1=STATE CUR_STATE 4=EN_SQD_ASYNC_NOTIFY 8=ACCESS_FLAGS "
	 "16=PKEY_INDEX 32=PORT 64=QKEY 128=AV 256=PATH_MTU 512=TIMEOUT 1024=RETRY_CNT "
	 "2048=RNR_RETRY 4096=RQ_PSN 8192=MAX_QP_RD_ATOMIC 16384=ALT_PATH 32768=MIN_RNR_TIMER "
	 "65536=SQ_PSN 131072=MAX_DEST_RD_ATOMIC 262144=PATH_MIG_STATE 524288=CAP "
	 "1048576=DEST_QPN 33554432=RATE_LIMIT",
	"ibv_wr_opcode IBV_WR_ 0=RDMA_WRITE RDMA_WRITE_WITH_IMM SEND SEND_WITH_IMM RDMA_READ "
	 "ATOMIC_CMP_AND_SWP ATOMIC_FETCH_AND_ADD LOCAL_INV BIND_MW SEND_WITH_INV TSO DRIVER1 "
	 "15=ATOMIC_WRITE",
	"ibv_node_type IBV_NODE_ -1=UNKNOWN 1=CA SWITCH ROUTER RNIC USNIC USNIC_UDP UNSPECIFIED",
	"ibv_port_state IBV_PORT_ 0=NOP DOWN INIT ARMED ACTIVE ACTIVE_DEFER",
	"ibv_event_type IBV_EVENT_ 0=CQ_ERR QP_FATAL QP_REQ_ERR QP_ACCESS_ERR COMM_EST "
	 "SQ_DRAINED PATH_MIG PATH_MIG_ERR DEVICE_FATAL PORT_ACTIVE PORT_ERR LID_CHANGE "
	 "PKEY_CHANGE SM_CHANGE SRQ_ERR SRQ_LIMIT_REACHED QP_LAST_WQE_REACHED CLIENT_REREGISTER "
	 "GID_CHANGE WQ_FATAL",
	"ibv_qp_state IBV_QPS_ 0=RESET INIT RTR RTS SQD SQE ERR UNKNOWN",
	"ibv_qp_type IBV_QPT_ 2=RC UC UD 8=RAW_PACKET XRC_SEND XRC_RECV 255=DRIVER",
	"ibv_mtu IBV_MT 1=U_256 U_512 U_1024 U_2048 U_4096",
};
