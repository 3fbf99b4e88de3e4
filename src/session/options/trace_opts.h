/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The values of the options that `run` and `attach` share. */
#ifndef XPT_SESSION_OPTIONS_TRACE_OPTS_H
#define XPT_SESSION_OPTIONS_TRACE_OPTS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/list.h"

struct xpt_trace_opts {
	struct xpt_list outs, show, domains, functions, stacks, devices, probes, kernel, hooks, hook_files;
	const char *layers, *log, *metrics, *listen, *socket;
	struct xpt_list compat;		/* names that xpt_metrics_compat() knows */
	bool no_file, raw, quiet, json, phases, counters, no_summary, no_follow, no_hold, require, verbose;
	bool errors_only, all_errors, sched;
	bool unattended;	/* the agent: that nothing has been called so far is no news */
	bool only_hooks;	/* domains only where named; the summary has the totals of hooks */
	uint64_t kernel_max, interval_ns, max_size, ring, hang_ns, min_ns, min_bytes, sample, rate, budget_ppm;
	uint64_t readings_ns;	/* of devices, 0: none */
	const char *recorder;	/* folder of a flight recorder; NULL: there is none */
	uint64_t recorder_bytes, recorder_ns;
	uint64_t snapshot_ns;	/* how often snapshots are made, 0: never */
	unsigned clock, attach, ioctl_attach, kernel_attach, sites, color, args, weight;
};

#define XPT_TRACE_DEFAULTS { .max_size = 1ull << 30, .hang_ns = 5000000000ull, .kernel_max = 1000 }

/* XPT_SHOW_* of model/output/sink.h. */
unsigned xpt_show__of(const struct xpt_list *show);
/* Is there a -o -? */
bool xpt_trace_opts__lines_on_stdout(const struct xpt_trace_opts *o);

#endif
