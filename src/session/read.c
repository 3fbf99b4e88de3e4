// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Feeds a recording to outputs, or JSON lines as one. A file that ends early or is damaged yields its records up to
 * there; the exit status reports that they were not all.
 */
#include "session/read.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/files/regular.h"
#include "pipeline/recording/lines.h"
#include "pipeline/recording/recording.h"
#include "session/beside.h"
#include "session/options/usage.h"
#include "wire/wire.h"

/* The input: a recording, or JSON lines that become its records; one of them is NULL. */
struct source {
	struct xpt_rec_reader *rec;
	struct xpt_lines *lines;
	const char *path;	/* of the file that is read; the recording beside the lines has one by descriptor */
	int beside;		/* that descriptor, or -1 */
	char beside_path[32];
	char name[PATH_MAX];	/* for messages */
};

static int next_record(struct source *s, const void **ret_rec, size_t *ret_size)
{
	return s->lines ? xpt_lines__next(s->lines, ret_rec, ret_size)
			: xpt_rec_reader__next(s->rec, ret_rec, ret_size);
}

static void close_source(struct source *s)
{
	xpt_lines__close(s->lines);
	xpt_rec_reader__close(s->rec);
	if (s->beside >= 0)
		close(s->beside);
}

static bool is_json(const char *path)
{
	int fd = strcmp(path, "-") ? xpt_regular__open_below(-1, path) : -1;	/* a pipe can be read once */
	char first;
	bool is = fd >= 0 && read(fd, &first, 1) == 1 && first == '{';

	if (fd >= 0)
		close(fd);
	return is;
}

static int explain_no_recording(const char *path)
{
	if (!is_json(path))
		return xpt_err(-EINVAL, "%s is not a recording (made with -o FILE.xtr)", path);
	return xpt_err(-EINVAL, "%s holds JSON, but does not begin with a line of a trace (made with -o "
		       "FILE.jsonl, or 'xputrace convert FILE.xtr -o FILE.jsonl')", path);
}

/* JSON lines of a trace: they hold less than a recording, which the output says. */
static int open_lines(const char *path, struct source *ret_s)
{
	int err = is_json(path) ? xpt_lines__open(path, &ret_s->lines) : -EINVAL;

	if (err == -EINVAL)
		return explain_no_recording(path);
	return err ? xpt_err(err, "cannot read %s: %s", path, strerror(-err)) : 0;
}

/* Instead of default JSON lines, the recording that was written with them. False: there is none that can be read. */
static bool open_beside(const char *path, struct source *s)
{
	s->beside = xpt_beside__open(path, s->name, sizeof(s->name));
	if (s->beside < 0)
		return false;
	if (xpt_rec_reader__open_fd(s->beside, NULL, &s->rec)) {
		close(s->beside);
		s->beside = -1;
		return false;
	}
	snprintf(s->beside_path, sizeof(s->beside_path), "/proc/self/fd/%d", s->beside);
	s->path = s->beside_path;
	return true;
}

/* Errors are reported. 0 or -errno. */
static int open_source(const char *path, struct source *ret_s)
{
	uint32_t version = 0;
	int err;

	*ret_s = (struct source){ .path = path };
	if (open_beside(path, ret_s))
		return 0;
	snprintf(ret_s->name, sizeof(ret_s->name), "%s", path);
	err = xpt_rec_reader__open(path, &version, &ret_s->rec);

	switch (err) {
	case 0:
		return 0;
	case -EINVAL:
		ret_s->rec = NULL;
		return open_lines(path, ret_s);
	case -EPROTO:
		return xpt_err(err, "%s was made by a newer xputrace (format %" PRIu32 "): update "
			       "xputrace to read it", path, version);
	case -EPROTONOSUPPORT:
		return xpt_err(err, "%s uses something of a newer xputrace: update xputrace to read "
			       "it", path);
	case -EBADMSG:
		return xpt_err(err, "%s is damaged in its header: nothing can be read", path);
	case -ENODATA:
		return xpt_err(err, "%s ends within its header: nothing can be read", path);
	default:
		return xpt_err(err, "cannot read %s: %s", path, strerror(-err));
	}
}

/* Does the record say from where times count? Recordings of former versions do so at the end only. */
static bool tells_origin(const struct xpt_rec *rec, size_t size, uint64_t *ret_ns)
{
	static const char key[] = "origin";
	const struct xpt_rec_end *end = (const void *)rec;
	const char *text = (const char *)(rec + 1);

	if (rec->kind == XPT_REC_META)
		return size > sizeof(*rec) + sizeof(key) && !memcmp(text, key, sizeof(key));
	if (rec->kind == XPT_REC_END && size >= sizeof(*end))
		*ret_ns = end->start_ns;
	return false;
}

/* For outputs that print times at once: reads ahead for the origin, which a recording may have late. 0: not known. */
static uint64_t find_origin(const char *path)
{
	struct xpt_rec_reader *r = NULL;
	uint32_t version;
	uint64_t ns = 0;
	const void *rec;
	struct stat st;
	size_t size;

	/* Anything but a regular file can be read once only. */
	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode) || xpt_rec_reader__open(path, &version, &r))
		return 0;
	while (xpt_rec_reader__next(r, &rec, &size) > 0 && !tells_origin(rec, size, &ns))
		;
	xpt_rec_reader__close(r);
	return ns;
}

static int feed_outputs(struct source *s, struct xpt_outputs *out)
{
	const void *rec;
	size_t size;
	int more;

	while ((more = next_record(s, &rec, &size)) > 0)
		xpt_outputs__feed(out, rec, size);
	return more;
}

static int explain_failure(const struct source *s, int err)
{
	const char *path = s->name;
	uint64_t at = s->lines ? xpt_lines__offset(s->lines) : xpt_rec_reader__offset(s->rec);

	if (err == -ENODATA)
		return xpt_err(err, "%s ends in the middle of a %s at byte %" PRIu64 ": shown is what "
			       "comes before", path, s->lines ? "line" : "block", at);
	if (err == -EBADMSG)
		return xpt_err(err, "%s is damaged at byte %" PRIu64 ": shown is what comes before",
			       path, at);
	if (err == -EPROTONOSUPPORT)
		return xpt_err(err, "%s was made by a newer xputrace from byte %" PRIu64 " on: update "
			       "xputrace to read it; shown is what comes before", path, at);
	return xpt_err(err, "%s, byte %" PRIu64 ": %s; shown is what comes before", path, at,
		       strerror(-err));
}

int xpt_read__pipeline(const char *path, struct xpt_pipeline *p, int *ret_damage)
{
	struct source s;
	const void *rec;
	size_t size;
	int err = open_source(path, &s);

	if (err)
		return err;
	while ((err = next_record(&s, &rec, &size)) > 0)
		xpt_pipeline__feed(p, rec, size);
	if (err)
		explain_failure(&s, err);
	*ret_damage = err;
	close_source(&s);
	return 0;
}

int xpt_read__recording(const char *path, const struct xpt_outputs_cfg *cfg)
{
	struct source s;
	struct xpt_outputs *out = NULL;
	struct xpt_outputs_cfg with_input = *cfg;
	int err, out_err;

	signal(SIGPIPE, SIG_IGN);
	err = open_source(path, &s);
	if (err)
		return XPT_EXIT_FAILED;
	with_input.input[0] = path;
	with_input.input[1] = s.beside < 0 ? NULL : s.path;
	if (cfg->files || cfg->show)
		with_input.origin_ns = find_origin(s.path);
	err = xpt_outputs__open(&with_input, &out);
	if (err)
		goto out;
	err = feed_outputs(&s, out);
	out_err = xpt_outputs__close(out);
	if (err)
		explain_failure(&s, err);
	else if (out_err != -EPIPE)
		err = out_err;
out:
	close_source(&s);
	if (err == -EINVAL && !out)	/* wrong names of outputs */
		return XPT_EXIT_USAGE;
	return err ? XPT_EXIT_FAILED : XPT_EXIT_OK;
}

int xpt_read__records(const char *path, bool quiet, xpt_read_fn fn, void *ctx)
{
	struct source s;
	const void *rec;
	size_t size;
	int err = open_source(path, &s);

	if (err)
		return XPT_EXIT_FAILED;
	while ((err = next_record(&s, &rec, &size)) > 0)
		fn(ctx, rec, size);
	if (err && !quiet)
		explain_failure(&s, err);
	close_source(&s);
	return err ? XPT_EXIT_FAILED : XPT_EXIT_OK;
}
