// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rdma_page.h. What takes the file's place is not written to: a device or a pipe stays what it is. */
#include "cli/rdma_page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/replace.h"
#include "base/time.h"
#include "rdma/record.h"

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

int xpt_rdma_page__open(struct xpt_rdma_page *p, const char *path)
{
	struct utsname u = { .release = "" };
	struct stat st;
	int err;

	*p = (struct xpt_rdma_page){ .path = path };
	if (!path)
		return 0;
	p->created = stat(path, &st) != 0;
	if (!p->created && !S_ISREG(st.st_mode))
		return xpt_err(-EINVAL, "cannot keep metrics in %s: it is no plain file", path);
	uname(&u);
	xpt_strbuf__init(&p->sb, XPT_RDMA_METRICS_MAX);
	p->m = xpt_rdma_metrics__new(xpt_clock_ns(CLOCK_REALTIME), u.release);
	err = p->m ? write_page(p, NULL) : -ENOMEM;
	return err ? xpt_err(err, "cannot keep metrics in %s: %s", path, strerror(-err)) : 0;
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
		xpt_warn("metrics cannot be kept in %s: %s", p->path, strerror(-err));
	p->err = err;
}

void xpt_rdma_page__remove(const struct xpt_rdma_page *p)
{
	if (p->m && p->created)
		unlink(p->path);
}

void xpt_rdma_page__close(struct xpt_rdma_page *p)
{
	xpt_rdma_metrics__free(p->m);
	xpt_strbuf__free(&p->sb);
}
