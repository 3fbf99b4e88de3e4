// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace agent: counts the calls of all processes for as long as it runs, and serves what it has counted as
 * metrics. A service: it runs in the foreground, under systemd or in a container.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "cli/command.h"
#include "session/service.h"
#include "session/trace.h"

#define ADDRESS "127.0.0.1:10477"

struct agent_opts {
	struct xpt_trace_opts t;
};

struct agent {
	struct xpt_trace trace;
	struct agent_opts opts;
	struct xpt_service service;
};

static struct agent the_agent;	/* large; zeroed */

static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	(void)sig, (void)info, (void)ctx;
	xpt_trace__interrupt();
}

static bool is_stopped(void)
{
	return xpt_interrupts > 0;
}

/* Everything that a service has not, and no one asked for: no table, no file of calls, no summary. */
static struct xpt_trace_opts trace_opts(const struct agent_opts *o)
{
	struct xpt_trace_opts t = o->t;

	t.counters = t.quiet = t.no_file = t.no_summary = t.unattended = true;
	return t;
}

static int step(struct agent *a)
{
	int err = xpt_trace__step(&a->trace);

	if (err)
		xpt_err(err, "cannot go on: %s", strerror(-err));
	else
		xpt_service__step(&a->service, xpt_now_ns());
	return err;
}

static int serve(struct agent *a)
{
	int err = 0, status;

	xpt_info("metrics are at http://%s/metrics; Ctrl-C ends", a->trace.metrics.where);
	xpt_service__tell(&a->service, "READY=1\nSTATUS=Counting the calls of all processes");
	while (!err && !xpt_interrupts)
		err = step(a);
	xpt_service__tell(&a->service, "STOPPING=1");
	status = xpt_trace__close(&a->trace, err ? XPT_EXIT_FAILED : XPT_EXIT_OK, -1, 1);
	xpt_service__close(&a->service);
	return status;
}

static int start(struct agent *a)
{
	struct xpt_engine_cfg targets = { .all = true, .open = true, .stopped = is_stopped };
	int status;

	xpt_service__open(&a->service);
	a->trace.opts = trace_opts(&a->opts);
	a->trace.where.loader = true;
	status = xpt_trace__open(&a->trace, "agent", &targets);
	if (status >= 0)
		return status;
	xpt_trace__hurry();
	xpt_trace__catch_signals(on_signal);
	status = xpt_trace__start(&a->trace);
	xpt_trace__drop_rights(&a->trace);
	if (status >= 0) {
		xpt_trace__abort(&a->trace);
		return status;
	}
	xpt_engine__preload(a->trace.engine, NULL, getenv("LD_LIBRARY_PATH"));
	xpt_engine__add_all(a->trace.engine);
	return serve(a);
}

#define XPT_AO(m) offsetof(struct agent_opts, t.m)

static const struct xpt_opt opts[] = {
	{ "listen", 'l', XPT_OPT_STR, XPT_AO(listen), "ADDRESS", "serve metrics there: PORT, HOST:PORT or [HOST]:PORT; "
	  "a PORT alone is on 127.0.0.1 (default " ADDRESS ")", 0 },
	{ "metrics", 0, XPT_OPT_STR, XPT_AO(metrics), "FILE", "keep the same metrics in FILE, too, for a collector "
	  "of files", 0 },
	{ "domain", 'd', XPT_OPT_LIST, XPT_AO(domains), "NAME", "count calls of this domain only (cuda, cudart, nccl, "
	  "verbs, ...); may be given again", 0 },
	{ "function", 'f', XPT_OPT_LIST, XPT_AO(functions), "GLOB", "count calls of functions whose name matches only; "
	  "!GLOB: of all others; may be given again", 0 },
	{ "devices", 0, XPT_OPT_PERIOD, XPT_AO(readings_ns), "TIME", "read GPUs (NVML), RDMA ports and NVMe controllers "
	  "every TIME (1s)", 0 },
	{ "verbose", 'v', XPT_OPT_FLAG, XPT_AO(verbose), 0, "say what is done", 0 },
	{ 0 },
};

static int run(int argc, char **argv)
{
	struct agent_opts *o = &the_agent.opts;
	int rest, status;

	o->t = (struct xpt_trace_opts)XPT_TRACE_DEFAULTS;
	o->t.listen = ADDRESS;
	o->t.readings_ns = 1000000000;
	status = xpt_opt__parse(&xpt_cmd_agent, argc, argv, o, &rest);
	if (status >= 0)
		return status;
	if (rest < argc)
		return xpt_opt__usage(&xpt_cmd_agent, "unexpected '%s'", argv[rest]);
	return start(&the_agent);
}

const struct xpt_cmd xpt_cmd_agent = {
	.name = "agent",
	.args = "[OPTIONS]",
	.summary = "count the calls of all processes and serve metrics, as a service",
	.opts = opts,
	.examples = "  sudo xputrace agent\n"
		    "  sudo xputrace agent --listen 9100 --devices=5s\n"
		    "  curl http://" ADDRESS "/metrics\n",
	.run = run,
};
