/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a program asked for: where the kernel's types put it, which functions get it, the members that a mask names,
 * what cannot be read, and how traces and verdicts show it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <cmocka.h>
#include "engine/rdma/rdma_asked.h"
#include "rdma/trace/asked_for.h"
#include "rdma/trace/evidence/moved.h"
#include "rdma/trace/trace_json.h"
#include "rdma/verdict/judge.h"
#include "rdma/verdict/report.h"

/* The structs as some kernel might have them: fewer members, and at other places than any. */
struct grh {
	void *sgid_attr;
	uint8_t dgid[16];
	uint32_t flow_label;
	uint8_t sgid_index, hop_limit, traffic_class;
};

struct ah {
	struct grh grh;
	uint8_t sl, static_rate, port_num, ah_flags;
	uint32_t type;
	union {
		struct {
			uint16_t dlid;
			uint8_t src_path_bits;
		} ib;
		uint8_t dmac[6];
	};
};

struct qp {
	uint32_t qp_state, cur_qp_state, path_mtu, dest_qp_num, qp_access_flags;
	struct ah ah_attr;
	uint16_t pkey_index;
	uint8_t port_num;
};

static struct btf *b;
static struct xpt_rdma_layout layouts[XPT_RDMA_NR_ASKED];
static uint32_t modify, modify_without_mask, resolve;	/* functions */
static struct xpt_wire_rdma_asked asked;
static struct xpt_rdma_asked_for got;

static void add_field(const char *name, int type, size_t at)
{
	assert_int_equal(btf__add_field(b, name, type, (uint32_t)at * 8, 0), 0);
}

static int u8, u16, u32, u64;

static int add_ah(void)
{
	int gid = btf__add_array(b, u32, u8, 16), mac = btf__add_array(b, u32, u8, 6), grh, ib, roce, any, ah;

	grh = btf__add_struct(b, "ib_global_route", sizeof(struct grh));
	add_field("sgid_attr", u64, 0);
	add_field("dgid", gid, offsetof(struct grh, dgid));
	add_field("flow_label", u32, offsetof(struct grh, flow_label));
	add_field("sgid_index", u8, offsetof(struct grh, sgid_index));
	add_field("hop_limit", u8, offsetof(struct grh, hop_limit));
	ib = btf__add_struct(b, "ib_ah_attr", 4);
	add_field("dlid", u16, 0);
	roce = btf__add_struct(b, "roce_ah_attr", 6);
	add_field("dmac", mac, 0);
	any = btf__add_union(b, NULL, 8);
	add_field("ib", ib, 0);
	add_field("roce", roce, 0);
	ah = btf__add_struct(b, "rdma_ah_attr", sizeof(struct ah));
	add_field("grh", grh, 0);
	add_field("sl", u8, offsetof(struct ah, sl));
	add_field("port_num", u8, offsetof(struct ah, port_num));
	add_field("ah_flags", u8, offsetof(struct ah, ah_flags));
	add_field("type", u32, offsetof(struct ah, type));
	add_field(NULL, any, offsetof(struct ah, ib));
	return ah;
}

static uint32_t add_function(const char *name, int first, const char *second, int type)
{
	int pointer = btf__add_ptr(b, first), proto = btf__add_func_proto(b, u32);

	btf__add_func_param(b, "qp", u64);
	btf__add_func_param(b, "attr", pointer);
	btf__add_func_param(b, second, type);
	return (uint32_t)btf__add_func(b, name, BTF_FUNC_GLOBAL, proto);
}

static int begin(void **state)
{
	int ah, qp;

	(void)state;
	b = btf__new_empty();
	u8 = btf__add_int(b, "u8", 1, 0);
	u16 = btf__add_int(b, "u16", 2, 0);
	u32 = btf__add_int(b, "u32", 4, 0);
	u64 = btf__add_int(b, "u64", 8, 0);
	ah = add_ah();
	qp = btf__add_struct(b, "ib_qp_attr", sizeof(struct qp));
	add_field("qp_state", u32, 0);
	add_field("cur_qp_state", u32, 4);
	add_field("path_mtu", u32, 8);
	add_field("dest_qp_num", u32, 12);
	add_field("qp_access_flags", u32, 16);
	add_field("ah_attr", ah, offsetof(struct qp, ah_attr));
	add_field("pkey_index", u16, offsetof(struct qp, pkey_index));
	add_field("port_num", u8, offsetof(struct qp, port_num));
	modify = add_function("modify", btf__add_const(b, qp), "attr_mask", u32);
	modify_without_mask = add_function("other", qp, "udata", u64);
	resolve = add_function("resolve", ah, "old", u64);
	xpt_rdma_asked__find(b, layouts);
	return 0;
}

static int end(void **state)
{
	(void)state;
	btf__free(b);
	return 0;
}

static struct xpt_wire_rdma_asks asks_of(uint32_t id)
{
	struct xpt_wire_rdma_asks a;
	struct xpt_kproto p;

	assert_true(xpt_kbtf__proto(b, id, &p));
	xpt_rdma_asked__of_function(b, &p, layouts, &a);
	return a;
}

static void test_functions(void **state)
{
	struct xpt_wire_rdma_asks a = asks_of(modify);
	struct xpt_kproto p;

	(void)state;
	assert_true(a.kind == XPT_RDMA_ASKED_QP && a.arg == 1 && a.mask == 2 && a.len == sizeof(struct qp));
	assert_int_equal(asks_of(modify_without_mask).kind, XPT_RDMA_ASKED_NOTHING);
	a = asks_of(resolve);
	assert_true(a.kind == XPT_RDMA_ASKED_AH && a.arg == 1 && a.len == sizeof(struct ah));
	assert_true(xpt_kbtf__proto(b, modify, &p));
	xpt_rdma_asked__of_function(NULL, &p, layouts, &a);
	assert_int_equal(a.kind, XPT_RDMA_ASKED_NOTHING);
}

static const char *decode(void)
{
	static char buf[4096];
	struct xpt_strbuf sb;

	assert_true(xpt_rdma_asked_for__of(&asked, layouts, &got));
	xpt_strbuf__init(&sb, sizeof(buf));
	xpt_rdma_asked_for__text(&got, &sb);
	snprintf(buf, sizeof(buf), "%s", sb.s);
	xpt_strbuf__free(&sb);
	return buf;
}

static void ask(enum xpt_rdma_asked_kind kind, uint32_t mask, const void *data, size_t n)
{
	asked = (struct xpt_wire_rdma_asked){ .at = 0xffff888000001000ull, .kind = (uint8_t)kind, .mask = mask,
					      .len = (uint16_t)n };
	memcpy(asked.data, data, n);
}

static struct qp to_rtr(void)
{
	struct qp q = { .qp_state = 2, .path_mtu = 5, .dest_qp_num = 17, .qp_access_flags = 6, .pkey_index = 3, .port_num = 1,
			.ah_attr = { .grh = { .flow_label = 9, .sgid_index = 200, .hop_limit = 64, .dgid = { 0xfe, 0x80 } },
				     .sl = 4, .port_num = 1, .ah_flags = 1, .type = 2, .dmac = { 2, 0, 0, 0, 0, 0xab } } };

	q.ah_attr.grh.dgid[15] = 1;
	return q;
}

#define RTR (1u << 0 | 1u << 7 | 1u << 8 | 1u << 20)

/* What the mask names alone. A kernel that has no such member says so. */
static void test_members(void **state)
{
	struct qp q = to_rtr();

	(void)state;
	ask(XPT_RDMA_ASKED_QP, RTR, &q, sizeof(q));
	assert_string_equal(decode(), "qp_state=RTR path_mtu=4096 dest_qp_num=17 "
			    "ah.type=RoCE ah.dmac=02:00:00:00:00:ab ah.sl=4 ah.port_num=1 ah.static_rate=? ah.is_global=1 "
			    "ah.sgid_index=200 ah.dgid=fe80::1 ah.hop_limit=64 ah.traffic_class=? ah.flow_label=9");
	assert_string_equal(got.of, "ib_qp_attr");
	ask(XPT_RDMA_ASKED_QP, 1u << 0 | 1u << 3 | 1u << 4 | 1u << 5, &q, sizeof(q));
	assert_string_equal(decode(), "qp_state=RTR "
			    "qp_access_flags=REMOTE_WRITE|REMOTE_READ pkey_index=3 port_num=1");
	ask(XPT_RDMA_ASKED_QP, 0, &q, sizeof(q));
	assert_string_equal(decode(), "attr_mask=0");
	ask(XPT_RDMA_ASKED_QP, 1u << 16, &q, sizeof(q));
	assert_string_equal(decode(), "sq_psn=?");
	ask(XPT_RDMA_ASKED_QP, 1u << 24 | 1u << 5, &q, sizeof(q));		/* a bit that has no name */
	assert_string_equal(decode(), "attr_mask=PORT|0x1000000 port_num=1");
}

/* On InfiniBand a LID, and no GID if the packets have no global header. Numbers without a name stay numbers. */
static void test_infiniband(void **state)
{
	struct qp q = to_rtr();

	(void)state;
	q.ah_attr.type = 1;
	q.ah_attr.ah_flags = 0;
	q.ah_attr.ib.dlid = 0x1234;
	q.qp_state = 77;
	q.path_mtu = 9;
	ask(XPT_RDMA_ASKED_QP, RTR, &q, sizeof(q));
	assert_string_equal(decode(), "qp_state=77 path_mtu=9 dest_qp_num=17 "
			    "ah.type=IB ah.dlid=4660 ah.sl=4 ah.port_num=1 ah.static_rate=? ah.is_global=0");
	ask(XPT_RDMA_ASKED_AH, 0, &q.ah_attr, sizeof(q.ah_attr));
	assert_string_equal(decode(), "ah.type=IB ah.dlid=4660 ah.sl=4 ah.port_num=1 ah.static_rate=? ah.is_global=0");
}

/* A struct that is longer than what was copied, or that was not: what is missing is said. */
static void test_unread(void **state)
{
	struct qp q = to_rtr();

	(void)state;
	ask(XPT_RDMA_ASKED_QP, RTR, &q, 10);
	assert_non_null(strstr(decode(), "qp_state=RTR path_mtu=? dest_qp_num=? ah.type=?"));
	ask(XPT_RDMA_ASKED_QP, RTR, &q, 0);
	assert_string_equal(decode(), "not known: struct ib_qp_attr could not be read");
	assert_false(xpt_rdma_asked_for__has(&got, asked.at));
	asked.kind = XPT_RDMA_ASKED_NOTHING;
	assert_false(xpt_rdma_asked_for__of(&asked, layouts, &got));
	asked.kind = 99;
	assert_false(xpt_rdma_asked_for__of(&asked, layouts, &got));
	ask(XPT_RDMA_ASKED_QP, RTR, &q, sizeof(q));
	asked.len = XPT_RDMA_ASKED_BYTES + 1;
	assert_false(xpt_rdma_asked_for__of(&asked, layouts, &got));
	assert_false(xpt_rdma_asked_for__of(&asked, NULL, &got));
	memset(layouts, 0xff, sizeof(layouts));		/* types that lie */
	asked.len = sizeof(q);
	assert_non_null(strstr(decode(), "qp_state=?"));
}

static void print(const struct xpt_rdma_trace *t, struct xpt_strbuf *sb)
{
	struct xpt_rdma_verdict v;

	xpt_rdma_judge(t, NULL, NULL, &v);
	xpt_rdma_verdict__text(t, &v, false, sb);
	xpt_rdma_verdict__brief(t, &v, sb);
	xpt_rdma_verdict__json(t, &v, sb);
}

static void test_trace(void **state)
{
	struct xpt_rdma_node node = { .fn = "r", .module = "m", .ret = -EINVAL, .ret_type = XPT_RDMA_RET_INT, .nr_args = 3,
				      .arg_name = { "qp", "attr", "mask" }, .arg = { 0xffff888000000000ull, 0, 7 } };
	struct xpt_rdma_trace t = { .method = "modify_qp", .object = "", .shape = "", .device = "d", .driver = "x",
				    .driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "",
				    .caller = "", .outer = "", .node = &node, .nr = 1, .ret = -EINVAL, .asked_for = &got };
	struct xpt_rdma_trace *again;
	struct qp q = to_rtr();
	struct xpt_strbuf sb;

	(void)state;
	ask(XPT_RDMA_ASKED_QP, 1u << 0 | 1u << 8 | 1u << 16, &q, sizeof(q));
	node.arg[1] = asked.at;
	decode();
	xpt_strbuf__init(&sb, 1 << 16);
	xpt_rdma_trace__print(&t, &sb);
	assert_non_null(strstr(sb.s, ",\"asked_for\":{\"struct\":\"ib_qp_attr\",\"address\":\"0xffff888000001000\","));
	assert_non_null(strstr(sb.s, "\"qp_state\":\"RTR\",\"path_mtu\":4096,\"sq_psn\":null}}"));
	assert_int_equal(xpt_rdma_trace__parse(sb.s, sb.len, &again), 0);
	xpt_strbuf__reset(&sb);
	print(again, &sb);
	assert_non_null(strstr(sb.s, "  Asked for: qp_state=RTR path_mtu=4096 sq_psn=?\n"));
	assert_non_null(strstr(sb.s, "    asked for: qp_state=RTR "));
	assert_non_null(strstr(sb.s, "attr as asked for, mask 7"));
	assert_non_null(strstr(sb.s, "\"members\":{\"attr_mask\":\"STATE|PATH_MTU|SQ_PSN\",\"qp_state\":\"RTR\","));
	xpt_rdma_trace__free(again);
	xpt_strbuf__free(&sb);
}

/* Texts of the schema's record, one after the other. */
static int add_record(void *ctx, const struct xpt_schema *schema, const void *rec)
{
	size_t i;

	for (i = 0; i < schema->nr_fields; i++)
		if (schema->fields[i].type == XPT_T_STR)
			xpt_strbuf__addf(ctx, "%s: %s\n", schema->fields[i].name,
					 *(const char *const *)(const void *)((const char *)rec + schema->fields[i].offset));
	return 0;
}

static void test_report(void **state)
{
	struct xpt_rdma_node node = { .fn = "r", .module = "m", .ret = -EINVAL, .ret_type = XPT_RDMA_RET_INT };
	struct xpt_rdma_moved moved = { .nr = 1, .before_ns = 5, .after_ns = 7, .counter = { { .name = "link_downed", .by = 2 } } };
	struct xpt_rdma_trace t = { .method = "modify_qp", .object = "", .shape = "", .device = "d", .driver = "x",
				    .driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "",
				    .caller = "", .outer = "", .node = &node, .nr = 1, .ret = -EINVAL, .asked_for = &got,
				    .moved = &moved };
	struct xpt_rdma_report *r = xpt_rdma_report__new();
	struct xpt_rdma_verdict v;
	struct qp q = to_rtr();
	struct xpt_strbuf sb;

	(void)state;
	assert_non_null(r);
	ask(XPT_RDMA_ASKED_QP, 1, &q, sizeof(q));
	decode();
	xpt_rdma_judge(&t, NULL, NULL, &v);
	xpt_rdma_report__add(r, &t, &v);
	xpt_strbuf__init(&sb, 1 << 16);
	assert_int_equal(xpt_rdma_report__emit(r, 0, add_record, &sb), 0);
	assert_non_null(strstr(sb.s, "asked_for: qp_state=RTR\n"));
	assert_non_null(strstr(sb.s, "counters: link_downed +2, between 5 ns before the call and 7 ns after it\n"));
	assert_non_null(strstr(sb.s, ". Asked for: qp_state=RTR. Counters: link_downed +2, between"));
	xpt_strbuf__free(&sb);
	xpt_rdma_report__free(r);
}

/* Whatever a file has in its place. */
static void test_bad_files(void **state)
{
	static const char *const bad[] = { "7", "[7]", "{}", "{\"members\":7}", "{\"members\":{\"a\":[1,{}],\"b\":-1}}",
		"{\"members\":{\"\\u001b[31m\":\"\\u001b[31m\"},\"size\":-1,\"address\":\"x\",\"why\":[]}",
		"{\"struct\":{\"members\":{}},\"members\":{\"a\":99999999999999999999999,\"b\":1.5,\"c\":true}}" };
	struct xpt_rdma_trace *t, *again;
	char line[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int n = snprintf(line, sizeof(line), "{\"syscall\":\"m\",\"type\":\"rdma\",\"asked_for\":%s,\"ret\":-5,\"calls\":[]}",
				 bad[i]);

		assert_int_equal(xpt_rdma_trace__parse(line, (size_t)n, &t), 0);
		assert_int_equal(t->ret, -5);
		assert_int_equal(xpt_rdma_trace__copy(t, &again), 0);
		assert_int_equal(!again->asked_for, !t->asked_for);
		if (t->asked_for)
			assert_null(memchr(t->asked_for->text, '\033', sizeof(t->asked_for->text)));
		xpt_rdma_trace__free(t);
		xpt_rdma_trace__free(again);
	}
}

/* More and longer members than there is room for. */
static void test_many(void **state)
{
	struct xpt_strbuf sb;
	struct xpt_rdma_trace *t;
	int i;

	(void)state;
	xpt_strbuf__init(&sb, 1 << 17);
	xpt_strbuf__add(&sb, "{\"syscall\":\"m\",\"type\":\"rdma\",\"ret\":-5,\"calls\":[],\"asked_for\":{\"members\":{");
	for (i = 0; i < 400; i++)
		xpt_strbuf__addf(&sb, "%s\"member%d\":\"%0*d\"", i ? "," : "", i, i % 200 + 1, 7);
	xpt_strbuf__add(&sb, "}}}");
	assert_int_equal(xpt_rdma_trace__parse(sb.s, sb.len, &t), 0);
	assert_in_range(t->asked_for->nr, 1, XPT_RDMA_ASKED_MEMBERS);
	assert_in_range(t->asked_for->used, 1, XPT_RDMA_ASKED_TEXT);
	xpt_rdma_trace__free(t);
	xpt_strbuf__free(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_functions, begin, end),
		cmocka_unit_test_setup_teardown(test_members, begin, end),
		cmocka_unit_test_setup_teardown(test_infiniband, begin, end),
		cmocka_unit_test_setup_teardown(test_unread, begin, end),
		cmocka_unit_test_setup_teardown(test_trace, begin, end),
		cmocka_unit_test_setup_teardown(test_report, begin, end),
		cmocka_unit_test(test_bad_files), cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
