// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Words of a hook's line: names, numbers with units, strings, signs. Every word
 * is bounded; only the first error is reported.
 */
#include "hooks/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int xpt_hook_lex__wrong(struct xpt_hook_lex *l, size_t at, const char *fmt, ...)
{
	va_list ap;

	if (l->failed)
		return -EINVAL;
	l->failed = true;
	l->err->at = at;
	va_start(ap, fmt);
	vsnprintf(l->err->why, sizeof(l->err->why), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

bool xpt_hook_lex__is(const struct xpt_hook_lex *l, const char *text)
{
	return (l->kind == XPT_WORD_SIGN || l->kind == XPT_WORD_NAME) && !strcmp(l->text, text);
}

bool xpt_hook_lex__follows(const struct xpt_hook_lex *l, char c)
{
	return l->line[l->pos + strspn(l->line + l->pos, " \t")] == c;
}

int xpt_hook_lex__expect(struct xpt_hook_lex *l, const char *text, const char *why)
{
	if (!xpt_hook_lex__is(l, text))
		return xpt_hook_lex__wrong(l, l->at, "expected '%s' %s", text, why);
	return xpt_hook_lex__next(l);
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const struct {
	const char *unit;
	int64_t factor;
} units[] = {
	{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	{ "K", 1 << 10 }, { "k", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 },
};

/* Digits from *at on, in *ret_v; false: none, or too large. */
static bool read_digits(const char *s, size_t *at, int64_t *ret_v)
{
	unsigned base = s[*at] == '0' && (s[*at + 1] | 32) == 'x' ? 16 : 10;
	size_t from;
	uint64_t v = 0;

	*at += base == 16 ? 2 : 0;
	for (from = *at; base == 16 ? isxdigit((unsigned char)s[*at]) : isdigit((unsigned char)s[*at]);
	     ++*at) {
		unsigned d = isdigit((unsigned char)s[*at]) ? (unsigned)s[*at] - '0'
							    : ((unsigned)s[*at] | 32) - 'a' + 10;

		if (v > (UINT64_MAX - d) / base)
			return false;
		v = v * base + d;
	}
	*ret_v = (int64_t)v;
	return *at > from;
}

static int read_number(struct xpt_hook_lex *l)
{
	size_t at = l->at, unit, i;

	l->kind = XPT_WORD_NUMBER;
	l->negative = l->line[at] == '-';
	at += l->negative;
	if (!read_digits(l->line, &at, &l->number))
		return xpt_hook_lex__wrong(l, l->at, "a number of 64 bits is expected, in decimal or with 0x");
	for (unit = at; is_name(l->line[at]); at++)
		;
	for (i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].unit) == at - unit &&
		    !strncmp(units[i].unit, l->line + unit, at - unit))
			break;
	if (i == sizeof(units) / sizeof(*units))
		return xpt_hook_lex__wrong(l, unit, "no such unit: ns, us, ms, s; K, M, G are powers of 1024");
	/* From 2^63 on a number is an address or a mask, and has no unit. */
	if ((l->number < 0 && (l->negative || at > unit)) ||
	    __builtin_mul_overflow(l->number, units[i].factor, &l->number))
		return xpt_hook_lex__wrong(l, l->at, "too large a number");
	if (l->negative)
		l->number = -l->number;
	l->pos = at;
	return 0;
}

static int read_string(struct xpt_hook_lex *l)
{
	const char *end = strchr(l->line + l->at + 1, '"');
	size_t n;

	if (!end)
		return xpt_hook_lex__wrong(l, l->at, "the string has no end: '\"' is missing");
	n = (size_t)(end - (l->line + l->at + 1));
	if (n >= sizeof(l->text))
		return xpt_hook_lex__wrong(l, l->at, "too long a string: %zu bytes are compared at most",
					   sizeof(l->text) - 1);
	l->kind = XPT_WORD_STRING;
	memcpy(l->text, l->line + l->at + 1, n);
	l->text[n] = '\0';
	l->pos = l->at + n + 2;
	return 0;
}

static int read_name(struct xpt_hook_lex *l)
{
	size_t n = 0;

	while (is_name(l->line[l->at + n]) || (l->line[l->at + n] == '.' && is_name(l->line[l->at + n + 1])))
		n++;
	if (n >= sizeof(l->text))
		return xpt_hook_lex__wrong(l, l->at, "too long a name");
	l->kind = XPT_WORD_NAME;
	memcpy(l->text, l->line + l->at, n);
	l->text[n] = '\0';
	l->pos = l->at + n;
	if (strcmp(l->text, "__PID__"))
		return 0;
	if (!l->env->pid)
		return xpt_hook_lex__wrong(l, l->at, "__PID__ is known with -p PID only");
	l->kind = XPT_WORD_NUMBER;
	l->negative = false;
	l->number = l->env->pid;
	return 0;
}

static int read_sign(struct xpt_hook_lex *l)
{
	static const char *const two[] = { "==", "!=", "<=", ">=", "&&", "||", "->" };
	const char *s = l->line + l->at;
	size_t n = 1, i;

	for (i = 0; i < sizeof(two) / sizeof(*two); i++)
		if (!strncmp(s, two[i], 2))
			n = 2;
	if (!strchr("@[](),=<>!&|/*+-", *s))
		return xpt_hook_lex__wrong(l, l->at, "this character means nothing here");
	l->kind = XPT_WORD_SIGN;
	memcpy(l->text, s, n);
	l->text[n] = '\0';
	l->pos = l->at + n;
	return 0;
}

static int read_word(struct xpt_hook_lex *l)
{
	char c = l->line[l->at];

	if (!c) {
		l->kind = XPT_WORD_END;
		l->text[0] = '\0';
		return 0;
	}
	if (c == '"')
		return read_string(l);
	if (isdigit((unsigned char)c) || (c == '-' && isdigit((unsigned char)l->line[l->at + 1])))
		return read_number(l);
	return is_name(c) ? read_name(l) : read_sign(l);
}

int xpt_hook_lex__next(struct xpt_hook_lex *l)
{
	int err;

	if (l->failed)
		return -EINVAL;
	l->pos += strspn(l->line + l->pos, " \t");
	l->at = l->pos;
	err = read_word(l);
	l->len = l->pos - l->at;
	return err;
}
