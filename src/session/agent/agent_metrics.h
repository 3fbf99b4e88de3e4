/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The page of metrics, a new one each second: the file that `run` and `attach` keep with --metrics, and the page
 * that the agent serves over HTTP. Zeroed, or with neither, all of these do nothing.
 */
#ifndef XPT_SESSION_AGENT_AGENT_METRICS_H
#define XPT_SESSION_AGENT_AGENT_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include "http/server.h"
#include "metrics/metrics.h"
#include "session/agent/page_file.h"

struct xpt_engine;
struct xpt_recorder;
struct xpt_server;

struct xpt_metrics_page {
	struct xpt_page_file file;
	struct xpt_server *server;	/* NULL: none */
	char where[XPT_SERVER_ADDRESS];	/* it listens */
	const char *problem;		/* of the server, which was reported; NULL: none */
	int err;			/* why no page could be made, which was reported; or 0 */
	struct xpt_metrics *m;		/* NULL: none is kept */
	struct xpt_strbuf text;
	uint64_t start_wall_ns, next_ns;
	const struct xpt_recorder *recorder;	/* the caller's, NULL: none; outlives p */
	unsigned compat;		/* the caller's, before the first one: xpt_metrics__set_compat() */
};

/*
 * Writes the first one. path: the file, or NULL; listen: an address for xpt_server__open(), or NULL. path must
 * outlive p, p->m the pipeline that gets xpt_metrics_sink. 0 or -errno, with a message.
 */
int xpt_metrics_page__open(struct xpt_metrics_page *p, const char *path, const char *listen);
/*
 * Listens at another address, or serves nobody where that is NULL; keeps another file, or none. 0, or -errno and
 * nothing has changed.
 */
int xpt_metrics_page__listen(struct xpt_metrics_page *p, const char *listen);
int xpt_metrics_page__write_to(struct xpt_metrics_page *p, const char *path);
/* Asks the engine for its counts and writes a page, if that is due: then it returns true. */
bool xpt_metrics_page__step(struct xpt_metrics_page *p, struct xpt_engine *e, uint64_t now_ns);
/* Callback of struct xpt_outputs_cfg, of the struct xpt_metrics_page: writes the last page, of the whole trace. */
void xpt_metrics_page__finish(void *page);
/* remove: the trace never began, so a file that was not there before goes. */
void xpt_metrics_page__close(struct xpt_metrics_page *p, bool remove);

#endif
