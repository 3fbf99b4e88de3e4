/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Folded stacks, the input of flame graph tools: one line for each different
 * stack, `process;outermost;...;innermost;function VALUE`, sorted by text.
 *
 * VALUE is time in us, bytes or calls: as in the file's name (x.bytes.folded),
 * else --weight. Stacks that found no room are in a line [other].
 */
#include <errno.h>
#include "base/strbuf.h"
#include "model/picture/folds.h"
#include "model/output/sink.h"

#define BUF_MAX (256u << 10)
#define FLUSH_AT (64u << 10)

struct folded {
	struct xpt_sink_cfg cfg;
	enum xpt_fold_weight weight;
	struct xpt_folds *folds;
};

static int folded_open(void *st, const struct xpt_sink_cfg *cfg)
{
	struct folded *f = st;

	f->cfg = *cfg;
	f->weight = xpt_fold_weight(cfg->path, cfg->weight);
	return xpt_folds__new(f->weight, &f->folds);
}

static int folded_event(void *st, const struct xpt_event *ev)
{
	struct folded *f = st;

	if (ev->kind == XPT_EV_CALL || ev->kind == XPT_EV_INFLIGHT)
		xpt_folds__call(f->folds, &ev->u.call, ev->kind == XPT_EV_CALL);
	else if (ev->kind == XPT_EV_FORGET)
		xpt_folds__forget(f->folds);
	return 0;
}

static int flush_buf(struct folded *f, struct xpt_strbuf *sb)
{
	int err = 0;

	errno = 0;
	if (xpt_strbuf__err(sb))
		err = xpt_strbuf__err(sb);
	else if (fwrite(xpt_strbuf__str(sb), 1, sb->len, f->cfg.file) != sb->len)
		err = errno ? -errno : -EIO;
	xpt_strbuf__reset(sb);
	return err;
}

static int put_line(struct folded *f, struct xpt_strbuf *sb, const char *text, uint64_t value)
{
	uint64_t v = f->weight == XPT_FOLD_TIME ? (value + 500) / 1000 : value;

	if (!v)
		return 0;
	xpt_strbuf__add(sb, text);
	xpt_strbuf__addc(sb, ' ');
	xpt_strbuf__addu64(sb, v);
	xpt_strbuf__addc(sb, '\n');
	return sb->len >= FLUSH_AT ? flush_buf(f, sb) : 0;
}

static int write_lines(struct folded *f)
{
	const struct xpt_fold *line;
	struct xpt_strbuf sb;
	uint64_t other;
	size_t nr;
	int err = 0;

	xpt_strbuf__init(&sb, BUF_MAX);
	line = xpt_folds__sorted(f->folds, &nr, &other);
	for (size_t i = 0; !err && i < nr; i++)
		err = put_line(f, &sb, line[i].text, line[i].value);
	if (!err)
		err = put_line(f, &sb, "[other]", other);
	if (!err)
		err = flush_buf(f, &sb);
	if (fflush(f->cfg.file) != 0 && !err)
		err = -errno;
	xpt_strbuf__free(&sb);
	return err;
}

static int folded_close(void *st)
{
	struct folded *f = st;
	int err = f->cfg.file && f->folds ? write_lines(f) : 0;

	xpt_folds__free(f->folds);
	return err;
}

const struct xpt_sink xpt_sink_folded = {
	.name = "folded",
	.help = "stacks with their time, bytes or calls, for flame graphs",
	.ext = "folded",
	.state_size = sizeof(struct folded),
	.open = folded_open,
	.event = folded_event,
	.close = folded_close,
};
