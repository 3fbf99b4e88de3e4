/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters around a call: which two readings are compared, what moved between them, and how a trace and its verdict
 * show it; and the same of files below a folder in place of /sys, which a reader process of this very program reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/time.h"
#include "devices/reader_child.h"
#include "rdma/trace/trace_json.h"
#include "rdma/verdict/judge.h"
#include "session/rdma/context/counters.h"

#define SECOND 1000000000ull
#define MS 1000000ull

static struct xpt_rdma_readings readings;
static struct xpt_rdma_moved moved;

static int begin(void **state)
{
	(void)state;
	memset(&readings, 0, sizeof(readings));
	return 0;
}

static void add(const char *device, const char *name, uint16_t port, uint64_t value, bool is_traffic)
{
	struct xpt_rdma_counter c = { name, value, (uint16_t)xpt_rdma_readings__device(&readings, device), port, is_traffic };

	xpt_rdma_readings__add(&readings, &c);
}

/* A reading of two devices, that took a millisecond. */
static void read_all(uint64_t from_ns, uint64_t downed, uint64_t packets)
{
	xpt_rdma_readings__begin(&readings);
	add("a", "packets", 1, packets, true);
	add("a", "link_downed", 1, downed, false);
	add("a", "link_downed", 2, 7, false);
	add("b", "link_downed", 1, 2 * downed, false);
	add("b", "resets", 0, 100 - downed, false);
	xpt_rdma_readings__end(&readings, from_ns, from_ns + MS);
}

static const char *find(const char *device, uint64_t start_ns, uint64_t end_ns)
{
	static char buf[512];
	struct xpt_strbuf sb;

	xpt_rdma_readings__moved(&readings, device, start_ns, end_ns, &moved);
	xpt_strbuf__init(&sb, sizeof(buf));
	if (!xpt_rdma_moved__text(&moved, &sb))
		xpt_strbuf__add(&sb, moved.why);
	snprintf(buf, sizeof(buf), "%s", sb.s ? sb.s : "");
	xpt_strbuf__free(&sb);
	return buf;
}

/* The readings that are next to the call are compared: what moved before the first of them is not of its time. */
static void test_pairs(void **state)
{
	(void)state;
	assert_string_equal(find("a", 5 * SECOND, 6 * SECOND), "there is no reading from before the call");
	read_all(10 * SECOND, 1, 10);
	assert_string_equal(find("a", 11 * SECOND, 12 * SECOND), "there is no reading from after the call");
	assert_false(xpt_rdma_readings__has_after(&readings, 11 * SECOND));
	read_all(20 * SECOND, 3, 10);
	read_all(30 * SECOND, 4, 10);
	read_all(40 * SECOND, 9, 20);
	assert_true(xpt_rdma_readings__has_after(&readings, 40 * SECOND));
	assert_string_equal(find("a", 23 * SECOND, 24 * SECOND),
			    "link_downed +1 on port 1, between 3.00 s before the call and 6.00 s after it");
	assert_string_equal(find("a", 13 * SECOND, 24 * SECOND),
			    "link_downed +3 on port 1, between 3.00 s before the call and 6.00 s after it");
	assert_string_equal(find("b", 33 * SECOND, 34 * SECOND),
			    "link_downed +10 on port 1, between 3.00 s before the call and 6.00 s after it");
	/* One that was under way when the call began, or ended, is on no side of it. */
	assert_string_equal(find("a", 20 * SECOND + 1, 30 * SECOND + 1),
			    "link_downed +8 on port 1, between 10.0 s before the call and 10.0 s after it");
	assert_int_equal(moved.nr, 2);
	assert_true(moved.counter[1].is_traffic);
	assert_int_equal(moved.counter[1].by, 10);
	assert_string_equal(find("c", 23 * SECOND, 24 * SECOND), "the device has no counters that are known here");
	/* A fifth one takes the place of the first. */
	read_all(50 * SECOND, 9, 20);
	assert_string_equal(find("a", 11 * SECOND, 12 * SECOND), "there is no reading from before the call");
	assert_string_equal(find("a", 43 * SECOND, 44 * SECOND), "");
	assert_int_equal(moved.nr, 0);
}

/* Failures have counters read once a second: a call that lasted longer still has a reading from before it. */
static void test_burst(void **state)
{
	uint64_t at;

	(void)state;
	read_all(10 * SECOND, 1, 10);
	read_all(20 * SECOND, 3, 10);
	for (at = 21 * SECOND; at <= 80 * SECOND; at += SECOND)
		read_all(at, 4 + at / SECOND - 21, 10);
	assert_string_equal(find("a", 65 * SECOND, 79 * SECOND),
			    "link_downed +23 on port 1, between 9.00 s before the call and 1.00 ms after it");
	assert_string_equal(find("a", 79 * SECOND + 2 * MS, 79 * SECOND + 3 * MS),
			    "link_downed +1 on port 1, between 2.00 ms before the call and 998 ms after it");
	/* In a burst, too, some are kept for half a minute. */
	assert_string_equal(find("a", 50 * SECOND, 79 * SECOND),
			    "link_downed +32 on port 1, between 3.00 s before the call and 1.00 ms after it");
}

/* A reading whose end is not seen is nothing, and the next one takes its place. */
static void test_unfinished(void **state)
{
	(void)state;
	read_all(10 * SECOND, 1, 10);
	xpt_rdma_readings__begin(&readings);
	add("a", "link_downed", 1, 5, false);
	assert_string_equal(find("a", 11 * SECOND, 12 * SECOND), "there is no reading from after the call");
	read_all(20 * SECOND, 3, 10);
	assert_true(readings.reading[0].nr == 5 && readings.reading[1].nr == 5 && !readings.reading[2].state);
	assert_string_equal(find("a", 11 * SECOND, 12 * SECOND),
			    "link_downed +2 on port 1, between 1.00 s before the call and 8.00 s after it");
}

static bool moved_says(const char *text)
{
	struct xpt_strbuf sb;
	bool said;

	xpt_strbuf__init(&sb, 512);
	said = xpt_rdma_moved__text(&moved, &sb) && strstr(sb.s, text);
	xpt_strbuf__free(&sb);
	return said;
}

static void test_many(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
	char device[16];
	unsigned i, round;

	(void)state;
	for (round = 0; round < 2; round++) {
		xpt_rdma_readings__begin(&readings);
		for (i = 0; i < XPT_RDMA_COUNTED_VALUES + 5; i++)
			add("x", names[i % 10], (uint16_t)(1 + i / 10), round, false);
		xpt_rdma_readings__end(&readings, round * SECOND, round * SECOND + 1);
	}
	assert_int_equal(readings.reading[0].left_out, 5);
	assert_non_null(strstr(find("x", SECOND / 2, SECOND / 2), "h +1 on port 1 and 2040 more, between "));
	assert_int_equal(moved.nr, XPT_RDMA_MOVED);
	assert_int_equal(moved.more, XPT_RDMA_COUNTED_VALUES - XPT_RDMA_MOVED);
	assert_int_equal(moved.left_out, 5);
	moved.nr = moved.more = 0;		/* then it is not known that none did */
	assert_true(moved_says("none moved, between "));
	assert_non_null(strstr(find("x", SECOND / 2, SECOND / 2), " after it, without 5 that found no place"));
	for (i = 0; i < 2 * XPT_RDMA_COUNTED_DEVICES; i++) {
		snprintf(device, sizeof(device), "d%u", i);
		assert_int_equal(xpt_rdma_readings__device(&readings, device),
				 i + 1 < XPT_RDMA_COUNTED_DEVICES ? (int)i + 1 : -1);
	}
	readings.reading[0].left_out = 0;		/* there was no room for that device itself */
	assert_string_equal(find("beyond", SECOND / 2, SECOND / 2), "this machine has more counters than are kept");
}

/* Of devices after those that fill a reading nothing is known, which is not that they have no counters. */
static void test_left_out(void **state)
{
	unsigned i, round;

	(void)state;
	for (round = 0; round < 2; round++) {
		xpt_rdma_readings__begin(&readings);
		for (i = 0; i < XPT_RDMA_COUNTED_VALUES; i++)
			add("x", "a", (uint16_t)i, round, false);
		add("y", "a", 1, round, false);
		xpt_rdma_readings__end(&readings, round * SECOND, round * SECOND + 1);
	}
	assert_string_equal(find("y", SECOND / 2, SECOND / 2), "this machine has more counters than are kept");
	assert_string_equal(find("z", SECOND / 2, SECOND / 2), "this machine has more counters than are kept");
	find("x", SECOND / 2, SECOND / 2);
	assert_int_equal(moved.left_out, 0);
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
	struct xpt_rdma_node node = { .fn = "r", .module = "m", .ret = -ETIMEDOUT, .ret_type = XPT_RDMA_RET_INT };
	struct xpt_rdma_trace t = { .method = "modify_qp", .object = "", .shape = "", .device = "a", .driver = "x",
				    .driver_version = "", .kernel = "k", .comm = "c", .cgroup = "", .container = "",
				    .caller = "", .outer = "", .node = &node, .nr = 1, .ret = -ETIMEDOUT, .moved = &moved };
	struct xpt_rdma_trace *again;
	struct xpt_strbuf sb;

	(void)state;
	read_all(10 * SECOND, 1, 10);
	read_all(20 * SECOND, 3, 40);
	find("a", 11 * SECOND, 12 * SECOND);
	moved.left_out = 6;
	xpt_strbuf__init(&sb, 1 << 16);
	xpt_rdma_trace__print(&t, &sb);
	assert_int_equal(xpt_rdma_trace__parse(sb.s, sb.len, &again), 0);
	xpt_strbuf__reset(&sb);
	print(again, &sb);
	assert_non_null(strstr(sb.s, "  Counters: link_downed +2 on port 1, between 1.00 s before the"));
	assert_non_null(strstr(sb.s, "    counters: link_downed +2"));
	assert_non_null(strstr(sb.s, ",\"counters\":{\"before_start_ns\":1000000000,\"after_end_ns\":8001000000,\"moved\":["
			       "{\"counter\":\"link_downed\",\"port\":1,\"by\":2},"
			       "{\"counter\":\"packets\",\"port\":1,\"by\":30,\"traffic\":true}],\"more\":0,\"left_out\":6}"));
	xpt_rdma_trace__free(again);
	find("c", 11 * SECOND, 12 * SECOND);
	xpt_strbuf__reset(&sb);
	print(&t, &sb);
	assert_non_null(strstr(sb.s, ",\"counters\":{\"why\":\"the device has no counters that are known here\"}"));
	assert_non_null(strstr(sb.s, "  Counters: not known: the device has no counters that are known here"));
	assert_non_null(strstr(sb.s, "    counters: not known: the device has no counters that are known"));
	read_all(30 * SECOND, 3, 50);		/* traffic alone: nothing is to be said */
	find("a", 23 * SECOND, 24 * SECOND);
	xpt_strbuf__reset(&sb);
	print(&t, &sb);
	assert_null(strstr(sb.s, "ounters: "));
	xpt_strbuf__free(&sb);
}

/* Whatever a file has in their place. */
static void test_bad_files(void **state)
{
	static const char *const bad[] = { "7", "[7]", "{}", "{\"moved\":7}", "{\"moved\":[7,[],{}]}",
		"{\"moved\":[{\"counter\":7,\"port\":\"x\",\"by\":-1,\"traffic\":\"yes\"}],\"more\":-1,\"why\":{}}",
		"{\"moved\":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{\"counter\":\"\\u001b[31m\"}]}" };
	char line[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct xpt_rdma_trace *t;
		struct xpt_strbuf sb;
		int n = snprintf(line, sizeof(line), "{\"syscall\":\"m\",\"type\":\"rdma\",\"counters\":%s,\"ret\":-5,\"calls\":[]}",
				 bad[i]);

		assert_int_equal(xpt_rdma_trace__parse(line, (size_t)n, &t), 0);
		assert_in_range(t->moved->nr, 0, XPT_RDMA_MOVED);
		xpt_strbuf__init(&sb, 1 << 16);
		print(t, &sb);
		assert_null(strchr(sb.s, '\033'));
		assert_int_equal(t->ret, -5);
		xpt_strbuf__free(&sb);
		xpt_rdma_trace__free(t);
	}
}

/* --- files ------------------------------------------------------------------------------ */

static char root[] = "/tmp/xpt_counters_XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[256], *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#define PORT "class/infiniband/x0/ports/1/"

static void test_files(void **state)
{
	struct xpt_rdma_counters *c;
	const struct xpt_rdma_moved *m;
	uint64_t start, end;
	char command[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	write_file(PORT "hw_counters/link_downed", "5\n");
	write_file(PORT "counters/port_rcv_data", "5\n");
	write_file(PORT "counters/port_xmit_wait", "5\n");
	write_file(PORT "hw_counters/rp_cnp_handled", "5\n");
	assert_int_equal(xpt_rdma_counters__new(root, &c), 0);
	xpt_rdma_counters__await(NULL);
	do {		/* until there is a reading from before it */
		xpt_rdma_counters__await(c);
		start = xpt_now_ns();
		m = xpt_rdma_counters__around(c, "x0", start, start);
	} while (strstr(m->why, "before"));
	start = xpt_now_ns();
	write_file(PORT "hw_counters/link_downed", "7\n");
	write_file(PORT "counters/port_rcv_data", "6\n");
	write_file(PORT "counters/port_xmit_wait", "900\n");
	write_file(PORT "hw_counters/rp_cnp_handled", "6\n");
	end = xpt_now_ns();
	do {		/* one from after it is made a second after the last */
		m = xpt_rdma_counters__around(c, "x0", start, end);
	} while (*m->why);
	assert_int_equal(m->nr, 4);
	assert_string_equal(m->counter[0].name, "link_downed");
	assert_true(m->counter[0].by == 2 && m->counter[0].port == 1 && !m->counter[0].is_traffic);
	assert_string_equal(m->counter[1].name, "port_rcv_data");
	assert_true(m->counter[1].by == 4 && m->counter[1].is_traffic);	/* in bytes */
	assert_string_equal(m->counter[2].name, "port_xmit_wait");
	assert_string_equal(m->counter[3].name, "rp_cnp_handled");
	assert_true(m->counter[2].is_traffic && m->counter[3].is_traffic);
	m = xpt_rdma_counters__around(c, "x1", start, end);
	assert_string_equal(m->why, "the device has no counters that are known here");
	xpt_rdma_counters__free(c);
	xpt_rdma_counters__free(NULL);
	xpt_rdma_counters__step(NULL, 1);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_pairs, begin), cmocka_unit_test_setup(test_burst, begin),
		cmocka_unit_test_setup(test_unfinished, begin),
		cmocka_unit_test_setup(test_many, begin), cmocka_unit_test_setup(test_left_out, begin),
		cmocka_unit_test_setup(test_trace, begin),
		cmocka_unit_test(test_bad_files), cmocka_unit_test(test_files),
	};

	if (xpt_reader_child__is_asked(argc, argv))
		return xpt_reader_child__run(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
