// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers of at most five characters, for narrow columns. See draw.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/fmt.h"
#include "top/draw.h"

/*
 * Divides v by step until it has at most three digits before the unit; without a unit it may be almost step, which
 * has four digits if that is 1024. units: a character for each division, the first one for none.
 */
static void print_scaled(double v, double step, const char *units, char *buf, size_t n)
{
	unsigned unit = 0;

	while (v >= (unit ? 999.5 : step - 0.5) && units[unit + 1]) {
		v /= step;
		unit++;
	}
	if (!unit)
		snprintf(buf, n, v < 9.95 && v > (double)(unsigned)v ? "%.1f" : "%.0f", v);
	else
		snprintf(buf, n, v < 99.95 ? "%.1f%c" : "%.0f%c", v, units[unit]);
}

void xpt_top_fmt_rate(double by_second, char *buf, size_t n)
{
	print_scaled(by_second, 1000, " kMGTPE", buf, n);
}

void xpt_top_fmt_bytes(double bytes, char *buf, size_t n)
{
	print_scaled(bytes, 1024, " KMGTPE", buf, n);
}

void xpt_top_fmt_share(double share, char *buf, size_t n)
{
	snprintf(buf, n, share < 9.995 ? "%.0f%%" : "999+%%", share * 100);
}

void xpt_top_fmt_age(uint64_t ns, char *buf, size_t n)
{
	uint64_t s = ns / 1000000000;

	if (s < 60)
		snprintf(buf, n, "%" PRIu64 "s", s);
	else if (s < 3600)
		snprintf(buf, n, "%" PRIu64 "m%02" PRIu64, s / 60, s % 60);
	else if (s < 100 * 3600)
		snprintf(buf, n, "%" PRIu64 "h%02" PRIu64, s / 3600, s / 60 % 60);
	else
		snprintf(buf, n, "%" PRIu64 "d", s / 86400);
}
