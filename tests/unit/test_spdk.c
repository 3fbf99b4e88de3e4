/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Annotating traces of SPDK: windows of pointers that are used again, completions
 * behind a removal, queue pairs older than the recording, names that were cut or are
 * empty or hold what separates fields, owners of TCP requests, times as Python
 * prints them; and the same as SPDK's own script where that is asked for.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "spdk/request_states.h"
#include "spdk_lines.h"

static uint64_t nr_damaged;	/* of the last trace */
static struct xpt_spdk_spot damaged_at;

/* --- windows ------------------------------------------------------------------------ */

static void test_reused(void **state)
{
	static const char record[] =
		ADD("0x64", "0x1000", "0x1") CONNECT("0x6e", "0x1000", "0x1", "nqn.a", "host.a")
		REMOVE("0xc8", "0x1000", "0x1")
		ADD("0x12c", "0x1000", "0x2") CONNECT("0x136", "0x1000", "0x5", "nqn.b", "host.b");
	static const char trace[] = HEAD RDMA("105", "4096") "," RDMA("150", "4096") "," RDMA("250", "4096")
		"," RDMA("299", "4096") "," RDMA("300", "4096") "," RDMA("9999", "4096") TAIL;
	const char *a = "qpair(ptr=0x1000, thread=1, qid=1, subnqn=nqn.a, hostnqn=host.a)";
	const char *b = "qpair(ptr=0x1000, thread=2, qid=5, subnqn=nqn.b, hostnqn=host.b)";

	(void)state;
	expect(record, trace, false, WANT(a, a, a, a, b, b));
	assert_int_equal(stats.late, 2);	/* between the removal and the next add */
	expect(record, trace, true, WANT(a, a, "qpair: 0x1000", "qpair: 0x1000", b, b));
}

/* The removal between two adds was lost: SPDK's script gives both lives the later name. */
static void test_two_adds(void **state)
{
	static const char record[] =
		ADD("0x64", "0x1000", "0x1") CONNECT("0x6e", "0x1000", "0x1", "nqn.a", "host.a")
		ADD("0x12c", "0x1000", "0x2") CONNECT("0x136", "0x1000", "0x5", "nqn.b", "host.b")
		REMOVE("0x190", "0x1000", "0x2");
	static const char trace[] = HEAD RDMA("150", "4096") "," RDMA("350", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT("thread=1, qid=1, subnqn=nqn.a,", "thread=2, qid=5, subnqn=nqn.b,"));
	expect(record, trace, true, WANT("thread=1, qid=5, subnqn=nqn.b,", "thread=1, qid=5, subnqn=nqn.b,"));
}

/* Two adds in one tick: SPDK's script takes the first, in the order of the recording. */
static void test_one_tick(void **state)
{
	static const char record[] =
		ADD("0x64", "0x1000", "0x1") ADD("0x64", "0x1000", "0x2") ADD("0x64", "0x1000", "0x3")
		ADD("0x64", "0x1000", "0x4") REMOVE("0x190", "0x1000", "0x2");
	static const char trace[] = HEAD RDMA("150", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT("thread=4)"));
	expect(record, trace, true, WANT("thread=1)"));
}

static void test_fini_ends(void **state)
{
	static const char record[] = ADD("0x64", "0x1000", "0x1") REMOVE("0xc8", "0x1000", "0x1")
		FINI("0xd2", "0x1000");
	static const char trace[] = HEAD RDMA("205", "4096") "," RDMA("211", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT("qpair(ptr=0x1000, thread=1)", "qpair: 0x1000"));
	assert_int_equal(stats.unknown, 1);
}

/* Lines of another order, as several CPUs write them. */
static void test_order(void **state)
{
	static const char record[] = REMOVE("0xc8", "0x1000", "0x1")
		CONNECT("0x6e", "0x1000", "0x1", "nqn.a", "host.a") ADD("0x64", "0x1000", "0x1");
	static const char trace[] = HEAD RDMA("99", "4096") "," RDMA("150", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT("qpair: 0x1000", "qid=1, subnqn=nqn.a"));
	expect(record, trace, true, WANT("qpair: 0x1000", "qid=1, subnqn=nqn.a"));
}

/* --- older than the recording ----------------------------------------------------------- */

static void test_older(void **state)
{
	static const char record[] = REMOVE("0xc8", "0x1000", "0x3")
		ADD("0x12c", "0x1000", "0x4") CONNECT("0x64", "0x2000", "0x2", "nqn.c", "host.c");
	static const char trace[] = HEAD RDMA("10", "4096") "," RDMA("10", "8192") "," RDMA("10", "12288")
		"," RDMA("310", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT("qpair(ptr=0x1000, thread=3)",
		"qpair(ptr=0x2000, qid=2, subnqn=nqn.c, hostnqn=host.c)", "qpair: 0x3000",
		"qpair(ptr=0x1000, thread=4)"));
	assert_int_equal(stats.unknown, 1);
	assert_int_equal(stats.nr_unknown, 1);
	assert_int_equal(stats.first_unknown, 0x3000);
	expect(record, trace, true, WANT("qpair: 0x1000", "qpair: 0x2000", "qpair: 0x3000",
		"qpair(ptr=0x1000, thread=4)"));
}

static void test_no_record(void **state)
{
	static const char trace[] = HEAD TCP("1", "1.2.3.4:5 nqn.a 1.1.1.1:4420 qid:7") ","
		TCP("2", "1.2.3.4:5") "," TCP("3", "1.2.3.4:5 nqn.a qid:0") TAIL;

	(void)state;
	expect("", trace, false, WANT("qd: 3, qpair(qid=7, subnqn=nqn.a)", "qd: 3",
				      "qd: 3, qpair(qid=0, subnqn=nqn.a)"));
	assert_int_equal(stats.by_owner, 2);
}

/* --- owners ------------------------------------------------------------------------------ */

static void test_owner(void **state)
{
	static const char record[] =
		ADD("0x64", "0x1000", "0x1") CONNECT("0x6e", "0x1000", "0x1", "nqn.a", "host.a")
		REMOVE("0xc8", "0x1000", "0x1")
		ADD("0x12c", "0x2000", "0x2") CONNECT("0x136", "0x2000", "0x1", "nqn.a", "host.b");
	static const char o[] = HEAD TCP("120", "h nqn.a l qid:1") "," TCP("250", "h nqn.a l qid:1") ","
		TCP("400", "h nqn.a l qid:1") "," TCP("400", "h nqn.b l qid:1") ","
		"{\"lcore\":0,\"tpoint\":128,\"tsc\":400,\"poller\":\"t262\",\"args\":[3]}" TAIL;

	(void)state;
	expect(record, o, false, WANT("qd: 3, qpair(ptr=0x1000, thread=1, qid=1, subnqn=nqn.a, hostnqn=host.a)",
		"hostnqn=host.a", "qpair(ptr=0x2000, thread=2, qid=1, subnqn=nqn.a, hostnqn=host.b)",
		"qpair(qid=1, subnqn=nqn.b)", "hostnqn=host.b"));
	assert_int_equal(stats.many, 0);
	assert_int_equal(stats.presumed, 3);	/* but for the last: that one begins with the connect */
	expect(record, o, true, WANT("qd: 3", "qd: 3", "qd: 3", "qd: 3", "qd: 3"));
	assert_int_equal(stats.annotated, 0);
}

static void test_owner_of_many(void **state)
{
	static const char record[] =
		ADD("0x64", "0x1000", "0x1") CONNECT("0x6e", "0x1000", "0x1", "nqn.a", "host.a")
		ADD("0xc8", "0x2000", "0x2") CONNECT("0xd2", "0x2000", "0x1", "nqn.a", "host.b")
		REMOVE("0x12c", "0x1000", "0x1");
	static const char trace[] = HEAD TCP("150", "h nqn.a l qid:1") "," TCP("250", "h nqn.a l qid:1") ","
		TCP("350", "h nqn.a l qid:1") TAIL;

	(void)state;
	expect(record, trace, false, WANT("hostnqn=host.a", "qd: 3, qpair(qid=1, subnqn=nqn.a)",
					  "hostnqn=host.b"));
	assert_int_equal(stats.many, 1);
}

/* --- names -------------------------------------------------------------------------------- */

#define N63 "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-0000000"

static void test_cut_names(void **state)
{
	static const char record[] = ADD("0x1", "0x1000", "0x1") CONNECT("0x2", "0x1000", "0x1", N63, "h");
	static const char trace[] = HEAD TCP("5", "c " N63 "12345 l qid:1") "," TCP("5", "c " N63 " l qid:1") TAIL;

	(void)state;
	assert_int_equal(strlen(N63), 63);
	expect(record, trace, false, WANT("hostnqn=h)", "hostnqn=h)"));
	assert_int_equal(nr_cut, 1);
}

static void test_long_names(void **state)
{
	char nqn[224], record[1024], want[1024], *out;

	(void)state;
	memset(nqn, 'n', 223);
	nqn[223] = '\0';
	memcpy(nqn, "nqn,a=b, thread=0x1'x', '", 25);
	snprintf(record, sizeof(record), ADD("0x1", "0x1000", "0x1")
		 "nvmf_ctrlr_add_qpair: tsc=0x2, qpair=0x1000, qid=0x1, subnqn='%s', hostnqn='%s'\n", nqn, nqn);
	snprintf(want, sizeof(want), "qid=1, subnqn=%s, hostnqn=%s)\n", nqn, nqn);
	out = annotate(record, HEAD RDMA("5", "4096") TAIL, false, false);
	assert_non_null(strstr(out, want));
	free(out);
}

static void test_empty_names(void **state)
{
	static const char record[] = ADD("0x1", "0x1000", "0x1") CONNECT("0x2", "0x1000", "0x1", "nqn.a", "");
	static const char trace[] = HEAD RDMA("5", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT("hostnqn=(empty or unreadable))"));
	expect(record, trace, true, WANT("subnqn=nqn.a, hostnqn=)"));
}

/* What xputrace records beside: names that could not be read, pairs of clocks. */
static void test_own_record(void **state)
{
	static const char record[] = "xputrace_clock: tsc=0x64, mono=0x3e8\n" ADD("0x65", "0x1000", "0x1")
		"nvmf_ctrlr_add_qpair: tsc=0x66, qpair=0x1000, qid=0x1, subnqn='nqn.a', hostnqn=?\n"
		"xputrace_clock: tsc=0xc8, mono=0x7d0\nxputrace_clock: tsc=0x12c, mo";
	static const char trace[] = HEAD RDMA("104", "4096") TAIL;
	char *out;

	(void)state;
	expect(record, trace, false, WANT("qid=1, subnqn=nqn.a, hostnqn=(unreadable))"));
	assert_int_equal(record_stats.points, 2);
	assert_int_equal(record_stats.bad, 0);
	assert_int_equal(record_stats.first.tsc, 100);
	assert_int_equal(record_stats.first.mono_ns, 1000);
	assert_int_equal(record_stats.last.tsc, 200);
	assert_int_equal(record_stats.last.mono_ns, 2000);
	out = annotate(record, trace, false, true);
	assert_non_null(strstr(out, "\"hostnqn\":null"));
	free(out);
}

static void test_record_lines(void **state)
{
	static const char record[] = "Attaching 3 probes...\nLost 3 events\nLost 40 events\nother_probe: tsc=0x1\n"
		"Lost x events\nLost 7 eventsx\nLost  events\nLost 99999999999999999999 events\n"
		"nvmf_poll_group_add_qpair: tsc=0x1, qpair=0x1000\n"		/* no thread */
		"nvmf_poll_group_add_qpair: tsc=0xzz, qpair=0x1000, thread=0x1\n"
		"nvmf_poll_group_add_qpair: tsc=0x11112222333344445, qpair=0x1, thread=0x1\n"
		ADD("10", "2000", "1f")						/* no 0x: still base 16 */
		"nvmf_ctrlr_add_qpair: tsc=0x2, qpair=0x1000, qid=0x1, subnqn='x', hostnqn='y\n"
		"nvmf_ctrlr_add_qpair: tsc=0x2, qpair=0x1000, qid=0x1, subnqn='x', hostnqn='nqn.a', hostnqn='nqn.b'\n"
		"nvmf_ctrlr_add_qpair: tsc=0x2, qpair=0x1000, qid=0x1, subnqn='x', hostnqn='nqn.a', qpair=0x2000\n"
		"nvmf_poll_group_remove_qpair: tsc=0x20, qpair=0x2000, thread=0x1";	/* cut: 0x1f? */

	(void)state;
	expect(record, HEAD RDMA("16", "8192") TAIL, false, WANT("qpair(ptr=0x2000, thread=31)"));
	assert_int_equal(record_stats.points, 1);
	assert_int_equal(record_stats.bad, 7);
	assert_int_equal(record_stats.lost, 43);
	assert_true(record_stats.cut);
}

/* --- lines ---------------------------------------------------------------------------------- */

static void test_columns(void **state)
{
	static const char trace[] = "Using newest trace file found: /dev/shm/x\n" HEAD
		"{\"lcore\":1,\"tpoint\":64,\"tsc\":1000,\"poller\":\"q07\",\"size\":512,"
		"\"object\":{\"id\":\"r0\",\"value\":1},\"args\":[4096]},"
		"{\"lcore\":10,\"tpoint\":65,\"tsc\":2500001,\"size\":131072,\"related\":\"b1\","
		"\"object\":{\"id\":\"r0\",\"time\":1500,\"value\":1},\"args\":[18446744073709551615]},"
		"{\"lcore\":0,\"tpoint\":9,\"tsc\":900,\"args\":[\"a\\u001b[2J\"]},"
		"{\"lcore\":0,\"tpoint\":77,\"tsc\":1000,\"object\":{\"value\":1}}" TAIL
		"Trace Size of lcore (0): 32768\n";
	char *out = annotate("", trace, false, false);

	(void)state;
	assert_string_equal(out,
		"  1            0.000 q07 RDMA_REQ_NEW             size: 512   id: r0           qpair: 0x1000\n"
		" 10      2499001.000     RDMA_REQ_HAVE_BUFFER     size: 131072id: r0 (b1)      time: 1500.000 "
		"qpair: 0xffffffffffffffff\n"
		"  0         -100.000     TEXT                                 s: a?[2J\n"
		"  0            0.000     ?77\n");
	free(out);
}

static void test_json_lines(void **state)
{
	static const char record[] = ADD("0x1", "0x1000", "0x1") CONNECT("0x2", "0x1000", "0x1", "nqn.a", "");
	static const char trace[] = HEAD "{\"lcore\":1,\"tpoint\":64,\"tsc\":18446744073709551615,\"size\":1,"
		"\"object\":{\"id\":\"r0\",\"time\":3,\"value\":1},\"args\":[4096]}," TCP("5", "c nqn.b qid:2") TAIL;
	char *out = annotate(record, trace, false, true);

	(void)state;
	assert_string_equal(out,
		"{\"type\":\"entry\",\"tsc\":18446744073709551615,\"us\":0.000,\"lcore\":1,"
		"\"tpoint\":\"RDMA_REQ_NEW\",\"size\":1,\"object\":\"r0\",\"object_us\":3.000,"
		"\"args\":{\"qpair\":\"0x1000\"},\"qpair\":{\"ptr\":\"0x1000\",\"thread\":1,\"qid\":1,"
		"\"subnqn\":\"nqn.a\",\"hostnqn\":\"\"},\"no_host\":\"no_connect\"}\n"
		"{\"type\":\"entry\",\"tsc\":5,\"us\":-18446744073709551616.000,\"lcore\":0,"
		"\"tpoint\":\"TCP_REQ_NEW\",\"owner\":\"c nqn.b qid:2\",\"args\":{\"qd\":3},"
		"\"qpair\":{\"qid\":2,\"subnqn\":\"nqn.b\"},\"no_host\":\"unknown\"}\n");
	free(out);
}

/* Against printf() of the double, wherever that quotient is the correctly rounded one. */
static void test_times(void **state)
{
	static const uint64_t rates[] = { 1, 3, 1000, 1000000, 2600000000, 2596150262, 2000000001 };
	uint64_t rng = 88172645463325252ull;
	struct xpt_strbuf sb;
	char want[64];

	(void)state;
	xpt_strbuf__init(&sb, 1000);
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t rate = rates[i % 7], ticks;

		rng ^= rng << 13;
		rng ^= rng >> 7;
		rng ^= rng << 17;
		ticks = (rng >> (31 + i % 20)) % 9007199254ull;	/* times 10^6 it is below 2^53 */
		xpt_strbuf__reset(&sb);
		xpt_spdk_line__add_us(&sb, i & 1, ticks, rate, 16);
		snprintf(want, sizeof(want), "%16.3f", (i & 1 ? -1 : 1) * (double)(ticks * 1000000) /
						       (double)rate);
		assert_string_equal(xpt_strbuf__str(&sb), want);
	}
	xpt_strbuf__free(&sb);
}

/* --- whole traces ----------------------------------------------------------------------------- */

static int read_trace(const char *text, size_t n, unsigned *ret_entries, uint64_t *ret_bad)
{
	struct source src = { text, n };
	struct xpt_spdk_trace *t;
	struct xpt_spdk_entry e;
	int err = xpt_spdk_trace__open(give, &src, &t, NULL);

	*ret_entries = 0;
	if (err)
		return err;
	while ((err = xpt_spdk_trace__next(t, &e)) > 0)
		++*ret_entries;
	assert_int_equal(xpt_spdk_trace__next(t, &e), err);
	*ret_bad = xpt_spdk_trace__bad(t);
	nr_damaged = xpt_spdk_trace__damaged(t, &damaged_at);
	xpt_spdk_trace__free(t);
	return err;
}

static void test_cut_traces(void **state)
{
	static const char text[] = HEAD RDMA("1", "4096") "," TCP("2", "c nqn.b qid:2") "," RDMA("3", "1") TAIL;
	unsigned entries, last = 0;
	uint64_t bad;

	(void)state;
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *copy = malloc(n + 1);

		memcpy(copy, text, n);
		assert_int_equal(read_trace(copy, n, &entries, &bad), -ENODATA);
		assert_true(entries >= last && entries <= 3);
		last = entries;
		free(copy);
	}
	assert_int_equal(last, 3);
	assert_int_equal(read_trace(text, sizeof(text) - 1, &entries, &bad), 0);
	assert_int_equal(entries, 3);
}

static void test_bad_traces(void **state)
{
	static const char no_rate[] = "{\"tpoints\":[],\"entries\":[]}", none[] = "{\"a\":1}";
	static const char late[] = "{\"entries\":[],\"tsc_rate\":5}", zero[] = "{\"tsc_rate\":0,\"entries\":[]}";
	static const char odd[] = HEAD "3,null,{},{\"tsc\":1},{\"tpoint\":64,\"tsc\":-1}," RDMA("1", "2.5") TAIL;
	unsigned entries;
	uint64_t bad;

	(void)state;
	assert_int_equal(read_trace(no_rate, sizeof(no_rate) - 1, &entries, &bad), -EBADMSG);
	assert_int_equal(read_trace(none, sizeof(none) - 1, &entries, &bad), -EBADMSG);
	assert_int_equal(read_trace(late, sizeof(late) - 1, &entries, &bad), -EBADMSG);
	assert_int_equal(read_trace(zero, sizeof(zero) - 1, &entries, &bad), -EBADMSG);
	assert_int_equal(read_trace(odd, sizeof(odd) - 1, &entries, &bad), 0);
	assert_int_equal(entries, 1);
	assert_int_equal(bad, 5);
}

/* spdk_trace's own lines at each byte of the JSON, and read in pieces of any size: the entries are all there. */
static void test_printed_text(void **state)
{
	static const char text[] = HEAD RDMA("1", "4096") "," TCP("2", "c nqn.Trace.b qid:2") TAIL;
	static const char *const lines[] = { "Trace Size of lcore (0): 32768\n", "TSC Rate: 2100000000\n",
					     "TSC Rate: 1\nTrace Size of lcore (12): 7\n" };
	char with[sizeof(text) + 64], *plain = annotate("", text, false, false), *out;

	(void)state;
	for (size_t at = 1; at < sizeof(text) - 1; at++) {
		snprintf(with, sizeof(with), "%.*s%s%s", (int)at, text, lines[at % 3], text + at);
		piece = 65 + at % 200;
		out = annotate("", with, false, false);
		assert_string_equal(out, plain);
		assert_int_equal(nr_printed, 1 + (at % 3 == 2));
		free(out);
	}
	piece = 0;
	free(plain);
}

/* A trace point that the trace does not define is shown by its id. */
static void test_undefined(void **state)
{
	(void)state;
	expect("", HEAD "{\"tpoint\":77,\"tsc\":1},{\"tpoint\":18446744073709551615,\"tsc\":2},{\"tpoint\":77,\"tsc\":3}" TAIL,
	       false, WANT(" ?77", " ?18446744073709551615", " ?77"));
}

#define LCORE(tsc) "{\"lcore\":1,\"tpoint\":64,\"tsc\":" #tsc "}"

/* Text that nobody knows: entries before and after it are read, and its place is told. */
static void test_damaged_traces(void **state)
{
	static const char one[] = HEAD "\n" LCORE(1) ",{\"lcore\":1,\"tpoint\":6\nlog: x {y}\n4,\"tsc\":2}," LCORE(3) TAIL;
	static const char two[] = HEAD LCORE(1) " oops " LCORE(2) ",{\"lcore\":oops" TAIL;
	static const char head[] = "{\"tsc_rate\":1,\n\"tpoints\":[oops]}";
	struct xpt_spdk_spot spot;
	struct source src = { head, sizeof(head) - 1 };
	struct xpt_spdk_trace *t;
	unsigned entries;
	uint64_t bad;

	(void)state;
	assert_int_equal(read_trace(one, sizeof(one) - 1, &entries, &bad), 0);
	assert_int_equal(entries, 2);
	assert_int_equal(nr_damaged, 1);
	assert_int_equal(damaged_at.byte, strstr(one, "log:") - one);
	assert_int_equal(damaged_at.line, 3);
	assert_int_equal(read_trace(two, sizeof(two) - 1, &entries, &bad), 0);
	assert_int_equal(entries, 2);
	assert_int_equal(nr_damaged, 2);
	assert_int_equal(damaged_at.byte, strstr(two, "oops") - two);
	assert_int_equal(xpt_spdk_trace__open(give, &src, &t, &spot), -EBADMSG);
	assert_int_equal(spot.byte, strstr(head, "oops") - head);
	assert_int_equal(spot.line, 2);
}

/* --- requests ---------------------------------------------------------------------------------- */

#define STATES "{\"tsc_rate\":1000000000,\"tpoints\":[{\"name\":\"A_NEW\",\"id\":1,\"new_object\":true}," \
	"{\"name\":\"A_RDY_TO_COMPLETE\",\"id\":2,\"new_object\":false}," \
	"{\"name\":\"A_COMPLETED\",\"id\":3,\"new_object\":false}],\"entries\":["
#define ENTRY(tp, tsc, id, value) "{\"tpoint\":" #tp ",\"tsc\":" #tsc ",\"object\":{\"id\":\"" id \
	"\",\"value\":" #value "}}"

static struct xpt_spdk_states *read_states(const char *text, struct xpt_spdk_trace **ret_t,
					   unsigned steps[4])
{
	struct source src = { text, strlen(text) };
	struct xpt_spdk_io *io, *cut;
	struct xpt_spdk_states *s;
	struct xpt_spdk_entry e;

	memset(steps, 0, 4 * sizeof(*steps));
	assert_int_equal(xpt_spdk_trace__open(give, &src, ret_t, NULL), 0);
	assert_int_equal(xpt_spdk_states__new(xpt_spdk_trace__rate(*ret_t), &s), 0);
	while (xpt_spdk_trace__next(*ret_t, &e) > 0)
		steps[xpt_spdk_states__entry(s, &e, &io, &cut)]++;
	return s;
}

/* Two at a time; of one address twice, the first never ended; one that began before the trace;
 * an entry of an older request of that address; one behind its end. */
static void test_states(void **state)
{
	static const char text[] = STATES ENTRY(1, 100, "r0", 10) "," ENTRY(1, 110, "r1", 20) ","
		ENTRY(2, 130, "r0", 10) "," ENTRY(3, 160, "r0", 10) "," ENTRY(2, 170, "r1", 20) ","
		ENTRY(1, 200, "r2", 20) "," ENTRY(2, 210, "r1", 20) "," ENTRY(3, 230, "r2", 20) ","
		ENTRY(3, 240, "r2", 20) ",{\"tpoint\":2,\"tsc\":250,\"object\":{\"value\":7}}]}";
	const struct xpt_spdk_kind *kind;
	const struct xpt_spdk_state *st;
	struct xpt_spdk_trace *t;
	unsigned steps[4];
	struct xpt_spdk_states *s = read_states(text, &t, steps);

	(void)state;
	kind = xpt_spdk_states__kind(s, 1);
	assert_non_null(kind);
	assert_int_equal(kind->begun, 3);
	assert_int_equal(kind->cut, 1);
	assert_int_equal(kind->whole.count, 2);
	assert_int_equal(kind->whole.sum, 60 + 30);
	st = xpt_spdk_states__state(s, 1);
	assert_int_equal(st->ns.count, 3);
	assert_int_equal(st->ns.sum, 30 + 60 + 30);
	st = xpt_spdk_states__state(s, 2);
	assert_int_equal(st->ns.count, 1);
	assert_int_equal(st->ns.sum, 30);
	assert_null(xpt_spdk_states__state(s, 3));
	assert_int_equal(xpt_spdk_states__unknown(s), 3);
	assert_int_equal(steps[XPT_SPDK_BEGIN], 3);
	assert_int_equal(steps[XPT_SPDK_STATE], 2);
	assert_int_equal(steps[XPT_SPDK_END], 2);
	assert_int_equal(steps[XPT_SPDK_NONE], 3);
	xpt_spdk_states__free(s);
	xpt_spdk_trace__free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reused), cmocka_unit_test(test_two_adds),
		cmocka_unit_test(test_one_tick),
		cmocka_unit_test(test_fini_ends), cmocka_unit_test(test_order),
		cmocka_unit_test(test_older), cmocka_unit_test(test_no_record),
		cmocka_unit_test(test_owner), cmocka_unit_test(test_owner_of_many),
		cmocka_unit_test(test_cut_names), cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_empty_names), cmocka_unit_test(test_record_lines),
		cmocka_unit_test(test_own_record),
		cmocka_unit_test(test_columns), cmocka_unit_test(test_json_lines),
		cmocka_unit_test(test_times), cmocka_unit_test(test_cut_traces),
		cmocka_unit_test(test_bad_traces), cmocka_unit_test(test_printed_text), cmocka_unit_test(test_undefined),
		cmocka_unit_test(test_damaged_traces), cmocka_unit_test(test_states),
	};

	return cmocka_run_group_tests_name("spdk", tests, NULL, NULL);
}
