/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers for people. Each writes at most n bytes with the NUL and returns
 * buf, so it can stand inside a printf call. Widths: at most 9 characters.
 */
#ifndef XPT_BASE_FMT_H
#define XPT_BASE_FMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

char *xpt_fmt_bytes(uint64_t bytes, char *buf, size_t n);	/* 512 B, 1.0 KiB, 1.5 GiB */
/* Whether the middle half of measured values differs so much that one figure says too little. */
bool xpt_fmt_is_wide(uint64_t low, uint64_t high);
/* 15:04:05.678901 of the local day at that nanosecond of the UNIX epoch. */
char *xpt_fmt_wall(uint64_t unix_ns, char *buf, size_t n);
/* 2026-11-23 15:04:05, local. */
char *xpt_fmt_date(uint64_t unix_ns, char *buf, size_t n);
char *xpt_fmt_ns(uint64_t ns, char *buf, size_t n);	/* 480 ns, 12.3 us, 4.56 ms, 1.23 s, 2m05s */
char *xpt_fmt_count(uint64_t v, char *buf, size_t n);	/* 1,234,567; from 10^7: 12.3 M, 1.23 G */

/* Columns that the UTF-8 string s takes on a terminal (wcwidth); bad bytes count 1. */
size_t xpt_fmt_columns(const char *s);

/* v as a whole number: a value below 0 or no number is 0, one too large is UINT64_MAX. */
static inline uint64_t xpt_u64_of(double v)
{
	return !(v > 0) ? 0 : v < 0x1p64 ? (uint64_t)v : UINT64_MAX;
}

#endif
