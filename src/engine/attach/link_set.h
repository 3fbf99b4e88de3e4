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
	/* These stay without a link; NULL: nobody wants to know. */
	void (*on_refused)(void *ctx, uint32_t from, uint32_t n, int err);
	void *ctx;
	bool one_file;	/* all places are in one file: a set that may not open it is not halved */
	uint32_t *left;	/* requests that may be made still, then all is refused (-EDQUOT); NULL: no limit */
};

/* For what is in files of strangers: a refused request can wait for all processors. No healthy file needs so many. */
#define XPT_LINK_REQUESTS 256

/* Links n places from the given one on. How many are linked. */
uint32_t xpt_link_set__attach(const struct xpt_link_set *set, uint32_t from, uint32_t n);

#endif
