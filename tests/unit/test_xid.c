/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/kernel/xid_table.c and analyze/xid.c: lines of the kernel log by all versions of the
 * driver, and anything else that people can write there; what becomes of them.
 */
#include "model/kernel/xid_table.h"
#include "unit/feed.h"

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
	reads("NVRM: Xid (PCI:0000:3b:00): 48", "0000:3b:00", 48, 0, "");
	reads("NVRM: Xid (0001:00): 8, Channel 00000002", "0000:01:00", 8, 0, "Channel 00000002");
	reads("NVRM: Xid (06:00): 13, 0001 00000000", "0000:06:00", 13, 0, "0001 00000000");
	reads("NVRM: Xid (PCI:10000:e1:00): 63, Row Remapper", "10000:e1:00", 63, 0, "Row Remapper");
	reads("NVRM: Xid (PCI:0000:3b:00.0): 4294967295,\x1b[2J\xff", "0000:3b:00", 4294967295u, 0, "?[2J?");
	reads("NVRM: Xid (0000:03:00): 1, pid=99999999999", "0000:03:00", 1, 0, "pid=99999999999");
	/* Of a part of a GPU. */
	reads("NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, pid=7194, Contained: CE User Channel (0x9).", "0000:01:00",
	      94, 7194, "GPU-I:05, pid=7194, Contained: CE User Channel (0x9).");
	reads("NVRM: Xid (PCI:0000:3b:00 GPU-I:01 GPU-CI:02): 13", "0000:3b:00", 13, 0, "GPU-I:01 GPU-CI:02");
}

/* One GPU has one name. */
static void test_names_of_gpus(void **state)
{
	static const char *const same[] = {
		"0000:3b:00", "0000:3b:00.0", "00000000:3b:00.0", "0000:3B:00", "3b:00", "003b:00",
		"0000:3b:00 GPU-I:05 GPU-CI:02",
	};
	static const char *const others[] = { "?", "", "a", "0000", "3b", ":", "0000:3b:00:01", "x:3b:00", "0:100:00" };
	char device[XPT_XID_DEVICE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		snprintf(device, sizeof(device), "%s", same[i]);
		xpt_xid__normalize(device);
		assert_string_equal(device, "0000:3b:00");
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(device, sizeof(device), "%s", others[i]);
		xpt_xid__normalize(device);
		assert_string_equal(device, others[i]);
	}
	reads("NVRM: Xid (PCI:00000000:3B:00.0): 79", "0000:3b:00", 79, 0, "");
}

/* Of a probe: the device may not be known, and nothing that is told is taken for another part of it. */
static void test_report(void **state)
{
	struct xpt_xid_line l;

	(void)state;
	xpt_xid__of_report("0000:3b:00.0", 31, "pid=12, name=a): 79, b", &l);
	assert_string_equal(l.device, "0000:3b:00");
	assert_int_equal(l.xid, 31);
	assert_int_equal(l.pid, 12);
	assert_string_equal(l.text, "pid=12, name=a): 79, b");
	xpt_xid__of_report("0000:3b:00.0", 79, ", GPU has fallen off the bus.", &l);
	assert_string_equal(l.text, "GPU has fallen off the bus.");
	xpt_xid__of_report("", 79, "\x9b", &l);
	assert_string_equal(l.device, "?");
	assert_string_equal(l.text, "?");
	assert_int_equal(l.pid, 0);
}

static void test_other_lines(void **state)
{
	static const char *const lines[] = {
		"", "NVRM: Xid", "NVRM: Xid (", "NVRM: Xid ()", "NVRM: Xid (): 31", "NVRM: Xid (a)",
		"NVRM: Xid (a): ", "NVRM: Xid (a): x", "NVRM: Xid (a): 4294967296", "NVRM: Xid (a): -1",
		"NVRM: GPU at PCI:0000:3b:00: GPU-12", "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 12028",
		"NVRM: Xid (0123456789012345678901234567890123): 31",
		/* What a user makes the kernel say: a program's name, and that of its file. */
		"x NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.",
		"a.out[4711]: segfault at 0 ip 0 sp 0 error 4 in NVRM: Xid (PCI:0000:3b:00): 79[400000+1000]",
		"NVRM: Xid (PCI:[4711]: segfault at 0 ip 0 in x): 79",
		"NVRM: Xid (PCI:[1]): 79",
		"[ 12.3] kernel: NVRM: Xid (PCI:0000:3b:00): 48",
		"NVRM: Xid (?): 79, x", "NVRM: Xid (0.0): 1", "NVRM: Xid (1): 79", "NVRM: Xid (0000): 79",
		"NVRM: Xid (PCI:0000:3b:00)79", "NVRM: Xid (PCI:0000:3b:00):79", "NVRM: Xid (PCI:0000:3b:00) 79",
		"NVRM: Xid (PCI:0000:3b:0): 79", "NVRM: Xid (PCI:0000:3b:00:00): 79", "NVRM: Xid (PCI:0000:3b:00.): 79",
		"NVRM: Xid (PCI:0000:3b:00 a[4711]: b): 79",
	};
	struct xpt_xid_line l;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(xpt_xid__parse(lines[i], strlen(lines[i]), &l));
}

/* What the kernel says of programs, after a name of 15 bytes: whatever that is, it is no line of the driver. */
static void test_names_of_programs(void **state)
{
	static const char *const names[] = {
		"NVRM: Xid (1)79", "NVRM: Xid (?)79", "NVRM: Xid (?):7", "NVRM: Xid (a) 7", "NVRM: Xid (PCI:", "NVRM: Xid (0:0)",
		"NVRM: Xid (00:0", "NVRM: Xid (0:0,", "NVRM: Xid (",
	};
	static const char *const said[] = {
		" invoked oom-killer: gfp_mask=0x100cca(GFP_HIGHUSER_MOVABLE), order=0, oom_score_adj=0",
		" (4711): attempted to duplicate a private mapping with mremap.  This is not supported.",
		"[4711]: segfault at 0 ip 0 sp 0 error 4 in 0000:3b:00): 79, [400000+1000]",
		": page allocation failure: order:0, mode:0x40cc0",
	};
	char line[256];
	struct xpt_xid_line l;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_in_range(strlen(names[i]), 1, 15);	/* TASK_COMM_LEN */
		for (size_t k = 0; k < sizeof(said) / sizeof(said[0]); k++) {
			int n = snprintf(line, sizeof(line), "%s%s", names[i], said[k]);

			assert_false(xpt_xid__parse(line, (size_t)n, &l));
		}
	}
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

static uint32_t report_source = XPT_XID_LOG;

static void report_text(struct feed *f, const struct xpt_proc *proc, uint32_t xid, uint32_t pid, uint64_t at,
			const char *text)
{
	struct xpt_rec_xid rec = { .xid = xid, .tgid = pid, .source = report_source };
	struct xpt_xid x = { &rec, xpt_xid__info_of(xid, text), "0000:3b:00", text, proc };
	struct xpt_event ev = { .kind = XPT_EV_XID, .ts_ns = FEED_T0 + at };

	ev.u.xid = &x;
	feed_event(f, &ev);
}

static void report(struct feed *f, const struct xpt_proc *proc, uint32_t xid, uint32_t pid, uint64_t at)
{
	report_text(f, proc, xid, pid, at, "what the driver wrote. ");
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

/* What only the log has, though a probe was in the driver, is shown and is no finding, until the probe has it. */
static void test_unconfirmed(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_xid);
	report_source = XPT_XID_LOG_ALONE;
	report(&f, NULL, 79, 0, MS);
	report(&f, NULL, 31, 0, 2 * MS);
	report_source = XPT_XID_TRACEPOINT;
	report(&f, NULL, 31, 0, 3 * MS);
	report_source = XPT_XID_LOG;
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "xid"), 2);
	assert_string_equal(feed_str(&f, "xid", 0, "severity"), "unconfirmed");
	assert_string_equal(feed_str(&f, "xid", 1, "severity"), "program");
	assert_int_equal(feed_rows(&f, "verdict"), 1);
	assert_non_null(strstr(feed_str(&f, "verdict", 0, "text"), "Xid 31"));
	feed_free(&f);
}

#define TO_NONE "GPU recovery action changed from 0x2 (Node Reboot Required) to 0x0 (None)"
#define TO_REBOOT "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)"
#define TO_DRAIN "GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)"

/* The newest action of a GPU counts, and None is none. */
static void test_recovery_action(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_xid);
	report_text(&f, NULL, 154, 0, MS, TO_DRAIN);
	report_text(&f, NULL, 154, 7, 2 * MS, TO_REBOOT);
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "xid"), 1);
	assert_string_equal(feed_str(&f, "xid", 0, "severity"), "fatal");
	assert_string_equal(feed_str(&f, "xid", 0, "text"), TO_REBOOT);
	assert_int_equal(feed_rows(&f, "verdict"), 1);
	assert_non_null(strstr(feed_str(&f, "verdict", 0, "text"), "asks for a restart of the machine"));
	feed_free(&f);
	feed_begin(&f, &xpt_analyzer_xid);
	report_text(&f, NULL, 154, 0, MS, TO_REBOOT);
	report_text(&f, NULL, 154, 0, 2 * MS, TO_NONE);
	feed_end(&f, SEC, true);
	assert_string_equal(feed_str(&f, "xid", 0, "severity"), "info");
	assert_int_equal(feed_rows(&f, "verdict"), 0);
	feed_free(&f);
	/* Other words are those of the table. */
	assert_string_equal(xpt_xid__info_of(154, "to 0x9 (Something)")->severity, "info");
}

/* A fatal error of a link stands in no row of those that are not. */
static void test_fatal_links(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_xid);
	report_text(&f, NULL, 149, 0, MS, "NETIR_LINK_EVT Nonfatal XC0 i0 Link 08 (0x004565c6 0x00000000)");
	report_text(&f, NULL, 149, 0, 2 * MS, "NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004565c6 0x00000000)");
	report_text(&f, NULL, 149, 0, 3 * MS, "NETIR_LINK_EVT Nonfatal XC0 i0 Link 09 (0x004565c6 0x00000000)");
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "xid"), 2);
	assert_int_equal(feed_u64(&f, "xid", 0, "times"), 2);
	assert_string_equal(feed_str(&f, "xid", 1, "severity"), "fatal");
	assert_true(feed_says(&f, "verdict", "fatal NETIR error"));
	assert_string_equal(xpt_xid__info_of(145, "Non-Fatal")->severity, "device");
	assert_string_equal(xpt_xid__info_of(31, "Fatal")->severity, "program");
	feed_free(&f);
}

/* A report that names its cause stands for it, unless the cause was reported itself. */
static void test_cause(void **state)
{
	static const char text[] = "pid=7, name=train, channel 0x10, errorString ROBUST_CHANNEL_PREEMPTIVE_REMOVAL, "
				   "caused by previous Xid 149";

	(void)state;
	for (int reported = 0; reported < 2; reported++) {
		struct feed f;

		feed_begin(&f, &xpt_analyzer_xid);
		report_text(&f, NULL, 45, 7, MS, text);
		if (reported)
			report_text(&f, NULL, 149, 0, 2 * MS, "NETIR_LINK_EVT Fatal");
		feed_end(&f, SEC, true);
		assert_int_equal(feed_rows(&f, "verdict"), 1);
		assert_string_equal(feed_str(&f, "xid", 0, "severity"), reported ? "info" : "device");
		assert_int_equal(feed_says(&f, "verdict", "caused by Xid 149: NVLink: NETIR error) for GPU"), !reported);
		feed_free(&f);
	}
	assert_int_equal(xpt_xid__cause("previous Xid 99999999999"), 0);
	assert_int_equal(xpt_xid__cause("previous Xid"), 0);
}

/* Three lines are one exception; another one is another. */
static void test_lines_of_one_error(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_xid);
	report_text(&f, NULL, 13, 7, MS, "pid=7, Graphics SM Warp Exception on (GPC 0, TPC 0, SM 0): Out Of Range Address");
	report_text(&f, NULL, 13, 7, MS + 1, "pid=7, Graphics SM Global Exception on (GPC 0, TPC 0, SM 0)");
	report_text(&f, NULL, 13, 7, MS + 2, "pid=7, Graphics Exception: ESR 0x504730=0x102000e");
	report_text(&f, NULL, 13, 7, 500 * MS, "pid=7, Graphics SM Warp Exception on (GPC 1, TPC 0, SM 0)");
	feed_end(&f, SEC, true);
	assert_int_equal(feed_u64(&f, "xid", 0, "times"), 2);
	feed_free(&f);
}

/* What is grave never waits for room. */
static void test_grave_has_room(void **state)
{
	struct feed f;

	(void)state;
	feed_begin(&f, &xpt_analyzer_xid);
	for (uint32_t i = 1; i <= 70; i++)
		report(&f, NULL, 45, i, i * MS);
	report(&f, NULL, 79, 0, 80 * MS);
	report(&f, NULL, 31, 9, 81 * MS);
	feed_end(&f, SEC, true);
	assert_int_equal(feed_rows(&f, "xid"), 64);
	assert_int_equal(feed_u64(&f, "xid", 0, "pid"), 1);
	assert_int_equal(feed_u64(&f, "xid", 62, "xid"), 79);
	assert_int_equal(feed_u64(&f, "xid", 63, "xid"), 31);
	assert_int_equal(feed_rows(&f, "verdict"), 2);
	assert_int_equal(f.out.lost[XPT_LOSS_TABLE_EVICTED], 8);
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
	assert_string_equal(xpt_xid__source(4), "log_alone");
	for (uint32_t i = XPT_XID_LOG; i < XPT_XID__MAX; i++)
		assert_int_equal(xpt_xid__source_of(xpt_xid__source(i)), i);
	assert_int_equal(xpt_xid__source_of("?"), XPT_XID_LOG);
	assert_string_equal(xpt_xid__source(0), "log");	/* of a recording that does not say */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines), cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_names_of_programs), cmocka_unit_test(test_report),
		cmocka_unit_test(test_names_of_gpus), cmocka_unit_test(test_unconfirmed),
		cmocka_unit_test(test_recovery_action), cmocka_unit_test(test_fatal_links),
		cmocka_unit_test(test_cause), cmocka_unit_test(test_lines_of_one_error),
		cmocka_unit_test(test_grave_has_room),
		cmocka_unit_test(test_damaged), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_bounded), cmocka_unit_test(test_format),
	};

	return cmocka_run_group_tests_name("xid", tests, NULL, NULL);
}
