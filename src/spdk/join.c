// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The join of trace entries and queue pairs, see join.h.
 */
#include "spdk/join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"

enum {				/* of a trace point; 0: not looked at yet */
	POINT_SEEN = 1,
	POINT_UPSTREAM = 2,	/* trace.py annotates it */
	POINT_TCP = 4,
	POINT_RDMA = 8,
	POINT_QPAIR = 16,	/* its object is a queue pair */
	POINT_BORN = 32,	/* which is created */
	POINT_GONE = 64,	/* which is destroyed */
};

struct xpt_spdk_join {
	struct xpt_spdk_trace *trace;
	struct xpt_spdk_lives *lives;
	bool as_upstream, begun;
	struct xpt_hashmap *unknown;	/* pointer -> uint8_t */
	struct xpt_spdk_join_stats stats;
	uint8_t point[XPT_SPDK_MAX_TPOINTS];	/* POINT_... */
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

/* Their object is the queue pair, up to 24.01; with owners (since 24.05) it is 0. */
static const char *const births[] = { "TCP_QP_CREATE", "TCP_QP_SOCK_INIT", "RDMA_QP_CREATE" };
static const char *const deaths[] = { "TCP_QP_DESTROY", "RDMA_QP_DESTROY" };

const char *xpt_spdk_reason__name(enum xpt_spdk_reason r)
{
	static const char *const names[XPT_SPDK_REASONS] = {
		[XPT_SPDK_OUTSIDE] = "outside", [XPT_SPDK_UNKNOWN] = "unknown", [XPT_SPDK_NO_CONNECT] = "no_connect",
		[XPT_SPDK_MANY] = "several_hosts", [XPT_SPDK_NO_PROOF] = "unproven",
		[XPT_SPDK_NO_QPAIR] = "no_qpair",
	};

	return r < XPT_SPDK_REASONS ? names[r] : NULL;
}

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

static bool is_among(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

#define IS_AMONG(names_, name_) is_among(names_, sizeof(names_) / sizeof((names_)[0]), name_)

static uint8_t classify_point(const char *name)
{
	uint8_t is = !strncmp(name, "TCP_", 4) ? POINT_TCP : !strncmp(name, "RDMA_", 5) ? POINT_RDMA : 0;

	if (IS_AMONG(upstream_points, name))
		is |= POINT_UPSTREAM;
	if (is && !strncmp(strchr(name, '_'), "_QP_", 4))
		is |= POINT_QPAIR;
	if (IS_AMONG(births, name))
		is |= POINT_BORN;
	if (IS_AMONG(deaths, name))
		is |= POINT_GONE;
	return is | POINT_SEEN;
}

/* Undefined trace points share an id; nothing is known of them. */
static uint8_t point_of(struct xpt_spdk_join *j, const struct xpt_spdk_tpoint *tp)
{
	uint8_t *is = &j->point[tp->id];

	if (*tp->name == '?')
		return POINT_SEEN;
	if (!*is)
		*is = classify_point(tp->name);
	return *is;
}

static enum xpt_spdk_transport transport_of(uint8_t point)
{
	return point & POINT_TCP ? XPT_SPDK_TCP : point & POINT_RDMA ? XPT_SPDK_RDMA : XPT_SPDK_TRANSPORTS;
}

/* Releases before 26.05 give the number alone, "t262": after the type's letter. */
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

static void note_owner(struct xpt_spdk_owner *o, const struct xpt_spdk_entry *e, uint8_t point)
{
	if (point & POINT_BORN)
		xpt_spdk_owner__note(o, XPT_SPDK_BORN, e->tsc);
	else if (point & POINT_GONE)
		xpt_spdk_owner__note(o, XPT_SPDK_GONE, e->tsc);
	else if (point & POINT_TCP && e->tp->new_object)
		xpt_spdk_owner__note(o, XPT_SPDK_BEGUN, e->tsc);
}

/* Finds the queue pair by the entry's owner, if the argument does not name it. */
static void ask_owner(struct xpt_spdk_join *j, const struct xpt_spdk_entry *e,
		      struct xpt_spdk_note *n, uint8_t point)
{
	enum xpt_spdk_doubt doubt = XPT_SPDK_SURE;

	n->owner = owner_of(j, e);
	if (!n->owner)
		return;
	note_owner(n->owner, e, point);
	n->life = xpt_spdk_owner__at(n->owner, e->tsc, &doubt);
	if (n->life && n->arg >= 0 && n->life->ptr != e->arg[n->arg].v)
		n->life = NULL;	/* the same queue of another host */
	n->text = n->life ? n->life->text : n->owner->text;
	n->presumed = n->life && doubt == XPT_SPDK_PRESUMED;
	if (doubt == XPT_SPDK_SEVERAL || doubt == XPT_SPDK_UNPROVEN)
		n->reason = doubt == XPT_SPDK_SEVERAL ? XPT_SPDK_MANY : XPT_SPDK_NO_PROOF;
}

static enum xpt_spdk_reason find_reason(const struct xpt_spdk_join *j, const struct xpt_spdk_entry *e,
					const struct xpt_spdk_note *n, uint64_t ptr, uint8_t point)
{
	if (n->life)
		return n->life->hostnqn && *n->life->hostnqn ? XPT_SPDK_KNOWN : XPT_SPDK_NO_CONNECT;
	if (point & POINT_QPAIR && e->value && xpt_spdk_lives__is_outside(j->lives, e->tsc))
		return XPT_SPDK_OUTSIDE;
	if (!n->owner && !ptr)
		return point & (POINT_TCP | POINT_RDMA) ? XPT_SPDK_NO_QPAIR : XPT_SPDK_KNOWN;
	if (xpt_spdk_lives__is_outside(j->lives, e->tsc))
		return XPT_SPDK_OUTSIDE;
	return n->reason ? n->reason : XPT_SPDK_UNKNOWN;
}

static void count_reason(struct xpt_spdk_join *j, const struct xpt_spdk_tpoint *tp, const struct xpt_spdk_note *n,
			 uint64_t ptr)
{
	switch (n->reason) {
	case XPT_SPDK_OUTSIDE:
		j->stats.outside++;
		break;
	case XPT_SPDK_NO_CONNECT:
		j->stats.no_host++;
		break;
	case XPT_SPDK_MANY:
		j->stats.many++;
		break;
	case XPT_SPDK_NO_PROOF:
		j->stats.no_proof++;
		break;
	case XPT_SPDK_NO_QPAIR:
		if (!j->stats.no_qpair++)
			j->stats.no_qpair_point = tp->name;
		break;
	case XPT_SPDK_UNKNOWN:
		if (n->owner)
			j->stats.by_owner++;
		else
			count_unknown(j, ptr);
		break;
	default:
		break;
	}
}

static void begin_trace(struct xpt_spdk_join *j, const struct xpt_spdk_entry *e)
{
	if (!j->begun)
		xpt_spdk_lives__begin_trace(j->lives, e->tsc, xpt_spdk_trace__rate(j->trace));
	j->begun = true;
}

/* Takes the facts about the lives of queue pairs that the trace itself has. */
static void take_border(struct xpt_spdk_join *j, const struct xpt_spdk_entry *e, uint8_t point)
{
	begin_trace(j, e);
	if (point & (POINT_BORN | POINT_GONE) && e->has_object && e->value)
		xpt_spdk_lives__traced(j->lives, transport_of(point), e->value, e->tsc);
}

void xpt_spdk_join__scan(struct xpt_spdk_join *j, const struct xpt_spdk_entry *e)
{
	uint8_t point = point_of(j, e->tp);
	struct xpt_spdk_owner *o;

	begin_trace(j, e);
	if (!(point & (POINT_BORN | POINT_GONE)) && !e->tp->new_object)
		return;
	o = owner_of(j, e);
	if (o)
		note_owner(o, e, point);
}

void xpt_spdk_join__entry(struct xpt_spdk_join *j, const struct xpt_spdk_entry *e,
			  struct xpt_spdk_note *ret_note)
{
	const struct xpt_spdk_tpoint *tp = e->tp;
	bool has_ptr = tp->qpair >= 0 && (unsigned)tp->qpair < e->nr_args &&
		       !e->arg[tp->qpair].text.s && !e->arg[tp->qpair].bad;
	struct xpt_spdk_note n = { .arg = has_ptr ? tp->qpair : -1 };
	uint64_t ptr = has_ptr ? e->arg[tp->qpair].v : 0;
	uint8_t point = point_of(j, tp);

	if (!j->as_upstream)
		take_border(j, e, point);
	j->stats.entries++;
	if (has_ptr && (!j->as_upstream || point & POINT_UPSTREAM))
		n.life = xpt_spdk_lives__at(j->lives, ptr, e->tsc, transport_of(point));
	/* Before the queue pair was added, its owner is not known. */
	else if (!j->as_upstream && point & POINT_QPAIR && e->has_object)
		n.life = xpt_spdk_lives__at(j->lives, e->value, e->tsc, transport_of(point));
	if (n.life)
		n.text = n.life->text;
	else if (!j->as_upstream)
		ask_owner(j, e, &n, point);
	n.reason = find_reason(j, e, &n, ptr, point);
	count_reason(j, tp, &n, ptr);
	j->stats.annotated += n.text != NULL;
	j->stats.presumed += n.presumed;
	j->stats.late += n.life && e->tsc > n.life->removed;
	if (n.life) {
		n.life->entries++;
		j->stats.unsure += n.life->removed == UINT64_MAX && xpt_spdk_lives__is_unsure(j->lives, e->tsc);
	}
	*ret_note = n;
}
