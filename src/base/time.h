/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clocks in nanoseconds. BPF's bpf_ktime_get_ns() is CLOCK_MONOTONIC. */
#ifndef XPT_BASE_TIME_H
#define XPT_BASE_TIME_H

#include <stdint.h>
#include <time.h>

static inline uint64_t xpt_clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static inline uint64_t xpt_now_ns(void)
{
	return xpt_clock_ns(CLOCK_MONOTONIC);
}

#endif
