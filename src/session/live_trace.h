/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tracing, as `run` and `attach` share it: options, engine, outputs, loop.
 */
#ifndef XPT_SESSION_LIVE_TRACE_H
#define XPT_SESSION_LIVE_TRACE_H

#include <signal.h>
#include "engine/engine.h"
#include "session/agent/agent_metrics.h"
#include "session/agent/recorder.h"
#include "session/agent/snapshot_page.h"
#include "session/options/function_option.h"
#include "session/options/hook_options.h"
#include "session/options/layer_options.h"
#include "session/options/trace_opts.h"
#include "session/outputs.h"
#include "session/refused.h"
#include "session/traces.h"

struct xpt_trace {
	const char *command;
	struct xpt_trace_opts opts;
	struct xpt_functions_where where;	/* libraries that -f is compared with */
	const struct xpt_domain *domains[XPT_LIST_MAX + 1];
	struct xpt_layers layers;
	struct xpt_probe *probes;	/* those of --probe, then of hooks, then of domains */
	struct xpt_hook_set *hooks;
	unsigned nr_probes;
	struct xpt_kfind *kernel;	/* while the engine is opened */
	struct xpt_rdma_layer *rdma;	/* or NULL */
	struct xpt_outputs *out;
	struct xpt_metrics_page metrics;
	struct xpt_recorder recorder;
	struct xpt_snapshot_page snapshots;	/* its `take` is set before open */
	struct xpt_engine *engine;
	struct xpt_traces traces;
	const char *files[XPT_TRACES_FILES + 1];	/* the default ones; NULL-terminated */
	uint64_t start_ns, flush_ns, interval_ns, nr_calls;	/* and records of their totals */
	bool said_waiting;
	struct xpt_refused refused;	/* probes, and whether that was reported */
	void (*waiting)(void);	/* set before open: see struct xpt_engine_cfg; or NULL */
	bool text_to_stderr;	/* set before open: standard output is the command's */
};

extern volatile sig_atomic_t xpt_interrupts, xpt_inflight_wanted;	/* how often so far; SIGUSR1 came */
void xpt_trace__interrupt(void);	/* for handlers; several within half a second are one: timeout(1) */
/* SIGINT, SIGTERM, SIGHUP. A SIGHUP that nohup(1) made ignored stays so. */
void xpt_trace__catch_signals(void (*handler)(int sig, siginfo_t *info, void *ctx));

/* Checks options, opens outputs, loads the engine. -1 or an exit status; it has said why. */
int xpt_trace__open(struct xpt_trace *t, const char *command,
		    const struct xpt_engine_cfg *targets);
/* Starts the engine; under `run` the command is a target by then. As above. */
int xpt_trace__start(struct xpt_trace *t);
/* Raises our priority; for `run` once the command was forked, which must not get it. */
void xpt_trace__hurry(bool shares_session);
/*
 * Gives up the capabilities that no later attaching needs; after xpt_trace__hurry(), once all that is asked
 * for has its probes. Where that fails, all are kept.
 */
void xpt_trace__drop_rights(const struct xpt_trace *t);
/* Runs one round: takes the records that have arrived, waits at most 50 ms. Returns 0 or -errno. */
int xpt_trace__step(struct xpt_trace *t);
/*
 * Writes totals and summary, closes everything. status: the exit status if all went well; wait_status as in
 * struct xpt_rec_end; reason: enum xpt_end_reason. Returns the exit status.
 */
int xpt_trace__close(struct xpt_trace *t, int status, int wait_status, uint32_t reason);
/* Closes everything without results: the command never ran. */
void xpt_trace__abort(struct xpt_trace *t);

#endif
