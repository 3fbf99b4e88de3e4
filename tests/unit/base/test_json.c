/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The streaming JSON reader: values of each kind, all 64 bits of integers, escapes,
 * text in front, what is no JSON, what is cut at every byte, what is too long or too
 * deep; the same from a source that gives one byte at a time.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/formats/json_reader.h"
#include "base/strbuf.h"

struct source {
	const char *s;
	size_t n, chunk;
};

static ssize_t give(void *ctx, void *buf, size_t n)
{
	struct source *src = ctx;

	n = n < src->n ? n : src->n;
	n = n < src->chunk ? n : src->chunk;
	memcpy(buf, src->s, n);
	src->s += n;
	src->n -= n;
	return (ssize_t)n;
}

/* Writes what it reads in a form of its own: strings as s<n>:text. */
static void walk(struct xpt_json *j, struct xpt_strbuf *sb, unsigned depth)
{
	const char *s;
	uint64_t v;
	bool b;
	size_t n;

	switch (xpt_json__kind(j)) {
	case XPT_JSON_OBJECT:
		if (depth > 70 || !xpt_json__enter(j, XPT_JSON_OBJECT))
			return;
		xpt_strbuf__addc(sb, '{');
		while (xpt_json__key(j, &s, &n)) {
			xpt_strbuf__addf(sb, "%s=", s);
			walk(j, sb, depth + 1);
		}
		xpt_strbuf__addc(sb, '}');
		break;
	case XPT_JSON_ARRAY:
		if (depth > 70 || !xpt_json__enter(j, XPT_JSON_ARRAY))
			return;
		xpt_strbuf__addc(sb, '[');
		while (xpt_json__item(j))
			walk(j, sb, depth + 1);
		xpt_strbuf__addc(sb, ']');
		break;
	case XPT_JSON_STRING:
		if (xpt_json__str(j, &s, &n))
			xpt_strbuf__addf(sb, "s%zu:%s;", n, s);
		break;
	case XPT_JSON_NUMBER:
		if (xpt_json__u64(j, &v))
			xpt_strbuf__addf(sb, "%llu;", (unsigned long long)v);
		else if (!j->err)
			xpt_strbuf__add(sb, "other;");
		break;
	case XPT_JSON_TRUE:
	case XPT_JSON_FALSE:
		if (xpt_json__bool(j, &b))
			xpt_strbuf__add(sb, b ? "true;" : "false;");
		break;
	case XPT_JSON_NULL:
		xpt_json__skip(j);
		if (!j->err)
			xpt_strbuf__add(sb, "null;");
		break;
	case XPT_JSON_NONE:
		break;
	}
}

/* Reads text as one object; its form into sb (initialized), the error returned. */
static int read_all(const char *text, size_t n, size_t chunk, struct xpt_strbuf *sb)
{
	struct source src = { text, n, chunk };
	struct xpt_json j;
	const char *s;
	size_t len;
	int err;

	xpt_strbuf__init(sb, 1 << 20);
	assert_int_equal(xpt_json__init(&j, give, &src), 0);
	if (xpt_json__find_object(&j)) {
		while (xpt_json__key(&j, &s, &len)) {
			xpt_strbuf__addf(sb, "%s=", s);
			walk(&j, sb, 0);
		}
	}
	err = j.err;
	assert_true(xpt_json__offset(&j) <= n);
	xpt_json__free(&j);
	return err;
}

static void expect(const char *text, int want_err, const char *want)
{
	static const size_t chunks[] = { 1 << 20, 1, 7 };
	struct xpt_strbuf sb;

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(read_all(text, strlen(text), chunks[i], &sb), want_err);
		assert_string_equal(xpt_strbuf__str(&sb), want);
		xpt_strbuf__free(&sb);
	}
}

static void test_values(void **state)
{
	(void)state;
	expect("{}", 0, "");
	expect("{\"a\":1,\"b\":\"x\",\"c\":[],\"d\":{}}", 0, "a=1;b=s1:x;c=[]d={}");
	expect(" {\n\t\"a\" : [ 1 , true,false,null ] \r\n} ", 0, "a=[1;true;false;null;]");
	expect("{\"a\":18446744073709551615,\"b\":9223372036854775809,\"c\":0}", 0,
	       "a=18446744073709551615;b=9223372036854775809;c=0;");
	expect("{\"a\":[18446744073709551616,99999999999999999999,-1,1.5,1e3]}", 0,
	       "a=[other;other;other;other;other;]");
	expect("{\"a\":[[[{\"b\":[2]}]]]}", 0, "a=[[[{b=[2;]}]]]");
}

static void test_strings(void **state)
{
	(void)state;
	expect("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", 0, "a=s8:\"\\/\b\f\n\r\t;");
	expect("{\"\\u0041\":\"x\\u00e9\\u20ac\\ud83d\\ude00y\"}", 0,
	       "A=s11:x\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80y;");
	expect("{\"a\":\"\\u0000\\ud83d\\udc\"}", -EBADMSG, "a=");
	expect("{\"a\":\"\\u0000\\ud83dx\\ude00\"}", 0, "a=s10:\xef\xbf\xbd\xef\xbf\xbdx\xef\xbf\xbd;");
	expect("{\"a\":\"\\x\"}", -EBADMSG, "a=");
	expect("{\"a\":\"line\nend\"}", -EBADMSG, "a=");
}

static void test_text_around(void **state)
{
	(void)state;
	expect("Using newest trace file found: /dev/shm/{x}_trace\n{\"a\":1}\nTrace Size: 3\n", 0, "a=1;");
	expect("\xef\xbb\xbf{ \"a\":1}}}}", 0, "a=1;");
	expect("no object", -ENODATA, "");
	expect("", -ENODATA, "");
}

static void fixed(const char *number, unsigned digits, bool want, uint64_t value)
{
	char text[64];
	struct source src = { text, 0, 7 };
	struct xpt_json j;
	const char *s;
	uint64_t v = 7;
	size_t n;

	src.n = (size_t)snprintf(text, sizeof(text), "{\"a\":%s,\"b\":1}", number);
	assert_int_equal(xpt_json__init(&j, give, &src), 0);
	assert_true(xpt_json__find_object(&j) && xpt_json__key(&j, &s, &n));
	assert_int_equal(xpt_json__minus(&j), number[0] == '-');
	assert_int_equal(xpt_json__fixed(&j, digits, &v), want);
	assert_int_equal(v, want ? value : 7);
	assert_true(xpt_json__key(&j, &s, &n) && *s == 'b' && xpt_json__u64(&j, &v) && v == 1);
	xpt_json__free(&j);
}

/* Times: all their digits, as integers. */
static void test_fixed(void **state)
{
	(void)state;
	fixed("0", 9, true, 0);
	fixed("1795291920.465922411", 9, true, 1795291920465922411u);
	fixed("1.5", 3, true, 1500);
	fixed("1.23456", 3, true, 1234);
	fixed("18446744073.709551615", 9, true, UINT64_MAX);
	fixed("18446744073.709551616", 9, false, 0);
	fixed("99999999999999999999", 3, false, 0);
	fixed("1e3", 3, false, 0);
	fixed("-1.5", 3, false, 0);
	fixed("null", 3, false, 0);
	fixed("\"1.5\"", 3, false, 0);
}

static void test_bad(void **state)
{
	(void)state;
	expect("{\"a\":1 \"b\":2}", -EBADMSG, "a=1;");
	expect("{\"a\":[1 2]}", -EBADMSG, "a=[1;]");
	expect("{\"a\" 1}", -EBADMSG, "");
	expect("{\"a\":}", -EBADMSG, "a=");
	expect("{\"a\":1,}", -EBADMSG, "a=1;");
	expect("{\"a\":nul}", -EBADMSG, "a=");
	expect("{\"a\":[1}", -EBADMSG, "a=[1;]");
}

/* Every cut is found, whatever it cuts; nothing is read behind the end. */
static void test_cut(void **state)
{
	static const char text[] = "{\"abc\":[12,true,\"x\\u20acy\\n\",{\"k\":null}],\"d\":false}";
	struct xpt_strbuf sb;

	(void)state;
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *copy = malloc(n + 1);

		memcpy(copy, text, n);
		assert_int_equal(read_all(copy, n, 3, &sb), -ENODATA);
		xpt_strbuf__free(&sb);
		free(copy);
	}
}

static void test_limits(void **state)
{
	size_t n = 2 * XPT_JSON_BUF;
	char *text = malloc(n + 1);
	struct xpt_strbuf sb;

	(void)state;
	memset(text, 'x', n);
	memcpy(text, "{\"a\":\"", 6);
	assert_int_equal(read_all(text, n, 1 << 20, &sb), -E2BIG);	/* a string of 2 MiB */
	xpt_strbuf__free(&sb);
	memset(text, '[', n);
	memcpy(text, "{\"a\":", 5);
	assert_int_equal(read_all(text, n, 1 << 20, &sb), -EBADMSG);	/* walk() left a value unread */
	xpt_strbuf__free(&sb);
	free(text);
}

static void test_skip(void **state)
{
	struct source src = { "{\"a\":[[{\"b\":[1,\"]\",{}]}],2],\"c\":7}", 34, 1 };
	struct xpt_json j;
	const char *s;
	uint64_t v = 0;
	size_t n;

	(void)state;
	assert_int_equal(xpt_json__init(&j, give, &src), 0);
	assert_true(xpt_json__find_object(&j));
	assert_true(xpt_json__key(&j, &s, &n));
	xpt_json__skip(&j);
	assert_true(xpt_json__key(&j, &s, &n));
	assert_string_equal(s, "c");
	assert_true(xpt_json__u64(&j, &v));
	assert_int_equal(v, 7);
	assert_false(xpt_json__key(&j, &s, &n));
	assert_int_equal(j.err, 0);
	xpt_json__free(&j);
}

static void test_skip_deep(void **state)
{
	char text[400];
	struct source src = { text, sizeof(text), 64 };
	struct xpt_json j;
	const char *s;
	size_t n;

	(void)state;
	memset(text, '[', sizeof(text));
	memcpy(text, "{\"a\":", 5);
	assert_int_equal(xpt_json__init(&j, give, &src), 0);
	assert_true(xpt_json__find_object(&j) && xpt_json__key(&j, &s, &n));
	xpt_json__skip(&j);
	assert_int_equal(j.err, -E2BIG);
	assert_false(xpt_json__item(&j));
	xpt_json__free(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values), cmocka_unit_test(test_strings),
		cmocka_unit_test(test_text_around), cmocka_unit_test(test_bad),
		cmocka_unit_test(test_cut), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_skip), cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_skip_deep),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
