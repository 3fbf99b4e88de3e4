/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/event_line.h, and the part of rdma/verdict/report.h that has ends of processes
 * and events.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "rdma/trace/event_line.h"
#include "rdma/verdict/report.h"

static int parse(const char *s, struct xpt_rdma_other_line *ret_l)
{
	return xpt_rdma_other__parse(s, strlen(s), ret_l);
}

static void test_exit_line(void **state)
{
	struct xpt_rdma_moment at = { "node7", "1f0e", 123456789, 1790000000123456789ull }, read;
	struct xpt_rdma_other_line l;
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 4096);
	xpt_rdma_exit__print(4711, "a \"b\"\n", &at, &sb);
	assert_int_equal(parse(xpt_strbuf__str(&sb), &l), 0);
	assert_int_equal(l.kind, XPT_RDMA_LINE_EXIT);
	assert_int_equal(l.pid, 4711);
	assert_string_equal(l.name, "a \"b\"\n");
	read = xpt_rdma_other__moment(&l);
	assert_true(read.wall_ns == at.wall_ns && read.monotonic_ns == at.monotonic_ns);
	assert_string_equal(read.host, "node7");
	assert_string_equal(read.boot_id, "1f0e");
	assert_non_null(strstr(xpt_strbuf__str(&sb), "\"timestamp\":\"2026-09-21T14:13:20.123456789Z\""));
	xpt_strbuf__free(&sb);
}

static void test_other_lines(void **state)
{
	struct xpt_rdma_moment at = { .wall_ns = 1790000000123456789ull };
	struct xpt_rdma_other_line l;
	struct xpt_strbuf sb;
	char cut[128];
	size_t n;
	static const char event[] = "{\"type\":\"rdma_event\",\"event\":\"PORT_ERR\",\"device\":\"rxe0\","
				    "\"driver\":\"rdma_rxe\",\"number\":1,\"wall_ns\":5,\"new\":[{}]}";

	(void)state;
	assert_int_equal(parse(event, &l), 0);
	assert_int_equal(l.kind, XPT_RDMA_LINE_EVENT);
	assert_string_equal(l.name, "PORT_ERR");
	assert_string_equal(l.device, "rxe0");
	assert_int_equal(l.number, 1);
	xpt_strbuf__init(&sb, 4096);
	xpt_rdma_lost__print(7, &at, &sb);
	assert_int_equal(parse(xpt_strbuf__str(&sb), &l), 0);
	assert_int_equal(l.kind, XPT_RDMA_LINE_LOST);
	assert_int_equal(l.number, 7);
	assert_true(l.wall_ns == 1790000000123456789ull);
	xpt_strbuf__free(&sb);
	assert_int_equal(parse("{\"type\":\"rdma_summary\"}", &l), -ENOMSG);
	assert_int_equal(parse("{}", &l), -ENOMSG);
	assert_int_equal(parse("", &l), -ENOMSG);
	for (n = 1; n + 1 < sizeof(event); n++) {	/* cut anywhere it is no whole line */
		snprintf(cut, sizeof(cut), "%.*s", (int)n, event);
		assert_int_not_equal(parse(cut, &l), 0);
	}
}

struct seen {
	uint64_t lost[2], events;	/* of classes, processes */
};

static int see(void *ctx, const struct xpt_schema *schema, const void *rec)
{
	struct seen *s = ctx;
	uint64_t v = 0;

	for (uint16_t i = 0; i < schema->nr_fields; i++)
		if (!strcmp(schema->fields[i].name, "lost_ns"))
			memcpy(&v, (const char *)rec + schema->fields[i].offset, sizeof(v));
	if (!strcmp(schema->name, "classes"))
		s->lost[0] += v;
	if (!strcmp(schema->name, "processes"))
		s->lost[1] += v;
	s->events += !strcmp(schema->name, "events");
	return 0;
}

static void add(struct xpt_rdma_report *r, uint32_t pid, uint64_t wall_ns, int64_t ret)
{
	struct xpt_rdma_trace t = {
		.method = "reg_mr", .object = "", .shape = "", .device = "d", .driver = "r",
		.driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "",
		.caller = "", .outer = "", .pid = pid, .wall_ns = wall_ns, .ret = ret,
	};
	struct xpt_rdma_verdict v;

	xpt_rdma_judge(&t, NULL, NULL, &v);
	xpt_rdma_report__add(r, &t, &v);
}

/* The last failure of a process has all of the time; other processes' ends say nothing. */
static void test_time_lost(void **state)
{
	struct xpt_rdma_report *r = xpt_rdma_report__new();
	struct xpt_rdma_other_line end = { .kind = XPT_RDMA_LINE_EXIT, .pid = 7, .wall_ns = 900 };
	struct xpt_rdma_other_line event = { .kind = XPT_RDMA_LINE_EVENT, .name = "PORT_ERR" };
	struct seen s = { 0 };

	(void)state;
	add(r, 7, 100, -12);
	add(r, 7, 300, -110);
	add(r, 8, 400, -12);
	xpt_rdma_report__other(r, &end);
	xpt_rdma_report__other(r, &end);	/* again: nothing is left to be counted */
	end.pid = 99;
	xpt_rdma_report__other(r, &end);
	xpt_rdma_report__other(r, &event);
	xpt_rdma_report__other(r, &event);
	for (uint32_t pid = 1000; pid < 3000; pid++)	/* more than are remembered */
		add(r, pid, 1000 + pid, -12);
	assert_int_equal(xpt_rdma_report__emit(r, 0, see, &s), 0);
	assert_int_equal(s.lost[0], 600);
	assert_int_equal(s.lost[1], 600);
	assert_int_equal(s.events, 1);
	xpt_rdma_report__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_line), cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_time_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
