/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Comma-separated values: base/formats/csv_field.c, the rows of sinks/csv.c and
 * sinks/tables.c, with names and kernels that need quotes.
 */
#include "unit/sink_feed.h"
#include <math.h>
#include <stdio.h>
#include "base/formats/csv_field.h"

extern const struct xpt_sink xpt_sink_csv, xpt_sink_tables;

static void quoted(const char *text, const char *want)
{
	struct xpt_strbuf sb;

	xpt_strbuf__init(&sb, 100);
	xpt_csv__add(&sb, text);
	assert_string_equal(xpt_strbuf__str(&sb), want);
	xpt_strbuf__free(&sb);
}

static void test_quotes(void **state)
{
	(void)state;
	quoted("", "");
	quoted("cuInit", "cuInit");
	quoted("a b", "a b");
	quoted("f<int, 2>", "\"f<int, 2>\"");
	quoted("say \"hi\"", "\"say \"\"hi\"\"\"");
	quoted("\"", "\"\"\"\"");
	quoted("a\nb", "\"a\nb\"");
	quoted("a\r", "\"a\r\"");
	quoted(" a", "\" a\"");
	quoted("a ", "\"a \"");
}

static void test_text(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" }, { "train", "train" }, { "a, b", "\"a, b\"" },
		{ "=HYPERLINK(1)", "'=HYPERLINK(1)" }, { "-bash", "'-bash" }, { "+1", "'+1" }, { "@x", "'@x" },
		{ "\t=1", "?=1" }, { "\r=1", "?=1" }, { "a\nb", "a?b" }, { "\x1b[2J", "?[2J" },
		{ "c1\xc2\x9b" "2J", "c1?2J" }, { "\x9b", "?" }, { "a\xe2\x80\xae" "b", "a?b" },
		{ "\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xpt_strbuf sb;

		xpt_strbuf__init(&sb, 100);
		xpt_csv__add_text(&sb, cases[i][0]);
		assert_string_equal(xpt_strbuf__str(&sb), cases[i][1]);
		xpt_strbuf__free(&sb);
	}
}

struct rec {
	const char *name, *none;
	uint64_t n, absent, addr;
	double share, nothing;
};
static const struct xpt_field fields[] = {
	XPT_FIELD(struct rec, name, STR, NONE, "Name"),
	XPT_FIELD(struct rec, none, STR, NONE, "None"),
	XPT_FIELD(struct rec, n, U64, BYTES, "Bytes"),
	XPT_FIELD(struct rec, absent, U64, NS, "Absent"),
	XPT_FIELD(struct rec, addr, U64, HEX, "Address"),
	XPT_FIELD(struct rec, share, F64, RATIO, "Share"),
	XPT_FIELD(struct rec, nothing, F64, RATIO, "Nothing"),
};
static const struct xpt_schema table = {
	.name = "things", .title = "Things", .layout = XPT_LAYOUT_TABLE, .order = 20,
	.size = sizeof(struct rec), .fields = fields, .nr_fields = 7, .detail = true,
};
static const struct xpt_schema list = {
	.name = "sum", .title = "Sum", .layout = XPT_LAYOUT_LIST, .order = 10,
	.size = sizeof(struct rec), .fields = fields + 2, .nr_fields = 1,
};

static void tables(const struct xpt_schema *const *sections, bool records, const char *want)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .sections = sections };
	struct rec r = { "f<int, 2>", NULL, 1 << 20, XPT_ABSENT, 0x7f00, 0.25, NAN };
	struct feed f;

	feed_open(&f, &xpt_sink_tables, &cfg);
	for (int i = 0; records && i < 2; i++, r.n++) {
		assert_int_equal(f.sink->record(f.st, &table, &r), 0);
		assert_int_equal(f.sink->record(f.st, &list, &r), 0);
	}
	assert_int_equal(feed_close(&f), 0);
	assert_string_equal(f.text, want);
	free(f.text);
}

#define HEAD "name,none,n,absent,addr,share,nothing\n"
#define ROW(n) "\"f<int, 2>\",," n ",,0x7f00,0.25,\n"

static void test_tables(void **state)
{
	const struct xpt_schema *one[] = { &table, NULL }, *none[] = { NULL };

	(void)state;
	tables(one, true, HEAD ROW("1048576") ROW("1048577"));
	tables(one, false, HEAD);
	tables(none, true, "");
	tables(NULL, true, "sum\nn\n1048577\n\nthings\n" HEAD ROW("1048576") ROW("1048577"));
	tables(NULL, false, "");
}

static void test_calls(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct xpt_event ev = { .kind = XPT_EV_BEGIN };
	uint64_t vals[XPT_MAX_VALS] = { 0x7f00, 4096 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_csv, &cfg);
	ev.u.begin.realtime_minus_monotonic_ns = 1000000000;
	assert_int_equal(f.sink->event(f.st, &ev), 0);
	ev = (struct xpt_event){ .kind = XPT_EV_CALL };
	ev.u.call = (struct xpt_call){
		.id = 1, .start_ns = 5, .dur_ns = 1234567, .fn = &feed_malloc, .proc = &feed_proc,
		.tid = 4712, .comm = "a,b", .result = &feed_ok, .valid = 3, .nr_vals = 2,
		.val = vals,
	};
	assert_int_equal(f.sink->event(f.st, &ev), 0);
	ev.u.call.fn = &feed_launch;
	ev.u.call.id = 2;
	ev.u.call.kernel = "gemm<float, 128>";
	ev.u.call.nr_vals = 0;
	assert_int_equal(f.sink->event(f.st, &ev), 0);
	ev.kind = XPT_EV_INFLIGHT;
	ev.u.call.id = 3;
	ev.u.call.fn = &feed_sync;
	ev.u.call.kernel = NULL;
	assert_int_equal(f.sink->event(f.st, &ev), 0);
	assert_int_equal(feed_close(&f), 0);
	assert_string_equal(f.text,
		"event_id,ts,type,layer,domain,class,kind,name,pid,tid,comm,depth,duration_us,"
		"result,code,failed,size,ptr,direction,kernel,in_flight\n"
		"1,1.000000005,memory,api,cuda,alloc,device,cuMemAlloc_v2,4711,4712,\"a,b\",0,"
		"1234.567,CUDA_SUCCESS,0,false,4096,0x7f00,,,false\n"
		"2,1.000000005,kernel,api,cuda,launch,,cuLaunchKernel,4711,4712,\"a,b\",0,"
		"1234.567,CUDA_SUCCESS,0,false,,,,\"gemm<float, 128>\",false\n"
		"3,1.000000005,userspace,api,cuda,sync,,cuStreamSynchronize,4711,4712,\"a,b\",0,"
		",,,,,,,,true\n");
	free(f.text);
}

/* The file holds whole rows and never more bytes than it may. */
static void test_limit(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .max_bytes = 1000 };
	struct xpt_event ev = { .kind = XPT_EV_CALL };
	struct feed f;
	int full = 0;

	(void)state;
	feed_open(&f, &xpt_sink_csv, &cfg);
	ev.u.call = (struct xpt_call){ .id = 1, .fn = &feed_sync, .proc = &feed_proc, .comm = "x",
				       .result = &feed_ok };
	for (int i = 0; i < 100; i++)
		full += f.sink->event(f.st, &ev) == XPT_SINK_FULL;
	assert_int_equal(feed_close(&f), 0);
	assert_int_equal(full, 1);
	assert_in_range(f.len, 850, 1000);
	assert_int_equal(f.text[f.len - 1], '\n');
	free(f.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quotes), cmocka_unit_test(test_text), cmocka_unit_test(test_tables),
		cmocka_unit_test(test_calls), cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
