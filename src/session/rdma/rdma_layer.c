// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See rdma_layer.h. The kernel sends a call before it returns to the library, so a
 * look at its ring before each later call of the engine is enough for the order. The
 * whole of a call, as `rdma watch -o` writes it, goes with it as META.
 */
#include "session/rdma/rdma_layer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/log.h"
#include "base/text_id.h"
#include "base/time.h"
#include "engine/calls/inject.h"
#include "engine/source.h"
#include "proc/maps.h"
#include "rdma/trace/event_line.h"
#include "rdma/trace/trace_json.h"
#include "session/options/usage.h"
#include "session/rdma/output/show.h"
#include "session/rdma/rdma_counts.h"
#include "session/rdma/rdma_session.h"
#include "wire/config.h"

/* For the library's call around one of the kernel; a busy machine is slow to take either. */
#define PATIENCE_NS 400000000ull
#define PATIENCE_STEPS 4
#define WAITING 64
#define NAMES 256
#define TEXTS 4				/* as the domain's row has them */
#define PARENTS 16
#define UNWANTED 256			/* processes that were judged, */
#define UNWANTED_NS 1000000000ull	/* and are not asked for this time */
#define SLOW_NS 50000000ull		/* as `rdma watch` has it by default */
#define WHOLE_NS 1000000000ull		/* between two good calls of a kind whose whole goes into the trace */
#define KINDS 4096
#define LINE_MAX_BYTES 65000		/* of a record, see XPT_REC_MAX */
#define CAUSE 256

/* A call, as it goes into the trace. */
struct told {
	uint32_t method;	/* index of the graph's roots */
	bool failed;		/* and that is not normal */
	int64_t ret;		/* 0 or -errno */
	const char *device, *origin, *advice;	/* the last two of failures, else "" */
	char cause[CAUSE];
};

struct waiting {
	uint64_t since_ns, step;
	char *json;			/* NULL: none goes with it */
	union {
		struct xpt_rec_call call;
		uint64_t space[(sizeof(struct xpt_rec_call) + TEXTS * 8 + XPT_STR_MAX) / 8 + 1];
	};
};

struct unwanted {
	uint32_t tgid;
	uint64_t ns;
};

struct xpt_rdma_layer {
	struct xpt_rdma_layer_cfg cfg;
	struct xpt_engine *e;
	const struct xpt_domain *domain;
	struct xpt_rdma_which which;
	struct xpt_rdma_session session;
	struct xpt_strbuf sb;		/* of a line */
	struct xpt_hashmap *whole_ns;	/* kind of call -> when the whole of one went into the trace */
	uint64_t read_ns, calls, steps;	/* read_ns: when the kernel's ring was looked at */
	unsigned nr_targets;		/* 0: as cfg says */
	int status;			/* why it could not start: an exit status; else -1 */
	bool all;			/* no other process's calls come here */
	bool started, stopped;
	struct {
		char text[96];
		uint32_t fn;
	} name[NAMES];
	unsigned nr_names;
	struct waiting waiting[WAITING];	/* the oldest first */
	struct xpt_rdma_counts *counts;
	unsigned nr_waiting;
	uint64_t unnamed, uncounted;	/* calls beyond NAMES, and that counts had no room for */
	uint64_t heard;			/* of whomever */
	struct unwanted unwanted[UNWANTED];
};

/* --- out ------------------------------------------------------------------------- */

/* The i-th of those that wait goes, at that depth. */
static void release_waiting(struct xpt_rdma_layer *l, unsigned i, unsigned depth)
{
	struct waiting w = l->waiting[i];

	l->nr_waiting--;
	memmove(&l->waiting[i], &l->waiting[i + 1], (l->nr_waiting - i) * sizeof(w));
	w.call.depth = (uint8_t)(depth < XPT_MAX_DEPTH ? depth : XPT_MAX_DEPTH - 1);
	w.call.flags |= depth ? XPT_CALL_NESTED : 0;
	xpt_engine__emit_call(l->e, &w.call);
	if (w.json)
		xpt_engine__emit_meta(l->e, XPT_RDMA_TRACE_META, w.json);
	free(w.json);
}

static void release_old(struct xpt_rdma_layer *l, uint64_t now)
{
	while (l->nr_waiting && now - l->waiting[0].since_ns >= PATIENCE_NS &&
	       l->steps - l->waiting[0].step >= PATIENCE_STEPS)
		release_waiting(l, 0, 0);
}

/* --- a call ---------------------------------------------------------------------- */

/* Its function: "modify_qp INIT>RTR". 0: none is left. */
static uint32_t fn_of(struct xpt_rdma_layer *l, const struct xpt_rdma_trace *t)
{
	char text[sizeof(l->name[0].text)];
	unsigned i;

	snprintf(text, sizeof(text), "%.60s%s%.30s", t->method, *t->shape ? " " : "", t->shape);
	for (i = 0; i < l->nr_names; i++)
		if (!strcmp(l->name[i].text, text))
			return l->name[i].fn;
	if (i == NAMES || xpt_engine__add_fn(l->e, l->domain, l->domain->rows, text, &l->name[i].fn))
		return 0;
	snprintf(l->name[i].text, sizeof(l->name[i].text), "%s", text);
	l->nr_names++;
	return l->name[i].fn;
}

static void add_texts(struct xpt_rec_call *c, const char *const *texts)
{
	char *to = (char *)&c->val[TEXTS];
	size_t n;
	int i;

	for (i = 0; i < TEXTS; i++) {
		n = strnlen(texts[i], XPT_STR_EACH - 1);
		memcpy(to, texts[i], n);
		to[n] = '\0';
		to += n + 1;
		c->val[i] = 0;
	}
	c->nr_vals = TEXTS;
	c->valid = (1u << TEXTS) - 1;
	c->str_len = (uint16_t)(to - (char *)&c->val[TEXTS]);
	n = sizeof(*c) + TEXTS * sizeof(c->val[0]) + c->str_len;
	c->rec.size = (uint16_t)((n + 7) & ~(size_t)7);
}

static void fill_call(struct xpt_rec_call *c, const struct xpt_wire_rdma_rec *r, const struct told *told)
{
	const char *texts[TEXTS] = { told->device, told->origin, told->cause, told->advice };

	c->rec.kind = XPT_REC_CALL;
	c->start_ns = r->start_ns;
	c->dur_ns = r->dur_ns;
	c->tgid = r->tgid;
	c->tid = r->tid;
	c->ret = told->ret;
	c->flags = told->failed ? XPT_CALL_FAILED : 0;
	add_texts(c, texts);
}

/*
 * The engine judges a process at its first call of a library, and this may be one that has none
 * yet. Of one that has ended meanwhile the call itself tells its name and user.
 */
static bool is_selected(const struct xpt_select *s, const struct xpt_wire_rdma_rec *r, const char *comm)
{
	static struct xpt_procinfo info;	/* 8 KiB; one thread */
	bool there = !xpt_proc__read((int)r->tgid, &info);
	unsigned i;

	if (there ? xpt_select__why_not(s, (int)r->tgid) != NULL :
	    xpt_select__bits(s) & XPT_SELECT_CGROUP ||
	    (xpt_select__bits(s) & XPT_SELECT_UID && xpt_select__uid(s) != r->uid))
		return false;
	if (!xpt_select__by_comm(s))
		return true;
	if (!there)
		return xpt_select__comm_matches(s, comm);
	for (i = 0; i < PARENTS; i++) {		/* a child of such a process is one, too */
		if (xpt_select__comm_matches(s, info.comm))
			return true;
		if (info.ppid <= 1 || xpt_proc__read((int)info.ppid, &info))
			break;
	}
	return false;
}

/* Callback of the session. */
static bool is_wanted(void *ctx, const struct xpt_wire_rdma_rec *r, const struct xpt_rdma_trace *t)
{
	struct xpt_rdma_layer *l = ctx;
	struct unwanted *u = &l->unwanted[r->tgid % UNWANTED];
	uint64_t now;

	l->heard++;
	if (l->all || xpt_engine__traces(l->e, (int)r->tgid))
		return true;
	if (!l->cfg.select)
		return false;
	now = xpt_now_ns();
	if (u->tgid == r->tgid && now - u->ns < UNWANTED_NS)
		return false;
	if (is_selected(l->cfg.select, r, t->comm))
		return true;
	*u = (struct unwanted){ r->tgid, now };
	return false;
}

/* Good until the next call is judged. */
static void judge_call(const struct xpt_rdma_layer *l, const struct xpt_wire_rdma_rec *r,
		       const struct xpt_rdma_trace *t, struct told *ret_told)
{
	struct xpt_rdma_verdict v;
	const char *normal;

	xpt_rdma_session__judge(&l->session, t, &v);
	/* A trial may go well in a moment; the lines of the recording show whether it did, in their order. */
	normal = v.expected ? v.expected : v.trial;
	*ret_told = (struct told){
		.method = xpt_rdma_watchlist__method_of(l->session.list, r),
		.failed = v.failed && !normal, .ret = t->ret < 0 ? t->ret : 0,	/* write(2) returns bytes */
		.device = t->device, .origin = "", .advice = "",
	};
	if (normal)
		snprintf(ret_told->cause, CAUSE, "%s", normal);
	if (!ret_told->failed)
		return;
	ret_told->origin = xpt_rdma_verdict__origin(t, &v);
	ret_told->advice = v.cause.advice;
	snprintf(ret_told->cause, CAUSE, "%s: %s", xpt_rdma_class_title(v.cause.cls), v.cause.sentence);
}

/* Whether the whole call goes into the trace: all that are bad, of good ones one a second of each kind. */
static bool is_whole(struct xpt_rdma_layer *l, const struct xpt_wire_rdma_rec *r, const struct xpt_rdma_trace *t)
{
	uint64_t kind[3] = { xpt_text_id(t->method, strlen(t->method)), xpt_text_id(t->shape, strlen(t->shape)),
			     xpt_text_id(t->device, strlen(t->device)) };
	uint64_t *last_ns;

	if (r->why & (XPT_RDMA_SENT_FAILED | XPT_RDMA_SENT_SLOW | XPT_RDMA_SENT_NEW))
		return true;
	last_ns = xpt_hashmap__get(l->whole_ns, kind, NULL);
	if (!last_ns || (*last_ns && r->start_ns - *last_ns < WHOLE_NS))
		return false;
	*last_ns = r->start_ns;
	return true;
}

/* The line in sb without its end; NULL: it does not fit. */
static const char *take_line(struct xpt_rdma_layer *l)
{
	if (xpt_strbuf__err(&l->sb) || !l->sb.len)
		return NULL;
	l->sb.s[l->sb.len - 1] = '\0';
	return l->sb.s;
}

/* As a line; NULL: the call alone goes into the trace. Free it. */
static char *whole_of(struct xpt_rdma_layer *l, const struct xpt_wire_rdma_rec *r, const struct xpt_rdma_trace *t)
{
	if (!is_whole(l, r, t))
		return NULL;
	xpt_strbuf__reset(&l->sb);
	xpt_rdma_trace__print(t, &l->sb);
	return take_line(l) ? strdup(l->sb.s) : NULL;
}

/* Callback of the session. */
static void on_call(void *ctx, const struct xpt_wire_rdma_rec *r, struct xpt_rdma_trace *t)
{
	struct xpt_rdma_layer *l = ctx;
	struct waiting *w;
	struct told told;
	uint32_t fn;

	fn = fn_of(l, t);
	if (!fn) {
		l->unnamed++;
		return;
	}
	if (l->nr_waiting == WAITING)
		release_waiting(l, 0, 0);
	w = &l->waiting[l->nr_waiting];
	memset(w, 0, sizeof(*w));
	w->call.rec.fn = fn;
	judge_call(l, r, t, &told);
	fill_call(&w->call, r, &told);
	l->uncounted += !xpt_rdma_counts__add(l->counts, &w->call, told.method, told.failed);
	if (l->cfg.errors_only && !told.failed)
		return;
	w->json = whole_of(l, r, t);
	w->since_ns = xpt_now_ns();
	w->step = l->steps;
	l->nr_waiting++;
	if (!l->cfg.nested)
		release_waiting(l, l->nr_waiting - 1, 0);
}

static void tell_line(struct xpt_rdma_layer *l)
{
	const char *text = take_line(l);

	if (text)
		xpt_engine__emit_meta(l->e, XPT_RDMA_TRACE_META, text);
}

/* Callback of the session. */
static void on_other(void *ctx, const struct xpt_wire_rdma_rec *r)
{
	struct xpt_rdma_layer *l = ctx;
	struct xpt_rdma_moment at = xpt_rdma_session__moment(&l->session, r->start_ns);

	xpt_strbuf__reset(&l->sb);
	if (r->kind == XPT_RDMA_REC_EVENT)
		xpt_rdma_show__event(r, &at, true, &l->sb);
	else
		xpt_rdma_show__command(r, &at, true, &l->sb);
	tell_line(l);
}

/* Callback of the session. */
static void on_lost(void *ctx, uint64_t calls)
{
	struct xpt_rdma_layer *l = ctx;
	struct xpt_rdma_moment now = xpt_rdma_session__moment(&l->session, xpt_now_ns());

	xpt_strbuf__reset(&l->sb);
	xpt_rdma_lost__print(calls, &now, &l->sb);
	tell_line(l);
}

static void take_record(struct xpt_rdma_layer *l)
{
	l->read_ns = xpt_now_ns();
	xpt_rdma_session__read(&l->session);
}

/* --- the source ------------------------------------------------------------------ */

static struct xpt_rdma_layer *layer_of(const struct xpt_engine *e)
{
	return xpt_source__state(e, &xpt_rdma_source);
}

/* The kernel sends a call before the library's call around it returns: it is there by now. */
static void on_outer_call(struct xpt_engine *e, const struct xpt_rec_call *c)
{
	struct xpt_rdma_layer *l = layer_of(e);
	uint64_t end = c->start_ns + c->dur_ns;
	unsigned i;

	if (!l->session.w)
		return;
	if (end >= l->read_ns && !l->stopped)
		take_record(l);
	for (i = 0; i < l->nr_waiting;) {
		const struct xpt_rec_call *w = &l->waiting[i].call;

		if (w->tid == c->tid && w->start_ns >= c->start_ns && w->start_ns + w->dur_ns <= end)
			release_waiting(l, i, c->depth + 1u);
		else
			i++;
	}
}

static void after_records(struct xpt_engine *e)
{
	struct xpt_rdma_layer *l = layer_of(e);

	if (!l->session.w || l->stopped)
		return;
	l->steps++;
	xpt_rdma_session__read_log(&l->session);
	take_record(l);
	xpt_rdma_session__tidy(&l->session);
	release_old(l, xpt_now_ns());
}

/* Under `run`: the command, before the trace starts. */
static void on_target(struct xpt_engine *e, int pid)
{
	struct xpt_rdma_layer *l = layer_of(e);

	if (!l->started && l->nr_targets++ < XPT_RDMA_TARGETS)
		l->session.cfg.targets[l->nr_targets - 1] = (uint32_t)pid;
}

/* A service has one configuration for machines with RDMA and without, and counts all that is possible. */
static void say_without(void)
{
	xpt_warn("the kernel's RDMA calls are not counted here; all else is");
}

/* A method that cannot be watched ends the trace, unless it is optional: see xpt_rdma_layer__status(). */
static int start(struct xpt_engine *e)
{
	struct xpt_rdma_layer *l = layer_of(e);
	struct xpt_rdma_watch_stats st;

	l->e = e;
	l->started = true;
	if (l->nr_targets > XPT_RDMA_TARGETS)
		memset(l->session.cfg.targets, 0, sizeof(l->session.cfg.targets));
	l->all = l->cfg.all || (l->nr_targets && l->nr_targets <= XPT_RDMA_TARGETS);
	l->status = xpt_rdma_session__attach(&l->session);
	if (l->status >= 0 && l->cfg.optional) {
		say_without();
		l->status = -1;
	}
	if (l->status >= 0 || !l->session.w)
		return 0;
	xpt_rdma_watch__stats(l->session.w, &st);
	xpt_debug("RDMA: watching %u methods by the returns of %u functions, %u cannot be watched",
		  l->session.plans.nr, st.nr, st.nr_failed);
	return 0;
}

static void stop(struct xpt_engine *e)
{
	struct xpt_rdma_layer *l = layer_of(e);

	if (l->session.w)
		take_record(l);
	l->stopped = true;
}

/*
 * Callback of xpt_rdma_watch__each_method(). Calls that were not sent, because there were too many of them, are of
 * no process.
 */
static void tell_method(void *ctx, const struct xpt_wire_rdma_key *key, const struct xpt_wire_rdma_method *m)
{
	struct xpt_rdma_layer *l = ctx;
	const struct xpt_rdma_method_sum *sent =
		xpt_rdma_counts__of_method(l->counts, xpt_rdma_watchlist__method(l->session.list, key));
	struct xpt_wire_count_key k = { .sub = XPT_DIR_NONE };
	struct xpt_wire_count n = { .calls = m->calls, .time_ns = m->ns };

	l->calls += m->calls;
	if (!l->all || !sent || sent->calls >= n.calls)
		return;
	k.fn = (uint16_t)sent->fn;
	n.calls -= sent->calls;
	n.time_ns -= sent->time_ns < n.time_ns ? sent->time_ns : n.time_ns;
	xpt_engine__emit_count(l->e, &k, &n, false);
}

/* Those that were not sent are reported at the end only: of calls on their way now nobody knows whether they were. */
static void emit_counts(struct xpt_engine *e)
{
	struct xpt_rdma_layer *l = layer_of(e);

	if (!l->session.w || l->stopped)
		return;
	xpt_rdma_counts__tell_ended(l->counts, e, l->cfg.nested);
	xpt_rdma_counts__tell(l->counts, e, l->cfg.nested, true);
}

static void tell_missing(const struct xpt_rdma_layer *l)
{
	struct xpt_rdma_watch_stats st;

	if (l->unnamed)
		xpt_warn("%" PRIu64 " RDMA calls are not told: more than %u kinds", l->unnamed, NAMES);
	if (l->uncounted)
		xpt_warn("%" PRIu64 " RDMA calls are in no sum: too many processes and methods",
			 l->uncounted);
	xpt_rdma_watch__stats(l->session.w, &st);
	xpt_rdma_tell_losses(&st);
}

static void finish(struct xpt_engine *e)
{
	struct xpt_rdma_layer *l = layer_of(e);

	if (!l->session.w)
		return;
	while (l->nr_waiting)
		release_waiting(l, 0, 0);
	tell_missing(l);
	xpt_rdma_watch__each_method(l->session.w, tell_method, l);
	if (!l->all && l->calls > l->heard)
		xpt_info("%" PRIu64 " RDMA calls of this machine came too fast to look at each; those of the traced "
			 "processes are in no sum", l->calls - l->heard);
	xpt_rdma_counts__tell(l->counts, e, l->cfg.nested, false);
}

const struct xpt_source xpt_rdma_source = {
	.name = "rdma",
	.start = start,
	.on_target = on_target,
	.on_call = on_outer_call,
	.after_records = after_records,
	.emit_counts = emit_counts,
	.stop = stop,
	.finish = finish,
};

/* --- begin and end --------------------------------------------------------------- */

static int make_layer(const struct xpt_rdma_layer_cfg *cfg, struct xpt_rdma_layer **ret_l)
{
	struct xpt_rdma_layer *l = calloc(1, sizeof(*l));
	int status;

	*ret_l = l;
	if (!l)
		return XPT_EXIT_FAILED;
	l->cfg = *cfg;
	l->status = -1;
	l->domain = xpt_domain__find("rdma");
	l->which.to_watch = true;
	xpt_strbuf__init(&l->sb, LINE_MAX_BYTES);
	l->session.cfg = (struct xpt_rdma_session_cfg){
		.command = cfg->command, .which = &l->which, .slow_ns = SLOW_NS, .sample_nth = 1,
		.is_wanted = is_wanted, .on_call = on_call, .on_other = on_other, .on_lost = on_lost, .ctx = l,
	};
	for (; l->nr_targets < cfg->nr_pids && l->nr_targets < XPT_RDMA_TARGETS; l->nr_targets++)
		l->session.cfg.targets[l->nr_targets] = (uint32_t)cfg->pids[l->nr_targets];
	l->nr_targets = cfg->nr_pids;
	l->cfg.select = cfg->nr_pids ? NULL : cfg->select;	/* who was named by number has been asked */
	status = xpt_rdma_session__plan(&l->session);
	if (status >= 0)
		return status;
	if (xpt_hashmap__new(3 * sizeof(uint64_t), sizeof(uint64_t), KINDS, &l->whole_ns) ||
	    xpt_rdma_counts__new(&l->counts) ||
	    xpt_rdma_files__open(&l->session.files, NULL, NULL, false, false))
		return XPT_EXIT_FAILED;
	return -1;
}

int xpt_rdma_layer__new(const struct xpt_rdma_layer_cfg *cfg, struct xpt_rdma_layer **ret_l)
{
	int status = make_layer(cfg, ret_l);

	if (status < 0 || !cfg->optional)
		return status;
	say_without();
	xpt_rdma_layer__free(*ret_l);
	*ret_l = NULL;
	return -1;
}

int xpt_rdma_layer__status(const struct xpt_rdma_layer *l)
{
	return l ? l->status : -1;
}

uint64_t xpt_rdma_layer__calls(const struct xpt_rdma_layer *l)
{
	return l ? l->calls : 0;
}

void xpt_rdma_layer__free(struct xpt_rdma_layer *l)
{
	if (!l)
		return;
	while (l->nr_waiting)
		free(l->waiting[--l->nr_waiting].json);
	xpt_rdma_session__free(&l->session);
	xpt_strbuf__free(&l->sb);
	xpt_hashmap__free(l->whole_ns);
	xpt_rdma_counts__free(l->counts);
	free(l);
}
