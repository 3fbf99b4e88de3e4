// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace timeline: a recording as a picture in the terminal. Threads are rows,
 * time goes across. Reads the recording two or three times and keeps a few numbers
 * for each thread: to find the event to look at, to find the threads that did most
 * in view, to draw them. So it needs a file and no pipe.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/hashmap.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "base/terminal.h"
#include "cli/args/trace_rows.h"
#include "cli/opt.h"
#include "model/text.h"
#include "model/value.h"
#include "pipeline/pipeline.h"
#include "recordings/timeline.h"
#include "session/read.h"
#include "session/traces.h"

#define MAX_THREADS 65536
#define MAX_ROWS 1000
#define LIST 20			/* calls in view that are listed one by one */
#define MAX_TEXT (1u << 20)

enum pass { PASS_FIND, PASS_RANK, PASS_DRAW };

struct thread {
	uint64_t time_ns, calls;	/* in view, outermost calls only for the time */
	unsigned row;			/* 1 + row of the picture, 0: none */
	uint32_t pid, tid;
	char comm[XPT_COMM_LEN];
	struct xpt_call open[XPT_TL_LAYERS];	/* reported in flight, dur_ns 0: none */
};

struct listed {
	uint64_t start_ns;
	char *text;
};

struct timeline {
	enum pass pass;
	uint64_t from, to;		/* options, ns since the start; XPT_ABSENT, 0: not given */
	const char *around;
	uint64_t around_id;		/* number of the event, 0: not by number */
	unsigned columns, max_rows;
	bool utf8, wall;
	int64_t wall_ns;		/* to be added for the wall clock */
	uint64_t begin_ns, end_ns;	/* of the recording */
	uint64_t first_ns;		/* start of the first call; UINT64_MAX: there is none */
	uint64_t view_from, view_to;
	struct { bool found; uint64_t id, start_ns, dur_ns; char name[64]; } event;
	uint64_t calls, failed;		/* in view */
	struct xpt_hashmap *threads;	/* struct thread_key -> struct thread */
	uint64_t unknown;		/* calls of threads that found no room */
	struct xpt_tl_grid grid;
	unsigned rows;
	struct thread **row;
	struct listed list[LIST];
	struct xpt_strbuf out;
	struct xpt_strbuf text;
};

static struct timeline tl;	/* a sink has no other way to its owner */

struct thread_key {		/* each pass has processes of its own, so no pointer */
	uint64_t first_ns;
	uint32_t pid, tid;
};

/* --- passes --------------------------------------------------------------------- */

static struct thread_key key_of(const struct xpt_call *c)
{
	return (struct thread_key){ .first_ns = c->proc->first_ns, .pid = c->proc->pid, .tid = c->tid };
}

/*
 * NULL: it was in no pass before. Who writes the file may change it between two passes, and rows have their places by
 * then.
 */
static struct thread *find_thread(const struct xpt_call *c)
{
	struct thread_key key = key_of(c);

	return xpt_hashmap__find(tl.threads, &key);
}

static struct thread *thread_of(const struct xpt_call *c)
{
	struct thread_key key = key_of(c);
	struct thread *t = xpt_hashmap__get(tl.threads, &key, NULL);

	if (t) {
		t->pid = c->proc->pid;
		t->tid = c->tid;
		snprintf(t->comm, sizeof(t->comm), "%s", c->comm);
	}
	return t;
}

static bool in_view(const struct xpt_call *c)
{
	return c->start_ns <= tl.view_to && c->start_ns + c->dur_ns >= tl.view_from;
}

/* Takes the call as the anchor if it is the one that --around names: an id, the first error, or the slowest. */
static void find_anchor(const struct xpt_call *c)
{
	bool hit;

	if (tl.around_id)
		hit = c->id == tl.around_id;
	else if (tl.around && !strcmp(tl.around, "error"))
		hit = c->failed && !tl.event.found;
	else
		hit = !tl.event.found || c->dur_ns > tl.event.dur_ns;
	if (!hit)
		return;
	tl.event.found = true;
	tl.event.id = c->id;
	snprintf(tl.event.name, sizeof(tl.event.name), "%s", c->fn->name);
	tl.event.start_ns = c->start_ns;
	tl.event.dur_ns = c->dur_ns;
}

static void rank_call(const struct xpt_call *c)
{
	uint64_t start = c->start_ns, end = c->start_ns + c->dur_ns;
	struct thread *t;

	if (!in_view(c))
		return;
	tl.calls++;
	tl.failed += c->failed;
	t = thread_of(c);
	if (!t) {
		tl.unknown++;
		return;
	}
	t->calls++;
	start = start < tl.view_from ? tl.view_from : start;
	end = end > tl.view_to ? tl.view_to : end;
	if (!c->depth)
		t->time_ns += end - start;
}

/* Since the start, or of the day. */
static void add_time(uint64_t ns, bool fine)
{
	bool before = ns < tl.begin_ns;
	char wall[48];

	if (tl.wall) {
		xpt_strbuf__add(&tl.text, xpt_fmt_wall(ns + (uint64_t)tl.wall_ns, wall, sizeof(wall)));
		return;
	}
	if (before)
		xpt_strbuf__addc(&tl.text, '-');
	xpt_tl__add_ms(&tl.text, before ? tl.begin_ns - ns : ns - tl.begin_ns, fine);
}

static void list_call(const struct xpt_call *c, bool inflight)
{
	static unsigned n;
	char dur[32], buf[32];

	if (tl.calls > LIST || n == LIST)
		return;
	xpt_strbuf__reset(&tl.text);
	add_time(c->start_ns, true);
	xpt_strbuf__addf(&tl.text, " %9s %u%*s %s", xpt_fmt_ns(c->dur_ns, dur, sizeof(dur)), c->tid,
			 2 * c->depth, "", c->fn->name);
	if (inflight)
		xpt_strbuf__add(&tl.text, c->flags & XPT_CALL_LEFT ? " left" : " not returned");
	else if (c->ret || c->fn->ret != XPT_RET_STATUS || c->flags & XPT_CALL_NO_RESULT)
		xpt_strbuf__addf(&tl.text, " %s", xpt_call__result_name(c, buf, sizeof(buf)));
	if (c->nr_vals)
		xpt_strbuf__addc(&tl.text, ' ');
	xpt_call__args_text(c, &tl.text);
	tl.list[n].start_ns = c->start_ns;
	tl.list[n].text = strdup(xpt_strbuf__str(&tl.text));
	n += tl.list[n].text != NULL;
}

static void draw_call(const struct xpt_call *c, bool inflight)
{
	struct thread *t = in_view(c) ? find_thread(c) : NULL;
	unsigned d = c->depth < XPT_TL_LAYERS ? c->depth : XPT_TL_LAYERS - 1;

	if (!t)
		return;
	if (inflight && !(c->flags & XPT_CALL_LEFT)) {
		t->open[d] = *c;	/* function and process live on, all else does not */
		t->open[d].nr_vals = 0;
		t->open[d].val = NULL;
		t->open[d].str = t->open[d].comm = t->open[d].kernel = NULL;
		t->open[d].stack = NULL;
		return;
	}
	if (t->open[d].start_ns == c->start_ns)
		t->open[d].dur_ns = 0;
	list_call(c, inflight);
	if (t->row)
		xpt_tl_grid__add(&tl.grid, t->row - 1, c, inflight);
}

/* Calls that never returned last until the end. */
static void draw_open(void)
{
	size_t pos = 0;
	void *val;

	while (xpt_hashmap__next(tl.threads, &pos, NULL, &val)) {
		struct thread *t = val;

		for (unsigned d = 0; d < XPT_TL_LAYERS; d++) {
			if (!t->open[d].dur_ns)
				continue;
			list_call(&t->open[d], true);
			if (t->row)
				xpt_tl_grid__add(&tl.grid, t->row - 1, &t->open[d], true);
		}
	}
}

/*
 * The part of time that is looked at, known at the latest when the draw begins. The start of a
 * program before its first call may take minutes, and would leave the picture empty.
 */
static void set_view(void)
{
	uint64_t around = tl.event.dur_ns ? 2 * tl.event.dur_ns : 1000;
	bool first = tl.from == XPT_ABSENT && tl.first_ns != UINT64_MAX && tl.first_ns > tl.begin_ns &&
		     (!tl.to || tl.first_ns < tl.begin_ns + tl.to);

	tl.view_from = first ? tl.first_ns : tl.begin_ns + (tl.from == XPT_ABSENT ? 0 : tl.from);
	tl.view_to = tl.to ? tl.begin_ns + tl.to : UINT64_MAX;
	if (tl.event.found) {
		tl.view_from = tl.event.start_ns > around ? tl.event.start_ns - around : 0;
		tl.view_from = tl.view_from < tl.begin_ns ? tl.begin_ns : tl.view_from;
		tl.view_to = tl.event.start_ns + tl.event.dur_ns + around;
	}
}

static void on_call(const struct xpt_call *c, bool inflight, uint64_t ts_ns)
{
	if (ts_ns > tl.end_ns)
		tl.end_ns = ts_ns;
	if (tl.pass == PASS_FIND && c->start_ns < tl.first_ns)
		tl.first_ns = c->start_ns;
	if (tl.pass == PASS_DRAW)
		draw_call(c, inflight);
	else if (tl.pass == PASS_RANK)
		rank_call(c);
	else if (tl.around)
		find_anchor(c);
}

static int timeline_event(void *st, const struct xpt_event *ev)
{
	(void)st;
	switch (ev->kind) {
	case XPT_EV_BEGIN:
		tl.wall_ns = ev->u.begin.realtime_minus_monotonic_ns;
		if (tl.pass == PASS_FIND)
			tl.begin_ns = ev->ts_ns;
		else if (tl.pass == PASS_RANK)
			set_view();
		break;
	case XPT_EV_CALL:
	case XPT_EV_INFLIGHT:
		on_call(&ev->u.call, ev->kind == XPT_EV_INFLIGHT, ev->ts_ns);
		break;
	case XPT_EV_LOSS:
		if (tl.pass == PASS_DRAW)
			xpt_tl_grid__lose(&tl.grid, ev->ts_ns);
		break;
	case XPT_EV_END:
		if (tl.pass == PASS_DRAW)
			draw_open();
		else if (tl.pass == PASS_FIND && ev->u.end.start_ns)
			tl.begin_ns = ev->u.end.start_ns;	/* from where reports count */
		break;
	default:
		break;
	}
	return 0;
}

static void feed_record(void *ctx, const void *rec, size_t size)
{
	xpt_pipeline__feed(ctx, rec, size);
}

/* Reads the recording once; an exit status. */
static int read_pass(const char *path, enum pass pass, bool quiet)
{
	static const struct xpt_sink sink = { .name = "timeline", .event = timeline_event };
	static const struct xpt_sink_cfg cfg = { .columns = 80 };
	struct xpt_pipeline *p = NULL;
	int err = xpt_pipeline__new(&p), status;

	tl.pass = pass;
	if (!err)
		err = xpt_pipeline__add_sink(p, &sink, "timeline", &cfg);
	if (err) {
		xpt_pipeline__free(p);
		xpt_err(err, "out of memory");
		return XPT_EXIT_FAILED;
	}
	status = xpt_read__records(path, quiet, feed_record, p);
	xpt_pipeline__finish(p);
	xpt_pipeline__free(p);
	return status;
}

/* --- the picture ---------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct thread *x = *(struct thread *const *)a, *y = *(struct thread *const *)b;

	if (x->time_ns != y->time_ns)
		return x->time_ns > y->time_ns ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int by_ids(const void *a, const void *b)
{
	const struct thread *x = *(struct thread *const *)a, *y = *(struct thread *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* The threads that did most, in order of their ids. */
static int choose_rows(size_t *ret_others)
{
	size_t n = 0, all = xpt_hashmap__len(tl.threads), pos = 0;
	void *val;

	tl.row = calloc(all + 1, sizeof(*tl.row));
	if (!tl.row)
		return -ENOMEM;
	while (xpt_hashmap__next(tl.threads, &pos, NULL, &val))
		tl.row[n++] = val;
	qsort(tl.row, n, sizeof(*tl.row), by_time);
	tl.rows = n < tl.max_rows ? (unsigned)n : tl.max_rows;
	qsort(tl.row, tl.rows, sizeof(*tl.row), by_ids);
	for (unsigned i = 0; i < tl.rows; i++)
		tl.row[i]->row = i + 1;
	*ret_others = n - tl.rows;
	return 0;
}

static unsigned label_width(void)
{
	return tl.columns < 60 ? tl.columns / 4 : tl.columns < 100 ? 16 : 22;
}

static bool is_fine(void)
{
	return tl.view_to - tl.view_from < 1000 * (uint64_t)tl.columns;
}

/* The cleaned text of tl.text as a line. */
static void put_text(void)
{
	xpt_text__add(&tl.out, xpt_strbuf__str(&tl.text), tl.columns, tl.utf8);
	xpt_strbuf__addc(&tl.out, '\n');
	xpt_strbuf__reset(&tl.text);
}

static void put_heading(void)
{
	char calls[32], failed[32], cell[32];

	xpt_strbuf__reset(&tl.text);
	if (tl.event.found) {
		xpt_strbuf__addf(&tl.text, "around call %" PRIu64 ", %s", tl.event.id, tl.event.name);
		put_text();
	}
	xpt_strbuf__addf(&tl.text, "%s call%s", xpt_fmt_count(tl.calls, calls, sizeof(calls)),
			 tl.calls == 1 ? "" : "s");
	if (tl.failed)
		xpt_strbuf__addf(&tl.text, ", %s failed", xpt_fmt_count(tl.failed, failed, sizeof(failed)));
	if (tl.columns < 50)
		put_text();
	xpt_strbuf__addf(&tl.text, "%s %s", tl.columns < 50 ? "column:" : "; a column is",
			 xpt_fmt_ns((tl.view_to - tl.view_from) / tl.grid.cells, cell, sizeof(cell)));
	put_text();
}

/* The times at both ends above the cells, and in the middle where there is room. */
static void put_scale(unsigned label)
{
	uint64_t at[3] = { tl.view_from, tl.view_from + (tl.view_to - tl.view_from) / 2, tl.view_to };
	unsigned width = tl.columns - label - 1, col = 0;
	char text[3][40];

	for (int i = 0; i < 3; i++) {
		xpt_strbuf__reset(&tl.text);
		add_time(at[i], is_fine());
		snprintf(text[i], sizeof(text[i]), "%s", xpt_strbuf__str(&tl.text));
	}
	xpt_strbuf__reset(&tl.text);
	xpt_text__pad(&tl.text, label + 1);
	for (int i = 0; i < 3; i++) {
		unsigned n = (unsigned)strlen(text[i]);
		unsigned to = i == 0 ? 0 : i == 1 ? width / 2 - n / 2 : width - n;

		if (n > width || (i && to < col + 1) || (i == 1 && width < 3 * n + 4))
			continue;
		xpt_text__pad(&tl.text, to - col);
		xpt_strbuf__add(&tl.text, text[i]);
		col = to + n;
	}
	put_text();
}

/* Marks of one line after its label. */
static void put_row(const char *label_text, unsigned label, unsigned row, unsigned layer)
{
	xpt_text__cell(&tl.out, label_text, label, false, tl.utf8);
	xpt_strbuf__add(&tl.out, tl.utf8 ? "\u2502" : "|");
	if (row < tl.rows)
		xpt_tl_grid__line(&tl.grid, row, layer, tl.utf8, &tl.out);
	else
		xpt_tl_grid__lost_line(&tl.grid, &tl.out);
	xpt_strbuf__addc(&tl.out, '\n');
}

static void put_rows(unsigned label, size_t others)
{
	char text[64];
	bool lost = false;

	for (unsigned r = 0; r < tl.rows; r++) {
		const struct thread *t = tl.row[r];

		if (label < 12)
			snprintf(text, sizeof(text), "%u", t->tid);
		else
			snprintf(text, sizeof(text), "%u %s", t->tid, t->comm);
		put_row(text, label, r, 0);
		for (unsigned l = 1; l < XPT_TL_LAYERS; l++)
			if (tl.grid.used[r * XPT_TL_LAYERS + l])
				put_row(l == 1 ? "  inside" : "  deeper", label, r, l);
	}
	for (unsigned i = 0; i < tl.grid.cells; i++)
		lost |= tl.grid.lost[i];
	if (lost)
		put_row("! calls lost", label, tl.rows, 0);
	if (others) {
		xpt_strbuf__addf(&tl.text, "%zu more thread%s with less time (--threads shows more)",
				 others, others == 1 ? "" : "s");
		put_text();
	}
	if (tl.unknown) {
		xpt_strbuf__addf(&tl.text, "%" PRIu64 " calls of further threads", tl.unknown);
		put_text();
	}
}

static int by_start(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void put_list(void)
{
	unsigned n = 0;

	while (n < LIST && tl.list[n].text)
		n++;
	if (!n || tl.calls > LIST)
		return;
	xpt_strbuf__addc(&tl.out, '\n');
	qsort(tl.list, n, sizeof(tl.list[0]), by_start);
	for (unsigned i = 0; i < n; i++) {
		xpt_strbuf__add(&tl.text, tl.list[i].text);
		put_text();
	}
}

static void put_picture(unsigned label, size_t others)
{
	put_heading();
	put_scale(label);
	put_rows(label, others);
	xpt_tl__legend(tl.columns, tl.utf8, &tl.out);
	put_list();
	fwrite(xpt_strbuf__str(&tl.out), 1, tl.out.len, stdout);
}

/* --- the command ----------------------------------------------------------------- */

struct timeline_opts {
	uint64_t from, to;
	const char *around, *threads, *columns;
	unsigned clock;
};

#define XPT_LO(m) offsetof(struct timeline_opts, m)

static const struct xpt_opt timeline_opts[] = {
	{ "from", 0, XPT_OPT_DURATION, XPT_LO(from), "TIME", "begin there: 1.5s, 20ms, 300us after the "
	  "start (default: at the first call)", 0 },
	{ "to", 0, XPT_OPT_DURATION, XPT_LO(to), "TIME", "end there", 0 },
	{ "around", 0, XPT_OPT_STR, XPT_LO(around), "EVENT", "look at one call: slowest, error (the "
	  "first), or its number (event_id of JSONL)", 0 },
	{ "clock", 0, XPT_OPT_CHOICE, XPT_LO(clock), "WHICH", XPT_CLOCK_HELP, "trace|wall" },
	{ "threads", 0, XPT_OPT_STR, XPT_LO(threads), "N", "draw the N threads with most time in view "
	  "(default 20)", 0 },
	{ "columns", 0, XPT_OPT_STR, XPT_LO(columns), "N", "width (default: that of the terminal, "
	  "else 80)", 0 },
	{ 0 },
};

/* Checks the options. Returns -1 to continue, else an exit status. */
static int take_options(const struct timeline_opts *o)
{
	uint64_t columns = xpt_terminal_columns(stdout), rows = 20;
	const char *around = o->around;

	columns = columns ? columns : 80;
	if (o->columns && xpt_parse_u64(o->columns, XPT_COLUMNS_MIN, XPT_COLUMNS_MAX, &columns))
		return xpt_opt__usage(&xpt_cmd_timeline, "--columns: a number from %d to %d",
				      XPT_COLUMNS_MIN, XPT_COLUMNS_MAX);
	if (o->threads && xpt_parse_u64(o->threads, 1, MAX_ROWS, &rows))
		return xpt_opt__usage(&xpt_cmd_timeline, "--threads: a number from 1 to %d", MAX_ROWS);
	if (around && (o->from != XPT_ABSENT || o->to))
		return xpt_opt__usage(&xpt_cmd_timeline, "--around or --from and --to, not both");
	if (o->to && o->from != XPT_ABSENT && o->to <= o->from)
		return xpt_opt__usage(&xpt_cmd_timeline, "--to must be later than --from");
	if (around && strcmp(around, "slowest") != 0 && strcmp(around, "error") != 0 &&
	    xpt_parse_u64(around + (*around == '#'), 1, UINT64_MAX, &tl.around_id))
		return xpt_opt__usage(&xpt_cmd_timeline, "--around: slowest, error, or the number of a "
				      "call, not '%s'", around);
	tl.from = o->from;
	tl.to = o->to;
	tl.around = around;
	tl.wall = o->clock;
	tl.columns = (unsigned)columns;
	tl.max_rows = (unsigned)rows;
	tl.utf8 = xpt_text_utf8();
	return -1;
}

static bool is_file(const char *path)
{
	struct stat st;

	if (strcmp(path, "-") != 0 && (stat(path, &st) || S_ISREG(st.st_mode)))
		return true;	/* a file that does not exist is reported when it is opened */
	xpt_err(-ESPIPE, "%s is no file: the timeline reads a recording several times; save it first",
		path);
	return false;
}

/* Both passes after the first; status: of the first. */
static int show_window(const char *path, int status)
{
	unsigned label = label_width();
	size_t others;
	int err;

	if (tl.view_to > tl.end_ns)
		tl.view_to = tl.end_ns;
	if (!tl.calls || tl.view_from > tl.view_to) {
		printf("no calls in view; the recording is ");
		xpt_tl__add_ms(&tl.text, tl.end_ns - tl.begin_ns, false);
		printf("%s long\n", xpt_strbuf__str(&tl.text));
		return status;
	}
	if (tl.view_to == tl.view_from)
		tl.view_to++;
	err = choose_rows(&others);
	if (!err)
		err = xpt_tl_grid__init(&tl.grid, tl.view_from, tl.view_to, tl.columns - label - 1,
					tl.rows);
	if (err) {
		xpt_err(err, "out of memory");
		return XPT_EXIT_FAILED;
	}
	read_pass(path, PASS_DRAW, true);
	put_picture(label, others);
	return status;
}

static void free_all(void)
{
	for (unsigned i = 0; i < LIST; i++)
		free(tl.list[i].text);
	free(tl.row);
	xpt_tl_grid__free(&tl.grid);
	xpt_hashmap__free(tl.threads);
	xpt_strbuf__free(&tl.out);
	xpt_strbuf__free(&tl.text);
}

static int look_at(const char *path)
{
	int status = XPT_EXIT_OK;

	xpt_strbuf__init(&tl.out, 64 * MAX_TEXT);
	xpt_strbuf__init(&tl.text, MAX_TEXT);
	if (xpt_hashmap__new(sizeof(struct thread_key), sizeof(struct thread), MAX_THREADS, &tl.threads)) {
		xpt_err(-ENOMEM, "out of memory");
		return XPT_EXIT_FAILED;
	}
	tl.first_ns = UINT64_MAX;
	status = read_pass(path, PASS_FIND, false);
	if (status != XPT_EXIT_OK && !tl.end_ns)	/* it is no recording, or nothing could be read */
		return status;
	if (tl.around && !tl.event.found && status == XPT_EXIT_OK) {
		xpt_err(-ENOENT, "%s", tl.around_id ? "no call has this number" :
			!strcmp(tl.around, "error") ? "no call failed" : "no calls");
		return XPT_EXIT_FAILED;
	}
	if (tl.wall && !tl.wall_ns)
		xpt_warn("the recording does not tell the time of day: times are those since the start");
	tl.wall = tl.wall && tl.wall_ns;
	tl.end_ns = 0;
	status = read_pass(path, PASS_RANK, true);
	return tl.end_ns || status == XPT_EXIT_OK ? show_window(path, status) : status;
}

static int run_timeline(int argc, char **argv)
{
	struct timeline_opts o = { .from = XPT_ABSENT };
	int rest, status = xpt_opt__parse(&xpt_cmd_timeline, argc, argv, &o, &rest);

	if (status >= 0)
		return status;
	if (!argv[rest])
		return xpt_opt__usage(&xpt_cmd_timeline, "which recording?%s", xpt_traces__hint());
	if (argv[rest + 1])
		return xpt_opt__usage(&xpt_cmd_timeline, "unexpected '%s'", argv[rest + 1]);
	status = take_options(&o);
	if (status >= 0)
		return status;
	if (!is_file(argv[rest]))
		return XPT_EXIT_FAILED;
	signal(SIGPIPE, SIG_IGN);
	status = look_at(argv[rest]);
	free_all();
	return status;
}

const struct xpt_cmd xpt_cmd_timeline = {
	.name = "timeline",
	.args = "FILE [OPTIONS]",
	.summary = "a recording as a picture: threads are rows, time goes across",
	.opts = timeline_opts,
	.examples = "  xputrace timeline t.xtr\n  xputrace timeline t.xtr --from 1.5s --to 1.6s\n"
		    "  xputrace timeline t.xtr --around slowest\n",
	.run = run_timeline,
};
