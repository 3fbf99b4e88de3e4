/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files of lives.h: lives.c has pointers and windows, spdk_owners.c the descriptions of owners. */
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
	const struct point *remove, *connect;	/* as upstream: after here */
};

struct name_list {		/* lives with one NQN and queue id */
	uint32_t nr, cap;
	bool full;			/* there are more */
	uint64_t nr_bound;		/* of its lives: owners that were found */
	struct xpt_spdk_life **life;
};

/* An owner in the trace: of one queue pair, from one creation to the next. Times are ticks, 0: not seen. */
struct owner {
	struct xpt_spdk_owner o;	/* first */
	struct xpt_spdk_lives *lives;
	char *description;
	size_t len;
	struct name_list *list;
	bool has_port;			/* the client's, so no other queue pair has this name at that time */
	bool named_twice;		/* first pass: several queue pairs had this name */
	uint64_t born, first, last, gone;	/* first, last: begins of requests */
	struct xpt_spdk_life *bound;
	bool proven;			/* bound: the trace shows it */
	uint64_t from, to;		/* the answer below holds there; to 0: none yet */
	struct xpt_spdk_life *answer;
	enum xpt_spdk_doubt doubt;
	uint64_t nr_bound;		/* of the list, when it was found */
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
	uint64_t slack;			/* ticks: times of probes and of the trace differ by less */
	bool tells_births, scanned;	/* of owners; there was a first pass over the trace */
	uint64_t nr_bound;		/* owners whose life was found, so far */
	uint64_t nr_compared;		/* owners with lives, so far */
	bool traced[XPT_SPDK_TRANSPORTS];	/* the trace has the ends of queue pairs */
	struct xpt_hashmap *by_ptr;	/* -> struct range */
	struct xpt_hashmap *owners;	/* hash of the description -> struct owner * */
	struct xpt_hashmap *by_name;	/* struct name_key -> struct name_list * */
};

int xpt_spdk_owners__new(struct xpt_spdk_lives *l);
void xpt_spdk_owners__free(struct xpt_spdk_lives *l);
/* Is it the owner's NQN and queue? */
bool xpt_spdk_owner__is_named(const struct owner *o, const struct xpt_spdk_life *life);
/* Takes a look at all lives of the owner's name from the budget; false: it is used up. */
bool xpt_spdk_owner__may_compare(struct owner *o);
/* owner_bind.c: can the owner be that life, by all that was noted of it, at whatever time? */
bool xpt_spdk_owner__fits(const struct owner *o, const struct xpt_spdk_life *life);
/* Does its first request show that it is that life? */
bool xpt_spdk_owner__connects_in(const struct owner *o, const struct xpt_spdk_life *life);
void xpt_spdk_owner__bind(struct owner *o, struct xpt_spdk_life *life);
/* Adds text for people: characters that would move a cursor are replaced. */
void xpt_spdk_add_clean(struct xpt_strbuf *sb, const char *s);

#endif
