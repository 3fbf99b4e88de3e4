// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints the metrics of a watch and puts them in the file's place; see metrics_file.h. */
#include "session/rdma/output/metrics_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/log.h"
#include "base/time.h"
#include "rdma/trace/evidence/near_events.h"

int xpt_rdma_page__open(struct xpt_rdma_page *p, const char *path)
{
	struct utsname u = { .release = "" };
	int err;

	*p = (struct xpt_rdma_page){ .file.place.dir = -1 };
	if (!path)
		return 0;
	uname(&u);
	xpt_strbuf__init(&p->sb, XPT_RDMA_METRICS_MAX);
	p->m = xpt_rdma_metrics__new(xpt_clock_ns(CLOCK_REALTIME), u.release);
	err = p->m ? xpt_rdma_metrics__print(p->m, NULL, &p->sb) : -ENOMEM;
	if (err)
		return xpt_err(err, "cannot keep metrics in %s: %s", path, strerror(-err));
	return xpt_page_file__open(&p->file, path, &p->sb);
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
	xpt_strbuf__reset(&p->sb);
	err = xpt_rdma_metrics__print(p->m, sums, &p->sb);
	xpt_page_file__write(&p->file, &p->sb, err);
}

void xpt_rdma_page__remove(const struct xpt_rdma_page *p)
{
	xpt_page_file__remove(&p->file);
}

void xpt_rdma_page__close(struct xpt_rdma_page *p)
{
	xpt_rdma_metrics__free(p->m);
	xpt_strbuf__free(&p->sb);
	xpt_page_file__close(&p->file);
}
