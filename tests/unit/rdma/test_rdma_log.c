/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/job_log/log_lines.h, log_forms.h and nccl_log.h: lines of a job's log in the forms that
 * NCCL, UCX and Mooncake have, what others put around them, and which calls they are about.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "rdma/trace/job_log/log_code.h"
#include "rdma/trace/job_log/log_lines.h"
#include "rdma/trace/job_log/nccl_log.h"

static struct xpt_rdma_log_form form;

/* The first message of a line as the log's reader would see it. */
static bool parse(const char *line)
{
	char *copy = strdup(line), *rest = copy, *part;
	struct xpt_rdma_log_scan scan;
	struct xpt_rdma_log_time when;
	bool ok = false;

	assert_non_null(copy);
	form = (struct xpt_rdma_log_form){ 0 };
	if (xpt_rdma_log_form__is_possible(copy)) {
		xpt_rdma_log__open_json(copy, &when);
		while (!ok && (part = xpt_rdma_log__part(&rest))) {
			struct xpt_rdma_log_tag tag = { .when = when };

			part = xpt_rdma_log__text(part, &tag);
			xpt_rdma_log_form__begin(&scan, part, &tag);
			ok = xpt_rdma_log_form__next(&scan, &form);
		}
	}
	free(copy);
	return ok;
}

static void assert_call(const char *line, const char *verb, int code)
{
	if (!parse(line))
		fail_msg("no call: %s", line);
	assert_int_equal(form.kind, XPT_RDMA_LOG_CALL);
	assert_string_equal(form.verb, verb);
	if (form.code != code)
		fail_msg("errno %d, not %d: %s", form.code, code, line);
}

static void assert_who(const char *host, uint32_t pid, uint32_t tid)
{
	assert_string_equal(form.host, host);
	assert_int_equal(form.pid, pid);
	assert_int_equal(form.tid, tid);
}

static void test_nccl_calls(void **state)
{
	(void)state;
	assert_call("x NCCL WARN Call to ibv_reg_mr failed with error Bad address\n", "ibv_reg_mr", EFAULT);
	assert_call("Call to ibv_dereg_mr failed with error Invalid argument errno 22", "ibv_dereg_mr", EINVAL);
	assert_call("Call to ibv_modify_qp failed with 110 Connection timed out, on", "ibv_modify_qp", ETIMEDOUT);
	assert_call("Call to mlx5dv_reg_dmabuf_mr failed with error ?", "mlx5dv_reg_dmabuf_mr", 0);
	assert_call("n:1:2 [0] ibvwrap.cc:9 NCCL WARN Call to ibv_create_qp failed", "ibv_create_qp", 0);
	assert_string_equal(form.text, "Call to ibv_create_qp failed");
	assert_call("n:1:2 [0] NCCL WARN Call to ibv_open_device failed\n", "ibv_open_device", 0);
	assert_call("n:1:2 [0] NCCL WARN Call to ibv_get_async_event failed", "ibv_get_async_event", 0);
	assert_call("n:1:2 [0] NCCL WARN Call to ibv_fork_init failed", "ibv_fork_init", 0);
	assert_call("Call to ibv_reg_mr failed with error Unknown error -12", "ibv_reg_mr", ENOMEM);
	assert_call("Call to ibv_reg_mr failed with error -12", "ibv_reg_mr", ENOMEM);
	assert_call("Call to ibv_reg_mr failed with error Unknown error 524", "ibv_reg_mr", 524);
	assert_call("Call to ibv_query_qp failed with error Protocol not supported errno 93", "ibv_query_qp", 93);
	assert_call("Call to ibv_modify_qp failed with -110 Unknown error -110, on dev mlx5_0:1, curr state INIT, "
		    "next state RTR, local GID index 3", "ibv_modify_qp", ETIMEDOUT);
	assert_string_equal(form.state, "RTR");
	assert_int_equal(form.attempt, 0);
	assert_call("n:1:2 [0] NCCL INFO Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_0:1, "
		    "retrying 7/35 after 700 msec of sleep", "ibv_modify_qp", ETIMEDOUT);
	assert_int_equal(form.attempt, 7);
	assert_false(parse("Call to connect failed with error Bad address"));
	assert_false(parse("Call to ibv_set_ece not supported"));
	assert_false(parse("Call to ibv_reg_mr failedish"));
	assert_false(parse("Call to "));
	assert_false(parse("Call to ibv_ failed"));
}

static void test_other_calls(void **state)
{
	(void)state;
	assert_call("[1647516906.396315] [node3080:82049:0]  ib_md.c:349  UCX  ERROR ibv_reg_mr(address=0x7f724fa00000, "
		    "length=4096, access=0xf) failed: Invalid argument", "ibv_reg_mr", EINVAL);
	assert_who("node3080", 82049, 0);
	assert_call("[default0]:[std17:10830:0]  ib_md.c:325  UCX  ERROR ibv_reg_mr(address=0xf15) failed: Bad address",
		    "ibv_reg_mr", EFAULT);
	assert_who("std17", 10830, 0);
	assert_call("[std17:10830:0]  ib_md.c:325  UCX  ERROR ibv_exp_reg_mr(address=0xf15, length=6, access=0xf) "
		    "failed: Resource temporarily unavailable", "ibv_reg_mr", EAGAIN);
	assert_call("[std17:1:0] rc_iface.c:966  UCX  ERROR failed to create qp: Invalid argument", "ibv_create_qp",
		    EINVAL);
	assert_false(parse("[std17:1:0] x.c:7  UCX  DEBUG ibv_alloc_dm(dev=mlx5_2 length=2048) failed: Invalid argument"));
	assert_false(parse("[std17:1:0] x.c:7  UCX  DIAG  failed to create qp: Invalid argument"));
	assert_call("E0331 12:03:04.222625 56060 rdma_endpoint.cpp:385] [Handshake] Failed to modify QP to RTR, check mtu, "
		    "gid, peer lid, peer qp num: Connection timed out [110]", "ibv_modify_qp", ETIMEDOUT);
	assert_who("", 0, 56060);
	assert_string_equal(form.state, "RTR");
	assert_call("E0605 17:54:16.878770 178707 rdma_context.cpp:198] Failed to register memory 0x7f56e6600000: "
		    "Numerical result out of range [34]", "ibv_reg_mr", ERANGE);
	assert_call("E0729 05:04:30.527725 14093 rdma_endpoint.cpp:70] Failed to create QP: Cannot allocate memory [12]",
		    "ibv_create_qp", ENOMEM);
	assert_false(parse("I0729 05:04:30.527725 14093 x.cpp:70] Failed to create QP: Cannot allocate memory [12]"));
	assert_false(parse("Failed to register memory"));
}

static void assert_more(const char *line, const char *const *verbs, const int *codes)
{
	struct xpt_rdma_log_tag tag = { 0 };
	struct xpt_rdma_log_scan scan;
	char *copy = strdup(line);
	int i;

	assert_non_null(copy);
	xpt_rdma_log_form__begin(&scan, copy, &tag);
	for (i = 0; verbs[i]; i++) {
		if (!xpt_rdma_log_form__next(&scan, &form))
			fail_msg("%d messages: %s", i, line);
		assert_string_equal(form.verb, verbs[i]);
		assert_int_equal(form.code, codes[i]);
	}
	assert_false(xpt_rdma_log_form__next(&scan, &form));
	assert_string_equal(copy, line);
	free(copy);
}

#define VERBS(...) (const char *const[]){ __VA_ARGS__, NULL }
#define CODES(...) (const int[]){ __VA_ARGS__ }

/* NVSHMEM: ibrc.cpp, ibgda.cpp, ibdevx.cpp; reports of DeepEP. */
/* A time of day looks like a host with two numbers. */
static void test_times_are_no_hosts(void **state)
{
	(void)state;
	assert_call("[12:30:45] Failed to register memory 0x1: Bad address [14]", "ibv_reg_mr", EFAULT);
	assert_string_equal(form.host, "");
	assert_int_equal(form.pid, 0);
	assert_call("12:30:45 [0] NCCL WARN Call to ibv_reg_mr failed with error Bad address", "ibv_reg_mr", EFAULT);
	assert_int_equal(form.pid, 0);
	assert_call("node7:30:45 [0] NCCL WARN Call to ibv_reg_mr failed with error Bad address", "ibv_reg_mr", EFAULT);
	assert_string_equal(form.host, "node7");
}

static void test_nvshmem(void **state)
{
	(void)state;
	assert_call("/build/nvshmem_src/src/modules/transport/ibrc/ibrc.cpp:417: non-zero status: 110 ibv_modify_qp failed ",
		    "ibv_modify_qp", ETIMEDOUT);
	assert_string_equal(form.text, "ibv_modify_qp failed");
	assert_call("15:35:48.149 x/ibgda.cpp:1393: non-zero status: 121 Error in mlx5dv_devx_obj_modify for INIT2RTR_QP "
		    "with syndrome 764216", "mlx5dv_devx_obj_modify", EREMOTEIO);
	assert_int_equal(form.syndrome, 0x764216);
	assert_call("x/ibrc.cpp:1541: NULL value get_device_list failed ", "ibv_get_device_list", 0);
	assert_call("x/ibrc.cpp:422: NULL value mem registration failed ", "ibv_reg_mr", 0);
	assert_call("x/transport_ib_common.cpp:90: NULL value mem registration failed. Reason: Cannot allocate memory",
		    "ibv_reg_mr", 0);
	assert_call("x/ibrc.cpp:318: NULL value qp creation failed ", "ibv_create_qp", 0);
	assert_call("x/ibgda.cpp:2234: NULL value Unable to create ah.", "ibv_create_ah", 0);
	assert_call("x/ibdevx.cpp:9: NULL value cannot register dbr buf for qpair.", "mlx5dv_devx_umem_reg", 0);
	assert_call("x/ibgda.cpp:1: non-zero status: 22 ibv_modify_qp init2rtr for dct failed.", "ibv_modify_qp", EINVAL);
	assert_call("x/ibrc.cpp:9: non-zero status: 7 ibv_dereg_mr failed ", "ibv_dereg_mr", 0);	/* its own 7 */
	assert_call("0: ibrc.cpp:1: error status: 12 ibv_alloc_pd failed", "ibv_alloc_pd", ENOMEM);
	assert_false(parse("x/ibrc.cpp:1433: non-zero status: 7 ep_connect failed"));
	assert_false(parse("x/transport.cpp:420: non-zero status: 7 connect EPS failed "));
	/* Each message is written in pieces. */
	assert_more("ibrc.cpp:417: non-zero status: 110 ibrc.cpp:417: non-zero status: 110 ibv_modify_qp failed ibv_modify_qp failed",
		    VERBS("ibv_modify_qp", "ibv_modify_qp"), CODES(110, 110));
	assert_more("x:1: non-zero status: 110 ibv_modify_qp failed ibv_reg_mr failed", VERBS("ibv_modify_qp", "ibv_reg_mr"),
		    CODES(110, 0));
	assert_more("x:1: non-zero status: 110 x:2: non-zero status: 22 ibv_modify_qp failed ibv_modify_qp failed",
		    VERBS("ibv_modify_qp", "ibv_modify_qp"), CODES(0, 0));	/* nobody knows which is whose */
	assert_more("Error in mlx5dv_devx_obj_modify for X x:2: non-zero status: 110 ibv_modify_qp failed at once and with all the "
		    "rest with syndrome 5", VERBS("mlx5dv_devx_obj_modify", "ibv_modify_qp"), CODES(0, 110));
	assert_more("ibv_modify_qp failed", VERBS("ibv_modify_qp"), CODES(0));
	assert_more("ibv_modify_qp failed ibv_reg_mr failed \t", VERBS("ibv_modify_qp", "ibv_reg_mr"), CODES(0, 0));
	assert_more("worker-0: ibv_modify_qp failed ", VERBS("ibv_modify_qp"), CODES(0));
	assert_more("ibv_modify_qp failed x", VERBS(NULL), CODES(0));
	assert_more("why ibv_modify_qp failed", VERBS(NULL), CODES(0));
}

static void test_ucx_calls(void **state)
{
	(void)state;
	assert_call("1737742661.094513] [cn0244:260472:0]      ib_mlx5_dv.c:430  UCX  ERROR   mlx5dv_devx_obj_create(QP) failed "
		    "on mlx5_0, syndrome 0x2c4154: Remote I/O error", "mlx5dv_devx_obj_create", EREMOTEIO);
	assert_int_equal(form.syndrome, 0x2c4154);
	assert_who("cn0244", 260472, 0);
	assert_call("Mon Apr  6 14:58:07 2020[1,1]<stdout>:[1586174287.331106] [clx-hercules-015:32494:0]     ib_mlx5_dv.c:217  "
		    "UCX  ERROR mlx5dv_devx_qp_modify(503) failed, syndrome 0: Invalid argument", "mlx5dv_devx_qp_modify", EINVAL);
	assert_int_equal(form.syndrome, 0);
	assert_int_equal(form.when.clock, XPT_RDMA_TIME_UTC);
	assert_true(form.when.ns == 1586174287331106000ull);
	assert_call("[m201:4904 :0]    dc_mlx5.c:580  UCX  ERROR ibv_modify_qp(DCI, RTR) failed : Invalid argument",
		    "ibv_modify_qp", EINVAL);
	assert_string_equal(form.state, "RTR");
	assert_who("m201", 4904, 0);
	assert_call("[n:24148:f]  x.c:1  UCX  ERROR mlx5_0: ibv_create_cq(cqe=4096) failed: Cannot allocate memory : Please set "
		    "max locked memory (ulimit -l) to 'unlimited' (current: 64 kbytes)", "ibv_create_cq", ENOMEM);
	assert_who("n", 24148, 0);
	assert_call("[n:1:0]  x.c:1  UCX  ERROR mlx5_0: ibv_modify_qp(UMR QP 0x12) failed to modify to RTS: Bad address",
		    "ibv_modify_qp", EFAULT);
	assert_string_equal(form.state, "RTS");
	assert_call("[n:1:0]  x.c:1  UCX  ERROR ibv_query_device(mlx5_0) returned 22: Invalid argument", "ibv_query_device", EINVAL);
	assert_call("[n:1:0]  x.c:1  UCX  WARN  modify qp 0x12 to state 2 failed: Invalid argument", "ibv_modify_qp", EINVAL);
	assert_string_equal(form.state, "RTR");
	assert_call("[n:1:0]  x.c:1  UCX  ERROR Failed to modify TM control QP to INIT: Bad address", "ibv_modify_qp", EFAULT);
	assert_string_equal(form.state, "INIT");
	assert_call("[1588956223.719348] [vinci115:55453:0]       ib_iface.c:623  UCX  ERROR iface=0x2535490: failed to create UD QP "
		    "TX wr:256 sge:2 inl:64 RX wr:4096 sge:1 inl 0: Invalid argument", "ibv_create_qp", EINVAL);
	assert_call("spartan-bm035.hpc.unimelb.edu.au:rank1.mpi-pingpong: Failed to modify UD QP to INIT on mlx5_bond_0: Invalid "
		    "argument", "ibv_modify_qp", EINVAL);
	assert_call("E20251113 17:04:35.119301 22885017610048 x.cpp:1] Failed to modify QP's state to RTR in endpoint a of b, "
		    "error code 22:Invalid argument", "ibv_modify_qp", EINVAL);
	assert_who("", 0, 0);		/* no number of a thread is that large */
	assert_string_equal(form.state, "RTR");
	assert_call("E0331 12:03:04.222625 12 x.cpp:1] ibv_close_device(mlx5_0) failed: Device or resource busy",
		    "ibv_close_device", EBUSY);
	assert_call("E0331 12:03:04.222625 12 x.cpp:1] Failed to create QP: Cannot allocate memory [ 12]", "ibv_create_qp", ENOMEM);
	assert_call("Call to ibv_reg_mr failed with error x [0012]", "ibv_reg_mr", ENOMEM);
	assert_false(parse("I0331 12:03:04.222625 12 x.cpp:1] ibv_close_device(mlx5_0) failed: Device or resource busy"));
	assert_false(parse("he said that ibv_reg_mr(x) failed: Bad address"));
}

static void assert_status(const char *line, unsigned status)
{
	if (!parse(line))
		fail_msg("no completion: %s", line);
	assert_int_equal(form.kind, XPT_RDMA_LOG_COMPLETION);
	assert_int_equal(form.status, status);
}

static void test_more_completions(void **state)
{
	(void)state;
	assert_status("[b5244:224582:0:224582] ib_mlx5_log.c:139  Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend "
		      "0x81 hw_synd 0/0)", 12);
	assert_who("b5244", 224582, 224582);
	assert_status("[ast1815:6807 :0:6807] ib_mlx5_log.c:115  FATAL: Error on mlx5_3:1 QP 0xe6d7 wqe[7821]: Transport retry count "
		      "exceeded (synd 0x15 vend 0x81) opcode SEND", 12);
	assert_who("ast1815", 6807, 6807);
	assert_status("[1.5] [n:1:0] x.c:1  UCX  ERROR Remote access error on mlx5_0:1/IB (synd 0x13 vend 0x88 hw_synd 0/0)", 10);
	assert_status("[n:1:0] x.c:1  UCX  ERROR send completion[0] with error on mlx5_0/0x1: local protection error, vendor_err "
		      "0x51 wr_id 0x1", 4);
	assert_status("E0603 20:16:59.104586 27322 worker_pool.cpp:271] Worker: Process failed for slice (opcode: 1, source_addr: 0x7f, "
		      "retry_cnt: 0): transport retry counter exceeded", 12);
	assert_false(parse("DCI QP 0xa9f wqe[0]: SEND s-e [rqpn 0xa66 rlid 703] [inl len 18]"));
	assert_false(parse("x (synd 0x99 vend 0)"));
	assert_true(parse("[1.5] [node01:33913:1]  ib_device.c:482  UCX  WARN  IB Async event on mlx5_0: GID table change on port 1"));
	assert_int_equal(form.kind, XPT_RDMA_LOG_EVENT);
	assert_string_equal(form.text, "GID table change");
	assert_true(parse("n:1:2 [0] NCCL WARN NET/IB : mlx5_0:1 GID table changed"));
	assert_string_equal(form.text, "GID table change");
}

static void test_completions_and_events(void **state)
{
	char buf[32];

	(void)state;
	assert_true(parse("n:984:1357 [4] ib_plugin.c:1615 NCCL WARN NET/IB : Got completion from peer 172.36.143.59<44206> "
			  "with status=12 opcode=0 len=0 vendor err 129 (Recv)"));
	assert_int_equal(form.kind, XPT_RDMA_LOG_COMPLETION);
	assert_int_equal(form.status, 12);
	assert_string_equal(xpt_rdma_log_status(12, buf, sizeof(buf)), "RETRY_EXC_ERR");
	assert_string_equal(xpt_rdma_log_status(77, buf, sizeof(buf)), "status 77");
	assert_true(parse("NET/IB: Got completion from peer 10.0.0.1<5> with status=IBV_WC_REM_ACCESS_ERR(10) opcode=x(1)"));
	assert_int_equal(form.status, 10);
	assert_true(parse("NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 32478, vendor err 129"));
	assert_int_equal(form.status, 12);
	assert_false(parse("NET/IB : Got completion with nothing"));
	assert_true(parse("n:1:2 [0] NCCL WARN NET/IB : Got async event : GID table change"));
	assert_int_equal(form.kind, XPT_RDMA_LOG_EVENT);
	assert_string_equal(form.text, "GID table change");
	assert_true(parse("NCCL WARN NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)"));
	assert_string_equal(form.text, "port error");
	assert_true(parse("NCCL WARN NET/IB : mlx5_3:1 async fatal event on QP (0x732d78661238): local catastrophic error"));
	assert_string_equal(form.text, "local catastrophic error");
	assert_true(parse("W0506 07:33:46.083428 13050 worker_pool.cpp:419] Worker: Received context async event port error "
			  "for context mlx5_10"));
	assert_string_equal(form.text, "port error");
	assert_false(parse("the async event: loop is closed"));
	assert_false(parse("NET/IB : async "));
}

#define WARN "node7:4711:4790 [0] misc/ibvwrap.cc:212 NCCL WARN Call to ibv_reg_mr failed with error Bad address"

static void assert_warn(const char *line)
{
	assert_call(line, "ibv_reg_mr", EFAULT);
	assert_who("node7", 4711, 4790);
	assert_string_equal(form.text, "Call to ibv_reg_mr failed with error Bad address");
}

static void test_wrappers(void **state)
{
	(void)state;
	assert_warn(WARN "\r");
	assert_warn("\r10%|#   |\r" WARN "\r20%|##  |");
	assert_warn("\033[31;1m" WARN "\033[0m\033[K");
	assert_warn("\033]0;title\a" WARN "\033]8;;http://x\033\\");
	assert_warn("\033(B\033[m" WARN);
	assert_warn("{\"log\":\"" WARN "\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-01T00:00:00.0Z\"}");
	assert_warn("{\"stream\":\"stderr\",\"log\":\"\\u001b[31m" WARN "\\u001b[0m\\r\\n\"}");
	assert_warn("[1,12]<stdout>:" WARN);
	assert_warn("Sun Jan 29 12:27:18 2017[1,12]<stderr>:" WARN);
	assert_warn("[prun-host-1@1,0]<stderr>: " WARN);
	assert_warn("\033[36m(RayWorkerWrapper pid=581, ip=10.225.128.18)\033[0m " WARN);
	assert_warn("(RayWorkerWrapper pid=581) " WARN);
	assert_warn("[2026-03-03 12:11:38] " WARN);
	assert_warn("2026-03-03T12:11:38.123456789Z stderr F " WARN);
	assert_warn("2026-03-03T12:11:38.123456789+02:00 " WARN);
	assert_warn("[1,12]<stdout>:(RayWorkerWrapper pid=581) [2026-03-03 12:11:38] " WARN);
	assert_warn("worker-1  | " WARN);
	assert_warn("[default0]:" WARN);
	assert_warn("0: " WARN);
	assert_call("(Engine pid=581, ip=10.2.2.8) E0331 12:03:04.222625   956 x.cpp:1] Failed to create QP: "
		    "Cannot allocate memory [12]", "ibv_create_qp", ENOMEM);
	assert_who("", 581, 956);
	/* A time of day, or a place in a file, is no process. */
	assert_call("2026-01-01 12:11:38 [0] Call to ibv_reg_mr failed with error Bad address", "ibv_reg_mr", EFAULT);
	assert_int_equal(form.pid, 0);
}

/* What is around a line, and two programs that write at once. */
static void test_more_wrappers(void **state)
{
	(void)state;
	assert_warn("Mar 03 12:11:38 node1 python3[4000]: " WARN);
	assert_warn("<14>Mar  3 12:11:38 node1 python3[4000]: " WARN);
	assert_warn("{\"kubernetes\":{\"log\":\"x\"},\"message\":\"" WARN "\",\"@timestamp\":\"2026-03-03T12:11:38.5Z\"}");
	assert_int_equal(form.when.clock, XPT_RDMA_TIME_UTC);
	assert_true(form.when.is_outer);
	assert_warn("[pod/worker-0/pytorch] " WARN);
	assert_warn("[rank0]:" WARN);
	assert_warn(" 12: " WARN);
	assert_warn("10.0.87.143: 10.0.87.143: " WARN);
	assert_call("node7:4711:4790 [ 3] NCCL WARN Call to ibv_reg_mr failed", "ibv_reg_mr", 0);
	assert_who("node7", 4711, 4790);
	assert_call("node7:4711:4790 [-1] misc/ibvwrap.cc:9 (wrap_ibv_reg_mr) NCCL WARN Call to ibv_reg_mr failed", "ibv_reg_mr", 0);
	assert_who("node7", 4711, 4790);
	assert_warn("[2026-03-03 12:11:38] " WARN);
	assert_int_equal(form.when.clock, XPT_RDMA_TIME_LOCAL);
	assert_false(form.when.is_outer);
	assert_warn("2026-03-03T12:11:38.123456789+02:00 stderr F " WARN);
	assert_true(form.when.ns == 1772532698123456789ull);
	assert_true(form.when.is_outer);
	assert_more(WARN "n8:7:8 [1] NCCL WARN Call to ibv_reg_mr failed with error -12", VERBS("ibv_reg_mr", "ibv_reg_mr"),
		    CODES(EFAULT, ENOMEM));
	assert_who("n8", 7, 8);
	assert_more("n:1:2 [0] NCCL INFO hello n:3:4 [0] NCCL WARN Call to ibv_reg_mr failed", VERBS("ibv_reg_mr"), CODES(0));
	assert_who("n", 3, 4);
}

static int64_t delay;

static bool is_delayed(const char *text, bool outer, uint64_t end_s)
{
	struct xpt_rdma_log_time t;

	if (!xpt_rdma_log_time__parse(text, &t))
		fail_msg("no time: %s", text);
	t.is_outer = outer;
	return xpt_rdma_log_time__delay(&t, end_s * 1000000000ull, &delay);
}

static void test_times(void **state)
{
	struct xpt_rdma_log_time t;

	(void)state;
	assert_true(is_delayed("1790000001.5", false, 1790000000));
	assert_int_equal(delay, 1500000000);
	assert_true(is_delayed("2026-09-21T16:13:21+02:00", true, 1790000000));	/* 14:13:20 UTC */
	assert_int_equal(delay, 1000000000);
	assert_true(is_delayed("2026-09-21 19:58:19,5", false, 1790000000));	/* Nepal: 5:45 */
	assert_int_equal(delay, -500000000);
	assert_false(is_delayed("2026-09-23 14:13:20", false, 1790000000));	/* no zone is two days away */
	assert_false(is_delayed("2026-09-21 14:13:20", true, 1790000000));
	assert_true(is_delayed("00:13:19", false, 1790000000));
	assert_int_equal(delay, -1000000000);
	assert_null(xpt_rdma_log_time__parse("2026-13-01 00:00:00", &t));
	assert_null(xpt_rdma_log_time__parse("12:61:00", &t));
	assert_null(xpt_rdma_log_time__parse("12:1", &t));
	assert_null(xpt_rdma_log_time__parse("12345", &t));
}

static void test_hostile_bytes(void **state)
{
	const char *c;

	(void)state;
	assert_call("a\033[2Jb\033]x:1:2 [0] NCCL WARN Call to ibv_reg_mr failed with error \xff\xc2\x9b \xe2\x80\xae\177",
		    "ibv_reg_mr", 0);
	for (c = form.text; *c; c++)
		assert_true((unsigned char)*c >= ' ' && (unsigned char)*c < 0x7f);
	assert_true(parse("x.cpp:1: non-zero status: 121 Error in mlx5dv_devx_obj_modify for \x9b\xe2\x80\xae with syndrome 1"));
	for (c = form.text; *c; c++)
		assert_true((unsigned char)*c >= ' ' && (unsigned char)*c < 0x7f);
	assert_warn("\033" WARN);
	assert_call(WARN "\033", "ibv_reg_mr", EFAULT);
	assert_call(WARN "\033[", "ibv_reg_mr", EFAULT);
	assert_false(parse("{\"log\":\"Call to ibv_\\u0000"));
	assert_false(parse("{\"log\":"));
	assert_true(parse("n\xff:1:2 [0] NCCL WARN Call to ibv_reg_mr failed"));
	assert_string_equal(form.host, "n?");
	assert_call("n:99999999999:2 [0] NCCL WARN Call to ibv_reg_mr failed", "ibv_reg_mr", 0);
	assert_who("", 0, 0);
}

/* --- the table of a log ----------------------------------------------------------------- */

static struct xpt_rdma_nccl *read_text(const char *text, size_t n)
{
	struct xpt_rdma_nccl *nccl = xpt_rdma_nccl__new();
	FILE *f = fmemopen((void *)(uintptr_t)text, n, "r");

	assert_non_null(nccl);
	assert_non_null(f);
	assert_int_equal(xpt_rdma_nccl__read(nccl, f), 0);
	fclose(f);
	return nccl;
}

static struct xpt_rdma_nccl *read_log(const char *text)
{
	return read_text(text, strlen(text));
}

static struct xpt_rdma_trace trace;
static uint64_t now;

/* A call that failed; 0 if no line can be about it, else its number. */
static uint32_t offer(struct xpt_rdma_nccl *nccl, const char *method, const char *host, uint32_t pid, uint32_t tid,
		      int code)
{
	trace = (struct xpt_rdma_trace){ .method = method, .shape = "", .caller = "", .container = "", .host = host,
					 .pid = pid, .tid = tid, .ret = -code, .wall_ns = ++now };
	return xpt_rdma_nccl__offer(nccl, &trace);
}

static void assert_calls(struct xpt_rdma_nccl *nccl, unsigned nr, const uint32_t *calls)
{
	unsigned i;

	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	assert_int_equal(nccl->nr, nr);
	for (i = 0; i < nr; i++)
		if (nccl->line[i].call != calls[i])
			fail_msg("line %u has call %u, not %u", i, nccl->line[i].call, calls[i]);
	xpt_rdma_nccl__free(nccl);
}

#define CALLS(...) (const uint32_t[]){ __VA_ARGS__ }

static void test_once(void **state)
{
	struct xpt_rdma_nccl *nccl = read_log("Call to ibv_create_qp failed with error Cannot allocate memory\n");

	(void)state;
	assert_int_equal(offer(nccl, "create_cq", NULL, 1, 1, ENOMEM), 0);
	assert_int_equal(offer(nccl, "QP_CREATE", NULL, 1, 1, ENOMEM), 1);
	assert_int_equal(offer(nccl, "QP_CREATE", NULL, 1, 1, ENOMEM), 2);
	assert_int_equal(offer(nccl, "QP_CREATE", NULL, 1, 1, EINVAL), 3);
	assert_calls(nccl, 1, CALLS(1));
}

/* Two processes whose lines and calls come in different orders, and two that are not there. */
static void test_processes(void **state)
{
	struct xpt_rdma_nccl *nccl = read_log("n:10:11 [0] NCCL WARN Call to ibv_create_qp failed\n"
					      "n:20:21 [0] NCCL WARN Call to ibv_create_qp failed\n"
					      "other:10:11 [0] NCCL WARN Call to ibv_create_qp failed\n"
					      "n:30:31 [0] NCCL WARN Call to ibv_create_qp failed\n");

	(void)state;
	offer(nccl, "create_qp", "N.cluster.local", 20, 21, ENOMEM);
	offer(nccl, "create_qp", "n", 10, 11, ENOMEM);
	offer(nccl, "create_qp", "n", 10, 11, ENOMEM);
	assert_calls(nccl, 4, CALLS(2, 1, 0, 0));
}

/* Threads go before the process, errors before no error, and numbers are not ignored. */
static void test_exact_first(void **state)
{
	struct xpt_rdma_nccl *nccl = read_log("Call to ibv_create_qp failed\n"
					      "n:10:99 [0] NCCL WARN Call to ibv_create_qp failed with error Bad address\n"
					      "n:10:12 [0] NCCL WARN Call to ibv_create_qp failed\n"
					      "n:10:11 [0] NCCL WARN Call to ibv_create_qp failed with error Unknown error -14\n"
					      "Call to ibv_create_qp failed with error Unknown error 524\n");

	(void)state;
	offer(nccl, "create_qp", "n", 10, 11, EFAULT);
	offer(nccl, "create_qp", "n", 10, 12, EFAULT);
	offer(nccl, "create_qp", "n", 10, 13, EFAULT);
	offer(nccl, "create_qp", "n", 10, 14, ENOMEM);
	assert_calls(nccl, 5, CALLS(4, 3, 2, 1, 0));
}

static void test_states_and_threads(void **state)
{
	struct xpt_rdma_nccl *nccl = read_log("E0101 12:00:00.222625 12 x.cpp:1] Failed to modify QP to RTS, x: Bad address [14]\n"
					      "E0101 12:00:00.222625 12 x.cpp:1] Failed to modify QP to RTR, x: Bad address [14]\n"
					      "E0101 12:00:00.222625 99 x.cpp:1] Failed to modify QP to RTR, x: Bad address [14]\n");
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		trace = (struct xpt_rdma_trace){ .method = "modify_qp", .shape = i ? "RTR>RTS" : "INIT>RTR", .caller = "",
						 .container = "", .pid = 10, .tid = 12, .ret = -EFAULT, .wall_ns = ++now };
		xpt_rdma_nccl__offer(nccl, &trace);
	}
	assert_calls(nccl, 3, CALLS(2, 1, 0));
}

#define RETRY(pid, i) "n:" pid ":1 [0] NCCL INFO Call to ibv_modify_qp failed with 110 Connection timed out, x, retrying " \
	i "/35 after 100 msec of sleep\n"
#define GAVE_UP(pid) "n:" pid ":1 [0] NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, x\n"

static void test_retries(void **state)
{
	struct xpt_rdma_nccl *nccl = read_log(RETRY("1", "1") RETRY("2", "1") RETRY("1", "2") GAVE_UP("1") RETRY("2", "2")
					      GAVE_UP("1") RETRY("2", "1"));
	uint32_t i;

	(void)state;
	assert_int_equal(nccl->nr, 4);
	assert_int_equal(nccl->line[0].retries, 2);
	assert_int_equal(nccl->line[0].number, 4);
	assert_int_equal(nccl->line[0].form.attempt, 0);
	assert_int_equal(nccl->line[1].retries, 1);	/* process 2 went on after its second attempt */
	assert_int_equal(nccl->line[2].retries, 0);
	assert_int_equal(nccl->line[3].retries, 0);
	for (i = 0; i < 4; i++)
		offer(nccl, "modify_qp", "n", 1, 1, ETIMEDOUT);
	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	for (i = 0; i < 4; i++)	/* attempts are taken, too: they come before the warning's own call */
		assert_int_equal(nccl->call[i].line, i == 3 ? 3 : 1);
	assert_int_equal(nccl->line[0].call, 3);
	xpt_rdma_nccl__free(nccl);
}

static void test_questions(void **state)
{
	struct xpt_rdma_nccl *nccl = read_log("n:1:1 [0] NCCL WARN Call to ibv_reg_dmabuf_mr failed with error Bad address\n"
					      "n:2:1 [0] NCCL WARN Call to ibv_reg_dmabuf_mr failed with error Bad address\n"
					      "n:3:1 [0] NCCL WARN Call to ibv_reg_dmabuf_mr failed with error Bad address\n"
					      "n:3:1 [0] NCCL WARN Call to ibv_reg_mr failed with error Bad address\n");
	int i;

	(void)state;
	for (i = 1; i <= 4; i++)
		assert_int_equal(offer(nccl, "REG_DMABUF_MR", "n", i == 4 ? 3 : (uint32_t)i, 1, EFAULT), i);
	nccl->call[0].is_question = true;
	nccl->call[1].is_gone = true;
	nccl->call[2].is_normal = true;
	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	assert_int_equal(nccl->line[0].call, 0);
	assert_true(nccl->line[0].like_normal);
	assert_int_equal(nccl->line[1].call, 0);
	assert_false(nccl->line[1].like_normal);
	assert_int_equal(nccl->line[2].call, 4);	/* not the one that is normal without it */
	assert_int_equal(nccl->line[3].call, 0);	/* another call */
	xpt_rdma_nccl__free(nccl);
}

static void test_counts(void **state)
{
	struct xpt_rdma_nccl *nccl = read_log("x\nNET/IB : Got completion with error 12, y\n"
					      "NET/IB : Got async event : port error\n"
					      "NET/IB : Got completion from peer x with status=5 y\n"
					      "NET/IB : Got completion from peer x with status=12 y\n");

	(void)state;
	assert_int_equal(nccl->nr, 0);
	assert_int_equal(nccl->nr_counts, 3);
	assert_string_equal(nccl->count[0].name, "RETRY_EXC_ERR");
	assert_int_equal(nccl->count[0].n, 2);
	assert_int_equal(nccl->count[0].first, 2);
	assert_string_equal(nccl->count[1].name, "port error");
	assert_int_equal(nccl->count[1].status, 0);
	assert_string_equal(nccl->count[2].name, "WR_FLUSH_ERR");
	xpt_rdma_nccl__free(nccl);
}

/* A long type of events is cut within a character: the name is text all the same, and its lines are one type. */
static void test_cut_name(void **state)
{
	static const char type[] = "123456789012345678901234567890123456789012345678901234567890ab\xc3\xa9 and more";
	char text[512];
	struct xpt_rdma_nccl *nccl;
	int n = snprintf(text, sizeof(text), "NET/IB : Got async event : %s\nNET/IB : Got async event : %s\n", type, type);

	(void)state;
	nccl = read_text(text, (size_t)n);
	assert_int_equal(nccl->nr_counts, 1);
	assert_int_equal(nccl->count[0].n, 2);
	assert_string_equal(nccl->count[0].name, "123456789012345678901234567890123456789012345678901234567890ab?");
	xpt_rdma_nccl__free(nccl);
}

/* Many lines, long ones, and zero bytes: numbers stay those of the file, and what is left out is counted. */
static void test_sizes(void **state)
{
	enum { MANY = XPT_RDMA_NCCL_LINES + 7, LONG = 1 << 20 };
	static const char line[] = "Call to ibv_reg_mr failed\n";
	const size_t size = LONG + MANY * sizeof(line) + 64;
	char *text = malloc(size);
	struct xpt_rdma_nccl *nccl;
	size_t n = LONG;
	int i;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	memcpy(text + 4000, " Call to ibv_reg_pd failed ", 27);
	memcpy(text + LONG - 40, "Call to ibv_dereg_mr failed\n", 28);	/* is cut off, and the line ends there */
	text[100] = '\0';
	text[LONG - 1] = '\n';
	for (i = 0; i < MANY; i++, n += sizeof(line) - 1)
		memcpy(text + n, line, sizeof(line) - 1);
	n--;		/* the last line has no end */
	nccl = read_text(text, n);
	assert_int_equal(nccl->cut, 1);
	assert_int_equal(nccl->nr, XPT_RDMA_NCCL_LINES);
	assert_string_equal(nccl->line[0].form.verb, "ibv_reg_pd");
	assert_int_equal(nccl->line[0].number, 1);
	assert_string_equal(nccl->line[1].form.verb, "ibv_reg_mr");
	assert_int_equal(nccl->line[1].number, 3);
	assert_int_equal(nccl->line[2000].number, 2002);
	assert_int_equal(nccl->left_out, MANY + 1 - XPT_RDMA_NCCL_LINES);
	xpt_rdma_nccl__free(nccl);
	free(text);
}

/* Names and kinds have limits of their own. */
static void test_kinds(void **state)
{
	enum { MANY = 300 };
	char text[MANY * 128];
	struct xpt_rdma_nccl *nccl;
	size_t n = 0;
	int i;

	(void)state;
	for (i = 0; i < MANY; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "Call to ibv_call%d failed\nNET/IB : Got async event : %d\n",
				      i, i);
	nccl = read_text(text, n);
	assert_int_equal(nccl->nr, XPT_RDMA_NCCL_VERBS);
	assert_int_equal(nccl->nr_counts, XPT_RDMA_NCCL_COUNTS);
	assert_int_equal(nccl->left_out, 2 * MANY - XPT_RDMA_NCCL_VERBS - XPT_RDMA_NCCL_COUNTS);
	assert_int_equal(offer(nccl, "call255", "n", 1, 1, EFAULT), 1);
	assert_int_equal(offer(nccl, "call256", "n", 1, 1, EFAULT), 0);
	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	assert_int_equal(nccl->line[255].call, 1);
	for (i = 0; i < XPT_RDMA_NCCL_CALLS; i++)
		offer(nccl, "call1", "n", 1, 1, EFAULT);
	assert_int_equal(nccl->nr_calls, XPT_RDMA_NCCL_CALLS);
	assert_int_equal(nccl->calls_left_out, 1);
	xpt_rdma_nccl__free(nccl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nccl_calls), cmocka_unit_test(test_other_calls),
		cmocka_unit_test(test_nvshmem), cmocka_unit_test(test_times_are_no_hosts), cmocka_unit_test(test_ucx_calls), cmocka_unit_test(test_more_completions),
		cmocka_unit_test(test_completions_and_events), cmocka_unit_test(test_wrappers),
		cmocka_unit_test(test_more_wrappers), cmocka_unit_test(test_times),
		cmocka_unit_test(test_hostile_bytes), cmocka_unit_test(test_once), cmocka_unit_test(test_processes),
		cmocka_unit_test(test_exact_first), cmocka_unit_test(test_states_and_threads),
		cmocka_unit_test(test_retries), cmocka_unit_test(test_questions),
		cmocka_unit_test(test_counts), cmocka_unit_test(test_cut_name), cmocka_unit_test(test_sizes), cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
