/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which traced call a line of a job's log is about, rdma/trace/job_log/nccl_log.h: processes and hosts, containers,
 * times, order, what cannot be told, and what very many lines cost.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "rdma/trace/evidence/firmware.h"
#include "rdma/trace/job_log/nccl_log.h"

#define SECOND 1000000000ull
#define START 1790000000	/* 2026-09-21 14:13:20 UTC */
#define FAULT " failed with error Bad address\n"

static struct xpt_rdma_nccl *nccl;
static struct xpt_rdma_trace trace;

static void read_log(const char *text)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	nccl = xpt_rdma_nccl__new();
	assert_non_null(nccl);
	assert_non_null(f);
	assert_int_equal(xpt_rdma_nccl__read(nccl, f), 0);
	fclose(f);
}

/* Offers trace as it is, at a time after START, with a way that tells calls apart. */
static void offer_trace(uint64_t ms, const char *way)
{
	uint32_t call;

	trace.wall_ns = START * SECOND + ms * 1000000;
	call = xpt_rdma_nccl__offer(nccl, &trace);
	assert_int_not_equal(call, 0);
	snprintf(nccl->call[call - 1].way, sizeof(nccl->call[call - 1].way), "%s", way);
}

static void offer(const char *host, uint32_t pid, uint32_t tid, int code, uint64_t ms, const char *way)
{
	trace = (struct xpt_rdma_trace){ .method = "reg_mr", .shape = "", .caller = "", .container = "", .host = host,
					 .pid = pid, .tid = tid, .ret = -code };
	offer_trace(ms, way);
}

/* What each line has: the number of its call, 0: none, -N: it cannot tell between N. */
static void assert_calls(unsigned nr, const int *calls)
{
	unsigned i;

	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	assert_int_equal(nccl->nr, nr);
	for (i = 0; i < nr; i++) {
		int has = nccl->line[i].call ? (int)nccl->line[i].call : -(int)nccl->line[i].choices;

		if (has != calls[i])
			fail_msg("line %u has %d, not %d", i, has, calls[i]);
	}
	xpt_rdma_nccl__free(nccl);
}

#define CALLS(...) (const int[]){ __VA_ARGS__ }

static void test_hosts(void **state)
{
	(void)state;
	read_log("n1:10:10 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "n2.a.org:10:10 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "N3:10:10 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "n4.b.org:10:10 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "10.0.0.5:10:10 [0] NCCL WARN Call to ibv_reg_mr" FAULT);
	offer("n3.a.org", 10, 10, EFAULT, 0, "a");
	offer("n2.a.org", 10, 10, EFAULT, 0, "b");
	offer("n1.a.org", 10, 10, EFAULT, 0, "c");
	offer("n4.a.org", 10, 10, EFAULT, 0, "d");
	offer("10.0.0.6", 10, 10, EFAULT, 0, "e");
	assert_calls(5, CALLS(3, 2, 1, 0, 0));
	/* Whole names of hosts and addresses tell processes apart, though their first labels do not. */
	read_log("n4.a.org:10:10 [0] NCCL WARN Call to ibv_reg_mr" FAULT "n4.b.org:10:10 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "10.0.0.5:9:9 [0] NCCL WARN Call to ibv_reg_mr" FAULT "10.0.0.6:9:9 [0] NCCL WARN Call to ibv_reg_mr" FAULT);
	offer("n4.a.org", 10, 10, EFAULT, 0, "a");
	offer("n4.a.org", 10, 10, EFAULT, 1, "a");
	offer("10.0.0.6", 9, 9, EFAULT, 0, "a");
	offer("10.0.0.6", 9, 9, EFAULT, 1, "a");
	assert_calls(4, CALLS(1, 0, 0, 3));
}

/* Ids of a namespace, with the name of the machine there; a process outside of it may have the same ones. */
static void test_namespaces(void **state)
{
	static const uint32_t pid[] = { 1000, 2000, 3000 };
	static const char *const pod[] = { "pod-a", "pod-b", "" };
	int i;

	(void)state;
	read_log("pod-b:88:90 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "pod-a:88:90 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "pod-c:88:90 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "node:1000:1001 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "node:88:90 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "node:88:90 [0] NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory\n");
	for (i = 0; i < 3; i++) {
		trace = (struct xpt_rdma_trace){ .method = "reg_mr", .shape = "", .caller = "", .host = "node",
						 .container = "0123456789ab", .pid = pid[i], .tid = pid[i] + 1, .ret = -EFAULT,
						 .ns_pid = 88, .ns_tid = 90, .ns_host = pod[i] };
		offer_trace(0, pod[i]);
	}
	offer("node", 88, 90, ENOMEM, 0, "d");
	assert_calls(6, CALLS(2, 1, 0, 0, 3, 4));
}

/* Older files have no ids of containers: a line takes a call if all that it may mean are alike. */
static void offer_contained(uint32_t pid, const char *way)
{
	trace = (struct xpt_rdma_trace){ .method = "reg_mr", .shape = "", .caller = "", .host = "node",
					 .container = "0123456789ab", .pid = pid, .tid = pid, .ret = -EFAULT };
	offer_trace(pid, way);
}

#define PODS "pod-a:88:90 [0] NCCL WARN Call to ibv_reg_mr" FAULT "pod-b:88:90 [0] NCCL WARN Call to ibv_reg_mr" FAULT \
	"pod-a:88:90 [0] NCCL WARN Call to ibv_reg_mr" FAULT "node:7:7 [0] NCCL WARN Call to ibv_reg_mr" FAULT

static void test_old_containers(void **state)
{
	(void)state;
	read_log(PODS);
	offer_contained(1000, "a");
	offer_contained(2000, "a");
	offer_contained(1000, "a");
	offer_contained(3000, "a");
	offer("node", 7, 7, ENOMEM, 0, "a");	/* process 7 is in no container */
	assert_calls(4, CALLS(1, 2, 3, 0));
	read_log(PODS);
	offer_contained(1000, "a");
	offer_contained(2000, "b");
	assert_calls(4, CALLS(-2, -2, -2, -2));
}

static void test_order(void **state)
{
	(void)state;
	/* As many lines as calls of a thread: the order tells. Of different processes it does not. */
	read_log("n:1:1 [0] NCCL WARN Call to ibv_reg_mr" FAULT "n:1:1 [0] NCCL WARN Call to ibv_reg_mr" FAULT);
	offer("n", 1, 1, EFAULT, 2, "b");
	offer("n", 1, 1, EFAULT, 1, "a");
	assert_calls(2, CALLS(2, 1));
	read_log("Call to ibv_reg_mr" FAULT "Call to ibv_reg_mr" FAULT);
	offer("n", 1, 1, EFAULT, 1, "a");
	offer("n", 2, 2, EFAULT, 2, "b");
	assert_calls(2, CALLS(-2, -2));
	/* One line of two calls that differ. */
	read_log("n:1:1 [0] NCCL WARN Call to ibv_reg_mr" FAULT);
	offer("n", 1, 1, EFAULT, 1, "a");
	offer("n", 1, 1, EFAULT, 2, "b");
	assert_calls(1, CALLS(-2));
	/* Without an error in the line, calls with different errors differ. */
	read_log("n:1:1 [0] NCCL WARN Call to ibv_reg_mr failed\n");
	offer("n", 1, 1, EFAULT, 1, "a");
	offer("n", 1, 1, ENOMEM, 2, "a");
	assert_calls(1, CALLS(-2));
}

/* The order of calls is that of the monotonic clock, also where somebody set the wall clock in between. */
static void test_wall_clock(void **state)
{
	int i;

	(void)state;
	read_log("n1:10:10 [0] NCCL WARN Call to ibv_reg_mr" FAULT "n1:10:10 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "n1:10:10 [0] NCCL WARN Call to ibv_reg_mr" FAULT);
	for (i = 0; i < 3; i++) {
		trace = (struct xpt_rdma_trace){ .method = "reg_mr", .shape = "", .caller = "", .container = "", .host = "n1",
						 .boot_id = "1f0e", .pid = 10, .tid = 10, .ret = -EFAULT,
						 .monotonic_ns = (5 + i) * SECOND };
		offer_trace(i == 1 ? 5000 : (uint64_t)i, i ? i > 1 ? "c" : "b" : "a");
	}
	assert_calls(3, CALLS(1, 2, 3));
}

/* Calls of two boots of a machine are of two processes: a line has attempts of one of them. */
static void test_boots(void **state)
{
	static const char *const boot[] = { "b1", "b2", "b1", "b2" };
	int i;

	(void)state;
	read_log("pod:8:8 [0] NCCL INFO Call to ibv_reg_mr failed with 14 Bad address, x, retrying 1/35 after 100 msec of sleep\n"
		 "pod:8:8 [0] NCCL WARN Call to ibv_reg_mr failed with 14 Bad address, x\n");
	for (i = 0; i < 4; i++) {
		trace = (struct xpt_rdma_trace){ .method = "reg_mr", .shape = "", .caller = "", .container = "", .host = "pod",
						 .boot_id = boot[i], .pid = 8, .tid = 8, .ret = -EFAULT };
		offer_trace(i < 2 ? (uint64_t)i : 5000u + (uint64_t)i, "a");
	}
	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	assert_int_equal(nccl->nr, 1);
	assert_int_not_equal(nccl->line[0].call, 0);
	for (i = 0; i < 4; i++)
		if (nccl->call[i].line)
			assert_string_equal(nccl->call[i].boot_id, nccl->call[nccl->line[0].call - 1].boot_id);
	xpt_rdma_nccl__free(nccl);
}

/* What a better line leaves over may be all that another one can mean; what it cannot choose from it keeps. */
static void test_rounds(void **state)
{
	(void)state;
	read_log("Call to ibv_reg_mr failed\n"
		 "n:1:1 [0] NCCL WARN Call to ibv_reg_mr failed\n"
		 "n:1:1 [0] NCCL WARN Call to ibv_reg_mr" FAULT);
	offer("n", 2, 2, EFAULT, 1, "a");
	offer("n", 1, 1, EFAULT, 2, "b");
	offer("n", 1, 1, ENOMEM, 3, "c");
	assert_calls(3, CALLS(1, 3, 2));
	read_log("Call to ibv_reg_mr" FAULT "n:1:1 [0] NCCL WARN Call to ibv_reg_mr failed\n");
	offer("n", 1, 1, EFAULT, 1, "a");
	offer("n", 1, 1, ENOMEM, 2, "b");
	assert_calls(2, CALLS(0, -2));
	/* Two names that one call may have, and the call of another thread. */
	read_log("n:1:1 [0] NCCL WARN Call to ibv_reg_mr" FAULT "n:1:1 [0] NCCL WARN Call to ibv_reg_mr_iova2" FAULT
		 "n:1:9 [0] NCCL WARN Call to ibv_reg_mr" FAULT);
	offer("n", 1, 1, EFAULT, 1, "a");
	assert_calls(3, CALLS(-1, -1, 0));
}

static void test_times(void **state)
{
	(void)state;
	/* Seconds since 1970: the call of that moment, whatever the order. */
	read_log("[1790000010.5] [n:1:0] x.c:1  UCX  ERROR ibv_reg_mr(x) failed: Bad address\n"
		 "[1790000000.5] [n:1:0] x.c:1  UCX  ERROR ibv_reg_mr(x) failed: Bad address\n"
		 "[1790000900.5] [n:1:0] x.c:1  UCX  ERROR ibv_reg_mr(x) failed: Bad address\n");
	offer("n", 1, 1, EFAULT, 100, "a");
	offer("n", 1, 1, EFAULT, 5000, "b");
	offer("n", 1, 1, EFAULT, 10100, "c");
	assert_calls(3, CALLS(3, 1, 0));
	/* A day without a year, and no process: only the time tells. */
	read_log("E0921 16:13:21.000000 0 x.cpp:1] Failed to register memory 0x1: Bad address [14]\n"
		 "E0921 16:13:31.000000 0 x.cpp:1] Failed to register memory 0x1: Bad address [14]\n");
	offer("n", 1, 1, EFAULT, 900, "a");
	offer("n", 2, 2, EFAULT, 10900, "b");
	assert_calls(2, CALLS(1, 2));
	/* What took the line over may have waited, but it did not write before the call ended. */
	read_log("2026-09-21T14:13:10Z stderr F Call to ibv_reg_mr" FAULT "2026-09-21T14:53:20Z stderr F Call to ibv_reg_mr" FAULT);
	offer("n", 1, 1, EFAULT, 100, "a");
	assert_calls(2, CALLS(0, 1));
	/* A line of another time is none of those for which the order of two calls would tell. */
	read_log("[2026-09-21 14:13:20] n:1:1 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "[2026-09-21 16:20:20] n:1:1 [0] NCCL WARN Call to ibv_reg_mr" FAULT);
	offer("n", 1, 1, EFAULT, 100, "a");
	offer("n", 1, 1, EFAULT, 200, "b");
	assert_calls(2, CALLS(-2, 0));
	/* Two at once in one second: their order. */
	read_log("[2026-09-21 14:13:20] n:1:1 [0] NCCL WARN Call to ibv_reg_mr" FAULT
		 "[2026-09-21 14:13:20] n:1:1 [0] NCCL WARN Call to ibv_reg_mr" FAULT);
	offer("n", 1, 1, EFAULT, 100, "a");
	offer("n", 1, 1, EFAULT, 200, "b");
	assert_calls(2, CALLS(1, 2));
}

static void test_syndromes(void **state)
{
	static const struct xpt_rdma_firmware first = { .syndrome = 0x111 }, second = { .syndrome = 0x2c4154 };

	(void)state;
	read_log("[n:1:0] x.c:1  UCX  ERROR mlx5dv_devx_obj_create(QP) failed on mlx5_0, syndrome 0x2c4154: Remote I/O error\n");
	trace = (struct xpt_rdma_trace){ .method = "DEVX_OBJ_CREATE", .shape = "", .caller = "", .container = "", .host = "n",
					 .pid = 1, .tid = 1, .ret = -EREMOTEIO, .firmware = &first };
	offer_trace(1, "a");
	trace.firmware = &second;
	offer_trace(2, "b");
	assert_calls(1, CALLS(2));
}

#define RETRY(i) "n:1:1 [0] NCCL INFO Call to ibv_modify_qp failed with 110 Connection timed out, x, retrying " i \
	"/35 after 100 msec of sleep\n"

/* The attempts of a call that is tried again are its own, though they differ from calls of others. */
static void test_attempts(void **state)
{
	int i;

	(void)state;
	read_log(RETRY("1") RETRY("2") "n:1:1 [0] NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, x\n"
		 "n:1:1 [0] NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, x\n");
	for (i = 0; i < 4; i++) {
		trace = (struct xpt_rdma_trace){ .method = "modify_qp", .shape = "INIT>RTR", .caller = "", .container = "",
						 .host = "n", .pid = 1, .tid = 1, .ret = -ETIMEDOUT };
		offer_trace((uint64_t)i, i == 3 ? "b" : "a");
	}
	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(nccl->call[i].line, i == 3 ? 2 : 1);
	xpt_rdma_nccl__free(nccl);
}

/* An attempt of hours before is none of this call. */
static void test_old_attempts(void **state)
{
	(void)state;
	read_log(RETRY("1") "n:1:1 [0] NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, x\n");
	trace = (struct xpt_rdma_trace){ .method = "modify_qp", .shape = "INIT>RTR", .caller = "", .container = "",
					 .host = "n", .pid = 1, .tid = 1, .ret = -ETIMEDOUT };
	offer_trace(0, "a");
	offer_trace(7200000, "a");
	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	assert_int_equal((nccl->call[0].line == 1) + (nccl->call[1].line == 1), 1);
	xpt_rdma_nccl__free(nccl);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Lines and calls that are made to be compared with one another, each with a time and a thread of its own. */
static void test_budget(void **state)
{
	enum { MANY = 20000, LINE = 160 };
	char *text = malloc((size_t)MANY * LINE), way[16];
	size_t n = 0;
	double before;
	int i;

	(void)state;
	assert_non_null(text);
	for (i = 0; i < MANY; i++)
		n += (size_t)snprintf(text + n, LINE, "[%d.5] [h:1:0] x.c:1  UCX  ERROR ibv_reg_mr(x) failed: Bad address\n"
				      "h:%d:%d [0] NCCL WARN Call to ibv_reg_mr failed\n", START + i % 7, 1, i + 9);
	read_log(text);
	for (i = 0; i < MANY; i++) {
		snprintf(way, sizeof(way), "%d", i);
		offer("h", 1, 5, EFAULT, (uint64_t)i, way);
	}
	before = cpu_seconds();
	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	print_message("# %d lines and %d calls: %.3f s\n", nccl->nr, nccl->nr_calls, cpu_seconds() - before);
	assert_true(nccl->not_compared > 0);
	for (i = 0; i < (int)nccl->nr; i++)
		assert_int_equal(nccl->line[i].call, 0);
	xpt_rdma_nccl__free(nccl);
	free(text);
}

/* The same number of lines of ordinary kinds is compared in full. */
static void test_ordinary(void **state)
{
	enum { MANY = 20000, LINE = 80 };
	char *text = malloc((size_t)MANY * LINE);
	size_t n = 0;
	int i;

	(void)state;
	assert_non_null(text);
	for (i = 0; i < MANY; i++)
		n += (size_t)snprintf(text + n, LINE, "h:%d:%d [0] NCCL WARN Call to ibv_reg_mr" FAULT, i % 512 + 1, i % 512 + 1);
	read_log(text);
	for (i = 0; i < MANY; i++)
		offer("h", (uint32_t)(i % 512) + 1, (uint32_t)(i % 512) + 1, EFAULT, (uint64_t)i, i % 3 ? "a" : "b");
	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	assert_int_equal(nccl->not_compared, 0);
	for (i = 0; i < MANY; i++)
		assert_int_equal(nccl->line[i].call, i + 1);
	xpt_rdma_nccl__free(nccl);
	free(text);
}

/* Lines of which none has a call cost little, however many calls there are, and all of them are compared. */
static void test_without_calls(void **state)
{
	enum { MANY = 20000, LINE = 80 };
	char *text = malloc((size_t)MANY * LINE);
	size_t n = 0;
	int i;

	(void)state;
	assert_non_null(text);
	for (i = 0; i < MANY; i++)
		n += (size_t)snprintf(text + n, LINE, "h:%d:%d [0] NCCL WARN Call to ibv_reg_mr" FAULT, i + 1, i + 1);
	read_log(text);
	for (i = 0; i < MANY; i++)
		offer("g", (uint32_t)i + 1, (uint32_t)i + 1, EFAULT, (uint64_t)i, "a");
	nccl->call[7].is_question = true;	/* of process 8, on another host, too */
	nccl->call[8].is_question = true;
	snprintf(nccl->call[8].host, sizeof(nccl->call[8].host), "h");
	assert_int_equal(xpt_rdma_nccl__match(nccl), 0);
	assert_int_equal(nccl->not_compared, 0);
	for (i = 0; i < MANY; i++) {
		assert_int_equal(nccl->line[i].call, 0);
		assert_int_equal(nccl->line[i].like_normal, i == 8);
	}
	xpt_rdma_nccl__free(nccl);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts), cmocka_unit_test(test_namespaces), cmocka_unit_test(test_old_containers),
		cmocka_unit_test(test_order), cmocka_unit_test(test_rounds), cmocka_unit_test(test_wall_clock), cmocka_unit_test(test_boots), cmocka_unit_test(test_times),
		cmocka_unit_test(test_syndromes), cmocka_unit_test(test_attempts), cmocka_unit_test(test_old_attempts), cmocka_unit_test(test_budget),
		cmocka_unit_test(test_ordinary), cmocka_unit_test(test_without_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
