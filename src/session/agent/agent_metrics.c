// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints a page of metrics each second, puts it in the file's place and hands it to the server; see agent_metrics.h.
 */
#include "session/agent/agent_metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "engine/engine.h"
#include "session/agent/recorder.h"
#include "session/agent/rest.h"

#define PERIOD_NS 1000000000ull
#define NO_HTTP "libmicrohttpd is missing (Debian: libmicrohttpd12), or this build of xputrace goes without it"

/* The memory that this process has now; 0: not known. The second number of the file is that in pages: proc(5). */
static uint64_t own_memory_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%*u %" SCNu64, &pages) != 1)
		pages = 0;
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Fills the counts of recordings by cause; their number, 0 where there is no flight recorder. */
static unsigned count_recordings(const struct xpt_recorder *r, struct xpt_metrics_recordings *ret)
{
	if (!r || !r->flight)
		return 0;
	for (unsigned i = 0; i < XPT_RECORDER__MAX; i++)
		ret[i] = (struct xpt_metrics_recordings){ xpt_recorder_cause(i), r->nr_written[i], r->nr_failed[i] };
	return XPT_RECORDER__MAX;
}

/* Prints a page into p->text. 0 or -errno. */
static int print_page(struct xpt_metrics_page *p)
{
	struct xpt_metrics_self self = { .version = XPT_VERSION, .start_wall_ns = p->start_wall_ns };
	struct utsname u = { .release = "", .nodename = "" };
	struct xpt_metrics_recordings recordings[XPT_RECORDER__MAX];

	uname(&u);
	self.kernel = u.release;
	self.host = u.nodename;
	self.now_ns = xpt_now_ns();
	self.cpu_ns = xpt_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	self.rss_bytes = own_memory_bytes();
	self.recordings = recordings;
	self.nr_recordings = count_recordings(p->recorder, recordings);
	xpt_strbuf__reset(&p->text);
	return xpt_metrics__print(p->m, &self, &p->text);
}

static int open_server(struct xpt_metrics_page *p, const char *listen)
{
	int err = xpt_server__open(listen, &p->server, p->where);

	switch (err) {
	case 0:
		return xpt_server__put(p->server, p->text.s, p->text.len, xpt_now_ns());
	case -EINVAL:
		return xpt_err(err, "cannot listen on '%s': an address is PORT, HOST:PORT or [HOST]:PORT, and HOST is a "
			       "number (127.0.0.1) or localhost", listen);
	case -EADDRINUSE:
		return xpt_err(err, "cannot listen on %s: another program has that port; --listen names another one",
			       listen);
	case -ENOTSUP:
		return xpt_err(err, "cannot listen on %s: %s", listen, NO_HTTP);
	default:
		return xpt_err(err, "cannot listen on %s: %s", listen, strerror(-err));
	}
}

int xpt_metrics_page__open(struct xpt_metrics_page *p, const char *path, const char *listen)
{
	int err;

	if (!path && !listen)
		return 0;
	p->start_wall_ns = xpt_clock_ns(CLOCK_REALTIME);
	xpt_strbuf__init(&p->text, XPT_METRICS_BYTES);
	err = xpt_metrics__new(&p->m);
	if (!err) {
		xpt_metrics__set_compat(p->m, p->compat);
		err = print_page(p);
	}
	if (err)
		return xpt_err(err, "cannot keep metrics: %s", strerror(-err));
	if (listen)
		err = open_server(p, listen);
	return err ? err : xpt_page_file__open(&p->file, path, &p->text);
}

int xpt_metrics_page__listen(struct xpt_metrics_page *p, const char *listen)
{
	struct xpt_metrics_page next = { .text = p->text };
	int err = listen ? open_server(&next, listen) : 0;

	if (err) {
		xpt_server__close(next.server);
		return err;
	}
	xpt_server__close(p->server);
	p->server = next.server;
	p->problem = NULL;
	memcpy(p->where, next.where, sizeof(p->where));
	return 0;
}

int xpt_metrics_page__write_to(struct xpt_metrics_page *p, const char *path)
{
	struct xpt_page_file next = { .path = NULL };
	int err = xpt_page_file__open(&next, path, &p->text);

	if (err) {
		xpt_page_file__close(&next);
		return err;
	}
	xpt_page_file__close(&p->file);
	p->file = next;
	return 0;
}

/* Reports once that clients get no answer, until they do again. */
static void report_server(struct xpt_metrics_page *p, int err)
{
	const char *problem = xpt_server__problem(p->server);

	if (!problem && err)
		problem = strerror(-err);
	if (problem && !p->problem)
		xpt_warn("metrics are not served on %s for the moment: the server process %s", p->where, problem);
	p->problem = problem;
}

/* Reports once that there is no new page, until there is one again. */
static void report_page(struct xpt_metrics_page *p, int err)
{
	if (err && !p->err)
		xpt_warn("no page of metrics can be made for the moment: %s", strerror(-err));
	p->err = err;
}

void xpt_metrics_page__finish(void *page)
{
	struct xpt_metrics_page *p = page;
	int err;

	if (!p->m)
		return;
	err = print_page(p);
	report_page(p, err);
	xpt_page_file__write(&p->file, &p->text, err);
	if (p->server && !err)
		report_server(p, xpt_server__put(p->server, p->text.s, p->text.len, xpt_now_ns()));
}

bool xpt_metrics_page__step(struct xpt_metrics_page *p, struct xpt_engine *e, uint64_t now_ns)
{
	uint64_t rest_ns;

	if (!p->m || now_ns < p->next_ns)
		return false;
	xpt_engine__emit_counts(e);
	xpt_metrics_page__finish(p);
	rest_ns = xpt_rest_ns(xpt_now_ns() - now_ns);
	/* Counted from the time that was planned, so that a late page does not delay all later ones. */
	p->next_ns += PERIOD_NS;
	if (rest_ns > PERIOD_NS || p->next_ns <= now_ns)
		p->next_ns = now_ns + (rest_ns > PERIOD_NS ? rest_ns : PERIOD_NS);
	return true;
}

void xpt_metrics_page__close(struct xpt_metrics_page *p, bool remove)
{
	if (remove && p->m)
		xpt_page_file__remove(&p->file);
	xpt_page_file__close(&p->file);
	xpt_server__close(p->server);
	xpt_metrics__free(p->m);
	xpt_strbuf__free(&p->text);
	*p = (struct xpt_metrics_page){ .m = NULL };
}
