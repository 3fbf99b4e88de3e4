/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics of RDMA ports, from sysfs (Documentation/ABI/stable/sysfs-class-infiniband); rows of
 * XPT_METRICS, see metric.h. The names are those of node_exporter's collector "infiniband", so
 * that dashboards need no change. The part is the number of the port.
 */
#ifndef XPT_WIRE_METRIC_RDMA_H
#define XPT_WIRE_METRIC_RDMA_H

/* Metrics of a port. */
#define XPT_RDMA_METRICS(X) \
	X(200, RDMA_STATE, "infiniband_state_id", GAUGE, NONE, 1, PART, \
	  "State of the port: 1 down, 2 init, 3 armed, 4 active, 5 active deferred") \
	X(201, RDMA_PHYSICAL_STATE, "infiniband_physical_state_id", GAUGE, NONE, 1, PART, \
	  "2 polling, 3 disabled, 4 training, 5 link up, 6 error recovery") \
	X(202, RDMA_RATE, "infiniband_rate_bytes_per_second", GAUGE, BYTES_PER_SECOND, 1, PART, \
	  "Rate of the link") \
	X(203, RDMA_LIFESPAN, "infiniband_lifespan_seconds", GAUGE, SECONDS, 1000, PART, \
	  "Reads of hardware counters within this time may give the same values") \
	X(204, RDMA_LINK_DOWNED, "infiniband_link_downed_total", COUNTER, NONE, 1, PART, \
	  "The link went down because recovery failed") \
	X(205, RDMA_LINK_ERROR_RECOVERY, "infiniband_link_error_recovery_total", COUNTER, NONE, 1, PART, \
	  "The link recovered from an error") \
	X(206, RDMA_EXCESSIVE_OVERRUN, "infiniband_excessive_buffer_overrun_errors_total", COUNTER, NONE, 1, PART, \
	  "Repeated overruns of the receive buffer") \
	X(207, RDMA_LOCAL_INTEGRITY, "infiniband_local_link_integrity_errors_total", COUNTER, NONE, 1, PART, \
	  "Physical errors of the port exceeded their threshold") \
	X(208, RDMA_MULTICAST_RECEIVED, "infiniband_multicast_packets_received_total", COUNTER, NONE, 1, PART, \
	  "Multicast packets received") \
	X(209, RDMA_MULTICAST_SENT, "infiniband_multicast_packets_transmitted_total", COUNTER, NONE, 1, PART, \
	  "Multicast packets sent") \
	X(210, RDMA_CONSTRAINT_RECEIVED, "infiniband_port_constraint_errors_received_total", COUNTER, NONE, 1, PART, \
	  "Packets received that a switch port discards") \
	X(211, RDMA_CONSTRAINT_SENT, "infiniband_port_constraint_errors_transmitted_total", COUNTER, NONE, 1, PART, \
	  "Packets that a switch port does not send") \
	X(212, RDMA_DATA_RECEIVED, "infiniband_port_data_received_bytes_total", COUNTER, BYTES, 1, PART, \
	  "Data received") \
	X(213, RDMA_DATA_SENT, "infiniband_port_data_transmitted_bytes_total", COUNTER, BYTES, 1, PART, \
	  "Data sent") \
	X(214, RDMA_DISCARDS_RECEIVED, "infiniband_port_discards_received_total", COUNTER, NONE, 1, PART, \
	  "Packets received and discarded: the port was down or congested") \
	X(215, RDMA_DISCARDS_SENT, "infiniband_port_discards_transmitted_total", COUNTER, NONE, 1, PART, \
	  "Packets not sent: the port was down or congested") \
	X(216, RDMA_ERRORS_RECEIVED, "infiniband_port_errors_received_total", COUNTER, NONE, 1, PART, \
	  "Packets received with an error") \
	X(217, RDMA_PACKETS_RECEIVED, "infiniband_port_packets_received_total", COUNTER, NONE, 1, PART, \
	  "Packets received") \
	X(218, RDMA_PACKETS_SENT, "infiniband_port_packets_transmitted_total", COUNTER, NONE, 1, PART, \
	  "Packets sent") \
	X(219, RDMA_TRANSMIT_WAIT, "infiniband_port_transmit_wait_total", COUNTER, NONE, 1, PART, \
	  "Ticks in which data waited and none was sent") \
	X(220, RDMA_UNICAST_RECEIVED, "infiniband_unicast_packets_received_total", COUNTER, NONE, 1, PART, \
	  "Unicast packets received") \
	X(221, RDMA_UNICAST_SENT, "infiniband_unicast_packets_transmitted_total", COUNTER, NONE, 1, PART, \
	  "Unicast packets sent") \
	X(222, RDMA_REMOTE_PHYSICAL, "infiniband_port_receive_remote_physical_errors_total", COUNTER, NONE, 1, PART, \
	  "Packets received with the mark of a bad packet") \
	X(223, RDMA_SWITCH_RELAY, "infiniband_port_receive_switch_relay_errors_total", COUNTER, NONE, 1, PART, \
	  "Packets that a switch could not forward") \
	X(224, RDMA_SYMBOL, "infiniband_symbol_error_total", COUNTER, NONE, 1, PART, \
	  "Small errors of the physical lanes") \
	X(225, RDMA_VL15_DROPPED, "infiniband_vl15_dropped_total", COUNTER, NONE, 1, PART, \
	  "Management packets dropped for lack of room") \
	X(226, RDMA_DUPLICATE_REQUEST, "infiniband_duplicate_requests_packets_total", COUNTER, NONE, 1, PART, \
	  "Requests received again that had been executed") \
	X(227, RDMA_IMPLIED_NAK, "infiniband_implied_nak_seq_errors_total", COUNTER, NONE, 1, PART, \
	  "Acknowledgements ahead of the expected packet") \
	X(228, RDMA_ACK_TIMEOUT, "infiniband_local_ack_timeout_errors_total", COUNTER, NONE, 1, PART, \
	  "Acknowledgements that did not come in time") \
	X(229, RDMA_CNP_SENT, "infiniband_np_cnp_packets_sent_total", COUNTER, NONE, 1, PART, \
	  "Congestion notifications sent") \
	X(230, RDMA_ECN_MARKED, "infiniband_np_ecn_marked_roce_packets_received_total", COUNTER, NONE, 1, PART, \
	  "RoCE packets received with a mark of congestion") \
	X(231, RDMA_OUT_OF_BUFFER, "infiniband_out_of_buffer_drops_total", COUNTER, NONE, 1, PART, \
	  "Packets dropped because no receive was posted") \
	X(232, RDMA_OUT_OF_SEQUENCE, "infiniband_out_of_sequence_packets_received_total", COUNTER, NONE, 1, PART, \
	  "Packets received out of sequence") \
	X(233, RDMA_PACKET_SEQUENCE, "infiniband_packet_sequence_errors_total", COUNTER, NONE, 1, PART, \
	  "Negative acknowledgements for a wrong sequence") \
	X(234, RDMA_REQ_CQE_ERROR, "infiniband_req_cqes_errors_total", COUNTER, NONE, 1, PART, \
	  "Completions with an error at the requester") \
	X(235, RDMA_REQ_CQE_FLUSH, "infiniband_req_cqes_flush_errors_total", COUNTER, NONE, 1, PART, \
	  "Completions flushed at the requester") \
	X(236, RDMA_REQ_ACCESS, "infiniband_req_remote_access_errors_total", COUNTER, NONE, 1, PART, \
	  "Remote access errors at the requester") \
	X(237, RDMA_REQ_INVALID, "infiniband_req_remote_invalid_request_errors_total", COUNTER, NONE, 1, PART, \
	  "Invalid requests, told to the requester") \
	X(238, RDMA_RESP_CQE_ERROR, "infiniband_resp_cqes_errors_total", COUNTER, NONE, 1, PART, \
	  "Completions with an error at the responder") \
	X(239, RDMA_RESP_CQE_FLUSH, "infiniband_resp_cqes_flush_errors_total", COUNTER, NONE, 1, PART, \
	  "Completions flushed at the responder") \
	X(240, RDMA_RESP_LENGTH, "infiniband_resp_local_length_errors_total", COUNTER, NONE, 1, PART, \
	  "Local length errors at the responder") \
	X(241, RDMA_RESP_ACCESS, "infiniband_resp_remote_access_errors_total", COUNTER, NONE, 1, PART, \
	  "Remote access errors at the responder") \
	X(242, RDMA_RNR_NAK, "infiniband_rnr_nak_retry_packets_received_total", COUNTER, NONE, 1, PART, \
	  "Answers that the receiver was not ready") \
	X(243, RDMA_ADP_RETRANSMITS, "infiniband_roce_adp_retransmits_total", COUNTER, NONE, 1, PART, \
	  "Adaptive retransmissions of RoCE") \
	X(244, RDMA_ADP_TIMEOUTS, "infiniband_roce_adp_retransmits_timeout_total", COUNTER, NONE, 1, PART, \
	  "Timeouts of adaptive retransmission") \
	X(245, RDMA_SLOW_RESTART_USED, "infiniband_roce_slow_restart_used_total", COUNTER, NONE, 1, PART, \
	  "Slow restarts that were used") \
	X(246, RDMA_SLOW_RESTART_CNPS, "infiniband_roce_slow_restart_cnps_total", COUNTER, NONE, 1, PART, \
	  "Congestion notifications by slow restarts") \
	X(247, RDMA_SLOW_RESTART, "infiniband_roce_slow_restart_total", COUNTER, NONE, 1, PART, \
	  "Changes of state to slow restart") \
	X(248, RDMA_CNP_HANDLED, "infiniband_rp_cnp_packets_handled_total", COUNTER, NONE, 1, PART, \
	  "Congestion notifications that lowered the rate") \
	X(249, RDMA_CNP_IGNORED, "infiniband_rp_cnp_ignored_packets_received_total", COUNTER, NONE, 1, PART, \
	  "Congestion notifications that were ignored") \
	X(250, RDMA_ATOMIC_REQUESTS, "infiniband_rx_atomic_requests_total", COUNTER, NONE, 1, PART, \
	  "Atomic requests received") \
	X(251, RDMA_DCT_CONNECTS, "infiniband_rx_dct_connect_requests_total", COUNTER, NONE, 1, PART, \
	  "Connection requests received for DCTs") \
	X(252, RDMA_READ_REQUESTS, "infiniband_rx_read_requests_total", COUNTER, NONE, 1, PART, \
	  "RDMA read requests received") \
	X(253, RDMA_WRITE_REQUESTS, "infiniband_rx_write_requests_total", COUNTER, NONE, 1, PART, \
	  "RDMA write requests received") \
	X(254, RDMA_ICRC_ERRORS, "infiniband_rx_icrc_encapsulated_errors_total", COUNTER, NONE, 1, PART, \
	  "RoCE packets with a wrong checksum")

#endif
