// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See chain.h. An error is followed downwards: as long as a callee returned the
 * value that its caller returned, it came from there. If none did, the last thing
 * that the caller did decides: an error or a "no" there became the caller's own.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rdma/trace/chain.h"
#include "rdma/plan/prune.h"
#include "rdma/trace/trace_json.h"

static size_t base_len(const char *fn)
{
	return strcspn(fn, ".");
}

bool xpt_rdma_same_fn(const char *a, const char *b)
{
	size_t n = base_len(a);

	return n == base_len(b) && !memcmp(a, b, n);
}

/* The run that node i belongs to, among its parent's children before it that count. */
static uint16_t count_run(const struct xpt_rdma_trace *t, const struct xpt_rdma_place_in *places,
			  uint16_t i, uint8_t skip)
{
	uint16_t before, occ = 0;
	bool neighbour = true;

	for (before = i; before-- > 0;) {
		if (places[before].parent != places[i].parent || t->node[before].flags & skip)
			continue;
		if (xpt_rdma_same_fn(t->node[before].fn, t->node[i].fn)) {
			occ = (uint16_t)(places[before].occ + !neighbour);
			break;
		}
		neighbour = false;
	}
	return occ;
}

static void find_places(const struct xpt_rdma_trace *t, uint8_t skip,
			struct xpt_rdma_place_in *ret_places)
{
	uint16_t i, up, depth;

	for (i = 0; i < t->nr; i++) {
		ret_places[i] = (struct xpt_rdma_place_in){ .parent = XPT_RDMA_NO_NODE, .last = i };
		depth = t->node[i].depth;
		for (up = i; up-- > 0;) {
			if (t->node[up].depth >= depth)
				continue;
			depth = t->node[up].depth;
			if (!(t->node[up].flags & skip))
				break;
		}
		if (up != UINT16_MAX && i)
			ret_places[i].parent = up;
		ret_places[i].occ = count_run(t, ret_places, i, skip);
		for (up = ret_places[i].parent; up != XPT_RDMA_NO_NODE; up = ret_places[up].parent)
			ret_places[up].last = i;
	}
}

void xpt_rdma_places(const struct xpt_rdma_trace *t, struct xpt_rdma_place_in *ret_places)
{
	find_places(t, 0, ret_places);
}

void xpt_rdma_plain_places(const struct xpt_rdma_trace *t, struct xpt_rdma_place_in *ret_places)
{
	find_places(t, XPT_RDMA_NODE_BEYOND, ret_places);
}

int xpt_rdma_node__outcome(const struct xpt_rdma_node *node)
{
	if (node->flags & XPT_RDMA_NODE_NARROWED)
		return XPT_RDMA_CUT_TO_INT;
	switch (node->ret_type) {
	case XPT_RDMA_RET_POINTER:
		return xpt_rdma_is_errno(node->ret) ? (int)node->ret : node->ret ? XPT_RDMA_OK :
			XPT_RDMA_NULL;
	case XPT_RDMA_RET_BOOL:
		return node->ret & 0xff ? XPT_RDMA_OK : XPT_RDMA_NO;
	case XPT_RDMA_RET_VOID:
		return XPT_RDMA_OK;
	default:
		return xpt_rdma_is_errno(node->ret) ? (int)node->ret : XPT_RDMA_OK;
	}
}

bool xpt_rdma_node__went_well(const struct xpt_rdma_node *node)
{
	return node->ret_type != XPT_RDMA_RET_VOID && !(node->flags & XPT_RDMA_NODE_FAILED) &&
	       xpt_rdma_node__outcome(node) == XPT_RDMA_OK && !xpt_rdma_name__undoes(node->fn);
}

const char *xpt_rdma_outcome_text(int outcome, char *buf, size_t n)
{
	char name[32];

	switch (outcome) {
	case XPT_RDMA_OK:
		return "ok";
	case XPT_RDMA_NULL:
		return "NULL";
	case XPT_RDMA_NO:
		return "no";
	case XPT_RDMA_CUT_TO_INT:
		return "cut to 32 bits";
	}
	snprintf(buf, n, "-%s", xpt_rdma_errno_name(-outcome, name, sizeof(name)));
	return buf;
}

/* Did this callee give its caller the errno? */
static bool gave_errno(const struct xpt_rdma_node *node, int code, enum xpt_rdma_link *ret_link)
{
	int outcome = xpt_rdma_node__outcome(node);

	*ret_link = outcome == XPT_RDMA_CUT_TO_INT ? XPT_RDMA_NARROWED : XPT_RDMA_SAME;
	return outcome == XPT_RDMA_CUT_TO_INT ? (int32_t)node->ret == code : outcome == code;
}

/*
 * Returns whether a result made the caller give up with an errno, if it was the last one that it saw. NULL is no
 * such result for most functions, but a function that gives memory has no other way to report that there is none.
 */
static bool ended_call(const struct xpt_rdma_node *node, int code, enum xpt_rdma_link *ret_link)
{
	int outcome = xpt_rdma_node__outcome(node);

	*ret_link = XPT_RDMA_ANSWER;
	if (outcome == XPT_RDMA_NULL && code == -ENOMEM)
		return true;
	if (!(node->flags & XPT_RDMA_NODE_FAILED) || node->flags & XPT_RDMA_NODE_EXPECTED)
		return false;
	*ret_link = outcome < 0 ? XPT_RDMA_OTHER : XPT_RDMA_ANSWER;
	return outcome < 0 || outcome == XPT_RDMA_NO || outcome == XPT_RDMA_NULL;
}

/* The callee that the error of `at` came from; XPT_RDMA_NO_NODE: its own. */
static uint16_t find_below(const struct xpt_rdma_trace *t, const struct xpt_rdma_place_in *places,
			   uint16_t at, int code, enum xpt_rdma_link *ret_link)
{
	uint16_t i, best = XPT_RDMA_NO_NODE, last = XPT_RDMA_NO_NODE;
	enum xpt_rdma_link link;
	bool went_on = true;	/* since the best one failed */

	for (i = (uint16_t)(at + 1); i <= places[at].last; i = (uint16_t)(places[i].last + 1)) {
		last = i;
		if (!gave_errno(&t->node[i], code, &link)) {
			went_on |= xpt_rdma_node__went_well(&t->node[i]);
			continue;
		}
		if (best != XPT_RDMA_NO_NODE && t->node[i].flags & XPT_RDMA_NODE_EXPECTED)
			continue;
		if (!went_on && !(t->node[best].flags & XPT_RDMA_NODE_EXPECTED))
			continue;
		best = i;
		went_on = link == XPT_RDMA_NARROWED;	/* an equal errno explains more */
		*ret_link = link;
	}
	if (best == XPT_RDMA_NO_NODE && last != XPT_RDMA_NO_NODE && ended_call(&t->node[last], code, ret_link))
		best = last;
	return best;
}

void xpt_rdma_chain__find(const struct xpt_rdma_trace *t, struct xpt_rdma_chain *ret_chain)
{
	struct xpt_rdma_place_in places[XPT_RDMA_TRACE_NODES];
	enum xpt_rdma_link link = XPT_RDMA_SAME;
	int code = xpt_rdma_is_errno(t->ret) ? (int)t->ret : 0;
	uint16_t at = 0;

	ret_chain->nr = 0;
	if (!code || !t->nr || t->nr > XPT_RDMA_TRACE_NODES)
		return;
	xpt_rdma_places(t, places);
	while (at != XPT_RDMA_NO_NODE && ret_chain->nr < XPT_RDMA_CHAIN) {
		ret_chain->node[ret_chain->nr] = at;
		ret_chain->link[ret_chain->nr++] = (uint8_t)link;
		if (link == XPT_RDMA_NARROWED || link == XPT_RDMA_ANSWER)
			return;		/* its result is no errno: it began here */
		if (xpt_rdma_node__outcome(&t->node[at]) < 0)
			code = xpt_rdma_node__outcome(&t->node[at]);
		at = find_below(t, places, at, code, &link);
	}
}

const struct xpt_rdma_node *xpt_rdma_chain__origin(const struct xpt_rdma_trace *t,
						   const struct xpt_rdma_chain *chain)
{
	return chain->nr ? &t->node[chain->node[chain->nr - 1]] : NULL;
}
