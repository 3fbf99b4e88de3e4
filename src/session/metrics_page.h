/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file of metrics that `run` and `attach` keep with --metrics, a new one each second. Zeroed, or without a path,
 * all of these do nothing.
 */
#ifndef XPT_SESSION_METRICS_PAGE_H
#define XPT_SESSION_METRICS_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include "metrics/metrics.h"
#include "session/page_file.h"

struct xpt_engine;

struct xpt_metrics_page {
	struct xpt_page_file file;
	struct xpt_metrics *m;		/* NULL: none is kept */
	struct xpt_strbuf text;
	uint64_t start_wall_ns, next_ns;
};

/* Writes the first one; path must outlive p, p->m the pipeline that gets xpt_metrics_sink. 0 or -errno, with a message. */
int xpt_metrics_page__open(struct xpt_metrics_page *p, const char *path);
/* Asks the engine for its counts and writes a page, if that is due. */
void xpt_metrics_page__step(struct xpt_metrics_page *p, struct xpt_engine *e, uint64_t now_ns);
/* Callback of struct xpt_outputs_cfg, of the struct xpt_metrics_page: writes the last page, of the whole trace. */
void xpt_metrics_page__finish(void *page);
/* remove: the trace never began, so a file that was not there before goes. */
void xpt_metrics_page__close(struct xpt_metrics_page *p, bool remove);

#endif
