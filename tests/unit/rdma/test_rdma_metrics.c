/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * uses: promtool
 * base/formats/prom.h and rdma/verdict/watch_metrics.h: escaping, order, lines that are alike, tables
 * that are full; the whole page, also by promtool where that is installed.
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
#include "base/formats/prom.h"
#include "rdma/verdict/watch_metrics.h"

static const struct xpt_prom_family things = { "things_total", "How many\\of \"them\".\n",
	XPT_PROM_COUNTER, 0, { "a", "b" } };

static void test_escapes(void **state)
{
	struct xpt_prom_row rows[] = {
		{ { "say \"hi\"\\", "two\nlines" }, 7 }, { { "caf\xc3\xa9", "bad \xff\xc3" }, UINT64_MAX },
	};
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 1000);
	xpt_prom__add(&sb, &things, rows, 2);
	assert_string_equal(xpt_strbuf__str(&sb),
			    "# HELP things_total How many\\\\of \"them\".\\n\n"
			    "# TYPE things_total counter\n"
			    "things_total{a=\"caf\xc3\xa9\",b=\"bad \xef\xbf\xbd\xef\xbf\xbd\"} 18446744073709551615\n"
			    "things_total{a=\"say \\\"hi\\\"\\\\\",b=\"two?lines\"} 7\n");
	xpt_strbuf__free(&sb);
}

/* As in every other output: nothing of a name may reach a terminal as a control, nor turn text around. */
static void test_hostile(void **state)
{
	struct xpt_prom_row rows[] = {
		{ { "esc\x1b[2Jq\x07", "del\x7f tab\t" }, 1 }, { { "c1\xc2\x9b" "2Jbidi\xe2\x80\xae", "zero\xe2\x80\x8b" }, 2 },
	}, alike[] = {	/* as they are written */
		{ { "a\x01", "" }, 1 }, { { "a\x02", "" }, 2 }, { { "b\xff", "" }, 4 }, { { "b\xfe", "" }, 8 }, { { "a?", "" }, 16 },
	};
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 1000);
	xpt_prom__add(&sb, &things, rows, 2);
	assert_non_null(strstr(xpt_strbuf__str(&sb), "counter\nthings_total{a=\"c1?2Jbidi?\",b=\"zero?\"} 2\n"
			       "things_total{a=\"esc?[2Jq?\",b=\"del? tab?\"} 1\n"));
	xpt_strbuf__reset(&sb);
	xpt_prom__add(&sb, &things, alike, 5);
	assert_non_null(strstr(xpt_strbuf__str(&sb), "counter\nthings_total{a=\"a?\",b=\"\"} 19\n"
			       "things_total{a=\"b\xef\xbf\xbd\",b=\"\"} 12\n"));
	xpt_strbuf__free(&sb);
}

/* A program chooses names, and each of its series has them: long ones are cut, and stay apart. */
static void test_long_labels(void **state)
{
	char a[500], b[500], e[500];
	const char *line, *end;
	struct xpt_strbuf sb;

	(void)state;
	memset(a, 'x', sizeof(a));
	memset(b, 'x', sizeof(b));
	memset(e, 'x', sizeof(e));
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = e[sizeof(e) - 1] = '\0';
	b[400] = 'y';
	memcpy(&e[142], "\xc3\xa9", 2);	/* its second byte would be the first one that is left out */
	struct xpt_prom_row rows[] = { { { a, "" }, 1 }, { { b, "" }, 2 }, { { a, "" }, 4 }, { { e, "" }, 8 } };
	xpt_strbuf__init(&sb, 2000);
	xpt_prom__add(&sb, &things, rows, 4);
	line = strstr(xpt_strbuf__str(&sb), "counter\n") + strlen("counter\n");
	for (unsigned i = 0; i < 3; i++, line = end + 1) {
		end = strchr(line, '\n');
		assert_true(end - line <= (int)(strlen("things_total{a=\"\",b=\"\"} 8") + XPT_PROM_LABEL_MAX));
	}
	assert_int_equal(*line, '\0');
	assert_null(strstr(xpt_strbuf__str(&sb), "\xef\xbf\xbd"));
	assert_non_null(strstr(xpt_strbuf__str(&sb), "\",b=\"\"} 5\n"));
	xpt_strbuf__free(&sb);
}

static void test_alike(void **state)
{
	static const struct xpt_prom_family plain = { "up", "Up.", XPT_PROM_GAUGE, 9, { NULL } };
	struct xpt_prom_row rows[] = {
		{ { "z", NULL }, 1 }, { { "a", "y" }, 2 }, { { "a", NULL }, 4 }, { { "a", "" }, 8 },
		{ { "a", "y" }, 16 },
	}, one = { { NULL }, 1500000000 };
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, 1000);
	xpt_prom__add(&sb, &things, rows, 0);	/* no rows, no family */
	assert_int_equal(sb.len, 0);
	xpt_prom__add(&sb, &things, rows, 5);
	assert_non_null(strstr(xpt_strbuf__str(&sb), "counter\nthings_total{a=\"a\",b=\"\"} 12\n"
			       "things_total{a=\"a\",b=\"y\"} 18\nthings_total{a=\"z\",b=\"\"} 1\n"));
	xpt_strbuf__reset(&sb);
	xpt_prom__add(&sb, &plain, &one, 1);
	assert_string_equal(xpt_strbuf__str(&sb), "# HELP up Up.\n# TYPE up gauge\nup 1.500000000\n");
	xpt_strbuf__free(&sb);
}

/* --- the page of a watch ----------------------------------------------------------------- */

static struct xpt_rdma_trace failed(const char *method, int code)
{
	return (struct xpt_rdma_trace){ .method = method, .device = "mlx5_0", .driver = "mlx5_ib",
					.ret = -code };
}

static const struct xpt_rdma_code gid_codes[] = { { -ENODATA, 4 }, { -EINVAL, 1 } };
static const struct xpt_rdma_code ok_codes[] = { { 0, 3 } }, odd_codes[] = { { -4000, 2 }, { -512, 1 } };
static struct xpt_rdma_sum methods[] = {
	{ "query_gid", "", 300, 290, 1, 200, 2500000000, 20 }, { "alloc_pd", "", 2, 0, 0, 0, 1000, 0 },
	{ "query_gid", "GID", 5, 0, 0, 0, 10, 0 },
};
static struct xpt_rdma_fn_sum functions[] = {
	{ "rdma_get_gid_attr", "ib_core", 9, 5, gid_codes, 2 },
	{ "probe", "mlx5_ib", 7, 3, odd_codes, 2 },
	{ "ib_modify_qp_is_ok", "ib_core", 12, 3, ok_codes, 1 },
	{ "probe", "mlx5_ib", 1, 1, odd_codes + 1, 1 },	/* another one of the same name */
};
static const struct xpt_rdma_sums sums = {
	.method = methods, .nr_methods = 3, .passed = { { "post_send", 7 } }, .nr_passed = 1, .fn = functions, .nr_fns = 4,
	.stats = { .nr = 54, .nr_failed = 1, .lost = { [XPT_RDMA_LOST_RING] = 6 }, .missed = 8 },
};

static struct xpt_rdma_metrics *filled(void)
{
	struct xpt_rdma_metrics *m = xpt_rdma_metrics__new(1790000000500000000, "6.1.0-56-amd64");
	struct xpt_rdma_trace gid = failed("modify_qp", ENODATA), mr = failed("reg_mr", ENOMEM);

	assert_non_null(m);
	xpt_rdma_metrics__failed(m, &mr, XPT_RDMA_LIMITS);
	xpt_rdma_metrics__failed(m, &gid, XPT_RDMA_PARAMETER);
	xpt_rdma_metrics__failed(m, &gid, XPT_RDMA_PARAMETER);
	xpt_rdma_metrics__event(m, "QP_FATAL", "mlx5_0");
	xpt_rdma_metrics__event(m, "PORT_ERR", "mlx5_1");
	xpt_rdma_metrics__event(m, "PORT_ERR", "mlx5_1");
	return m;
}

static const char *line(const struct xpt_strbuf *sb, const char *name)
{
	static char text[256];
	const char *at = strstr(xpt_strbuf__str(sb), name);

	snprintf(text, sizeof(text), "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
	return text;
}

static void test_page(void **state)
{
	struct xpt_rdma_metrics *m = filled();
	struct xpt_strbuf sb, again;
	const char *s;

	(void)state;
	xpt_strbuf__init(&sb, XPT_RDMA_METRICS_MAX);
	xpt_strbuf__init(&again, XPT_RDMA_METRICS_MAX);
	assert_int_equal(xpt_rdma_metrics__print(m, &sums, &sb), 0);
	assert_int_equal(xpt_rdma_metrics__print(m, &sums, &again), 0);
	s = xpt_strbuf__str(&sb);
	assert_string_equal(s, xpt_strbuf__str(&again));
#define P "\nxputrace_rdma_"
	assert_non_null(strstr(s, P "function_calls_total{function=\"ib_modify_qp_is_ok\",module=\"ib_core\"} 12"
			       P "function_calls_total{function=\"probe\",module=\"mlx5_ib\"} 8"
			       P "function_calls_total{function=\"rdma_get_gid_attr\",module=\"ib_core\"} 9\n"));
	assert_non_null(strstr(s, P "function_errno_total{function=\"ib_modify_qp_is_ok\",module=\"ib_core\",errno=\"no\"} 3"
			       P "function_errno_total{function=\"probe\",module=\"mlx5_ib\",errno=\"ERESTARTSYS\"} 2"
			       P "function_errno_total{function=\"probe\",module=\"mlx5_ib\",errno=\"errno 4000\"} 2"
			       P "function_errno_total{function=\"rdma_get_gid_attr\",module=\"ib_core\",errno=\"EINVAL\"} 1"
			       P "function_errno_total{function=\"rdma_get_gid_attr\",module=\"ib_core\",errno=\"ENODATA\"} 4\n"));
	assert_non_null(strstr(s, P "method_held_total{method=\"query_gid\",object=\"\"} 200\n"));
	assert_non_null(strstr(s, P "method_counted_only_total{method=\"post_send\"} 7\n"));
	assert_non_null(strstr(s, P "method_seconds_total{method=\"query_gid\",object=\"\"} 2.500000000\n"));
	assert_non_null(strstr(s, P "failures_total{class=\"parameter\",device=\"mlx5_0\",driver=\"mlx5_ib\","
			       "method=\"modify_qp\",errno=\"ENODATA\"} 2\n"));
	assert_non_null(strstr(s, P "failures_by_class_total{class=\"defect\"} 0\n"));
	assert_non_null(strstr(s, P "events_total{event=\"PORT_ERR\",device=\"mlx5_1\"} 2"
			       P "events_total{event=\"QP_FATAL\",device=\"mlx5_0\"} 1\n"));
	assert_non_null(strstr(s, P "lost_total{what=\"returns\"} 8" P "lost_total{what=\"ring\"} 6\n"));
	assert_non_null(strstr(s, P "watch_start_time_seconds 1790000000.500000000\n"));
	xpt_strbuf__free(&sb);
	xpt_strbuf__free(&again);
	xpt_rdma_metrics__free(m);
}

/* Before the first look at the kernel's counters: what is known is there. */
static void test_start(void **state)
{
	struct xpt_rdma_metrics *m = xpt_rdma_metrics__new(5, "k");
	struct xpt_strbuf sb;

	(void)state;
	xpt_strbuf__init(&sb, XPT_RDMA_METRICS_MAX);
	assert_int_equal(xpt_rdma_metrics__print(m, NULL, &sb), 0);
	assert_string_equal(line(&sb, "xputrace_rdma_failures_by_class_total{class=\"unknown\"}"),
			    "xputrace_rdma_failures_by_class_total{class=\"unknown\"} 0");
	assert_null(strstr(xpt_strbuf__str(&sb), "failures_total{"));
	xpt_strbuf__free(&sb);
	xpt_strbuf__init(&sb, 100);	/* too small is told */
	assert_int_equal(xpt_rdma_metrics__print(m, NULL, &sb), -E2BIG);
	xpt_strbuf__free(&sb);
	xpt_rdma_metrics__free(m);
}

/* A program that calls what does not exist makes names without end: nothing grows. */
static void test_bounds(void **state)
{
	struct xpt_rdma_metrics *m = xpt_rdma_metrics__new(5, "k");
	struct xpt_strbuf sb;
	unsigned i, lines = 0;
	const char *s;

	(void)state;
	for (i = 0; i < 1000; i++) {
		char name[32];
		struct xpt_rdma_trace t = failed(name, EINVAL);

		snprintf(name, sizeof(name), "object %u method 1", i);
		xpt_rdma_metrics__failed(m, &t, XPT_RDMA_PARAMETER);
		xpt_rdma_metrics__event(m, name, "mlx5_0");
	}
	xpt_strbuf__init(&sb, XPT_RDMA_METRICS_MAX);
	assert_int_equal(xpt_rdma_metrics__print(m, NULL, &sb), 0);
	for (s = xpt_strbuf__str(&sb); (s = strstr(s, "\nxputrace_rdma_failures_total{")); s++)
		lines++;
	assert_int_equal(lines, XPT_RDMA_METRICS_KINDS + 1);
	assert_string_equal(line(&sb, "xputrace_rdma_failures_total{class=\"parameter\",device=\"(other)\""),
			    "xputrace_rdma_failures_total{class=\"parameter\",device=\"(other)\",driver=\"(other)\","
			    "method=\"(other)\",errno=\"(other)\"} 744");
	assert_string_equal(line(&sb, "xputrace_rdma_events_total{event=\"(other)\""),
			    "xputrace_rdma_events_total{event=\"(other)\",device=\"(other)\"} 744");
	xpt_strbuf__free(&sb);
	xpt_rdma_metrics__free(m);
}

/* Prometheus's own reader and its advice on names. */
static void test_promtool(void **state)
{
	struct xpt_rdma_metrics *m;
	struct xpt_strbuf sb;
	FILE *f;

	(void)state;
	if (system("command -v promtool >/dev/null 2>&1")) {
		print_message("skip: promtool is not installed\n");
		skip();
	}
	m = filled();
	xpt_strbuf__init(&sb, XPT_RDMA_METRICS_MAX);
	assert_int_equal(xpt_rdma_metrics__print(m, &sums, &sb), 0);
	f = popen("promtool check metrics >&2", "w");
	assert_non_null(f);
	assert_int_equal(fwrite(sb.s, 1, sb.len, f), sb.len);
	assert_int_equal(pclose(f), 0);
	xpt_strbuf__free(&sb);
	xpt_rdma_metrics__free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes), cmocka_unit_test(test_hostile), cmocka_unit_test(test_long_labels),
		cmocka_unit_test(test_alike), cmocka_unit_test(test_page),
		cmocka_unit_test(test_start), cmocka_unit_test(test_bounds), cmocka_unit_test(test_promtool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
