/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * engine/sources/xids/xid_merge.c: a report that the probe and the kernel log both have is
 * told once, whichever comes first; what only one of them has is told, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "engine/sources/xids/xid_merge.h"
#include "wire/wire.h"

#define SEC 1000000000ull

struct told {
	char text[2048];
};

static struct xpt_xid_line line(uint32_t xid, const char *device)
{
	struct xpt_xid_line l = { .xid = xid };

	snprintf(l.device, sizeof(l.device), "%s", device);
	xpt_xid__normalize(l.device);
	return l;
}

static void tell(void *ctx, const struct xpt_xid_line *l, uint64_t ts_ns, uint32_t source)
{
	struct told *t = ctx;
	size_t n = strlen(t->text);

	assert_int_equal(source, XPT_XID_LOG);
	snprintf(t->text + n, sizeof(t->text) - n, "%u@%llu ", l->xid, (unsigned long long)ts_ns);
}

static void note_source(void *ctx, const struct xpt_xid_line *l, uint64_t ts_ns, uint32_t source)
{
	(void)l;
	(void)ts_ns;
	*(uint32_t *)ctx = source;
}

static const char *step(struct xpt_xid_merge *m, uint64_t now, struct told *t)
{
	t->text[0] = '\0';
	xpt_xid_merge__step(m, now, tell, t);
	return t->text;
}

static void test_once(void **state)
{
	struct xpt_xid_line a = line(31, "0000:3b:00.0"), b = line(31, "0000:3b:00");
	struct xpt_xid_merge m = { 0 };
	struct told t;

	(void)state;
	/* first the probe, then the log; then the other way round */
	xpt_xid_merge__probe(&m, &a, SEC);
	assert_true(xpt_xid_merge__log(&m, &b, SEC, XPT_XID_LOG));
	assert_true(xpt_xid_merge__log(&m, &b, SEC, XPT_XID_LOG));
	xpt_xid_merge__probe(&m, &a, SEC);
	assert_string_equal(step(&m, 2 * SEC, &t), "");
	/* two of the probe and three of the log */
	xpt_xid_merge__probe(&m, &a, 3 * SEC);
	xpt_xid_merge__probe(&m, &a, 3 * SEC);
	for (int i = 0; i < 3; i++)
		assert_true(xpt_xid_merge__log(&m, &b, 3 * SEC, XPT_XID_LOG));
	assert_string_equal(step(&m, 4 * SEC, &t), "31@3000000000 ");
}

static void test_log_alone(void **state)
{
	struct xpt_xid_line a = line(31, "a"), b = line(31, "b"), c = line(79, "a");
	struct xpt_xid_merge m = { 0 };
	struct told t;

	(void)state;
	xpt_xid_merge__probe(&m, &a, SEC);
	assert_true(xpt_xid_merge__log(&m, &b, SEC, XPT_XID_LOG));		/* another device */
	assert_true(xpt_xid_merge__log(&m, &c, SEC + 1, XPT_XID_LOG));	/* another number */
	assert_string_equal(step(&m, SEC + XPT_XID_WAIT_NS - 1, &t), "");
	assert_string_equal(step(&m, SEC + XPT_XID_WAIT_NS, &t), "31@1000000000 ");
	assert_string_equal(step(&m, UINT64_MAX, &t), "79@1000000001 ");
	/* a report whose line never came hides none that comes much later */
	xpt_xid_merge__probe(&m, &a, SEC);
	step(&m, SEC + XPT_XID_KEEP_NS, &t);
	assert_true(xpt_xid_merge__log(&m, &a, 9 * SEC, XPT_XID_LOG));
	assert_string_equal(step(&m, 10 * SEC, &t), "31@9000000000 ");
}

/* What a line is told as was decided when it came: the probe may have gone with its driver since. */
static void test_decided_at_once(void **state)
{
	struct xpt_xid_line a = line(92, "a");
	struct xpt_xid_merge m = { 0 };
	uint32_t source = 0;

	(void)state;
	assert_true(xpt_xid_merge__log(&m, &a, SEC, XPT_XID_LOG_ALONE));
	xpt_xid_merge__step(&m, 2 * SEC, note_source, &source);
	assert_int_equal(source, XPT_XID_LOG_ALONE);
}

/* Neither floods of one nor of the other go anywhere but out. */
static void test_bounded(void **state)
{
	struct xpt_xid_merge m = { 0 };
	unsigned now = 0, waiting = 0, i;
	struct told t;

	(void)state;
	for (i = 0; i < 1000; i++) {
		struct xpt_xid_line l = line(i, "a");

		xpt_xid_merge__probe(&m, &l, SEC);
	}
	assert_int_equal(m.nr_seen, XPT_XID_SEEN);
	for (i = 0; i < 1000; i++) {
		struct xpt_xid_line l = line(i, "b");

		if (xpt_xid_merge__log(&m, &l, SEC, XPT_XID_LOG))
			waiting++;
		else
			now++;
	}
	assert_int_equal(waiting, XPT_XID_WAITING);
	assert_int_equal(now, 1000 - XPT_XID_WAITING);
	step(&m, UINT64_MAX, &t);
	assert_int_equal(m.nr_waiting + m.nr_seen, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once), cmocka_unit_test(test_log_alone),
		cmocka_unit_test(test_decided_at_once), cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests_name("xid_merge", tests, NULL, NULL);
}
