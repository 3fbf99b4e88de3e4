/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Calls as comma-separated values, one row a call, for spreadsheets and data
 * frames. Columns are keys of the JSON lines with the same meaning, always all
 * of them; a column that does not apply is empty. Arguments and stacks are left
 * out: their number differs from call to call.
 */
#include <errno.h>
#include <stdint.h>
#include "base/formats/csv_field.h"
#include "base/strbuf.h"
#include "model/call.h"
#include "model/output/sink.h"
#include "model/value.h"
#include "model/vocab.h"

#define BUF_MAX (1u << 20)
#define FLUSH_AT (64u << 10)

static const char head[] =
	"event_id,ts,type,layer,domain,class,kind,name,pid,tid,comm,depth,duration_us,result,"
	"code,failed,size,ptr,direction,kernel,in_flight\n";

struct csv {
	struct xpt_sink_cfg cfg;
	struct xpt_strbuf buf;
	int64_t wall_ns;	/* add to a monotonic time */
	uint64_t written;
	bool full;		/* max_bytes reached */
};

static int csv_open(void *st, const struct xpt_sink_cfg *cfg)
{
	struct csv *s = st;

	s->cfg = *cfg;
	xpt_strbuf__init(&s->buf, BUF_MAX);
	xpt_strbuf__add(&s->buf, head);
	return xpt_strbuf__err(&s->buf);
}

static int flush_buf(struct csv *s)
{
	int err = 0;

	errno = 0;
	if (fwrite(xpt_strbuf__str(&s->buf), 1, s->buf.len, s->cfg.file) != s->buf.len)
		err = errno ? -errno : -EIO;
	s->written += s->buf.len;
	xpt_strbuf__reset(&s->buf);
	return err;
}

static void add_text(struct xpt_strbuf *sb, const char *text)
{
	xpt_strbuf__addc(sb, ',');
	xpt_csv__add_text(sb, text);
}

static void add_number(struct xpt_strbuf *sb, uint64_t v)
{
	xpt_strbuf__addc(sb, ',');
	xpt_strbuf__addu64(sb, v);
}

static void add_identity(struct csv *s, const struct xpt_call *c)
{
	bool before_1970 = s->wall_ns < 0 && (uint64_t)-s->wall_ns > c->start_ns;
	struct xpt_strbuf *sb = &s->buf;

	xpt_strbuf__addu64(sb, c->id);
	xpt_strbuf__addc(sb, ',');
	xpt_strbuf__add_fixed(sb, before_1970 ? c->start_ns
					      : c->start_ns + (uint64_t)s->wall_ns, 9);
	add_text(sb, xpt_fn__type(c->fn, c->flags & XPT_CALL_OUTER));
	add_text(sb, xpt_layer_name(c->fn->layer));
	add_text(sb, c->fn->domain_name);
	add_text(sb, xpt_class_name(c->fn->cls));
	add_text(sb, c->fn->kind != XPT_KIND_NONE ? xpt_kind_name(c->fn->kind) : "");
	add_text(sb, c->fn->name);
	add_number(sb, c->proc->pid);
	add_number(sb, c->tid);
	add_text(sb, c->comm);
	add_number(sb, c->depth);
}

static void add_result(struct xpt_strbuf *sb, const struct xpt_call *c)
{
	char buf[32];

	if (c->fn->ret == XPT_RET_NONE) {
		xpt_strbuf__add(sb, ",,");
	} else if (c->flags & XPT_CALL_NO_RESULT) {
		xpt_strbuf__add(sb, ",unknown,");
	} else {
		add_text(sb, xpt_call__result_name(c, buf, sizeof(buf)));
		xpt_strbuf__addc(sb, ',');
		if (xpt_ret_is_pointer(c->fn->ret)) {
			xpt_value__add_hex(sb, (uint64_t)c->ret);
		} else {
			xpt_strbuf__add(sb, c->ret < 0 ? "-" : "");
			xpt_strbuf__addu64(sb, c->ret < 0 ? 0 - (uint64_t)c->ret : (uint64_t)c->ret);
		}
	}
	add_text(sb, c->failed ? "true" : "false");
}

static void add_outcome(struct xpt_strbuf *sb, const struct xpt_call *c)
{
	enum xpt_dir dir = c->fn->cls == XPT_CLASS_COPY ? xpt_call__dir(c) : XPT_DIR_NONE;
	uint64_t v;

	xpt_strbuf__addc(sb, ',');
	xpt_strbuf__add_fixed(sb, c->dur_ns, 3);
	add_result(sb, c);
	xpt_strbuf__addc(sb, ',');
	if (xpt_call__done_bytes(c, &v))
		xpt_strbuf__addu64(sb, v);
	xpt_strbuf__addc(sb, ',');
	if (xpt_call__ptr(c, &v))
		xpt_value__add_hex(sb, v);
	add_text(sb, dir != XPT_DIR_NONE ? xpt_dir_name(dir) : "");
}

/* A row that cannot be had, or goes beyond the limit, is taken back whole. */
static int put_call(struct csv *s, const struct xpt_call *c, bool returned)
{
	struct xpt_strbuf *sb = &s->buf;
	size_t start = sb->len;
	int err;

	add_identity(s, c);
	if (returned)
		add_outcome(sb, c);
	else
		xpt_strbuf__add(sb, c->flags & XPT_CALL_LEFT ? ",,left,,,,," : ",,,,,,,");
	add_text(sb, c->kernel ? c->kernel : "");
	xpt_strbuf__add(sb, returned || c->flags & XPT_CALL_LEFT ? ",false\n" : ",true\n");
	err = xpt_strbuf__err(sb);
	s->full = !err && s->cfg.max_bytes && s->written + sb->len > s->cfg.max_bytes;
	if (err || s->full) {
		sb->err = 0;
		sb->len = start;
	}
	if (s->full)
		err = flush_buf(s);
	if (err || s->full)
		return err ? err : XPT_SINK_FULL;
	return sb->len >= FLUSH_AT ? flush_buf(s) : 0;
}

static int csv_event(void *st, const struct xpt_event *ev)
{
	struct csv *s = st;
	int err;

	if (s->full)
		return 0;
	switch (ev->kind) {
	case XPT_EV_BEGIN:
		s->wall_ns = ev->u.begin.realtime_minus_monotonic_ns;
		return 0;
	case XPT_EV_CALL:
	case XPT_EV_INFLIGHT:
		return put_call(s, &ev->u.call, ev->kind == XPT_EV_CALL);
	case XPT_EV_TICK:	/* so that a reader follows the file */
		err = flush_buf(s);
		if (!err && fflush(s->cfg.file) != 0)
			err = -errno;
		return err;
	default:
		return 0;
	}
}

static int csv_close(void *st)
{
	struct csv *s = st;
	int err = 0;

	if (s->cfg.file) {
		err = flush_buf(s);
		if (fflush(s->cfg.file) != 0 && !err)
			err = -errno;
	}
	xpt_strbuf__free(&s->buf);
	return err;
}

static uint64_t csv_bytes(const void *st)
{
	const struct csv *s = st;

	return s->written + s->buf.len;
}

const struct xpt_sink xpt_sink_csv = {
	.name = "csv",
	.help = "calls as comma-separated values, one row a call",
	.ext = "csv",
	.state_size = sizeof(struct csv),
	.open = csv_open,
	.event = csv_event,
	.bytes = csv_bytes,
	.close = csv_close,
};
