/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counts of a trace until now, as metrics of Prometheus. docs/metrics.md has their names.
 *
 * A sink of the pipeline collects counters of processes that run (COUNTER_NOW) and of those that have
 * ended (COUNTER), errors, losses, Xids and readings of devices; a page is printed from that at any
 * time. Calls are added up by name and container of their process. The number of lines is bounded.
 */
#ifndef XPT_METRICS_METRICS_H
#define XPT_METRICS_METRICS_H

#include <stdint.h>
#include "base/strbuf.h"
#include "model/memory/open_bytes.h"
#include "model/shares.h"
#include "model/output/sink.h"

enum {
	XPT_METRICS_GROUPS = 256,	/* names and containers of processes; the others are one, "(other)" */
	XPT_METRICS_BYTES = 64 << 20,	/* of a page, at most */
};

struct xpt_metrics;

/* Recordings that a flight recorder has written for one cause. */
struct xpt_metrics_recordings {
	const char *cause;
	uint64_t written, failed;
};

/* Data that only the tracing program knows. */
struct xpt_metrics_self {
	const char *version, *kernel;	/* kernel: uname -r */
	uint64_t start_wall_ns, cpu_ns, rss_bytes;
	const char *host;		/* uname -n */
	const struct xpt_metrics_recordings *recordings;	/* NULL: there is no flight recorder */
	unsigned nr_recordings;
	uint64_t now_ns;		/* CLOCK_MONOTONIC; the sink has got all counts until then */
};

/* Names of others under which values are shown as well. */
enum { XPT_METRICS_DCGM = 1, XPT_METRICS_OTEL = 2, XPT_METRICS_OBI = 4 };

int xpt_metrics__new(struct xpt_metrics **ret_m);	/* 0 or -ENOMEM */
/* Who has shares; before the first event. NULL, and by default: each user. */
void xpt_metrics__set_owner(struct xpt_metrics *m, xpt_shares_owner_fn owner, void *ctx);
/*
 * Who hears of each error that gets its first line: of a function, a group of processes and a code. proc: one that
 * got it, NULL: not known. error: its name, or number.
 */
typedef void (*xpt_metrics_error_fn)(void *ctx, const struct xpt_fn *fn, const struct xpt_proc *proc, const char *error);
void xpt_metrics__set_new_error(struct xpt_metrics *m, xpt_metrics_error_fn fn, void *ctx);
/* compat: XPT_METRICS_DCGM | ... */
void xpt_metrics__set_compat(struct xpt_metrics *m, unsigned compat);
unsigned xpt_metrics_compat(const char *name);	/* "dcgm", "otel" or "obi" as a bit of that; 0: another */
/*
 * m: a struct xpt_metrics. Reads the memory that a process has open; lost calls are checked at each page. See
 * xpt_open_bytes_fn.
 */
bool xpt_metrics__open_bytes(void *m, const struct xpt_proc *proc, struct xpt_open_bytes *ret);
void xpt_metrics__free(struct xpt_metrics *m);		/* NULL is fine */

/* For xpt_pipeline__add_sink(); its configuration's ctx is the struct xpt_metrics, which outlives the pipeline. */
extern const struct xpt_sink xpt_metrics_sink;

/*
 * Appends the page, while the pipeline is there: counters refer to its functions. Lines are in the same order every
 * time, and counters never fall. 0, or -ENOMEM or -E2BIG of the buffer.
 */
int xpt_metrics__print(struct xpt_metrics *m, const struct xpt_metrics_self *self, struct xpt_strbuf *sb);

#endif
