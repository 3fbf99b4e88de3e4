/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests and their states. An entry that makes a new object begins a request; each entry of that object ends a
 * state and begins the next; an entry with a name in _COMPLETED, _COMPLETE or _DONE ends the request. Objects are
 * identified by kind and address; an object's number changes when its address is reused.
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

/* Parses the id of an object. Returns false if the text is none. */
bool xpt_spdk_object__parse(const struct xpt_spdk_text *id, struct xpt_spdk_object *ret_object);

struct xpt_spdk_io {		/* a request underway */
	const struct xpt_spdk_tpoint *first, *state;	/* the point that began it; the point of its present state */
	uint64_t start, since;	/* ticks */
	uint64_t nr;		/* of the object */
	uint32_t user;		/* for the caller's use, 0 at the beginning */
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

/* The statistics of a kind of request, such as "RDMA_REQ", which is known by the point that begins it. */
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

/* Return the kind or state by the id of its point; NULL if there is none. */
const struct xpt_spdk_kind *xpt_spdk_states__kind(const struct xpt_spdk_states *s, unsigned id);
const struct xpt_spdk_state *xpt_spdk_states__state(const struct xpt_spdk_states *s, unsigned id);
uint64_t xpt_spdk_states__unknown(const struct xpt_spdk_states *s);	/* entries: began before the trace */
uint64_t xpt_spdk_states__left_out(const struct xpt_spdk_states *s);	/* requests without room */

/* "RDMA_REQ" for RDMA_REQ_NEW; at most n bytes with the NUL. Returns buf. */
char *xpt_spdk_kind_name(const struct xpt_spdk_tpoint *first, char *buf, size_t n);
/* Prints the statistics as text (80 columns) or as one line of JSON, with those of latency_by.h if `by` is given. */
void xpt_spdk_states__text(const struct xpt_spdk_states *s, struct xpt_strbuf *sb);
struct xpt_spdk_latency_by;
void xpt_spdk_states__json(const struct xpt_spdk_states *s, const struct xpt_spdk_latency_by *by, struct xpt_strbuf *sb);

#endif
