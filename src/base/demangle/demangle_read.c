/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lowest part of the demangler: reads characters, makes spans of text, and has the table of operators. Errors set
 * d->bad; nothing is read beyond the end of the name.
 */
#include "base/demangle/demangle_priv.h"

#include <stdarg.h>
#include <string.h>

char xpt_dm__peek(const struct xpt_dm *d)
{
	return d->s < d->end && !d->bad ? *d->s : '\0';
}

char xpt_dm__peek2(const struct xpt_dm *d)
{
	return d->s + 1 < d->end && !d->bad ? d->s[1] : '\0';
}

bool xpt_dm__eat(struct xpt_dm *d, const char *what)
{
	size_t n = strlen(what);

	if (d->bad || (size_t)(d->end - d->s) < n || memcmp(d->s, what, n) != 0)
		return false;
	d->s += n;
	return true;
}

bool xpt_dm__number(struct xpt_dm *d, unsigned *ret_n)
{
	unsigned n = 0;
	char c = xpt_dm__peek(d);

	if (c < '0' || c > '9')
		return false;
	for (; c >= '0' && c <= '9'; c = xpt_dm__peek(d)) {
		if (n > 100000)
			d->bad = true;
		n = n * 10 + (unsigned)(c - '0');
		d->s++;
	}
	*ret_n = n;
	return !d->bad;
}

bool xpt_dm__seq(struct xpt_dm *d, unsigned *ret_n)
{
	unsigned n = 0;
	bool any = false;

	for (; !xpt_dm__eat(d, "_"); d->s++, any = true) {
		char c = xpt_dm__peek(d);

		if (c >= '0' && c <= '9')
			n = n * 36 + (unsigned)(c - '0');
		else if (c >= 'A' && c <= 'Z')
			n = n * 36 + (unsigned)(c - 'A') + 10;
		else
			return false;
		if (n > 100000)
			return false;
	}
	*ret_n = any ? n + 1 : 0;
	return true;
}

bool xpt_dm__enter(struct xpt_dm *d)
{
	if (d->depth >= XPT_DM_DEPTH || ++d->steps > XPT_DM_STEPS)
		d->bad = true;
	if (d->bad)
		return false;
	d->depth++;
	return true;
}

void xpt_dm__put(struct xpt_dm *d, const char *s, size_t n)
{
	if (n > sizeof(d->buf) - d->len)
		d->bad = true;
	if (d->bad)
		return;
	memcpy(d->buf + d->len, s, n);
	d->len += (uint32_t)n;
}

static const char *put_decimal(unsigned v, char *end)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

struct xpt_span xpt_dm__join(struct xpt_dm *d, const char *fmt, ...)
{
	struct xpt_span all = { d->len, 0 };
	const struct xpt_span *span;
	char number[12];
	const char *s;
	va_list ap;

	va_start(ap, fmt);
	for (; *fmt; fmt++) {
		if (*fmt != '%') {
			xpt_dm__put(d, fmt, 1);
		} else if (*++fmt == 's') {
			s = va_arg(ap, const char *);
			xpt_dm__put(d, s, strlen(s));
		} else if (*fmt == 'u') {
			s = put_decimal(va_arg(ap, unsigned), number + sizeof(number));
			xpt_dm__put(d, s, (size_t)(number + sizeof(number) - s));
		} else {
			span = va_arg(ap, const struct xpt_span *);
			xpt_dm__put(d, d->buf + span->off, span->len);
		}
	}
	va_end(ap);
	all.len = d->len - all.off;
	return all;
}

struct xpt_span xpt_dm__text(struct xpt_dm *d, const struct xpt_dm_type *t)
{
	return t->right.len ? xpt_dm__join(d, "%p%p", &t->left, &t->right) : t->left;
}

struct xpt_dm_type xpt_dm__plain(struct xpt_span text)
{
	return (struct xpt_dm_type){ .left = text };
}

void xpt_dm__add_sub(struct xpt_dm *d, struct xpt_dm_type t)
{
	if (d->nr_subs == XPT_DM_SUBS)
		d->bad = true;
	else
		d->sub[d->nr_subs++] = t;
}

static const struct xpt_dm_op ops[] = {
	{ "aN", 2, "&=" }, { "aS", 2, "=" }, { "aa", 2, "&&" }, { "ad", 1, "&" },
	{ "an", 2, "&" }, { "at", 1, "alignof " }, { "az", 1, "alignof " }, { "cl", 0, "()" },
	{ "cm", 2, "," }, { "co", 1, "~" }, { "dV", 2, "/=" }, { "da", 1, "delete[]" },
	{ "de", 1, "*" }, { "dl", 1, "delete" }, { "ds", 2, ".*" }, { "dv", 2, "/" },
	{ "eO", 2, "^=" }, { "eo", 2, "^" }, { "eq", 2, "==" }, { "ge", 2, ">=" },
	{ "gt", 2, ">" }, { "ix", 0, "[]" }, { "lS", 2, "<<=" }, { "le", 2, "<=" },
	{ "ls", 2, "<<" }, { "lt", 2, "<" }, { "mI", 2, "-=" }, { "mL", 2, "*=" },
	{ "mi", 2, "-" }, { "ml", 2, "*" }, { "mm", 1, "--" }, { "na", 0, "new[]" },
	{ "ne", 2, "!=" }, { "ng", 1, "-" }, { "nt", 1, "!" }, { "nw", 0, "new" },
	{ "oR", 2, "|=" }, { "oo", 2, "||" }, { "or", 2, "|" }, { "pL", 2, "+=" },
	{ "pl", 2, "+" }, { "pm", 2, "->*" }, { "pp", 1, "++" }, { "ps", 1, "+" },
	{ "pt", 0, "->" }, { "qu", 3, "?" }, { "rM", 2, "%=" }, { "rS", 2, ">>=" },
	{ "rm", 2, "%" }, { "rs", 2, ">>" }, { "ss", 2, "<=>" },
};

const struct xpt_dm_op *xpt_dm__find_op(const struct xpt_dm *d)
{
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (ops[i].code[0] == xpt_dm__peek(d) && ops[i].code[1] == xpt_dm__peek2(d))
			return &ops[i];
	return NULL;
}
