/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's RDMA functions watched: programs on roots and on the returns of
 * planned functions, calls that are worth a look as records, counters for all.
 * The choice of functions and the meaning of a record are not known here.
 */
#ifndef XPT_ENGINE_RDMA_RDMA_PROBES_H
#define XPT_ENGINE_RDMA_RDMA_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "kernel/kattach.h"
#include "wire/rdma.h"

#define XPT_RDMA_ARG_LEN 32	/* XPT_KPARAM_NAME */

struct xpt_rdma_watch;
struct xpt_rdma_layout;

/* A function; the id of the one at index i is i + 1. */
struct xpt_rdma_wish {
	const char *module, *name;	/* "kernel": outside of modules; live as long as the watch */
	uint8_t err;			/* as in struct xpt_wire_rdma_fn */
	uint16_t flags;
};

/* The outcome of watching a function. */
struct xpt_rdma_hold {
	enum xpt_kattach kind;	/* of its return; AUTO: it is not watched */
	const char *why;	/* then: a static text */
	uint8_t nr_args;	/* 0: arguments are not known */
	char arg[XPT_RDMA_REGS][XPT_RDMA_ARG_LEN];	/* their names */
};

struct xpt_rdma_watch_cfg {
	const struct xpt_rdma_wish *wish;
	uint32_t nr;		/* less than XPT_RDMA_FNS */
	enum xpt_kattach kind;	/* AUTO: the best for each */
	uint64_t slow_ns, sample_ns;	/* as in struct xpt_wire_rdma_cfg */
	uint32_t sample_nth, targets[XPT_RDMA_TARGETS];
	uint64_t passed;	/* bits of write commands that are counted, and not looked into */
	/* A record of size bytes, whose exits are within; from xpt_rdma_watch__read(). */
	void (*fn)(void *ctx, const struct xpt_wire_rdma_rec *r, size_t size);
	void *ctx;
};

struct xpt_rdma_watch_stats {
	uint32_t nr, nr_failed;
	uint32_t by_kind[XPT_KATTACH__MAX];
	uint64_t attach_ns;
	uint64_t lost[XPT_RDMA_NR_LOST];
	uint64_t missed;	/* returns: a program was interrupted on that CPU */
};

/*
 * Loads and attaches. -EPERM: privileges; -ENOENT: no root can be watched;
 * -EOPNOTSUPP: no way of attaching works; -E2BIG; -ENOMEM; other -errno of bpf(2).
 */
int xpt_rdma_watch__open(const struct xpt_rdma_watch_cfg *cfg, struct xpt_rdma_watch **ret_w);
/* Detaches; a child process goes on with that where it takes long. NULL is fine. */
void xpt_rdma_watch__close(struct xpt_rdma_watch *w);
int xpt_rdma_watch__fd(const struct xpt_rdma_watch *w);	/* for poll(): records are there */
/* Passes on the records that are there, and returns their number. */
unsigned xpt_rdma_watch__read(struct xpt_rdma_watch *w);
const struct xpt_rdma_hold *xpt_rdma_watch__hold(const struct xpt_rdma_watch *w, uint32_t id);
/* Returns the offsets of members in the structs of enum xpt_rdma_asked_kind; valid as long as w. */
const struct xpt_rdma_layout *xpt_rdma_watch__layouts(const struct xpt_rdma_watch *w);
void xpt_rdma_watch__stats(const struct xpt_rdma_watch *w, struct xpt_rdma_watch_stats *ret_stats);
/* Returns that the kernel's programs missed so far; asks the kernel about each program. */
uint64_t xpt_rdma_watch__missed(const struct xpt_rdma_watch *w);
/* Calls so far that are in no record and no sum, for whatever reason; as cheap as reading a variable. */
uint64_t xpt_rdma_watch__lost(const struct xpt_rdma_watch *w);
/* To be called from time to time: drops threads that ended inside a call; attaches to a driver loaded since. */
void xpt_rdma_watch__reap(struct xpt_rdma_watch *w);

/*
 * Calls fn for each call that began age_ns ago or earlier and has not returned, with the data of its beginning;
 * process, device and the like are "". The nr returns that it has so far are not handed on.
 */
void xpt_rdma_watch__each_open(const struct xpt_rdma_watch *w, uint64_t age_ns,
			       void (*fn)(void *ctx, const struct xpt_wire_rdma_rec *r), void *ctx);

/*
 * Watches more functions for a while: those that cfg.wish has by now after the others, nr in
 * all. -EBUSY: there are more already; -errno: none are added.
 */
int xpt_rdma_watch__more(struct xpt_rdma_watch *w, uint32_t nr);
void xpt_rdma_watch__less(struct xpt_rdma_watch *w);	/* no longer; their ids mean nothing */

/* Counters, of a function over all CPUs; the others in any order. */
void xpt_rdma_watch__count(const struct xpt_rdma_watch *w, uint32_t id,
			   struct xpt_wire_rdma_count *ret_c);
/* How often that of cfg.passed was called; command is less than XPT_RDMA_COMMANDS. */
uint64_t xpt_rdma_watch__passed(const struct xpt_rdma_watch *w, uint32_t command);
void xpt_rdma_watch__each_method(const struct xpt_rdma_watch *w,
				 void (*fn)(void *ctx, const struct xpt_wire_rdma_key *key,
					    const struct xpt_wire_rdma_method *m), void *ctx);
/* Failed and slow calls by kind, of all processes together (tgid 0). */
void xpt_rdma_watch__each_kind(const struct xpt_rdma_watch *w,
			       void (*fn)(void *ctx, const struct xpt_wire_rdma_kind *kind,
					  const struct xpt_wire_rdma_limit *l), void *ctx);
void xpt_rdma_watch__each_errno(const struct xpt_rdma_watch *w,
				void (*fn)(void *ctx, const struct xpt_wire_rdma_errno *key,
					   uint64_t n), void *ctx);

#endif
