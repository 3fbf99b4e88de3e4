/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/xid.c and analyze/xid.c: lines of the kernel log by all versions of the
 * driver, and anything else that people can write there; what becomes of them.
 */
#include "feed.h"
#include "model/xid.h"

extern const struct xpt_analyzer xpt_analyzer_xid;

static void reads(const char *line, const char *device, uint32_t xid, uint32_t pid, const char *text)
{
	struct xpt_xid_line l;

	assert_true(xpt_xid__parse(line, strlen(line), &l));
	assert_string_equal(l.device, device);
	assert_int_equal(l.xid, xid);
	assert_int_equal(l.pid, pid);
	assert_string_equal(l.text, text);
}

static void test_lines(void **state)
{
	(void)state;
	reads("NVRM: Xid (PCI:0000:3b:00): 31, pid=1234, name=train, Ch 00000010", "0000:3b:00", 31,
	      1234, "pid=1234, name=train, Ch 00000010");
	reads("NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
	      "0000:3b:00", 79, 0, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.");
	reads("NVRM: Xid (0000:03:00): 6, PE0001", "0000:03:00", 6, 0, "PE0001");
	reads("[ 12.3] kernel: NVRM: Xid (PCI:0000:3b:00): 48", "0000:3b:00", 48, 0, "");
	reads("NVRM: Xid (x): 4294967295,\x1b[2J\xff", "x", 4294967295u, 0, "?[2J?");
	reads("NVRM: Xid (x): 1, pid=99999999999", "x", 1, 0, "pid=99999999999");
}

static void test_other_lines(void **state)
{
	static const char *const lines[] = {
		"", "NVRM: Xid", "NVRM: Xid (", "NVRM: Xid ()", "NVRM: Xid (): 31", "NVRM: Xid (a)",
		"NVRM: Xid (a): ", "NVRM: Xid (a): x", "NVRM: Xid (a): 4294967296", "NVRM: Xid (a): -1",
		"NVRM: GPU at PCI:0000:3b:00: GPU-12", "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 12028",
		"NVRM: Xid (0123456789012345678901234567890123): 31",
	};
	struct xpt_xid_line l;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(xpt_xid__parse(lines[i], strlen(lines[i]), &l));
}

/* Every cut of a line, in memory that ends there; then bytes changed at random. */
static void test_damaged(void **state)
{
	static const char line[] = "NVRM: Xid (PCI:0000:3b:00): 31, pid=1234, name=train";
	struct xpt_xid_line l;
	uint32_t seed = 1;

	(void)state;
	for (size_t n = 0; n <= sizeof(line); n++) {
		char *copy = malloc(n + 1);

		assert_non_null(copy);
		memcpy(copy, line, n);
		xpt_xid__parse(copy, n, &l);
		for (int k = 0; n && k < 200; k++) {
			seed = seed * 1664525 + 1013904223;
			copy[seed % n] = (char)(seed >> 24);
			if (!xpt_xid__parse(copy, n, &l))
				continue;
			for (const char *s = l.text; *s; s++)
				assert_in_range(*s, ' ', '~');
		}
		free(copy);
	}
}

static void report(struct feed *f, const struct xpt_proc *proc, uint32_t xid, uint32_t pid, uint64_t at)
{
	struct xpt_rec_xid rec = { .xid = xid, .tgid = pid };
	struct xpt_xid x = { &rec, xpt_xid__info(xid), "0000:3b:00", "what the driver wrote. ", proc };
	struct xpt_event ev = { .kind = XPT_EV_XID, .ts_ns = FEED_T0 + at };

	ev.u.xid = &x;
	feed_event(f, &ev);
}

static void test_rows(void **state)
{
	struct xpt_proc train = feed_proc(123, "train");
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_xid);
	report(&f, &train, 31, 123, MS);
	report(&f, &train, 31, 0, 2 * MS);
	report(&f, NULL, 31, 77, 3 * MS);
	report(&f, NULL, 63, 0, 4 * MS);
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "xid"), 3);
	assert_int_equal(feed_u64(&f, "xid", 0, "times"), 2);
	assert_int_equal(feed_u64(&f, "xid", 0, "at_ns"), MS);
	assert_int_equal(feed_u64(&f, "xid", 1, "pid"), 77);
	assert_int_equal(feed_u64(&f, "xid", 2, "pid"), XPT_ABSENT);
	assert_int_equal(feed_rows(&f, "verdict"), 2);	/* 63 is a note */
	assert_non_null(strstr(feed_str(&f, "verdict", 0, "text"), "of train[123], 2 times, first 1.00 ms"));
	assert_non_null(strstr(feed_str(&f, "verdict", 0, "text"), "what the driver wrote."));
	assert_null(strstr(feed_str(&f, "verdict", 0, "text"), ".."));
	assert_non_null(strstr(feed_str(&f, "verdict", 1, "text"), "of process 77"));
	feed_free(&f);
}

static void test_bounded(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_xid);
	for (uint32_t i = 0; i < 1000; i++)
		report(&f, NULL, i, 0, MS);
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "xid"), 64);
	assert_int_equal(f.out.lost[XPT_LOSS_TABLE_EVICTED], 1000 - 64);
	feed_free(&f);
}

static void formats(const char *fmt, uint64_t first, const char *str, const char *want)
{
	uint64_t word[2] = { first, 7 };
	char strs[2][XPT_XID_STR_MAX] = { "" }, to[64];

	snprintf(strs[0], sizeof(strs[0]), "%s", str);
	xpt_xid__format(to, sizeof(to), fmt, word, (const char (*)[XPT_XID_STR_MAX])strs, 2);
	assert_string_equal(to, want);
}

static void test_format(void **state)
{
	char to[8];

	(void)state;
	formats("plain 100%%", 0, "", "plain 100%");
	formats("pid=%s, Ch %08x", 0, "train", "pid=train, Ch 00000007");
	formats("%d %u", 0xffffffffull, "", "-1 7");
	formats("%lld|%hhu|", (uint64_t)-5, "", "-5|7|");
	formats("%#x %#X", 255, "", "0xff 0X7");
	formats("%-5s|%3d|", 0, "ab", "ab   |  7|");
	formats("%.2s%c", 0, "abc", "ab\a");
	formats("%d %d %d", 1, "", "1 7 ?");
	formats("%p", 0xffff888012345678ull, "", "ffff888012345678");
	formats("%llx %zx", ~0ull, "", "ffffffffffffffff 7");
	formats("%*d|%d", 4, "", "   7|?");
	/* what is not understood ends it */
	formats("a %f b", 1, "", "a ");
	formats("%.*s|", 3, "", "|");
	formats("a %", 1, "", "a ");
	formats("%99999999999d|", 1, "", "                                                               ");
	xpt_xid__format(to, sizeof(to), "0123456789", NULL, NULL, 0);
	assert_string_equal(to, "0123456");
	assert_string_equal(xpt_xid__source(2), "tracepoint");
	assert_string_equal(xpt_xid__source(0), "log");	/* of a recording that does not say */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines), cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_damaged), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_bounded), cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests_name("xid", tests, NULL, NULL);
}
