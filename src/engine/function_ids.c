// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Gives out the ids of functions, with the two things that belong to an id: the entry in
 * the map that the BPF programs read, and the FN record, by which every reader of the
 * stream knows the id.
 */
#include "engine/function_ids.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/text_id.h"
#include "engine/priv.h"
#include "wire/config.h"
#include "call.skel.h"

/*
 * Each place in the tables of files has one, and each change of a place's id is for a function; the rest are for
 * modules.
 */
enum { MAX_LIB_IDS = 2 * XPT_MAX_FNS };

struct xpt_functions {
	struct xpt_hashmap *ids;	/* hash of a key -> id */
	uint32_t nr_reserved;		/* ids 1 to this were reserved; */
	void (*know)(struct xpt_engine *e, uint32_t id);	/* describes one of them, if it has not yet */
	uint32_t nr_libs;		/* ids of LIB records that were given out: 1 to this */
	bool has_functions[MAX_LIB_IDS];
	uint64_t rec[XPT_REC_MAX / 8];	/* the FN record that is being built */
};

int xpt_functions__open(struct xpt_engine *e)
{
	e->functions = calloc(1, sizeof(*e->functions));
	e->fns = calloc(XPT_MAX_FNS, sizeof(*e->fns));
	if (!e->fns || !e->functions)
		return -ENOMEM;
	e->nr_fns = 1;	/* 0 is the calibration's */
	return xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), XPT_MAX_FNS, &e->functions->ids);
}

void xpt_functions__close(struct xpt_engine *e)
{
	uint32_t i;

	for (i = 0; e->fns && i < e->nr_fns; i++)
		free(e->fns[i].sym);
	free(e->fns);
	if (e->functions)
		xpt_hashmap__free(e->functions->ids);
	free(e->functions);
}

static uint64_t hash_key(const char *key)
{
	return xpt_text_id(key, strlen(key));
}

uint32_t xpt_functions__find(const struct xpt_engine *e, const char *key)
{
	uint64_t hash = hash_key(key);
	const uint32_t *id = xpt_hashmap__find(e->functions->ids, &hash);

	return id ? *id : 0;
}

uint32_t xpt_functions__next(const struct xpt_engine *e)
{
	return e->nr_fns < XPT_MAX_FNS ? e->nr_fns : 0;
}

/* Appends a NUL-terminated text, cut where the record is full; the new end. */
static size_t append_text(struct xpt_engine *e, size_t at, const char *text)
{
	char *rec = (char *)e->functions->rec;
	size_t n = strlen(text), room = sizeof(e->functions->rec) - 8 - at;

	if (n + 1 > room)
		n = room ? room - 1 : 0;
	memcpy(rec + at, text, n);
	rec[at + n] = '\0';
	return at + n + 1;
}

void xpt_functions__describe(struct xpt_engine *e, uint32_t id, const struct xpt_new_function *f)
{
	struct xpt_rec_fn *r = memset(e->functions->rec, 0, sizeof(*r));
	size_t end, padded;
	unsigned i;

	r->rec.kind = XPT_REC_FN;
	r->rec.fn = id;
	r->lib = f->lib;
	r->layer = f->layer;
	r->spec = f->spec;
	end = append_text(e, sizeof(*r), f->sym);
	end = append_text(e, end, f->base);
	end = append_text(e, end, f->group);
	for (i = 0; i < f->spec.nr_caps; i++)
		end = append_text(e, end, f->cap_names[i]);
	padded = (end + 7) & ~(size_t)7;
	memset((char *)e->functions->rec + end, 0, padded - end);
	r->rec.size = (__u16)padded;
	e->fn(e->ctx, r, padded);
}

/* Stores the function's entry. Returns false if there is no memory, or no room in the kernel's map. */
static bool install_function(struct xpt_engine *e, uint32_t id, const struct xpt_new_function *f)
{
	struct xpt_efn fn = f->fn;

	fn.sym = strdup(f->name);
	if (!fn.sym)
		return false;
	if (!f->no_probe &&
	    bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_fns), &id, &f->live, BPF_ANY)) {
		free(fn.sym);
		return false;
	}
	fn.keep = !f->no_probe && f->live.flags & XPT_FN_KEEP;
	e->fns[id] = fn;
	e->nr_fns++;
	return true;
}

uint32_t xpt_functions__add(struct xpt_engine *e, const struct xpt_new_function *f)
{
	uint64_t hash = f->key ? hash_key(f->key) : 0;
	uint32_t *of_key = NULL, id = xpt_functions__next(e);

	if (!id)
		return 0;
	if (f->key) {
		of_key = xpt_hashmap__get(e->functions->ids, &hash, NULL);
		if (!of_key)
			return 0;
		*of_key = id;
	}
	if (!install_function(e, id, f)) {
		if (of_key)
			xpt_hashmap__del(e->functions->ids, &hash);
		return 0;
	}
	xpt_functions__describe(e, id, f);
	if (f->lib < MAX_LIB_IDS)
		e->functions->has_functions[f->lib] = true;
	return id;
}

uint32_t xpt_functions__lib_id(struct xpt_engine *e, uint32_t before)
{
	struct xpt_functions *f = e->functions;

	if (before && (before >= MAX_LIB_IDS || !f->has_functions[before]))
		return before;
	return f->nr_libs + 1 < MAX_LIB_IDS ? ++f->nr_libs : XPT_NO_LIB;
}

int xpt_functions__reserve(struct xpt_engine *e, uint32_t n, const struct xpt_wire_fn *live,
			   void (*know)(struct xpt_engine *e, uint32_t id))
{
	int fd = bpf_map__fd(e->skel->maps.xpt_fns);
	uint32_t id;

	for (id = 1; id <= n; id++)
		if (bpf_map_update_elem(fd, &id, live, BPF_ANY))
			return -errno;
	e->nr_fns = n + 1;
	e->functions->nr_reserved = n;
	e->functions->know = know;
	return 0;
}

void xpt_functions__know(struct xpt_engine *e, uint32_t id)
{
	if (id - 1 < e->functions->nr_reserved)	/* id 0 is not one of them */
		e->functions->know(e, id);
}
