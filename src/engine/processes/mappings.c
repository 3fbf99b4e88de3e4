// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See mappings.h. Reading takes a part of the time only: who maps files all the time does not
 * keep us from the rings. Looks at /proc, which take long where there are many processes, have pauses.
 */
#include "engine/processes/mappings.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hashmap.h"
#include "base/log.h"
#include "base/text_id.h"
#include "base/time.h"
#include "engine/calls/callers.h"
#include "engine/left_out.h"
#include "engine/priv.h"
#include "engine/source.h"
#include "engine/waiting/reading.h"
#include "proc/maps.h"
#include "proc/mmap_events.h"
#include "proc/select.h"
#include "wire/config.h"
#include "call.skel.h"

#define SCAN_NS 200000000ull	/* between looks at /proc when there is no watcher, */
#define SCAN_REST 9		/* and that many times the duration of the last look */
#define READ_NS 10000000ull	/* for mappings between two looks at the rings */
#define NAMING_NS 1000000ull	/* who reads mappings for longer to name one stack */
#define NAMING_REST 9		/* does not do it again for so many times as long */
#define MAX_UNREAD 16384u	/* files that are known not to be readable; others count each time they are mapped */
#define MAX_SCANNED 4096u	/* files of one process that a look at /proc remembers */
#define LATE_NS 100000000ull	/* a look that takes longer makes others' libraries late */
#define MAPPERS_NS 100000000ull	/* between two looks at whose records left no room */
#define UNREAD_NS 1500000000ull	/* until what could not be read in time is looked at again: after the first ban */
#define UNREAD_MAX_NS 64000000000ull	/* that delay doubles up to this */

/* --- mappings ------------------------------------------------------------------------------ */

static bool is_selected(const struct xpt_select *s, int pid)
{
	static struct xpt_procinfo info;	/* 8 KiB; one thread */

	if (xpt_select__why_not(s, pid))
		return false;
	return !xpt_select__by_comm(s) ||
	       (!xpt_proc__read(pid, &info) && xpt_select__comm_matches(s, info.comm));
}

/* XPT_TARGET_*, 0: it is none that is followed. */
static uint32_t target_of(const struct xpt_engine *e, int pid)
{
	uint32_t key = (uint32_t)pid, v;

	return bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_targets), &key, &v) ? 0 : v;
}

/*
 * Whether the calls of a process belong into the trace, though it may have ended. Where processes are
 * selected by their properties, that is not known any more of an ended process that made no traced
 * call.
 */
static bool was_target(const struct xpt_engine *e, int pid)
{
	uint32_t key = (uint32_t)pid, v = target_of(e, pid);

	if (v == XPT_TARGET_OWN)
		return false;
	if (e->cfg.all || v || xpt_hashmap__find(e->ended, &key))
		return true;
	return e->cfg.select && e->cfg.open && is_selected(e->cfg.select, pid);
}

static bool is_target(const struct xpt_engine *e, int pid)
{
	uint32_t v = target_of(e, pid);

	return v != XPT_TARGET_OWN && (v || xpt_engine__is_open(e));
}

static bool count_missed(struct xpt_engine *e, int pid, const struct xpt_mapping *m)
{
	bool is_missed = was_target(e, pid) && xpt_sources__miss(e, m);

	e->mappings->lost += is_missed;
	return is_missed;
}

void xpt_mappings__count_missed(struct xpt_engine *e, int pid, const struct xpt_mapping *m)
{
	count_missed(e, pid, m);
}

/* It has no program any more, whether it has been waited for or not. */
static bool has_ended(int pid)
{
	char path[32], exe[1];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, exe, sizeof(exe)) < 0;
}

/* False: it was counted before. */
static bool is_first_time(struct xpt_engine *e, const struct xpt_mapping *m)
{
	uint64_t key[2] = { m->dev, m->ino };
	bool *seen;

	if (!e->mappings->unread && xpt_hashmap__new(sizeof(key), sizeof(*seen), MAX_UNREAD, &e->mappings->unread))
		return true;
	seen = xpt_hashmap__get(e->mappings->unread, key, NULL);
	if (seen && *seen)
		return false;
	if (seen)
		*seen = true;
	return true;
}

void xpt_mappings__note_unread(struct xpt_engine *e, int pid, const struct xpt_mapping *m, int err)
{
	if (err == -ENOEXEC || err == -ECANCELED)
		return;
	if (err == -ENOENT || err == -ESRCH || err == -ESTALE) {	/* it was unmapped, or moved and its file removed, before we looked */
		if (count_missed(e, pid, m) && !has_ended(pid))	/* where it was moved to, /proc has it */
			e->mappings->scan_due = true;
		return;
	}
	e->mappings->is_unread |= xpt_left_out__may_pass(err);
	if (!is_first_time(e, m))
		return;
	e->lost[XPT_LOSS_LIB_FAILED]++;
	if ((err == -EMFILE || err == -ENFILE) && !e->stats.refused)
		e->stats.refused = err;
	if (xpt_left_out__may_wait(err))
		xpt_left_out__served(e, pid, m->path);
	xpt_debug("%s of process %d is not traced: %s", m->path, pid, strerror(-err));
}

/* True: the process will make calls. */
static bool look_at(struct xpt_engine *e, int pid, const struct xpt_mapping *m)
{
	return !xpt_reading__is_stopped(e) && xpt_sources__on_mapping(e, pid, m);
}

/*
 * A look at /proc takes long where a process has very many mappings: new mappings of others meanwhile do not wait for
 * it.
 */
static void keep_reading(struct xpt_engine *e)
{
	struct xpt_mappings *m = e->mappings;

	if (!m->watch || e->reading->inside || xpt_now_ns() < m->next_read_ns)
		return;
	xpt_watch__read(m->watch, xpt_now_ns() + READ_NS);
	xpt_reading__pause(e);
	m->next_read_ns = xpt_now_ns() + READ_NS;
}

/* False: the file was mapped under that name before, in the process that is looked at. */
static bool is_new_in_scan(struct xpt_engine *e, const struct xpt_mapping *m)
{
	const uint64_t key[3] = { m->dev, m->ino, xpt_text_id(m->path, strlen(m->path)) };
	struct xpt_hashmap *scanned = e->mappings->scanned;
	bool is_new = true;

	if (scanned && xpt_hashmap__len(scanned) == MAX_SCANNED)
		xpt_hashmap__clear(scanned);
	if (scanned)
		xpt_hashmap__get(scanned, key, &is_new);
	return is_new;
}

static int on_map(void *ctx, int pid, const struct xpt_mapping *m)
{
	if (is_new_in_scan(ctx, m))
		look_at(ctx, pid, m);
	keep_reading(ctx);
	return xpt_reading__is_stopped(ctx) ? -ECANCELED : 0;
}

/* The mappings of a process could not be read, or not all of them. */
static void note_unread_process(struct xpt_engine *e, int pid, int err)
{
	const struct xpt_mapping all = { .dev = UINT64_MAX, .ino = (uint64_t)pid };	/* no file's numbers */

	e->mappings->is_unread |= xpt_left_out__may_pass(err);
	if (!is_first_time(e, &all))
		return;
	e->lost[XPT_LOSS_LIB_FAILED]++;
	if (err == -EFBIG)
		xpt_left_out__costly(e, err, xpt_owner__of_mapper(pid), "mappings of a process");
	else if (xpt_left_out__may_wait(err))
		xpt_left_out__served(e, pid, "mappings of a process");
}

int xpt_mappings__scan(struct xpt_engine *e, int pid)
{
	int err;

	if (e->mappings->scanned)
		xpt_hashmap__clear(e->mappings->scanned);
	err = xpt_maps__each(pid, on_map, e);
	if (xpt_left_out__may_wait(err) || xpt_left_out__may_pass(err) || err == -EFBIG)
		note_unread_process(e, pid, err);
	return err == -ECANCELED || err == -EFBIG ? 0 : err;
}

static int scan_one(void *ctx, int pid)
{
	if (pid != getpid())
		xpt_mappings__scan(ctx, pid);
	keep_reading(ctx);	/* mappings that are no code of a file were many, maybe */
	return xpt_reading__is_stopped(ctx);
}

int xpt_mappings__scan_all(struct xpt_engine *e)
{
	int err = xpt_proc__each(scan_one, e);

	return err < 0 ? err : 0;
}

/* A mapping that was reported while a file is read. It waits: each such look changes tables that the other one uses. */
struct xpt_deferred {
	int pid;
	uint64_t heard_ns;
	struct xpt_mapping m;
	char path[];
};

/* is_late: mappings before this one have kept it waiting, so that calls were not seen if it has no probes yet. */
static void look_and_note(struct xpt_engine *e, int pid, const struct xpt_mapping *m, bool is_late)
{
	uint64_t began_ns = xpt_now_ns();

	if (is_late && was_target(e, pid) && xpt_sources__miss(e, m))
		e->lost[XPT_LOSS_HOLD_TIMEOUT]++;
	if (look_at(e, pid, m))
		xpt_callers__add(e->callers, pid);
	e->mappings->is_late |= xpt_now_ns() - began_ns > LATE_NS;
}

static void defer_mapping(struct xpt_engine *e, int pid, const struct xpt_mapping *m)
{
	struct xpt_mappings *ms = e->mappings;
	size_t len = strlen(m->path) + 1;
	struct xpt_deferred *d = ms->nr_deferred < XPT_DEFERRED ? malloc(sizeof(*d) + len) : NULL;

	if (!d) {
		ms->lost++;
		ms->scan_due = true;
		return;
	}
	d->pid = pid;
	d->heard_ns = xpt_now_ns();
	d->m = *m;
	memcpy(d->path, m->path, len);
	d->m.path = d->path;
	ms->deferred[ms->nr_deferred++] = d;
}

/* Looks at those that had to wait; once the trace has ended they are counted as missed. */
static void take_deferred(struct xpt_engine *e)
{
	struct xpt_mappings *ms = e->mappings;

	for (unsigned i = 0; i < ms->nr_deferred; i++) {	/* looks may add some */
		struct xpt_deferred *d = ms->deferred[i];

		if (ms->ended || xpt_reading__is_stopped(e))
			xpt_mappings__count_missed(e, d->pid, &d->m);
		else
			look_and_note(e, d->pid, &d->m, xpt_now_ns() - d->heard_ns > LATE_NS);
		free(d);
	}
	ms->nr_deferred = 0;
}

static void on_mapping(void *ctx, int pid, const struct xpt_mapping *m)
{
	struct xpt_engine *e = ctx;

	xpt_callers__on_mapping(e->callers, pid, m);
	/* Once the trace ends no file is read any more. */
	if (e->mappings->ended || xpt_reading__is_stopped(e))
		xpt_mappings__count_missed(e, pid, m);
	else if (!xpt_sources__want(e, m) || !is_target(e, pid))
		return;
	else if (e->reading->inside)
		defer_mapping(e, pid, m);
	else
		look_and_note(e, pid, m, e->mappings->is_late);
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
	struct xpt_process_owner owner;
	unsigned i;

	m->told += n;
	xpt_process_owner__find(&owner, pid);
	if (owner.uid == XPT_NO_UID)
		return false;
	for (i = 0; i < m->nr_mappers; i++)
		if (m->mapper[i].owner.uid == owner.uid && !strcmp(m->mapper[i].owner.container, owner.container))
			break;
	if (i == XPT_MAPPERS)
		return true;
	if (i == m->nr_mappers) {
		m->mapper[i].owner = owner;
		m->nr_mappers++;
	}
	m->mapper[i].n += n;
	return true;
}

/* The kernel does not report whose records it dropped, but the records before them left no room. */
static void on_lost(void *ctx, uint64_t n, const int *pid, unsigned nr_pids)
{
	struct xpt_engine *e = ctx;
	struct xpt_mappings *m = e->mappings;
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
	const struct xpt_mappings *m = e->mappings;
	const struct xpt_mapper *most = &m->mapper[0];
	unsigned i;

	for (i = 1; i < m->nr_mappers; i++)
		if (m->mapper[i].n > most->n)
			most = &m->mapper[i];
	stats->nr_mappings_lost = m->lost;
	stats->mapper = most->owner;
	/* A user with less than half of the mappings is not blamed. */
	stats->mapper_percent = m->told && most->n * 2 >= m->told ? (unsigned)(most->n * 100 / m->told) : 0;
}

/* --- when ------------------------------------------------------------------------------------ */

void xpt_mappings__start(struct xpt_engine *e, uint64_t data)
{
	static const struct xpt_watch_fns fns = { on_mapping, on_exec, on_lost };
	int err = xpt_watch__new(&fns, e, &e->mappings->watch);

	if (err)
		xpt_debug("no perf side band (%s): looking at /proc instead", strerror(-err));
	else
		xpt_watch__add_to_epoll(e->mappings->watch, e->epfd, data);	/* else each step is soon enough */
}

/* Every target. One that ends meanwhile leaves the map, and the kernel begins again after a key that is gone. */
static void scan_targets(struct xpt_engine *e)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_targets);
	uint32_t key, next, left = bpf_map__max_entries(e->skel->maps.xpt_targets);
	bool more;

	if (xpt_engine__is_open(e)) {
		xpt_mappings__scan_all(e);
		return;
	}
	more = !bpf_map_get_next_key(fd, NULL, &next);
	while (more && left-- && !xpt_reading__is_stopped(e)) {
		key = next;
		more = !bpf_map_get_next_key(fd, &key, &next);
		xpt_mappings__scan(e, (int)key);
		keep_reading(e);
	}
}

/* Something could not be read in time: asks for a look at /proc later. */
static void plan_second_look(struct xpt_mappings *m, uint64_t now)
{
	if (m->is_unread && !m->unread_at_ns) {
		m->unread_rest_ns = m->unread_rest_ns ? m->unread_rest_ns * 2 : UNREAD_NS;
		if (m->unread_rest_ns > UNREAD_MAX_NS)
			m->unread_rest_ns = UNREAD_MAX_NS;
		m->unread_at_ns = now + m->unread_rest_ns;
	}
	m->is_unread = false;
	if (m->unread_at_ns && now >= m->unread_at_ns) {
		m->unread_at_ns = 0;
		m->scan_due = true;
	}
}

void xpt_mappings__step(struct xpt_engine *e)
{
	struct xpt_mappings *m = e->mappings;
	uint64_t now = xpt_now_ns();

	if (m->watch)
		xpt_watch__read(m->watch, now + READ_NS);
	else
		m->scan_due = true;
	take_deferred(e);
	m->is_late = m->is_late && xpt_mappings__has_more(e);
	now = xpt_now_ns();
	plan_second_look(m, now);
	if (!m->scan_due || now < m->next_scan_ns)
		return;
	m->scan_due = false;
	scan_targets(e);
	if (!m->is_unread)
		m->unread_rest_ns = 0;
	m->next_scan_ns = xpt_now_ns() + SCAN_NS + SCAN_REST * (xpt_now_ns() - now);
}

/* Meanwhile no ring is emptied: who maps files all the time must not keep others' calls waiting. */
void xpt_mappings__read_to_name(struct xpt_engine *e)
{
	struct xpt_mappings *m = e->mappings;
	uint64_t began = xpt_now_ns(), took;

	if (!m->watch || began < m->next_naming_ns)
		return;
	xpt_watch__read(m->watch, began + READ_NS);
	took = xpt_now_ns() - began;
	if (took > NAMING_NS)
		m->next_naming_ns = began + (1 + NAMING_REST) * took;
}

void xpt_mappings__read(struct xpt_engine *e)
{
	if (e->mappings->watch)
		xpt_watch__read(e->mappings->watch, UINT64_MAX);
}

bool xpt_mappings__has_watch(const struct xpt_engine *e)
{
	return e->mappings->watch;
}

bool xpt_mappings__has_more(const struct xpt_engine *e)
{
	return e->mappings->nr_deferred || (e->mappings->watch && xpt_watch__has_more(e->mappings->watch));
}

void xpt_mappings__end(struct xpt_engine *e, uint64_t end_ns)
{
	e->mappings->ended = true;
	take_deferred(e);
	if (e->mappings->watch)
		xpt_watch__end(e->mappings->watch, end_ns);
}

int xpt_mappings__open(struct xpt_engine *e)
{
	e->mappings = calloc(1, sizeof(*e->mappings));
	return e->mappings ? xpt_hashmap__new(3 * sizeof(uint64_t), 1, MAX_SCANNED, &e->mappings->scanned) : -ENOMEM;
}

void xpt_mappings__close(struct xpt_engine *e)
{
	if (e->mappings) {
		xpt_watch__free(e->mappings->watch);
		xpt_hashmap__free(e->mappings->unread);
		xpt_hashmap__free(e->mappings->scanned);
		while (e->mappings->nr_deferred)
			free(e->mappings->deferred[--e->mappings->nr_deferred]);
	}
	free(e->mappings);
}
