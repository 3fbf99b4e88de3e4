// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens the outputs that the options name: the recording takes wire records
 * as they are, everything else is a sink of the pipeline.
 */
#include "session/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/log.h"
#include "base/terminal.h"
#include "base/time.h"
#include "metrics/metrics.h"
#include "pipeline/pipeline.h"
#include "pipeline/recording/file_share.h"
#include "pipeline/recording/recording.h"
#include "session/output_file.h"
#include "snapshot/collector.h"

#define DEFAULT_COLUMNS 80
#define MAX_FILES 64
/* Longest time from the end of a call to its record, which is rarely so late. */
#define ON_THE_WAY_NS 100000000u

#define LARGE_PICTURE (300ull << 20)	/* the largest JSON that Perfetto's and Chrome's pages still load */

struct output {		/* one -o FILE: a recording, or a sink that writes to it */
	struct xpt_file file;
	struct xpt_rec_writer *writer;	/* recording */
	FILE *f;			/* sink */
	struct xpt_file_share *share;	/* shares of owners in --max-size; NULL: there are none */
	bool limited;			/* a recording that reached --max-size */
	int err;			/* 0, or why writing stopped */
};

struct xpt_outputs {
	struct xpt_outputs_cfg cfg;
	struct xpt_pipeline *pipeline;
	struct output out[MAX_FILES + 1];	/* and the log */
	unsigned nr;
	struct xpt_file log;		/* path NULL: none */
	FILE *text;			/* table and summary */
	const char *text_name;
};

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

static bool is_recording(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

	return dot && !strcmp(dot + 1, "xtr");
}

struct xpt_sink_cfg xpt_outputs__sink_cfg(const struct xpt_outputs_cfg *from, FILE *file)
{
	struct xpt_sink_cfg cfg = {
		.file = file,
		.raw = from->raw,
		.show = from->show,
		.wall = from->wall,
		.sums = from->sums,
		.in_place = from->text_to == XPT_TEXT_STDOUT,	/* else a command shares the terminal */
		.phases = from->phases,
		.weight = from->weight,
		.all = from->all,
		.sections = from->sections,
	};
	bool tty = isatty(fileno(file));
	unsigned columns = xpt_terminal_columns(file);

	cfg.color = from->color == 1 || (!from->color && tty && !getenv("NO_COLOR"));
	cfg.columns = columns ? columns : DEFAULT_COLUMNS;
	cfg.room = columns ? columns : XPT_COLUMNS_MAX;		/* a file or a program gets all of it */
	return cfg;
}

static int add_sink(struct xpt_outputs *o, const struct xpt_sink *sink, const char *name, FILE *file,
		    struct xpt_file_share *share)
{
	struct xpt_sink_cfg cfg = xpt_outputs__sink_cfg(&o->cfg, file);
	int err;

	cfg.follows = o->cfg.live;
	if (sink->ext) {
		cfg.max_bytes = o->cfg.max_bytes;
		cfg.share = share;
		cfg.path = name;
	}
	if (sink->ext && !strcmp(name, "standard output")) {
		cfg.max_bytes = 0;	/* the reader of a pipe can stop at any time */
		cfg.share = NULL;
	}
	err = xpt_pipeline__add_sink(o->pipeline, sink, name, &cfg);
	return err ? xpt_err(err, "cannot open output %s: %s", name, strerror(-err)) : 0;
}

static void list_extensions(char *buf, size_t n)
{
	size_t at = (size_t)snprintf(buf, n, ".xtr"), i;

	for (i = 0; i < xpt_nr_sinks && at < n; i++)
		if (xpt_sinks[i]->ext)
			at += (size_t)snprintf(buf + at, n - at, ", .%s", xpt_sinks[i]->ext);
}

/* Checks that the files can be written, before any file is changed. */
static int check_names(const char *const *files)
{
	char known[256];
	unsigned n;

	for (n = 0; files && files[n]; n++) {
		if (n == MAX_FILES)
			return xpt_err(-EINVAL, "more than %d outputs", MAX_FILES);
		if (is_stdout(files[n]) || is_recording(files[n]) || xpt_sink__by_ext(files[n]))
			continue;
		list_extensions(known, sizeof(known));
		return xpt_err(-EINVAL, "cannot tell the format of '%s': its name must end with one of %s",
			       files[n], known);
	}
	return 0;
}

static bool is_input(const char *input, const struct xpt_file *file)
{
	struct xpt_file in = { .regular = true };
	struct stat st;

	if (strcmp(input, "-") ? stat(input, &st) : fstat(STDIN_FILENO, &st))
		return false;
	in.dev = st.st_dev;
	in.ino = st.st_ino;
	return xpt_file__same(&in, file);
}

static int check_same(const struct xpt_outputs *o, const struct xpt_file *file)
{
	unsigned i;

	for (i = 0; i < o->nr; i++)
		if (xpt_file__same(&o->out[i].file, file))
			return xpt_err(-EINVAL, "%s and %s are the same file",
				       o->out[i].file.path, file->path);
	for (i = 0; i < sizeof(o->cfg.input) / sizeof(o->cfg.input[0]); i++)
		if (o->cfg.input[i] && is_input(o->cfg.input[i], file))
			return xpt_err(-EINVAL, "%s would overwrite the recording that is read", file->path);
	return 0;
}

/*
 * Duplicates standard output, so that its descriptor can be closed. If it is a file, its content stays: it is not
 * ours.
 */
static int open_stdout(struct xpt_file *ret_f)
{
	struct xpt_file f = { .path = "-", .fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) };
	struct stat st;

	if (f.fd < 0 || fstat(f.fd, &st))
		return xpt_err(-errno, "cannot write standard output: %s", strerror(errno));
	f.regular = S_ISREG(st.st_mode);
	f.dev = st.st_dev;
	f.ino = st.st_ino;
	*ret_f = f;
	return 0;
}

/* The file that is open already for this entry of cfg->files (the same pointer, not an equal string), or NULL. */
static const struct xpt_file *find_opened(const struct xpt_outputs_cfg *cfg, const char *path)
{
	for (size_t i = 0; i < sizeof(cfg->opened) / sizeof(cfg->opened[0]); i++)
		if (cfg->opened[i] && cfg->opened[i]->path == path)
			return cfg->opened[i];
	return NULL;
}

static int open_file(struct xpt_outputs *o, const char *path)
{
	const struct xpt_file *opened = find_opened(&o->cfg, path);
	struct xpt_file file;
	int err = 0;

	if (is_stdout(path))
		err = open_stdout(&file);
	else if (opened)
		file = *opened;
	else
		err = xpt_file__open(path, &file);
	if (err)
		return err;
	err = check_same(o, &file);
	if (err)
		close(file.fd);
	else
		o->out[o->nr++].file = file;
	return err;
}

static int open_files(struct xpt_outputs *o)
{
	const char *const *path = o->cfg.files;
	int err = check_names(path);
	unsigned i;

	for (; !err && path && *path; path++)
		err = open_file(o, *path);
	if (!err && o->cfg.log && !is_stdout(o->cfg.log))
		err = open_file(o, o->cfg.log);
	for (i = 0; !err && i < o->nr; i++)
		if (!is_recording(o->out[i].file.path) && !is_stdout(o->out[i].file.path))
			err = xpt_file__cut(&o->out[i].file, 0);
	return err;
}

/* Standard error with a buffer. If the caller had closed it, main() has opened /dev/null in its place. */
static int open_stderr(struct xpt_outputs *o)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);

	o->text = fd < 0 ? NULL : fdopen(fd, "w");
	if (!o->text && fd >= 0)
		close(fd);
	o->text_name = "standard error";
	return o->text ? 0 : xpt_err(-EIO, "cannot write standard error: %s", strerror(errno));
}

/* Opens where table and summary go. The log's file, which open_files() opened last, is no output any more then. */
static int open_text(struct xpt_outputs *o)
{
	struct output *log = o->nr ? &o->out[o->nr - 1] : NULL;

	if (!o->cfg.log && o->cfg.text_to == XPT_TEXT_STDERR)
		return open_stderr(o);
	o->text = stdout;
	o->text_name = "standard output";
	if (!o->cfg.log || is_stdout(o->cfg.log))
		return 0;
	o->nr--;
	o->log = log->file;
	o->text = fdopen(o->log.fd, "w");
	o->text_name = o->log.path;
	if (o->text)
		return 0;
	close(o->log.fd);
	return xpt_err(-ENOMEM, "cannot write %s", o->log.path);
}

static int start_output(struct xpt_outputs *o, struct output *out)
{
	const char *path = out->file.path;
	int err = 0;

	if (o->cfg.owner && o->cfg.max_bytes)
		err = xpt_file_share__new(o->cfg.max_bytes, o->cfg.owner, o->cfg.owner_ctx, &out->share);
	if (!err && is_recording(path)) {
		err = xpt_rec_writer__new(out->file.fd, o->cfg.max_bytes, &out->writer);
		if (err)
			return xpt_err(err, "cannot write %s: %s", path, strerror(-err));
		xpt_rec_writer__share(out->writer, out->share);
		/*
		 * Old content goes only now that the header is there: the file is a recording whenever a signal ends
		 * us.
		 */
		return xpt_file__cut(&out->file, (off_t)xpt_rec_writer__bytes(out->writer));
	}
	out->f = err ? NULL : fdopen(out->file.fd, "w");
	if (!out->f)
		return xpt_err(-ENOMEM, "cannot write %s", path);
	/* Sinks hand over whole lines; stdio's blocks would tear them. */
	setvbuf(out->f, NULL, _IONBF, 0);
	if (is_stdout(path))
		return add_sink(o, xpt_sink__find("jsonl"), "standard output", out->f, NULL);
	return add_sink(o, xpt_sink__by_ext(path), path, out->f, out->share);
}

static int add_named(struct xpt_outputs *o, const char *sink)
{
	const struct xpt_sink *s = xpt_sink__find(sink);

	return s ? add_sink(o, s, o->text_name, o->text, NULL)
		 : xpt_err(-ENOENT, "this build has no output '%s'", sink);
}

static int add_metrics(struct xpt_outputs *o)
{
	const struct xpt_sink_cfg cfg = { .ctx = o->cfg.metrics };

	xpt_metrics__set_owner(o->cfg.metrics, o->cfg.owner, o->cfg.owner_ctx);
	return xpt_pipeline__add_sink(o->pipeline, &xpt_metrics_sink, "metrics", &cfg);
}

static int add_snapshots(struct xpt_outputs *o)
{
	const struct xpt_sink_cfg cfg = { .ctx = o->cfg.snapshots };

	xpt_collector__set_owner(o->cfg.snapshots, o->cfg.owner, o->cfg.owner_ctx);
	return xpt_pipeline__add_sink(o->pipeline, &xpt_snapshot_sink, "snapshots", &cfg);
}

/* Is there an output that shows the results of analyzers? */
static bool wants_analyses(const struct xpt_outputs_cfg *cfg)
{
	const char *const *path;

	for (path = cfg->files; path && *path; path++) {
		const struct xpt_sink *sink = is_stdout(*path) || is_recording(*path) ? NULL : xpt_sink__by_ext(*path);

		if (sink && sink->record)
			return true;
	}
	return cfg->live || cfg->summary;
}

/*
 * Does the analyzer feed a section that was asked for? All analyzers feed the verdict, and the losses, which count
 * the records that tables of analyzers could not keep.
 */
static bool is_wanted(const struct xpt_outputs_cfg *cfg, const struct xpt_analyzer *a)
{
	const struct xpt_schema *const *s = cfg->sections, *const *e;

	for (; s && *s; s++) {
		if (*s == &xpt_verdict_schema || !strcmp((*s)->name, "losses"))
			return true;
		for (e = a->emits; *e; e++)
			if (!strcmp((*e)->name, (*s)->name))
				return true;
	}
	for (e = a->emits; cfg->wall && *e; e++)	/* times of day: its analyzer knows when the trace started */
		if (!strcmp((*e)->name, "summary"))
			return true;
	return !cfg->sections;
}

static int open_all(struct xpt_outputs *o)
{
	bool analyses = wants_analyses(&o->cfg);
	size_t i;
	int err = xpt_pipeline__new(&o->pipeline);

	for (i = 0; !err && analyses && i < xpt_nr_analyzers; i++)
		if (is_wanted(&o->cfg, xpt_analyzers[i]))
			err = xpt_pipeline__add_analyzer(o->pipeline, xpt_analyzers[i]);
	if (err)
		return xpt_err(err, "cannot start the analyses: %s", strerror(-err));
	xpt_pipeline__set_origin(o->pipeline, o->cfg.origin_ns);
	if (o->cfg.all_errors)
		xpt_pipeline__expect_none(o->pipeline);
	err = open_files(o);
	if (!err)
		err = open_text(o);
	for (i = 0; !err && i < o->nr; i++)
		err = start_output(o, &o->out[i]);
	if (!err && o->cfg.metrics)
		err = add_metrics(o);
	if (!err && o->cfg.snapshots)
		err = add_snapshots(o);
	if (!err && o->cfg.live)
		err = add_named(o, "live");
	if (!err && o->cfg.summary)
		err = add_named(o, o->cfg.json ? "json" : o->cfg.csv ? "tables" : "summary");
	return err;
}

int xpt_outputs__open(const struct xpt_outputs_cfg *cfg, struct xpt_outputs **ret_o)
{
	struct xpt_outputs *o = calloc(1, sizeof(*o));
	int err;

	if (!o)
		return xpt_err(-ENOMEM, "out of memory");
	o->cfg = *cfg;
	err = open_all(o);
	if (err) {
		xpt_outputs__discard(o);
		return err;
	}
	*ret_o = o;
	return 0;
}

static void write_recording(struct output *out, const void *rec, size_t size, uint64_t max_bytes)
{
	char limit[16];
	int err = xpt_rec_writer__write(out->writer, rec, size);

	if (!err || out->err)
		return;
	if (!out->limited && xpt_rec_writer__limited(out->writer)) {
		out->limited = true;
		xpt_warn("%s has reached its limit of %s: no more calls are written to it, "
			 "totals go on (--max-size raises the limit)", out->file.path,
			 xpt_fmt_bytes(max_bytes, limit, sizeof(limit)));
		return;
	}
	out->err = err;
	if (err != -EPIPE)
		xpt_err(err, "cannot write %s: %s; what is written so far stays readable",
			out->file.path, strerror(-err));
}

/* Counts so far and calls in flight, for metrics and snapshots: a recording gets the final ones instead. */
static bool is_of_now(const struct xpt_rec *rec)
{
	return rec->kind == XPT_REC_COUNTER_NOW || rec->kind == XPT_REC_ERRCOUNT_NOW || rec->kind == XPT_REC_INFLIGHT_NOW;
}

void xpt_outputs__feed(struct xpt_outputs *o, const void *rec, size_t size)
{
	unsigned i;

	for (i = 0; i < o->nr && !is_of_now(rec); i++)
		if (o->out[i].writer)
			write_recording(&o->out[i], rec, size, o->cfg.max_bytes);
	xpt_pipeline__feed(o->pipeline, rec, size);
}

void xpt_outputs__feed_counted(struct xpt_outputs *o, const void *rec, size_t size)
{
	const struct xpt_rec *r = rec;

	if (r->kind != XPT_REC_CALL || xpt_pipeline__is_about_memory(o->pipeline, r->fn))
		xpt_outputs__feed(o, rec, size);
}

void xpt_outputs__flush(struct xpt_outputs *o)
{
	unsigned i;

	xpt_pipeline__time(o->pipeline, xpt_now_ns() - ON_THE_WAY_NS);
	for (i = 0; i < o->nr; i++)
		if (o->out[i].writer)
			xpt_rec_writer__flush(o->out[i].writer);
	fflush(o->text);
}

const char *xpt_outputs__advice(const char *path, uint64_t bytes)
{
	const char *dot = strrchr(path, '.');

	if (bytes <= LARGE_PICTURE || !dot || strcmp(dot, ".json") != 0)
		return NULL;
	return "browsers cannot hold JSON pictures of some hundred MB: write FILE.pftrace, a sixth of that, or "
	       "look at a part with 'xputrace timeline --around'";
}

static void report_large(const struct output *out)
{
	char size[16];
	struct stat st;
	const char *advice;

	if (!out->f || !out->file.path || fstat(fileno(out->f), &st) || st.st_size <= 0)
		return;
	advice = xpt_outputs__advice(out->file.path, (uint64_t)st.st_size);
	if (advice)
		xpt_warn("%s has %s: %s", out->file.path,
			 xpt_fmt_bytes((uint64_t)st.st_size, size, sizeof(size)), advice);
}

/* 0 or -errno. A file system may report only now that it was full all the time. */
static int close_output(struct output *out)
{
	int err = xpt_rec_writer__close(out->writer);	/* NULL is fine */

	if (out->f && ferror(out->f))
		xpt_file__cut_to_line(&out->file);
	report_large(out);
	if (out->f ? fclose(out->f) : close(out->file.fd))
		err = err ? err : -errno;
	if (out->err)
		return out->err;
	return err ? xpt_err(err, "cannot write %s: %s", out->file.path, strerror(-err)) : 0;
}

/* Warns if an owner's calls were left out of a file because his share of it was used up. */
static void report_cut(const struct xpt_outputs *o, const struct output *out)
{
	char whom[1200], limit[16];
	uint32_t others;
	uint64_t owner;
	uint64_t calls;

	if (!out->share || !xpt_file_share__most_cut(out->share, &owner, &calls, &others))
		return;
	xpt_warn("%s: %" PRIu64 " calls %s%s were not written: no user gets all of its limit of %s "
		 "(--max-size raises it)", out->file.path, calls,
		 o->cfg.name_owner(owner, whom, sizeof(whom)), others ? ", and some of others," : "",
		 xpt_fmt_bytes(o->cfg.max_bytes, limit, sizeof(limit)));
}

/* Sinks may still write while the pipeline is freed, so that is done before their files are closed. */
static int close_all(struct xpt_outputs *o)
{
	int err = 0, e;
	unsigned i;

	xpt_pipeline__free(o->pipeline);
	for (i = 0; i < o->nr; i++) {
		report_cut(o, &o->out[i]);
		xpt_file_share__free(o->out[i].share);
		e = close_output(&o->out[i]);
		err = err && err != -EPIPE ? err : e;
	}
	if (o->text && (o->text == stdout ? fflush(stdout) : fclose(o->text)) && !err)
		err = -errno;
	free(o);
	return err;
}

int xpt_outputs__close(struct xpt_outputs *o)
{
	int err, e;

	if (!o)
		return 0;
	err = xpt_pipeline__finish(o->pipeline);
	if (o->cfg.ended)
		o->cfg.ended(o->cfg.ended_ctx);
	e = close_all(o);
	return err && err != -EPIPE ? err : e;
}

void xpt_outputs__discard(struct xpt_outputs *o)
{
	unsigned i;

	for (i = 0; o && i < o->nr; i++)
		xpt_file__remove(&o->out[i].file);
	if (o && o->log.path)
		xpt_file__remove(&o->log);
	if (o)
		close_all(o);
}
