// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Calls that somebody else has seen, among those of the engine: they get a
 * function of the same kind, and their process is made known like any other's.
 */
#include "engine/outside.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "wire/config.h"
#include "call.skel.h"
#include "engine/priv.h"

#define NO_LIB 0xffffffffu

int xpt_engine__add_fn(struct xpt_engine *e, const struct xpt_domain *d, const struct xpt_fn_row *row,
		       const char *name, uint32_t *ret_fn)
{
	struct xpt_rec_fn *r = memset(e->scratch, 0, sizeof(*r));
	uint32_t id = e->nr_fns;
	size_t end;
	unsigned i;

	if (id >= XPT_MAX_FNS)
		return -ENOSPC;
	e->fns[id].sym = strdup(name);
	if (!e->fns[id].sym)
		return -ENOMEM;
	e->fns[id].domain = d;
	e->fns[id].kernel = true;	/* no probe of ours: nothing that it costs is known */
	e->nr_fns++;
	r->rec.kind = XPT_REC_FN;
	r->rec.fn = id;
	r->lib = NO_LIB;
	r->layer = d->layer;
	xpt_domain__spec(d, row, &r->spec);
	end = xpt_facts__add_str(e, sizeof(*r), name);
	end = xpt_facts__add_str(e, end, name);
	end = xpt_facts__add_str(e, end, d->name);
	for (i = 0; i < r->spec.nr_caps; i++)
		end = xpt_facts__add_str(e, end, row->cap[i].name);
	xpt_facts__emit(e, end);
	*ret_fn = id;
	return 0;
}

void xpt_engine__tell_call(struct xpt_engine *e, const struct xpt_rec_call *call)
{
	bool is_new = false;

	xpt_hashmap__get(e->procs, &call->tgid, &is_new);
	if (is_new)
		xpt_facts__proc(e, (int)call->tgid, call->start_ns);
	e->fn(e->ctx, call, call->rec.size);
}

void xpt_engine__tell_meta(struct xpt_engine *e, const char *key, const char *value)
{
	if (sizeof(struct xpt_rec_meta) + strlen(key) + strlen(value) + 2 <= XPT_REC_MAX)
		xpt_facts__meta(e, key, value);
}

void xpt_engine__tell_count(struct xpt_engine *e, const struct xpt_wire_count_key *key,
			    const struct xpt_wire_count *count)
{
	struct xpt_rec_counter *r = memset(e->scratch, 0, sizeof(*r));

	r->rec.kind = XPT_REC_COUNTER;
	r->rec.fn = key->fn;
	r->key = *key;
	r->count = *count;
	xpt_facts__emit(e, sizeof(*r));
}

void xpt_engine__tell_errors(struct xpt_engine *e, const struct xpt_wire_error_key *key, uint64_t calls)
{
	struct xpt_rec_errcount *r = memset(e->scratch, 0, sizeof(*r));

	r->rec.kind = XPT_REC_ERRCOUNT;
	r->rec.fn = key->fn;
	r->key = *key;
	r->calls = calls;
	xpt_facts__emit(e, sizeof(*r));
}

bool xpt_engine__traces(const struct xpt_engine *e, int pid)
{
	uint32_t key = (uint32_t)pid, one;

	return e->cfg.all || xpt_hashmap__find(e->procs, &key) ||
	       !bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_targets), &key, &one);
}
