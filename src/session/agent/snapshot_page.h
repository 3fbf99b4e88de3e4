/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The snapshots of a trace (src/snapshot), for `xputrace top`: a new document each period for whoever began the
 * trace, or one for clients of a socket each time that metrics are made, while there are clients. Zeroed, or with
 * neither, all of these do nothing.
 */
#ifndef XPT_SESSION_AGENT_SNAPSHOT_PAGE_H
#define XPT_SESSION_AGENT_SNAPSHOT_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "snapshot/collector.h"
#include "snapshot/local.h"

struct xpt_engine;
struct xpt_metrics;

struct xpt_snapshot_page {
	struct xpt_collector *c;	/* NULL: none are made */
	struct xpt_strbuf text;
	uint64_t period_ns, next_ns, began_ns;	/* period_ns 0: with metrics */
	uint64_t rest_ns;		/* none is made before, see rest.h */
	struct xpt_local_server *server;	/* NULL: none */
	bool has_warned;		/* that one was too large */
	void (*take)(void *ctx, const struct xpt_strbuf *document);	/* set before open */
	void *take_ctx;
};

/*
 * period_ns: 0 for none; socket: its path, or NULL, and a trace goes on without it. p->c is for the pipeline that
 * gets xpt_snapshot_sink. metrics: of the same trace, which know the memory of processes, until the last document;
 * NULL: nobody does. 0 or -errno, with a message.
 */
int xpt_snapshot_page__open(struct xpt_snapshot_page *p, uint64_t period_ns, const char *socket, struct xpt_metrics *metrics);
/*
 * Hands out a document, if that is due and the last one did not take too long; has_counts: the engine has emitted its
 * counts a moment ago.
 */
void xpt_snapshot_page__step(struct xpt_snapshot_page *p, struct xpt_engine *e, uint64_t now_ns, bool has_counts);
/* Hands out a document before it is due: the trace is about to end. */
void xpt_snapshot_page__write_last(struct xpt_snapshot_page *p, struct xpt_engine *e);
void xpt_snapshot_page__close(struct xpt_snapshot_page *p);

#endif
