/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Watching the kernel's RDMA interface, from the plans to each complete call. `rdma watch` and the layer of `run`
 * and `attach` (rdma_layer.c) are its users: they differ in their use of a call.
 */
#ifndef XPT_SESSION_RDMA_RDMA_SESSION_H
#define XPT_SESSION_RDMA_RDMA_SESSION_H

#include "base/wall_clock.h"
#include "rdma/trace/misses.h"
#include "rdma/trace/evidence/near_events.h"
#include "rdma/trace/moment.h"
#include "rdma/trace/record.h"
#include "rdma/verdict/judge.h"
#include "session/options/usage.h"
#include "session/rdma/context/context.h"
#include "session/rdma/context/counters.h"
#include "session/rdma/plans.h"
#include "session/rdma/state_files.h"

struct xpt_rdma_session_cfg {
	const char *command;	/* for messages about options */
	const struct xpt_rdma_which *which;	/* lives as long */
	uint64_t slow_ns;	/* calls that take as long are sent, whether they failed or not */
	uint32_t sample_nth;	/* of good calls, besides one a second: every Nth; 0: no other */
	enum xpt_kattach kind;	/* AUTO: the best for each function */
	uint32_t targets[XPT_RDMA_TARGETS];	/* processes, with their children; zeroes: all processes */
	bool (*is_deep)(void *ctx, uint32_t root, const char *shape, uint64_t start_ns);	/* see watchlist.h; or NULL */
	/* These come from xpt_rdma_session__read(). r and t live until they return. */
	bool (*is_wanted)(void *ctx, const struct xpt_wire_rdma_rec *r, const struct xpt_rdma_trace *t);	/* NULL: all are */
	void (*on_call)(void *ctx, const struct xpt_wire_rdma_rec *r, struct xpt_rdma_trace *t);
	/* An event of a device, or a command that the firmware refused outside of calls. */
	void (*on_other)(void *ctx, const struct xpt_wire_rdma_rec *r);
	void (*on_lost)(void *ctx, uint64_t calls);	/* that no record tells of, since the last time */
	void *ctx;
};

struct xpt_rdma_session {	/* zeroed before; then the user sets cfg, and opens files */
	struct xpt_rdma_session_cfg cfg;
	struct xpt_rdma_files files;	/* good calls, errors that are normal */
	struct xpt_rdma_plans plans;
	struct xpt_rdma_watchlist *list;
	struct xpt_rdma_watch *w;	/* NULL: nothing is watched */
	const struct xpt_rdma_hold **hold;	/* by the function's id, XPT_RDMA_FNS */
	struct xpt_rdma_context context;
	bool has_context;
	struct xpt_rdma_counters *counters;	/* NULL: they are not read */
	struct xpt_wall_clock clock;
	uint64_t next_tidy_ns;
	/* within */
	struct xpt_rdma_box box;
	struct xpt_rdma_near_events events;
	struct xpt_rdma_event beside[XPT_RDMA_TRACE_EVENTS];	/* the call that is read now */
	uint64_t lost;			/* calls, as far as that was told */
	struct xpt_rdma_misses misses;	/* returns that the programs missed */
	bool asked_missed;		/* since records were read last */
};

/* The first three: -1 or an exit status, and why was said. */
int xpt_rdma_session__plan(struct xpt_rdma_session *s);
int xpt_rdma_session__attach(struct xpt_rdma_session *s);	/* by the plans */
/* Goes on with other plans, which are taken over; the ones before are the caller's. */
int xpt_rdma_session__replan(struct xpt_rdma_session *s, const struct xpt_rdma_plans *plans);
/* Returns the moment of a time of CLOCK_MONOTONIC on this machine. */
struct xpt_rdma_moment xpt_rdma_session__moment(const struct xpt_rdma_session *s, uint64_t monotonic_ns);
/* Hands on the records that have arrived. */
void xpt_rdma_session__read(struct xpt_rdma_session *s);
/* Whether a call failed, why, and whether that is normal. *ret_v is good until the next call is judged. */
void xpt_rdma_session__judge(const struct xpt_rdma_session *s, const struct xpt_rdma_trace *t,
			     struct xpt_rdma_verdict *ret_v);
void xpt_rdma_session__read_log(struct xpt_rdma_session *s);	/* the kernel's; before the calls it is about */
/* Every 5 s: saves good calls, looks for threads that ended inside of calls. True: it was time for that. */
bool xpt_rdma_session__tidy(struct xpt_rdma_session *s);
void xpt_rdma_session__free(struct xpt_rdma_session *s);	/* frees its members; saves good calls */

#endif
