// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Formats a driver's report from its format and arguments, outside of the
 * kernel. Both are read from the memory of NVIDIA's kernel module and are not trusted: every length is bounded, and a
 * conversion that is not understood ends the text.
 */
#include <stdio.h>
#include <string.h>
#include "model/kernel/xid_table.h"

struct out {
	char *to;
	size_t n, at;
};

struct spec {
	bool zero, left, alt;
	unsigned width, precision;	/* NO_PRECISION: none is given */
	unsigned bytes;		/* of the argument */
	char conversion;
};

#define NO_PRECISION 0xffffu
#define WIDTH_MAX 64u

static void put_char(struct out *o, char c)
{
	if (o->at + 1 < o->n)
		o->to[o->at++] = c;
}

static void put_padded(struct out *o, const struct spec *s, const char *text, size_t len)
{
	size_t pad = s->width > len ? s->width - len : 0, i;

	for (i = 0; !s->left && i < pad; i++)
		put_char(o, s->zero ? '0' : ' ');
	for (i = 0; i < len; i++)
		put_char(o, text[i]);
	for (i = 0; s->left && i < pad; i++)
		put_char(o, ' ');
}

static uint64_t narrow_value(uint64_t v, const struct spec *s)
{
	bool is_signed = s->conversion == 'd' || s->conversion == 'i';

	switch (s->bytes) {
	case 1: return is_signed ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
	case 2: return is_signed ? (uint64_t)(int64_t)(int16_t)v : (uint16_t)v;
	case 4: return is_signed ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
	default: return v;
	}
}

static void put_number(struct out *o, const struct spec *s, uint64_t v)
{
	char digits[32];
	int n;

	v = narrow_value(v, s);
	switch (s->conversion) {
	case 'd':
	case 'i': n = snprintf(digits, sizeof(digits), "%lld", (long long)v); break;
	case 'u': n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v); break;
	case 'X': n = snprintf(digits, sizeof(digits), "%s%llX", s->alt ? "0X" : "", (unsigned long long)v); break;
	case 'o': n = snprintf(digits, sizeof(digits), "%llo", (unsigned long long)v); break;
	case 'p': n = snprintf(digits, sizeof(digits), "%016llx", (unsigned long long)v); break;
	default: n = snprintf(digits, sizeof(digits), "%s%llx", s->alt ? "0x" : "", (unsigned long long)v); break;
	}
	put_padded(o, s, digits, (size_t)n);
}

static unsigned read_number(const char **p, unsigned max)
{
	unsigned v = 0;

	for (; **p >= '0' && **p <= '9'; (*p)++)
		v = v * 10 + (unsigned)(**p - '0') < max ? v * 10 + (unsigned)(**p - '0') : max;
	return v;
}

struct args {
	const uint64_t *word;
	unsigned nr, used;
};

/* A number, or a star: then it is an argument. */
static unsigned read_width(const char **p, unsigned max, struct args *a)
{
	int32_t v;

	if (**p != '*')
		return read_number(p, max);
	(*p)++;
	v = a->used < a->nr ? (int32_t)a->word[a->used++] : 0;
	return v < 0 ? 0 : (uint32_t)v < max ? (uint32_t)v : max;
}

/* Reads the conversion after a percent sign. */
static const char *read_spec(const char *p, struct spec *s, struct args *a)
{
	*s = (struct spec){ .bytes = 4, .precision = NO_PRECISION };
	for (; *p && strchr("-0 +#", *p); p++) {
		s->zero |= *p == '0';
		s->left |= *p == '-';
		s->alt |= *p == '#';
	}
	s->width = read_width(&p, WIDTH_MAX, a);
	if (*p == '.') {
		p++;
		s->precision = read_width(&p, NO_PRECISION - 1, a);
	}
	for (; *p && strchr("hlLqzjt", *p); p++)
		s->bytes = *p == 'h' ? s->bytes / 2 : 8;
	s->conversion = *p;
	if (*p == 'p')
		s->bytes = 8;
	return *p ? p + 1 : p;
}

void xpt_xid__format(char *to, size_t n, const char *fmt, const uint64_t *word,
		     const char (*str)[XPT_XID_STR_MAX], unsigned nr)
{
	struct out o = { to, n, 0 };
	struct args a = { word, nr, 0 };
	struct spec s;

	while (*fmt) {
		if (*fmt != '%') {
			put_char(&o, *fmt++);
			continue;
		}
		fmt = read_spec(fmt + 1, &s, &a);
		if (s.conversion == '%') {
			put_char(&o, '%');
		} else if (!s.conversion || !strchr("diuxXopcs", s.conversion)) {
			break;
		} else if (a.used >= a.nr) {
			put_char(&o, '?');
		} else if (s.conversion == 's') {
			size_t len = strnlen(str[a.used], XPT_XID_STR_MAX);

			put_padded(&o, &s, str[a.used++], len < s.precision ? len : s.precision);
		} else if (s.conversion == 'c') {
			put_padded(&o, &s, (char[]){ (char)word[a.used++] }, 1);
		} else {
			put_number(&o, &s, word[a.used++]);
		}
	}
	if (n)
		to[o.at] = '\0';
}
