/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lives of queue pairs: SPDK uses their memory again, so a pointer means another connection a moment later. Made
 * from the events that probes saw; asked by pointer and time, or by the description of the owner of a trace entry
 * (NQN, queue id) and time.
 *
 * A life begins with nvmf_poll_group_add_qpair and lasts until the pointer is added
 * again, for completions still drain after nvmf_poll_group_remove_qpair. One whose
 * begin was not recorded is known from the begin of the recording on, one whose end was
 * not recorded until the recording ends: outside of it the pointer may have been another
 * connection's. The trace itself may have more about it (xpt_spdk_lives__traced()).
 */
#ifndef XPT_SPDK_LIVES_H
#define XPT_SPDK_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XPT_SPDK_NQN_MAX 223	/* bytes, NVMe base specification */

enum xpt_spdk_point_kind {
	XPT_SPDK_ADD,		/* nvmf_poll_group_add_qpair */
	XPT_SPDK_REMOVE,	/* nvmf_poll_group_remove_qpair */
	XPT_SPDK_CONNECT,	/* nvmf_ctrlr_add_qpair */
	XPT_SPDK_FINI,		/* nvmf_transport_qpair_fini: it is destroyed next */
};

/* Names: NULL where the probe could not read them, "" where they were empty. */
struct xpt_spdk_point {
	enum xpt_spdk_point_kind kind;
	uint64_t tsc, qpair, thread, qid;
	const char *subnqn, *hostnqn;	/* copied */
};

struct xpt_spdk_life {
	uint64_t ptr, begin, end;	/* ticks, both within */
	uint64_t connected, removed;	/* ticks, UINT64_MAX: never */
	uint64_t thread, qid;
	bool has_thread, has_qid;
	bool older, open;		/* the begin, the end was not recorded */
	/* The life ended with nvmf_transport_qpair_fini; an entry of the trace has shown the destruction since. */
	bool fini, destroyed;
	/* The owner of this life; NULL: not known yet; the life itself: it belongs to an earlier owner. */
	const void *owner;
	const char *subnqn, *hostnqn;	/* with has_qid; NULL: unreadable */
	char *text;			/* "(ptr=0x..., thread=2, ...)" */
	uint32_t claims;		/* owners that can be no other, while they are sought */
	uint32_t nr;			/* order of those that begin in one tick */
	uint64_t entries;		/* for the caller, as is this: */
	uint32_t user;
};

struct xpt_spdk_lives;

/* as_upstream: windows as SPDK's own trace.py has them, from add to the next remove. */
int xpt_spdk_lives__new(bool as_upstream, struct xpt_spdk_lives **ret_l);	/* 0, -ENOMEM */
void xpt_spdk_lives__free(struct xpt_spdk_lives *l);	/* NULL is fine */
/* 0; -E2BIG: there are too many, this one was left out; -ENOMEM. */
int xpt_spdk_lives__add(struct xpt_spdk_lives *l, const struct xpt_spdk_point *p);
/* Sorts the points and makes the lives. To be called after the last point and before the first look-up. */
int xpt_spdk_lives__build(struct xpt_spdk_lives *l);	/* 0, -ENOMEM */

/*
 * The time of the recording, in ticks, both within; called before xpt_spdk_lives__build(). Points outside of it widen
 * it. Without it (recordings of bpftrace do not say) lives reach as far as they may. Not used as upstream.
 */
void xpt_spdk_lives__set_span(struct xpt_spdk_lives *l, uint64_t first, uint64_t last);

enum xpt_spdk_transport { XPT_SPDK_TCP, XPT_SPDK_RDMA, XPT_SPDK_TRANSPORTS };

/* The trace's first entry is of that time; rate: its ticks a second. */
void xpt_spdk_lives__begin_trace(struct xpt_spdk_lives *l, uint64_t tsc, uint64_t rate);
/*
 * An entry of the trace, in order of time, says that the transport creates or destroys the queue pair of that
 * pointer: the life of then ends. From the first of them on, lives that are open when the recording ends go on after
 * it, because the trace is known to have their end.
 */
void xpt_spdk_lives__traced(struct xpt_spdk_lives *l, enum xpt_spdk_transport by, uint64_t ptr, uint64_t tsc);

/* The life of a pointer at that time, or NULL. by: whose queue pair it is. */
struct xpt_spdk_life *xpt_spdk_lives__at(struct xpt_spdk_lives *l, uint64_t ptr, uint64_t tsc, enum xpt_spdk_transport by);
/* Whether the recording can say nothing of that time, for it had not begun or had ended. */
bool xpt_spdk_lives__is_outside(const struct xpt_spdk_lives *l, uint64_t tsc);
/*
 * Whether the recording does not say until when it went on, and that time is before its first or after its last line.
 */
bool xpt_spdk_lives__is_unsure(const struct xpt_spdk_lives *l, uint64_t tsc);

/* The description of an owner: "<client> <subnqn> [<listener>] qid:<n>". */
struct xpt_spdk_owner {
	const char *text;	/* "(qid=1, subnqn=...)"; NULL: it names no queue pair */
	const char *subnqn;	/* with text */
	uint64_t qid;
	uint64_t entries;	/* for the caller, as is this: */
	uint32_t user;
};

/* How far the answer to whose queue pair an owner is can be relied on. */
enum xpt_spdk_doubt {
	XPT_SPDK_SURE,		/* the trace shows that it is that life; or there is none that it could be */
	/* The only life of that name in the recording. An older one could be meant. */
	XPT_SPDK_PRESUMED,
	XPT_SPDK_UNPROVEN,	/* no life: the same, in a trace that was not read before */
	XPT_SPDK_SEVERAL,	/* no life: it fits several, or there were too many to look at */
};

/* Returns the owner of that description; NULL if there is no room for more owners. */
struct xpt_spdk_owner *xpt_spdk_lives__owner(struct xpt_spdk_lives *l, const char *text, size_t n);
/*
 * The life that an owner with text means at that time, or NULL. Where the owner names a client with its port, it is
 * one connection: once it fits one life alone it stays that one's, and others are not that one.
 */
struct xpt_spdk_life *xpt_spdk_owner__at(struct xpt_spdk_owner *o, uint64_t tsc, enum xpt_spdk_doubt *ret_doubt);

enum xpt_spdk_event {
	XPT_SPDK_BORN,		/* its queue pair is created */
	XPT_SPDK_BEGUN,		/* a request of it begins */
	XPT_SPDK_GONE,		/* its queue pair is destroyed */
};

/* An entry of the owner, in order of time. Tells apart the lives that it fits. */
void xpt_spdk_owner__note(struct xpt_spdk_owner *o, enum xpt_spdk_event ev, uint64_t tsc);
/* After a first pass over all entries: finds the life of each owner that fits one alone, then of those that are left.
 * Later notes say nothing new. */
void xpt_spdk_lives__bind_owners(struct xpt_spdk_lives *l);

/* Whether there were more owners and lives of one name than could be compared. */
bool xpt_spdk_lives__gave_up(const struct xpt_spdk_lives *l);

/* Returns the number of names of exactly 63 bytes: bpftrace cuts to that length by default. */
size_t xpt_spdk_lives__nr_cut(const struct xpt_spdk_lives *l);

#endif
