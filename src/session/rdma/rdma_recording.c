// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rdma_recording.h. The call of the kernel is before its line, and both before the calls around it. An analyzer
 * of the pipeline, so it sees the records that all see.
 */
#include "session/rdma/rdma_recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "session/beside.h"
#include "session/read.h"
#include "model/picture/around.h"
#include "rdma/trace/event_line.h"
#include "rdma/trace/trace.h"

#define MAX_OPEN 256
#define MAX_PIDS 65536
#define LINE_MAX_BYTES 65535

struct open {
	struct xpt_around around;	/* proc NULL: nothing is known of it */
	char *json;
};

struct reading {
	xpt_rdma_line_fn fn;
	void *ctx;
	struct xpt_around last;		/* the call of the kernel before a line */
	uint64_t last_start_ns;
	struct open *open;		/* MAX_OPEN, the oldest first */
	unsigned nr;
	struct xpt_strbuf sb;
	struct xpt_hashmap *pids;	/* of processes that have lines and run still */
	int64_t wall_offset;
	int err;
};

static void give_trace(struct reading *r)
{
	if (!r->err && !xpt_strbuf__err(&r->sb))
		r->err = r->fn(r->ctx, r->sb.s, r->sb.len);
	xpt_strbuf__reset(&r->sb);
}

/* Hands out its line, with the fields that were not known when it was written: of a key the last one counts. */
static void give_first(struct reading *r)
{
	struct open *o = &r->open[0];
	size_t n = strlen(o->json);

	xpt_strbuf__addn(&r->sb, o->json, n && o->json[n - 1] == '}' ? n - 1 : n);
	if (o->around.caller[0]) {
		xpt_strbuf__add(&r->sb, ",\"caller\":");
		xpt_strbuf__add_json(&r->sb, o->around.caller);
	}
	if (o->around.outer[0]) {
		xpt_strbuf__add(&r->sb, ",\"outer\":");
		xpt_strbuf__add_json(&r->sb, o->around.outer);
	}
	if (n && o->json[n - 1] == '}')
		xpt_strbuf__addc(&r->sb, '}');
	give_trace(r);
	free(o->json);
	memmove(o, o + 1, --r->nr * sizeof(*o));
}

/* After the lines of the process. */
static void give_exit(struct reading *r, const struct xpt_proc *proc, uint64_t ts_ns)
{
	struct xpt_rdma_moment at = { .monotonic_ns = ts_ns, .wall_ns = ts_ns + (uint64_t)r->wall_offset };

	if (!proc->pid || !xpt_hashmap__del(r->pids, &proc->pid))
		return;
	while (r->nr)
		give_first(r);
	xpt_rdma_exit__print(proc->pid, proc->comm, &at, &r->sb);
	r->sb.len -= r->sb.len > 0;	/* the line's end */
	give_trace(r);
}

static void add_line(struct reading *r, const char *json)
{
	struct open *o;

	if (r->nr == MAX_OPEN)
		give_first(r);
	o = &r->open[r->nr];
	*o = (struct open){ .around = r->last, .json = strdup(json) };
	if (!o->json) {
		r->err = r->err ? r->err : -ENOMEM;
		return;
	}
	r->nr++;
	if (o->around.proc)
		xpt_hashmap__get(r->pids, &o->around.proc->pid, NULL);
	if (o->around.proc && o->around.start_ns > r->last_start_ns)
		r->last_start_ns = o->around.start_ns;
	r->last = (struct xpt_around){ 0 };
}

static void on_call(struct reading *r, const struct xpt_call *c)
{
	unsigned i;

	if (c->fn->role_idx[XPT_ROLE_CAUSE] >= 0)
		xpt_around__begin(&r->last, c);
	else if (c->start_ns <= r->last_start_ns)
		for (i = 0; i < r->nr; i++)
			xpt_around__note(&r->open[i].around, c);
}

static void forget_trace(struct reading *r)
{
	unsigned i;

	r->last = (struct xpt_around){ 0 };
	for (i = 0; i < r->nr; i++)
		if (r->open[i].around.proc && r->open[i].around.proc->forgotten)
			r->open[i].around.proc = NULL;
}

struct state {
	struct reading *r;
};

static int lines_open(void *st, const struct xpt_sink_cfg *cfg)
{
	((struct state *)st)->r = cfg->ctx;
	return 0;
}

static int lines_event(void *st, const struct xpt_event *ev)
{
	struct reading *r = ((struct state *)st)->r;

	switch (ev->kind) {
	case XPT_EV_CALL:
		on_call(r, &ev->u.call);
		break;
	case XPT_EV_META:
		if (!strcmp(ev->u.meta.key, XPT_RDMA_TRACE_META))
			add_line(r, ev->u.meta.value);
		break;
	case XPT_EV_FORGET:
		forget_trace(r);
		break;
	case XPT_EV_BEGIN:
		r->wall_offset = ev->u.begin.realtime_minus_monotonic_ns;
		break;
	case XPT_EV_EXIT:
		give_exit(r, ev->u.proc.proc, ev->ts_ns);
		break;
	case XPT_EV_END:
		while (r->nr)
			give_first(r);
		break;
	default:
		break;
	}
	return 0;
}

static const struct xpt_sink lines_sink = {
	.name = "rdma_lines", .state_size = sizeof(struct state), .open = lines_open, .event = lines_event,
};

bool xpt_rdma_recording__is(const char *path)
{
	size_t n = strlen(path);

	return (n > 4 && !strcmp(path + n - 4, ".xtr")) || xpt_beside__has(path);
}

int xpt_rdma_recording__read(const char *path, xpt_rdma_line_fn fn, void *ctx)
{
	struct reading r = { .fn = fn, .ctx = ctx };
	struct xpt_sink_cfg cfg = { .ctx = &r };
	struct xpt_pipeline *p = NULL;
	int err, damage = 0;

	xpt_strbuf__init(&r.sb, LINE_MAX_BYTES);
	r.open = calloc(MAX_OPEN, sizeof(*r.open));
	err = r.open ? xpt_hashmap__new(sizeof(uint32_t), 0, MAX_PIDS, &r.pids) : -ENOMEM;
	if (!err)
		err = xpt_pipeline__new(&p);
	if (!err)
		err = xpt_pipeline__add_sink(p, &lines_sink, "rdma_lines", &cfg);
	if (err) {
		xpt_err(err, "%s: %s", path, strerror(-err));
		goto out;
	}
	err = xpt_read__pipeline(path, p, &damage);
	xpt_pipeline__finish(p);
	err = err ? err : r.err;
	if (err == -ENOMEM)
		xpt_err(err, "out of memory");
out:
	while (r.nr)
		free(r.open[--r.nr].json);
	free(r.open);
	xpt_hashmap__free(r.pids);
	xpt_strbuf__free(&r.sb);
	xpt_pipeline__free(p);
	return err;
}
