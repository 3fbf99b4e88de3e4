/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Links one BPF program to many places with as few requests as the kernel takes: a set that
 * it refuses is halved until the places that it refuses are alone.
 */
#ifndef XPT_ENGINE_ATTACH_LINK_SET_H
#define XPT_ENGINE_ATTACH_LINK_SET_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_link_set {
	/* Links places from to from + n - 1 with one request and keeps the link. 0 or -errno. */
	int (*link)(void *ctx, uint32_t from, uint32_t n);
	/* Called with the places that stay without a link; may be NULL. */
	void (*on_refused)(void *ctx, uint32_t from, uint32_t n, int err);
	void *ctx;
	bool one_file;	/* all places are in one file: a set that may not open it is not halved */
	/* Time that is left. Once it is used up, all remaining places are refused (-EDQUOT). NULL: no limit. */
	struct xpt_link_allowance *left;
};

/*
 * A limit for probes in untrusted files. The number of requests is limited, because a refused request can wait for
 * all processors. Their size is limited, because a request takes a microsecond for each place and mapping of the file
 * (measured: 400 places in 60,000 mappings took 25 s): the first request is for few places, later ones for more as
 * long as requests are quick.
 */
struct xpt_link_allowance {
	uint32_t requests;
	uint64_t ns;		/* UINT64_MAX: no limit, and one request is tried for all places first */
	const uint64_t *clock_ns;	/* rises by the time that requests take; NULL: where there is no limit */
};

#define XPT_LINK_REQUESTS 256
#define XPT_LINK_NS 2000000000ull

/* Links n places from the given one on. Returns how many are linked. */
uint32_t xpt_link_set__attach(const struct xpt_link_set *set, uint32_t from, uint32_t n);

#endif
