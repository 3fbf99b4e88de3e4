/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the queue pair that an entry of a trace belongs to: by its argument `qpair`, else by its owner. Keeps count
 * of the entries without an answer.
 */
#ifndef XPT_SPDK_JOIN_H
#define XPT_SPDK_JOIN_H

#include "spdk/lives.h"
#include "spdk/spdk_trace.h"

#define XPT_SPDK_MAX_UNKNOWN 4096	/* pointers that are counted separately */

/* Why an entry is shown without host. */
enum xpt_spdk_reason {
	XPT_SPDK_KNOWN,		/* it is not, or is about no queue pair */
	XPT_SPDK_OUTSIDE,	/* it is of a time when the recording had not begun, or had ended */
	XPT_SPDK_UNKNOWN,	/* the recording does not know the queue pair */
	XPT_SPDK_NO_CONNECT,	/* the recording does not have its connect, or could not read the name */
	XPT_SPDK_MANY,		/* it fits queue pairs of several hosts */
	XPT_SPDK_NO_PROOF,	/* it may be a queue pair of the recording, or one that is older */
	XPT_SPDK_NO_QPAIR,	/* it names none */
	XPT_SPDK_REASONS,
};

struct xpt_spdk_note {
	const char *text;	/* "(ptr=0x..., qid=1, ...)" after the word qpair; NULL: nothing known */
	int arg;		/* the argument that it replaces; -1: none, it is added */
	struct xpt_spdk_life *life;	/* NULL: only the owner is known, or nothing */
	struct xpt_spdk_owner *owner;	/* NULL: not looked at, or there is none */
	enum xpt_spdk_reason reason;
	/* The life was found by name alone. A queue pair that is older than the recording may have the same name. */
	bool presumed;
};

/* Returns the reason as a word, for JSON: "outside" ...; NULL for XPT_SPDK_KNOWN. */
const char *xpt_spdk_reason__name(enum xpt_spdk_reason r);

struct xpt_spdk_join_stats {
	uint64_t entries, annotated;
	uint64_t late;		/* of those: after the removal of their queue pair */
	uint64_t by_owner;	/* of those: by the owner's description alone */
	uint64_t unknown;	/* entries with a queue pair of which nothing is known */
	uint64_t outside;	/* entries of a time of which the recording says nothing: shown without host */
	/* Entries with a host from a life that extends beyond a recording without clock lines. */
	uint64_t unsure;
	uint64_t many;		/* owners' entries that fit several queue pairs */
	uint64_t no_proof;	/* owners' entries that may be of a queue pair older than the recording */
	uint64_t presumed;	/* owners' entries whose queue pair is the only one of its name in the recording */
	/* Entries of a queue pair whose host is not known, because its connect was not recorded or not read. */
	uint64_t no_host;
	/* Entries of a transport (TCP_..., RDMA_...) that name no queue pair and have no owner */
	uint64_t no_qpair;
	const char *no_qpair_point;	/* the first of them */
	size_t nr_unknown;	/* different pointers, at most XPT_SPDK_MAX_UNKNOWN */
	uint64_t first_unknown;	/* one of them */
};

struct xpt_spdk_join;

/* as_upstream: only the trace points that SPDK's trace.py knows, and no owners. Both must
 * live as long. 0 or -ENOMEM. */
int xpt_spdk_join__new(struct xpt_spdk_trace *t, struct xpt_spdk_lives *l, bool as_upstream,
		       struct xpt_spdk_join **ret_j);
void xpt_spdk_join__free(struct xpt_spdk_join *j);	/* NULL is fine */
/* An entry of a first pass over the whole trace, before xpt_spdk_lives__bind_owners(); not as upstream. */
void xpt_spdk_join__scan(struct xpt_spdk_join *j, const struct xpt_spdk_entry *e);
void xpt_spdk_join__entry(struct xpt_spdk_join *j, const struct xpt_spdk_entry *e,
			  struct xpt_spdk_note *ret_note);
const struct xpt_spdk_join_stats *xpt_spdk_join__stats(const struct xpt_spdk_join *j);

#endif
