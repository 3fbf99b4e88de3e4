/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of lives.h share: lives.c has pointers and windows, owners.c
 * the descriptions of owners.
 */
#ifndef XPT_SPDK_LIVES_PRIV_H
#define XPT_SPDK_LIVES_PRIV_H

#include "base/strbuf.h"
#include "spdk/lives.h"

struct point {
	struct xpt_spdk_point p;
	size_t nr;		/* order of arrival, for equal times */
};

struct range {			/* lives of one pointer */
	uint32_t first, nr;
};

struct now {			/* of one pointer, while lives are made */
	uint32_t life;		/* index + 1 */
	const struct point *remove, *connect;	/* as upstream: behind here */
};

struct xpt_spdk_lives {
	bool as_upstream;
	struct point *point;
	size_t nr_points, cap_points;
	struct xpt_hashmap *names;	/* hash -> char * */
	size_t names_len, nr_cut;
	struct xpt_spdk_life *life;	/* by pointer, then begin */
	size_t nr;
	uint64_t first, last;		/* ticks, of points; last: of the recording where it says so */
	uint64_t span_first;		/* ticks, of the recording */
	bool has_span;			/* it says */
	uint64_t trace_begin;		/* ticks; UINT64_MAX: no entry yet */
	bool traced[XPT_SPDK_TRANSPORTS];	/* the trace tells the ends of queue pairs */
	struct xpt_hashmap *by_ptr;	/* -> struct range */
	struct xpt_hashmap *owners;	/* hash of the description -> struct owner * */
	struct xpt_hashmap *by_name;	/* struct name_key -> struct name_list * */
};

int xpt_spdk_owners__new(struct xpt_spdk_lives *l);
void xpt_spdk_owners__free(struct xpt_spdk_lives *l);
/* Text for people: what would move a cursor is replaced. */
void xpt_spdk_add_clean(struct xpt_strbuf *sb, const char *s);

#endif
