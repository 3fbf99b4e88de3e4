/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of asynchronous events in the logs of libraries, and their names in a trace. */
#ifndef XPT_RDMA_TRACE_JOB_LOG_LOG_EVENT_H
#define XPT_RDMA_TRACE_JOB_LOG_LOG_EVENT_H

/* "PORT_ERR" of "port error", as ibv_event_type_str(3) has it, or of "IBV_EVENT_PORT_ERR"; NULL: it is none of these. */
const char *xpt_rdma_log_event__name(const char *text);

#endif
