// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The join of trace entries and queue pairs, see join.h.
 */
#include "spdk/join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"

enum { POINT_NEW, POINT_YES, POINT_NO };

struct xpt_spdk_join {
	struct xpt_spdk_trace *trace;
	struct xpt_spdk_lives *lives;
	bool as_upstream;
	struct xpt_hashmap *unknown;	/* pointer -> uint8_t */
	struct xpt_spdk_join_stats stats;
	uint8_t point[XPT_SPDK_MAX_TPOINTS];	/* as upstream: is it one that is annotated? */
};

/* The trace points that trace.py annotates, of all releases. */
static const char *const upstream_points[] = {
	"RDMA_REQ_COMPLETED", "RDMA_REQ_COMPLETING", "RDMA_REQ_COMPLETING_C2H", "RDMA_REQ_EXECUTED",
	"RDMA_REQ_EXECUTING", "RDMA_REQ_NEED_BUFFER", "RDMA_REQ_NEW", "RDMA_REQ_RDY_TO_COMPL",
	"RDMA_REQ_RDY_TO_EXECUTE", "RDMA_REQ_TX_H2C", "RDMA_REQ_TX_PENDING_C2H",
	"RDMA_REQ_TX_PENDING_H2C", "TCP_READ_DONE", "TCP_REQ_AWAIT_R2T_ACK", "TCP_REQ_COMPLETED",
	"TCP_REQ_EXECUTED", "TCP_REQ_EXECUTING", "TCP_REQ_NEED_BUFFER", "TCP_REQ_NEW",
	"TCP_REQ_RDY_TO_COMPLETE", "TCP_REQ_RDY_TO_EXECUTE", "TCP_REQ_TRANSFER_C2H",
	"TCP_REQ_TX_H_TO_C", "TCP_WRITE_DONE", "TCP_WRITE_START",
};

int xpt_spdk_join__new(struct xpt_spdk_trace *t, struct xpt_spdk_lives *l, bool as_upstream,
		       struct xpt_spdk_join **ret_j)
{
	struct xpt_spdk_join *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	if (xpt_hashmap__new(sizeof(uint64_t), sizeof(uint8_t), XPT_SPDK_MAX_UNKNOWN, &j->unknown)) {
		free(j);
		return -ENOMEM;
	}
	j->trace = t;
	j->lives = l;
	j->as_upstream = as_upstream;
	*ret_j = j;
	return 0;
}

void xpt_spdk_join__free(struct xpt_spdk_join *j)
{
	if (!j)
		return;
	xpt_hashmap__free(j->unknown);
	free(j);
}

const struct xpt_spdk_join_stats *xpt_spdk_join__stats(const struct xpt_spdk_join *j)
{
	return &j->stats;
}

static bool upstream_knows(struct xpt_spdk_join *j, const struct xpt_spdk_tpoint *tp)
{
	uint8_t *is = &j->point[tp->id];

	if (*is == POINT_NEW) {
		*is = POINT_NO;
		for (size_t i = 0; i < sizeof(upstream_points) / sizeof(upstream_points[0]); i++)
			if (!strcmp(upstream_points[i], tp->name))
				*is = POINT_YES;
	}
	return *is == POINT_YES;
}

/* Releases before 26.05 give the number alone, "t262": behind the type's letter. */
static const char *by_poller(const struct xpt_spdk_join *j, const char *poller)
{
	uint64_t id = 0;
	const char *p = poller + (*poller != '\0');

	for (; *p >= '0' && *p <= '9' && p - poller < 10; p++)
		id = id * 10 + (uint64_t)(*p - '0');
	return p - poller > 1 && !*p ? xpt_spdk_trace__owner(j->trace, id) : NULL;
}

static struct xpt_spdk_owner *owner_of(struct xpt_spdk_join *j, const struct xpt_spdk_entry *e)
{
	const char *text = e->owner.s;
	struct xpt_spdk_owner *o;
	size_t n = e->owner.n;

	if (!text && e->poller.s) {
		text = by_poller(j, e->poller.s);
		n = text ? strlen(text) : 0;
	}
	if (!text)
		return NULL;
	o = xpt_spdk_lives__owner(j->lives, text, n);
	return o && o->text ? o : NULL;
}

static void count_unknown(struct xpt_spdk_join *j, uint64_t ptr)
{
	bool is_new = false;

	j->stats.unknown++;
	xpt_hashmap__get(j->unknown, &ptr, &is_new);
	if (is_new && !j->stats.nr_unknown++)
		j->stats.first_unknown = ptr;
}

/* By its owner, where the argument (if there is one) says nothing. */
static void ask_owner(struct xpt_spdk_join *j, const struct xpt_spdk_entry *e,
		      struct xpt_spdk_note *n)
{
	bool many = false;

	n->owner = owner_of(j, e);
	if (!n->owner)
		return;
	n->life = xpt_spdk_owner__at(n->owner, e->tsc, &many);
	if (n->life && n->arg >= 0 && n->life->ptr != e->arg[n->arg].v)
		n->life = NULL;	/* the same queue of another host */
	n->text = n->life ? n->life->text : n->owner->text;
	j->stats.many += many;
	j->stats.by_owner += !n->life && !many;
}

/* Trace points of transports are about a queue pair; those of others, of block devices for example, are about none. */
static bool is_of_transport(const char *name)
{
	return !strncmp(name, "TCP_", 4) || !strncmp(name, "RDMA_", 5);
}

static void count_without_host(struct xpt_spdk_join *j, const struct xpt_spdk_tpoint *tp, const struct xpt_spdk_note *n,
			       uint64_t ptr)
{
	if (n->life && (!n->life->hostnqn || !*n->life->hostnqn))
		j->stats.no_host++;
	if (n->text)
		return;
	if (ptr)
		count_unknown(j, ptr);
	else if (is_of_transport(tp->name) && !j->stats.no_qpair++)
		j->stats.no_qpair_point = tp->name;
}

void xpt_spdk_join__entry(struct xpt_spdk_join *j, const struct xpt_spdk_entry *e,
			  struct xpt_spdk_note *ret_note)
{
	const struct xpt_spdk_tpoint *tp = e->tp;
	bool has_ptr = tp->qpair >= 0 && (unsigned)tp->qpair < e->nr_args &&
		       !e->arg[tp->qpair].text.s && !e->arg[tp->qpair].bad;
	struct xpt_spdk_note n = { .arg = has_ptr ? tp->qpair : -1 };
	uint64_t ptr = has_ptr ? e->arg[tp->qpair].v : 0;

	j->stats.entries++;
	if (has_ptr && (!j->as_upstream || upstream_knows(j, tp)))
		n.life = xpt_spdk_lives__at(j->lives, ptr, e->tsc);
	if (n.life)
		n.text = n.life->text;
	else if (!j->as_upstream)
		ask_owner(j, e, &n);
	j->stats.annotated += n.text != NULL;
	j->stats.late += n.life && e->tsc > n.life->removed;
	if (n.life)
		n.life->entries++;
	count_without_host(j, tp, &n, ptr);
	*ret_note = n;
}
