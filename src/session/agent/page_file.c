// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See page_file.h. A device or a pipe that takes the file's place is not written to: it stays as it is. */
#include "session/agent/page_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/fsuser.h"
#include "base/files/replace.h"
#include "base/log.h"

static int put_page(void *ctx, FILE *f)
{
	const struct xpt_strbuf *sb = ctx;

	return fwrite(sb->s, 1, sb->len, f) == sb->len ? 0 : errno ? -errno : -EIO;
}

/* Finds the file there. Returns 0 or -errno; -ENOENT: there is none. */
static int find_file(const struct xpt_page_file *p, struct stat *ret_st)
{
	return fstatat(p->place.dir, p->place.name, ret_st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
}

/* Finds the folder of the file, which stays open. */
static int find_place(struct xpt_page_file *p, struct stat *ret_st)
{
	bool entered = xpt_fsuser__enter(NULL);
	int err = xpt_chase(p->path, &p->place);

	if (err)
		p->place.dir = -1;
	else if (p->place.magic)
		err = -EINVAL;
	else
		err = find_file(p, ret_st);
	xpt_fsuser__leave(entered);
	p->created = err == -ENOENT && p->place.dir >= 0;
	if (!err && !S_ISREG(ret_st->st_mode))
		err = -EINVAL;
	return p->created ? 0 : err;
}

int xpt_page_file__open(struct xpt_page_file *p, const char *path, const struct xpt_strbuf *page)
{
	struct stat st = { .st_ino = 0 };
	int err;

	*p = (struct xpt_page_file){ .path = path, .place.dir = -1 };
	if (!path)
		return 0;
	err = find_place(p, &st);
	if (err)
		return xpt_err(err, "cannot keep metrics in %s: %s", path,
			       err == -EINVAL ? "it is no plain file" : xpt_chase__error(err));
	err = xpt_replace_file(path, put_page, (void *)page);
	p->created &= !err && !find_file(p, &st);
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	return err ? xpt_err(err, "cannot keep metrics in %s: %s", path, xpt_chase__error(err)) : 0;
}

void xpt_page_file__write(struct xpt_page_file *p, const struct xpt_strbuf *page, int err)
{
	if (!p->path)
		return;
	err = err ? err : xpt_replace_file(p->path, put_page, (void *)page);
	if (err && !p->err)
		xpt_warn("metrics cannot be kept in %s: %s", p->path, xpt_chase__error(err));
	p->err = err;
}

void xpt_page_file__remove(const struct xpt_page_file *p)
{
	struct stat st;
	bool entered;

	if (!p->path || !p->created)
		return;
	entered = xpt_fsuser__enter(NULL);
	if (!find_file(p, &st) && S_ISREG(st.st_mode) && st.st_dev == p->dev && st.st_ino == p->ino)
		unlinkat(p->place.dir, p->place.name, 0);
	xpt_fsuser__leave(entered);
}

void xpt_page_file__close(struct xpt_page_file *p)
{
	if (p->path && p->place.dir >= 0)
		close(p->place.dir);
}
