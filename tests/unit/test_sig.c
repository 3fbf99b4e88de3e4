/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * model/domain/sig.h, model/domain/captures.h and model/value.h on small tables of their own:
 * places of parameters by the ABI, names of constants and flags, what --args
 * captures, values as text and JSON, and lines that lie.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "model/domain/captures.h"
#include "model/value.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static const char *const fns[] = {	/* sorted */
	"aAlloc dptr:oh8 bytesize:u8 flags:e1",
	"aCopy p:pt0 stream:h8",
	"aCopy_v2 p:pt0 type:e0 stream:h8",
	"aFloat f:f4 n:i4 g:f8 ms:of4",
	"aLong a:u8 b:u8 c:u8 d:u8 e:u8 f:u8 g:u8 h:u8 i:u8 j:u8 k:u8 l:u8 m:u8 n:u8 name:s",
	"aName fn:oh8 name:s path:s cb:F data:p attr:e0 got:oe0",
	"aNone",
	"aPlace loc:t1 e:t2 last:u4 big:b64 more:b12 end:i2",
	"aQuery pi:oi4 attr:e0 wide:e1w",
};
static const char *const structs[] = {
	"place3 40 width:u8@0 height:u8@8 loc.type:e0@16 loc.id:i4@20 type:e0@24 at:h8@32",
	"loc 8 type:e0@0 id:i4@4",
	"extent 24 width:u8@0 height:u8@8 depth:u8@16",
};
static const char *const enums[] = {
	"kind KIND_ -1=LAST 0=NONE ONE TWO 7=SEVEN EIGHT 2147483648=HIGH",
	"|flags F_ 0=DEFAULT A B 3=BOTH 4=C 16=D",
	"|bare - 1=ONLY",
};
static const struct xpt_sigs sigs = { fns, structs, enums, N(fns), N(structs), N(enums) };

static const struct xpt_fn_row rows[] = {
	XPT_FN_KIND("aAlloc", ALLOC, DEVICE, XPT_OUT(0, 8, ADDR, "dptr"),
		    XPT_VAL(1, 8, SIZE, "bytesize"), XPT_VAL(2, 4, FLAGS, "flags")),
	XPT_FN("aCopy", COPY, XPT_DEREF(0, 32, 8, DST, "at"), XPT_DEREF(0, 0, 8, WIDTH, "width"),
	       XPT_DEREF(0, 8, 8, HEIGHT, "height"), XPT_DIRECTION(H2D)),
	XPT_FN("aCopy_v2", COPY, XPT_VAL(2, 8, STREAM, "stream")),
	XPT_FN("aName", QUERY, XPT_OUT(0, 8, FUNC, "fn"),
	       { { XPT_CAP_STR, 2, 8, XPT_ROLE_NAME, 0 }, "path" }),
};

static const struct xpt_domain domain = {
	.name = "a", .rows = rows, .nr_rows = N(rows), .sigs = &sigs,
	.catch_all_ret = XPT_RET_NEGATIVE,
};

/* "name@word+words kind,via,size " of every parameter */
static const char *places(const char *sym)
{
	static char buf[2048];
	struct xpt_sig_param p;
	struct xpt_sig sig;
	size_t n = 0;

	buf[0] = '\0';
	if (!xpt_sig__find(&sigs, sym, &sig))
		return "none";
	while (xpt_sig__next(&sig, &p))
		n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%.*s@%u ", (int)p.len, p.name,
				      p.word);
	return buf;
}

static void test_places(void **state)
{
	(void)state;
	assert_string_equal(places("aAlloc"), "dptr@0 bytesize@1 flags@2 ");
	assert_string_equal(places("aNone"), "");
	/* Floating point takes no word; a pointer to it does. */
	assert_string_equal(places("aFloat"), "f@255 n@0 g@255 ms@1 ");
	/* 24 and 64 bytes lie on the stack, 12 take two registers. */
	assert_string_equal(places("aPlace"), "loc@0 e@6 last@1 big@9 more@2 end@4 ");
	assert_string_equal(places("aLong"), "a@0 b@1 c@2 d@3 e@4 f@5 g@6 h@7 i@8 j@9 k@10 l@11 "
					     "m@12 n@13 name@14 ");
}

static void test_find(void **state)
{
	struct xpt_sig sig;

	(void)state;
	assert_string_equal(places("aAlloc_ptsz"), places("aAlloc"));
	assert_string_equal(places("aCopy_v2_ptds"), "p@0 type@1 stream@2 ");
	assert_string_equal(places("aAlloc_v2"), "none");	/* may take anything */
	assert_string_equal(places("aAllo"), "none");
	assert_string_equal(places(""), "none");
	assert_string_equal(places("_ptsz"), "none");
	assert_string_equal(places("zzz"), "none");
	assert_false(xpt_sig__find(NULL, "aAlloc", &sig));
	assert_false(xpt_sig__struct(&sigs, 3, &sig));
	assert_false(xpt_sig__struct(NULL, 0, &sig));
	assert_null(xpt_sig__enum(&sigs, 3));
	assert_null(xpt_sig__enum(NULL, 0));
}

static void names(const char *line, uint64_t v, const char *want)
{
	struct xpt_strbuf sb;
	bool found;

	xpt_strbuf__init(&sb, 256);
	found = xpt_enum__add(&sb, line, v);
	assert_string_equal(xpt_strbuf__str(&sb), want);
	assert_int_equal(found, want[0] != '\0');
	xpt_strbuf__free(&sb);
}

static void test_constants(void **state)
{
	(void)state;
	names(enums[0], 0, "KIND_NONE");
	names(enums[0], 2, "KIND_TWO");
	names(enums[0], 3, "");
	names(enums[0], 8, "KIND_EIGHT");
	names(enums[0], 9, "");
	names(enums[0], UINT64_MAX, "KIND_LAST");	/* sign-extended capture */
	names(enums[0], UINT32_MAX, "KIND_LAST");	/* one that is not */
	names(enums[0], 1ull << 31, "KIND_HIGH");
	names(enums[0], 1ull << 32, "");
	names(enums[1], 0, "F_DEFAULT");
	names(enums[1], 3, "F_BOTH");		/* a name of its own before bits */
	names(enums[1], 4, "F_C");
	names(enums[1], 21, "F_A|F_C|F_D");
	names(enums[1], 8, "");			/* no bit of it has a name */
	names(enums[1], 12, "F_C|0x8");
	names(enums[1], (5ull << 32) | 2, "F_B|0x500000000");
	names(enums[2], 1, "ONLY");
	names(enums[2], 0, "");
}

static void means(const char *line, const char *text, bool want, uint64_t value)
{
	uint64_t v = 7;

	assert_int_equal(xpt_enum__value(line, text, &v), want);
	assert_int_equal(v, want ? value : 7);
}

/* Names back to values. */
static void test_values_of_names(void **state)
{
	(void)state;
	means(enums[0], "KIND_TWO", true, 2);
	means(enums[0], "KIND_LAST", true, UINT32_MAX);
	means(enums[0], "KIND_TW", false, 0);
	means(enums[0], "KIND_TWO|KIND_EIGHT", false, 0);
	means(enums[0], "", false, 0);
	means(enums[1], "F_A|F_C|F_D", true, 21);
	means(enums[1], "F_C|0x8", true, 12);
	means(enums[1], "F_C|", false, 0);
	means(enums[1], "F_C|0xg", false, 0);
	means(enums[2], "ONLY", true, 1);
}

static const char *const hostile_enums[] = {
	"", " ", "e", "e ", "e P", "e P ", "e P  ", "e P 1", "e P 1=", "e P 1= A", "e P =A",
	"e P -", "e P -=A", "e P 1-=A", "|", "|e -", "e P 99999999999999999999999=A B",
	"|e P 0=", "e P A  B",
};

static const char *const hostile_fns[] = {
	"", " ", "h", "h ", "h  ", "h a", "h a:", "h :u8", "h a:q", "h a:u", "h a:u0", "h a:u9",
	"h a:u99999999999", "h a:e", "h a:e3", "h a:e99999", "h a:t9", "h a:pt9", "h a:o", "h a:oo",
	"h a:ot9", "h a:b0", "h a:b", "h a:pp:p", "h a:u8@3 b:u8", "h a:b65535 b:b65535 c:u8",
	"h a:u8  b:u8", "h a:e0ww b:u8", "h a:p b:",
};

/* Walks to the end of any line without leaving it (sanitizers watch). */
static void test_hostile(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < N(hostile_enums); i++) {
		static const uint64_t values[] = { 0, 1, UINT32_MAX, UINT64_MAX };
		char *line = strdup(hostile_enums[i]);
		struct xpt_strbuf sb;

		for (k = 0; k < N(values); k++) {
			xpt_strbuf__init(&sb, 64);
			xpt_enum__add(&sb, line, values[k]);
			xpt_enum__value(line, k ? "P|A" : "", &(uint64_t){ 0 });
			xpt_strbuf__free(&sb);
		}
		free(line);
	}
	for (i = 0; i < N(hostile_fns); i++) {
		char *line = strdup(hostile_fns[i]);
		const char *lines[] = { line };
		struct xpt_sigs t = { lines, lines, enums, 1, 1, N(enums) };
		struct xpt_domain d = { .name = "h", .sigs = &t };
		struct xpt_captures caps;
		struct xpt_sig_param p;
		struct xpt_sig sig;

		xpt_captures__make(&d, NULL, "h", XPT_ARGS_ALL, &caps);
		assert_true(caps.spec.nr_caps <= 2);
		if (xpt_sig__struct(&t, 0, &sig))
			while (xpt_sig__next(&sig, &p))
				;
		free(line);
	}
}

/* "name " of every capture, with its operation's first letter and argument word */
static const char *captures(const char *sym, enum xpt_args args)
{
	static char buf[1024];
	struct xpt_captures c;
	size_t n = 0, i;

	xpt_captures__make(&domain, xpt_domain__row(&domain, sym), sym, args, &c);
	buf[0] = '\0';
	for (i = 0; i < c.spec.nr_caps; i++)
		n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s:%c%u ", c.name[i],
				      "-vdocs"[c.spec.cap[i].op], c.spec.cap[i].arg);
	return buf;
}

static void test_args(void **state)
{
	(void)state;
	assert_string_equal(captures("aAlloc", XPT_ARGS_ROLES), "dptr:o0 bytesize:v1 flags:v2 ");
	assert_string_equal(captures("aAlloc", XPT_ARGS_NONE), "bytesize:v1 ");
	assert_string_equal(captures("aAlloc", XPT_ARGS_ALL), captures("aAlloc", XPT_ARGS_ROLES));
	assert_string_equal(captures("aCopy", XPT_ARGS_NONE), "width:d0 height:d0 dir:c0 ");
	assert_string_equal(captures("aCopy", XPT_ARGS_ALL),
			    "at:d0 width:d0 height:d0 dir:c0 stream:v1 loc.type:d0 loc.id:d0 type:d0 ");
	/* A field takes the parameter's name along where the bare one is taken. */
	assert_string_equal(captures("aCopy_v2", XPT_ARGS_ALL),
			    "stream:v2 type:v1 width:d0 height:d0 loc.type:d0 loc.id:d0 p.type:d0 at:d0 ");
	/* One string a function: the row's, else the first. */
	assert_string_equal(captures("aName", XPT_ARGS_ALL),
			    "fn:o0 path:s2 name:v1 cb:v3 data:v4 attr:v5 got:o6 ");
	assert_string_equal(captures("aFloat", XPT_ARGS_ALL), "n:v0 ms:o1 ");
	assert_string_equal(captures("aPlace", XPT_ARGS_ALL),
			    "last:v1 end:v4 loc.type:v0 loc.id:v0 e.width:v6 e.height:v7 e.depth:v8 ");
	/* No more than there is room for, and none that a probe cannot reach. */
	assert_string_equal(captures("aLong", XPT_ARGS_ALL),
			    "a:v0 b:v1 c:v2 d:v3 e:v4 f:v5 g:v6 h:v7 i:v8 j:v9 k:v10 l:v11 ");
	assert_string_equal(captures("aUnknown", XPT_ARGS_ALL), "");
	assert_string_equal(captures("aNone", XPT_ARGS_ALL), "");
}

static void test_meaning(void **state)
{
	struct xpt_captures roles, all;

	(void)state;
	xpt_captures__make(&domain, &rows[1], "aCopy", XPT_ARGS_ROLES, &roles);
	xpt_captures__make(&domain, &rows[1], "aCopy", XPT_ARGS_ALL, &all);
	assert_int_equal(roles.spec.size_cap, all.spec.size_cap);
	assert_int_equal(roles.spec.mul_mask, all.spec.mul_mask);
	assert_int_equal(all.spec.cap[4].role, XPT_ROLE_NONE);	/* the stream is nobody's role */
	assert_int_equal(all.spec.cap[6].width, 4 | 0x80);	/* loc.id */
	xpt_captures__make(&domain, NULL, "aName", XPT_ARGS_ALL, &all);
	assert_int_equal(all.spec.ret, XPT_RET_NEGATIVE);
	assert_int_equal(all.spec.str_cap, 2);	/* name, counted from 1 */
	assert_true(all.spec.out_mask);
	assert_int_equal(all.spec.nr_stack, 1);
	assert_string_equal(xpt_args_name(XPT_ARGS_ALL), "all");
	assert_string_equal(xpt_args_name(XPT_ARGS__MAX), "?");
}

/* Text and JSON of value v of capture i of sym with --args=all. */
static void shows(const char *sym, unsigned i, uint64_t v, const char *text, const char *json)
{
	struct xpt_captures c;
	struct xpt_fn fn = { 0 };
	struct xpt_strbuf sb;

	xpt_captures__make(&domain, xpt_domain__row(&domain, sym), sym, XPT_ARGS_ALL, &c);
	fn.cap[i] = c.spec.cap[i];
	fn.cap_type[i] = xpt_sig__cap_type(&sigs, sym, &c.spec.cap[i], c.name[i]);
	xpt_strbuf__init(&sb, 256);
	xpt_value__add_text(&sb, &fn, i, v);
	assert_string_equal(xpt_strbuf__str(&sb), text);
	xpt_strbuf__reset(&sb);
	xpt_value__add_json(&sb, &fn, i, v);
	assert_string_equal(xpt_strbuf__str(&sb), json);
	xpt_strbuf__free(&sb);
}

static void test_values(void **state)
{
	(void)state;
	shows("aAlloc", 1, 4096, "4096", "4096");
	shows("aAlloc", 2, 5, "F_A|F_C", "\"F_A|F_C\"");
	shows("aAlloc", 2, 8, "0x8", "\"0x8\"");	/* role flags, no name */
	shows("aCopy", 3, XPT_DIR_H2D, "HtoD", "\"HtoD\"");
	shows("aCopy", 4, 0x7f00, "0x7f00", "\"0x7f00\"");
	shows("aCopy", 5, 2, "KIND_TWO", "\"KIND_TWO\"");
	shows("aCopy", 6, (uint64_t)-2, "-2", "-2");
	shows("aQuery", 0, 7, "7", "7");
	shows("aQuery", 1, 100, "100", "100");		/* no such constant */
	shows("aQuery", 2, 17, "F_A|F_D", "\"F_A|F_D\"");
	shows("aName", 6, 1, "KIND_ONE", "\"KIND_ONE\"");
	shows("aFloat", 1, 0x3e800000, "0.25", "0.25");
	shows("aFloat", 1, 0x7f800000, "inf", "null");
}

/* Where name or place do not fit, a number stays a number. */
static void test_types(void **state)
{
	const struct xpt_wire_cap attr = { XPT_CAP_VAL, 1, 4, XPT_ROLE_VALUE, 0 };
	struct xpt_wire_cap cap = attr;

	(void)state;
	assert_int_equal(xpt_sig__cap_type(&sigs, "aQuery", &attr, "attr").kind, XPT_SIG_ENUM);
	assert_int_equal(xpt_sig__cap_type(&sigs, "aQuery", &attr, "other").kind, XPT_SIG_NONE);
	assert_int_equal(xpt_sig__cap_type(&sigs, "aOther", &attr, "attr").kind, XPT_SIG_NONE);
	assert_int_equal(xpt_sig__cap_type(NULL, "aQuery", &attr, "attr").kind, XPT_SIG_NONE);
	cap.arg = 2;
	assert_int_equal(xpt_sig__cap_type(&sigs, "aQuery", &cap, "attr").kind, XPT_SIG_NONE);
	cap = attr;
	cap.off = -1;		/* multiplied */
	assert_int_equal(xpt_sig__cap_type(&sigs, "aQuery", &cap, "attr").kind, XPT_SIG_NONE);
	cap = attr;
	cap.op = XPT_CAP_OUT;
	assert_int_equal(xpt_sig__cap_type(&sigs, "aQuery", &cap, "attr").kind, XPT_SIG_NONE);
	cap = attr;
	cap.width = 2;
	assert_int_equal(xpt_sig__cap_type(&sigs, "aQuery", &cap, "attr").kind, XPT_SIG_NONE);
	cap = attr;
	cap.arg = XPT_SIG_NO_WORD;
	assert_int_equal(xpt_sig__cap_type(&sigs, "aFloat", &cap, "f").kind, XPT_SIG_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_values_of_names),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_args),
		cmocka_unit_test(test_meaning),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_types),
	};

	return cmocka_run_group_tests_name("sig", tests, NULL, NULL);
}
