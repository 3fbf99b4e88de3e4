/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Dispatch of events and records, see dispatch.h. Analyzers come before sinks, so
 * that at the end of a trace a sink sees the results before XPT_EV_END; the
 * findings of all analyzers come when each of them has seen the end.
 */
#include "pipeline/dispatch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/fmt.h"
#include "base/log.h"
#include "pipeline/recording/file_share.h"

int xpt_out__add_analyzer(struct xpt_out *out, const struct xpt_analyzer *a)
{
	void *state;
	int err;

	if (out->nr_analyzers == XPT_MAX_OUTPUTS)
		return -E2BIG;
	err = xpt_analyzer__open(a, &out->stream, &state);
	if (!err)
		out->analyzer[out->nr_analyzers++] = (struct xpt_out_analyzer){ a, state };
	return err;
}

int xpt_out__add_sink(struct xpt_out *out, const struct xpt_sink *s, const char *name,
		      const struct xpt_sink_cfg *cfg)
{
	struct xpt_out_sink *k = &out->sink[out->nr_sinks];
	int err;

	if (out->nr_sinks == XPT_MAX_OUTPUTS)
		return -E2BIG;
	*k = (struct xpt_out_sink){ .s = s, .max_bytes = cfg->max_bytes, .share = s->bytes ? cfg->share : NULL };
	k->name = strdup(name);
	k->state = calloc(1, s->state_size ? s->state_size : 1);
	err = -ENOMEM;
	if (!k->name || !k->state)
		goto out;
	err = s->open ? s->open(k->state, cfg) : 0;
	if (err) {
		if (s->close)
			s->close(k->state);
		goto out;
	}
	out->nr_sinks++;
out:
	if (err) {
		free(k->name);
		free(k->state);
	}
	return err;
}

/* Once for each file, whatever the number of sinks on it. A reader that went
 * away (head, less) has seen enough: no message. */
static void report_failure(const struct xpt_out *out, const struct xpt_out_sink *k)
{
	const struct xpt_out_sink *other;

	for (other = out->sink; other < out->sink + out->nr_sinks; other++)
		if (other != k && other->err && !strcmp(other->name, k->name))
			return;
	if (k->err != -EPIPE)
		xpt_err(k->err, "cannot write %s: %s", k->name, strerror(-k->err));
}

/* Decides about a failed sink and reports it, once each. err: the return value of its callback, not 0. */
static void sink_failed(struct xpt_out *out, struct xpt_out_sink *k, int err)
{
	char size[32];

	if (err == XPT_SINK_FULL) {
		k->limited = true;
		xpt_out__lost(out, XPT_LOSS_FILE_LIMIT, 1);
		xpt_warn("%s has reached its limit of %s: no more events are written to it, "
			 "totals go on (--max-size raises the limit)", k->name,
			 xpt_fmt_bytes(k->max_bytes, size, sizeof(size)));
		return;
	}
	k->err = err;
	report_failure(out, k);
	xpt_out__lost(out, XPT_LOSS_SINK_FAILED, 1);
}

/* A call to a file of which each owner has a share. As the sink's event. */
static int shared_call(struct xpt_out *out, struct xpt_out_sink *k, const struct xpt_event *ev)
{
	uint32_t pid = ev->u.call.proc->pid;
	uint64_t before = k->s->bytes(k->state), after, owner;
	int err;

	if (!xpt_file_share__fits(k->share, pid, before)) {
		xpt_out__lost(out, XPT_LOSS_FILE_LIMIT, 1);
		xpt_file_share__cut(k->share, pid, &owner);
		return 0;
	}
	err = k->s->event(k->state, ev);
	after = k->s->bytes(k->state);
	xpt_file_share__took(k->share, pid, after > before ? after - before : 0);
	return err;
}

static void sink_event(struct xpt_out *out, struct xpt_out_sink *k, const struct xpt_event *ev)
{
	bool is_call = ev->kind == XPT_EV_CALL || ev->kind == XPT_EV_INFLIGHT;
	int err;

	if (!k->s->event)
		return;
	if (k->err) {
		xpt_out__lost(out, XPT_LOSS_SINK_FAILED, 1);
		return;
	}
	if (k->limited && is_call) {
		xpt_out__lost(out, XPT_LOSS_FILE_LIMIT, 1);
		return;
	}
	err = k->share && is_call ? shared_call(out, k, ev) : k->s->event(k->state, ev);
	if (err)
		sink_failed(out, k, err);
}

/* Decides as the BPF programs do for calls that later calls do not depend on. */
static bool is_left_out(const struct xpt_out_limits *l, const struct xpt_call *c)
{
	bool point = c->fn->layer == XPT_LAYER_POINT;
	uint64_t bytes = 0;

	if (c->flags & XPT_CALL_FAILED)	/* benign answers and expected failures are no errors */
		return l->only_errors && !c->failed;
	if (l->only_errors || (!point && c->dur_ns < l->min_ns))
		return true;
	return l->min_bytes && !point && (!xpt_call__bytes(c, &bytes) || bytes < l->min_bytes);
}

void xpt_out__event(struct xpt_out *out, const struct xpt_event *ev)
{
	unsigned i;

	xpt_stream__see(&out->stream, ev, out);
	for (i = 0; i < out->nr_analyzers; i++)
		xpt_analyzer__event(out->analyzer[i].a, out->analyzer[i].state, ev, out);
	if (ev->kind == XPT_EV_END && out->findings)
		xpt_findings__emit(out->findings, ev->u.end.start_ns, ev->u.end.end_ns, out);
	if (ev->kind == XPT_EV_CALL && is_left_out(&out->limits, &ev->u.call))
		return;
	for (i = 0; i < out->nr_sinks; i++)
		sink_event(out, &out->sink[i], ev);
}

void xpt_out__emit(struct xpt_out *out, const struct xpt_schema *schema, const void *rec)
{
	struct xpt_out_sink *k;
	unsigned i;
	int err;

	for (i = 0; i < out->nr_sinks; i++) {
		k = &out->sink[i];
		if (!k->s->record)
			continue;
		if (k->err) {
			xpt_out__lost(out, XPT_LOSS_SINK_FAILED, 1);
			continue;
		}
		err = k->s->record(k->state, schema, rec);
		if (err)
			sink_failed(out, k, err);
	}
}

void xpt_out__finding(struct xpt_out *out, const struct xpt_finding *f)
{
	if (!out->findings && xpt_findings__new(&out->findings))
		xpt_out__lost(out, XPT_LOSS_TABLE_EVICTED, 1);
	else
		xpt_findings__add(out->findings, f);
}

void xpt_out__lost(struct xpt_out *out, enum xpt_loss loss, uint64_t n)
{
	if ((unsigned)loss >= XPT_LOSS__MAX)
		return;
	if (__builtin_add_overflow(out->own_lost[loss], n, &out->own_lost[loss]))
		out->own_lost[loss] = UINT64_MAX;
}

const struct xpt_stream *xpt_out__stream(const struct xpt_out *out)
{
	return &out->stream;
}

uint64_t xpt_out__total_lost(const struct xpt_out *out, enum xpt_loss loss)
{
	uint64_t sum;

	if ((unsigned)loss >= XPT_LOSS__MAX)
		return 0;
	if (__builtin_add_overflow(out->own_lost[loss], out->stream_lost[loss], &sum))
		return UINT64_MAX;
	return sum;
}

int xpt_out__close(struct xpt_out *out)
{
	struct xpt_out_analyzer *a;
	struct xpt_out_sink *k;
	int err, first = 0;

	while (out->nr_analyzers) {
		a = &out->analyzer[--out->nr_analyzers];
		xpt_analyzer__close(a->a, a->state);
	}
	xpt_stream__free(&out->stream);
	for (k = out->sink; k < out->sink + out->nr_sinks; k++) {
		err = k->s->close ? k->s->close(k->state) : 0;
		if (err && !k->err) {
			k->err = err;
			report_failure(out, k);
		}
		if (k->err && (!first || first == -EPIPE))
			first = k->err;
	}
	for (k = out->sink; k < out->sink + out->nr_sinks; k++) {
		free(k->state);
		free(k->name);
	}
	out->nr_sinks = 0;
	xpt_findings__free(out->findings);
	out->findings = NULL;
	return first;
}
