/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/evidence/firmware.h: commands that the firmware refused, out of records of the kernel-side
 * programs and of lines of its log, good and hostile ones; what their status means for a
 * call, and when it does not; as JSON, in words, and counted in a report.
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
#include "rdma/trace/evidence/firmware.h"
#include "rdma/verdict/report.h"
#include "rdma/trace/trace_json.h"

#define LINE "mlx5_core 0000:3b:00.0: mlx5_cmd_out_err:795:(pid 9993): INIT2RTR_QP(0x503) op_mod(0x1) " \
	"failed, status bad parameter(0x3), syndrome (0x1d7ac), err(-22)"

static struct xpt_rdma_firmware f;
static uint32_t tid;

static bool parse(const char *line)
{
	memset(&f, 0, sizeof(f));
	tid = 77;
	return xpt_rdma_firmware__parse(line, &f, &tid);
}

static void test_line(void **state)
{
	(void)state;
	assert_true(parse(LINE));
	assert_string_equal(f.command, "INIT2RTR_QP");
	assert_string_equal(f.status_text, "bad parameter");
	assert_int_equal(f.opcode, 0x503);
	assert_int_equal(f.op_mod, 1);
	assert_int_equal(f.status, 3);
	assert_int_equal(f.syndrome, 0x1d7ac);
	assert_int_equal(f.err, -22);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.source, XPT_RDMA_BY_LOG);
	assert_int_equal(tid, 9993);
	/* Before Linux 5.18; with a uid; without a place; a command without a name. */
	assert_true(parse("mlx5_core 0000:04:00.0: mlx5_cmd_check:810:(pid 9): CREATE_MKEY(0x200) op_mod(0x0) "
			  "failed, status bad parameter(0x3), syndrome (0x35e6ec)"));
	assert_int_equal(f.err, 0);
	assert_int_equal(xpt_rdma_firmware__errno(&f), EINVAL);
	assert_true(parse("mlx5_core 0000:04:00.0: CREATE_QP(0x500) op_mod(0x0) uid(7) failed, status limits "
			  "exceeded(0x8), syndrome (0xffffffff), err(-12)"));
	assert_int_equal(tid, 0);
	assert_int_equal(f.syndrome, 0xffffffff);
	assert_true(parse("mlx5_core.sf mlx5_core.sf.2: f:1:(pid 9): unknown command opcode(0xb1d) op_mod(0x0) "
			  "failed, status unknown status(0xfe), syndrome (0xbadd00de), err(-5)"));
	assert_string_equal(f.command, "unknown command opcode");
	assert_string_equal(f.status_text, "unknown status");
}

/* The same by the device of RDMA, whose name may be any. */
#define BY_DEVICE(name) "infiniband " name ": mlx5_cmd_check:810:(pid 9): CREATE_MKEY(0x200) op_mod(0x0) failed, status " \
	"bad parameter(0x3), syndrome (0x35e6ec)"

static void test_line_of_device(void **state)
{
	(void)state;
	assert_true(parse(BY_DEVICE("mlx5_0")));
	assert_string_equal(f.command, "CREATE_MKEY");
	assert_int_equal(tid, 9);
	assert_true(parse(BY_DEVICE("rocep59s0f1")));
	assert_false(parse(BY_DEVICE("")));
	assert_false(parse(BY_DEVICE("a b")));
	/* A process may be named "infiniband a: ", and a file may have any name. */
	assert_false(parse("infiniband a: [4711]: segfault at 0 ip 0 sp 0 error 4 in mlx5_cmd_check:810:(pid 9): A(0x200) "
			   "op_mod(0x0) failed, status bad parameter(0x3), syndrome (0x35e6ec)"));
}

/* The line with one piece in place of another. */
static bool with(const char *piece, const char *other)
{
	const char *at = strstr(LINE, piece);
	char line[1024];

	assert_non_null(at);
	snprintf(line, sizeof(line), "%.*s%s%s", (int)(at - LINE), LINE, other, at + strlen(piece));
	return parse(line);
}

static void test_bad_line(void **state)
{
	size_t n;

	(void)state;
	assert_true(with("9993", "2147483647"));
	assert_true(with("9993", "99999999999999999999"));
	assert_int_equal(tid, 0);
	assert_false(with("mlx5_core 0000:3b:00.0:", "mlx5_core 0000:[4711]: segfault at 0 ip 0 in"));
	assert_false(with("mlx5_core ", ""));
	assert_false(with("mlx5_core 0000:3b:00.0: ", "mlx5 a: [4711]: segfault at 0 ip 0 sp 0 error 4 in "));
	assert_false(with("mlx5_core 0000:3b:00.0: ", "mlx5_core a: b invoked oom-killer: "));
	assert_false(with("mlx5_core 0000:3b:00.0: ", "mlx5_core 0: "));
	assert_false(with("0000:3b:00.0", "0000:3b:00"));
	assert_false(with("mlx5_core 0000:3b:00.0: ", "mlx5_core.sf a: "));
	assert_true(with("0000:3b:00.0", "10000:e1:00.1"));
	assert_false(with("0x503", "0x10000"));
	assert_false(with("0x503", "0xffffffffffffffffffffffff"));
	assert_false(with("0x503", "0x"));
	assert_false(with("0x503", "503"));
	assert_false(with("INIT2RTR_QP", ""));
	assert_false(with("op_mod(0x1)", "op_mod(0xg)"));
	assert_false(with("(0x3)", "(0x100)"));
	assert_false(with("(0x1d7ac)", "(0x100000000)"));
	assert_false(with(" failed", " uid(65536) failed"));
	assert_true(with("err(-22)", "err(-4096)"));
	assert_int_equal(f.err, 0);
	assert_true(with("err(-22)", "err(22)"));
	assert_int_equal(f.err, 0);
	/* What is too long is cut. */
	assert_true(with("INIT2RTR_QP", "A_NAME_THAT_IS_LONGER_THAN_ANY_THAT_THE_DRIVER_HAS_OR_WILL_HAVE"));
	assert_int_equal(strlen(f.command), XPT_RDMA_FIRMWARE_TEXT - 1);
	/* Cut anywhere: err is all that may be missing. */
	for (n = 0; n < sizeof(LINE); n++) {
		char *cut = malloc(n + 1);

		memcpy(cut, LINE, n);
		cut[n] = '\0';
		assert_int_equal(parse(cut), n >= sizeof(LINE) - sizeof(", err(-22)"));
		free(cut);
	}
}

static void test_find(void **state)
{
	static const char *const lines[] = { "x", "mlx5_core 0000:3b:00.1: f:1:(pid 5): A(0x1) op_mod(0x0) failed, status "
		"s(0x1), syndrome (0x1)", LINE, LINE, "mlx5_core 0000:3b:00.1: B(0x2) op_mod(0x0) failed, status s(0x1), "
		"syndrome (0x1)" };
	static const char *const idle = "mlx5_core 0000:3b:00.1: f:1:(pid 0): A(0x1) op_mod(0x0) failed, status s(0x1), "
		"syndrome (0x1)";

	(void)state;
	assert_true(xpt_rdma_firmware__find(lines, 5, 9993, false, &f));
	assert_string_equal(f.command, "INIT2RTR_QP");
	assert_int_equal(f.count, 3);	/* whose the last one is nobody knows */
	assert_true(xpt_rdma_firmware__find(lines, 5, 4, false, &f));
	assert_string_equal(f.command, "B");
	assert_false(xpt_rdma_firmware__find(lines, 4, 4, false, &f));
	assert_false(xpt_rdma_firmware__find(lines, 5, 4, true, &f));
	assert_true(xpt_rdma_firmware__find(lines, 5, 9993, true, &f));
	assert_int_equal(f.count, 2);
	assert_false(xpt_rdma_firmware__find(lines, 0, 9993, false, &f));
	/* An interrupt while no thread ran: the command is nobody's. */
	assert_true(with("9993", "0"));
	assert_int_equal(tid, XPT_RDMA_NO_THREAD);
	assert_false(xpt_rdma_firmware__find(&idle, 1, 9993, false, &f));
	assert_false(xpt_rdma_firmware__find(&idle, 1, 0, false, &f));
}

static void test_record(void **state)
{
	struct xpt_wire_rdma_command c = { .nr = 2, .syndrome = 0x1d7ac, .ns = 900, .err = -22, .opcode = 0x503,
					   .status = 3 };
	char text[256];

	(void)state;
	memset(c.name, 'N', sizeof(c.name));	/* without an end */
	memcpy(c.text, "bad parameter", 14);
	xpt_rdma_firmware__of(&c, &f);
	assert_int_equal(strlen(f.command), XPT_RDMA_COMMAND_TEXT);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.source, XPT_RDMA_BY_TRACEPOINT);
	memcpy(c.name, "INIT2RTR_QP", 12);
	xpt_rdma_firmware__of(&c, &f);
	assert_string_equal(xpt_rdma_firmware__text(&f, text, sizeof(text)),
			    "INIT2RTR_QP (0x503) refused: bad parameter (0x3), syndrome 0x1d7ac");
	f.op_mod = 0x10;
	assert_non_null(strstr(xpt_rdma_firmware__text(&f, text, sizeof(text)), "(0x503, op_mod 0x10)"));
	c.err = 22;	/* no errno */
	xpt_rdma_firmware__of(&c, &f);
	assert_int_equal(f.err, 0);
}

/* --- a call --------------------------------------------------------------------------- */

static struct xpt_rdma_node nodes[] = {
	{ .fn = "ib_uverbs_write", .module = "ib_uverbs", .ret_type = XPT_RDMA_RET_LONG,
	  .flags = XPT_RDMA_NODE_FAILED, .exit_ns = 3000 },
	{ .fn = "mlx5_ib_modify_qp", .module = "mlx5_ib", .depth = 1, .ret_type = XPT_RDMA_RET_INT,
	  .flags = XPT_RDMA_NODE_FAILED, .exit_ns = 2000 },
};

static struct xpt_rdma_trace failed(int error)
{
	struct xpt_rdma_trace t = {
		.method = "modify_qp", .object = "", .shape = "INIT>RTR", .device = "mlx5_0", .driver = "mlx5_ib",
		.driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "", .caller = "",
		.outer = "", .ret = -error, .nr = 2, .node = nodes, .firmware = &f,
	};

	nodes[0].ret = nodes[1].ret = -error;
	return t;
}

static const char *judged(int error, uint8_t status)
{
	struct xpt_rdma_trace t = failed(error);
	struct xpt_rdma_verdict v;
	static char buf[64];

	f.status = status;
	xpt_rdma_judge(&t, NULL, NULL, &v);
	snprintf(buf, sizeof(buf), "%s %s", xpt_rdma_class_name(v.cause.cls), xpt_rdma_confidence_name(v.cause.confidence));
	return buf;
}

static void test_classes(void **state)
{
	(void)state;
	f = (struct xpt_rdma_firmware){ .count = 1 };
	assert_string_equal(judged(EIO, 0x1), "device high");
	assert_string_equal(judged(EINVAL, 0x2), "unsupported high");
	assert_string_equal(judged(EINVAL, 0x3), "parameter medium");
	assert_string_equal(judged(EAGAIN, 0x7), "device high");
	assert_string_equal(judged(ENOMEM, 0x8), "resources high");
	assert_string_equal(judged(EAGAIN, 0xf), "resources high");
	assert_string_equal(judged(EINVAL, 0x10), "parameter high");
	assert_string_equal(judged(EIO, 0x50), "defect medium");
	assert_string_equal(judged(EREMOTEIO, 0xf), "resources high");	/* the driver's "see the status" */
	assert_string_equal(judged(EREMOTEIO, 0x99), "device medium");
	/* What the driver told comes before what such a status has in the table. */
	f.err = -ENOSPC;
	assert_string_equal(judged(ENOSPC, 0x8), "resources high");
	assert_string_equal(judged(ENETDOWN, 0x1), "link high");	/* another error than the command's */
	/* A command that failed while the call put things in order. */
	f = (struct xpt_rdma_firmware){ .count = 1, .at_ns = 2001 };
	assert_string_equal(judged(EAGAIN, 0xf), "busy medium");
	f.at_ns = 2000;
	assert_string_equal(judged(EAGAIN, 0xf), "resources high");
}

static void test_words(void **state)
{
	struct xpt_rdma_trace t = failed(EINVAL);
	struct xpt_rdma_verdict v;
	struct xpt_strbuf sb;

	(void)state;
	assert_true(parse(LINE));
	f.op_mod = 0;
	f.count = 2;
	xpt_rdma_judge(&t, NULL, NULL, &v);
	xpt_strbuf__init(&sb, 1 << 16);
	xpt_rdma_verdict__text(&t, &v, false, &sb);
	assert_non_null(strstr(sb.s, "\n  Firmware: INIT2RTR_QP (0x503) refused: bad parameter (0x3), syndrome "
			       "0x1d7ac,\n  the first of 2 (from the kernel's log)\n"));
	xpt_strbuf__reset(&sb);
	xpt_rdma_verdict__brief(&t, &v, &sb);
	assert_non_null(strstr(sb.s, "\n    firmware: INIT2RTR_QP (0x503) refused"));
	xpt_strbuf__reset(&sb);
	xpt_rdma_verdict__json(&t, &v, &sb);
	assert_non_null(strstr(sb.s, ",\"firmware\":{\"command\":\"INIT2RTR_QP\",\"opcode\":1283,\"op_mod\":0,"
			       "\"status\":3,\"status_text\":\"bad parameter\",\"syndrome\":120748,\"err\":-22,"
			       "\"source\":\"log\",\"count\":2},"));
	xpt_strbuf__free(&sb);
}

static void test_trace(void **state)
{
	struct xpt_rdma_trace t = failed(EINVAL), *again;
	struct xpt_strbuf one, two;

	(void)state;
	assert_true(parse(LINE));
	f.at_ns = UINT64_MAX;
	f.source = XPT_RDMA_BY_TRACEPOINT;
	snprintf(f.status_text, sizeof(f.status_text), "\x01\"\xff");
	xpt_strbuf__init(&one, XPT_RDMA_LINE_MAX);
	xpt_strbuf__init(&two, XPT_RDMA_LINE_MAX);
	xpt_rdma_trace__print(&t, &one);
	assert_int_equal(xpt_rdma_trace__parse(one.s, one.len, &again), 0);
	assert_non_null(again->firmware);
	assert_true(again->firmware->at_ns == UINT64_MAX);
	assert_int_equal(again->firmware->err, -22);
	xpt_rdma_trace__print(again, &two);
	assert_string_equal(one.s, two.s);
	xpt_rdma_trace__free(again);
	xpt_strbuf__free(&one);
	xpt_strbuf__free(&two);
}

/* However its texts have to be escaped it is a small part of a line, of which recordings take 64 KiB. */
static void test_size(void **state)
{
	struct xpt_wire_rdma_command c = { .nr = UINT32_MAX, .syndrome = UINT32_MAX, .ns = UINT64_MAX, .err = -4095,
					   .opcode = UINT16_MAX, .op_mod = UINT16_MAX, .status = UINT8_MAX };
	struct xpt_strbuf sb;

	(void)state;
	memset(c.name, 1, sizeof(c.name));
	memset(c.text, 1, sizeof(c.text));
	xpt_rdma_firmware__of(&c, &f);
	xpt_strbuf__init(&sb, 1 << 16);
	xpt_rdma_firmware__print(&f, &sb);
	assert_in_range(sb.len, 2 * 6 * XPT_RDMA_COMMAND_TEXT, 800);
	xpt_strbuf__free(&sb);
}

static struct xpt_rdma_trace *read_with(const char *firmware)
{
	struct xpt_rdma_trace *t;
	char line[512];
	int n = snprintf(line, sizeof(line), "{\"syscall\":\"m\",\"type\":\"rdma\",\"calls\":[],\"firmware\":%s}",
			 firmware);

	assert_int_equal(xpt_rdma_trace__parse(line, (size_t)n, &t), 0);
	return t;
}

/* Numbers that do not fit, and values of other kinds, are none. */
static void test_bad_json(void **state)
{
	struct xpt_rdma_trace *t = read_with("{\"opcode\":65536,\"status\":256,\"err\":5,\"count\":-1,\"syndrome\":"
					     "\"0x100000000\",\"source\":7,\"command\":[1],\"new\":{\"a\":[]}}");

	(void)state;
	assert_int_equal(t->firmware->opcode, 0);
	assert_int_equal(t->firmware->status, 0);
	assert_int_equal(t->firmware->err, 0);
	assert_int_equal(t->firmware->count, 0);
	assert_int_equal(t->firmware->syndrome, 0);
	assert_string_equal(t->firmware->command, "");
	xpt_rdma_trace__free(t);
	t = read_with("[1]");
	assert_null(t->firmware);
	xpt_rdma_trace__free(t);
}

/* --- a report -------------------------------------------------------------------------- */

struct seen {
	unsigned failures, firmware;
	uint64_t times;
};

static int see(void *ctx, const struct xpt_schema *schema, const void *rec)
{
	struct seen *s = ctx;

	s->failures += !strcmp(schema->name, "failures");
	if (!strcmp(schema->name, "firmware")) {
		s->firmware++;
		memcpy(&s->times, (const char *)rec + schema->fields[0].offset, sizeof(s->times));
	}
	return 0;
}

/* Another syndrome is another failure; commands of no call are counted with those of calls. */
static void test_report(void **state)
{
	static const char alone[] = "{\"type\":\"rdma_command\",\"process\":\"kworker\",\"pid\":9,\"command\":\"C\","
				    "\"opcode\":512,\"status\":15,\"syndrome\":7,\"err\":-11,\"wall_ns\":5}";
	struct xpt_rdma_report *r = xpt_rdma_report__new();
	struct xpt_rdma_trace t = failed(EAGAIN);
	struct xpt_rdma_other_line line;
	struct xpt_rdma_verdict v;
	struct seen s = { 0 };
	unsigned i;

	(void)state;
	f = (struct xpt_rdma_firmware){ .command = "C", .opcode = 512, .status = 15, .syndrome = 7, .err = -11 };
	t.device = "";
	for (i = 0; i < 3; i++) {
		f.syndrome = 7 + i / 2;
		xpt_rdma_judge(&t, NULL, NULL, &v);
		xpt_rdma_report__add(r, &t, &v);
	}
	assert_int_equal(xpt_rdma_other__parse(alone, sizeof(alone) - 1, &line), 0);
	assert_int_equal(line.kind, XPT_RDMA_LINE_COMMAND);
	assert_string_equal(line.firmware.command, "C");
	xpt_rdma_report__other(r, &line);
	xpt_rdma_report__other(r, &line);
	assert_int_equal(xpt_rdma_report__emit(r, 0, see, &s), 0);
	assert_int_equal(s.failures, 2);
	assert_int_equal(s.firmware, 2);
	assert_int_equal(s.times, 1);	/* of the last, which is the rarer one */
	xpt_rdma_report__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line), cmocka_unit_test(test_line_of_device), cmocka_unit_test(test_bad_line), cmocka_unit_test(test_find),
		cmocka_unit_test(test_record), cmocka_unit_test(test_classes), cmocka_unit_test(test_words),
		cmocka_unit_test(test_trace), cmocka_unit_test(test_bad_json), cmocka_unit_test(test_report),
		cmocka_unit_test(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
