// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xputrace spdk: the tools for SPDK's own traces. annotate joins the output of
 * `spdk_trace -j` with the records of probes about queue pairs, entry by entry, in
 * fixed memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files/regular.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "cli/opt.h"
#include "session/beside.h"
#include "session/output_file.h"
#include "session/spdk/attach_list.h"
#include "session/spdk/record_run.h"
#include "session/spdk/say.h"
#include "spdk/join.h"
#include "spdk/latency_by.h"
#include "spdk/picture.h"
#include "spdk/request_states.h"
#include "spdk/spdk_line.h"
#include "spdk/spdk_record.h"

#define OUT_AT (128u << 10)	/* bytes that are written at once */
#define OUT_MAX (4u << 20)	/* of them, one line has at most OUT_MAX - OUT_AT */
#define MAGIC "XPTRACE"

struct spdk_opts {
	const char *trace, *with, *output, *pid, *by;
	unsigned by_bits;		/* of by, see spdk/latency_by.h */
	bool json, text, compat, latency;
};

struct annotate {
	const struct spdk_opts *o;
	int fd;				/* of the trace */
	struct xpt_spdk_trace *trace;
	struct xpt_spdk_lives *lives;
	struct xpt_spdk_join *join;
	struct xpt_spdk_clock clock;
	struct xpt_strbuf out;
	bool lines;			/* entries as lines are wanted */
	struct xpt_spdk_states *states;	/* with --latency or -o */
	struct xpt_spdk_latency_by *latency_by;	/* with --by */
	struct xpt_spdk_picture *picture;
	struct xpt_file file;		/* of -o */
	FILE *output;
	bool started, closed;		/* an entry was seen; the reader of stdout went away */
};

static ssize_t read_fd(void *ctx, void *buf, size_t n)
{
	int fd = *(int *)ctx;
	ssize_t got;

	do {
		got = read(fd, buf, n);
	} while (got < 0 && errno == EINTR);
	return got;
}

/* --- records of probes -------------------------------------------------------------- */

/*
 * Whether it is a recording of ours, or JSON lines that have one beside them. Pipes are not opened for that, for they
 * are read once: they hold text.
 */
static bool is_recording(const char *path)
{
	char magic[sizeof(MAGIC)] = "";
	int fd = strcmp(path, "-") ? xpt_regular__open_below(-1, path) : -1;

	if (fd >= 0 && read(fd, magic, sizeof(magic) - 1) != sizeof(magic) - 1)
		magic[0] = '\0';
	if (fd >= 0)
		close(fd);
	return !strcmp(magic, MAGIC) || xpt_beside__has(path);
}

static int read_text(struct annotate *a)
{
	struct xpt_spdk_record_stats st = { 0 };
	FILE *f = strcmp(a->o->with, "-") ? fopen(a->o->with, "re") : stdin;
	int err;

	if (!f)
		return xpt_err(-errno, "cannot read %s: %s", a->o->with, strerror(errno));
	err = xpt_spdk_record__read(f, a->lives, &st);
	if (f != stdin)
		fclose(f);
	if (err)
		return xpt_err(err, "cannot read %s: %s", a->o->with, strerror(-err));
	a->clock.begin = st.first;
	a->clock.end = st.last;
	xpt_spdk_say__record(a->o->with, &st);
	return 0;
}

static int read_xtr(struct annotate *a)
{
	struct xpt_spdk_record_stats st;
	uint64_t pid = 0;
	int err;

	if (a->o->pid && xpt_parse_u64(a->o->pid, 1, INT32_MAX, &pid))
		return xpt_err(-EINVAL, "-p: '%s' is not a process id", a->o->pid);
	err = xpt_spdk_with__read(a->o->with, (uint32_t)pid, a->lives, &st);
	if (err)
		return err;
	a->clock.begin = st.first;
	a->clock.end = st.last;
	return 0;
}

static int take_record(struct annotate *a)
{
	int err = xpt_spdk_lives__new(a->o->compat, &a->lives);

	if (err)
		return xpt_err(err, "out of memory");
	if (a->o->with)
		err = is_recording(a->o->with) ? read_xtr(a) : read_text(a);
	if (err)
		return err;
	err = xpt_spdk_lives__build(a->lives);
	return err ? xpt_err(err, "out of memory") : 0;
}

/* --- the trace ------------------------------------------------------------------------ */

static const char *trace_name(const struct annotate *a)
{
	return strcmp(a->o->trace, "-") ? a->o->trace : "standard input";
}

/* A file is read twice if its entries name owners: which of them is which host is known at its end only. */
static void scan_trace(struct annotate *a)
{
	struct xpt_spdk_trace *t = NULL;
	struct xpt_spdk_entry e;
	int fd = xpt_regular__open_below(-1, a->o->trace);

	if (fd >= 0 && !xpt_spdk_trace__open(read_fd, &fd, &t, NULL)) {
		while (xpt_spdk_trace__next(t, &e) > 0)
			xpt_spdk_join__scan(a->join, &e);
		xpt_spdk_lives__bind_owners(a->lives);
	}
	xpt_spdk_trace__free(t);
	if (fd >= 0)
		close(fd);
}

static int open_trace(struct annotate *a)
{
	struct xpt_spdk_spot spot;
	int err;

	a->fd = strcmp(a->o->trace, "-") ? open(a->o->trace, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (a->fd < 0)
		return xpt_err(-errno, "cannot read %s: %s", a->o->trace, strerror(errno));
	err = xpt_spdk_trace__open(read_fd, &a->fd, &a->trace, &spot);
	if (err)
		return xpt_spdk_say__damage(trace_name(a), err, false, &spot);
	a->clock.rate = xpt_spdk_trace__rate(a->trace);
	err = xpt_spdk_join__new(a->trace, a->lives, a->o->compat, &a->join);
	if (!err && a->o->with && !a->o->compat && xpt_spdk_trace__has_owners(a->trace))
		scan_trace(a);
	return err ? xpt_err(err, "out of memory") : 0;
}

static int put_out(struct annotate *a)
{
	int err = 0;

	if (xpt_strbuf__err(&a->out))
		err = xpt_err(-ENOMEM, "out of memory");
	else if (fwrite(xpt_strbuf__str(&a->out), 1, a->out.len, stdout) != a->out.len)
		a->closed = true;
	xpt_strbuf__reset(&a->out);
	return err;
}

static int take_line(struct annotate *a, const struct xpt_spdk_entry *e,
		     const struct xpt_spdk_note *note)
{
	struct xpt_spdk_entry as_upstream;

	if (a->o->json) {
		xpt_spdk_line__json(&a->out, &a->clock, e, note);
	} else if (a->o->compat && xpt_spdk_trace__has_owners(a->trace)) {
		as_upstream = *e;	/* trace.py of these releases looks at owners alone */
		as_upstream.poller.s = NULL;
		as_upstream.poller.n = 0;
		xpt_spdk_line__text(&a->out, &a->clock, &as_upstream, note);
	} else {
		xpt_spdk_line__text(&a->out, &a->clock, e, note);
	}
	return a->out.len >= OUT_AT ? put_out(a) : 0;
}

static int take_step(struct annotate *a, const struct xpt_spdk_entry *e,
		     const struct xpt_spdk_note *note)
{
	struct xpt_spdk_io *io, *cut;
	enum xpt_spdk_step step = xpt_spdk_states__entry(a->states, e, &io, &cut);
	int err = 0;

	if (a->latency_by)
		xpt_spdk_latency_by__entry(a->latency_by, a->states, e, note, step, io, cut);
	if (a->picture)
		err = xpt_spdk_picture__entry(a->picture, e, note, step, io, cut);
	return err ? xpt_err(err, "cannot write %s: %s", a->o->output, strerror(-err)) : 0;
}

static int start_output(struct annotate *a, const struct xpt_spdk_entry *e)
{
	int err = 0;

	a->clock.first = e->tsc;
	a->started = true;
	if (a->output)
		err = xpt_spdk_picture__new(a->output, &a->clock, &a->picture);
	return err ? xpt_err(err, "out of memory") : 0;
}

static int take_entry(struct annotate *a, const struct xpt_spdk_entry *e)
{
	struct xpt_spdk_note note;
	int err = a->started ? 0 : start_output(a, e);

	if (err)
		return err;
	xpt_spdk_join__entry(a->join, e, &note);
	if (a->lines)
		err = take_line(a, e, &note);
	if (!err && a->states)
		err = take_step(a, e, &note);
	return err;
}

static void put_latency(struct annotate *a)
{
	if (a->o->json) {
		xpt_spdk_states__json(a->states, a->latency_by, &a->out);
		return;
	}
	xpt_spdk_states__text(a->states, &a->out);
	if (a->latency_by)
		xpt_spdk_latency_by__text(a->latency_by, &a->out);
}

static int annotate_entries(struct annotate *a)
{
	struct xpt_spdk_spot spot;
	struct xpt_spdk_entry e;
	int more = 0, err = 0;

	while (!a->closed && (more = xpt_spdk_trace__next(a->trace, &e)) > 0) {
		err = take_entry(a, &e);
		if (err)
			return err;
	}
	if (a->o->latency) {
		if (a->lines && !a->o->json)
			xpt_strbuf__addc(&a->out, '\n');
		put_latency(a);
	}
	err = put_out(a);
	if (a->closed)
		return err;
	spot = xpt_spdk_trace__spot(a->trace);
	if (!err && more < 0)
		err = xpt_spdk_say__damage(trace_name(a), more, true, &spot);
	if (!err)
		err = xpt_spdk_say__spots(trace_name(a), a->trace);
	xpt_spdk_say__join(a->o->with, a->lives, a->join);
	if (xpt_spdk_trace__bad(a->trace))
		xpt_warn("%s: %" PRIu64 " entries have no time or trace point and were left out", trace_name(a),
			 xpt_spdk_trace__bad(a->trace));
	return err;
}

/* Opens outputs after the trace was opened, so that an error in its name empties no file. */
static int open_outputs(struct annotate *a)
{
	int err = 0;

	a->lines = a->o->text || (!a->o->latency && !a->o->output) || (a->o->json && !a->o->latency);
	if (a->o->latency || a->o->output)
		err = xpt_spdk_states__new(a->clock.rate, &a->states);
	if (!err && a->o->by_bits)
		err = xpt_spdk_latency_by__new(a->o->by_bits, &a->latency_by);
	if (err)
		return xpt_err(err, "out of memory");
	if (!a->o->output)
		return 0;
	err = xpt_file__open(a->o->output, &a->file);
	if (!err)
		err = xpt_file__cut(&a->file, 0);
	if (err)
		return err;
	a->output = fdopen(a->file.fd, "w");
	return a->output ? 0 : xpt_err(-errno, "cannot write %s: %s", a->o->output, strerror(errno));
}

static int close_output(struct annotate *a, int err)
{
	struct xpt_spdk_picture_stats drawn = { .left_out = 0 };
	int bad = 0;

	if (a->picture)
		bad = xpt_spdk_picture__close(a->picture, &drawn);
	errno = 0;
	if (a->output && fclose(a->output))
		bad = bad ? bad : -errno;
	if (drawn.left_out)
		xpt_warn("%s: %" PRIu64 " requests found no room", a->o->output, drawn.left_out);
	if (drawn.cut_short)
		xpt_warn("%s: %" PRIu64 " I/O%s lasted longer than drawn: a slice ends with the state of the request that it is "
			 "inside of", a->o->output, drawn.cut_short, drawn.cut_short == 1 ? "" : "s");
	if (bad && !err)
		err = xpt_err(bad, "cannot write %s: %s", a->o->output, strerror(-bad));
	return err;
}

static int annotate_trace(const struct spdk_opts *o)
{
	struct annotate a = { .o = o, .fd = -1 };
	int err;

	xpt_strbuf__init(&a.out, OUT_MAX);
	err = take_record(&a);
	if (!err)
		err = open_trace(&a);
	if (!err)
		err = open_outputs(&a);
	if (!err)
		err = annotate_entries(&a);
	err = close_output(&a, err);
	xpt_spdk_states__free(a.states);
	xpt_spdk_latency_by__free(a.latency_by);
	xpt_spdk_join__free(a.join);
	xpt_spdk_trace__free(a.trace);
	xpt_spdk_lives__free(a.lives);
	xpt_strbuf__free(&a.out);
	if (a.fd > STDERR_FILENO)
		close(a.fd);
	return err ? XPT_EXIT_FAILED : XPT_EXIT_OK;
}

/* --- the command -------------------------------------------------------------------------- */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

static int run_annotate(struct spdk_opts *o)
{
	if (o->by && !xpt_spdk_by__parse(o->by, &o->by_bits))
		return xpt_opt__usage(&xpt_cmd_spdk, "--by: '%s' is none of host, subsystem, qpair, type", o->by);
	o->latency |= o->by != NULL;
	if (o->pid && (!o->with || !is_recording(o->with)))
		return xpt_opt__usage(&xpt_cmd_spdk, "-p goes with record, and with a recording (.xtr)");
	if (!o->trace)
		return xpt_opt__usage(&xpt_cmd_spdk, "which trace? --trace FILE, or - for standard input");
	if (o->with && !strcmp(o->with, "-") && !strcmp(o->trace, "-"))
		return xpt_opt__usage(&xpt_cmd_spdk, "--trace and --with cannot both be standard input");
	if (o->output && !ends_with(o->output, ".pftrace"))
		return xpt_opt__usage(&xpt_cmd_spdk, "-o: the file's name must end in .pftrace");
	if (o->json && o->text)
		return xpt_opt__usage(&xpt_cmd_spdk, "--text or --json, not both");
	return annotate_trace(o);
}

static int run_record(const struct spdk_opts *o)
{
	uint64_t pid;

	if (o->trace || o->with || o->json || o->text || o->latency || o->by || o->compat)
		return xpt_opt__usage(&xpt_cmd_spdk, "record takes -p and -o only");
	if (o->pid && strchr(o->pid, ','))	/* a trace is one process's, and pointers mean something there only */
		return xpt_opt__usage(&xpt_cmd_spdk, "record takes one process; of several at once: xputrace attach -p %s -d spdk "
				      "-o x.xtr, then annotate --with x.xtr -p PID", o->pid);
	if (!o->pid || xpt_parse_u64(o->pid, 1, INT32_MAX, &pid))
		return xpt_opt__usage(&xpt_cmd_spdk, o->pid ? "-p: '%s' is not a process id" :
				      "which process? -p PID", o->pid);
	if (!o->output)
		return xpt_opt__usage(&xpt_cmd_spdk, "where to? -o FILE, or - for standard output");
	return xpt_spdk_record__run((int)pid, o->output);
}

static int run_spdk(int argc, char **argv)
{
	struct spdk_opts o = { 0 };
	int rest, status = xpt_opt__parse(&xpt_cmd_spdk, argc, argv, &o, &rest);

	if (status >= 0)
		return status;
	if (!argv[rest])
		return xpt_opt__usage(&xpt_cmd_spdk, "what shall it do? record or annotate");
	if (argv[rest + 1] && !strcmp(argv[rest], "record"))
		return xpt_opt__usage(&xpt_cmd_spdk, "record takes a process that runs, -p PID; from a command's begin: xputrace run "
				      "-d spdk -o x.xtr -- %s, then annotate --with x.xtr", argv[rest + 1]);
	if (argv[rest + 1])
		return xpt_opt__usage(&xpt_cmd_spdk, "unexpected '%s'", argv[rest + 1]);
	if (!strcmp(argv[rest], "annotate"))
		return run_annotate(&o);
	if (!strcmp(argv[rest], "record"))
		return run_record(&o);
	return xpt_opt__usage(&xpt_cmd_spdk, "no '%s' here; there are: record, annotate", argv[rest]);
}

#define SPDK(m) offsetof(struct spdk_opts, m)

static const struct xpt_opt opts[] = {
	{ "trace", 't', XPT_OPT_STR, SPDK(trace), "FILE", "what 'spdk_trace -j' wrote; - is standard "
	  "input", 0 },
	{ "with", 'w', XPT_OPT_STR, SPDK(with), "FILE", "what probes saw: the output of 'record', "
	  "of SPDK's 'trace.py --record', or a recording made with -d spdk (.xtr)", 0 },
	{ "text", 0, XPT_OPT_FLAG, SPDK(text), NULL, "entries as lines in the columns of trace.py "
	  "(the default)", 0 },
	{ "json", 0, XPT_OPT_FLAG, SPDK(json), NULL, "entries as JSON, one a line", 0 },
	{ "latency", 'l', XPT_OPT_FLAG, SPDK(latency), NULL, "how long requests are in which state; "
	  "entries too with --text", 0 },
	{ "by", 0, XPT_OPT_STR, SPDK(by), "WHAT", "how long requests of each host, subsystem, qpair or type of block "
	  "device I/O take; several with commas", 0 },
	{ "output", 'o', XPT_OPT_STR, SPDK(output), "FILE", "annotate: requests and their states as a "
	  "Perfetto trace, FILE.pftrace; record: what probes see", 0 },
	{ "pid", 'p', XPT_OPT_STR, SPDK(pid), "PID", "record: the SPDK process; annotate: that one of a recording", 0 },
	{ "compat", 0, XPT_OPT_FLAG, SPDK(compat), NULL, "annotate as trace.py does, with its limits",
	  0 },
	{ 0 },
};

const struct xpt_cmd xpt_cmd_spdk = {
	.name = "spdk",
	.args = "record -p PID -o FILE | annotate --trace FILE [OPTIONS]",
	.summary = "SPDK's own traces with the queue pairs that probes saw",
	.opts = opts,
	.examples = "  sudo xputrace spdk record -p 4711 -o qp.txt\n"
		    "  spdk_trace -j -s nvmf -p 4711 | xputrace spdk annotate --trace - --with qp.txt\n"
		    "  xputrace spdk annotate --trace T.json --with qp.txt --json\n"
		    "  xputrace spdk annotate --trace T.json --with qp.txt --latency -o T.pftrace\n"
		    "  xputrace spdk annotate --trace T.json --with qp.txt --by host,type\n",
	.run = run_spdk,
};
