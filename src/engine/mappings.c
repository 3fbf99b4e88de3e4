// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See mappings.h. Reading takes a part of the time only: who maps files all the time does not
 * keep us from the rings. Looks at /proc, which take long where there are many processes, have pauses.
 */
#include "engine/mappings.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "engine/libraries/libs.h"
#include "proc/maps.h"
#include "engine/priv.h"
#include "proc/mmap_events.h"
#include "wire/config.h"
#include "call.skel.h"

#define SCAN_NS 200000000ull	/* between looks at /proc when there is no watcher, */
#define SCAN_REST 9		/* and that many times what the last one took */
#define READ_NS 10000000ull	/* for mappings between two looks at the rings */
#define MAPPERS_NS 100000000ull	/* between two looks at whose records left no room */

static void on_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct xpt_engine *e = ctx;

	if (!e->mappings.ended) {
		xpt_libs__on_mapping(e, pid, m);
		return;
	}
	xpt_callers__on_mapping(e->callers, pid, m);
	e->mappings.lost += xpt_libs__misses(e, pid, m);
}

static void on_exec(void *ctx, int pid, uint64_t ts_ns)
{
	struct xpt_engine *e = ctx;

	xpt_callers__on_exec(e->callers, pid, ts_ns);
}

/* --- losses -------------------------------------------------------------------------------- */

/* False: the process has ended, so nobody knows any more whose it was. */
static bool count_mapper(struct xpt_mappings *m, int pid, unsigned n)
{
	struct xpt_whose whose;
	unsigned i;

	m->told += n;
	xpt_whose__find(&whose, pid);
	if (whose.uid == XPT_NO_UID)
		return false;
	for (i = 0; i < m->nr_mappers; i++)
		if (m->mapper[i].whose.uid == whose.uid && !strcmp(m->mapper[i].whose.container, whose.container))
			break;
	if (i == XPT_MAPPERS)
		return true;
	if (i == m->nr_mappers) {
		m->mapper[i].whose = whose;
		m->nr_mappers++;
	}
	m->mapper[i].n += n;
	return true;
}

/* The kernel does not tell whose records it dropped, but those before them were what left no room. */
static void on_lost(void *ctx, uint64_t n, const int *pid, unsigned nr_pids)
{
	struct xpt_engine *e = ctx;
	struct xpt_mappings *m = &e->mappings;
	uint64_t now = xpt_now_ns();
	bool known = false;
	unsigned i, run;

	m->lost += n;
	m->scan_due = true;
	if (now < m->next_mappers_ns)
		return;
	for (i = 0; i < nr_pids; i += run) {
		for (run = 1; i + run < nr_pids && pid[i + run] == pid[i]; run++)
			;
		known |= count_mapper(m, pid[i], run);
	}
	if (known)	/* else the next loss may show somebody who still runs */
		m->next_mappers_ns = now + MAPPERS_NS;
}

void xpt_mappings__stats(const struct xpt_engine *e, struct xpt_engine_stats *stats)
{
	const struct xpt_mappings *m = &e->mappings;
	const struct xpt_mapper *most = &m->mapper[0];
	unsigned i;

	for (i = 1; i < m->nr_mappers; i++)
		if (m->mapper[i].n > most->n)
			most = &m->mapper[i];
	stats->nr_mappings_lost = m->lost;
	stats->mapper = most->whose;
	stats->mapper_percent = m->told ? (unsigned)(most->n * 100 / m->told) : 0;
}

/* --- when ------------------------------------------------------------------------------------ */

void xpt_mappings__start(struct xpt_engine *e, uint64_t data)
{
	static const struct xpt_watch_fns fns = { on_mapping, on_exec, on_lost };
	int err = xpt_watch__new(&fns, e, &e->mappings.watch);

	if (err)
		xpt_debug("no perf side band (%s): looking at /proc instead", strerror(-err));
	else
		xpt_watch__add_to_epoll(e->mappings.watch, e->epfd, data);	/* else each step is soon enough */
}

/* Every target. */
static void scan_targets(struct xpt_engine *e)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_targets);
	uint32_t key, *prev = NULL;

	if (xpt_engine__is_open(e)) {
		xpt_engine__add_all(e);
		return;
	}
	while (!bpf_map_get_next_key(fd, prev, &key)) {
		xpt_libs__scan_pid(e, (int)key);
		prev = &key;
	}
}

void xpt_mappings__step(struct xpt_engine *e)
{
	struct xpt_mappings *m = &e->mappings;
	uint64_t now = xpt_now_ns();

	if (m->watch)
		xpt_watch__read(m->watch, now + READ_NS);
	else
		m->scan_due = true;
	now = xpt_now_ns();
	if (!m->scan_due || now < m->next_scan_ns)
		return;
	m->scan_due = false;
	scan_targets(e);
	m->next_scan_ns = xpt_now_ns() + SCAN_NS + SCAN_REST * (xpt_now_ns() - now);
}

void xpt_mappings__read(struct xpt_engine *e)
{
	if (e->mappings.watch)
		xpt_watch__read(e->mappings.watch, UINT64_MAX);
}

bool xpt_mappings__has_more(const struct xpt_engine *e)
{
	return e->mappings.watch && xpt_watch__has_more(e->mappings.watch);
}

void xpt_mappings__end(struct xpt_engine *e, uint64_t end_ns)
{
	e->mappings.ended = true;
	if (e->mappings.watch)
		xpt_watch__end(e->mappings.watch, end_ns);
}

void xpt_mappings__close(struct xpt_engine *e)
{
	xpt_watch__free(e->mappings.watch);
}
