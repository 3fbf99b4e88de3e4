// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See state_files.h. A file that cannot be read is reported with its name, once. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/chase.h"
#include "base/files/fsuser.h"
#include "base/log.h"
#include "session/rdma/rdma_recording.h"
#include "session/rdma/state_files.h"

enum { PATH_LEN = 4096, BUSY_TIMES = 12 };

const char *xpt_rdma_default_path(const char *name, bool make, char *buf, size_t n)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	bool entered;

	if (state && state[0] == '/')
		snprintf(buf, n, "%s/xputrace/%s", state, name);
	else if (!geteuid())
		snprintf(buf, n, XPT_STATE_DIR "/%s", name);
	else if (home && home[0] == '/')
		snprintf(buf, n, "%s/.local/state/xputrace/%s", home, name);
	else
		return NULL;
	if (make) {
		entered = xpt_fsuser__enter(buf);
		xpt_chase__make_folders(buf);	/* the function that opens the file reports why it cannot */
		xpt_fsuser__leave(entered);
	}
	return buf;
}

static const char *store_error(int err)
{
	switch (err) {
	case -EBADMSG:
		return "damaged, or not what 'rdma baseline' writes";
	case -ENOMSG:
		return "no store: 'rdma baseline import' makes one of recorded calls";
	case -EOPNOTSUPP:
		return "a database of a former version, which this one does not read; nothing in it was changed: "
		       "'rdma watch' learns good calls again into another file";
	case -EBUSY:
		return "another program is writing it";
	case -XPT_EUNSAFE:
		return "it is another user's, or others can exchange it or a folder on the way: use one of your own";
	default:
		return strerror(-err);
	}
}

const char *xpt_rdma_rules_error(int err)
{
	switch (err) {
	case -E2BIG:
		return "too long";
	case -EINVAL:
		return "no plain file";
	case -EBUSY:
		return "another program is writing it";
	default:
		return xpt_chase__error(err);
	}
}

bool xpt_rdma_is_folder(FILE *f)
{
	struct stat st;

	return !fstat(fileno(f), &st) && S_ISDIR(st.st_mode);
}

static int open_rules(struct xpt_rdma_files *f, const char *path)
{
	char buf[PATH_LEN];
	int err;

	f->rules = xpt_rdma_rules__new();
	if (!f->rules)
		return xpt_err(-ENOMEM, "out of memory");
	if (path && access(path, F_OK) && errno == ENOENT)
		xpt_debug("%s is not there yet", path);
	path = path ? path : xpt_rdma_default_path("rdma-expected", false, buf, sizeof(buf));
	err = path ? xpt_rdma_rules__read(f->rules, path) : 0;
	if (err)
		return xpt_err(err, "%s: %s", path, xpt_rdma_rules_error(err));
	if (f->rules->bad_lines)
		xpt_warn("%s: %u lines are not METHOD FUNCTION ERROR REASON", path, f->rules->bad_lines);
	return 0;
}

/* Former versions had the store in rdma.db, a database if they were linked with SQLite. */
static const char *find_store(bool make, char *buf, size_t n)
{
	const char *path = xpt_rdma_default_path("rdma.jsonl", make, buf, n);
	char old[PATH_LEN];

	if (path && access(path, F_OK) && xpt_rdma_default_path("rdma.db", false, old, sizeof(old)) &&
	    !access(old, F_OK))
		xpt_info("%s, the store of a former version, is left as it is and not read: "
			 "'rdma watch' learns good calls again into %s", old, path);
	return path;
}

int xpt_rdma_files__open(struct xpt_rdma_files *f, const char *rules_path, const char *store_path,
			 bool no_store, bool must)
{
	const char *path = store_path;
	char buf[PATH_LEN];
	int err;

	*f = (struct xpt_rdma_files){ 0 };
	err = open_rules(f, rules_path);
	if (err)
		return err;
	if (path && must && access(path, F_OK))
		return xpt_err(-errno, "%s: %s", path, strerror(errno));
	if (!path && !no_store)
		path = find_store(!must, buf, sizeof(buf));
	err = xpt_rdma_store__open(no_store ? NULL : path, f->rules, &f->store);
	if (err)
		return xpt_err(err, "%s: %s", path, store_error(err));
	if (xpt_rdma_store__mended(f->store))
		xpt_warn("%s could be read by other users, who can lock what they can read: it is its owner's alone now",
			 path);
	return 0;
}

void xpt_rdma_files__save(struct xpt_rdma_files *f)
{
	int err = xpt_rdma_store__try_flush(f->store);

	f->busy = err == -EBUSY ? f->busy + 1 : 0;
	if (f->busy == BUSY_TIMES)
		xpt_warn("good calls cannot be kept yet: another program has the store locked");
	else if (err && err != -EBUSY && !f->err)
		xpt_warn("good calls cannot be kept: %s", store_error(err));
	f->err = err;
}

static int save_at_last(struct xpt_rdma_store *store)
{
	int err = xpt_rdma_store__flush(store);

	return err ? xpt_err(err, "the store cannot be written, and good calls of %u kinds are not in it: %s",
			     xpt_rdma_store__unsaved(store), store_error(err)) : 0;
}

int xpt_rdma_files__close(struct xpt_rdma_files *f)
{
	int err = f->store ? save_at_last(f->store) : 0;

	xpt_rdma_store__free(f->store);
	free(f->rules);
	*f = (struct xpt_rdma_files){ 0 };
	return err;
}

struct reading {
	const struct xpt_rdma_sink *sink;
	struct xpt_rdma_lines *lines;
};

static int take_line(void *ctx, const char *line, size_t n)
{
	struct reading *r = ctx;

	return xpt_rdma_traces__line(r->sink, line, n, r->lines);
}

static int read_recording(const char *path, const struct xpt_rdma_sink *sink,
			  struct xpt_rdma_lines *ret_lines)
{
	struct reading r = { sink, ret_lines };
	int err;

	*ret_lines = (struct xpt_rdma_lines){ 0 };
	err = xpt_rdma_recording__read(path, take_line, &r);
	if (!err && !ret_lines->traces)
		xpt_info("%s has no calls of RDMA: they are recorded with -d rdma or --layers api,rdma", path);
	return err;
}

int xpt_rdma_files__read(const char *path, const struct xpt_rdma_sink *sink,
			 struct xpt_rdma_lines *ret_lines)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *f;
	int err;

	if (xpt_rdma_recording__is(path))
		return read_recording(path, sink, ret_lines);
	f = is_stdin ? stdin : fopen(path, "re");
	if (!f || xpt_rdma_is_folder(f)) {
		err = f ? -EISDIR : -errno;
		if (f && !is_stdin)
			fclose(f);
		return xpt_err(err, "%s: %s", path, strerror(-err));
	}
	err = xpt_rdma_traces__read(f, sink, ret_lines);
	if (!is_stdin)
		fclose(f);
	if (ret_lines->bad)
		xpt_warn("%s: %" PRIu64 " lines are not whole and were left out", path, ret_lines->bad);
	return err ? xpt_err(err, "%s: %s", path, strerror(-err)) : 0;
}
