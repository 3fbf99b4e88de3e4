// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Adds calls that a source has traced without the engine's probes: they get a
 * function of the same kind, and their process is made known like any other's.
 */
#include "engine/calls/inject.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "engine/function_ids.h"
#include "engine/priv.h"
#include "wire/config.h"
#include "call.skel.h"

int xpt_engine__add_fn(struct xpt_engine *e, const struct xpt_domain *d, const struct xpt_fn_row *row,
		       const char *name, uint32_t *ret_fn)
{
	struct xpt_new_function f = {
		.name = name, .sym = name, .base = name, .group = d->name, .lib = XPT_NO_LIB,
		.layer = d->layer, .no_probe = true,
		.fn = { .domain = d, .kernel = true },	/* nothing that it costs is known */
	};
	const char *names[XPT_MAX_VALS];
	unsigned i;

	xpt_domain__spec(d, row, &f.spec);
	for (i = 0; i < f.spec.nr_caps; i++)
		names[i] = row->cap[i].name;
	f.cap_names = names;
	*ret_fn = xpt_functions__add(e, &f);
	return *ret_fn ? 0 : -ENOSPC;
}

void xpt_engine__emit_call(struct xpt_engine *e, const struct xpt_rec_call *call)
{
	if (!xpt_hashmap__find(e->procs, &call->tgid))
		xpt_engine__know(e, call->tgid, call->start_ns);
	e->fn(e->ctx, call, call->rec.size);
}

void xpt_engine__emit_meta(struct xpt_engine *e, const char *key, const char *value)
{
	if (sizeof(struct xpt_rec_meta) + strlen(key) + strlen(value) + 2 <= XPT_REC_MAX)
		xpt_facts__meta(e, key, value);
}

void xpt_engine__emit_count(struct xpt_engine *e, const struct xpt_wire_count_key *key,
			    const struct xpt_wire_count *count, bool so_far)
{
	struct xpt_rec_counter *r = memset(e->scratch, 0, sizeof(*r));

	r->rec.kind = so_far ? XPT_REC_COUNTER_NOW : XPT_REC_COUNTER;
	r->rec.fn = key->fn;
	r->key = *key;
	r->count = *count;
	xpt_facts__emit(e, sizeof(*r));
}

void xpt_engine__emit_errors(struct xpt_engine *e, const struct xpt_wire_error_key *key, uint64_t calls, bool so_far)
{
	struct xpt_rec_errcount *r = memset(e->scratch, 0, sizeof(*r));

	r->rec.kind = so_far ? XPT_REC_ERRCOUNT_NOW : XPT_REC_ERRCOUNT;
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
