/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kernel/tpformat.h on what kernels write, and on what is cut and odd; members of
 * structs by type information (kbtf.h), of a kernel that is made here.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <bpf/btf.h>
#include "kernel/kbtf.h"
#include "kernel/tpformat.h"

static const char format[] =
	"name: sched_switch\nID: 316\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u8[] data;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long args[6];\toffset:40;\tsize:48;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:88;\tsize:8;\tsigned:0;\n"
	"\tfield:struct odd whole;\toffset:96;\tsize:24;\tsigned:0;\n"
	"\nprint fmt: \"field:int no;\toffset:0;\tsize:4;\"\n";

static void test_format(void **state)
{
	static const struct { const char *name; uint8_t kind, width; int64_t off; bool text; } want[] = {
		{ "prev_comm", XPT_LOC_FIELD_AT, 8, 8, true }, { "prev_pid", XPT_LOC_FIELD, 0x84, 24, false },
		{ "name", XPT_LOC_FIELD_DATA, 8, 28, true }, { "data", XPT_LOC_FIELD_REL, 8, 32, false },
		{ "args", XPT_LOC_FIELD_AT, 8, 40, false }, { "filename", XPT_LOC_FIELD, 8, 88, false },
	};
	static struct xpt_tp_format f;

	(void)state;
	xpt_tpformat__parse(format, &f);
	assert_int_equal(f.nr, 6);
	for (unsigned i = 0; i < f.nr; i++) {
		assert_string_equal(f.field[i].name, want[i].name);
		assert_int_equal(f.field[i].loc.kind, want[i].kind);
		assert_int_equal(f.field[i].loc.width, want[i].width);
		assert_int_equal(f.field[i].loc.off, want[i].off);
		assert_int_equal(f.field[i].text, want[i].text);
	}
}

static void test_cut_format(void **state)
{
	static struct xpt_tp_format f;
	char *text;

	(void)state;
	for (size_t n = 0; n < sizeof(format); n++) {
		text = calloc(1, n + 1);	/* so that reading on is seen */
		memcpy(text, format, n);
		xpt_tpformat__parse(text, &f);
		assert_true(f.nr <= 6);
		free(text);
	}
	xpt_tpformat__parse("\tfield:;\toffset:1;\tsize:4;\n\tfield:int ];\toffset:1;\tsize:4;\n"
			    "\tfield:int x;\toffset:99999999999;\tsize:4;\n\tfield:int y;\toffset:1;\tsize:3;\n"
			    "\tfield:__data_loc char[] z;\toffset:1;\tsize:8;\n", &f);
	assert_int_equal(f.nr, 0);
}

/* --- members ------------------------------------------------------------------------ */

/*
 * struct inner { int a; signed char name[8]; unsigned bits:3; };
 * struct outer { long x; struct { struct inner in; }; const struct inner *next; } ;
 * int f(int n, const struct outer *p)
 */
static struct btf *types(uint32_t *ret_f)
{
	struct btf *b = btf__new_empty();
	int i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED), i64 = btf__add_int(b, "long", 8, BTF_INT_SIGNED);
	int u32 = btf__add_int(b, "unsigned", 4, 0), chr = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	int arr = btf__add_array(b, u32, chr, 8), inner, anon, cinner, pinner, outer, cp, proto;

	inner = btf__add_struct(b, "inner", 16);
	btf__add_field(b, "a", i32, 0, 0);
	btf__add_field(b, "name", arr, 32, 0);
	btf__add_field(b, "bits", u32, 96, 3);
	anon = btf__add_struct(b, NULL, 16);
	btf__add_field(b, "in", inner, 0, 0);
	cinner = btf__add_const(b, inner);
	pinner = btf__add_ptr(b, cinner);
	outer = btf__add_struct(b, "outer", 32);
	btf__add_field(b, "x", i64, 0, 0);
	btf__add_field(b, NULL, anon, 64, 0);
	btf__add_field(b, "next", pinner, 192, 0);
	cp = btf__add_ptr(b, btf__add_const(b, outer));
	proto = btf__add_func_proto(b, i32);
	btf__add_func_param(b, "n", i32);
	btf__add_func_param(b, "p", cp);
	*ret_f = (uint32_t)btf__add_func(b, "f", BTF_FUNC_GLOBAL, proto);
	return b;
}

static void test_ways(void **state)
{
	uint32_t f;
	struct btf *b = types(&f);
	struct xpt_kway w;
	char why[200];

	(void)state;
	assert_int_equal(xpt_kbtf__way(b, f, "p", -1, "x", &w, why, sizeof(why)), 0);
	assert_true(w.arg == 1 && w.nr == 1 && w.step[0].off == 0 && w.step[0].width == 0x88);
	assert_int_equal(xpt_kbtf__way(b, f, "", 1, "in.a", &w, why, sizeof(why)), 0);
	assert_true(w.nr == 1 && w.step[0].off == 8 && w.step[0].width == 0x84);
	assert_int_equal(xpt_kbtf__way(b, f, "p", -1, "next->name", &w, why, sizeof(why)), 0);
	assert_true(w.nr == 2 && w.step[0].off == 24 && w.step[0].width == 8 && w.step[1].off == 4 &&
		    w.step[1].width == 0);
	assert_int_equal(xpt_kbtf__way(b, f, "p", -1, "in.bits", &w, why, sizeof(why)), 0);
	assert_true(w.nr == 1 && w.step[0].off == 20 && w.step[0].width == 1 && w.step[0].bit == 0 && w.step[0].bits == 3);
	assert_int_equal(xpt_kbtf__way(b, f, "p", -1, "next", &w, why, sizeof(why)), 0);
	assert_true(w.nr == 1 && w.step[0].width == 8);
	btf__free(b);
}

static void test_no_ways(void **state)
{
	static const struct { const char *param, *path, *why; } bad[] = {
		{ "q", "x", "no such argument" }, { "n", "x", "no pointer" }, { "p", "y", "no member 'y'" },
		{ "p", "in", "is a struct" }, { "p", "x->y", "leads to no struct" },
		{ "p", "x.y", "leads to no struct" }, { "p", "", "no member ''" },
		{ "p", "next->next", "no member 'next'" },
	};
	uint32_t f;
	struct btf *b = types(&f);
	struct xpt_kway w;
	char why[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(xpt_kbtf__way(b, f, bad[i].param, -1, bad[i].path, &w, why, sizeof(why)), -ENOENT);
		if (!strstr(why, bad[i].why))
			fail_msg("%s: %s", bad[i].path, why);
	}
	assert_int_equal(xpt_kbtf__way(b, 1, "p", -1, "x", &w, why, sizeof(why)), -ENOENT);
	assert_int_equal(xpt_kbtf__way(b, 99, "p", -1, "x", &w, why, sizeof(why)), -ENOENT);
	btf__free(b);
}

/* Members along a path of structs, and the struct that a parameter points to. */
static void test_fields(void **state)
{
	static const char *const bad[] = { "y", "in.bits", "in.b", "x.y", "next->a", "next.a", "", "in.", ".x", "in..a" };
	struct xpt_kfield k = { 0 };
	uint32_t f;
	struct btf *b = types(&f);
	const struct btf_type *outer = xpt_kbtf__struct(b, "outer");

	(void)state;
	assert_true(xpt_kbtf__field(b, outer, "x", &k) && k.off == 0 && k.size == 8);
	assert_true(xpt_kbtf__field(b, outer, "in", &k) && k.off == 8 && k.size == 16);
	assert_true(xpt_kbtf__field(b, outer, "in.a", &k) && k.off == 8 && k.size == 4);
	assert_true(xpt_kbtf__field(b, outer, "in.name", &k) && k.off == 12 && k.size == 8);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(xpt_kbtf__field(b, outer, bad[i], &k));
	assert_false(xpt_kbtf__field(b, NULL, "x", &k));
	assert_int_equal(outer->size, 32);
	assert_null(xpt_kbtf__struct(b, "absent"));
	assert_null(xpt_kbtf__pointee(b, f, 0));
	assert_string_equal(xpt_kbtf__pointee(b, f, 1), "outer");
	assert_null(xpt_kbtf__pointee(b, f, 2));
	assert_null(xpt_kbtf__pointee(b, 1, 0));
	assert_null(xpt_kbtf__pointee(b, 99, 0));
	btf__free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_format), cmocka_unit_test(test_cut_format),
		cmocka_unit_test(test_ways), cmocka_unit_test(test_no_ways), cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests_name("tracepoint", tests, NULL, NULL);
}
