/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON lines: one object a call, for jq and scripts; docs/format.md describes
 * every key. The only other lines are losses, written when they happen.
 *
 * This runs once per call, so text that does not change between two calls of
 * one function is escaped once and kept, and numbers are converted by hand.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/strbuf.h"
#include "model/call.h"
#include "model/device.h"
#include "model/kernel/xid_table.h"
#include "model/output/sink.h"
#include "model/value.h"
#include "model/vocab.h"

#define BUF_MAX (1u << 20)	/* longer than the longest line plus FLUSH_AT */
#define FLUSH_AT (256u << 10)
#define LIMIT_LINE 200		/* room for the line that says that the limit is reached */

/* Fragments of one function, as JSON. */
struct fn_text {
	const struct xpt_fn *fn;
	char *head[2];		/* "type" to "name"; [1]: for XPT_CALL_OUTER */
	char *arg[XPT_MAX_VALS];	/* "\"dptr\":", NULL for implied values */
};

struct jsonl {
	struct xpt_sink_cfg cfg;
	struct xpt_strbuf buf;
	int64_t wall_ns;	/* add to a monotonic time */
	uint64_t written;
	bool full;		/* max_bytes reached */
	uint64_t lost[XPT_LOSS__MAX];	/* as last written */
	struct fn_text *fns[XPT_MAX_FNS];
};

static int jsonl_open(void *st, const struct xpt_sink_cfg *cfg)
{
	struct jsonl *j = st;

	j->cfg = *cfg;
	xpt_strbuf__init(&j->buf, BUF_MAX);
	return 0;
}

/* --- fragments ---------------------------------------------------------------- */

static char *take_text(struct xpt_strbuf *sb)
{
	char *s = xpt_strbuf__err(sb) ? NULL : strdup(xpt_strbuf__str(sb));

	xpt_strbuf__reset(sb);
	return s;
}

static char *head_text(const struct xpt_fn *fn, bool outer, struct xpt_strbuf *sb)
{
	xpt_strbuf__add(sb, ",\"type\":\"");
	xpt_strbuf__add(sb, xpt_fn__type(fn, outer));
	xpt_strbuf__add(sb, "\",\"layer\":");
	xpt_strbuf__add_json(sb, xpt_layer_name(fn->layer));
	xpt_strbuf__add(sb, ",\"domain\":");
	xpt_strbuf__add_json(sb, fn->domain_name);
	xpt_strbuf__add(sb, ",\"class\":");
	xpt_strbuf__add_json(sb, xpt_class_name(fn->cls));
	if (fn->kind != XPT_KIND_NONE) {
		xpt_strbuf__add(sb, ",\"kind\":");
		xpt_strbuf__add_json(sb, xpt_kind_name(fn->kind));
	}
	xpt_strbuf__add(sb, ",\"name\":");
	xpt_strbuf__add_json(sb, fn->name);
	return take_text(sb);
}

static void free_fn(struct fn_text *t)
{
	if (!t)
		return;
	free(t->head[0]);
	free(t->head[1]);
	for (size_t i = 0; i < XPT_MAX_VALS; i++)
		free(t->arg[i]);
	free(t);
}

/* Fragments of fn, made once; NULL: out of memory. */
static const struct fn_text *fn_text(struct jsonl *j, const struct xpt_fn *fn)
{
	struct fn_text *t = j->fns[fn->id % XPT_MAX_FNS];
	struct xpt_strbuf sb;
	bool ok;

	if (t && t->fn == fn)
		return t;
	free_fn(t);
	t = j->fns[fn->id % XPT_MAX_FNS] = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->fn = fn;
	xpt_strbuf__init(&sb, BUF_MAX / 4);
	t->head[0] = head_text(fn, false, &sb);
	t->head[1] = head_text(fn, true, &sb);
	ok = t->head[0] && t->head[1];
	for (size_t i = 0; ok && i < fn->nr_caps && i < XPT_MAX_VALS; i++) {
		if (!xpt_cap_is_arg(&fn->cap[i]))
			continue;
		xpt_strbuf__add_json(&sb, fn->cap_name[i]);
		xpt_strbuf__addc(&sb, ':');
		t->arg[i] = take_text(&sb);
		ok = t->arg[i] != NULL;
	}
	xpt_strbuf__free(&sb);
	if (!ok)
		t->fn = NULL;
	return ok ? t : NULL;
}

/* --- lines -------------------------------------------------------------------- */

static void add_i64(struct xpt_strbuf *sb, int64_t v)
{
	if (v < 0)
		xpt_strbuf__addc(sb, '-');
	xpt_strbuf__addu64(sb, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void add_hex(struct xpt_strbuf *sb, uint64_t v)
{
	xpt_strbuf__addc(sb, '"');
	xpt_value__add_hex(sb, v);
	xpt_strbuf__addc(sb, '"');
}

/* Wall clock of a monotonic time; before 1970 (no clock in the stream) as it is. */
static uint64_t wall_clock(const struct jsonl *j, uint64_t ns)
{
	return j->wall_ns < 0 && -(uint64_t)j->wall_ns > ns ? ns : ns + (uint64_t)j->wall_ns;
}

static void add_head(struct jsonl *j, const struct xpt_call *c, const struct fn_text *t,
		     char phase, uint64_t ts_ns)
{
	struct xpt_strbuf *sb = &j->buf;

	xpt_strbuf__add(sb, "{\"event_id\":");
	xpt_strbuf__addu64(sb, c->id);
	xpt_strbuf__add(sb, ",\"ts\":");
	xpt_strbuf__add_fixed(sb, wall_clock(j, ts_ns), 9);
	xpt_strbuf__add(sb, t->head[!!(c->flags & XPT_CALL_OUTER)]);
	xpt_strbuf__add(sb, ",\"phase\":\"");
	xpt_strbuf__addc(sb, phase);
	xpt_strbuf__add(sb, "\",\"pid\":");
	xpt_strbuf__addu64(sb, c->proc->pid);
	if (c->proc->ns_pid) {
		xpt_strbuf__add(sb, ",\"ns_pid\":");
		xpt_strbuf__addu64(sb, c->proc->ns_pid);
	}
	if (c->proc->container && c->proc->container[0]) {
		xpt_strbuf__add(sb, ",\"container\":");
		xpt_strbuf__add_json(sb, c->proc->container);
	}
	if (c->proc->pod && c->proc->pod[0]) {
		xpt_strbuf__add(sb, ",\"pod\":");
		xpt_strbuf__add_json(sb, c->proc->pod);
	}
	if (c->proc->slurm_job && c->proc->slurm_job[0]) {
		xpt_strbuf__add(sb, ",\"slurm_job\":");
		xpt_strbuf__add_json(sb, c->proc->slurm_job);
	}
	xpt_strbuf__add(sb, ",\"tid\":");
	xpt_strbuf__addu64(sb, c->tid);
	xpt_strbuf__add(sb, ",\"comm\":");
	xpt_strbuf__add_json(sb, c->comm);
	xpt_strbuf__add(sb, ",\"depth\":");
	xpt_strbuf__addu64(sb, c->depth);
}

static void add_ptr(struct xpt_strbuf *sb, const struct xpt_call *c)
{
	uint64_t v;

	xpt_strbuf__add(sb, ",\"ptr\":");
	if (xpt_call__ptr(c, &v))
		add_hex(sb, v);
	else
		xpt_strbuf__add(sb, "null");
}

static void add_result(struct xpt_strbuf *sb, const struct xpt_call *c)
{
	char buf[32];

	xpt_strbuf__add(sb, ",\"result\":");
	if (c->fn->ret == XPT_RET_NONE)
		xpt_strbuf__add(sb, "null,\"code\":null");
	else
		xpt_strbuf__add_json(sb, xpt_call__result_name(c, buf, sizeof(buf)));
	if (c->flags & XPT_CALL_NO_RESULT) {
		xpt_strbuf__add(sb, ",\"code\":null");
	} else if (xpt_ret_is_pointer(c->fn->ret)) {
		xpt_strbuf__add(sb, ",\"code\":");
		add_hex(sb, (uint64_t)c->ret);
	} else if (c->fn->ret != XPT_RET_NONE) {
		xpt_strbuf__add(sb, ",\"code\":");
		add_i64(sb, c->ret);
	}
	xpt_strbuf__add(sb, c->failed ? ",\"failed\":true" : ",\"failed\":false");
}

/* Appends the fields that are known once a call has returned. */
static void add_outcome(struct xpt_strbuf *sb, const struct xpt_call *c)
{
	enum xpt_dir dir = xpt_call__dir(c);
	uint64_t bytes;

	xpt_strbuf__add(sb, ",\"duration_us\":");
	xpt_strbuf__add_fixed(sb, c->dur_ns, 3);
	add_result(sb, c);
	xpt_strbuf__add(sb, ",\"size\":");
	if (xpt_call__done_bytes(c, &bytes))
		xpt_strbuf__addu64(sb, bytes);
	else
		xpt_strbuf__add(sb, "null");
	add_ptr(sb, c);
	if (c->freed) {
		xpt_strbuf__add(sb, ",\"freed\":");
		xpt_strbuf__addu64(sb, c->freed);
	}
	if (c->captured)
		xpt_strbuf__add(sb, ",\"captured\":true");
	if (c->fn->cls == XPT_CLASS_COPY && dir != XPT_DIR_NONE) {
		xpt_strbuf__add(sb, ",\"direction\":");
		xpt_strbuf__add_json(sb, xpt_dir_name(dir));
	}
}

/* The name of a state beside its number. */
static void add_state_name(struct xpt_strbuf *sb, const struct xpt_fn *fn, unsigned i, uint64_t v)
{
	struct xpt_strbuf name;

	if (!xpt_role_is_state(fn->cap[i].role) || !fn->cap_type[i].constants)
		return;
	xpt_strbuf__init(&name, 1024);
	if (xpt_enum__add(&name, fn->cap_type[i].constants, v) && !xpt_strbuf__err(&name)) {
		xpt_strbuf__addf(sb, ",\"%s_name\":", fn->cap_name[i]);
		xpt_strbuf__add_json(sb, xpt_strbuf__str(&name));
	}
	xpt_strbuf__free(&name);
}

/* begin: the call has not returned, so out-parameters say nothing yet. */
static void add_args(struct xpt_strbuf *sb, const struct xpt_call *c, const struct fn_text *t,
		     bool begin)
{
	unsigned n = c->nr_vals < c->fn->nr_caps ? c->nr_vals : c->fn->nr_caps;
	bool first = true;

	if (c->kernel) {
		xpt_strbuf__add(sb, ",\"kernel\":");
		xpt_strbuf__add_json(sb, c->kernel);
	}
	xpt_strbuf__add(sb, ",\"args\":{");
	for (unsigned i = 0; i < n && i < XPT_MAX_VALS; i++) {
		const struct xpt_wire_cap *cap = &c->fn->cap[i];

		if (!t->arg[i] || (begin && xpt_cap_is_out(cap)))
			continue;
		if (!first)
			xpt_strbuf__addc(sb, ',');
		first = false;
		xpt_strbuf__add(sb, t->arg[i]);
		if (xpt_call__string(c, i))
			xpt_strbuf__add_json(sb, xpt_call__string(c, i));
		else if ((c->valid >> i & 1) && xpt_call__shows_arg(c, i))
			xpt_value__add_json(sb, c->fn, i, c->val[i]);
		else
			xpt_strbuf__add(sb, "null");
		if (c->valid >> i & 1)
			add_state_name(sb, c->fn, i, c->val[i]);
	}
	xpt_strbuf__addc(sb, '}');
}

/* Innermost first; nothing if no stack was recorded. */
static void add_stack(struct xpt_strbuf *sb, const struct xpt_stack *st)
{
	if (!st)
		return;
	xpt_strbuf__add(sb, ",\"stack\":[");
	for (uint32_t i = 0; i < st->nr; i++) {
		if (i)
			xpt_strbuf__addc(sb, ',');
		xpt_strbuf__add_json(sb, st->frame[i].fn);
	}
	xpt_strbuf__add(sb, st->truncated ? "],\"stack_truncated\":true" : "]");
}

static int flush_buf(struct jsonl *j)
{
	int err = 0;

	errno = 0;
	if (fwrite(xpt_strbuf__str(&j->buf), 1, j->buf.len, j->cfg.file) != j->buf.len)
		err = errno ? -errno : -EIO;
	j->written += j->buf.len;
	xpt_strbuf__reset(&j->buf);
	return err;
}

/*
 * Accepts the text after `start` as written. Beyond the limit it is taken
 * back and the file ends with a line that says so.
 */
static int accept_line(struct jsonl *j, size_t start, uint64_t ts_ns)
{
	struct xpt_strbuf *sb = &j->buf;
	int err = xpt_strbuf__err(sb);

	if (err) {
		sb->err = 0;
		sb->len = start;
		return err;
	}
	if (j->cfg.max_bytes && j->written + sb->len + LIMIT_LINE > j->cfg.max_bytes) {
		sb->len = start;
		if (j->written + start + LIMIT_LINE <= j->cfg.max_bytes) {
			xpt_strbuf__add(sb, "{\"type\":\"loss\",\"ts\":");
			xpt_strbuf__add_fixed(sb, wall_clock(j, ts_ns), 9);
			xpt_strbuf__add(sb, ",\"name\":\"file_limit\",\"count\":null,\"text\":");
			xpt_strbuf__add_json(sb, xpt_loss_text(XPT_LOSS_FILE_LIMIT));
			xpt_strbuf__add(sb, "}\n");
		}
		j->full = true;
		err = flush_buf(j);
		return err ? err : XPT_SINK_FULL;
	}
	return sb->len >= FLUSH_AT ? flush_buf(j) : 0;
}

static int put_call(struct jsonl *j, const struct xpt_call *c, uint64_t ts_ns)
{
	const struct fn_text *t = fn_text(j, c->fn);
	struct xpt_strbuf *sb = &j->buf;
	bool point = xpt_fn__is_point(c->fn);
	size_t start = sb->len;

	if (!t)
		return -ENOMEM;
	if (j->cfg.phases && !point) {
		add_head(j, c, t, 'B', c->start_ns);
		add_args(sb, c, t, true);
		xpt_strbuf__add(sb, "}\n");
		add_head(j, c, t, 'E', c->start_ns + c->dur_ns);
	} else {
		add_head(j, c, t, point ? 'i' : 'X', c->start_ns);
	}
	add_outcome(sb, c);
	xpt_call__add_sched(sb, c);
	add_args(sb, c, t, false);
	add_stack(sb, c->stack);
	xpt_strbuf__add(sb, "}\n");
	return accept_line(j, start, ts_ns);
}

/* A begin without an end: the call has not returned, or was left and never will. */
static int put_inflight(struct jsonl *j, const struct xpt_call *c, uint64_t ts_ns)
{
	const struct fn_text *t = fn_text(j, c->fn);
	size_t start = j->buf.len;
	char name[16];

	if (!t)
		return -ENOMEM;
	add_head(j, c, t, 'B', c->start_ns);
	xpt_strbuf__add(&j->buf, c->flags & XPT_CALL_LEFT ? ",\"left\":true,\"age_us\":" :
							  ",\"in_flight\":true,\"age_us\":");
	xpt_strbuf__add_fixed(&j->buf, c->dur_ns, 3);
	if (c->signal) {
		xpt_strbuf__add(&j->buf, ",\"signal\":");
		xpt_strbuf__add_json(&j->buf, xpt_signal_name(c->signal, name, sizeof(name)));
	}
	xpt_call__add_sched(&j->buf, c);
	add_args(&j->buf, c, t, true);
	add_stack(&j->buf, c->stack);
	xpt_strbuf__add(&j->buf, "}\n");
	return accept_line(j, start, ts_ns);
}

static int put_loss(struct jsonl *j, uint32_t loss, uint64_t count, uint64_t ts_ns)
{
	struct xpt_strbuf *sb = &j->buf;
	size_t start = sb->len;

	if (loss >= XPT_LOSS__MAX || j->lost[loss] == count)
		return 0;
	j->lost[loss] = count;
	xpt_strbuf__add(sb, "{\"type\":\"loss\",\"ts\":");
	xpt_strbuf__add_fixed(sb, wall_clock(j, ts_ns), 9);
	xpt_strbuf__add(sb, ",\"name\":");
	xpt_strbuf__add_json(sb, xpt_loss_name(loss));
	xpt_strbuf__add(sb, ",\"count\":");
	xpt_strbuf__addu64(sb, count);
	xpt_strbuf__add(sb, ",\"text\":");
	xpt_strbuf__add_json(sb, xpt_loss_text(loss));
	xpt_strbuf__add(sb, "}\n");
	return accept_line(j, start, ts_ns);
}

/* "states:target" with "INIT_NONE,..." as a line of its own: numbers in the lines after it mean these. */
static int put_states(struct jsonl *j, const struct xpt_event *ev)
{
	static const char key[] = "states:";
	const char *name = ev->u.meta.value, *end;
	struct xpt_strbuf *sb = &j->buf;
	size_t start = sb->len;
	char one[256];

	if (strncmp(ev->u.meta.key, key, sizeof(key) - 1) != 0)
		return 0;
	xpt_strbuf__add(sb, "{\"type\":\"states\",\"kind\":");
	xpt_strbuf__add_json(sb, ev->u.meta.key + sizeof(key) - 1);
	xpt_strbuf__add(sb, ",\"names\":[");
	for (; name; name = *end ? end + 1 : NULL) {
		end = strchrnul(name, ',');
		snprintf(one, sizeof(one), "%.*s", (int)(end - name), name);
		xpt_strbuf__add(sb, name == ev->u.meta.value ? "" : ",");
		xpt_strbuf__add_json(sb, one);
	}
	xpt_strbuf__add(sb, "]}\n");
	return accept_line(j, start, ev->ts_ns);
}

static int put_xid(struct jsonl *j, const struct xpt_event *ev)
{
	const struct xpt_proc *p = ev->u.xid->proc;
	const struct xpt_xid_info *info = ev->u.xid->info;
	uint32_t pid = p ? p->pid : ev->u.xid->rec->tgid;
	struct xpt_strbuf *sb = &j->buf;
	size_t start = sb->len;

	xpt_strbuf__add(sb, "{\"type\":\"xid\",\"ts\":");
	xpt_strbuf__add_fixed(sb, wall_clock(j, ev->ts_ns), 9);
	xpt_strbuf__addf(sb, ",\"xid\":%u,\"device\":", ev->u.xid->rec->xid);
	xpt_strbuf__add_json(sb, ev->u.xid->device);
	xpt_strbuf__addf(sb, ",\"what\":\"%s\",\"severity\":\"%s\",\"pid\":", info->name,
			 xpt_xid__severity(ev->u.xid));
	if (pid)
		xpt_strbuf__addu64(sb, pid);
	else
		xpt_strbuf__add(sb, "null");
	xpt_strbuf__add(sb, ",\"comm\":");
	xpt_strbuf__add_json(sb, p ? p->comm : "");
	xpt_strbuf__addf(sb, ",\"named\":%s,\"source\":\"%s\",\"text\":",
			 ev->u.xid->rec->tgid ? "true" : "false",
			 xpt_xid__source(ev->u.xid->rec->source));
	xpt_strbuf__add_json(sb, ev->u.xid->text);
	xpt_strbuf__add(sb, ",\"action\":");
	xpt_strbuf__add_json(sb, info->action);
	xpt_strbuf__add(sb, "}\n");
	return accept_line(j, start, ev->ts_ns);
}

static void begin_device(struct jsonl *j, const char *type, const struct xpt_event *ev)
{
	xpt_strbuf__addf(&j->buf, "{\"type\":\"%s\",\"ts\":", type);
	xpt_strbuf__add_fixed(&j->buf, wall_clock(j, ev->ts_ns), 9);
}

static void add_text(struct xpt_strbuf *sb, const char *key, const char *text)
{
	xpt_strbuf__addf(sb, ",\"%s\":", key);
	xpt_strbuf__add_json(sb, text);
}

static void add_label(struct xpt_strbuf *sb, const struct xpt_device *d)
{
	char label[XPT_DEVICE_NAME + 32];

	add_text(sb, "device", xpt_device__label(d, label, sizeof(label)));
	xpt_strbuf__addf(sb, ",\"device_id\":%u", d->id);
}

static int put_device(struct jsonl *j, const struct xpt_event *ev)
{
	const struct xpt_device *d = ev->u.device;
	struct xpt_strbuf *sb = &j->buf;
	size_t start = sb->len;

	begin_device(j, "device", ev);
	add_label(sb, d);
	if (d->parent)
		xpt_strbuf__addf(sb, ",\"parent_id\":%u", d->parent->id);
	add_text(sb, "kind", xpt_device_kind_name(d->kind));
	add_text(sb, "name", d->name);
	add_text(sb, "uuid", d->uuid);
	add_text(sb, "address", d->address);
	add_text(sb, "detail", d->detail);
	xpt_strbuf__add(sb, "}\n");
	return accept_line(j, start, ev->ts_ns);
}

/* Scales are powers of ten, so the decimal number is exact. */
static void add_scaled(struct xpt_strbuf *sb, uint64_t v, uint64_t scale)
{
	unsigned digits = 0;

	while (scale > 1 && v % 10 == 0) {
		v /= 10;
		scale /= 10;
	}
	for (; scale > 1; scale /= 10)
		digits++;
	if (digits)
		xpt_strbuf__add_fixed(sb, v, digits);
	else
		xpt_strbuf__addu64(sb, v);
}

static int put_reading(struct jsonl *j, const struct xpt_event *ev)
{
	const struct xpt_reading *r = ev->u.reading;
	struct xpt_strbuf *sb = &j->buf;
	size_t start = sb->len;

	begin_device(j, "reading", ev);
	add_text(sb, "name", r->metric->name);
	add_label(sb, r->device);
	xpt_strbuf__add(sb, ",\"value\":");
	add_scaled(sb, r->value, r->metric->scale);
	if (r->part != XPT_PART_NONE)
		xpt_strbuf__addf(sb, ",\"part\":%u", r->part);
	if (r->pid) {
		xpt_strbuf__addf(sb, ",\"pid\":%u", r->pid);
		add_text(sb, "comm", r->proc ? r->proc->comm : "");
	}
	xpt_strbuf__add(sb, "}\n");
	return accept_line(j, start, ev->ts_ns);
}

static int jsonl_event(void *st, const struct xpt_event *ev)
{
	struct jsonl *j = st;
	int err;

	if (j->full)
		return 0;
	switch (ev->kind) {
	case XPT_EV_BEGIN:
		j->wall_ns = ev->u.begin.realtime_minus_monotonic_ns;
		return 0;
	case XPT_EV_CALL:
		return put_call(j, &ev->u.call, ev->ts_ns);
	case XPT_EV_INFLIGHT:
		return put_inflight(j, &ev->u.call, ev->ts_ns);
	case XPT_EV_LOSS:
		return put_loss(j, ev->u.loss.loss, ev->u.loss.count, ev->ts_ns);
	case XPT_EV_META:
		return put_states(j, ev);
	case XPT_EV_XID:
		return put_xid(j, ev);
	case XPT_EV_DEVICE:
		return put_device(j, ev);
	case XPT_EV_READING:
		return put_reading(j, ev);
	case XPT_EV_TICK:	/* so that a reader follows the file */
		err = flush_buf(j);
		if (!err && fflush(j->cfg.file) != 0)
			err = -errno;
		return err;
	default:
		return 0;
	}
}

static int jsonl_close(void *st)
{
	struct jsonl *j = st;
	int err = 0;

	if (j->cfg.file) {
		err = flush_buf(j);
		if (fflush(j->cfg.file) != 0 && !err)
			err = -errno;
	}
	xpt_strbuf__free(&j->buf);
	for (size_t i = 0; i < XPT_MAX_FNS; i++)
		free_fn(j->fns[i]);
	return err;
}

static uint64_t jsonl_bytes(const void *st)
{
	const struct jsonl *s = st;

	return s->written + s->buf.len;
}

const struct xpt_sink xpt_sink_jsonl = {
	.name = "jsonl",
	.help = "one JSON object a call, for jq and scripts",
	.ext = "jsonl",
	.state_size = sizeof(struct jsonl),
	.open = jsonl_open,
	.event = jsonl_event,
	.bytes = jsonl_bytes,
	.close = jsonl_close,
};
