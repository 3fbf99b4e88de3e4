/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checked parsers for text that people type. All return 0, -EINVAL (not of this
 * form) or -ERANGE (outside min..max), and write the result on success only.
 */
#ifndef XPT_BASE_PARSE_H
#define XPT_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

int xpt_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *ret_v);	/* 12, 0x1f */
int xpt_parse_i64(const char *s, int64_t min, int64_t max, int64_t *ret_v);
/* Bytes: 4096, 64K, 1.5M, 2GiB, 1g (powers of 1024). */
int xpt_parse_size(const char *s, uint64_t min, uint64_t max, uint64_t *ret_bytes);
/* Nanoseconds: 5s, 100ms, 20us, 7ns, 2m, 1h; a bare number is seconds. */
int xpt_parse_duration(const char *s, uint64_t min_ns, uint64_t max_ns, uint64_t *ret_ns);
/* Events per second: 100, 100/s, 5K/s, 1.5M (powers of 1000). */
int xpt_parse_rate(const char *s, uint64_t min, uint64_t max, uint64_t *ret_per_second);
/* Parts per million: 1%, 0.5%; the sign is needed. */
int xpt_parse_share(const char *s, uint64_t min, uint64_t max, uint64_t *ret_ppm);
/* Shell pattern with * and ?. No recursion; at most length times length steps. */
bool xpt_glob_match(const char *pattern, const char *s);
/* The same for names of code, in which no bracket occurs: also with [a-z]. */
bool xpt_name_match(const char *pattern, const char *s);
/* Edit distance (insert, delete, replace), capped at 64 characters a side. */
unsigned xpt_edit_distance(const char *a, const char *b);

#endif
