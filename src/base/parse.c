/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checked parsers for text that people type: numbers with units, shell
 * patterns, and the distance between two names for "did you mean". No locale,
 * no blanks, no rest after the number.
 */
#include "base/parse.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define FRAC_DIGITS 18	/* more digits of a fraction change nothing */

struct unit {
	const char *name;
	uint64_t factor;
};

static int digit_value(char c, unsigned base)
{
	int v = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;

	return v < (int)base ? v : -1;
}

/* Digits at *s up to the first other character; at least one. -ERANGE too large. */
static int scan_digits(const char **s, unsigned base, uint64_t *ret_v)
{
	const char *p = *s;
	bool too_large = false;
	uint64_t v = 0;
	int d;

	for (; (d = digit_value(*p, base)) >= 0; p++)
		too_large |= __builtin_mul_overflow(v, (uint64_t)base, &v) ||
			     __builtin_add_overflow(v, (uint64_t)d, &v);
	if (p == *s)
		return -EINVAL;
	*s = p;
	*ret_v = v;
	return too_large ? -ERANGE : 0;
}

/* A whole unsigned number. A form that is wrong wins over a value too large. */
static int scan_u64(const char *s, uint64_t *ret_v)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	uint64_t v = 0;
	int err;

	if (hex)
		s += 2;
	err = scan_digits(&s, hex ? 16 : 10, &v);
	if (err == -EINVAL || *s)
		return -EINVAL;
	if (!err)
		*ret_v = v;
	return err;
}

int xpt_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *ret_v)
{
	uint64_t v = 0;
	int err = scan_u64(s, &v);

	if (err)
		return err;
	if (v < min || v > max)
		return -ERANGE;
	*ret_v = v;
	return 0;
}

int xpt_parse_i64(const char *s, int64_t min, int64_t max, int64_t *ret_v)
{
	bool neg = s[0] == '-';
	uint64_t u = 0;
	int64_t v;
	int err = scan_u64(s + neg, &u);

	if (err)
		return err;
	if (u > (uint64_t)INT64_MAX + neg)
		return -ERANGE;
	v = neg ? (int64_t)(0 - u) : (int64_t)u;
	if (v < min || v > max)
		return -ERANGE;
	*ret_v = v;
	return 0;
}

/* ".25" at *s as a fraction num/den; none there: 0/1. */
static int scan_fraction(const char **s, uint64_t *ret_num, uint64_t *ret_den)
{
	uint64_t num = 0, den = 1;
	const char *p = *s;
	int n;

	if (*p == '.') {
		p++;
		for (n = 0; *p >= '0' && *p <= '9'; p++, n++) {
			if (n >= FRAC_DIGITS)
				continue;
			num = num * 10 + (uint64_t)(*p - '0');
			den *= 10;
		}
		if (!n)
			return -EINVAL;
	}
	*s = p;
	*ret_num = num;
	*ret_den = den;
	return 0;
}

/* Number, optional fraction, unit of the table (ends with a NULL name). */
static int parse_scaled(const char *s, const struct unit *units, uint64_t min, uint64_t max,
			uint64_t *ret_v)
{
	uint64_t whole = 0, num = 0, den = 1;
	unsigned __int128 v;
	int err = scan_digits(&s, 10, &whole);

	if (err == -EINVAL || scan_fraction(&s, &num, &den))
		return -EINVAL;
	while (units->name && strcasecmp(s, units->name))
		units++;
	if (!units->name || (units->factor == 1 && num))
		return -EINVAL;	/* also: half a byte */
	if (err)
		return err;
	v = (unsigned __int128)whole * units->factor +
	    (unsigned __int128)num * units->factor / den;
	if (v < min || v > max)
		return -ERANGE;
	*ret_v = (uint64_t)v;
	return 0;
}

int xpt_parse_size(const char *s, uint64_t min, uint64_t max, uint64_t *ret_bytes)
{
#define BINARY(c, shift) { c, 1ull << (shift) }, { c "B", 1ull << (shift) }, \
			 { c "iB", 1ull << (shift) }
	static const struct unit units[] = {
		{ "", 1 }, { "B", 1 },
		BINARY("K", 10), BINARY("M", 20), BINARY("G", 30),
		BINARY("T", 40), BINARY("P", 50), BINARY("E", 60),
		{ NULL, 0 },
	};
#undef BINARY

	return parse_scaled(s, units, min, max, ret_bytes);
}

int xpt_parse_duration(const char *s, uint64_t min_ns, uint64_t max_ns, uint64_t *ret_ns)
{
	static const struct unit units[] = {
		{ "", 1000000000ull }, { "s", 1000000000ull }, { "ms", 1000000 },
		{ "us", 1000 }, { "\xc2\xb5s", 1000 }, { "ns", 1 },
		{ "m", 60000000000ull }, { "min", 60000000000ull }, { "h", 3600000000000ull },
		{ NULL, 0 },
	};

	return parse_scaled(s, units, min_ns, max_ns, ret_ns);
}

int xpt_parse_rate(const char *s, uint64_t min, uint64_t max, uint64_t *ret_per_second)
{
	static const struct unit units[] = {
		{ "", 1 }, { "/s", 1 }, { "K", 1000 }, { "K/s", 1000 }, { "M", 1000000 },
		{ "M/s", 1000000 }, { NULL, 0 },
	};

	return parse_scaled(s, units, min, max, ret_per_second);
}

int xpt_parse_share(const char *s, uint64_t min, uint64_t max, uint64_t *ret_ppm)
{
	static const struct unit units[] = { { "%", 10000 }, { NULL, 0 } };

	return parse_scaled(s, units, min, max, ret_ppm);
}

/* Whether a part of a pattern, one character or (with sets) [a-z], takes c; *ret_next: after it. A
 * bracket that nothing closes is an ordinary character. */
static bool takes_char(const char *pattern, bool sets, char c, const char **ret_next)
{
	const char *end = sets && *pattern == '[' && pattern[1] ? strchr(pattern + 2, ']') : NULL;
	bool found = false;

	*ret_next = end ? end + 1 : pattern + 1;
	if (!end)
		return *pattern == '?' || *pattern == c;
	for (pattern++; pattern < end; pattern++) {
		if (pattern[1] == '-' && pattern + 2 < end) {
			found |= c >= pattern[0] && c <= pattern[2];
			pattern += 2;
		} else {
			found |= c == *pattern;
		}
	}
	return found;
}

static bool match_pattern(const char *pattern, bool sets, const char *s)
{
	const char *star = NULL, *resume = NULL, *next;

	while (*s) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = s;
		} else if (*pattern && takes_char(pattern, sets, *s, &next)) {
			pattern = next;
			s++;
		} else if (star) {	/* let the last star take one more */
			pattern = star;
			s = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool xpt_glob_match(const char *pattern, const char *s)
{
	return match_pattern(pattern, false, s);
}

bool xpt_name_match(const char *pattern, const char *s)
{
	return match_pattern(pattern, true, s);
}

unsigned xpt_edit_distance(const char *a, const char *b)
{
	enum { CAP = 64 };
	unsigned row[CAP + 1];
	size_t na = strnlen(a, CAP), nb = strnlen(b, CAP), i, j;
	unsigned diag, best;

	for (j = 0; j <= nb; j++)
		row[j] = (unsigned)j;
	for (i = 1; i <= na; i++) {
		diag = row[0];
		row[0] = (unsigned)i;
		for (j = 1; j <= nb; j++) {
			best = diag + (a[i - 1] != b[j - 1]);
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diag = row[j];
			row[j] = best;
		}
	}
	return row[nb];
}
