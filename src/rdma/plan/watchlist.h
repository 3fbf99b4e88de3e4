/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions to watch for some plans: all that they keep, each once, with the facts that the kernel-side
 * programs must know of it. And back: the meaning of a function's id in a record, or of a method's key.
 */
#ifndef XPT_RDMA_PLAN_WATCHLIST_H
#define XPT_RDMA_PLAN_WATCHLIST_H

#include "engine/rdma/rdma_asked.h"
#include "engine/rdma/rdma_probes.h"
#include "rdma/graph/graph.h"
#include "rdma/plan/owners.h"
#include "rdma/plan/prune.h"
#include "rdma/graph/reach.h"

enum { XPT_RDMA_UNWATCHED = 16 };	/* functions of a method's plan without a probe that are known by name */

/* The functions that calls of a method show by its ordinary plan. */
struct xpt_rdma_shown {
	bool whole;		/* all of that is watched, but for */
	uint32_t nr_unwatched, unwatched[XPT_RDMA_UNWATCHED];	/* these, of the graph */
	uint8_t fns[];		/* a bit for each function of the graph */
};

struct xpt_rdma_watchlist {
	const struct xpt_rdma_graph *g;
	struct xpt_rdma_wish *wish;	/* the id of index i is i + 1 */
	uint32_t *fn;			/* the same in the graph */
	const struct xpt_rdma_hold *const *hold;	/* by id: names of arguments, whether it has a probe; or NULL */
	const struct xpt_rdma_layout *layouts;	/* of structs with the request; NULL: they are not read */
	struct xpt_rdma_shown **own;	/* by root; NULL: of none, or not of that one */
	struct xpt_rdma_owners *owners;	/* its own: whose code lies where; NULL: not known */
	struct xpt_rdma_reach *reach;	/* its own; NULL: not known */
	/* Whether a call that began at start_ns is looked into deeper; NULL: none is. shape: as in struct xpt_rdma_trace */
	bool (*is_deep)(void *ctx, uint32_t root, const char *shape, uint64_t start_ns);
	void *deep_ctx;
	bool loses;	/* the call that is read now may lack returns: the kernel missed some while it ran */
	uint32_t nr, nr_plain;	/* those after nr_plain are for such calls only */
	/* Those after nr_stay are watched for a while, since more_ns (CLOCK_MONOTONIC); 0: all stay. Ids are used again. */
	uint32_t nr_stay;
	uint64_t more_ns;
};

/*
 * Names are the graph's, which must live longer. Also asynchronous events, if events.
 * -E2BIG: more than can be watched; -ENOENT: nothing; -ENOMEM.
 */
int xpt_rdma_watchlist__make(const struct xpt_rdma_graph *g, struct xpt_rdma_plan *const *plans,
			     uint32_t nr_plans, bool events, struct xpt_rdma_watchlist **ret_l);
/*
 * Sets which functions a method's calls show by a plan, the ordinary one: other functions in them are marked as
 * beyond it, and the calls name those that are not watched. Returns -ENOMEM.
 */
int xpt_rdma_watchlist__own(struct xpt_rdma_watchlist *l, const struct xpt_rdma_plan *plan);
/*
 * Adds functions that a further plan keeps and the list lacks, for deep calls, as far as there is room. Returns how
 * many.
 */
uint32_t xpt_rdma_watchlist__add(struct xpt_rdma_watchlist *l, const struct xpt_rdma_plan *plan);
/*
 * Notes which functions could not be attached, once hold is set: calls of methods whose ordinary plan has one of these
 * name it from then on.
 */
void xpt_rdma_watchlist__note_probes(struct xpt_rdma_watchlist *l);
/* Whether a function has a probe, by its id on the list; true where hold does not tell. */
bool xpt_rdma_watchlist__is_probed(const struct xpt_rdma_watchlist *l, uint32_t id);
/* Adds functions of the graph, those that are not there and find room, for deep calls as well; how many. */
uint32_t xpt_rdma_watchlist__add_fns(struct xpt_rdma_watchlist *l, const uint32_t *fns, uint32_t n);
void xpt_rdma_watchlist__cut(struct xpt_rdma_watchlist *l, uint32_t nr);	/* back to the first nr */
void xpt_rdma_watchlist__free(struct xpt_rdma_watchlist *l);	/* NULL is fine */
/* The function in the graph; XPT_RDMA_NONE: no such id. */
uint32_t xpt_rdma_watchlist__fn(const struct xpt_rdma_watchlist *l, uint32_t id);
/* The method that a counter's key means, as index of the graph's roots; XPT_RDMA_NONE. */
uint32_t xpt_rdma_watchlist__method(const struct xpt_rdma_watchlist *l,
				    const struct xpt_wire_rdma_key *key);
/* The same of a call. */
uint32_t xpt_rdma_watchlist__method_of(const struct xpt_rdma_watchlist *l,
				       const struct xpt_wire_rdma_rec *r);

#endif
