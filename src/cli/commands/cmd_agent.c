// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace agent: counts the calls of all processes for as long as it runs, and serves the counts as metrics.
 * A service: it runs in the foreground, under systemd or in a container.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "cli/command.h"
#include "cli/config_file.h"
#include "http/server.h"
#include "model/domain/domain.h"
#include "pipeline/recording/flight.h"
#include "session/agent/reconfigure.h"
#include "session/agent/recorder_files.h"
#include "session/agent/service.h"
#include "session/live_trace.h"

#define ADDRESS "127.0.0.1:10477"

#define CONFIG "/etc/xputrace.yaml"	/* read where it is there and -c names no other one */

struct agent_opts {
	struct xpt_trace_opts t;
	const char *config;
	bool check;
};

struct agent {
	struct xpt_trace trace;
	struct agent_opts opts;
	struct xpt_service service;
	struct xpt_config *config;	/* the one that was read last, and those before; NULL: none */
	int argc;
	char **argv;
};

static struct agent the_agent;	/* large; zeroed */

static volatile sig_atomic_t reload_wanted;

/* SIGHUP ends an agent of a terminal that has nothing to read again. */
static void on_signal(int sig, siginfo_t *info, void *ctx)
{
	(void)info, (void)ctx;
	if (sig == SIGHUP && (the_agent.config || the_agent.service.fd >= 0))
		reload_wanted = 1;
	else
		xpt_trace__interrupt();
}

static bool is_stopped(void)
{
	return xpt_interrupts > 0;
}

#define XPT_AO(m) offsetof(struct agent_opts, t.m)

static const struct xpt_opt opts[] = {
	{ "listen", 'l', XPT_OPT_STR, XPT_AO(listen), "ADDRESS", "serve metrics there: PORT, HOST:PORT or [HOST]:PORT; "
	  "a PORT alone is on 127.0.0.1 (default " ADDRESS ")", 0 },
	{ "metrics", 0, XPT_OPT_STR, XPT_AO(metrics), "FILE", "keep the same metrics in FILE, too, for a collector "
	  "of files", 0 },
	{ "compat", 0, XPT_OPT_LIST, XPT_AO(compat), "dcgm|otel|obi", "show the same values also under the names of "
	  "DCGM, OpenTelemetry or OBI; may be given again", "dcgm|otel|obi" },
	{ "domain", 'd', XPT_OPT_LIST, XPT_AO(domains), "NAME", "count calls of this domain only (cuda, cudart, nccl, "
	  "verbs, ...); may be given again", 0 },
	{ "function", 'f', XPT_OPT_LIST, XPT_AO(functions), "GLOB", "count calls of functions whose name matches only; "
	  "!GLOB: of all others; may be given again", 0 },
	{ "socket", 0, XPT_OPT_STR, XPT_AO(socket), "PATH", "where `xputrace top` gets its numbers (default "
	  XPT_LOCAL_SOCKET ")", 0 },
	{ "devices", 0, XPT_OPT_PERIOD, XPT_AO(readings_ns), "TIME", "read GPUs (NVML), RDMA ports and NVMe controllers "
	  "every TIME (1s)", 0 },
	{ "config", 'c', XPT_OPT_STR, offsetof(struct agent_opts, config), "FILE", "read options from FILE, in YAML "
	  "('listen: 9100'); those of the command line go first (default " CONFIG ", if it is there)", 0 },
	{ "check", 0, XPT_OPT_FLAG, offsetof(struct agent_opts, check), 0, "only say whether the configuration is right", 0 },
	{ "recordings", 0, XPT_OPT_STR, XPT_AO(recorder), "FOLDER", "when a call hangs, a program crashes in one, a function "
	  "fails in a new way, a GPU reports an Xid or SIGUSR1 comes, write the calls before that there, at most 32 files "
	  "(default " XPT_RECORDER_DIR ")", 0 },
	{ "last", 0, XPT_OPT_DURATION, XPT_AO(recorder_ns), "TIME", "how long calls are kept in memory for that (default 1m)",
	  0 },
	{ "memory", 0, XPT_OPT_SIZE, XPT_AO(recorder_bytes), "SIZE", "how much memory they may take, at least 1M (default 32M)",
	  0 },
	{ "counters", 0, XPT_OPT_FLAG, XPT_AO(counters), 0, "only count: keep no calls", 0 },
	{ "budget", 0, XPT_OPT_SHARE, XPT_AO(budget_ppm), "SHARE", "keep the cost below SHARE (default 1%) of the traced "
	  "processes' wall time: functions whose calls cost most are only counted meanwhile", 0 },
	{ "hang", 0, XPT_OPT_DURATION, XPT_AO(hang_ns), "TIME", "a call that has not returned after TIME hangs (default 5s, 0 "
	  "for never)", 0 },
	{ "verbose", 'v', XPT_OPT_FLAG, XPT_AO(verbose), 0, "say what is done", 0 },
	{ 0 },
};

static struct agent_opts default_opts(void)
{
	struct agent_opts o = { .t = XPT_TRACE_DEFAULTS };

	o.t.listen = ADDRESS;
	o.t.socket = XPT_LOCAL_SOCKET;
	o.t.readings_ns = 1000000000;
	o.t.recorder = XPT_RECORDER_DIR;
	o.t.recorder_ns = 60000000000ull;
	o.t.recorder_bytes = 32 << 20;
	o.t.budget_ppm = 10000;
	return o;
}

/* The file that options are read from; NULL: none. */
static const char *find_config(const struct agent_opts *o)
{
	if (o->config)
		return o->config;
	return access(CONFIG, F_OK) ? NULL : CONFIG;
}

/* "FILE:3:9: " where a value came from the configuration, else "--listen: ". */
static const char *place_of(const struct agent *a, const char *value, const char *option, char *buf, size_t n)
{
	char place[PATH_MAX + 32];

	xpt_config__place(a->config, value, place, sizeof(place));
	snprintf(buf, n, "%s%s%s", place[0] ? place : "--", place[0] ? ": " : "", option);
	return buf;
}

/* Checks that the option table cannot make. -1 or an exit status. */
static int check_values(const struct agent *a)
{
	const struct xpt_trace_opts *t = &a->opts.t;
	char where[PATH_MAX + 64];

	if (t->recorder_bytes < XPT_FLIGHT_MIN)
		return xpt_opt__usage(&xpt_cmd_agent, "memory: at least 1M");
	if (!xpt_server__is_address(t->listen))
		return xpt_opt__usage(&xpt_cmd_agent, "%s: '%s' is no address: PORT, HOST:PORT or [HOST]:PORT",
				      place_of(a, t->listen, "listen", where, sizeof(where)), t->listen);
	if (t->socket && t->socket[0] != '/')
		return xpt_opt__usage(&xpt_cmd_agent, "%s: '%s' does not begin with /",
				      place_of(a, t->socket, "socket", where, sizeof(where)), t->socket);
	for (unsigned i = 0; i < t->domains.n; i++)
		if (!xpt_domain__find(t->domains.v[i]))
			return xpt_opt__usage(&xpt_cmd_agent, "%s: there is no domain '%s' ('xputrace list' shows them)",
					      place_of(a, t->domains.v[i], "domain", where, sizeof(where)), t->domains.v[i]);
	return -1;
}

/* Defaults, then the configuration, then the command line. -1 or an exit status. */
static int read_opts(struct agent *a, int argc, char **argv)
{
	const char *config;
	int status, rest;

	a->opts = default_opts();
	status = xpt_opt__parse(&xpt_cmd_agent, argc, argv, &a->opts, &rest);
	if (status < 0 && rest < argc)
		status = xpt_opt__usage(&xpt_cmd_agent, "unexpected '%s'", argv[rest]);
	config = status < 0 ? find_config(&a->opts) : NULL;
	if (!config)
		return status < 0 ? check_values(a) : status;
	a->opts = default_opts();
	if (xpt_config__read(&xpt_cmd_agent, config, &a->opts, a->config, &a->config))
		return XPT_EXIT_USAGE;
	status = xpt_opt__parse(&xpt_cmd_agent, argc, argv, &a->opts, &rest);
	return status < 0 ? check_values(a) : status;
}

/* Everything that a service has not, and no one asked for: no table, no file of calls, no summary. */
static struct xpt_trace_opts trace_opts(const struct agent_opts *o)
{
	struct xpt_trace_opts t = o->t;

	t.quiet = t.no_file = t.no_summary = t.unattended = true;
	if (t.counters)
		t.recorder = NULL;
	t.budget_ppm = t.counters ? 0 : t.budget_ppm;
	return t;
}

/* Reads configuration and command line again. Errors in them are reported, and all stays as it
 * was. */
static void read_again(struct agent *a)
{
	struct agent_opts had = a->opts;
	struct xpt_trace_opts next;
	char text[64];

	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, xpt_now_ns() / 1000);
	xpt_service__notify(&a->service, text);
	if (read_opts(a, a->argc, a->argv) < 0) {
		next = trace_opts(&a->opts);
		if (!xpt_trace__reconfigure(&a->trace, &next))
			xpt_info("the configuration was read again");
	} else {
		a->opts = had;
		xpt_warn("the configuration stays as it was");
	}
	xpt_service__notify(&a->service, "READY=1");
}

static int step_agent(struct agent *a)
{
	int err = xpt_trace__step(&a->trace);

	if (err)
		xpt_err(err, "cannot go on: %s", strerror(-err));
	else
		xpt_service__step(&a->service, xpt_now_ns());
	if (reload_wanted) {
		reload_wanted = 0;
		read_again(a);
	}
	return err;
}

static int serve_metrics(struct agent *a)
{
	int err = 0, status;

	xpt_info("metrics are at http://%s/metrics; Ctrl-C ends", a->trace.metrics.where);
	xpt_service__notify(&a->service, "READY=1\nSTATUS=Counting the calls of all processes");
	while (!err && !xpt_interrupts)
		err = step_agent(a);
	xpt_service__notify(&a->service, "STOPPING=1");
	status = xpt_trace__close(&a->trace, err ? XPT_EXIT_FAILED : XPT_EXIT_OK, -1, XPT_END_INTERRUPTED);
	xpt_service__close(&a->service);
	return status;
}

/* Callback of the engine: a stranger may make the kernel slow, which is no reason for systemd to end us. */
static void say_alive(void)
{
	xpt_service__step(&the_agent.service, xpt_now_ns());
}

static int start_agent(struct agent *a)
{
	struct xpt_engine_cfg targets = { .all = true, .open = true, .stopped = is_stopped };
	int status;

	xpt_service__open(&a->service);
	a->trace.opts = trace_opts(&a->opts);
	a->trace.where.loader = true;
	a->trace.waiting = say_alive;
	status = xpt_trace__open(&a->trace, "agent", &targets);
	if (status >= 0)
		return status;
	xpt_trace__hurry(false);
	xpt_trace__catch_signals(on_signal);
	status = xpt_trace__start(&a->trace);
	xpt_trace__drop_rights(&a->trace);
	if (status >= 0) {
		xpt_trace__abort(&a->trace);
		return status;
	}
	xpt_engine__preload(a->trace.engine, NULL, getenv("LD_LIBRARY_PATH"));
	xpt_engine__add_all(a->trace.engine);
	return serve_metrics(a);
}

static int run_agent(int argc, char **argv)
{
	struct agent *a = &the_agent;
	int status;

	a->argc = argc;
	a->argv = argv;
	a->service.fd = -1;
	status = read_opts(a, argc, argv);
	if (status >= 0)
		return status;
	if (a->opts.check)
		printf("%s\n", a->config ? "the configuration is right" : "there is no configuration; the options are right");
	return a->opts.check ? XPT_EXIT_OK : start_agent(a);
}

const struct xpt_cmd xpt_cmd_agent = {
	.name = "agent",
	.args = "[OPTIONS]",
	.summary = "count the calls of all processes and serve metrics, as a service",
	.opts = opts,
	.examples = "  sudo xputrace agent\n"
		    "  sudo xputrace agent --listen 9100 --devices=5s\n"
		    "  xputrace agent -c xputrace.yaml --check\n"
		    "  curl http://" ADDRESS "/metrics\n",
	.run = run_agent,
};
