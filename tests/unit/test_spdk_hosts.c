/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which host an entry of an SPDK trace belongs to: only within the time of the recording, or
 * as long as the trace tells, and by owners where several hosts have a queue of one id.
 */
#include "spdk_lines.h"

/* --- the recording's time ------------------------------------------------------------------ */

#define OF_A "hostnqn=host.a)"
#define NONE "qpair: 0x1000"

/* The recording begins between an add and its connect, and ends before the removal: from 100 to 200. */
static void test_span(void **state)
{
	static const char record[] = CLOCK("0x64") CONNECT("0x6e", "0x1000", "0x1", "nqn.a", "host.a") CLOCK("0xc8");
	static const char trace[] = HEAD READ("50", "4096") "," READ("99", "4096") "," READ("100", "4096") ","
		READ("200", "4096") "," READ("201", "4096") "," READ("999", "4096") "," READ("999", "8192") TAIL;
	char *out = annotate(record, trace, false, true), *last = strrchr(out, '{');

	(void)state;
	assert_non_null(strstr(last, ",\"no_host\":\"outside\"}"));
	free(out);
	expect(record, trace, false, WANT(NONE, NONE, OF_A, OF_A, NONE, NONE, "qpair: 0x2000"));
	assert_int_equal(stats.outside, 5);
	assert_int_equal(stats.unknown, 0);
	expect(record, trace, true, WANT(NONE, NONE, NONE, NONE, NONE, NONE, "qpair: 0x2000"));
}

/* Points beyond the clock lines are recorded, too. */
static void test_span_of_points(void **state)
{
	static const char record[] = ADD("0x5a", "0x1000", "0x1") CONNECT("0x5b", "0x1000", "0x1", "nqn.a", "host.a")
		CLOCK("0x64") CLOCK("0xc8") REMOVE("0xd2", "0x1000", "0x1");
	static const char trace[] = HEAD READ("89", "4096") "," READ("90", "4096") "," READ("210", "4096") ","
		READ("211", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT(NONE, OF_A, OF_A, NONE));
	assert_int_equal(stats.outside, 2);
}

/* The trace tells when the queue pair is destroyed, so it is known after the recording, too. */
static void test_span_traced(void **state)
{
	static const char record[] = CLOCK("0x64") ADD("0x6e", "0x1000", "0x1")
		CONNECT("0x6f", "0x1000", "0x1", "nqn.a", "host.a") CLOCK("0xc8");
	static const char until[] = HEAD CREATE("105", "4096") "," READ("150", "4096") "," READ("300", "4096") ","
		DESTROY("400", "4096") "," READ("401", "4096") "," CREATE("402", "4096") "," READ("500", "4096") TAIL;
	static const char again[] = HEAD DESTROY("105", "8192") "," READ("150", "4096") "," READ("300", "4096") ","
		CREATE("400", "4096") "," READ("401", "4096") TAIL;
	static const char later[] = HEAD CREATE("205", "8192") "," READ("300", "4096") TAIL;
	static const char other[] = HEAD CREATE("105", "4096") "," RDMA("300", "4096") TAIL;

	(void)state;
	expect(record, until, false, WANT("QP_CREATE", OF_A, OF_A, "QP_DESTROY", NONE, "QP_CREATE", NONE));
	assert_int_equal(stats.outside, 4);
	expect(record, again, false, WANT("QP_DESTROY", OF_A, OF_A, "QP_CREATE", NONE));
	expect(record, later, false, WANT("QP_CREATE", NONE));	/* between the two it may have ended */
	expect(record, other, false, WANT("QP_CREATE", NONE));	/* of RDMA it tells nothing */
}

/* The removal was not recorded, for events were lost: the trace has the end all the same. */
static void test_traced_within(void **state)
{
	static const char record[] = CLOCK("0x64") ADD("0x6e", "0x1000", "0x1")
		CONNECT("0x6f", "0x1000", "0x1", "nqn.a", "host.a") CLOCK("0x3e8");
	static const char trace[] = HEAD READ("150", "4096") "," DESTROY("400", "4096") "," READ("401", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT(OF_A, "QP_DESTROY", NONE));
	assert_int_equal(stats.unknown, 1);
}

/* Between nvmf_transport_qpair_fini and the destruction, a trace that has destructions has entries of the queue pair. */
static void test_ending(void **state)
{
	static const char record[] = CLOCK("0x64") ADD("0x6e", "0x1000", "0x1")
		CONNECT("0x6f", "0x1000", "0x1", "nqn.a", "host.a") REMOVE("0x90", "0x1000", "0x1") FINI("0x96", "0x1000") CLOCK("0x3e8");
	static const char trace[] = HEAD CREATE("105", "4096") "," READ("149", "4096") "," BORDER("150", "152", "4096") ","
		DESTROY("154", "4096") "," READ("156", "4096") TAIL;
	static const char again[] = HEAD CREATE("105", "4096") "," CREATE("152", "4096") "," READ("156", "4096") TAIL;
	static const char later[] = HEAD CREATE("152", "8192") "," READ("156", "4096") TAIL;
	static const char silent[] = HEAD READ("149", "4096") "," READ("156", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT("QP_CREATE", OF_A, OF_A, "QP_DESTROY", NONE));
	expect(record, again, false, WANT("QP_CREATE", "QP_CREATE", NONE));
	expect(record, later, false, WANT("QP_CREATE", NONE));	/* before it begins the destruction may have come */
	expect(record, silent, false, WANT(OF_A, NONE));
}

/* Trace points of a queue pair have it as their object. */
static void test_object(void **state)
{
	static const char record[] = CLOCK("0x64") ADD("0x6e", "0x1000", "0x1")
		CONNECT("0x6f", "0x1000", "0x1", "nqn.a", "host.a") CLOCK("0xc8");
	static const char trace[] = HEAD CREATE("105", "4096") "," BORDER("150", "150", "4096") "," BORDER("150", "151", "0") ","
		BORDER("9", "152", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT("QP_CREATE", OF_A, "STATE_CHANGE", "TEXT"));
	assert_int_equal(stats.annotated, 1);
	assert_int_equal(stats.no_qpair, 2);
	expect(record, trace, true, WANT("QP_CREATE", "STATE_CHANGE", "STATE_CHANGE", "TEXT"));
	assert_int_equal(stats.annotated, 0);
}

/* Recordings of bpftrace do not say when they began and ended: hosts are shown, and counted where that is not sure. */
static void test_no_span(void **state)
{
	static const char record[] = CONNECT("0x6e", "0x1000", "0x1", "nqn.a", "host.a");
	static const char trace[] = HEAD READ("50", "4096") "," READ("110", "4096") "," READ("999", "4096") TAIL;

	(void)state;
	expect(record, trace, false, WANT(OF_A, OF_A, OF_A));
	assert_int_equal(stats.unsure, 2);
	assert_int_equal(stats.outside, 0);
}

/* Owners name no pointer, but their lives end with the recording, too. */
static void test_span_of_owner(void **state)
{
	static const char record[] = CLOCK("0x64") CONNECT("0x6e", "0x1000", "0x1", "nqn.a", "host.a") CLOCK("0xc8");
	static const char trace[] = HEAD TCP("99", "h nqn.a l qid:1") "," TCP("150", "h nqn.a l qid:1") ","
		TCP("200", "h nqn.a l qid:1") "," TCP("201", "h nqn.a l qid:1") TAIL;

	(void)state;
	expect(record, trace, false, WANT("qpair(qid=1, subnqn=nqn.a)", OF_A, OF_A, "qpair(qid=1, subnqn=nqn.a)"));
	assert_int_equal(stats.outside, 2);
	assert_int_equal(stats.by_owner, 0);
}

/* --- owners ------------------------------------------------------------------------------ */

#define O(client) client " nqn.a l qid:1"
#define OWNED(tpoint, tsc, owner) "{\"lcore\":0,\"tpoint\":" tpoint ",\"tsc\":" tsc ",\"owner\":\"" owner "\",\"args\":[3]}"
#define BORN(tsc, owner) OWNED("145", tsc, owner)
#define GONE(tsc, owner) OWNED("149", tsc, owner)
#define OF_B "hostnqn=host.b)"
#define NO_HOST "qpair(qid=1, subnqn=nqn.a)"
/* Two hosts with the same queue of one subsystem: 100 to 10000, and 200 to 20000; in ticks of 1 us. */
#define TWO_HOSTS CLOCK("0x32") ADD("0x64", "0x1000", "0x1") CONNECT("0x6e", "0x1000", "0x1", "nqn.a", "host.a") \
	ADD("0xc8", "0x2000", "0x2") CONNECT("0xd2", "0x2000", "0x1", "nqn.a", "host.b") \
	REMOVE("0x2710", "0x1000", "0x1") REMOVE("0x4e20", "0x2000", "0x2") CLOCK("0x7530")

/* The port is a client's own: bound at the first unique match, the others by elimination. */
static void test_two_hosts(void **state)
{
	static const char trace[] = HEAD BORN("90", O("h:1")) "," TCP("105", O("h:1")) "," BORN("190", O("h:2")) ","
		TCP("205", O("h:2")) "," TCP("300", O("h:1")) "," TCP("300", O("h:2")) "," GONE("10010", O("h:1")) ","
		TCP("15000", O("h:2")) TAIL;

	(void)state;
	expect(TWO_HOSTS, trace, false, WANT(NO_HOST, OF_A, NO_HOST, OF_B, OF_A, OF_B, OF_A, OF_B));
	assert_int_equal(stats.many, 0);
	twice = true;
	expect(TWO_HOSTS, trace, false, WANT(OF_A, OF_A, OF_B, OF_B, OF_A, OF_B, OF_A, OF_B));
	twice = false;
	expect(TWO_HOSTS, trace, true, WANT("QP_CREATE", "qd: 3", "QP_CREATE", "qd: 3", "qd: 3", "qd: 3", "QP_DESTROY", "qd: 3"));
}

/* The trace begins when both are connected: which is which is known once one has gone, to a first pass for all of it. */
static void test_two_hosts_later(void **state)
{
	static const char trace[] = HEAD TCP("5000", O("h:1")) "," TCP("5000", O("h:2")) "," TCP("15000", O("h:2")) TAIL;
	static const char never[] = HEAD TCP("5000", O("h:1")) "," TCP("5000", O("h:2")) TAIL;

	(void)state;
	expect(TWO_HOSTS, trace, false, WANT(NO_HOST, NO_HOST, NO_HOST));
	assert_int_equal(stats.many, 2);
	assert_int_equal(stats.no_proof, 1);
	twice = true;
	expect(TWO_HOSTS, trace, false, WANT(OF_A " presumed", OF_B " presumed", OF_B " presumed"));
	assert_int_equal(stats.many, 0);
	assert_int_equal(stats.presumed, 3);
	expect(TWO_HOSTS, never, false, WANT(NO_HOST, NO_HOST));
	assert_int_equal(stats.many, 2);
	twice = false;
}

/* Both are created before either is added: the connect is a request that begins between the add and its end. */
static void test_two_hosts_at_once(void **state)
{
	static const char record[] = CLOCK("0x32") ADD("0x3e8", "0x1000", "0x1") ADD("0x4b0", "0x2000", "0x2")
		CONNECT("0x7d0", "0x1000", "0x1", "nqn.a", "host.a") CONNECT("0xfa0", "0x2000", "0x1", "nqn.a", "host.b") CLOCK("0x7530");
	static const char trace[] = HEAD BORN("900", O("h:1")) "," BORN("901", O("h:2")) "," TCP("1900", O("h:2")) ","
		TCP("3000", O("h:1")) "," TCP("9000", O("h:1")) "," TCP("9000", O("h:2")) TAIL;

	(void)state;
	expect(record, trace, false, WANT(NO_HOST, NO_HOST, NO_HOST, OF_B, OF_B, OF_A));
	twice = true;
	expect(record, trace, false, WANT(OF_B, OF_A, OF_A, OF_B, OF_B, OF_A));
	twice = false;
}

/* One of the two connected before the recording, which knows one of them only: nobody can say which. */
static void test_unrecorded_host(void **state)
{
	static const char record[] = CLOCK("0x32") ADD("0x3e8", "0x1000", "0x1") CONNECT("0x3f2", "0x1000", "0x1", "nqn.a", "host.a")
		CLOCK("0x7530");
	static const char trace[] = HEAD TCP("5000", O("h:1")) "," TCP("5000", O("h:2")) TAIL;
	static const char older[] = HEAD TCP("60", O("h:1")) "," BORN("950", O("h:2")) "," TCP("1005", O("h:2")) ","
		TCP("1500", O("h:1")) TAIL;

	(void)state;
	twice = true;
	expect(record, trace, false, WANT(NO_HOST, NO_HOST));
	assert_int_equal(stats.many, 2);
	expect(record, older, false, WANT(NO_HOST, OF_A, OF_A, NO_HOST));
	assert_int_equal(stats.by_owner, 2);
	twice = false;
	expect(record, older, false, WANT(NO_HOST, NO_HOST, OF_A, NO_HOST));
}

/* The recording knows one connection and the trace another, which is older: its life is not shown as if that were sure. */
static void test_older_host(void **state)
{
	static const char record[] = CLOCK("0x32") ADD("0x3e8", "0x1000", "0x1") CONNECT("0x3f2", "0x1000", "0x1", "nqn.a", "host.a")
		CLOCK("0x7530");
	static const char trace[] = HEAD TCP("5000", O("1.1.1.1:1")) "," TCP("6000", O("1.1.1.1:1")) TAIL;
	static const char connects[] = HEAD TCP("1001", O("1.1.1.1:1")) "," TCP("6000", O("1.1.1.1:1")) TAIL;
	char *out;

	(void)state;
	expect(record, trace, false, WANT(NO_HOST, NO_HOST));
	assert_int_equal(stats.no_proof, 2);
	expect(record, connects, false, WANT(OF_A, OF_A));
	assert_int_equal(stats.presumed, 0);
	out = annotate(record, trace, false, true);
	assert_non_null(strstr(out, ",\"no_host\":\"unproven\"}"));
	free(out);
	twice = true;
	expect(record, trace, false, WANT(OF_A " presumed", OF_A " presumed"));
	assert_int_equal(stats.presumed, 2);
	expect(record, connects, false, WANT(OF_A, OF_A));
	assert_int_equal(stats.presumed, 0);
	out = annotate(record, trace, false, true);
	assert_non_null(strstr(out, ",\"presumed\":true}"));
	free(out);
	twice = false;
}

/* Created just before another one is added, within the time by which the clocks of probes may be late. */
static void test_newborn(void **state)
{
	static const char record[] = CLOCK("0x32") ADD("0x3e8", "0x1000", "0x1") CONNECT("0xfa0", "0x1000", "0x1", "nqn.a", "host.a")
		ADD("0x1388", "0x2000", "0x1") CONNECT("0x1770", "0x2000", "0x1", "nqn.a", "host.b") CLOCK("0x7530");
	static const char trace[] = HEAD BORN("990", O("h:1")) "," BORN("1010", O("h:2")) "," TCP("3500", O("h:1")) ","
		TCP("5500", O("h:2")) TAIL;

	(void)state;
	expect(record, trace, false, WANT(NO_HOST, NO_HOST, OF_A, OF_B));
	twice = true;
	expect(record, trace, false, WANT(OF_A, OF_B, OF_A, OF_B));
	twice = false;
}

/* A port that is used again is another connection. */
static void test_port_again(void **state)
{
	static const char trace[] = HEAD BORN("90", O("h:1")) "," TCP("105", O("h:1")) "," TCP("150", O("h:1")) ","
		GONE("10010", O("h:1")) "," BORN("10190", O("h:1")) "," TCP("10205", O("h:1")) "," GONE("20010", O("h:1")) TAIL;
	static const char record[] = CLOCK("0x32") ADD("0x64", "0x1000", "0x1") CONNECT("0x6e", "0x1000", "0x1", "nqn.a", "host.a")
		REMOVE("0x2710", "0x1000", "0x1") ADD("0x27d8", "0x2000", "0x2") CONNECT("0x27e2", "0x2000", "0x1", "nqn.a", "host.b")
		REMOVE("0x4e20", "0x2000", "0x2") CLOCK("0x7530");

	(void)state;
	for (int i = 0; i < 2; i++, twice = true)
		expect(record, trace, false, WANT(NO_HOST, OF_A, OF_A, OF_A, NO_HOST, OF_B, OF_B));
	twice = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_span), cmocka_unit_test(test_span_of_points),
		cmocka_unit_test(test_span_traced), cmocka_unit_test(test_traced_within), cmocka_unit_test(test_ending),
		cmocka_unit_test(test_object), cmocka_unit_test(test_no_span),
		cmocka_unit_test(test_span_of_owner), cmocka_unit_test(test_two_hosts),
		cmocka_unit_test(test_two_hosts_later), cmocka_unit_test(test_two_hosts_at_once),
		cmocka_unit_test(test_unrecorded_host), cmocka_unit_test(test_older_host),
		cmocka_unit_test(test_newborn), cmocka_unit_test(test_port_again),
	};

	return cmocka_run_group_tests_name("spdk_hosts", tests, NULL, NULL);
}
