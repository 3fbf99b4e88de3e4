// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See log_time.h. Zones differ from UTC by multiples of 15 minutes, so a time without one is still
 * exact within these.
 */
#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "rdma/trace/job_log/log_time.h"

#define SECOND 1000000000ll
#define QUARTER (900 * SECOND)
#define FARTHEST_ZONE (15 * 3600 * SECOND)
#define DIGITS "0123456789"

/* Reads a number of exactly n digits at *s, up to max, and moves on. */
static bool take_digits(const char **s, unsigned n, unsigned max, unsigned *ret_v)
{
	unsigned v = 0;

	for (; n; n--, (*s)++) {
		if (!isdigit((unsigned char)**s))
			return false;
		v = v * 10 + (unsigned)(**s - '0');
	}
	*ret_v = v;
	return v <= max;
}

static bool take_char(const char **s, const char *one_of)
{
	if (!**s || !strchr(one_of, **s))
		return false;
	(*s)++;
	return true;
}

/* Reads ".396315" or ",123"; without it 0. */
static uint64_t take_fraction(const char **s)
{
	uint64_t unit = SECOND / 10, ns = 0;

	if (!take_char(s, ".,"))
		return 0;
	for (; isdigit((unsigned char)**s); (*s)++, unit /= 10)
		ns += (uint64_t)(**s - '0') * unit;
	return ns;
}

/* "12:11:38.5" */
static bool take_clock(const char **s, uint64_t *ret_ns)
{
	unsigned h, m, sec;

	if (!take_digits(s, 2, 23, &h) || !take_char(s, ":") || !take_digits(s, 2, 59, &m) || !take_char(s, ":") ||
	    !take_digits(s, 2, 60, &sec))
		return false;
	*ret_ns = (h * 3600ull + m * 60 + sec) * SECOND + take_fraction(s);
	return true;
}

/* "Z", "+02:00", "-0700"; no zone leaves the time local. */
static void take_zone(const char **s, struct xpt_rdma_log_time *t)
{
	const char *at = *s;
	bool is_west = *at == '-';
	unsigned h, m;
	int64_t ns;

	if (take_char(&at, "Z")) {
		t->clock = XPT_RDMA_TIME_UTC;
		*s = at;
		return;
	}
	if (!take_char(&at, "+-") || !take_digits(&at, 2, 14, &h))
		return;
	take_char(&at, ":");
	if (!take_digits(&at, 2, 59, &m))
		return;
	ns = (h * 3600ll + m * 60) * SECOND;
	t->ns += (uint64_t)(is_west ? ns : -ns);
	t->clock = XPT_RDMA_TIME_UTC;
	*s = at;
}

/* "2026-03-03" */
static bool take_date(const char **s, uint64_t *ret_ns)
{
	struct tm tm = { 0 };
	unsigned y, m, d;
	time_t t;

	if (!take_digits(s, 4, 2999, &y) || y < 1971 || !take_char(s, "-/") || !take_digits(s, 2, 12, &m) || !m ||
	    !take_char(s, "-/") || !take_digits(s, 2, 31, &d) || !d)
		return false;
	tm.tm_year = (int)y - 1900;
	tm.tm_mon = (int)m - 1;
	tm.tm_mday = (int)d;
	t = timegm(&tm);
	*ret_ns = (uint64_t)t * SECOND;
	return y < 2500;	/* nanoseconds have room */
}

/* "1647516906.396315" */
static const char *parse_seconds(const char *s, struct xpt_rdma_log_time *ret_t)
{
	const char *at = s;
	unsigned high, low;

	if (!take_digits(&at, 5, 99999, &high) || !take_digits(&at, 5, 99999, &low) || *at != '.')
		return NULL;
	*ret_t = (struct xpt_rdma_log_time){ .ns = (high * 100000ull + low) * (uint64_t)SECOND, .clock = XPT_RDMA_TIME_UTC };
	ret_t->ns += take_fraction(&at);
	return at;
}

const char *xpt_rdma_log_time__parse(const char *s, struct xpt_rdma_log_time *ret_t)
{
	size_t n = strspn(s, DIGITS);
	uint64_t date = 0, ns;

	*ret_t = (struct xpt_rdma_log_time){ 0 };
	if (n == 10)
		return parse_seconds(s, ret_t);
	if (n == 4 && (!take_date(&s, &date) || !take_char(&s, "T ")))
		return NULL;
	if (!take_clock(&s, &ns))
		return NULL;
	ret_t->ns = date + ns;
	ret_t->clock = n == 4 ? XPT_RDMA_TIME_LOCAL : XPT_RDMA_TIME_OF_DAY;
	if (n == 4)
		take_zone(&s, ret_t);
	return s;
}

bool xpt_rdma_log_time__delay(const struct xpt_rdma_log_time *t, uint64_t end_ns, int64_t *ret_ns)
{
	int64_t delay = (int64_t)(t->ns - end_ns);

	if (t->clock == XPT_RDMA_NO_TIME || (t->clock != XPT_RDMA_TIME_UTC && t->is_outer))
		return false;
	if (t->clock == XPT_RDMA_TIME_LOCAL && (delay > FARTHEST_ZONE || delay < -FARTHEST_ZONE))
		return false;
	if (t->clock != XPT_RDMA_TIME_UTC) {
		delay %= QUARTER;
		if (delay >= QUARTER / 2)
			delay -= QUARTER;
		else if (delay < -QUARTER / 2)
			delay += QUARTER;
	}
	*ret_ns = delay;
	return true;
}
