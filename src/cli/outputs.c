// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Opens the outputs that the options name: the recording takes wire records
 * as they are, everything else is a sink behind the pipeline.
 */
#include "cli/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "pipeline/pipeline.h"
#include "pipeline/recording.h"

#define MAX_FILES 64

struct recording {
	const char *path;
	int fd;
	struct xpt_rec_writer *writer;
	int err;	/* 0, or why writing stopped */
};

struct xpt_outputs {
	struct xpt_outputs_cfg cfg;
	struct xpt_pipeline *pipeline;
	struct recording recs[MAX_FILES];
	unsigned nr_recs;
	FILE *files[MAX_FILES];
	unsigned nr_files;
};

void xpt_outputs__give_to_user(int fd)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	uint64_t u, g;

	if (geteuid() || !uid || !gid || xpt_parse_u64(uid, 0, UINT32_MAX, &u) ||
	    xpt_parse_u64(gid, 0, UINT32_MAX, &g))
		return;
	if (fchown(fd, (uid_t)u, (gid_t)g))
		xpt_debug("cannot give the file to uid %u: %s", (unsigned)u, strerror(errno));
}

static bool has_ext(const char *path, const char *ext)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

	return dot && !strcmp(dot + 1, ext);
}

static int open_file(const char *path, int *ret_fd)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return xpt_err(-errno, "cannot write %s: %s", path, strerror(errno));
	xpt_outputs__give_to_user(fd);
	*ret_fd = fd;
	return 0;
}

static int open_recording(struct xpt_outputs *o, const char *path)
{
	struct recording *r = &o->recs[o->nr_recs];
	int err = open_file(path, &r->fd);

	if (err)
		return err;
	r->path = path;
	err = xpt_rec_writer__new(r->fd, o->cfg.max_bytes, &r->writer);
	if (err) {
		close(r->fd);
		return xpt_err(err, "cannot write %s: %s", path, strerror(-err));
	}
	o->nr_recs++;
	return 0;
}

static struct xpt_sink_cfg sink_cfg(const struct xpt_outputs *o, FILE *file)
{
	struct xpt_sink_cfg cfg = {
		.file = file,
		.raw = o->cfg.raw,
		.phases = o->cfg.phases,
		.columns = 80,
	};
	bool tty = isatty(fileno(file));
	struct winsize ws;

	cfg.color = o->cfg.color == 1 || (!o->cfg.color && tty && !getenv("NO_COLOR"));
	if (tty && !ioctl(fileno(file), TIOCGWINSZ, &ws) && ws.ws_col)
		cfg.columns = ws.ws_col;
	return cfg;
}

static int add_sink(struct xpt_outputs *o, const struct xpt_sink *sink, const char *name, FILE *file)
{
	struct xpt_sink_cfg cfg = sink_cfg(o, file);
	int err;

	if (sink->ext)
		cfg.max_bytes = o->cfg.max_bytes;
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

static int open_output(struct xpt_outputs *o, const char *path)
{
	const struct xpt_sink *sink = xpt_sink__by_ext(path);
	char known[256];
	FILE *f;
	int err, fd;

	if (o->nr_files == MAX_FILES || o->nr_recs == MAX_FILES)
		return xpt_err(-E2BIG, "more than %d outputs", MAX_FILES);
	if (has_ext(path, "xtr"))
		return open_recording(o, path);
	if (!sink) {
		list_extensions(known, sizeof(known));
		return xpt_err(-EINVAL, "cannot tell the format of '%s': its name must end with one of %s",
			       path, known);
	}
	err = open_file(path, &fd);
	if (err)
		return err;
	f = fdopen(fd, "w");
	if (!f) {
		close(fd);
		return xpt_err(-ENOMEM, "cannot write %s", path);
	}
	o->files[o->nr_files++] = f;
	return add_sink(o, sink, path, f);
}

static int add_named(struct xpt_outputs *o, const char *sink)
{
	const struct xpt_sink *s = xpt_sink__find(sink);

	return s ? add_sink(o, s, "standard output", stdout)
		 : xpt_err(-ENOENT, "this build has no output '%s'", sink);
}

static int open_all(struct xpt_outputs *o)
{
	const char *const *path;
	size_t i;
	int err = xpt_pipeline__new(&o->pipeline);

	for (i = 0; !err && i < xpt_nr_analyzers; i++)
		err = xpt_pipeline__add_analyzer(o->pipeline, xpt_analyzers[i]);
	if (err)
		return xpt_err(err, "cannot start the analyses: %s", strerror(-err));
	for (path = o->cfg.files; !err && path && *path; path++)
		err = open_output(o, *path);
	if (!err && o->cfg.live)
		err = add_named(o, "live");
	if (!err && o->cfg.summary)
		err = add_named(o, o->cfg.json ? "json" : "summary");
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

static void write_recording(struct recording *r, const void *rec, size_t size, uint64_t max)
{
	int err = xpt_rec_writer__write(r->writer, rec, size);

	if (!err || r->err)
		return;
	r->err = err;
	if (err == -ENOSPC && max)
		xpt_warn("%s reached --max-size: further calls are counted, not written", r->path);
	else
		xpt_err(err, "%s: %s; what was written so far stays readable", r->path,
			strerror(-err));
}

void xpt_outputs__feed(struct xpt_outputs *o, const void *rec, size_t size)
{
	unsigned i;

	for (i = 0; i < o->nr_recs; i++)
		write_recording(&o->recs[i], rec, size, o->cfg.max_bytes);
	xpt_pipeline__feed(o->pipeline, rec, size);
}

void xpt_outputs__flush(struct xpt_outputs *o)
{
	unsigned i;

	for (i = 0; i < o->nr_recs; i++)
		xpt_rec_writer__flush(o->recs[i].writer);
	for (i = 0; i < o->nr_files; i++)
		fflush(o->files[i]);
	fflush(stdout);
}

/* A limit that was asked for is no failure. */
static bool is_failure(const struct xpt_outputs *o, int err)
{
	return err && !(err == -ENOSPC && o->cfg.max_bytes);
}

static int close_recording(const struct xpt_outputs *o, struct recording *r)
{
	int err = xpt_rec_writer__close(r->writer);

	if (r->err)
		err = r->err;
	else if (is_failure(o, err))
		xpt_err(err, "%s: %s", r->path, strerror(-err));
	if (close(r->fd) && !err)
		err = xpt_err(-errno, "%s: %s", r->path, strerror(errno));
	return is_failure(o, err) ? err : 0;
}

/* Sinks may still write while the pipeline ends, so it goes before its files. */
static int close_all(struct xpt_outputs *o)
{
	int err = 0, e;
	unsigned i;

	xpt_pipeline__free(o->pipeline);
	for (i = 0; i < o->nr_recs; i++) {
		e = close_recording(o, &o->recs[i]);
		err = err ? err : e;
	}
	for (i = 0; i < o->nr_files; i++)
		if (fclose(o->files[i]) && !err)
			err = -errno;
	if (fflush(stdout) && !err)
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
	e = close_all(o);
	return err ? err : e;
}

void xpt_outputs__discard(struct xpt_outputs *o)
{
	if (o)
		close_all(o);
}
