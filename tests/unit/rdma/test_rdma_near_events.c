/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdma/trace/evidence/near_events.h: which events are beside a call, the ring that keeps them, and how a trace and its
 * verdict show them.
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
#include "rdma/trace/evidence/near_events.h"
#include "rdma/trace/record.h"
#include "rdma/trace/trace_json.h"
#include "rdma/verdict/judge.h"

#define SECOND 1000000000ull
#define MS 1000000ull

static struct xpt_rdma_near_events seen;
static struct xpt_rdma_event found[XPT_RDMA_TRACE_EVENTS];
static uint32_t more;

static int begin(void **state)
{
	(void)state;
	memset(&seen, 0, sizeof(seen));
	return 0;
}

/* Numbers of the events found, separated by blanks. */
static const char *find(const char *device, uint64_t start_ns, uint64_t end_ns)
{
	uint32_t n = xpt_rdma_near_events__find(&seen, device, start_ns, end_ns, found, &more), i;
	static char buf[64];

	buf[0] = '\0';
	for (i = 0; i < n; i++)
		snprintf(buf + strlen(buf), sizeof(buf) - strlen(buf), "%s%u", i ? " " : "", (unsigned)found[i].number);
	return buf;
}

static void test_when(void **state)
{
	(void)state;
	xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "PORT_ERR", "mlx5_0", 1, 5 * SECOND);
	xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "QP_FATAL", "mlx5_1", 2, 5 * SECOND);
	assert_string_equal(find("mlx5_0", 6 * SECOND, 7 * SECOND), "1");
	assert_string_equal(find("mlx5_0", 6 * SECOND + 1, 7 * SECOND), "");
	assert_string_equal(find("mlx5_0", 4 * SECOND, 5 * SECOND), "1");
	assert_string_equal(find("mlx5_0", 4 * SECOND, 5 * SECOND - 1), "");
	assert_string_equal(find("mlx5_1", 5 * SECOND, 6 * SECOND), "2");
	assert_int_equal(found[0].before_end_ns, SECOND);
	assert_string_equal(found[0].name, "QP_FATAL");
	assert_string_equal(find("", 5 * SECOND, 6 * SECOND), "");
	assert_string_equal(find("mlx5_0", 0, SECOND / 2), "");	/* shortly after the machine's start */
}

static void test_many(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < 3 * XPT_RDMA_EVENTS_KEPT + 5; i++)
		xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "PORT_ACTIVE", "d", i, 10 * SECOND + i * MS);
	assert_string_equal(find("d", 10 * SECOND, 11 * SECOND), "97 98 99 100");	/* the newest, in their order */
	assert_int_equal(more, 101 - 4);
	assert_string_equal(find("d", 10 * SECOND, 10 * SECOND + 70 * MS), "69 70");
	/* Those that are kept no longer are counted while they may be beside a call. */
	assert_string_equal(find("d", 30 * SECOND, 31 * SECOND), "");
	assert_int_equal(more, 0);
}

/* Events that go on for a minute: only those near the call count, and no more than there were. */
static void test_long_flood(void **state)
{
	uint64_t ms;

	(void)state;
	for (ms = 0; ms < 60000; ms += 10)
		xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "GID_CHANGE", "d", ms, 10 * SECOND + ms * MS);
	find("d", 70 * SECOND, 70 * SECOND);
	assert_in_range(more, 100 - 4 - 20, 100 - 4);		/* one each 10 ms for a second */
	find("d", 70 * SECOND - 100 * MS, 70 * SECOND);
	assert_in_range(more, 110 - 4 - 20, 110 - 4);
	find("d", 9 * SECOND, 70 * SECOND);			/* all of them */
	assert_int_equal(more, 6000 - 4);
	find("d", 40 * SECOND, 41 * SECOND);
	assert_int_equal(more, 0);				/* of that time it is no longer known */
}

/* What programs cause many of in a second pushes out nothing of the device, nor another device's. */
static void test_connection_manager(void **state)
{
	unsigned i;

	(void)state;
	xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "PORT_ERR", "d", 1, 10 * SECOND);
	xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "QP_FATAL", "e", 2, 10 * SECOND);
	for (i = 0; i < 3 * XPT_RDMA_EVENTS_KEPT; i++)
		xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_CM, "CM_REJECTED", "d", 100 + i, 10 * SECOND + i * MS);
	assert_string_equal(find("d", 10 * SECOND, 11 * SECOND), "1 192 193 194 195");
	assert_int_equal(more, 96 - 4);
	assert_string_equal(find("e", 10 * SECOND, 11 * SECOND), "2");
	assert_int_equal(more, 0);
}

/* One event of a table of GIDs for each of its entries, and the port's that caused them. */
static void test_common_name(void **state)
{
	unsigned i;

	(void)state;
	xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "PORT_ERR", "d", 1, 10 * SECOND);
	for (i = 0; i < 4 * XPT_RDMA_EVENTS_KEPT; i++)
		xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "GID_CHANGE", "d", 2, 10 * SECOND + i * MS);
	assert_string_equal(find("d", 10 * SECOND, 11 * SECOND), "1 2 2 2");
	assert_string_equal(found[0].name, "PORT_ERR");
	assert_int_equal(more, 4 * XPT_RDMA_EVENTS_KEPT - 3);
}

/* Of more devices than there is room for, the one that was quiet for longest gives way. */
static void test_devices(void **state)
{
	char name[16];
	unsigned i;

	(void)state;
	for (i = 0; i <= XPT_RDMA_EVENT_DEVICES; i++) {
		assert_int_equal(seen.crowded, 0);
		snprintf(name, sizeof(name), "d%u", i);
		xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "PORT_ERR", name, i, 10 * SECOND + i);
	}
	assert_string_equal(find("d0", 10 * SECOND, 11 * SECOND), "");
	assert_string_equal(find("d1", 10 * SECOND, 11 * SECOND), "1");
	assert_string_equal(find(name, 10 * SECOND, 11 * SECOND), "64");
	assert_int_equal(seen.crowded, 1);		/* so that it can be said */
	xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "PORT_ERR", "late", 1, 12 * SECOND);
	assert_int_equal(seen.crowded, 1);		/* nothing near a call was lost */
}

/* CPUs send in no order. */
static void test_order(void **state)
{
	(void)state;
	xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "B", "d", 2, 10 * SECOND + 2);
	xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_CM, "C", "d", 3, 10 * SECOND + 3);
	xpt_rdma_near_events__add(&seen, XPT_RDMA_EVENTS_OF_DEVICE, "A", "d", 1, 10 * SECOND + 1);
	assert_string_equal(find("d", 10 * SECOND, 11 * SECOND), "1 2 3");
}

/* Events of the connection manager have numbers of their own; only failures are sent. */
static void test_names(void **state)
{
	char buf[24];

	(void)state;
	assert_string_equal(xpt_rdma_event_text(0, buf, sizeof(buf)), "CQ_ERR");
	assert_string_equal(xpt_rdma_event_text(77, buf, sizeof(buf)), "event 77");
	assert_string_equal(xpt_rdma_event_text(XPT_RDMA_CM_EVENTS + 1, buf, sizeof(buf)), "CM_ADDR_ERROR");
	assert_string_equal(xpt_rdma_event_text(XPT_RDMA_CM_EVENTS + 8, buf, sizeof(buf)), "CM_REJECTED");
	assert_string_equal(xpt_rdma_event_text(XPT_RDMA_CM_EVENTS + 17, buf, sizeof(buf)), "CM_ADDRINFO_ERROR");
	assert_string_equal(xpt_rdma_event_text(XPT_RDMA_CM_EVENTS + 4, buf, sizeof(buf)), "CM event 4");
	assert_string_equal(xpt_rdma_event_text(XPT_RDMA_CM_EVENTS + 99, buf, sizeof(buf)), "CM event 99");
}

static void test_text(void **state)
{
	struct xpt_rdma_event e = { .name = "PORT_ERR", .number = 1, .before_end_ns = 312 * MS };
	char buf[128];

	(void)state;
	assert_string_equal(xpt_rdma_event__text(&e, buf, sizeof(buf)), "PORT_ERR 1, 312 ms before it ended");
	e.number = 0;
	assert_string_equal(xpt_rdma_event__text(&e, buf, sizeof(buf)), "PORT_ERR, 312 ms before it ended");
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
	struct xpt_rdma_event events[2] = { { "PORT_ERR", 1, 312 * MS }, { "QP_FATAL", 77, 5 } };
	struct xpt_rdma_node node = { .fn = "r", .module = "m", .ret = -ETIMEDOUT, .ret_type = XPT_RDMA_RET_INT };
	struct xpt_rdma_trace t = { .method = "modify_qp", .object = "", .shape = "", .device = "d", .driver = "x",
				    .driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "",
				    .caller = "", .outer = "", .node = &node, .nr = 1, .ret = -ETIMEDOUT,
				    .events = events, .nr_events = 2, .more_events = 3 };
	struct xpt_rdma_trace *again;
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 1 << 16);
	xpt_rdma_trace__print(&t, &sb);
	assert_int_equal(xpt_rdma_trace__parse(sb.s, sb.len, &again), 0);
	assert_int_equal(again->nr_events, 2);
	assert_string_equal(again->events[0].name, "PORT_ERR");
	assert_int_equal(again->more_events, 3);
	assert_int_equal(again->events[1].number, 77);
	assert_int_equal(again->events[0].before_end_ns, 312 * MS);
	xpt_strbuf__reset(&sb);
	print(again, &sb);
	assert_non_null(strstr(sb.s, "  Event: PORT_ERR 1, 312 ms before it ended\n  Event: QP_FATAL 77, 5 ns before it ended\n"
				     "  Event: and 3 more in that time\n"));
	assert_non_null(strstr(sb.s, "    event: PORT_ERR 1, 312 ms before it ended\n"));
	assert_non_null(strstr(sb.s, ",\"events\":[{\"event\":\"PORT_ERR\",\"number\":1,\"before_end_ns\":312000000},"));
	assert_non_null(strstr(sb.s, "}],\"more_events\":3,"));
	xpt_rdma_trace__free(again);
	xpt_strbuf__free(&sb);
}

/* Whatever a file has in the place of events. */
static void test_bad_events(void **state)
{
	static const char *const bad[] = { "7", "[7]", "[{}]", "[[{\"event\":\"A\"}]]", "{\"event\":1}",
		"[{\"event\":\"\\u001b[31mA name that is longer than any\",\"number\":\"x\"},{},{},{},{},{}]" };
	char line[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct xpt_rdma_trace *t;
		int n = snprintf(line, sizeof(line), "{\"syscall\":\"m\",\"type\":\"rdma\",\"events\":%s,\"ret\":-5,\"calls\":[]}", bad[i]);

		assert_int_equal(xpt_rdma_trace__parse(line, (size_t)n, &t), 0);
		assert_in_range(t->nr_events, 0, XPT_RDMA_TRACE_EVENTS);
		if (t->nr_events)
			assert_null(strchr(t->events[0].name, '\033'));
		assert_int_equal(t->ret, -5);
		xpt_rdma_trace__free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_when, begin), cmocka_unit_test_setup(test_many, begin),
		cmocka_unit_test_setup(test_long_flood, begin),
		cmocka_unit_test_setup(test_connection_manager, begin), cmocka_unit_test_setup(test_common_name, begin),
		cmocka_unit_test_setup(test_devices, begin), cmocka_unit_test_setup(test_order, begin),
		cmocka_unit_test(test_names), cmocka_unit_test(test_text), cmocka_unit_test(test_trace),
		cmocka_unit_test(test_bad_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
