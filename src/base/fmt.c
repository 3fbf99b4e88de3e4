/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers for people, in integer arithmetic: a value that rounds up to the
 * next unit is shown in that unit (1.00 ms, never 1000 us), and no result is
 * wider than 9 characters.
 */
#include "base/fmt.h"
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#include "base/utf8.h"

typedef unsigned __int128 u128;

/* v / unit, rounded, in units of 1/den. */
static uint64_t scale_to(uint64_t v, uint64_t unit, unsigned den)
{
	return (uint64_t)(((u128)v * den + unit / 2) / unit);
}

char *xpt_fmt_bytes(uint64_t bytes, char *buf, size_t n)
{
	static const char units[] = "KMGTPE";
	uint64_t unit = 1024, tenths;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(buf, n, "%u B", (unsigned)bytes);
		return buf;
	}
	while (units[i + 1] && scale_to(bytes, unit, 1) >= 1024) {
		unit <<= 10;
		i++;
	}
	tenths = scale_to(bytes, unit, 10);
	if (tenths < 10000)
		snprintf(buf, n, "%u.%u %ciB", (unsigned)(tenths / 10), (unsigned)(tenths % 10),
			 units[i]);
	else
		snprintf(buf, n, "%u %ciB", (unsigned)scale_to(bytes, unit, 1), units[i]);
	return buf;
}

/* Three digits: 1.23, 12.3, 123. The caller's unit makes v less than 999.5. */
static void three_digits(uint64_t v, uint64_t unit, const char *name, char *buf, size_t n)
{
	uint64_t x = scale_to(v, unit, 100);

	if (x < 1000) {
		snprintf(buf, n, "%u.%02u %s", (unsigned)(x / 100), (unsigned)(x % 100), name);
		return;
	}
	x = scale_to(v, unit, 10);
	if (x < 1000)
		snprintf(buf, n, "%u.%u %s", (unsigned)(x / 10), (unsigned)(x % 10), name);
	else
		snprintf(buf, n, "%u %s", (unsigned)scale_to(v, unit, 1), name);
}

char *xpt_fmt_ns(uint64_t ns, char *buf, size_t n)
{
	uint64_t s = scale_to(ns, 1000000000, 1), m = scale_to(ns, 60000000000ull, 1), h = m / 60;

	if (ns < 1000)
		snprintf(buf, n, "%u ns", (unsigned)ns);
	else if (scale_to(ns, 1000, 1) < 1000)
		three_digits(ns, 1000, "us", buf, n);
	else if (scale_to(ns, 1000000, 1) < 1000)
		three_digits(ns, 1000000, "ms", buf, n);
	else if (scale_to(ns, 1000000000, 10) < 600)
		three_digits(ns, 1000000000, "s", buf, n);
	else if (s < 3600)
		snprintf(buf, n, "%um%02us", (unsigned)(s / 60), (unsigned)(s % 60));
	else if (h < 100)
		snprintf(buf, n, "%uh%02um", (unsigned)h, (unsigned)(m % 60));
	else if (h < 24000)
		snprintf(buf, n, "%ud%02uh", (unsigned)(h / 24), (unsigned)(h % 24));
	else
		snprintf(buf, n, "%ud", (unsigned)(h / 24));
	return buf;
}

char *xpt_fmt_wall(uint64_t unix_ns, char *buf, size_t n)
{
	time_t s = (time_t)(unix_ns / 1000000000);
	struct tm tm = { 0 };

	localtime_r(&s, &tm);
	snprintf(buf, n, "%02d:%02d:%02d.%06u", tm.tm_hour, tm.tm_min, tm.tm_sec,
		 (unsigned)(unix_ns / 1000 % 1000000));
	return buf;
}

char *xpt_fmt_date(uint64_t unix_ns, char *buf, size_t n)
{
	time_t s = (time_t)(unix_ns / 1000000000);
	struct tm tm = { 0 };

	localtime_r(&s, &tm);
	if (!strftime(buf, n, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(buf, n, "?");
	return buf;
}

char *xpt_fmt_count(uint64_t v, char *buf, size_t n)
{
	static const char units[] = "MGTPE";
	uint64_t unit = 1000000;
	char name[2] = "M";
	size_t i = 0;

	if (v < 1000)
		snprintf(buf, n, "%u", (unsigned)v);
	else if (v < 1000000)
		snprintf(buf, n, "%u,%03u", (unsigned)(v / 1000), (unsigned)(v % 1000));
	else if (v < 10000000)
		snprintf(buf, n, "%u,%03u,%03u", (unsigned)(v / 1000000),
			 (unsigned)(v / 1000 % 1000), (unsigned)(v % 1000));
	if (v < 10000000)
		return buf;
	while (units[i + 1] && scale_to(v, unit, 1) >= 1000) {
		unit *= 1000;
		i++;
	}
	name[0] = units[i];
	three_digits(v, unit, name, buf, n);
	return buf;
}

/* wcwidth() answers by locale; the question here is always about UTF-8. */
static size_t width_of(uint32_t cp)
{
	static locale_t utf8;
	locale_t before;
	int width;

	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (!utf8)
		return 1;
	before = uselocale(utf8);
	width = wcwidth((wchar_t)cp);
	uselocale(before);
	return width < 0 ? 1 : (size_t)width;
}

size_t xpt_fmt_columns(const char *s)
{
	size_t left = strlen(s), columns = 0, len;
	uint32_t cp;

	while (left) {
		len = xpt_utf8__decode(s, left, &cp);
		columns += len && cp >= 0x80 ? width_of(cp) : 1;
		len = len ? len : 1;
		s += len;
		left -= len;
	}
	return columns;
}

bool xpt_fmt_is_wide(uint64_t low, uint64_t high)
{
	return low && high / 3 * 2 > low;
}
