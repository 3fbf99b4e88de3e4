// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rdma_page.h. What takes the file's place is not written to: a device or a pipe stays what it is. */
#include "session/rdma/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/files/chase.h"
#include "base/files/fsuser.h"
#include "base/log.h"
#include "base/files/replace.h"
#include "base/time.h"
#include "rdma/trace/record.h"

static int put(void *ctx, FILE *f)
{
	const struct xpt_strbuf *sb = ctx;

	return fwrite(sb->s, 1, sb->len, f) == sb->len ? 0 : errno ? -errno : -EIO;
}

static int write_page(struct xpt_rdma_page *p, const struct xpt_rdma_sums *sums)
{
	int err;

	xpt_strbuf__reset(&p->sb);
	err = xpt_rdma_metrics__print(p->m, sums, &p->sb);
	return err ? err : xpt_replace_file(p->path, put, &p->sb);
}

/* What lies there; -ENOENT: nothing. */
static int find_file(const struct xpt_rdma_page *p, struct stat *ret_st)
{
	return fstatat(p->place.dir, p->place.name, ret_st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
}

/* Where it will lie: that folder stays open. */
static int find_place(struct xpt_rdma_page *p, struct stat *ret_st)
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

int xpt_rdma_page__open(struct xpt_rdma_page *p, const char *path)
{
	struct utsname u = { .release = "" };
	struct stat st = { .st_ino = 0 };
	int err;

	*p = (struct xpt_rdma_page){ .path = path, .place.dir = -1 };
	if (!path)
		return 0;
	err = find_place(p, &st);
	if (err)
		return xpt_err(err, "cannot keep metrics in %s: %s", path,
			       err == -EINVAL ? "it is no plain file" : xpt_chase__error(err));
	uname(&u);
	xpt_strbuf__init(&p->sb, XPT_RDMA_METRICS_MAX);
	p->m = xpt_rdma_metrics__new(xpt_clock_ns(CLOCK_REALTIME), u.release);
	err = p->m ? write_page(p, NULL) : -ENOMEM;
	p->created &= !err && !find_file(p, &st);
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	return err ? xpt_err(err, "cannot keep metrics in %s: %s", path, xpt_chase__error(err)) : 0;
}

void xpt_rdma_page__failed(struct xpt_rdma_page *p, const struct xpt_rdma_trace *t,
			   enum xpt_rdma_class cls)
{
	if (p->m)
		xpt_rdma_metrics__failed(p->m, t, cls);
}

void xpt_rdma_page__event(struct xpt_rdma_page *p, const struct xpt_wire_rdma_rec *r)
{
	char device[XPT_RDMA_NAME + 1], name[24];

	if (!p->m)
		return;
	snprintf(device, sizeof(device), "%.*s", XPT_RDMA_NAME, r->device);
	xpt_rdma_metrics__event(p->m, xpt_rdma_event_text((uint32_t)r->ret, name, sizeof(name)), device);
}

void xpt_rdma_page__write(struct xpt_rdma_page *p, const struct xpt_rdma_sums *sums)
{
	int err;

	if (!p->m)
		return;
	err = write_page(p, sums);
	if (err && !p->err)
		xpt_warn("metrics cannot be kept in %s: %s", p->path, xpt_chase__error(err));
	p->err = err;
}

void xpt_rdma_page__remove(const struct xpt_rdma_page *p)
{
	struct stat st;
	bool entered;

	if (!p->m || !p->created)
		return;
	entered = xpt_fsuser__enter(NULL);
	if (!find_file(p, &st) && S_ISREG(st.st_mode) && st.st_dev == p->dev && st.st_ino == p->ino)
		unlinkat(p->place.dir, p->place.name, 0);
	xpt_fsuser__leave(entered);
}

void xpt_rdma_page__close(struct xpt_rdma_page *p)
{
	xpt_rdma_metrics__free(p->m);
	xpt_strbuf__free(&p->sb);
	if (p->path && p->place.dir >= 0)
		close(p->place.dir);
}
