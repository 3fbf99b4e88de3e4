// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Prints a page of metrics each second and puts it in the file's place; see metrics_page.h. */
#include "session/metrics_page.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/log.h"
#include "base/time.h"
#include "engine/engine.h"

#define PERIOD_NS 1000000000ull
#define REST 20		/* a page takes a twentieth of the time at most: many series are printed less often */

/* Prints a page into p->text. 0 or -errno. */
static int print_page(struct xpt_metrics_page *p)
{
	struct xpt_metrics_self self = { .version = XPT_VERSION, .start_wall_ns = p->start_wall_ns };
	struct utsname u = { .release = "" };
	struct rusage ru = { .ru_maxrss = 0 };

	uname(&u);
	getrusage(RUSAGE_SELF, &ru);
	self.kernel = u.release;
	self.cpu_ns = xpt_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	self.rss_bytes = (uint64_t)ru.ru_maxrss * 1024;
	xpt_strbuf__reset(&p->text);
	return xpt_metrics__print(p->m, &self, &p->text);
}

int xpt_metrics_page__open(struct xpt_metrics_page *p, const char *path)
{
	int err;

	if (!path)
		return 0;
	p->start_wall_ns = xpt_clock_ns(CLOCK_REALTIME);
	xpt_strbuf__init(&p->text, XPT_METRICS_BYTES);
	err = xpt_metrics__new(&p->m);
	if (!err)
		err = print_page(p);
	if (err)
		return xpt_err(err, "cannot keep metrics in %s: %s", path, strerror(-err));
	return xpt_page_file__open(&p->file, path, &p->text);
}

void xpt_metrics_page__finish(void *page)
{
	struct xpt_metrics_page *p = page;
	int err;

	if (!p->m)
		return;
	err = print_page(p);
	xpt_page_file__write(&p->file, &p->text, err);
}

void xpt_metrics_page__step(struct xpt_metrics_page *p, struct xpt_engine *e, uint64_t now_ns)
{
	uint64_t took;

	if (!p->m || now_ns < p->next_ns)
		return;
	xpt_engine__tell_counts(e);
	xpt_metrics_page__finish(p);
	took = xpt_now_ns() - now_ns;
	p->next_ns = now_ns + (took * REST > PERIOD_NS ? took * REST : PERIOD_NS);
}

void xpt_metrics_page__close(struct xpt_metrics_page *p, bool remove)
{
	if (remove && p->m)
		xpt_page_file__remove(&p->file);
	xpt_page_file__close(&p->file);
	xpt_metrics__free(p->m);
	xpt_strbuf__free(&p->text);
	*p = (struct xpt_metrics_page){ .m = NULL };
}
