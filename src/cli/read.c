// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Feeds a recording to outputs. A file that ends early or is damaged yields
 * what it holds up to there; the exit status says that it was not all.
 */
#include "cli/read.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/opt.h"
#include "pipeline/recording.h"

static int open_recording(const char *path, struct xpt_rec_reader **ret_r)
{
	uint32_t version = 0;
	int err = xpt_rec_reader__open(path, &version, ret_r);

	switch (err) {
	case 0:
		return 0;
	case -EINVAL:
		return xpt_err(err, "%s is not a recording (made with -o FILE.xtr)", path);
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

static int feed(struct xpt_rec_reader *r, struct xpt_outputs *out)
{
	const void *rec;
	size_t size;
	int more;

	while ((more = xpt_rec_reader__next(r, &rec, &size)) > 0)
		xpt_outputs__feed(out, rec, size);
	return more;
}

static int explain(const char *path, const struct xpt_rec_reader *r, int err)
{
	uint64_t at = xpt_rec_reader__offset(r);

	if (err == -ENODATA)
		return xpt_err(err, "%s ends in the middle of a block at byte %" PRIu64
			       ": shown is what comes before", path, at);
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
	struct xpt_rec_reader *r = NULL;
	const void *rec;
	size_t size;
	int err = open_recording(path, &r);

	if (err)
		return err;
	while ((err = xpt_rec_reader__next(r, &rec, &size)) > 0)
		xpt_pipeline__feed(p, rec, size);
	if (err)
		explain(path, r, err);
	*ret_damage = err;
	xpt_rec_reader__close(r);
	return 0;
}

int xpt_read__recording(const char *path, const struct xpt_outputs_cfg *cfg)
{
	struct xpt_rec_reader *r = NULL;
	struct xpt_outputs *out = NULL;
	struct xpt_outputs_cfg with_input = *cfg;
	int err, out_err;

	signal(SIGPIPE, SIG_IGN);
	err = open_recording(path, &r);
	if (err)
		return XPT_EXIT_FAILED;
	with_input.input = path;
	err = xpt_outputs__open(&with_input, &out);
	if (err)
		goto out;
	err = feed(r, out);
	out_err = xpt_outputs__close(out);
	if (err)
		explain(path, r, err);
	else if (out_err != -EPIPE)
		err = out_err;
out:
	xpt_rec_reader__close(r);
	if (err == -EINVAL && !out)	/* wrong names of outputs */
		return XPT_EXIT_USAGE;
	return err ? XPT_EXIT_FAILED : XPT_EXIT_OK;
}

int xpt_read__records(const char *path, bool quiet, xpt_read_fn fn, void *ctx)
{
	struct xpt_rec_reader *r = NULL;
	const void *rec;
	size_t size;
	int err = open_recording(path, &r);

	if (err)
		return XPT_EXIT_FAILED;
	while ((err = xpt_rec_reader__next(r, &rec, &size)) > 0)
		fn(ctx, rec, size);
	if (err && !quiet)
		explain(path, r, err);
	xpt_rec_reader__close(r);
	return err ? XPT_EXIT_FAILED : XPT_EXIT_OK;
}
