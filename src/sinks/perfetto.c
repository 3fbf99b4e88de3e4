/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A Perfetto trace: protocol buffers for ui.perfetto.dev and trace_processor, a
 * fifth of the size of the same in JSON. Each thread and each counter is a sequence
 * of packets, with names and repeated texts interned and times as differences.
 *
 * Slices must begin and end in order of time, and calls come when they return: a
 * thread holds back its last calls. That also leaves time to give the launch that a
 * wait turns out to have waited for the start of its arrow. Whatever is written at
 * a time is whole packets.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/hashmap.h"
#include "model/call.h"
#include "model/device.h"
#include "model/forget.h"
#include "model/kernel/xid_table.h"
#include "model/output/sink.h"
#include "model/picture/lanes.h"
#include "model/picture/pfcall.h"
#include "model/picture/pftrace.h"
#include "model/picture/tracks.h"
#include "model/vocab.h"

#define BUF_MAX (16u << 20)
#define TEXT_MAX_ (1u << 20)
#define FLUSH_AT (64u << 10)
#define LIMIT_ROOM 4096
#define MAX_LANES 16384
#define MAX_DEVICE_TRACKS 1024
#define MAX_PROCS 65536
#define HOLD 128		/* calls that a thread holds back, */
#define HOLD_NS 1000000000ull	/* and how long, if it is within a call */
#define HOLD_MAX_NS 5000000000ull

struct held {			/* a call held back */
	struct xpt_span span;
	uint64_t id, flow;
	uint32_t nr, off, len;
	bool point;		/* an instant, without an end */
};

struct lane {			/* xpt_lane.user */
	struct xpt_pf_seq seq;
	unsigned nr, whole;	/* held; of them up to the last outermost call */
	struct xpt_pf_known known;
	struct held held[HOLD];
	struct xpt_strbuf text;	/* of held calls */
};

struct proc {
	uint64_t track;
	struct xpt_pf_seq *counter[XPT_TRACK__MAX];
};

struct perfetto {
	struct xpt_sink_cfg cfg;
	struct xpt_strbuf buf, body;
	struct xpt_pf_names *names;
	struct xpt_lanes *lanes;
	struct xpt_tracks *tracks;
	struct xpt_hashmap *procs;	/* pointer -> struct proc * */
	struct xpt_hashmap *devices;	/* uint32_t device and track -> struct xpt_pf_seq * */
	struct xpt_pf_seq marks;	/* losses, ends of processes */
	uint64_t begin_ns, last_track, written, nr_arrows;	/* last numbers given to a track and a flow */
	uint64_t held_bytes, nr_held;	/* all lanes */
	uint32_t last_seq;
	bool begun, full;
	int err;
	uint64_t lost[XPT_LOSS__MAX];
};

/* --- writing ------------------------------------------------------------------ */

static int flush_buf(struct perfetto *p)
{
	int fd = fileno(p->cfg.file), err = xpt_strbuf__err(&p->buf) ? -ENOMEM : 0;

	if (p->err)
		return p->err;
	errno = 0;
	if (!err && (fwrite(xpt_strbuf__str(&p->buf), 1, p->buf.len, p->cfg.file) != p->buf.len ||
		     fflush(p->cfg.file)))
		err = errno ? -errno : -EIO;
	if (!err)
		p->written += p->buf.len;
	else if (fd >= 0 && !ftruncate(fd, (off_t)p->written))
		clearerr(p->cfg.file);	/* whole packets: nothing to be cut off */
	xpt_strbuf__reset(&p->buf);
	p->err = err;
	return err;
}

static void may_flush(struct perfetto *p)
{
	if (p->buf.len >= FLUSH_AT)
		flush_buf(p);
}

static void start_seq(struct perfetto *p, struct xpt_pf_seq *seq)
{
	*seq = (struct xpt_pf_seq){ .id = ++p->last_seq, .track = ++p->last_track };
	xpt_pf__start(&p->buf, seq, p->begin_ns, 0, 0);
}

/* --- processes ---------------------------------------------------------------- */

static void describe_proc(struct perfetto *p, const struct proc *pr, const struct xpt_proc *proc)
{
	xpt_pf__track(&p->buf, p->marks.id, &(struct xpt_pf_track){
		.uuid = pr->track, .pid = proc->pid, .cmdline = proc->cmdline,
		.process_name = *proc->comm ? proc->comm : "?" });
}

static struct proc *get_proc(struct perfetto *p, const struct xpt_proc *proc)
{
	struct proc **at = xpt_hashmap__find(p->procs, &proc);

	if (at)
		return *at;
	at = xpt_hashmap__get(p->procs, &proc, NULL);
	if (!at)
		return NULL;
	*at = calloc(1, sizeof(**at));
	if (!*at) {
		xpt_hashmap__del(p->procs, &proc);
		return NULL;
	}
	(*at)->track = ++p->last_track;
	describe_proc(p, *at, proc);
	return *at;
}

/* --- calls -------------------------------------------------------------------- */

static struct lane *start_lane(struct perfetto *p)
{
	struct lane *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	start_seq(p, &l->seq);
	xpt_strbuf__init(&l->text, TEXT_MAX_);
	return l;
}

/* The lane of a call with its track described; NULL: out of memory. */
static struct xpt_lane *lane_of(struct perfetto *p, const struct xpt_call *c)
{
	struct xpt_lane *xl = xpt_lanes__get(p->lanes, c);
	struct proc *proc = get_proc(p, c->proc);
	struct lane *l;

	if (!xl || !proc)
		return NULL;
	if (!xl->user)
		xl->user = start_lane(p);
	l = xl->user;
	if (l && xl->renamed) {
		xl->renamed = false;
		xpt_pf__track(&p->buf, l->seq.id, &(struct xpt_pf_track){
			.uuid = l->seq.track, .parent = proc->track, .pid = c->proc->pid,
			.tid = c->tid, .thread_name = c->comm });
	}
	return l ? xl : NULL;
}

/* Outer calls before inner ones; of equal spans the later to return is the outer. */
static int by_time(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->span.start_ns != y->span.start_ns)
		return x->span.start_ns < y->span.start_ns ? -1 : 1;
	if (x->span.end_ns != y->span.end_ns)
		return x->span.end_ns > y->span.end_ns ? -1 : 1;
	return x->nr > y->nr ? -1 : 1;
}

/* Writes the first n held calls of a lane: begins and ends in order of time. */
static void release_held(struct perfetto *p, struct lane *l, unsigned n)
{
	uint64_t end[HOLD];
	unsigned open = 0, used = n < l->nr ? l->held[n].off : (unsigned)l->text.len;

	qsort(l->held, n, sizeof(l->held[0]), by_time);
	for (unsigned i = 0; i < n; i++) {
		const struct held *h = &l->held[i];

		while (open && end[open - 1] <= h->span.start_ns)
			xpt_pf__event(&p->buf, &l->seq, end[--open], XPT_PF_END, NULL, 0, 0);
		xpt_pf__event(&p->buf, &l->seq, h->span.start_ns,
			      h->point ? XPT_PF_INSTANT : XPT_PF_BEGIN,
			      xpt_strbuf__str(&l->text) + h->off, h->len, h->flow);
		if (!h->point)
			end[open++] = h->span.end_ns;
	}
	while (open)
		xpt_pf__event(&p->buf, &l->seq, end[--open], XPT_PF_END, NULL, 0, 0);
	l->nr -= n;
	l->whole = 0;
	p->nr_held -= n;
	p->held_bytes -= used;
	if (l->nr)
		memmove(l->text.s, l->text.s + used, l->text.len - used);
	l->text.len -= used;
	memmove(l->held, l->held + n, l->nr * sizeof(l->held[0]));
	for (unsigned i = 0; i < l->nr; i++) {
		l->held[i].off -= used;
		l->held[i].nr = i;
		if (!l->held[i].span.depth)
			l->whole = i + 1;
	}
	may_flush(p);
}

/* Room for one more: the older half, if calls are whole there. */
static void make_room(struct perfetto *p, struct lane *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->nr && (i < HOLD / 2 || !n); i++)
		if (!l->held[i].span.depth)
			n = i + 1;
	release_held(p, l, n ? n : l->nr);
}

static int hold_call(struct perfetto *p, struct lane *l, const struct xpt_call *c,
		     struct xpt_span span)
{
	struct held *h;

	if (l->nr == HOLD || l->text.len + p->body.len > TEXT_MAX_ - 4096)
		make_room(p, l);
	h = &l->held[l->nr];
	*h = (struct held){ .span = span, .id = c->id, .nr = l->nr, .off = (uint32_t)l->text.len,
			    .len = (uint32_t)p->body.len, .point = xpt_fn__is_point(c->fn) };
	xpt_strbuf__addn(&l->text, xpt_strbuf__str(&p->body), p->body.len);
	if (xpt_strbuf__err(&l->text))
		return xpt_strbuf__err(&l->text);
	p->held_bytes += p->body.len;
	p->nr_held++;
	l->nr++;
	if (!span.depth)
		l->whole = l->nr;
	return 0;
}

/* Encodes the begin of a call into p->body; names that are new to the sequence are written at
 * once. */
static int encode_begin(struct perfetto *p, struct lane *l, const struct xpt_call *c, bool returned,
			bool whole)
{
	const void *defs;
	size_t n;
	int err;

	xpt_strbuf__reset(&p->body);
	err = xpt_pf_names__call(p->names, &l->known, c, returned, whole, &p->body, &defs, &n);
	if (!err && n)
		xpt_pf__interned(&p->buf, &l->seq, defs, n);
	return err;
}

static int put_call(struct perfetto *p, const struct xpt_call *c)
{
	struct xpt_lane *xl = lane_of(p, c);
	struct xpt_span span;
	bool whole;
	int err;

	if (!xl)
		return -ENOMEM;
	whole = true;
	if (xpt_fn__is_point(c->fn))	/* it cannot disturb how calls nest */
		span = (struct xpt_span){ c->start_ns, c->start_ns, c->depth };
	else
		whole = xpt_lane__fit(xl, c, &span);
	err = encode_begin(p, xl->user, c, !(c->flags & XPT_CALL_LEFT), whole);
	return err ? err : hold_call(p, xl->user, c, span);
}

static int keep_inflight(struct perfetto *p, const struct xpt_call *c)
{
	struct xpt_lane *xl = lane_of(p, c);
	int err = xl ? encode_begin(p, xl->user, c, false, true) : -ENOMEM;

	return err ? err : xpt_lane__keep_open(xl, c, xpt_strbuf__str(&p->body), p->body.len);
}

static void end_lane(void *ctx, struct xpt_lane *xl)
{
	struct perfetto *p = ctx;
	struct lane *l = xl->user;
	const void *body;
	uint64_t start;
	size_t n;

	if (!l)
		return;
	if (l->nr)
		release_held(p, l, l->nr);
	for (unsigned d = 0; d < XPT_MAX_DEPTH; d++) {
		body = xpt_lane__open(xl, d, &n, &start);
		if (body)
			xpt_pf__event(&p->buf, &l->seq, start, XPT_PF_BEGIN, body, n, 0);
	}
	may_flush(p);
	xpt_strbuf__free(&l->text);
	xpt_pf_names__end(p->names, &l->known);
	free(l);
	xl->user = NULL;
}

/* Releases calls that have been held back for long, so that a file of a running trace is up to
 * date. */
static void release_old(struct perfetto *p, uint64_t now_ns)
{
	struct xpt_lane *xl;
	size_t pos = 0;

	while ((xl = xpt_lanes__next(p->lanes, &pos))) {
		struct lane *l = xl->user;
		uint64_t end = l && l->nr ? l->held[0].span.end_ns : UINT64_MAX;

		if (end < now_ns && now_ns - end > HOLD_NS && l->whole)
			release_held(p, l, l->whole);
		else if (end < now_ns && now_ns - end > HOLD_MAX_NS)
			release_held(p, l, l->nr);
	}
}

/* --- counters, arrows, marks ----------------------------------------------------- */

static struct xpt_pf_seq *get_counter(struct perfetto *p, const struct xpt_proc *proc,
				   enum xpt_track track)
{
	struct proc *pr = get_proc(p, proc);
	struct xpt_pf_seq *c = pr ? pr->counter[track] : NULL;
	char name[48];

	if (!pr || c)
		return c;
	c = pr->counter[track] = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	start_seq(p, c);
	xpt_pf__track(&p->buf, c->id, &(struct xpt_pf_track){
		.uuid = c->track, .parent = pr->track, .counter = true,
		.bytes = xpt_track_is_bytes(track),
		.name = xpt_track_name(track, name, sizeof(name)) });
	return c;
}

static void put_point(void *ctx, const struct xpt_proc *proc, enum xpt_track track,
		      uint64_t ts_ns, uint64_t value)
{
	struct perfetto *p = ctx;
	struct xpt_pf_seq *c = get_counter(p, proc, track);

	if (!c)
		return;
	xpt_strbuf__reset(&p->body);
	xpt_pb__u64(&p->body, XPT_PF_COUNTER, value > INT64_MAX ? INT64_MAX : value);
	xpt_pf__event(&p->buf, c, ts_ns, XPT_PF_COUNTER_VALUE, xpt_strbuf__str(&p->body),
		      p->body.len, 0);
	may_flush(p);
}

/* NULL: out of memory, or more tracks than there is room for. */
static struct xpt_pf_seq *get_device_counter(struct perfetto *p, const struct xpt_device *d, const struct xpt_device_point *at)
{
	uint32_t key = d->id * XPT_DEVICE_TRACK__MAX + at->track;
	struct xpt_pf_seq **c = xpt_hashmap__get(p->devices, &key, NULL);

	if (!c || *c)
		return c ? *c : NULL;
	*c = calloc(1, sizeof(**c));
	if (!*c)
		return NULL;
	start_seq(p, *c);
	xpt_pf__track(&p->buf, (*c)->id, &(struct xpt_pf_track){
		.uuid = (*c)->track, .parent = p->marks.track, .counter = true,
		.bytes = at->track == XPT_DEVICE_TRACK_MEMORY, .name = at->name });
	return *c;
}

static void put_reading(struct perfetto *p, const struct xpt_reading *r, uint64_t ts_ns)
{
	struct xpt_device_point at;
	struct xpt_pf_seq *c = xpt_reading__point(r, &at) ? get_device_counter(p, r->device, &at) : NULL;

	if (!c)
		return;
	xpt_strbuf__reset(&p->body);
	xpt_pb__u64(&p->body, XPT_PF_COUNTER, at.value > INT64_MAX ? INT64_MAX : at.value);
	xpt_pf__event(&p->buf, c, ts_ns, XPT_PF_COUNTER_VALUE, xpt_strbuf__str(&p->body), p->body.len, 0);
	may_flush(p);
}

/* The launch gets its end of the arrow if it is still held back; else there is none. */
static void put_arrow(void *ctx, const struct xpt_launch *from, const struct xpt_call *sync)
{
	struct perfetto *p = ctx;
	struct xpt_lane *xl = xpt_lanes__find(p->lanes, from->proc, from->tid);
	struct xpt_lane *own = xpt_lanes__find(p->lanes, sync->proc, sync->tid);
	struct lane *l = xl ? xl->user : NULL, *o = own ? own->user : NULL;
	struct held *h, *to = o && o->nr ? &o->held[o->nr - 1] : NULL;
	size_t len;

	if (!l || !to || to->id != sync->id)
		return;
	for (h = l->held + l->nr; h-- > l->held && h->id > from->id;)
		;
	if (h < l->held || h->id != from->id || h->flow)
		return;
	len = o->text.len;
	h->flow = ++p->nr_arrows;
	xpt_pb__fixed64(&o->text, XPT_PF_FLOW_END, h->flow);
	to->len += (uint32_t)(o->text.len - len);
	p->held_bytes += o->text.len - len;
}

static void put_mark(struct perfetto *p, uint64_t track, const char *cat, uint64_t ts_ns,
		     const char *text)
{
	xpt_strbuf__reset(&p->body);
	if (track)
		xpt_pb__u64(&p->body, 11, track);	/* track_uuid */
	xpt_pb__str(&p->body, XPT_PF_CATEGORY, cat);
	xpt_pb__str(&p->body, XPT_PF_NAME, text);
	xpt_pf__event(&p->buf, &p->marks, ts_ns, XPT_PF_INSTANT, xpt_strbuf__str(&p->body),
		      p->body.len, 0);
}

static void put_exit(struct perfetto *p, const struct xpt_proc *proc, uint64_t ts_ns)
{
	const struct proc *pr = get_proc(p, proc);
	char text[64];

	if (pr)
		put_mark(p, pr->track, "process", ts_ns, xpt_exit_text(proc, text, sizeof(text)));
}

static void put_loss(struct perfetto *p, uint32_t loss, uint64_t count, uint64_t ts_ns)
{
	char text[160];

	if (loss >= XPT_LOSS__MAX || count <= p->lost[loss])
		return;
	put_mark(p, 0, "loss", ts_ns, xpt_lost_text(loss, count - p->lost[loss], text, sizeof(text)));
	p->lost[loss] = count;
}

static void put_xid(struct perfetto *p, const struct xpt_event *ev)
{
	const struct proc *pr = ev->u.xid->proc ? get_proc(p, ev->u.xid->proc) : NULL;
	char text[160];

	put_mark(p, pr ? pr->track : 0, "xid", ev->ts_ns, xpt_xid__title(ev, text, sizeof(text)));
}

/* --- the sink ------------------------------------------------------------------ */

static int perfetto_open(void *st, const struct xpt_sink_cfg *cfg)
{
	static const struct xpt_track_ops ops = { .point = put_point, .arrow = put_arrow };
	struct perfetto *p = st;
	int err;

	p->cfg = *cfg;
	xpt_strbuf__init(&p->buf, BUF_MAX);
	xpt_strbuf__init(&p->body, TEXT_MAX_ / 2);
	err = xpt_lanes__new(MAX_LANES, end_lane, p, &p->lanes);
	if (!err)
		err = xpt_tracks__new(&ops, p, &p->tracks);
	if (!err)
		err = xpt_hashmap__new(sizeof(void *), sizeof(struct proc *), MAX_PROCS, &p->procs);
	if (!err)
		err = xpt_hashmap__new(sizeof(uint32_t), sizeof(struct xpt_pf_seq *), MAX_DEVICE_TRACKS, &p->devices);
	if (!err)
		err = xpt_pf_names__new(&p->names);
	return err;
}

/*
 * Pictures of several traces may be joined into one file: tracks and flows have numbers of their own in each, by the
 * time at which it began. The low half counts.
 */
static void choose_numbers(struct perfetto *p, const struct xpt_event *ev)
{
	uint64_t key[3] = { ev->ts_ns, (uint64_t)ev->u.begin.realtime_minus_monotonic_ns,
			    (uint64_t)ev->u.begin.boottime_minus_monotonic_ns };

	p->last_track = p->nr_arrows = xpt_hash(key, sizeof(key)) << 32;
}

static void begin_trace(struct perfetto *p, const struct xpt_event *ev)
{
	int64_t boot = ev->u.begin.boottime_minus_monotonic_ns;
	int64_t wall = ev->u.begin.realtime_minus_monotonic_ns;

	p->begun = true;
	p->begin_ns = ev->ts_ns;
	choose_numbers(p, ev);
	p->marks = (struct xpt_pf_seq){ .id = ++p->last_seq, .track = ++p->last_track };
	xpt_pf__start(&p->buf, &p->marks, ev->ts_ns, ev->ts_ns + (uint64_t)boot,
		      wall ? ev->ts_ns + (uint64_t)wall : 0);
	xpt_pf__track(&p->buf, p->marks.id, &(struct xpt_pf_track){
		.uuid = p->marks.track, .name = "xputrace" });
}

static int show_event(struct perfetto *p, const struct xpt_event *ev)
{
	struct proc *pr;

	switch (ev->kind) {
	case XPT_EV_BEGIN:
		begin_trace(p, ev);
		return 0;
	case XPT_EV_CALL:
		return put_call(p, &ev->u.call);
	case XPT_EV_ORIGIN:	/* Perfetto counts from the first event */
		put_mark(p, 0, "trace", ev->ts_ns, "tracing starts");
		return 0;
	case XPT_EV_INFLIGHT:
		if (ev->u.call.flags & XPT_CALL_LEFT)
			return put_call(p, &ev->u.call);
		return keep_inflight(p, &ev->u.call);
	case XPT_EV_PROC:
		pr = get_proc(p, ev->u.proc.proc);
		if (pr && ev->u.proc.exec)	/* it has another name now */
			describe_proc(p, pr, ev->u.proc.proc);
		return 0;
	case XPT_EV_EXIT:
		put_exit(p, ev->u.proc.proc, ev->ts_ns);
		return 0;
	case XPT_EV_LOSS:
		put_loss(p, ev->u.loss.loss, ev->u.loss.count, ev->ts_ns);
		return 0;
	case XPT_EV_XID:
		put_xid(p, ev);
		return 0;
	case XPT_EV_READING:
		put_reading(p, ev->u.reading, ev->ts_ns);
		return 0;
	case XPT_EV_FORGET:
		xpt_lanes__forget(p->lanes);
		return 0;
	case XPT_EV_TICK:
		release_old(p, ev->ts_ns);
		return flush_buf(p);
	default:
		return 0;
	}
}

/* Held calls take less than 60 bytes each beside their text. */
static bool at_limit(const struct perfetto *p)
{
	return p->cfg.max_bytes && p->written + p->buf.len + p->held_bytes + 60 * p->nr_held +
				   LIMIT_ROOM >= p->cfg.max_bytes;
}

static void free_proc(void *ctx, void *val)
{
	struct proc *pr = *(struct proc **)val;

	(void)ctx;
	for (unsigned i = 0; i < XPT_TRACK__MAX; i++)
		free(pr->counter[i]);
	free(pr);
}

static int perfetto_event(void *st, const struct xpt_event *ev)
{
	struct perfetto *p = st;
	int err;

	if (p->full)
		return 0;
	if (at_limit(p)) {
		p->full = true;
		put_mark(p, 0, "loss", ev->ts_ns, xpt_loss_text(XPT_LOSS_FILE_LIMIT));
		return XPT_SINK_FULL;
	}
	err = show_event(p, ev);
	if (!err)
		xpt_tracks__event(p->tracks, ev);
	if (ev->kind == XPT_EV_FORGET)	/* after the last points of their tracks */
		xpt_forget__map(p->procs, free_proc, NULL);
	return err ? err : p->err;
}

static void free_all(struct perfetto *p)
{
	size_t pos = 0;
	void *val;

	while (p->procs && xpt_hashmap__next(p->procs, &pos, NULL, &val))
		free_proc(p, val);
	for (pos = 0; p->devices && xpt_hashmap__next(p->devices, &pos, NULL, &val); )
		free(*(struct xpt_pf_seq **)val);
	xpt_hashmap__free(p->devices);
	xpt_hashmap__free(p->procs);
	xpt_pf_names__free(p->names);
	xpt_strbuf__free(&p->buf);
	xpt_strbuf__free(&p->body);
}

static int perfetto_close(void *st)
{
	struct perfetto *p = st;
	struct xpt_lane *xl;
	size_t pos = 0;
	int err = 0;

	while (p->lanes && (xl = xpt_lanes__next(p->lanes, &pos)))
		end_lane(p, xl);
	if (p->cfg.file)
		err = flush_buf(p);
	xpt_lanes__free(p->lanes);
	xpt_tracks__free(p->tracks);
	free_all(p);
	return err;
}

static uint64_t perfetto_bytes(const void *st)
{
	const struct perfetto *s = st;

	return s->written + s->buf.len + s->held_bytes;
}

const struct xpt_sink xpt_sink_perfetto = {
	.name = "perfetto",
	.help = "a Perfetto trace, for ui.perfetto.dev and trace_processor",
	.ext = "pftrace",
	.state_size = sizeof(struct perfetto),
	.open = perfetto_open,
	.event = perfetto_event,
	.bytes = perfetto_bytes,
	.close = perfetto_close,
};
