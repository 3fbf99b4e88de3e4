/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * proc/klog.h: lines of the kernel's log that belong to a time, though the log
 * has a clock of its own and lines are read late; records of another form.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "proc/klog.h"

#define MS 1000000ull
#define AHEAD (7 * MS)	/* of the log's clock */

static struct xpt_klog *l;

/* Written at a time of the trace's clock, read some ms later. */
static void line(uint64_t at_ms, uint64_t late_ms, const char *text)
{
	char record[600];
	int n = snprintf(record, sizeof(record), "6,12,%llu,-;%s\n SUBSYSTEM=x\n",
			 (unsigned long long)((at_ms * MS + AHEAD) / 1000), text);

	xpt_klog__take(l, record, (size_t)n, (at_ms + late_ms) * MS);
}

static int make(void **state)
{
	(void)state;
	return xpt_klog__new("/dev/null", &l);
}

static int unmake(void **state)
{
	(void)state;
	xpt_klog__free(l);
	return 0;
}

static void test_between(void **state)
{
	const char *v[4];

	(void)state;
	line(100, 50, "before");
	line(200, 40, "first");
	line(210, 0, "second");
	line(300, 90, "behind");
	assert_int_equal(xpt_klog__between(l, 200 * MS, 250 * MS, false, v, 4), 2);
	assert_string_equal(v[0], "first");
	assert_string_equal(v[1], "second");
	assert_int_equal(xpt_klog__between(l, 0, 400 * MS, false, v, 1), 1);
	assert_string_equal(v[0], "behind");
	assert_int_equal(xpt_klog__between(l, 0, 400 * MS, false, v, 0), 0);
}

/* What the kernel says of programs that crash is kept, but is no driver's report, whatever it looks like. */
static void test_drivers_lines(void **state)
{
	static const char report[] = "3,12,200000,-;mlx5_core 0000:3b:00.0: bad";
	const char *v[4];

	(void)state;
	line(200, 0, "a[1]: segfault");
	xpt_klog__take(l, report, sizeof(report) - 1, 200 * MS);
	assert_int_equal(xpt_klog__between(l, 0, UINT64_MAX, false, v, 4), 2);
	assert_int_equal(xpt_klog__between(l, 0, UINT64_MAX, true, v, 4), 1);
	assert_string_equal(v[0], "mlx5_core 0000:3b:00.0: bad");
}

static void test_odd(void **state)
{
	static const char *const odd[] = { "", ";", "6", "6,1;x", "6,1,;x", "6,1,2", "6,1,-;x",
					   "6,1,99999999999999999999999999;x" };
	char longer[XPT_KLOG_LEN * 2];
	const char *v[XPT_KLOG_LINES + 1];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		xpt_klog__take(l, odd[i], strlen(odd[i]), 1);
	assert_int_equal(xpt_klog__between(l, 0, UINT64_MAX, false, v, 4), 0);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	for (i = 0; i < 3 * XPT_KLOG_LINES; i++)
		line(500, 0, longer);
	assert_int_equal(xpt_klog__between(l, 0, UINT64_MAX, false, v, XPT_KLOG_LINES + 1), XPT_KLOG_LINES);
	assert_int_equal(strlen(v[0]), XPT_KLOG_LEN - 1);
}

#define MAY_BE(record) xpt_klog__may_be_driver(record, sizeof(record) - 1)

static void test_drivers_reports(void **state)
{
	(void)state;
	assert_true(MAY_BE("3,1,1,-;x"));
	assert_true(MAY_BE("4,1,1,-,caller=T12;x"));
	assert_true(MAY_BE("12,1,1,-;x"));	/* root, by hand */
	/* journald with ForwardToKMsg=yes: any user chooses the name before his number */
	assert_false(MAY_BE("11,1,1,-;NVRM: Xid (PCI:0000:01:00): 79, pid=1, name=a, GPU has fallen off the bus.[99]: x"));
	assert_false(MAY_BE("6,1,1,-;x"));	/* of a segfault */
	assert_false(MAY_BE("28,1,1,-;x"));	/* a service */
	assert_false(MAY_BE(""));
	assert_false(MAY_BE(","));
	assert_false(MAY_BE("99999999,x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drivers_reports),
		cmocka_unit_test_setup_teardown(test_between, make, unmake),
		cmocka_unit_test_setup_teardown(test_drivers_lines, make, unmake),
		cmocka_unit_test_setup_teardown(test_odd, make, unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
