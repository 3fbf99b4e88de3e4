/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * session/rdma/context/free_memory.h: the free memory of the machine when a call got none, in the line of the call and
 * in its verdict.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "rdma/trace/trace_json.h"
#include "rdma/verdict/judge.h"
#include "session/rdma/context/free_memory.h"

static struct xpt_rdma_node node = { .fn = "pin_user_pages_fast", .module = "kernel", .ret = -ENOMEM,
				     .ret_type = XPT_RDMA_RET_INT };
static struct xpt_rdma_trace t;

static void read_text(const char *text)
{
	char path[] = "/tmp/xpt-meminfo-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	t = (struct xpt_rdma_trace){ .method = "reg_mr", .object = "", .shape = "", .device = "d", .driver = "x",
				     .driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "",
				     .caller = "", .outer = "", .node = &node, .nr = 1, .ret = -ENOMEM };
	xpt_rdma_memory__find(path, &t);
	unlink(path);
}

/* Whether the verdict on the call has that line, after the call was written and read. */
static bool says(const char *what)
{
	struct xpt_rdma_trace *again;
	struct xpt_rdma_verdict v;
	struct xpt_strbuf sb;
	bool found;

	xpt_strbuf__init(&sb, 1 << 16);
	assert_int_equal(xpt_rdma_trace__copy(&t, &again), 0);
	xpt_rdma_judge(again, NULL, NULL, &v);
	xpt_rdma_verdict__text(again, &v, false, &sb);
	xpt_rdma_verdict__brief(again, &v, &sb);
	found = strstr(xpt_strbuf__str(&sb), what);
	xpt_rdma_trace__free(again);
	xpt_strbuf__free(&sb);
	return found;
}

static void test_memory(void **state)
{
	(void)state;
	read_text("MemTotal: 16 kB\nMemFree:          1048576 kB\nMemAvailable: 7 kB\n"
		  "CmaTotal:  2097152 kB\nCmaFree: 921600 kB\n");
	assert_true(t.memory_free == 1ull << 30 && t.cma_total == 2ull << 30 && t.cma_free == 900ull << 20);
	assert_true(says("\n  Memory: 1.0 GiB free, 900.0 MiB of it in CMA (2.0 GiB)\n"));
	assert_true(says("\n    memory: 1.0 GiB free, 900.0 MiB of it in CMA (2.0 GiB)\n"));
	read_text("MemFree: 512 kB\nCmaTotal: 0 kB\nCmaFree: 0 kB\n");
	assert_true(says("\n  Memory: 512.0 KiB free\n"));
	read_text("MemFree: 512 kB\n");
	assert_true(says("\n  Memory: 512.0 KiB free\n"));
	read_text("nonsense\n");
	assert_false(says("emory: "));
	xpt_rdma_memory__find("/nowhere", &t);
	assert_int_equal(t.lock_known, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_memory) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
