/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/trace_json.h: what is written is read back the same, whatever the values;
 * lines that are cut, damaged, too long or of another kind are told apart.
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
#include "rdma/trace/trace_json.h"

static const struct xpt_rdma_node nodes[] = {
	{ .fn = "ib_uverbs_ioctl", .module = "ib_uverbs", .depth = 0, .ret_type = XPT_RDMA_RET_LONG,
	  .ret = -1, .flags = XPT_RDMA_NODE_FAILED, .exit_ns = 9000 },
	{ .fn = "ib_umem_dmabuf_map_pages", .module = "ib_core", .depth = 1, .ret_type = XPT_RDMA_RET_INT,
	  .ret = -1, .flags = XPT_RDMA_NODE_FAILED, .exit_ns = 8000, .nr_args = 2,
	  .arg_name = { "umem_dmabuf", NULL }, .arg = { 0xffff888012345678u, 7 } },
	{ .fn = "dma_resv_wait_timeout", .module = "kernel", .depth = 2, .ret_type = XPT_RDMA_RET_LONG,
	  .ret = INT64_MAX, .flags = XPT_RDMA_NODE_NARROWED | XPT_RDMA_NODE_BEYOND, .exit_ns = 7000 },
	{ .fn = "uverbs_copy_to", .module = "ib_uverbs", .depth = 1, .ret_type = XPT_RDMA_RET_INT,
	  .ret = -2, .flags = XPT_RDMA_NODE_FAILED | XPT_RDMA_NODE_EXPECTED, .why = "absent \"x\"\n" },
	{ .fn = "rdma_get_gid_attr", .module = "ib_core", .depth = 1, .ret_type = XPT_RDMA_RET_POINTER,
	  .ret = INT64_MIN, .nr_args = XPT_RDMA_TRACE_ARGS,
	  .arg_name = { "a", "b", "c", "d", "e", "arg9" },
	  .arg = { 0, 1, UINT64_MAX, 1ull << 53, (1ull << 53) - 1, 1ull << 63 } },
};
static const char *const log_lines[] = { "mlx5_core 0000:3b:00.0: bad \x01 \"line\"", "" };

static const struct xpt_rdma_trace whole = {
	.method = "REG_DMABUF_MR", .object = "MR", .shape = "pinned", .device = "mlx5_0",
	.driver = "mlx5_ib", .driver_version = "5.19", .kernel = "5.19.3",
	.driver_why = "", .firmware_version = "", .firmware_why = "the device tells none", .host = "node7",
	.boot_id = "0a1b", .asked_name = "fd", .asked = -1, .lock_known = XPT_RDMA_LOCK_LIMIT | XPT_RDMA_LOCK_NO_CAP,
	.lock_limit = UINT64_MAX, .comm = "train \xc3\xa4",
	.cgroup = "/slurm/uid_1/job_7", .container = "", .caller = "ibv_reg_dmabuf_mr",
	.outer = "ncclCommInitRank", .pid = 1, .tid = 2, .uid = 4294967295u,
	.flags = XPT_RDMA_TRACE_CUT | XPT_RDMA_TRACE_DEEP, .wall_ns = 1790000000123456789u,
	.monotonic_ns = 86400123456789u,
	.dur_ns = 9001, .ret = -1, .nr = sizeof(nodes) / sizeof(nodes[0]), .nr_log = 2, .node = nodes,
	.log = log_lines,
};

static void print(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	xpt_strbuf__init(sb, XPT_RDMA_LINE_MAX);
	xpt_rdma_trace__print(t, sb);
	assert_int_equal(xpt_strbuf__err(sb), 0);
	assert_ptr_equal(strchr(sb->s, '\n'), sb->s + sb->len - 1);
}

static void same_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

static void same_node(const struct xpt_rdma_node *a, const struct xpt_rdma_node *b)
{
	unsigned i;

	same_text(a->fn, b->fn);
	same_text(a->module, b->module);
	same_text(a->why, b->why);
	assert_int_equal(a->depth, b->depth);
	assert_int_equal(a->ret_type, b->ret_type);
	assert_int_equal(a->flags, b->flags);
	assert_true(a->ret == b->ret && a->exit_ns == b->exit_ns && a->nr_args == b->nr_args);
	for (i = 0; i < a->nr_args; i++) {
		same_text(a->arg_name[i], b->arg_name[i]);
		assert_true(a->arg[i] == b->arg[i]);
	}
}

static void test_round_trip(void **state)
{
	struct xpt_rdma_trace *t;
	struct xpt_strbuf one, two;
	uint32_t i;

	(void)state;
	print(&whole, &one);
	assert_int_equal(xpt_rdma_trace__parse(one.s, one.len, &t), 0);
	assert_int_equal(t->nr, whole.nr);
	for (i = 0; i < t->nr; i++)
		same_node(&whole.node[i], &t->node[i]);
	assert_string_equal(t->method, whole.method);
	assert_string_equal(t->comm, whole.comm);
	assert_string_equal(t->host, "node7");
	assert_string_equal(t->boot_id, "0a1b");
	assert_string_equal(t->firmware_why, "the device tells none");
	assert_string_equal(t->asked_name, "fd");
	assert_true(t->asked == -1 && t->lock_limit == UINT64_MAX && t->lock_known == whole.lock_known);
	assert_true(t->flags == whole.flags && t->wall_ns == whole.wall_ns && t->ret == -1);
	assert_true(t->monotonic_ns == whole.monotonic_ns);
	assert_true(t->uid == whole.uid && t->nr_log == 2);
	print(t, &two);		/* nothing is lost: the same line again */
	assert_string_equal(one.s, two.s);
	xpt_rdma_trace__free(t);
	xpt_strbuf__free(&one);
	xpt_strbuf__free(&two);
}

static void test_first_keys(void **state)
{
	struct xpt_strbuf sb;

	(void)state;
	print(&whole, &sb);
	assert_ptr_equal(strstr(sb.s, "{\"syscall\":\"REG_DMABUF_MR\",\"errmsg\":\"Operation not "
				"permitted\",\"errno\":1,\"process\":\"train \xc3\xa4\","
				"\"timestamp\":\"2026-09-21T14:13:20.123456789Z\","), sb.s);
	assert_non_null(strstr(sb.s, "\"ret\":\"0x7fffffffffffffff\",\"narrowed\":true,\"beyond\":true"));
	assert_non_null(strstr(sb.s, "\"arg1\":7"));
	xpt_strbuf__free(&sb);
}

static void test_every_cut(void **state)
{
	struct xpt_rdma_trace *t;
	struct xpt_strbuf sb;
	size_t n;

	(void)state;
	print(&whole, &sb);
	for (n = 0; n + 1 < sb.len; n++) {	/* the last byte is the line's end */
		char *copy = malloc(n + 1);
		int err;

		memcpy(copy, sb.s, n);
		err = xpt_rdma_trace__parse(copy, n, &t);
		free(copy);
		if (n + 2 <= sb.len - 1)
			assert_int_equal(err, -EBADMSG);
		if (!err)
			xpt_rdma_trace__free(t);
	}
	xpt_strbuf__free(&sb);
}

static int parse(const char *line)
{
	struct xpt_rdma_trace *t = NULL;
	int err = xpt_rdma_trace__parse(line, strlen(line), &t);

	xpt_rdma_trace__free(t);
	return err;
}

#define HEAD "{\"syscall\":\"m\",\"type\":\"rdma\",\"calls\":["

static void test_rules(void **state)
{
	(void)state;
	assert_int_equal(parse(HEAD "]}"), 0);
	assert_int_equal(parse("{\"type\":\"rdma_event\",\"syscall\":\"m\",\"calls\":[]}"), -ENOMSG);
	assert_int_equal(parse("{\"event_id\":1}"), -ENOMSG);
	assert_int_equal(parse("{\"type\":\"rdma\",\"syscall\":\"m\"}"), -EBADMSG);	/* no calls */
	assert_int_equal(parse("{\"type\":\"rdma\",\"calls\":[]}"), -EBADMSG);	/* no method */
	assert_int_equal(parse(HEAD "{\"function\":\"f\",\"depth\":0}]}"), 0);
	assert_int_equal(parse(HEAD "{\"function\":\"f\",\"depth\":1}]}"), -EBADMSG);
	assert_int_equal(parse(HEAD "{\"depth\":0}]}"), -EBADMSG);
	assert_int_equal(parse(HEAD "{\"function\":\"f\",\"depth\":0},{\"function\":\"g\",\"depth\":0}]}"),
			 -EBADMSG);	/* two roots */
	assert_int_equal(parse(HEAD "{\"function\":\"f\",\"depth\":0},{\"function\":\"g\",\"depth\":2}]}"),
			 -EBADMSG);
	assert_int_equal(parse(HEAD "7]}"), -EBADMSG);
	assert_int_equal(parse("[" HEAD "]}]"), -EBADMSG);
	assert_int_equal(parse(""), -EBADMSG);
}

static void test_too_many(void **state)
{
	struct xpt_strbuf sb;
	struct xpt_rdma_trace *t;
	unsigned i;

	(void)state;
	xpt_strbuf__init(&sb, XPT_RDMA_LINE_MAX);
	xpt_strbuf__add(&sb, HEAD "{\"function\":\"r\",\"depth\":0}");
	for (i = 0; i < XPT_RDMA_TRACE_NODES + 10; i++)
		xpt_strbuf__addf(&sb, ",{\"function\":\"f%u\",\"depth\":1,\"args\":{\"a\":1,\"b\":2,"
				 "\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7}}", i);
	xpt_strbuf__add(&sb, "],\"log\":[");
	for (i = 0; i < XPT_RDMA_TRACE_LOG + 10; i++)
		xpt_strbuf__addf(&sb, "%s\"x\"", i ? "," : "");
	xpt_strbuf__add(&sb, "]}");
	assert_int_equal(xpt_rdma_trace__parse(sb.s, sb.len, &t), 0);
	assert_int_equal(t->nr, XPT_RDMA_TRACE_NODES);
	assert_true(t->flags & XPT_RDMA_TRACE_CUT);
	assert_int_equal(t->nr_log, XPT_RDMA_TRACE_LOG);
	assert_int_equal(t->node[5].nr_args, XPT_RDMA_TRACE_ARGS);
	xpt_rdma_trace__free(t);
	xpt_strbuf__free(&sb);
}

static int count(void *ctx, struct xpt_rdma_trace *t)
{
	unsigned *left = ctx;

	xpt_rdma_trace__free(t);
	return --*left ? 0 : 1;
}

static void test_file(void **state)
{
	unsigned left = 100;
	const struct xpt_rdma_sink sink = { .each = count, .ctx = &left };
	struct xpt_rdma_lines lines;
	FILE *f = tmpfile();
	int i;

	(void)state;
	assert_non_null(f);
	fputs(HEAD "]}\n\n{\"type\":\"other\"}\nnonsense\n", f);
	fputs(HEAD "],\"log\":[\"", f);
	for (i = 0; i < (int)XPT_RDMA_LINE_MAX; i++)
		fputc('x', f);
	fputs("\"]}\n" HEAD "]}\n" HEAD "]}", f);
	rewind(f);
	assert_int_equal(xpt_rdma_traces__read(f, &sink, &lines), 0);
	assert_true(lines.traces == 3 && lines.other == 1 && lines.bad == 2 && left == 97);
	rewind(f);
	left = 2;
	assert_int_equal(xpt_rdma_traces__read(f, &sink, &lines), 1);
	assert_true(lines.traces == 2);
	fclose(f);
}

static void test_errno_names(void **state)
{
	char buf[32];

	(void)state;
	assert_string_equal(xpt_rdma_errno_name(61, buf, sizeof(buf)), "ENODATA");
	assert_string_equal(xpt_rdma_errno_name(512, buf, sizeof(buf)), "ERESTARTSYS");
	assert_string_equal(xpt_rdma_errno_name(4000, buf, sizeof(buf)), "errno 4000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_first_keys),
		cmocka_unit_test(test_every_cut), cmocka_unit_test(test_rules),
		cmocka_unit_test(test_too_many), cmocka_unit_test(test_file),
		cmocka_unit_test(test_errno_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
