/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/job_log/log_forms.h: several messages on one line, as programs that write at once leave them, each
 * with its own program and time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "rdma/trace/job_log/log_lines.h"
#include "rdma/trace/job_log/log_forms.h"

#define SECOND 1000000000ull
#define MR "ibv_reg_mr(address=0x1) failed: Bad address"
#define CQ "ibv_create_cq(cqe=1) failed: Cannot allocate memory"

/* Appends "HOST:PID VERB ERRNO @SECONDS; ": what the line does not say is "", 0, or no @. */
static void add_form(const struct xpt_rdma_log_form *f, char *to, size_t room)
{
	size_t n = strlen(to);

	n += (size_t)snprintf(to + n, room - n, "%s:%u %s %d", f->host, f->pid, f->verb, f->code);
	if (f->when.clock)
		n += (size_t)snprintf(to + n, room - n, " @%llu", (unsigned long long)(f->when.ns / SECOND % 100000));
	snprintf(to + n, room - n, "; ");
}

static void assert_messages(const char *line, const char *want)
{
	struct xpt_rdma_log_tag tag = { 0 };
	struct xpt_rdma_log_scan scan;
	struct xpt_rdma_log_form form;
	char *copy = strdup(line), got[512] = "";

	assert_non_null(copy);
	xpt_rdma_log_form__begin(&scan, xpt_rdma_log__text(copy, &tag), &tag);
	while (xpt_rdma_log_form__next(&scan, &form))
		add_form(&form, got, sizeof(got));
	assert_string_equal(got, want);
	assert_string_equal(copy, line);
	free(copy);
}

static void test_ucx(void **state)
{
	(void)state;
	assert_messages("[n1:1:0] x.c:1  UCX  ERROR " MR "[n2:2:0] x.c:1  UCX  ERROR " CQ,
			"n1:1 ibv_reg_mr 14; n2:2 ibv_create_cq 12; ");
	assert_messages("[1790000000.5] [n1:1:0] x.c:1  UCX  ERROR " MR " [1790000010.5] [n2:2:0] x.c:1  UCX  WARN  " CQ,
			"n1:1 ibv_reg_mr 14 @0; n2:2 ibv_create_cq 12 @10; ");
	assert_messages("[n1:1:0] x.c:1  UCX  ERROR " MR "[n2:2:0] x.c:1  UCX  ERROR " CQ "[n3:3:0] x.c:1  UCX  ERROR " MR,
			"n1:1 ibv_reg_mr 14; n2:2 ibv_create_cq 12; n3:3 ibv_reg_mr 14; ");
	/* What UCX says quietly is still no failure, wherever it is on the line. */
	assert_messages("[n1:1:0] x.c:1  UCX  DEBUG " MR "[n2:2:0] x.c:1  UCX  ERROR " CQ, "n2:2 ibv_create_cq 12; ");
	assert_messages("[n1:1:0] x.c:1  UCX  ERROR " MR "[n2:2:0] x.c:1  UCX  DEBUG " CQ, "n1:1 ibv_reg_mr 14; ");
	/* The name alone begins no message. */
	assert_messages("[n1:1:0] x.c:1  UCX  ERROR ibv_reg_mr(for UCX memory) failed: Bad address", "n1:1 ibv_reg_mr 14; ");
}

static void test_others_beside_ucx(void **state)
{
	(void)state;
	assert_messages("n1:1:1 [0] NCCL WARN Call to ibv_reg_mr failed with error Bad address[n2:2:0] x.c:1  UCX  ERROR " CQ,
			"n1:1 ibv_reg_mr 14; n2:2 ibv_create_cq 12; ");
	assert_messages("[n2:2:0] x.c:1  UCX  ERROR " CQ "n1:1:1 [0] NCCL WARN Call to ibv_reg_mr failed with error Bad address",
			"n2:2 ibv_create_cq 12; n1:1 ibv_reg_mr 14; ");
}

#define NCCL(who, reason) who ":1:1 [0] NCCL WARN Call to ibv_reg_mr failed with error " reason

static void test_times(void **state)
{
	(void)state;
	/* 14:13:20 and 14:13:31 UTC of the day. */
	assert_messages("[2026-09-21 14:13:20] " NCCL("n1", "Bad address") "[2026-09-21 14:13:31] " NCCL("n2", "Bad address"),
			"n1:1 ibv_reg_mr 14 @0; n2:1 ibv_reg_mr 14 @11; ");
	assert_messages("[2026-09-21 14:13:20] " NCCL("n1", "Bad address") NCCL("n2", "Bad address"),
			"n1:1 ibv_reg_mr 14 @0; n2:1 ibv_reg_mr 14 @0; ");
	assert_messages(NCCL("n1", "Bad address") " [2026-09-21 14:13:31] " NCCL("n2", "Bad address"),
			"n1:1 ibv_reg_mr 14; n2:1 ibv_reg_mr 14 @11; ");
}

#define SHMEM "x/ibrc.cpp:417: non-zero status: 110 ibv_modify_qp failed"

static void test_nvshmem_last(void **state)
{
	(void)state;
	assert_messages(NCCL("n1", "Bad address") " " SHMEM, "n1:1 ibv_reg_mr 14; :0 ibv_modify_qp 110; ");
	assert_messages(NCCL("n1", "Bad address") SHMEM, "n1:1 ibv_reg_mr 14; :0 ibv_modify_qp 110; ");
	assert_messages(NCCL("n1", "Bad address") NCCL("n2", "Cannot allocate memory") " " SHMEM,
			"n1:1 ibv_reg_mr 14; n2:1 ibv_reg_mr 12; :0 ibv_modify_qp 110; ");
	assert_messages(SHMEM " " NCCL("n1", "Bad address"), ":0 ibv_modify_qp 110; n1:1 ibv_reg_mr 14; ");
	assert_messages(SHMEM " " NCCL("n1", "Bad address") " " SHMEM,
			":0 ibv_modify_qp 110; n1:1 ibv_reg_mr 14; :0 ibv_modify_qp 110; ");
	/* A piece before the message of NCCL, and one after it. */
	assert_messages("x/ibrc.cpp:417: non-zero status: 110 " NCCL("n1", "Bad address") " ibv_modify_qp failed",
			"n1:1 ibv_reg_mr 14; :0 ibv_modify_qp 110; ");
	assert_messages("[n2:2:0] x.c:1  UCX  ERROR " CQ " " SHMEM, "n2:2 ibv_create_cq 12; :0 ibv_modify_qp 110; ");
}

/* A text of that many times one message. Free it. */
static char *repeat(const char *message, size_t n)
{
	size_t len = strlen(message), i;
	char *text = malloc(n * len + 1);

	assert_non_null(text);
	for (i = 0; i < n; i++)
		memcpy(text + i * len, message, len);
	text[n * len] = '\0';
	return text;
}

/* Reads all messages of a text. Returns how many. */
static size_t read_all(char *text, struct xpt_rdma_log_scan *ret_scan)
{
	struct xpt_rdma_log_tag tag = { 0 };
	struct xpt_rdma_log_form form;
	size_t n = 0;

	xpt_rdma_log_form__begin(ret_scan, text, &tag);
	while (xpt_rdma_log_form__next(ret_scan, &form))
		n++;
	return n;
}

/* The end of a segment is looked for once, however many messages it has. */
static void test_many_messages(void **state)
{
	static const struct {
		const char *message;
		size_t nr;	/* in it */
	} texts[] = {
		{ SHMEM " ", 1 }, { SHMEM " " NCCL("n1", "Bad address") " ", 2 }, { NCCL("n1", "Bad address") " ", 1 },
		{ "[n2:2:0] x.c:1  UCX  ERROR " CQ " " SHMEM " " SHMEM " ", 3 },
	};
	struct xpt_rdma_log_scan scan;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *text = repeat(texts[i].message, 3000);

		assert_int_equal(read_all(text, &scan), 3000 * texts[i].nr);
		assert_in_range(scan.searched, 1, 4 * strlen(text));
		free(text);
	}
}

/* Processor time for the text, the least of some tries. */
static uint64_t time_of(const char *message, size_t n)
{
	char *text = repeat(message, n);
	struct xpt_rdma_log_scan scan;
	uint64_t least = UINT64_MAX;
	struct timespec a, b;
	int i;

	memcpy(text, ": NULL value ", 13);	/* without a status nothing is taken for NVSHMEM's */
	for (i = 0; i < 5; i++) {
		uint64_t ns;

		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
		read_all(text, &scan);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
		ns = (uint64_t)(b.tv_sec - a.tv_sec) * SECOND + (uint64_t)b.tv_nsec - (uint64_t)a.tv_nsec;
		least = ns < least ? ns : least;
	}
	free(text);
	return least;
}

/* Sixteen times the text takes nowhere near 256 times as long. */
static void test_linear(void **state)
{
	static const char *const texts[] = { SHMEM " ", "ibv_", "x: NULL value ", "mlx5dv_x " };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		uint64_t small, large;
		char *text = repeat(texts[i], 1);
		size_t n = 8192 / strlen(text);

		free(text);
		small = time_of(texts[i], n);
		large = time_of(texts[i], 16 * n);
		assert_true(large < 64 * small);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ucx), cmocka_unit_test(test_others_beside_ucx), cmocka_unit_test(test_times),
		cmocka_unit_test(test_nvshmem_last), cmocka_unit_test(test_many_messages), cmocka_unit_test(test_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
