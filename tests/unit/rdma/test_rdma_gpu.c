/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* session/rdma/context/gpu.h: the last Xid before a call, and since when; the driver's version; what a verdict says. */
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
#include "session/rdma/context/gpu.h"

#define SECOND 1000000000ull
#define NOW (1000 * SECOND)

static struct xpt_klog *klog;
static struct xpt_rdma_gpu gpu;
static char path[] = "/tmp/xpt-gpu-XXXXXX";

static int begin(void **state)
{
	(void)state;
	assert_int_equal(xpt_klog__new("/dev/null", &klog), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	xpt_klog__free(klog);
	return 0;
}

/* A record of the log, of that priority and second. */
static void write_log(unsigned priority, uint64_t second, const char *text)
{
	char record[256];
	int n = snprintf(record, sizeof(record), "%u,1,%llu,-;%s\n", priority, (unsigned long long)second * 1000000, text);

	xpt_klog__take(klog, record, (size_t)n, second * SECOND);
}

static const char *find(uint64_t start_ns, uint64_t end_ns)
{
	xpt_rdma_gpu__find(klog, "/nowhere", start_ns, end_ns, &gpu);
	return gpu.error;
}

#define XID79 "NVRM: Xid (PCI:0000:3b:00): 79, pid=12, name=train, GPU has fallen off the bus."

static void test_when(void **state)
{
	(void)state;
	assert_string_equal(find(NOW, NOW + 1), "");
	write_log(3, 995, XID79);
	assert_non_null(strstr(find(NOW, NOW + 1), "Xid 79 on 0000:3b:00 ("));
	assert_non_null(strstr(gpu.error, "), in the 10 s before the call"));
	assert_string_equal(gpu.driver, "");
	assert_non_null(strstr(find(994 * SECOND, NOW), "), during the call"));
	assert_non_null(strstr(find(NOW + 500 * SECOND, NOW + 501 * SECOND), "in the 10 minutes before"));
	assert_string_equal(find(NOW + 700 * SECOND, NOW + 701 * SECOND), "");
	assert_string_equal(find(990 * SECOND, 994 * SECOND), "");	/* it came later */
	xpt_rdma_gpu__find(NULL, "/nowhere", NOW, NOW, &gpu);
	assert_string_equal(gpu.error, "");
}

/* The last one counts; what a program may have written is none. */
static void test_which(void **state)
{
	(void)state;
	write_log(3, 990, XID79);
	write_log(3, 998, "NVRM: Xid (PCI:0000:5e:00): 31, pid=13, name=a, Ch 00000008");
	write_log(6, 999, "NVRM: Xid (PCI:0000:aa:00): 48, an info");
	assert_non_null(strstr(find(NOW, NOW), "Xid 31 on 0000:5e:00 ("));
}

static void test_version(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "550.54.15\n", 10), 10);
	close(fd);
	xpt_rdma_gpu__find(NULL, path, NOW, NOW, &gpu);
	assert_string_equal(gpu.driver, "550.54.15");
	unlink(path);
}

static void test_shown(void **state)
{
	struct xpt_rdma_node node = { .fn = "r", .module = "m", .ret = -EFAULT, .ret_type = XPT_RDMA_RET_INT };
	struct xpt_rdma_trace t = { .method = "REG_DMABUF_MR", .object = "", .shape = "", .device = "d", .driver = "x",
				    .driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "",
				    .caller = "", .outer = "", .node = &node, .nr = 1, .ret = -EFAULT,
				    .gpu_driver = "550.54.15", .gpu_error = "Xid 79 on 0000:3b:00 (x), during the call" };
	struct xpt_rdma_trace *again;
	struct xpt_rdma_verdict v;
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 1 << 16);
	xpt_rdma_trace__print(&t, &sb);
	assert_int_equal(xpt_rdma_trace__parse(sb.s, sb.len, &again), 0);
	assert_string_equal(again->gpu_driver, t.gpu_driver);
	assert_string_equal(again->gpu_error, t.gpu_error);
	xpt_strbuf__reset(&sb);
	xpt_rdma_judge(again, NULL, NULL, &v);
	xpt_rdma_verdict__text(again, &v, false, &sb);
	xpt_rdma_verdict__brief(again, &v, &sb);
	assert_non_null(strstr(sb.s, "\n  GPU: Xid 79 on 0000:3b:00 (x), during the call\n"));
	assert_non_null(strstr(sb.s, "\n    gpu: Xid 79 on 0000:3b:00 (x), during the call\n"));
	xpt_rdma_trace__free(again);
	xpt_strbuf__free(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_when, begin, end),
		cmocka_unit_test_setup_teardown(test_which, begin, end),
		cmocka_unit_test(test_version), cmocka_unit_test(test_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
