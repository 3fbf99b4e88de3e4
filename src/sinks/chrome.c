/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Chrome trace events: a JSON file that Perfetto, chrome://tracing and speedscope
 * open. Calls are complete slices on their thread, values over time counters of
 * their process, a wait has an arrow from the launch it waited for last, losses are
 * marks across the whole picture. Times are microseconds since tracing started,
 * with nanoseconds as decimals, so that nothing is rounded.
 *
 * The file is whole after every write: the closing brackets are written each time
 * and overwritten by the next events, where the output can seek.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/strbuf.h"
#include "model/call.h"
#include "model/device.h"
#include "model/kernel/xid_table.h"
#include "model/output/sink.h"
#include "model/picture/lanes.h"
#include "model/picture/tracks.h"
#include "model/value.h"
#include "model/vocab.h"

#define BUF_MAX (4u << 20)
#define LINE_MAX_ (1u << 20)
#define FLUSH_AT (64u << 10)
#define LIMIT_ROOM 512		/* for the mark that the limit is reached, and the end */
#define MAX_LANES 65536
#define TAIL "\n]}\n"

struct fn_text {		/* fragments of one function, as JSON */
	const struct xpt_fn *fn;
	char *head;		/* "name" and "cat" up to its last quote */
	char *arg[XPT_MAX_VALS];	/* "dptr": - NULL for implied values */
};

struct chrome {
	struct xpt_sink_cfg cfg;
	struct xpt_strbuf buf, line;
	struct xpt_lanes *lanes;
	struct xpt_tracks *tracks;
	uint64_t begin_ns;	/* 0 in the file: the origin, or where the stream begins */
	int64_t wall_ns;	/* to be added for the wall clock, 0: not known */
	uint64_t written, nr_arrows;
	bool begun, full, tail, first;
	bool dated, headed;	/* begin_ns is final; it was written */
	int err;
	uint64_t lost[XPT_LOSS__MAX];
	struct fn_text *fns[XPT_MAX_FNS];
};

/* --- JSON pieces -------------------------------------------------------------- */

static void add_us(struct xpt_strbuf *sb, uint64_t ns)
{
	char frac[4] = { '.', (char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10),
			 (char)('0' + ns % 10) };

	xpt_strbuf__addu64(sb, ns / 1000);
	if (ns % 1000)
		xpt_strbuf__addn(sb, frac, sizeof(frac));
}

static void add_time(const struct chrome *j, struct xpt_strbuf *sb, uint64_t ns)
{
	xpt_strbuf__add(sb, ",\"ts\":");
	if (ns < j->begin_ns)
		xpt_strbuf__addc(sb, '-');
	add_us(sb, ns < j->begin_ns ? j->begin_ns - ns : ns - j->begin_ns);
}

static void add_ids(struct xpt_strbuf *sb, uint32_t pid, uint32_t tid)
{
	xpt_strbuf__add(sb, ",\"pid\":");
	xpt_strbuf__addu64(sb, pid);
	xpt_strbuf__add(sb, ",\"tid\":");
	xpt_strbuf__addu64(sb, tid);
}

static void free_fn(struct fn_text *t)
{
	if (!t)
		return;
	free(t->head);
	for (size_t i = 0; i < XPT_MAX_VALS; i++)
		free(t->arg[i]);
	free(t);
}

static char *take_text(struct xpt_strbuf *sb)
{
	char *s = xpt_strbuf__err(sb) ? NULL : strdup(xpt_strbuf__str(sb));

	xpt_strbuf__reset(sb);
	return s;
}

/* Fragments of fn, made once; NULL: out of memory. Uses j->line. */
static const struct fn_text *fn_text(struct chrome *j, const struct xpt_fn *fn)
{
	struct fn_text *t = j->fns[fn->id % XPT_MAX_FNS];
	struct xpt_strbuf *sb = &j->line;
	bool ok;

	if (t && t->fn == fn)
		return t;
	free_fn(t);
	t = j->fns[fn->id % XPT_MAX_FNS] = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	xpt_strbuf__reset(sb);
	xpt_strbuf__add(sb, "\"name\":");
	xpt_strbuf__add_json(sb, fn->name);
	xpt_strbuf__add(sb, ",\"cat\":");
	xpt_strbuf__add_json(sb, fn->domain_name);
	if (!xpt_strbuf__err(sb))
		sb->len--;	/* the quote */
	xpt_strbuf__addc(sb, ',');
	xpt_strbuf__add(sb, xpt_class_name(fn->cls));
	t->head = take_text(sb);
	ok = t->head != NULL;
	for (size_t i = 0; ok && i < fn->nr_caps && i < XPT_MAX_VALS; i++) {
		if (!xpt_cap_is_arg(&fn->cap[i]))
			continue;
		xpt_strbuf__add_json(sb, fn->cap_name[i]);
		xpt_strbuf__addc(sb, ':');
		t->arg[i] = take_text(sb);
		ok = t->arg[i] != NULL;
	}
	t->fn = ok ? fn : NULL;
	return ok ? t : NULL;
}

/* --- writing ------------------------------------------------------------------ */

/* Cuts the file after a failed write, so that the events before it are a valid file. */
static void mend_file(struct chrome *j)
{
	int fd = fileno(j->cfg.file);

	if (fd < 0 || ftruncate(fd, (off_t)j->written) || lseek(fd, (off_t)j->written, SEEK_SET) < 0)
		return;
	if (write(fd, TAIL, strlen(TAIL)) == (ssize_t)strlen(TAIL))
		clearerr(j->cfg.file);	/* nothing to be cut off */
}

static int put_out(struct chrome *j, const char *s, size_t n)
{
	errno = 0;
	if (fwrite(s, 1, n, j->cfg.file) == n && !fflush(j->cfg.file))
		return 0;
	return errno ? -errno : -EIO;
}

/* The head of the file has the wall clock of time 0, so it is written when that is known. */
static int put_head(struct chrome *j)
{
	static const char producer[] = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"xputrace "
				       XPT_VERSION "\"";
	char head[sizeof(producer) + 96], wall[64] = "";
	int err;

	if (j->wall_ns)	/* text: a double would round it */
		snprintf(wall, sizeof(wall), ",\"begin_unix_ns\":\"%" PRIu64 "\"",
			 j->begin_ns + (uint64_t)j->wall_ns);
	snprintf(head, sizeof(head), "%s%s},\"traceEvents\":[", producer, wall);
	err = put_out(j, head, strlen(head));
	j->written += err ? 0 : strlen(head);
	j->headed = !err;
	return err;
}

/* Writes the buffer; last: the end of the file, for good. */
static int flush_buf(struct chrome *j, bool last)
{
	int err = xpt_strbuf__err(&j->buf) ? -ENOMEM : 0;

	if (j->err)
		return j->err;
	if (!err && j->tail && fseeko(j->cfg.file, -(off_t)strlen(TAIL), SEEK_CUR))
		err = -errno;
	if (!err && !j->headed)
		err = put_head(j);
	if (!err)
		err = put_out(j, xpt_strbuf__str(&j->buf), j->buf.len);
	if (!err) {
		j->written += j->buf.len;
		if (last || j->tail || (j->cfg.path && !fseeko(j->cfg.file, 0, SEEK_CUR))) {
			j->tail = true;
			err = put_out(j, TAIL, strlen(TAIL));
		}
	}
	if (err && j->tail)
		mend_file(j);
	xpt_strbuf__reset(&j->buf);
	j->err = err;
	return err;
}

/* Takes j->line as an event; at the limit a mark takes its place. */
static int accept_line(struct chrome *j, uint64_t ts_ns)
{
	struct xpt_strbuf *sb = &j->line;
	size_t len = j->buf.len + sb->len + LIMIT_ROOM;
	int err = xpt_strbuf__err(sb);
	bool over = j->cfg.max_bytes && j->written + len > j->cfg.max_bytes;

	if (j->full)
		return 0;
	if (err)
		return err;
	if (over) {
		xpt_strbuf__reset(sb);
		xpt_strbuf__add(sb, "{\"ph\":\"i\",\"s\":\"g\",\"cat\":\"loss\",\"name\":");
		xpt_strbuf__add_json(sb, xpt_loss_text(XPT_LOSS_FILE_LIMIT));
		add_time(j, sb, ts_ns);
		xpt_strbuf__add(sb, ",\"pid\":0,\"tid\":0}");
		j->full = true;
	}
	if (!over || j->written + j->buf.len + sb->len + 8 <= j->cfg.max_bytes) {
		xpt_strbuf__add(&j->buf, j->first ? "\n" : ",\n");
		xpt_strbuf__addn(&j->buf, xpt_strbuf__str(sb), sb->len);
		j->first = false;
	}
	if (over || (j->dated && j->buf.len >= FLUSH_AT))
		err = flush_buf(j, false);
	return err ? err : over ? XPT_SINK_FULL : 0;
}

/* --- names of processes and threads ------------------------------------------- */

static int put_meta(struct chrome *j, const char *what, uint32_t pid, uint32_t tid,
		    const char *name)
{
	struct xpt_strbuf *sb = &j->line;

	xpt_strbuf__reset(sb);
	xpt_strbuf__add(sb, "{\"ph\":\"M\",\"name\":\"");
	xpt_strbuf__add(sb, what);
	xpt_strbuf__addc(sb, '"');
	add_ids(sb, pid, tid);
	xpt_strbuf__add(sb, ",\"args\":{\"name\":");
	xpt_strbuf__add_json(sb, name);
	xpt_strbuf__add(sb, "}}");
	return accept_line(j, j->begin_ns);
}

static int put_proc(struct chrome *j, const struct xpt_proc *p)
{
	struct xpt_strbuf *sb = &j->line;
	int err = put_meta(j, "process_name", p->pid, p->pid, *p->comm ? p->comm : "?");

	if (err || !*p->cmdline)
		return err;
	xpt_strbuf__reset(sb);
	xpt_strbuf__add(sb, "{\"ph\":\"M\",\"name\":\"process_labels\"");
	add_ids(sb, p->pid, p->pid);
	xpt_strbuf__add(sb, ",\"args\":{\"labels\":");
	xpt_strbuf__add_json(sb, p->cmdline);
	xpt_strbuf__add(sb, "}}");
	return accept_line(j, j->begin_ns);
}

/* The lane of a call, its thread named in the file; NULL with j->err set. */
static struct xpt_lane *lane_of(struct chrome *j, const struct xpt_call *c)
{
	struct xpt_lane *lane = xpt_lanes__get(j->lanes, c);
	int err = lane ? 0 : -ENOMEM;

	if (lane && lane->renamed) {
		lane->renamed = false;
		err = put_meta(j, "thread_name", c->proc->pid, c->tid, c->comm);
	}
	if (err < 0)
		j->err = err;
	return err < 0 ? NULL : lane;
}

/* --- calls -------------------------------------------------------------------- */

static void add_key(struct xpt_strbuf *sb, const char *key)
{
	xpt_strbuf__add(sb, ",\"");
	xpt_strbuf__add(sb, key);
	xpt_strbuf__add(sb, "\":");
}

static void add_stack(struct xpt_strbuf *sb, const struct xpt_stack *st)
{
	if (!st)
		return;
	add_key(sb, "stack");
	xpt_strbuf__addc(sb, '[');
	for (uint32_t i = 0; i < st->nr; i++) {
		if (i)
			xpt_strbuf__addc(sb, ',');
		xpt_strbuf__add_json(sb, st->frame[i].fn);
	}
	xpt_strbuf__addc(sb, ']');
}

/* "args" with the call's id, arguments, result, kernel, stack. */
static void add_args(struct xpt_strbuf *sb, const struct xpt_call *c, const struct fn_text *t,
		     bool returned)
{
	unsigned n = c->nr_vals < c->fn->nr_caps ? c->nr_vals : c->fn->nr_caps;
	char buf[32];

	xpt_strbuf__add(sb, ",\"args\":{\"event_id\":");
	xpt_strbuf__addu64(sb, c->id);
	for (unsigned i = 0; i < n && i < XPT_MAX_VALS; i++) {
		const struct xpt_wire_cap *cap = &c->fn->cap[i];

		if (!t->arg[i] || (!returned && cap->op == XPT_CAP_OUT))
			continue;
		xpt_strbuf__addc(sb, ',');
		xpt_strbuf__add(sb, t->arg[i]);
		if (xpt_call__string(c, i))
			xpt_strbuf__add_json(sb, xpt_call__string(c, i));
		else if ((c->valid >> i & 1) && xpt_call__shows_arg(c, i))
			xpt_value__add_json(sb, c->fn, i, c->val[i]);
		else
			xpt_strbuf__add(sb, "null");
	}
	if (c->kernel) {
		add_key(sb, "kernel");
		xpt_strbuf__add_json(sb, c->kernel);
	}
	if (c->flags & XPT_CALL_LEFT)
		xpt_strbuf__add(sb, ",\"left\":true");
	else if (!returned)
		xpt_strbuf__add(sb, ",\"in_flight\":true");
	else if (c->fn->ret != XPT_RET_NONE) {
		add_key(sb, "result");
		xpt_strbuf__add_json(sb, xpt_call__result_name(c, buf, sizeof(buf)));
	}
	xpt_call__add_sched(sb, c);
	add_stack(sb, c->stack);
}

/* A point: an instant of its thread, which cannot disturb how calls nest. */
static int put_instant(struct chrome *j, const struct xpt_call *c, const struct fn_text *t,
		       uint64_t ts_ns)
{
	struct xpt_strbuf *sb = &j->line;

	xpt_strbuf__reset(sb);
	xpt_strbuf__add(sb, "{\"ph\":\"i\",\"s\":\"t\",");
	xpt_strbuf__add(sb, t->head);
	xpt_strbuf__addc(sb, '"');
	add_time(j, sb, c->start_ns);
	add_ids(sb, c->proc->pid, c->tid);
	add_args(sb, c, t, true);
	xpt_strbuf__add(sb, "}}");
	return accept_line(j, ts_ns);
}

static int put_call(struct chrome *j, const struct xpt_call *c, uint64_t ts_ns)
{
	const struct fn_text *t = fn_text(j, c->fn);
	struct xpt_lane *lane = lane_of(j, c);
	struct xpt_strbuf *sb = &j->line;
	struct xpt_span span;
	bool whole;

	if (!t || !lane)
		return j->err ? j->err : -ENOMEM;
	if (xpt_fn__is_point(c->fn))
		return put_instant(j, c, t, ts_ns);
	whole = xpt_lane__fit(lane, c, &span);
	xpt_strbuf__reset(sb);
	xpt_strbuf__add(sb, "{\"ph\":\"X\",");
	xpt_strbuf__add(sb, t->head);
	xpt_strbuf__add(sb, c->failed ? ",error\",\"cname\":\"terrible\"" : "\"");
	add_time(j, sb, span.start_ns);
	xpt_strbuf__add(sb, ",\"dur\":");
	add_us(sb, span.end_ns - span.start_ns);
	add_ids(sb, c->proc->pid, c->tid);
	add_args(sb, c, t, !(c->flags & XPT_CALL_LEFT));
	if (!whole)
		xpt_strbuf__add(sb, ",\"overlap\":true");
	xpt_strbuf__add(sb, "}}");
	return accept_line(j, ts_ns);
}

/* Without its time, which is known when all calls around it are. */
static int keep_inflight(struct chrome *j, const struct xpt_call *c)
{
	const struct fn_text *t = fn_text(j, c->fn);
	struct xpt_lane *lane = lane_of(j, c);
	struct xpt_strbuf *sb = &j->line;

	if (!t || !lane)
		return j->err ? j->err : -ENOMEM;
	xpt_strbuf__reset(sb);
	xpt_strbuf__add(sb, "{\"ph\":\"B\",");
	xpt_strbuf__add(sb, t->head);
	xpt_strbuf__add(sb, ",in_flight\",\"cname\":\"bad\"");
	add_ids(sb, c->proc->pid, c->tid);
	add_args(sb, c, t, false);
	xpt_strbuf__addc(sb, '}');
	if (xpt_strbuf__err(sb))
		return xpt_strbuf__err(sb);
	return xpt_lane__keep_open(lane, c, xpt_strbuf__str(sb), sb->len);
}

/* A lane ends: calls that have not returned there are written now. */
static void end_lane(void *ctx, struct xpt_lane *lane)
{
	struct chrome *j = ctx;
	const char *text;
	uint64_t start;
	size_t n;
	int err;

	for (unsigned d = 0; d < XPT_MAX_DEPTH; d++) {
		text = xpt_lane__open(lane, d, &n, &start);
		if (!text)
			continue;
		xpt_strbuf__reset(&j->line);
		xpt_strbuf__addn(&j->line, text, n);
		add_time(j, &j->line, start);
		xpt_strbuf__addc(&j->line, '}');
		err = accept_line(j, start);
		if (err < 0)
			j->err = err;
	}
}

/* --- counters, arrows, marks --------------------------------------------------- */

static void put_point(void *ctx, const struct xpt_proc *proc, enum xpt_track track,
		      uint64_t ts_ns, uint64_t value)
{
	struct chrome *j = ctx;
	struct xpt_strbuf *sb = &j->line;
	char name[48];
	int err;

	xpt_strbuf__reset(sb);
	xpt_strbuf__add(sb, "{\"ph\":\"C\",\"name\":");
	xpt_strbuf__add_json(sb, xpt_track_name(track, name, sizeof(name)));
	add_time(j, sb, ts_ns);
	add_ids(sb, proc->pid, proc->pid);
	xpt_strbuf__add(sb, xpt_track_is_bytes(track) ? ",\"args\":{\"bytes\":" : ",\"args\":{\"count\":");
	xpt_strbuf__addu64(sb, value);
	xpt_strbuf__add(sb, "}}");
	err = accept_line(j, ts_ns);
	if (err < 0)
		j->err = err;
}

/* Devices are counters of xputrace, which is process 0. */
static int put_reading(struct chrome *j, const struct xpt_reading *r, uint64_t ts_ns)
{
	struct xpt_strbuf *sb = &j->line;
	struct xpt_device_point p;

	if (!xpt_reading__point(r, &p))
		return 0;
	xpt_strbuf__reset(sb);
	xpt_strbuf__add(sb, "{\"ph\":\"C\",\"name\":");
	xpt_strbuf__add_json(sb, p.name);
	add_time(j, sb, ts_ns);
	add_ids(sb, 0, 0);
	xpt_strbuf__add(sb, p.track == XPT_DEVICE_TRACK_MEMORY ? ",\"args\":{\"bytes\":" : ",\"args\":{\"value\":");
	xpt_strbuf__addu64(sb, p.value);
	xpt_strbuf__add(sb, "}}");
	return accept_line(j, ts_ns);
}

static void add_arrow_end(struct chrome *j, char ph, uint64_t ts_ns, uint32_t pid, uint32_t tid)
{
	struct xpt_strbuf *sb = &j->line;

	xpt_strbuf__add(sb, ph == 's' ? "{\"ph\":\"s\"" : ",\n{\"ph\":\"f\",\"bp\":\"e\"");
	xpt_strbuf__add(sb, ",\"name\":\"waited for\",\"cat\":\"wait\",\"id\":");
	xpt_strbuf__addu64(sb, j->nr_arrows);
	add_time(j, sb, ts_ns);
	add_ids(sb, pid, tid);
	xpt_strbuf__addc(sb, '}');
}

/* Both ends at once: a file that is cut has both or none. */
static void put_arrow(void *ctx, const struct xpt_launch *from, const struct xpt_call *sync)
{
	struct chrome *j = ctx;
	int err;

	j->nr_arrows++;
	xpt_strbuf__reset(&j->line);
	add_arrow_end(j, 's', from->start_ns, from->proc->pid, from->tid);
	add_arrow_end(j, 'f', sync->start_ns, sync->proc->pid, sync->tid);
	err = accept_line(j, sync->start_ns);
	if (err < 0)
		j->err = err;
}

/* A mark: scope g the whole picture, p the process. */
static int put_mark(struct chrome *j, const char *scope, const char *cat, uint32_t pid,
		    uint64_t ts_ns, const char *text)
{
	struct xpt_strbuf *sb = &j->line;

	xpt_strbuf__reset(sb);
	xpt_strbuf__add(sb, "{\"ph\":\"i\",\"s\":\"");
	xpt_strbuf__add(sb, scope);
	xpt_strbuf__add(sb, "\",\"cat\":\"");
	xpt_strbuf__add(sb, cat);
	xpt_strbuf__add(sb, "\",\"name\":");
	xpt_strbuf__add_json(sb, text);
	add_time(j, sb, ts_ns);
	add_ids(sb, pid, pid);
	xpt_strbuf__addc(sb, '}');
	return accept_line(j, ts_ns);
}

static int put_exit(struct chrome *j, const struct xpt_proc *p, uint64_t ts_ns)
{
	char text[64];

	return put_mark(j, "p", "process", p->pid, ts_ns, xpt_exit_text(p, text, sizeof(text)));
}

static int put_loss(struct chrome *j, uint32_t loss, uint64_t count, uint64_t ts_ns)
{
	char text[160];

	if (loss >= XPT_LOSS__MAX || count <= j->lost[loss])
		return 0;
	xpt_lost_text(loss, count - j->lost[loss], text, sizeof(text));
	j->lost[loss] = count;
	return put_mark(j, "g", "loss", 0, ts_ns, text);
}

static int put_xid(struct chrome *j, const struct xpt_event *ev)
{
	const struct xpt_proc *p = ev->u.xid->proc;
	char text[160];

	return put_mark(j, p ? "p" : "g", "xid", p ? p->pid : 0, ev->ts_ns,
			xpt_xid__title(ev, text, sizeof(text)));
}

/* --- the sink ------------------------------------------------------------------ */

static int chrome_open(void *st, const struct xpt_sink_cfg *cfg)
{
	static const struct xpt_track_ops ops = { .point = put_point, .arrow = put_arrow };
	struct chrome *j = st;
	int err;

	j->cfg = *cfg;
	xpt_strbuf__init(&j->buf, BUF_MAX);
	xpt_strbuf__init(&j->line, LINE_MAX_);
	err = xpt_lanes__new(MAX_LANES, end_lane, j, &j->lanes);
	return err ? err : xpt_tracks__new(&ops, j, &j->tracks);
}

static int begin_trace(struct chrome *j, const struct xpt_event *ev)
{
	j->begun = j->first = true;
	j->begin_ns = ev->ts_ns;
	j->wall_ns = ev->u.begin.realtime_minus_monotonic_ns;
	return put_meta(j, "process_name", 0, 0, "xputrace");
}

static int show_event(struct chrome *j, const struct xpt_event *ev)
{
	switch (ev->kind) {
	case XPT_EV_BEGIN:
		return begin_trace(j, ev);
	case XPT_EV_ORIGIN:
		j->begin_ns = j->dated ? j->begin_ns : ev->ts_ns;
		j->dated = true;
		return 0;
	case XPT_EV_CALL:
		return put_call(j, &ev->u.call, ev->ts_ns);
	case XPT_EV_INFLIGHT:
		if (ev->u.call.flags & XPT_CALL_LEFT)
			return put_call(j, &ev->u.call, ev->ts_ns);
		return keep_inflight(j, &ev->u.call);
	case XPT_EV_PROC:
		return put_proc(j, ev->u.proc.proc);
	case XPT_EV_EXIT:
		return put_exit(j, ev->u.proc.proc, ev->ts_ns);
	case XPT_EV_LOSS:
		return put_loss(j, ev->u.loss.loss, ev->u.loss.count, ev->ts_ns);
	case XPT_EV_XID:
		return put_xid(j, ev);
	case XPT_EV_READING:
		return put_reading(j, ev->u.reading, ev->ts_ns);
	case XPT_EV_FORGET:
		xpt_lanes__forget(j->lanes);
		return 0;
	case XPT_EV_TICK:
		return j->dated ? flush_buf(j, false) : 0;
	default:
		return 0;
	}
}

/* Whatever is shown with a time: the origin came before it, or it does not come. */
static bool shows_time(enum xpt_event_kind kind)
{
	return kind == XPT_EV_CALL || kind == XPT_EV_INFLIGHT || kind == XPT_EV_EXIT ||
	       kind == XPT_EV_LOSS || kind == XPT_EV_XID || kind == XPT_EV_READING ||
	       kind == XPT_EV_END;
}

static int chrome_event(void *st, const struct xpt_event *ev)
{
	struct chrome *j = st;
	int err;

	if (j->full)
		return 0;
	j->dated = j->dated || shows_time(ev->kind);
	err = show_event(j, ev);
	if (!err && !j->full) {
		xpt_tracks__event(j->tracks, ev);
		err = j->err;
	}
	return err ? err : j->full ? XPT_SINK_FULL : 0;
}

static int chrome_close(void *st)
{
	struct chrome *j = st;
	struct xpt_lane *lane;
	size_t pos = 0;
	int err = 0;

	if (j->cfg.file && j->lanes && j->begun) {
		while (!j->err && (lane = xpt_lanes__next(j->lanes, &pos)))
			end_lane(j, lane);
		err = flush_buf(j, true);
	} else if (j->cfg.file && j->lanes) {	/* a trace without any event */
		err = put_out(j, "{\"traceEvents\":[" TAIL, strlen("{\"traceEvents\":[" TAIL));
	}
	xpt_lanes__free(j->lanes);
	xpt_tracks__free(j->tracks);
	xpt_strbuf__free(&j->buf);
	xpt_strbuf__free(&j->line);
	for (size_t i = 0; i < XPT_MAX_FNS; i++)
		free_fn(j->fns[i]);
	return err;
}

static uint64_t chrome_bytes(const void *st)
{
	const struct chrome *s = st;

	return s->written + s->buf.len;
}

const struct xpt_sink xpt_sink_chrome = {
	.name = "chrome",
	.help = "Chrome trace events, for ui.perfetto.dev and chrome://tracing",
	.ext = "json",
	.state_size = sizeof(struct chrome),
	.open = chrome_open,
	.event = chrome_event,
	.bytes = chrome_bytes,
	.close = chrome_close,
};
