// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See reconfigure.h. A replacement is opened before the part that it replaces is closed. */
#include "session/agent/reconfigure.h"

#include <string.h>

#include "base/log.h"

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_same_list(const struct xpt_list *a, const struct xpt_list *b)
{
	unsigned i = 0;

	while (i < a->n && i < b->n && is_same(a->v[i], b->v[i]))
		i++;
	return i == a->n && i == b->n;
}

static unsigned change_listen(struct xpt_trace *t, const char *listen)
{
	if (is_same(t->opts.listen, listen))
		return 0;
	if (xpt_metrics_page__listen(&t->metrics, listen))
		return 1;
	t->opts.listen = listen;
	xpt_info("metrics are at http://%s/metrics now", t->metrics.where);
	return 0;
}

static unsigned change_file(struct xpt_trace *t, const char *path)
{
	if (is_same(t->opts.metrics, path))
		return 0;
	if (xpt_metrics_page__write_to(&t->metrics, path))
		return 1;
	t->opts.metrics = path;
	return 0;
}

static void change_limits(struct xpt_trace *t, const struct xpt_trace_opts *o)
{
	t->opts.hang_ns = t->recorder.cfg.hang_ns = o->hang_ns;
	t->opts.budget_ppm = o->budget_ppm;
	xpt_engine__set_limits(t->engine, o->hang_ns, o->budget_ppm);
}

static unsigned change_recorder(struct xpt_trace *t, const struct xpt_trace_opts *o)
{
	struct xpt_recorder_cfg cfg = t->recorder.cfg;

	if (t->opts.counters || !o->recorder || (is_same(t->opts.recorder, o->recorder) && t->opts.recorder_ns == o->recorder_ns &&
				 t->opts.recorder_bytes == o->recorder_bytes))
		return 0;
	cfg.dir = o->recorder;
	cfg.keep_ns = o->recorder_ns;
	cfg.max_bytes = o->recorder_bytes;
	if (xpt_recorder__change(&t->recorder, &cfg))
		return 1;
	t->opts.recorder = o->recorder;
	t->opts.recorder_ns = o->recorder_ns;
	t->opts.recorder_bytes = o->recorder_bytes;
	return 0;
}

static void change_names(struct xpt_trace *t, const struct xpt_trace_opts *o)
{
	unsigned compat = 0;

	for (unsigned i = 0; i < o->compat.n; i++)
		compat |= xpt_metrics_compat(o->compat.v[i]);
	t->opts.compat = o->compat;
	if (t->metrics.m)
		xpt_metrics__set_compat(t->metrics.m, compat);
}

static unsigned needs_restart(bool differs, const char *option)
{
	if (differs)
		xpt_warn("'%s' takes effect when the agent is started again", option);
	return differs;
}

unsigned xpt_trace__reconfigure(struct xpt_trace *t, const struct xpt_trace_opts *o)
{
	unsigned n = change_listen(t, o->listen) + change_file(t, o->metrics) + change_recorder(t, o);

	change_limits(t, o);
	change_names(t, o);
	t->opts.verbose = o->verbose;
	xpt_log__set_level(o->verbose ? XPT_LOG_DEBUG : XPT_LOG_INFO);
	return n + needs_restart(!is_same_list(&t->opts.domains, &o->domains), "domain") +
	       needs_restart(!is_same_list(&t->opts.functions, &o->functions), "function") +
	       needs_restart(!is_same(t->opts.socket, o->socket), "socket") +
	       needs_restart(t->opts.readings_ns != o->readings_ns, "devices") +
	       needs_restart(t->opts.counters != o->counters, "counters");
}
