/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * http/openmetrics.h: who gets OpenMetrics; what of a page differs in it, in pieces of every size. The expected page was
 * written by the rules of the specification (1.0.0), and is checked with its reference parser in tests/bpf/scrape.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "http/openmetrics.h"

/* What Prometheus 2.42 and 3, VictoriaMetrics, Grafana's agent, curl and browsers send. */
static void test_accept(void **state)
{
	static const char *const yes[] = {
		"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
		"text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=1.0.0;q=0.4,"
		"text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
		"application/openmetrics-text", "Application/OpenMetrics-Text ; Version=\"1.0.0\" ; Q=0.001",
		"text/plain;q=0.5, application/openmetrics-text;q=0.5", "a/b,,;,application/openmetrics-text",
		"*/*;q=0.4, application/openmetrics-text;q=0.5", "text/*;q=0.1,*/*,application/openmetrics-text;q=0.2",
		"text/plain;q=0,*/*,application/openmetrics-text;q=0.1", "text/plain;version=1.0.0,application/openmetrics-text;q=0.1",
	};
	static const char *const no[] = {
		NULL, "", "*/*", "text/plain", "application/*", "text/html,application/xhtml+xml,*/*;q=0.8",
		"application/openmetrics-text;version=0.0.1", "application/openmetrics-text;version=2.0.0",
		"application/openmetrics-text;q=0", "application/openmetrics-text;q=0.000", "application/openmetrics-text;q=x",
		"application/openmetrics-text;q=0.5,text/plain", "application/openmetrics-textual",
		"application/openmetrics-tex", ";;;===,,,\"", "application/openmetrics-text;q=\"",
		"*/*;q=0.6, application/openmetrics-text;q=0.5", "application/openmetrics-text;q=0.5,text/*;q=0.6",
		"*/*;q=0.1,text/*,application/openmetrics-text;q=0.5",
		"application/openmetrics-text;q=0.5,text/plain;version=1.0.0;q=0.1,text/plain;version=0.0.4;q=0.9",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!xpt_openmetrics__is_preferred(yes[i]))
			fail_msg("not preferred: %s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (xpt_openmetrics__is_preferred(no[i]))
			fail_msg("preferred: %s", no[i]);
}

/* Families with a unit and without; names that only look as if they had one; a comment, which OpenMetrics has not. */
static const char page[] =
	"# HELP xputrace_calls_total Calls, \"exact\".\n"
	"# TYPE xputrace_calls_total counter\n"
	"xputrace_calls_total{function=\"a\\\"\\n# HELP\"} 5\n"
	"xputrace_calls_total{function=\"# TYPE x counter\"} 6\n"
	"# HELP DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION Energy\n"
	"# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter\n"
	"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION 7\n"
	"# HELP up_total A gauge\n"
	"# TYPE up_total gauge\n"
	"up_total 1\n"
	"# a comment\n"
	"#\n"
	"# TYPE d_seconds histogram\n"
	"d_seconds_bucket{le=\"0.5\"} 1\n"
	"d_seconds_bucket{le=\"+Inf\"} 2\n"
	"d_seconds_sum 1.5\n"
	"d_seconds_count 2\n"
	"# TYPE own_cpu_seconds_total counter\n"
	"own_cpu_seconds_total 3\n"
	"# TYPE rate_bytes_per_second gauge\n"
	"rate_bytes_per_second 4\n"
	"# TYPE bytes gauge\n"
	"bytes 5\n"
	"# TYPE megabytes gauge\n"
	"megabytes 6\n"
	"# the last line\n";

static const char expected[] =
	"# HELP xputrace_calls Calls, \\\"exact\\\".\n"
	"# TYPE xputrace_calls counter\n"
	"xputrace_calls_total{function=\"a\\\"\\n# HELP\"} 5\n"
	"xputrace_calls_total{function=\"# TYPE x counter\"} 6\n"
	"# HELP DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION Energy\n"
	"# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION unknown\n"
	"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION 7\n"
	"# HELP up_total A gauge\n"
	"# TYPE up_total gauge\n"
	"up_total 1\n"
	"# TYPE d_seconds histogram\n"
	"# UNIT d_seconds seconds\n"
	"d_seconds_bucket{le=\"0.5\"} 1\n"
	"d_seconds_bucket{le=\"+Inf\"} 2\n"
	"d_seconds_sum 1.5\n"
	"d_seconds_count 2\n"
	"# TYPE own_cpu_seconds counter\n"
	"# UNIT own_cpu_seconds seconds\n"
	"own_cpu_seconds_total 3\n"
	"# TYPE rate_bytes_per_second gauge\n"
	"# UNIT rate_bytes_per_second bytes_per_second\n"
	"rate_bytes_per_second 4\n"
	"# TYPE bytes gauge\n"
	"bytes 5\n"
	"# TYPE megabytes gauge\n"
	"megabytes 6\n"
	"# EOF\n";

/* Reads all of a page of n bytes in pieces of `piece` bytes. */
static const char *convert(const char *text, size_t n, size_t piece)
{
	static char out[4096];
	struct xpt_openmetrics o;
	size_t done = 0, got;

	xpt_openmetrics__begin(&o, text, n);
	while ((got = xpt_openmetrics__read(&o, out + done, piece))) {
		assert_true(got <= piece);
		done += got;
		assert_true(done + piece < sizeof(out));
	}
	assert_int_equal(xpt_strbuf__err(&o.line), 0);
	xpt_openmetrics__free(&o);
	out[done] = '\0';
	return out;
}

static void test_page(void **state)
{
	(void)state;
	for (size_t piece = 1; piece < sizeof(expected) + 1; piece++)
		assert_string_equal(convert(page, sizeof(page) - 1, piece), expected);
}

/* Pages that end anywhere: nothing past the end is read (the sanitizers look), and the last line is the last. */
static void test_cut_pages(void **state)
{
	char copy[sizeof(page)];
	const char *out;

	(void)state;
	for (size_t n = 0; n < sizeof(page) - 1; n++) {
		memcpy(copy + sizeof(copy) - n, page, n);
		out = convert(copy + sizeof(copy) - n, n, 64);
		assert_string_equal(out + strlen(out) - 6, "# EOF\n");
		assert_true(strlen(out) == 6 || out[strlen(out) - 7] == '\n');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accept),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_cut_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
