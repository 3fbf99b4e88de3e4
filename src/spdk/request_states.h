/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests and the states they go through: an entry that makes a new object begins
 * one, each entry of that object ends a state and begins the next, and one whose
 * name says so (_COMPLETED, _COMPLETE, _DONE) ends it. Objects are distinguished by
 * kind and address; their number says whether it is still the same one.
 */
#ifndef XPT_SPDK_REQUEST_STATES_H
#define XPT_SPDK_REQUEST_STATES_H

#include "base/numbers/dist.h"
#include "base/strbuf.h"
#include "spdk/join.h"
#include "spdk/spdk_trace.h"

#define XPT_SPDK_MAX_UNDERWAY 65536	/* requests at a time */

struct xpt_spdk_object {	/* "r12": zeroed before it is filled, for it is a key */
	uint64_t nr, prefix;	/* the letter */
};

/* False: the text is no object's id. */
bool xpt_spdk_object__parse(const struct xpt_spdk_text *id, struct xpt_spdk_object *ret_object);

struct xpt_spdk_io {		/* a request underway */
	const struct xpt_spdk_tpoint *first, *state;	/* that began it; that it is in */
	uint64_t start, since;	/* ticks */
	uint64_t nr;		/* of the object */
	uint32_t user;		/* the caller's, 0 at the beginning */
};

enum xpt_spdk_step {
	XPT_SPDK_NONE,		/* no entry of a request, or of one that is not known */
	XPT_SPDK_BEGIN,		/* io is new */
	XPT_SPDK_STATE,		/* io went from the state before to e->tp */
	XPT_SPDK_END,		/* io is over; e->tp was its end; io lives until the next call */
};

struct xpt_spdk_states;

int xpt_spdk_states__new(uint64_t rate, struct xpt_spdk_states **ret_s);	/* 0, -ENOMEM */
void xpt_spdk_states__free(struct xpt_spdk_states *s);	/* NULL is fine */
/*
 * Takes one entry. *ret_cut: a request of that address never ended before this one
 * began, else NULL; both live until the next call.
 */
enum xpt_spdk_step xpt_spdk_states__entry(struct xpt_spdk_states *s, const struct xpt_spdk_entry *e,
					  struct xpt_spdk_io **ret_io, struct xpt_spdk_io **ret_cut);

/* Returns the time from the request's begin until tsc in ns. */
uint64_t xpt_spdk_states__age(const struct xpt_spdk_states *s, const struct xpt_spdk_io *io, uint64_t tsc);

/* One kind of request: "RDMA_REQ", by the point that begins it. */
struct xpt_spdk_kind {
	const struct xpt_spdk_tpoint *first;
	struct xpt_dist whole;		/* ns, those that ended */
	uint64_t begun, cut;		/* cut: never ended before their memory was used again */
};
struct xpt_spdk_state {
	const struct xpt_spdk_tpoint *tp;
	struct xpt_spdk_kind *kind;
	struct xpt_dist ns;		/* from its entry to the next one of that request */
};

/* Kinds and states by id of their points; NULL: none of that id. */
const struct xpt_spdk_kind *xpt_spdk_states__kind(const struct xpt_spdk_states *s, unsigned id);
const struct xpt_spdk_state *xpt_spdk_states__state(const struct xpt_spdk_states *s, unsigned id);
uint64_t xpt_spdk_states__unknown(const struct xpt_spdk_states *s);	/* entries: began before the trace */
uint64_t xpt_spdk_states__left_out(const struct xpt_spdk_states *s);	/* requests without room */

/* "RDMA_REQ" for RDMA_REQ_NEW; at most n bytes with the NUL. Returns buf. */
char *xpt_spdk_kind_name(const struct xpt_spdk_tpoint *first, char *buf, size_t n);
/* All of it as text for people (80 columns), or as one line of JSON, with latency_by.h's where by is given. */
void xpt_spdk_states__text(const struct xpt_spdk_states *s, struct xpt_strbuf *sb);
struct xpt_spdk_latency_by;
void xpt_spdk_states__json(const struct xpt_spdk_states *s, const struct xpt_spdk_latency_by *by, struct xpt_strbuf *sb);

#endif
