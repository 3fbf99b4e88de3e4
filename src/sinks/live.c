/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The live table: one line a call, in the columns PID FUNCTION SIZE DURATION
 * RESULT, and arguments where the terminal is wide. A nested call completes
 * before the call around it, so it is held back until that one is printed and
 * then stands below it, indented. Lines that start with # are no calls:
 * processes and losses. raw: plain numbers and five fields in every line, for
 * awk; nothing is shortened then.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/strbuf.h"
#include "model/call.h"
#include "model/domain/domain.h"
#include "model/kernel/xid_table.h"
#include "model/output/live_row.h"
#include "model/output/sink.h"
#include "model/picture/flood.h"
#include "model/text.h"
#include "model/value.h"
#include "model/vocab.h"

#define BUF_MAX (4u << 20)
#define FLUSH_AT (32u << 10)
#define FLUSH_NS 50000000ull	/* terminal: at most 20 writes a second of trace time */
#define HEADER_EVERY 40		/* lines, on a terminal */
#define MIN_COLUMNS 60
#define MAX_COLUMNS 1000
#define WIDE 110		/* columns from which arguments are shown */
#define PID_W 7
#define TIME_W 12		/* 12345.678901; time of day: 15:04:05.678901 */
#define WALL_W 15
#define SIZE_W 14
#define RESULT_W 27
#define RESULT_MIN 10		/* a result keeps this much before a name is cut */
#define KERNEL_W 8		/* least room for a kernel after the result */
#define NEST_THREADS 4096
#define NEST_LINES 64		/* nested calls that a thread holds back */
#define NEST_BYTES (256u << 10)
#define NEST_WAIT_NS 1000000000ull	/* longest wait for the call around */
#define NEST_IDLE_NS 5000000000ull	/* a thread without calls is forgotten */
#define MAX_INDENT 4

struct held {			/* one held line */
	uint64_t start_ns;
	uint32_t off, len;
	uint8_t depth;
};

struct nest {			/* held lines of one thread */
	uint32_t pid;
	unsigned nr;
	uint64_t first_ns, last_ns;	/* when the first and last were held */
	struct held line[NEST_LINES];
	struct xpt_strbuf text;
};

struct layout {			/* columns where things end */
	size_t pid, fn, size, dur, result;	/* pid: the time before it and the thread after it included */
	size_t end;		/* where lines are cut; beyond result where no terminal is */
	bool wide;
};

struct live {
	struct xpt_sink_cfg cfg;
	struct layout lay;
	bool utf8, tty;
	unsigned since_header;
	uint64_t flushed_ns;
	uint64_t lost[XPT_LOSS__MAX];
	struct xpt_strbuf out, line, args;
	struct xpt_hashmap *nests;	/* tid -> struct nest * */
	uint64_t origin_ns;
	int64_t wall_ns;
	struct xpt_flood flood;
	bool sums;
	unsigned drawn;			/* lines of a table that stands last on the terminal */
};

/* The contents of one line. */
struct row {
	uint32_t pid;
	char mark[3 * MAX_INDENT + XPT_MAX_DEPTH + 8];
	const char *name, *result;
	char size[80], dur[32], num[32];
	bool failed;
};

/* --- layout -------------------------------------------------------------------- */

static size_t time_width(const struct live *l)
{
	return l->cfg.raw ? 19 : l->cfg.wall ? WALL_W : TIME_W;
}

static void set_layout(struct live *l)
{
	size_t fn = 20, dur = l->cfg.raw ? 14 : 8, w;

	l->lay.pid = PID_W;
	if (l->cfg.show & XPT_SHOW_TIME)
		l->lay.pid += time_width(l) + 1;
	if (l->cfg.show & XPT_SHOW_THREAD)
		l->lay.pid += PID_W + 1;
	w = l->cfg.columns + PID_W > l->lay.pid ? l->cfg.columns + PID_W - l->lay.pid : 0;
	if (w < 80)
		fn = w < 72 ? 12 : 20 - (80 - w);
	else if (w < WIDE)
		fn = w < 95 ? 20 + (w - 80) : 35;
	else
		fn = w < 140 ? 28 : 35;
	l->lay.fn = l->lay.pid + 1 + fn;
	l->lay.size = l->lay.fn + 1 + SIZE_W;
	l->lay.dur = l->lay.size + 1 + dur;
	l->lay.wide = w >= WIDE;
	l->lay.result = w < WIDE ? l->cfg.columns : l->lay.dur + 1 + RESULT_W;
	l->lay.end = l->cfg.room > l->cfg.columns ? l->cfg.room : l->lay.result;
}

/* A terminal without cursor movements gets lines. */
static bool is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

static int live_open(void *st, const struct xpt_sink_cfg *cfg)
{
	struct live *l = st;

	l->cfg = *cfg;
	if (l->cfg.columns < MIN_COLUMNS)
		l->cfg.columns = l->cfg.columns ? MIN_COLUMNS : 80;
	if (l->cfg.columns > MAX_COLUMNS)
		l->cfg.columns = MAX_COLUMNS;
	if (l->cfg.room < l->cfg.columns)
		l->cfg.room = l->cfg.columns;
	set_layout(l);
	l->utf8 = xpt_text_utf8();
	l->tty = isatty(fileno(cfg->file)) == 1;
	l->sums = cfg->sums && l->tty && !cfg->raw && !is_dumb();
	xpt_strbuf__init(&l->out, BUF_MAX);
	xpt_strbuf__init(&l->line, NEST_BYTES);
	xpt_strbuf__init(&l->args, NEST_BYTES);
	return xpt_hashmap__new(sizeof(uint32_t), sizeof(struct nest *), NEST_THREADS,
				&l->nests);
}

/* --- writing ------------------------------------------------------------------- */

static int flush_out(struct live *l, bool through)
{
	int err = xpt_strbuf__err(&l->out);

	errno = 0;
	if (fwrite(xpt_strbuf__str(&l->out), 1, l->out.len, l->cfg.file) != l->out.len ||
	    (through && fflush(l->cfg.file) != 0))
		err = errno ? -errno : -EIO;
	xpt_strbuf__reset(&l->out);
	return err;
}

static void add_header(struct live *l)
{
	struct xpt_strbuf *sb = &l->out;
	const struct layout *lay = &l->lay;

	if (l->cfg.show & XPT_SHOW_TIME) {
		xpt_text__cell(sb, "TIME", time_width(l), true, false);
		xpt_strbuf__addc(sb, ' ');
	}
	xpt_text__cell(sb, "PID", PID_W, true, false);
	if (l->cfg.show & XPT_SHOW_THREAD)
		xpt_text__cell(sb, "TID", PID_W + 1, true, false);
	xpt_strbuf__addc(sb, ' ');
	xpt_text__cell(sb, "FUNCTION", lay->fn - lay->pid - 1, false, false);
	xpt_text__cell(sb, "SIZE", lay->size - lay->fn, true, false);
	xpt_text__cell(sb, "DURATION", lay->dur - lay->size, true, false);
	xpt_strbuf__addc(sb, ' ');
	if (lay->wide) {
		xpt_text__cell(sb, "RESULT", lay->result - lay->dur - 1, false, false);
		xpt_strbuf__add(sb, "  ARGUMENTS");
	} else {
		xpt_strbuf__add(sb, "RESULT");
	}
	xpt_strbuf__addc(sb, '\n');
	l->since_header = 0;
}

static void put_line(struct live *l, const char *s, size_t n)
{
	if (l->tty && l->since_header >= HEADER_EVERY)
		add_header(l);
	xpt_strbuf__addn(&l->out, s, n);
	l->since_header++;
	l->drawn = 0;
}

/* --- one call as a line -------------------------------------------------------- */

static void set_mark(const struct live *l, struct row *r, unsigned depth)
{
	size_t n = 0;

	r->mark[0] = '\0';
	if (l->cfg.raw) {
		for (; n < depth && n < XPT_MAX_DEPTH; n++)
			r->mark[n] = '>';
		r->mark[n] = '\0';
	} else if (depth) {
		n = depth - 1 < MAX_INDENT ? depth - 1 : MAX_INDENT;
		memset(r->mark, ' ', 2 * n);
		snprintf(r->mark + 2 * n, sizeof(r->mark) - 2 * n, "%s",
			 l->utf8 ? "\u2514 " : "`- ");
	}
}

static void set_size(const struct live *l, struct row *r, const struct xpt_call *c)
{
	enum xpt_dir dir = xpt_call__dir(c);
	char grid[36], block[36], buf[32];
	uint64_t bytes;

	r->size[0] = '\0';
	if (l->cfg.raw)
		snprintf(r->size, sizeof(r->size), "-");
	if (c->fn->cls == XPT_CLASS_LAUNCH && !l->cfg.raw &&
	    xpt_row__dims(c, XPT_ROLE_GRID_X, grid, sizeof(grid)) &&
	    xpt_row__dims(c, XPT_ROLE_BLOCK_X, block, sizeof(block)))
		snprintf(r->size, sizeof(r->size), "<<<%.30s,%.30s>>>", grid, block);
	if (!xpt_row__bytes(c, &bytes))
		return;
	if (l->cfg.raw)
		snprintf(r->size, sizeof(r->size), "%llu", (unsigned long long)bytes);
	else if (c->fn->cls == XPT_CLASS_COPY && dir != XPT_DIR_NONE)
		snprintf(r->size, sizeof(r->size), "%s %s",
			 xpt_fmt_bytes(bytes, buf, sizeof(buf)), xpt_dir_name(dir));
	else
		xpt_fmt_bytes(bytes, r->size, sizeof(r->size));
}

static void set_outcome(const struct live *l, struct row *r, const struct xpt_call *c,
			bool inflight)
{
	char buf[30];

	r->failed = c->failed && !inflight;
	if (xpt_fn__is_point(c->fn))
		snprintf(r->dur, sizeof(r->dur), "-");
	else if (l->cfg.raw)
		snprintf(r->dur, sizeof(r->dur), "%llu", (unsigned long long)c->dur_ns);
	else
		snprintf(r->dur, sizeof(r->dur), "%s%s", inflight ? ">" : "",
			 xpt_fmt_ns(c->dur_ns, buf, sizeof(buf)));
	if (inflight && c->signal)
		r->result = xpt_signal_name(c->signal, r->num, sizeof(r->num));
	else if (inflight)
		r->result = c->flags & XPT_CALL_LEFT ? "left" : l->cfg.raw ? "in-flight" : "in flight";
	else if (!l->cfg.raw && c->ret == 0 && !(c->flags & XPT_CALL_NO_RESULT) &&
		 (c->fn->ret == XPT_RET_STATUS || c->fn->ret == XPT_RET_NEGATIVE ||
		  c->fn->ret == XPT_RET_LONG))
		r->result = "ok";
	else
		r->result = xpt_call__result_name(c, r->num, sizeof(r->num));
}

static size_t max_of(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Returns the column of RESULT if the name takes `name` columns, mark included. */
static size_t result_col(const struct live *l, const struct row *r, size_t name)
{
	size_t at = l->lay.pid + 1 + name, size = strlen(r->size);

	at = max_of(l->lay.size, size ? at + 1 + size : at);
	return max_of(l->lay.dur, at + 1 + strlen(r->dur)) + 1;
}

/*
 * Columns for mark and name. A long name borrows from the blanks of SIZE; when
 * the line is too long nevertheless, the result loses its prefix, then its end,
 * and only where that is not enough the name its end.
 */
static size_t fit_name(const struct live *l, struct row *r, size_t mark)
{
	size_t name = mark + xpt_text_columns(r->name, l->utf8);
	size_t end = result_col(l, r, name) + xpt_text_columns(r->result, l->utf8), result;

	if (l->cfg.raw || end <= l->lay.end)
		return name;
	r->result = xpt_row__short_result(r->result);
	result = xpt_text_columns(r->result, l->utf8);
	end = result_col(l, r, name) + (result < RESULT_MIN ? result : RESULT_MIN);
	while (end > l->lay.end && name > mark + 8 &&
	       result_col(l, r, name - 1) < result_col(l, r, name)) {
		name--;
		end--;
	}
	return name;
}

/* Appends s so that it ends in column `end`, or one blank after column at. */
static size_t add_right(struct xpt_strbuf *sb, const char *s, size_t at, size_t end)
{
	size_t n = strlen(s);

	if (!n)
		return at;
	xpt_text__pad(sb, at + 1 + n < end ? end - at - n : 1);
	xpt_strbuf__add(sb, s);
	return max_of(end, at + 1 + n);
}

static void add_args(struct live *l, const struct xpt_call *c, struct xpt_strbuf *sb, size_t at)
{
	size_t start = max_of(l->lay.result, at) + 2, max = SIZE_MAX;

	xpt_strbuf__reset(&l->args);
	xpt_call__args_text(c, &l->args);
	if (!l->args.len)
		return;
	if (!l->cfg.raw) {
		if (start + 8 > l->cfg.room)
			return;
		max = l->cfg.room - start;
	}
	xpt_text__pad(sb, start - at);
	xpt_text__add(sb, xpt_strbuf__str(&l->args), max, l->utf8);
}

/* Adds the launched kernel in the room that is left, in place of arguments. */
static void add_kernel(const struct live *l, const struct xpt_call *c, struct xpt_strbuf *sb,
		       size_t at)
{
	if (l->cfg.raw || !xpt_call__kernel_known(c) || at + 2 + KERNEL_W > l->cfg.room)
		return;
	xpt_text__pad(sb, 2);
	xpt_text__add(sb, c->kernel_short, l->cfg.room - at - 2, l->utf8);
}

/* Points have neither duration nor result: their arguments stand there. */
static void add_point(struct live *l, const struct xpt_call *c, struct xpt_strbuf *sb, size_t at)
{
	xpt_strbuf__reset(&l->args);
	xpt_call__args_text(c, &l->args);
	if (!l->args.len || at + 2 + KERNEL_W > l->cfg.room)
		return;
	xpt_text__pad(sb, 2);
	xpt_text__add(sb, xpt_strbuf__str(&l->args), l->cfg.room - at - 2, l->utf8);
}

/* Appends the columns after the function's name, which ends in column at. */
static void add_columns(struct live *l, const struct xpt_call *c, const struct row *r,
			struct xpt_strbuf *sb, size_t at)
{
	size_t room;

	at = add_right(sb, r->size, at, l->lay.size);
	at = add_right(sb, r->dur, at, l->lay.dur);
	xpt_strbuf__add(sb, l->cfg.color && r->failed ? " \033[31m" : " ");
	room = l->cfg.raw ? SIZE_MAX : l->lay.end > at + 9 ? l->lay.end - at - 1 : 8;
	at += 1 + xpt_text__add(sb, r->result, room, l->utf8);
	xpt_strbuf__add(sb, l->cfg.color && r->failed ? "\033[0m" : "");
	if (l->lay.wide)
		add_args(l, c, sb, at);
	else
		add_kernel(l, c, sb, at);
}

/* Since the start, or the time of day: that at which the call began. */
static void add_time(const struct live *l, uint64_t ns, struct xpt_strbuf *sb)
{
	bool before = ns < l->origin_ns;
	uint64_t since = before ? l->origin_ns - ns : ns - l->origin_ns;
	char text[40];

	if (l->cfg.wall && l->cfg.raw)
		snprintf(text, sizeof(text), "%llu", (unsigned long long)(ns + (uint64_t)l->wall_ns));
	else if (l->cfg.wall)
		xpt_fmt_wall(ns + (uint64_t)l->wall_ns, text, sizeof(text));
	else if (l->cfg.raw)
		snprintf(text, sizeof(text), "%s%llu", before ? "-" : "", (unsigned long long)since);
	else
		snprintf(text, sizeof(text), "%s%llu.%06llu", before ? "-" : "",
			 (unsigned long long)(since / 1000000000), (unsigned long long)(since / 1000 % 1000000));
	xpt_text__cell(sb, text, time_width(l), true, false);
	xpt_strbuf__addc(sb, ' ');
}

static void add_ids(const struct live *l, const struct xpt_call *c, struct xpt_strbuf *sb)
{
	if (l->cfg.show & XPT_SHOW_TIME)
		add_time(l, c->start_ns, sb);
	xpt_strbuf__addf(sb, "%*u ", PID_W, c->proc->pid);
	if (l->cfg.show & XPT_SHOW_THREAD)
		xpt_strbuf__addf(sb, "%*u ", PID_W, c->tid);
}

/* The line of a call, newline included, into l->line. */
static void render_call(struct live *l, const struct xpt_call *c, bool inflight)
{
	struct row r = { .pid = c->proc->pid, .name = c->fn->name };
	struct xpt_strbuf *sb = &l->line;
	size_t mark, name, at;

	set_mark(l, &r, c->depth);
	set_size(l, &r, c);
	set_outcome(l, &r, c, inflight);
	mark = xpt_text_columns(r.mark, l->utf8);
	name = fit_name(l, &r, mark);

	xpt_strbuf__reset(sb);
	add_ids(l, c, sb);
	xpt_strbuf__add(sb, r.mark);
	at = l->lay.pid + 1 + mark + xpt_text__add(sb, r.name, name - mark, l->utf8);
	if (xpt_fn__is_point(c->fn) && !l->cfg.raw && !l->lay.wide)
		add_point(l, c, sb, at);
	else
		add_columns(l, c, &r, sb, at);
	xpt_strbuf__addc(sb, '\n');
}

/* --- nested calls -------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* Prints held lines [from, to). */
static void put_held(struct live *l, const struct nest *n, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		put_line(l, xpt_strbuf__str(&n->text) + n->line[i].off, n->line[i].len);
}

static void sort_held(struct nest *n)
{
	qsort(n->line, n->nr, sizeof(n->line[0]), by_start);
}

static void release_held(struct live *l, struct nest *n)
{
	sort_held(n);
	put_held(l, n, 0, n->nr);
	n->nr = 0;
	xpt_strbuf__reset(&n->text);
}

static struct nest *find_nest(const struct live *l, uint32_t tid)
{
	struct nest **at = xpt_hashmap__find(l->nests, &tid);

	return at ? *at : NULL;
}

static struct nest *get_nest(struct live *l, uint32_t tid)
{
	struct nest **at = xpt_hashmap__get(l->nests, &tid, NULL);

	if (!at)
		return NULL;
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		if (*at)
			xpt_strbuf__init(&(*at)->text, NEST_BYTES);
		else
			xpt_hashmap__del(l->nests, &tid);
	}
	return at && *at ? *at : NULL;
}

/* Holds l->line back until the call around it comes; false: no room. */
static bool hold_line(struct live *l, const struct xpt_call *c, uint64_t ts_ns)
{
	struct nest *n = get_nest(l, c->tid);
	struct held *h;

	if (!n)
		return false;
	if (n->nr && (n->pid != c->proc->pid || n->nr == NEST_LINES ||
		      l->line.len > NEST_BYTES - n->text.len))
		release_held(l, n);
	if (!n->nr)
		n->first_ns = ts_ns;
	h = &n->line[n->nr];
	*h = (struct held){ c->start_ns, (uint32_t)n->text.len, (uint32_t)l->line.len, c->depth };
	xpt_strbuf__addn(&n->text, xpt_strbuf__str(&l->line), l->line.len);
	if (xpt_strbuf__err(&n->text)) {
		release_held(l, n);
		return false;
	}
	n->pid = c->proc->pid;
	n->last_ns = ts_ns;
	n->nr++;
	return true;
}

/* An outermost call with the held calls of its thread: those before it have
 * lost the call around them, the others belong below it. */
static void put_outer(struct live *l, const struct xpt_call *c)
{
	struct nest *n = find_nest(l, c->tid);
	unsigned before = 0;

	if (!n || !n->nr) {
		put_line(l, xpt_strbuf__str(&l->line), l->line.len);
		return;
	}
	sort_held(n);
	while (before < n->nr &&
	       (n->pid != c->proc->pid || n->line[before].start_ns < c->start_ns))
		before++;
	put_held(l, n, 0, before);
	put_line(l, xpt_strbuf__str(&l->line), l->line.len);
	put_held(l, n, before, n->nr);
	n->nr = 0;
	xpt_strbuf__reset(&n->text);
}

static void put_call(struct live *l, const struct xpt_call *c, bool inflight, uint64_t ts_ns)
{
	render_call(l, c, inflight);
	if (xpt_strbuf__err(&l->line))
		return;
	if (c->depth == 0)
		put_outer(l, c);
	else if (inflight || !hold_line(l, c, ts_ns))
		put_line(l, xpt_strbuf__str(&l->line), l->line.len);
}

/* Prints the lines still held of a process that ended (pid) or of the whole trace (0). */
static void release_all(struct live *l, uint32_t pid)
{
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(l->nests, &pos, NULL, &val)) {
		struct nest *n = *(struct nest **)val;

		if (n->nr && (!pid || n->pid == pid))
			release_held(l, n);
	}
}

/* No line waits long for a call that may have been lost; idle threads go. */
static void sweep_held(struct live *l, uint64_t now_ns)
{
	const void *key;
	size_t pos = 0;
	uint32_t tid;
	void *val;

	while (xpt_hashmap__next(l->nests, &pos, &key, &val)) {
		struct nest *n = *(struct nest **)val;

		if (n->nr && now_ns - n->first_ns > NEST_WAIT_NS && now_ns > n->first_ns)
			release_held(l, n);
		if (!n->nr && now_ns > n->last_ns && now_ns - n->last_ns > NEST_IDLE_NS) {
			memcpy(&tid, key, sizeof(tid));
			xpt_hashmap__del(l->nests, &tid);
			xpt_strbuf__free(&n->text);
			free(n);
		}
	}
}

/* --- lines that are no calls --------------------------------------------------- */

/* Prints l->args as a line after "# ". */
static void put_comment(struct live *l)
{
	size_t max = l->cfg.raw ? SIZE_MAX : l->cfg.room - 2;

	xpt_strbuf__reset(&l->line);
	xpt_strbuf__add(&l->line, "# ");
	xpt_text__add(&l->line, xpt_strbuf__str(&l->args), max, l->utf8);
	xpt_strbuf__addc(&l->line, '\n');
	if (!xpt_strbuf__err(&l->line))
		put_line(l, xpt_strbuf__str(&l->line), l->line.len);
}

static void put_proc(struct live *l, const struct xpt_proc *p, bool exec)
{
	const char *what = *p->cmdline ? p->cmdline : p->exe;

	if (exec)
		release_all(l, p->pid);
	xpt_strbuf__reset(&l->args);
	xpt_strbuf__addf(&l->args, "%u %s%s%s%s", p->pid, exec ? "exec " : "",
			 *p->comm ? p->comm : "?", *what ? ": " : "", what);
	put_comment(l);
}

static void put_exit(struct live *l, const struct xpt_proc *p, uint32_t cut)
{
	int st = p->exit_status;

	release_all(l, p->pid);
	xpt_strbuf__reset(&l->args);
	xpt_strbuf__addf(&l->args, "%u %s: ", p->pid, *p->comm ? p->comm : "?");
	if (WIFSIGNALED(st))
		xpt_strbuf__addf(&l->args, "killed by signal %d (%s)", WTERMSIG(st),
				 strsignal(WTERMSIG(st)));
	else
		xpt_strbuf__addf(&l->args, "exited with %d", WEXITSTATUS(st));
	if (cut)
		xpt_strbuf__addf(&l->args, ", %u call%s cut off", cut, cut == 1 ? "" : "s");
	put_comment(l);
}

static void put_loss(struct live *l, uint32_t loss, uint64_t count)
{
	char buf[32];

	if (loss >= XPT_LOSS__MAX || count <= l->lost[loss])
		return;
	l->lost[loss] = count;
	xpt_strbuf__reset(&l->args);
	xpt_strbuf__addf(&l->args, "%s: %s %s", xpt_loss_outcome(loss),
			 xpt_fmt_count(count, buf, sizeof(buf)), xpt_loss_text(loss));
	put_comment(l);
}

static void put_mode(struct live *l, const struct xpt_fn *fn, const struct xpt_rec_mode *r)
{
	xpt_strbuf__reset(&l->args);
	xpt_strbuf__addf(&l->args, "tracing costs %.2f %% (budget %.2f %%): ",
			 (double)r->cost_ppm / 1e4, (double)r->budget_ppm / 1e4);
	if (fn)
		xpt_strbuf__addf(&l->args, "%s from %s to %s", fn->name, xpt_mode_name(r->from),
				 xpt_mode_name(r->to));
	else
		xpt_strbuf__addf(&l->args, "counting alone exceeds it");
	put_comment(l);
}

static void put_xid(struct live *l, const struct xpt_event *ev)
{
	char text[160];

	xpt_strbuf__reset(&l->args);
	xpt_strbuf__add(&l->args, xpt_xid__title(ev, text, sizeof(text)));
	if (ev->u.xid->proc)
		xpt_strbuf__addf(&l->args, ", of %s[%u]", ev->u.xid->proc->comm, ev->u.xid->proc->pid);
	put_comment(l);
}

/* --- too many calls for lines --------------------------------------------------- */

/* The sums, in the place of those before them where nothing else can stand there. */
static void put_sums(struct live *l, uint64_t ts_ns)
{
	if (l->drawn && l->cfg.in_place)
		xpt_strbuf__addf(&l->out, "\033[%uA\033[J", l->drawn);
	l->drawn = xpt_flood__table(&l->flood, ts_ns, l->cfg.columns, l->utf8, &l->out);
}

static void pass_time(struct live *l, const struct xpt_event *ev)
{
	bool on = l->flood.on;
	enum xpt_flood_step step = xpt_flood__pass(&l->flood, ev->ts_ns);

	if (step == XPT_FLOOD_BEGINS)
		release_all(l, 0);
	else if (step != XPT_FLOOD_SAME || (on && ev->kind == XPT_EV_END))
		put_sums(l, ev->ts_ns);
	if (step == XPT_FLOOD_ENDS) {
		l->drawn = 0;
		add_header(l);
	}
}

/* --- the sink ------------------------------------------------------------------ */

static void show_event(struct live *l, const struct xpt_event *ev)
{
	switch (ev->kind) {
	case XPT_EV_BEGIN:
		l->origin_ns = ev->ts_ns;
		l->wall_ns = ev->u.begin.realtime_minus_monotonic_ns;
		l->cfg.wall = l->cfg.wall && l->wall_ns;	/* not every stream has it */
		add_header(l);
		break;
	case XPT_EV_ORIGIN:
		l->origin_ns = ev->ts_ns;
		break;
	case XPT_EV_CALL:
	case XPT_EV_INFLIGHT:
		if (ev->kind == XPT_EV_INFLIGHT || !l->sums || !xpt_flood__add(&l->flood, &ev->u.call))
			put_call(l, &ev->u.call, ev->kind == XPT_EV_INFLIGHT, ev->ts_ns);
		break;
	case XPT_EV_PROC:
		put_proc(l, ev->u.proc.proc, ev->u.proc.exec);
		break;
	case XPT_EV_EXIT:
		put_exit(l, ev->u.proc.proc, ev->u.proc.cut);
		break;
	case XPT_EV_MODE:
		put_mode(l, ev->u.mode.fn, ev->u.mode.rec);
		break;
	case XPT_EV_XID:
		put_xid(l, ev);
		break;
	case XPT_EV_LOSS:
		put_loss(l, ev->u.loss.loss, ev->u.loss.count);
		break;
	case XPT_EV_TICK:
		sweep_held(l, ev->ts_ns);
		break;
	case XPT_EV_END:
		release_all(l, 0);
		break;
	default:
		break;
	}
}

static int live_event(void *st, const struct xpt_event *ev)
{
	struct live *l = st;
	bool through = ev->kind == XPT_EV_TICK || ev->kind == XPT_EV_BEGIN ||
		       ev->kind == XPT_EV_END;

	if (l->cfg.quiet)
		return 0;
	if (l->sums)
		pass_time(l, ev);
	show_event(l, ev);
	if (l->tty && l->out.len && ev->ts_ns - l->flushed_ns > FLUSH_NS)
		through = true;
	if (through)
		l->flushed_ns = ev->ts_ns;
	return through || l->out.len >= FLUSH_AT ? flush_out(l, through) : 0;
}

static int live_close(void *st)
{
	struct live *l = st;
	size_t pos = 0;
	void *val;
	int err = 0;

	if (l->nests) {
		release_all(l, 0);
		err = flush_out(l, true);
		while (xpt_hashmap__next(l->nests, &pos, NULL, &val)) {
			xpt_strbuf__free(&(*(struct nest **)val)->text);
			free(*(struct nest **)val);
		}
	}
	xpt_hashmap__free(l->nests);
	xpt_flood__free(&l->flood);
	xpt_strbuf__free(&l->out);
	xpt_strbuf__free(&l->line);
	xpt_strbuf__free(&l->args);
	return err;
}

const struct xpt_sink xpt_sink_live = {
	.name = "live",
	.help = "the table of calls as they happen",
	.state_size = sizeof(struct live),
	.open = live_open,
	.event = live_event,
	.close = live_close,
};
