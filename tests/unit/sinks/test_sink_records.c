/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The summary and the JSON report: layouts, units, order, widths, shortening,
 * hostile text, bounds of the record store, failed writes.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include "unit/sink_feed.h"
#include "model/output/records.h"
#include "model/text.h"

extern const struct xpt_sink xpt_sink_summary, xpt_sink_json;

struct rec_fn {
	const char *name, *note;
	uint64_t calls, bytes, time, pid, addr;
	int64_t delta;
	double share, rate, bps;
};

static const struct xpt_field fn_fields[] = {
	XPT_FIELD(struct rec_fn, name, STR, NONE, "FUNCTION"),
	XPT_FIELD(struct rec_fn, calls, U64, COUNT, "CALLS"),
	XPT_FIELD(struct rec_fn, bytes, U64, BYTES, "BYTES"),
	XPT_FIELD(struct rec_fn, time, U64, NS, "TIME"),
	XPT_FIELD(struct rec_fn, share, F64, RATIO, "SHARE"),
	XPT_FIELD(struct rec_fn, note, STR, NONE, "NOTE"),
};
static const struct xpt_schema fn_schema = {
	.name = "functions", .title = "Functions", .layout = XPT_LAYOUT_TABLE, .order = 20,
	.size = sizeof(struct rec_fn), .fields = fn_fields, .nr_fields = 6,
};

static const struct xpt_field sum_fields[] = {
	XPT_FIELD(struct rec_fn, calls, U64, COUNT, "calls"),
	XPT_FIELD(struct rec_fn, pid, U64, NONE, "process"),
	XPT_FIELD(struct rec_fn, addr, U64, HEX, "address"),
	XPT_FIELD(struct rec_fn, delta, I64, BYTES, "difference"),
	XPT_FIELD(struct rec_fn, rate, F64, RATE, "rate"),
	XPT_FIELD(struct rec_fn, bps, F64, BPS, "throughput"),
	XPT_FIELD(struct rec_fn, note, STR, NONE, "note"),
};
static const struct xpt_schema sum_schema = {
	.name = "summary", .title = "Summary", .layout = XPT_LAYOUT_LIST, .order = 10,
	.size = sizeof(struct rec_fn), .fields = sum_fields, .nr_fields = 7,
};

struct rec_text {
	const char *text;
	uint64_t pid;
};
static const struct xpt_field text_fields[] = {
	XPT_FIELD(struct rec_text, pid, U64, NONE, "PID"),
	XPT_FIELD(struct rec_text, text, STR, NONE, "TEXT"),
};
static const struct xpt_schema text_schema = {
	.name = "advice", .title = "Advice", .layout = XPT_LAYOUT_TEXT, .order = 30,
	.size = sizeof(struct rec_text), .fields = text_fields, .nr_fields = 2,
};

/* Emitted out of order; strings change afterwards: the sink must have copied. */
static void feed_records(struct feed *f)
{
	char name[] = "cuMemAlloc_v2", note[] = "allocates in every step of the loop";
	struct rec_text t = { "allocate the block of 1.0 GiB once, before the loop", 4711 };
	struct rec_fn a = { .name = name, .note = note, .calls = 1234567, .bytes = 1ull << 30,
			    .time = 12345678, .pid = 4711, .addr = 0x7f00, .delta = -2048,
			    .share = 0.1234, .rate = 12.5, .bps = 3.5 * (1 << 30) };
	struct rec_fn b = { .name = "cuMemFree_v2", .note = NULL, .calls = 1,
			    .bytes = XPT_ABSENT, .time = 999, .share = NAN };

	assert_int_equal(f->sink->record(f->st, &text_schema, &t), 0);
	assert_int_equal(f->sink->record(f->st, &fn_schema, &a), 0);
	assert_int_equal(f->sink->record(f->st, &sum_schema, &a), 0);
	memset(name, 'x', sizeof(name) - 1);
	memset(note, 'x', sizeof(note) - 1);
	assert_int_equal(f->sink->record(f->st, &fn_schema, &b), 0);
}

static void expect(const struct xpt_sink *sink, struct xpt_sink_cfg cfg, const char *want)
{
	struct feed f;

	feed_open(&f, sink, &cfg);
	feed_records(&f);
	assert_int_equal(feed_close(&f), 0);
	assert_string_equal(f.text, want);
	free(f.text);
}

#define LIST                                                                                  \
	"  calls       1,234,567\n"                                                             \
	"  process     4711\n"                                                                  \
	"  address     0x7f00\n"                                                                \
	"  difference  -2.0 KiB\n"                                                              \
	"  rate        12.5/s\n"                                                                \
	"  throughput  3.5 GiB/s\n"                                                             \
	"  note        allocates in every step of the loop\n"

static void test_text_80(void **state)
{
	(void)state;
	expect(&xpt_sink_summary, (struct xpt_sink_cfg){ .columns = 80 },
	       "Summary\n" LIST "\n"
	       "Functions\n"
	       "  FUNCTION           CALLS    BYTES     TIME   SHARE  NOTE\n"
	       "  cuMemAlloc_v2  1,234,567  1.0 GiB  12.3 ms  12.3 %  "
	       "allocates in every step o\xe2\x80\xa6\n"
	       "  cuMemFree_v2           1        -   999 ns       -\n"
	       "\n"
	       "Advice\n"
	       "  \xe2\x80\xa2 allocate the block of 1.0 GiB once, before the loop\n");
}

static void test_text_200(void **state)
{
	(void)state;
	expect(&xpt_sink_summary, (struct xpt_sink_cfg){ .columns = 200, .color = true },
	       "\033[1mSummary\033[0m\n" LIST "\n"
	       "\033[1mFunctions\033[0m\n"
	       "  FUNCTION           CALLS    BYTES     TIME   SHARE  NOTE\n"
	       "  cuMemAlloc_v2  1,234,567  1.0 GiB  12.3 ms  12.3 %  "
	       "allocates in every step of the loop\n"
	       "  cuMemFree_v2           1        -   999 ns       -\n"
	       "\n"
	       "\033[1mAdvice\033[0m\n"
	       "  \033[31m\xe2\x80\xa2 \033[0mallocate the block of 1.0 GiB once, before the loop\n");
}

struct rec_finding {
	const char *kind, *text, *advice;
};
static const struct xpt_field finding_fields[] = {
	XPT_FIELD(struct rec_finding, kind, STR, NONE, "KIND"),
	XPT_FIELD(struct rec_finding, text, STR, NONE, "TEXT"),
	XPT_FIELD(struct rec_finding, advice, STR, NONE, "ADVICE"),
};
static const struct xpt_schema finding_schema = {
	.name = "verdict", .title = "Findings", .layout = XPT_LAYOUT_TEXT, .order = 900,
	.size = sizeof(struct rec_finding), .fields = finding_fields, .nr_fields = 3,
};

/* Advice stands below its sentence, also broken; none leaves no trace. */
/* A file or a program gets texts whole; sentences are broken as for 80 columns. */
static void test_not_cut(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80, .room = 1000 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_summary, &cfg);
	feed_records(&f);
	assert_int_equal(feed_close(&f), 0);
	assert_non_null(strstr(f.text, "12.3 %  allocates in every step of the loop\n"));
	assert_null(strstr(f.text, "\xe2\x80\xa6"));
	free(f.text);
}

static const struct xpt_field process_fields[] = {
	XPT_FIELD(struct rec_fn, name, STR, NONE, "object"),
	XPT_FIELD(struct rec_fn, pid, U64, PROCESS, "pid"),
};
static const struct xpt_schema process_schema = {
	.name = "objects", .title = "Objects", .layout = XPT_LAYOUT_TABLE, .order = 20,
	.size = sizeof(struct rec_fn), .fields = process_fields, .nr_fields = 2,
};

/* The column for processes is there if there are several. */
static void test_processes(void **state)
{
	struct rec_fn a = { .name = "qpair", .pid = 4711 }, b = { .name = "target", .pid = 4711 };

	(void)state;
	for (int several = 0; several < 2; several++) {
		struct xpt_sink_cfg cfg = { .columns = 80 };
		struct feed f;

		feed_open(&f, &xpt_sink_summary, &cfg);
		b.pid += (unsigned)several;
		xpt_sink_summary.record(f.st, &process_schema, &a);
		xpt_sink_summary.record(f.st, &process_schema, &b);
		assert_int_equal(feed_close(&f), 0);
		assert_string_equal(f.text, several ? "Objects\n  object   pid\n  qpair   4711\n  target  4712\n" :
				    "Objects\n  object\n  qpair\n  target\n");
		free(f.text);
	}
}

static void test_advice(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 30 };
	struct rec_finding a = { "churn", "It was freed 20 times.", "Allocate once, before the loop." };
	struct rec_finding b = { "more", "2 more.", "" };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_summary, &cfg);
	assert_int_equal(f.sink->record(f.st, &finding_schema, &a), 0);
	assert_int_equal(f.sink->record(f.st, &finding_schema, &b), 0);
	assert_int_equal(feed_close(&f), 0);
	assert_string_equal(f.text, "Findings\n"
			    "  \xe2\x80\xa2 It was freed 20 times.\n"
			    "    \xe2\x86\x92 Allocate once, before\n"
			    "      the loop.\n"
			    "  \xe2\x80\xa2 2 more.\n");
	free(f.text);
}

/* Too narrow: text gives way, digits stay; nothing is lost but ends of text. */
static void test_text_20(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C");
	expect(&xpt_sink_summary, (struct xpt_sink_cfg){ .columns = 20, .raw = true },
	       "Summary\n"
	       "  calls       1234567\n"
	       "  process     4711\n"
	       "  address     0x7f00\n"
	       "  difference  -2048\n"
	       "  rate        12.5\n"
	       "  throughput  3758096384\n"
	       "  note        alloc...\n"
	       "\n"
	       "Functions\n"
	       "  FUNCTION    CALLS       BYTES      TIME   SHARE  NOTE\n"
	       "  cuMem...  1234567  1073741824  12345678  0.1234  alloc...\n"
	       "  cuMem...        1           -       999       -\n"
	       "\n"
	       "Advice\n"
	       "  * allocate the\n"
	       "    block of 1.0 GiB\n"
	       "    once, before the\n"
	       "    loop\n");
	setlocale(LC_CTYPE, "C.UTF-8");
}

static void test_json(void **state)
{
	(void)state;
	expect(&xpt_sink_json, (struct xpt_sink_cfg){ .columns = 80 },
	       "{\n"
	       "  \"schema_version\": 1,\n"
	       "  \"summary\": {\"calls\": 1234567, \"pid\": 4711, \"addr\": \"0x7f00\", "
	       "\"delta\": -2048, \"rate\": 12.5, \"bps\": 3758096384, "
	       "\"note\": \"allocates in every step of the loop\"},\n"
	       "  \"functions\": [\n"
	       "    {\"name\": \"cuMemAlloc_v2\", \"calls\": 1234567, \"bytes\": 1073741824, "
	       "\"time\": 12345678, \"share\": 0.1234, "
	       "\"note\": \"allocates in every step of the loop\"},\n"
	       "    {\"name\": \"cuMemFree_v2\", \"calls\": 1, \"bytes\": null, \"time\": 999, "
	       "\"share\": null, \"note\": null}\n"
	       "  ],\n"
	       "  \"advice\": [\n"
	       "    {\"pid\": 4711, \"text\": \"allocate the block of 1.0 GiB once, "
	       "before the loop\"}\n"
	       "  ],\n"
	       "  \"records_dropped\": 0\n"
	       "}\n");
}

static void test_nothing(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_summary, &cfg);
	assert_int_equal(feed_close(&f), 0);
	assert_string_equal(f.text, "");
	free(f.text);
	feed_open(&f, &xpt_sink_json, &cfg);
	assert_int_equal(feed_close(&f), 0);
	assert_string_equal(f.text, "{\n  \"schema_version\": 1,\n  \"records_dropped\": 0\n}\n");
	free(f.text);
}

/* What is meant for scripts alone is in the JSON report and not in the summary. */
static void test_detail(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct xpt_schema detail = text_schema;
	struct rec_text t = { "one of a thousand points", 1 };
	struct feed f;

	(void)state;
	detail.detail = true;
	feed_open(&f, &xpt_sink_summary, &cfg);
	assert_int_equal(f.sink->record(f.st, &detail, &t), 0);
	assert_int_equal(feed_close(&f), 0);
	assert_string_equal(f.text, "");
	free(f.text);
	feed_open(&f, &xpt_sink_json, &cfg);
	assert_int_equal(f.sink->record(f.st, &detail, &t), 0);
	assert_int_equal(feed_close(&f), 0);
	assert_non_null(strstr(f.text, "one of a thousand points"));
	free(f.text);
}

/* Tables show their first rows, and say how many there are; a list of short values two a line. */
/* Names of functions stay whole where addresses can give up their beginnings. */
static void test_short_addresses(void **state)
{
	static const struct xpt_field fields[] = {
		{ "function", "function", XPT_T_STR, XPT_U_NONE, offsetof(struct rec_fn, name), false },
		XPT_FIELD(struct rec_fn, addr, U64, HEX, "stream"),
		XPT_FIELD(struct rec_fn, calls, U64, COUNT, "calls"),
	};
	struct rec_fn rec[] = { { .name = "cuStreamSynchronize", .addr = 0x561a4f781c00, .calls = 6 },
				{ .name = "cuCtxSynchronize", .addr = XPT_ABSENT, .calls = 2 } };
	struct xpt_schema short_schema = fn_schema;

	(void)state;
	short_schema.fields = fields;
	short_schema.nr_fields = 3;
	for (unsigned columns = 80; columns >= 40; columns -= 40) {
		struct xpt_sink_cfg cfg = { .columns = columns };
		struct feed f;

		feed_open(&f, &xpt_sink_summary, &cfg);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(f.sink->record(f.st, &short_schema, &rec[i]), 0);
		assert_int_equal(feed_close(&f), 0);
		assert_int_equal(!!strstr(f.text, "  cuStreamSynchronize  0x561a4f781c00      6\n"), columns == 80);
		assert_non_null(strstr(f.text, "4f781c00      6\n"));	/* behind an ellipsis */
		assert_non_null(strstr(f.text, "  cuCtxSynchronize "));
		assert_non_null(strstr(f.text, "  cuStreamSynchronize "));
		free(f.text);
	}
}

/* A name that its column has no room for has a line of its own: before the row if it begins the
 * row, else behind it. The row keeps its columns. */
static void test_whole_names(void **state)
{
	static const struct xpt_field fields[] = {
		{ "function", "function", XPT_T_STR, XPT_U_NONE, offsetof(struct rec_fn, name), false },
		XPT_FIELD(struct rec_fn, calls, U64, COUNT, "calls"),
		{ "before", "behind", XPT_T_STR, XPT_U_NONE, offsetof(struct rec_fn, note), false },
		XPT_FIELD(struct rec_fn, pid, U64, NONE, "pid"),
	};
	struct rec_fn rec[] = {
		{ .name = "at::native::vectorized_elementwise_kernel<4, float>", .calls = 6, .note = "gemm", .pid = 1 },
		{ .name = "gemm", .calls = 7, .note = "at::native::reduce_kernel<512, float>", .pid = 2 },
		{ .name = "unknown(0x561a4f781bb0)", .calls = 8, .note = "f", .pid = 3 },
	};
	struct xpt_schema names = fn_schema;
	struct xpt_sink_cfg cfg = { .columns = 44 };
	struct feed f;

	(void)state;
	names.fields = fields;
	names.nr_fields = 4;
	feed_open(&f, &xpt_sink_summary, &cfg);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(f.sink->record(f.st, &names, &rec[i]), 0);
	assert_int_equal(feed_close(&f), 0);
	assert_string_equal(f.text, "Functions\n"
				    "  function              calls  behind    pid\n"
				    "  at::native::vectorized_elementwise_kernel<4, float>\n"
				    "                            6  gemm        1\n"
				    "  gemm                      7              2\n"
				    "       at::native::reduce_kernel<512, float>\n"
				    "  unknown(0x561…81bb0)      8  f           3\n");
	free(f.text);
	cfg.columns = 120;
	feed_open(&f, &xpt_sink_summary, &cfg);
	assert_int_equal(f.sink->record(f.st, &names, &rec[0]), 0);
	assert_int_equal(feed_close(&f), 0);
	assert_string_equal(f.text, "Functions\n"
				    "  function                                             calls  behind  pid\n"
				    "  at::native::vectorized_elementwise_kernel<4, float>      6  gemm      1\n");
	free(f.text);
}

/* Handles differ in their last digits; a name is cut behind. */
static void test_short_handles(void **state)
{
	static const struct { const char *s, *want; size_t max; } shorten[] = {
		{ "unknown(0x561a4f781bb0)", "unknown(0x561a4f781bb0)", 23 },
		{ "unknown(0x561a4f781bb0)", "unknown(...81bb0)", 17 },
		{ "unknown(0x561a4f781bb0)", "u...81bb0)", 10 },
		{ "unknown(0x561a4f781bb0)", "unkno...", 8 },	/* no room */
		{ "run_allocations+0x1a", "run_a...+0x1a", 13 },
		{ "operator+0xyz(int)", "operator+0...", 13 },
		{ "unknown(0x561a4f781bb0) and more", "unknown(0x561a...", 17 },
		{ "ioctl:NV_ESC_RM_CONTROL:NV2080_CTRL_CMD_GR_GET_INFO", "ioctl..._CMD_GR_GET_INFO", 24 },
		{ "ioctl:NV_ESC_RM_FREE", "ioctl:NV_ESC_RM_FREE", 20 },
		{ "ioctl:NV_ESC_RM_FREE", "ioctl...", 8 },
		{ "ioctl:a b", "ioctl...", 8 },
		{ "unknown(char const*, int)", "unknown(char c...", 17 },
	};
	struct xpt_strbuf sb;

	(void)state;
	for (size_t i = 0; i < sizeof(shorten) / sizeof(shorten[0]); i++) {
		xpt_strbuf__init(&sb, 100);
		assert_int_equal(xpt_text__add(&sb, shorten[i].s, shorten[i].max, false), shorten[i].max);
		assert_string_equal(xpt_strbuf__str(&sb), shorten[i].want);
		xpt_strbuf__free(&sb);
	}
}

/* A mark has a column where a row is marked, and none where no row is. */
static void test_mark(void **state)
{
	static const struct xpt_field fields[] = {
		XPT_FIELD(struct rec_fn, name, STR, NONE, "FUNCTION"),
		XPT_FIELD(struct rec_fn, time, U64, NS, "TIME"),
		XPT_FIELD(struct rec_fn, calls, U64, MARK, " "),
	};
	struct rec_fn rec[] = { { .name = "a", .time = 1000, .calls = 1 }, { .name = "b", .time = 2000 },
				{ .name = "c", .time = 3000, .calls = XPT_ABSENT } };
	struct xpt_schema marked = fn_schema;
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct feed f;

	(void)state;
	marked.fields = fields;
	marked.nr_fields = 3;
	for (unsigned from = 0; from < 2; from++) {
		feed_open(&f, &xpt_sink_summary, &cfg);
		for (unsigned i = from; i < 3; i++)
			assert_int_equal(f.sink->record(f.st, &marked, &rec[i]), 0);
		assert_int_equal(feed_close(&f), 0);
		assert_string_equal(f.text, from ? "Functions\n"
						   "  FUNCTION     TIME\n"
						   "  b         2.00 us\n"
						   "  c         3.00 us\n"
						 : "Functions\n"
						   "  FUNCTION     TIME\n"
						   "  a         1.00 us  *\n"
						   "  b         2.00 us\n"
						   "  c         3.00 us\n");
		free(f.text);
	}
}

static void test_brief(void **state)
{
	struct xpt_schema fn = fn_schema, sum = sum_schema;
	struct xpt_field sum_brief[7];

	(void)state;
	fn.brief = 2;
	sum.two_columns = true;
	memcpy(sum_brief, sum_fields, sizeof(sum_brief));
	sum_brief[1].quiet = true;
	sum.fields = sum_brief;
	for (int mode = 0; mode < 3; mode++) {
		struct xpt_sink_cfg cfg = { .columns = 80, .all = mode == 1 };
		struct rec_fn r = { .name = "cuInit", .calls = 7, .addr = 16 };
		struct feed f;

		feed_open(&f, mode == 2 ? &xpt_sink_json : &xpt_sink_summary, &cfg);
		for (int i = 0; i < 4; i++)
			assert_int_equal(f.sink->record(f.st, &fn, &r), 0);
		assert_int_equal(f.sink->record(f.st, &sum, &r), 0);
		assert_int_equal(feed_close(&f), 0);
		assert_int_equal(!!strstr(f.text, "Functions (2 of 4; report --all shows all)\n"),
				 mode == 0);
		assert_int_equal(!!strstr(f.text, "  calls       7       rate        0/s\n"),
				 mode == 0);
		assert_int_equal(!!strstr(f.text, "process"), mode == 1);
		free(f.text);
	}
}

struct rec_said {
	const char *text;
	uint64_t in_verdict;
};

/* What a finding says again is left out, with its title, unless details are asked for. */
static void test_said_once(void **state)
{
	static const struct xpt_field fields[] = {
		XPT_FIELD(struct rec_said, text, STR, NONE, "text"),
		XPT_FIELD(struct rec_said, in_verdict, U64, NONE, ""),
	};
	static const struct xpt_schema schema = {
		.name = "said", .title = "Said", .layout = XPT_LAYOUT_TEXT,
		.size = sizeof(struct rec_said), .fields = fields, .nr_fields = 2,
	};

	(void)state;
	for (int all = 0; all < 2; all++) {
		struct xpt_sink_cfg cfg = { .columns = 80, .all = all };
		struct rec_said r = { "twice", 1 };
		struct feed f;

		feed_open(&f, &xpt_sink_summary, &cfg);
		assert_int_equal(f.sink->record(f.st, &schema, &r), 0);
		assert_int_equal(feed_close(&f), 0);
		assert_string_equal(f.text, all ? "Said\n  \xe2\x80\xa2 twice\n" : "");
		free(f.text);
	}
}

/* No byte of a hostile string but printable ones, in any layout. */
static void test_hostile(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	struct rec_text t = { "a \033[31mred\007 \xc2\x9b" "1m\r\nb \xe2\x80\xae" "c \xff", 1 };
	struct rec_fn r = { .name = "\033]0;x\007", .note = "\b\b\b" };
	struct feed f;

	(void)state;
	feed_open(&f, &xpt_sink_summary, &cfg);
	xpt_sink_summary.record(f.st, &text_schema, &t);
	xpt_sink_summary.record(f.st, &fn_schema, &r);
	xpt_sink_summary.record(f.st, &sum_schema, &r);
	assert_int_equal(feed_close(&f), 0);
	for (const char *s = f.text; *s; s++)
		if ((*s < ' ' && *s != '\n') || *s == 0x7f)
			assert_true((*s & 0x80) && (unsigned char)*s != 0x9b);
	assert_non_null(strstr(f.text, "\xe2\x80\xa2 a ?[31mred? ?1m b ?c ?\n"));
	assert_non_null(strstr(f.text, "  ?]0;x?  "));
	assert_non_null(strstr(f.text, "  note        ???\n"));
	free(f.text);
}

/* The store is bounded in bytes and says what it dropped. */
static void test_bounds(void **state)
{
	char *big = malloc(1001);
	struct rec_text t = { big, 1 };
	const struct xpt_section *sec;
	struct xpt_records *r = NULL;
	size_t nr;

	(void)state;
	memset(big, 'x', 1000);
	big[1000] = '\0';
	assert_int_equal(xpt_records__new(10000, &r), 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(xpt_records__add(r, &text_schema, &t), 0);
	sec = xpt_records__sections(r, &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(sec->nr, 9);
	assert_int_equal(sec->nr + sec->dropped, 100);
	assert_string_equal(((struct rec_text *)sec->rec[8])->text, big);
	assert_ptr_not_equal(((struct rec_text *)sec->rec[8])->text, big);
	xpt_records__free(r);
	free(big);
}

static void test_dropped_told(void **state)
{
	struct xpt_sink_cfg cfg = { .columns = 80 };
	char *big = malloc(2000001);
	struct rec_text t = { big, 1 };
	struct feed f;

	(void)state;
	memset(big, ' ', 2000000);
	big[2000000] = '\0';
	feed_open(&f, &xpt_sink_summary, &cfg);
	for (int i = 0; i < 10; i++)
		assert_int_equal(xpt_sink_summary.record(f.st, &text_schema, &t), 0);
	assert_int_equal(feed_close(&f), 0);
	assert_non_null(strstr(f.text, "  (6 more not shown: too many to keep)\n"));
	free(f.text);
	free(big);
}

static void test_full_device(void **state)
{
	const struct xpt_sink *sinks[] = { &xpt_sink_summary, &xpt_sink_json };
	struct feed f;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct xpt_sink_cfg cfg = { .columns = 80, .file = fopen("/dev/full", "w") };

		feed_open(&f, sinks[i], &cfg);
		feed_records(&f);
		assert_int_equal(feed_close(&f), -ENOSPC);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_80),
		cmocka_unit_test(test_text_200),
		cmocka_unit_test(test_not_cut), cmocka_unit_test(test_processes),
		cmocka_unit_test(test_advice),
		cmocka_unit_test(test_text_20),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_detail),
		cmocka_unit_test(test_brief), cmocka_unit_test(test_mark),
		cmocka_unit_test(test_short_addresses), cmocka_unit_test(test_whole_names),
		cmocka_unit_test(test_short_handles),
		cmocka_unit_test(test_said_once),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_dropped_told),
		cmocka_unit_test(test_full_device),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
