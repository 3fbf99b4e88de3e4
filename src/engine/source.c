// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The loops over all sources, and their states: those of the tree, then the one that the
 * engine's user brings.
 */
#include "engine/source.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/priv.h"

static size_t nr_sources(const struct xpt_engine *e)
{
	return xpt_nr_sources + (e->cfg.source != NULL);
}

static const struct xpt_source *source_at(const struct xpt_engine *e, size_t i)
{
	return i < xpt_nr_sources ? xpt_sources[i] : e->cfg.source;
}

void *xpt_source__state(const struct xpt_engine *e, const struct xpt_source *s)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i) == s)
			return e->source_state[i];
	return NULL;
}

int xpt_sources__init(struct xpt_engine *e)
{
	size_t i;

	if (xpt_nr_sources >= XPT_SOURCES_MAX)
		return -ENOMEM;
	for (i = 0; i < xpt_nr_sources; i++) {
		e->source_state[i] = calloc(1, xpt_sources[i]->state_size + 1);
		if (!e->source_state[i])
			return -ENOMEM;
		if (xpt_sources[i]->init)
			xpt_sources[i]->init(e);
	}
	e->source_state[xpt_nr_sources] = e->cfg.source_state;
	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->on_call)
			e->call_source[e->nr_call_sources++] = source_at(e, i);
	return 0;
}

const char *xpt_sources__why_not(const struct xpt_engine_cfg *cfg)
{
	const char *why = NULL;
	size_t i;

	for (i = 0; !why && i < xpt_nr_sources; i++)
		if (xpt_sources[i]->why_not)
			why = xpt_sources[i]->why_not(cfg);
	return why;
}

void xpt_sources__configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->configure)
			source_at(e, i)->configure(e, skel, kind);
}

int xpt_sources__open(struct xpt_engine *e)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < nr_sources(e); i++)
		if (source_at(e, i)->open)
			err = source_at(e, i)->open(e);
	return err;
}

int xpt_sources__start(struct xpt_engine *e)
{
	int err = 0;
	size_t i;

	for (i = 0; i < nr_sources(e); i++) {
		int failed = source_at(e, i)->start ? source_at(e, i)->start(e) : 0;

		err = err ? err : failed;
	}
	return err;
}

void xpt_sources__on_target(struct xpt_engine *e, int pid)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->on_target)
			source_at(e, i)->on_target(e, pid);
}

void xpt_sources__on_task(struct xpt_engine *e, const struct xpt_sent_task *t)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->on_task)
			source_at(e, i)->on_task(e, t);
}

void xpt_sources__preload(struct xpt_engine *e, const char *exe, const char *ld_library_path)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->preload)
			source_at(e, i)->preload(e, exe, ld_library_path);
}

void xpt_sources__on_file(struct xpt_engine *e, int pid, const char *path, const char *name)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->on_file)
			source_at(e, i)->on_file(e, pid, path, name);
}

bool xpt_sources__want(const struct xpt_engine *e, const struct xpt_mapping *m)
{
	bool want = false;
	size_t i;

	for (i = 0; !want && i < nr_sources(e); i++)
		want = source_at(e, i)->wants && source_at(e, i)->wants(e, m);
	return want;
}

bool xpt_sources__on_mapping(struct xpt_engine *e, int pid, const struct xpt_mapping *m)
{
	bool calls = false;
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->on_mapping)
			calls |= source_at(e, i)->on_mapping(e, pid, m);
	return calls;
}

bool xpt_sources__miss(const struct xpt_engine *e, const struct xpt_mapping *m)
{
	bool miss = false;
	size_t i;

	for (i = 0; !miss && i < nr_sources(e); i++)
		miss = source_at(e, i)->misses && source_at(e, i)->misses(e, m);
	return miss;
}

bool xpt_sources__keep(const struct xpt_engine *e, const struct xpt_inode *file)
{
	bool keep = false;
	size_t i;

	for (i = 0; !keep && i < nr_sources(e); i++)
		keep = source_at(e, i)->keeps && source_at(e, i)->keeps(e, file);
	return keep;
}

void xpt_sources__release(struct xpt_engine *e, const struct xpt_inode *file)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->release)
			source_at(e, i)->release(e, file);
}

void xpt_sources__step(struct xpt_engine *e)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->step)
			source_at(e, i)->step(e);
}

void xpt_sources__on_call(struct xpt_engine *e, const struct xpt_rec_call *call)
{
	uint32_t i;

	for (i = 0; i < e->nr_call_sources; i++)
		e->call_source[i]->on_call(e, call);
}

void xpt_sources__after_records(struct xpt_engine *e)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->after_records)
			source_at(e, i)->after_records(e);
}

void xpt_sources__emit_counts(struct xpt_engine *e)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->emit_counts)
			source_at(e, i)->emit_counts(e);
}

uint32_t xpt_sources__slow_links(const struct xpt_engine *e)
{
	uint32_t sum = 0, n;
	size_t i;

	for (i = 0; i < nr_sources(e); i++) {
		n = source_at(e, i)->slow_links && e->source_state[i] ? source_at(e, i)->slow_links(e) : 0;
		sum = n > UINT32_MAX - sum ? UINT32_MAX : sum + n;
	}
	return sum;
}

void xpt_sources__detach(struct xpt_engine *e)
{
	size_t i;

	for (i = nr_sources(e); i > 0; i--)
		if (source_at(e, i - 1)->detach && e->source_state[i - 1])
			source_at(e, i - 1)->detach(e);
}

void xpt_sources__stop(struct xpt_engine *e)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->stop)
			source_at(e, i)->stop(e);
}

void xpt_sources__finish(struct xpt_engine *e)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->finish)
			source_at(e, i)->finish(e);
}

void xpt_sources__losses(struct xpt_engine *e, uint64_t *lost)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->losses)
			source_at(e, i)->losses(e, lost);
}

void xpt_sources__stats(const struct xpt_engine *e, struct xpt_engine_stats *stats)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++)
		if (source_at(e, i)->stats)
			source_at(e, i)->stats(e, stats);
}

void xpt_sources__free(struct xpt_engine *e)
{
	size_t i;

	for (i = 0; i < nr_sources(e); i++) {
		if (source_at(e, i)->free && e->source_state[i])
			source_at(e, i)->free(e);
		if (i < xpt_nr_sources)	/* the other one is its user's */
			free(e->source_state[i]);
		e->source_state[i] = NULL;
	}
}
