/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/domain/probe.h: what users write for a probe, read from the right, and the
 * column of what is wrong.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "model/domain/probe.h"

static struct xpt_probe p;

static void good(const char *spec, enum xpt_probe_kind kind, const char *path, const char *provider,
		 const char *name)
{
	const char *why = NULL;
	size_t at = 0;

	if (xpt_probe__parse(spec, &p, &at, &why))
		fail_msg("%s: column %zu: %s", spec, at + 1, why);
	assert_int_equal(p.kind, kind);
	assert_string_equal(p.path, path);
	assert_string_equal(p.provider, provider);
	assert_string_equal(p.name, name);
}

static void bad(const char *spec, size_t want)
{
	const char *why = NULL;
	size_t at = 1000;

	assert_int_equal(xpt_probe__parse(spec, &p, &at, &why), -EINVAL);
	assert_non_null(why);
	if (at != want)
		fail_msg("%s: offset %zu, expected %zu", spec, at, want);
}

static void test_forms(void **state)
{
	(void)state;
	good("usdt:/x/y:prov:na*", XPT_PROBE_USDT, "/x/y", "prov", "na*");
	good("usdt:*:*:*", XPT_PROBE_USDT, "*", "*", "*");
	good("usdt:/a:b/c:p:n", XPT_PROBE_USDT, "/a:b/c", "p", "n");
	good("uprobe:/x/y:f", XPT_PROBE_UPROBE, "/x/y", "", "f");
	good("call:lib.so.1:cu*", XPT_PROBE_CALL, "lib.so.1", "", "cu*");
	good("call:/a:b/c:f", XPT_PROBE_CALL, "/a:b/c", "", "f");
}

static void test_strings(void **state)
{
	(void)state;
	good("usdt:/x/y:p:n(arg3:str,arg11:str)", XPT_PROBE_USDT, "/x/y", "p", "n");
	assert_int_equal(p.strings, 1 << 3 | 1 << 11);
	good("call:*:f*(arg0:str)", XPT_PROBE_CALL, "*", "", "f*");
	assert_int_equal(p.strings, 1);
	good("uprobe:/x (1):f", XPT_PROBE_UPROBE, "/x (1)", "", "f");
	assert_int_equal(p.strings, 0);
	bad("uprobe:x:f()", 11);
	bad("uprobe:x:f(arg:str)", 11);
	bad("uprobe:x:f(1:str)", 11);
	bad("uprobe:x:f(arg0:int)", 11);
	bad("uprobe:x:f(arg0)", 11);
	bad("uprobe:x:f(arg12:str)", 11);
	bad("uprobe:x:f(arg123:str)", 11);
	bad("uprobe:x:f(arg0:str,)", 20);
	bad("uprobe:x:f(arg0:str),x)", 20);
	bad("uprobe:x:f(arg0:str,arg1:str,arg2:str,arg3:str,arg4:str)", 47);
	bad("uprobe:x:(arg0:str)", 8);
}

static void test_mistakes(void **state)
{
	char text[8192];

	(void)state;
	bad("", 0);
	bad("kprobe:x:y", 0);
	bad("usdt:", 5);
	bad("usdt:x", 6);
	bad("usdt:x:y", 6);
	bad("usdt::p:n", 5);
	bad("usdt:x::n", 7);
	bad("usdt:x:p:", 8);
	bad("uprobe:", 7);
	bad("uprobe:x", 8);
	bad("uprobe::f", 7);
	bad("call:x:", 6);
	memset(text, 'x', sizeof(text));
	snprintf(text, sizeof(text), "call:");
	text[5] = 'x';
	memcpy(text + 6000, ":f", 3);
	bad(text, 5);
	memset(text, 'n', sizeof(text));
	memcpy(text, "call:x:", 7);
	text[1000] = '\0';
	bad(text, 5);
}

static void test_files(void **state)
{
	(void)state;
	good("usdt:/x/y:p:n", XPT_PROBE_USDT, "/x/y", "p", "n");
	assert_false(xpt_probe__is_glob(&p));
	good("usdt:y*:p:n", XPT_PROBE_USDT, "y*", "p", "n");
	assert_true(xpt_probe__is_glob(&p));
	assert_true(xpt_probe__wants_file(&p, "/x/yz"));
	assert_false(xpt_probe__wants_file(&p, "/y/z"));
	good("usdt:/x/*/y:p:n", XPT_PROBE_USDT, "/x/*/y", "p", "n");
	assert_true(xpt_probe__is_glob(&p));
	assert_true(xpt_probe__wants_file(&p, "/x/1/y"));
	assert_false(xpt_probe__wants_file(&p, "/x/y"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms), cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
