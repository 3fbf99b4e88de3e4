/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captured values as text. Runs once per call and output line, so numbers are
 * converted by hand and never through printf.
 */
#include "model/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "model/kernel/ioctl_table.h"
#include "model/vocab.h"

const char *xpt_call__string(const struct xpt_call *c, unsigned i)
{
	const char *s = c->str, *end = s ? s + c->str_len : NULL;

	if (!s || i >= c->fn->nr_caps || !xpt_cap_is_string(&c->fn->cap[i]))
		return NULL;
	for (unsigned k = 0; k < i; k++) {
		if (!xpt_cap_is_string(&c->fn->cap[k]))
			continue;
		s = end > s ? memchr(s, 0, (size_t)(end - s)) : NULL;
		if (!s || ++s == end || !memchr(s, 0, (size_t)(end - s)))
			return NULL;
	}
	return *s || c->valid >> i & 1 ? s : NULL;
}

void xpt_value__add_hex(struct xpt_strbuf *sb, uint64_t v)
{
	char buf[18];
	size_t i = sizeof(buf);

	do {
		buf[--i] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	buf[--i] = 'x';
	buf[--i] = '0';
	xpt_strbuf__addn(sb, buf + i, sizeof(buf) - i);
}

static bool add_ioctl(struct xpt_strbuf *sb, unsigned kind, uint64_t v)
{
	char text[40];

	if (kind == XPT_SIG_DEVICE)
		xpt_strbuf__addf(sb, "%u:%u", (unsigned)(v >> 20 & 0xfff), (unsigned)(v & 0xfffff));
	else if (kind == XPT_SIG_IOCTL && xpt_ioctl__code_text(v, text, sizeof(text)))
		xpt_strbuf__add(sb, text);
	else
		return false;
	return true;
}

/* A name for the value; false, and nothing appended: it has none. */
static bool add_name(struct xpt_strbuf *sb, const struct xpt_fn *fn, unsigned i, uint64_t v)
{
	if (fn->cap[i].role == XPT_ROLE_DIR && v < XPT_DIR__MAX)
		xpt_strbuf__add(sb, xpt_dir_name((unsigned)v));
	else
		return add_ioctl(sb, fn->cap_type[i].kind, v) ||
		       (fn->cap_type[i].constants &&
			xpt_enum__add(sb, fn->cap_type[i].constants, v));
	return true;
}

static bool is_hex(const struct xpt_fn *fn, unsigned i)
{
	switch (fn->cap_type[i].kind) {
	case XPT_SIG_HANDLE:
	case XPT_SIG_POINTER:
	case XPT_SIG_STRING:
	case XPT_SIG_FUNCTION:
		return true;
	default:
		return xpt_role_is_hex(fn->cap[i].role);
	}
}

static double as_float(const struct xpt_wire_cap *cap, uint64_t v)
{
	float f;
	double d;

	memcpy(&f, &v, sizeof(f));	/* the low bytes, as on every machine we run on */
	memcpy(&d, &v, sizeof(d));
	return cap->width == sizeof(f) ? (double)f : d;
}

static void add_number(struct xpt_strbuf *sb, const struct xpt_fn *fn, unsigned i, uint64_t v)
{
	if (fn->cap_type[i].kind == XPT_SIG_FLOAT) {
		xpt_strbuf__addf(sb, "%.9g", as_float(&fn->cap[i], v));
	} else if ((fn->cap[i].width & 0x80) && (int64_t)v < 0) {
		xpt_strbuf__addc(sb, '-');
		xpt_strbuf__addu64(sb, 0 - v);
	} else {
		xpt_strbuf__addu64(sb, v);
	}
}

void xpt_value__add_text(struct xpt_strbuf *sb, const struct xpt_fn *fn, unsigned i, uint64_t v)
{
	if (add_name(sb, fn, i, v))
		return;
	if (is_hex(fn, i))
		xpt_value__add_hex(sb, v);
	else
		add_number(sb, fn, i, v);
}

void xpt_value__add_json(struct xpt_strbuf *sb, const struct xpt_fn *fn, unsigned i, uint64_t v)
{
	size_t start = sb->len;

	xpt_strbuf__addc(sb, '"');
	if (!xpt_role_is_state(fn->cap[i].role) && add_name(sb, fn, i, v)) {
		xpt_strbuf__addc(sb, '"');
	} else if (is_hex(fn, i)) {
		xpt_value__add_hex(sb, v);
		xpt_strbuf__addc(sb, '"');
	} else {
		if (!xpt_strbuf__err(sb))
			sb->len = start;
		if (fn->cap_type[i].kind == XPT_SIG_FLOAT && !isfinite(as_float(&fn->cap[i], v)))
			xpt_strbuf__add(sb, "null");
		else
			add_number(sb, fn, i, v);
	}
}

bool xpt_call__shows_arg(const struct xpt_call *c, unsigned i)
{
	return !xpt_cap_is_out(&c->fn->cap[i]) || !(c->flags & XPT_CALL_FAILED);
}

bool xpt_call__kernel_known(const struct xpt_call *c)
{
	return c->kernel && strncmp(c->kernel, "unknown(", 8) != 0 && strcmp(c->kernel, "unknown") != 0;
}

void xpt_call__args_text(const struct xpt_call *c, struct xpt_strbuf *sb)
{
	unsigned n = c->nr_vals < c->fn->nr_caps ? c->nr_vals : c->fn->nr_caps;
	bool first = true;

	for (unsigned i = 0; i < n && i < XPT_MAX_VALS; i++) {
		const struct xpt_wire_cap *cap = &c->fn->cap[i];

		if (!xpt_cap_is_arg(cap) || cap->role == XPT_ROLE_TICKS ||
		    cap->role == XPT_ROLE_ADVICE || !xpt_call__shows_arg(c, i))
			continue;
		if (!first)
			xpt_strbuf__addc(sb, ' ');
		first = false;
		xpt_strbuf__add(sb, c->fn->cap_name[i]);
		xpt_strbuf__addc(sb, '=');
		if (cap->role == XPT_ROLE_FUNC && xpt_call__kernel_known(c))
			xpt_strbuf__add(sb, c->kernel_short);
		else if (xpt_call__string(c, i))
			xpt_strbuf__addf(sb, "\"%s\"", xpt_call__string(c, i));
		else if (c->valid >> i & 1)
			xpt_value__add_text(sb, c->fn, i, c->val[i]);
		else
			xpt_strbuf__addc(sb, '?');
	}
}

bool xpt_value__failure(const struct xpt_call *c, char *buf, size_t n)
{
	char number[32];
	struct xpt_strbuf sb;
	uint64_t status;

	if (c->failed) {
		snprintf(buf, n, "%s", xpt_call__result_name(c, number, sizeof(number)));
		return true;
	}
	if (c->flags & XPT_CALL_FAILED || !xpt_call__role(c, XPT_ROLE_RESULT, &status) || !status)
		return false;
	xpt_strbuf__init(&sb, n);
	xpt_value__add_text(&sb, c->fn, (unsigned)c->fn->role_idx[XPT_ROLE_RESULT], status);
	snprintf(buf, n, "%s", xpt_strbuf__err(&sb) ? "?" : xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
	return true;
}

void xpt_call__copy_args(const struct xpt_call *c, char *buf, size_t n)
{
	struct xpt_strbuf sb;

	xpt_strbuf__init(&sb, n - 1);
	xpt_call__args_text(c, &sb);
	snprintf(buf, n, "%s", xpt_strbuf__str(&sb));
	xpt_strbuf__free(&sb);
}
