// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See build.h. First every module's functions, so that calls between modules
 * find them, then the pointers in data, then all code, then the methods.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdma/graph/build.h"

enum { MAX_ITEMS = 8 << 20, MAX_TEXT = 64 << 20, MAX_FNS = 1 << 18, FIRST_CAP = 256 };

int xpt_rdma__grow(void **p, uint32_t nr, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : FIRST_CAP;
	void *q;

	if (nr < *cap)
		return 0;
	if (more > MAX_ITEMS)
		return -E2BIG;
	q = realloc(*p, more * size);
	if (!q)
		return -ENOMEM;
	*p = q;
	*cap = more;
	return 0;
}

#define GROW(b, array, nr, cap) \
	xpt_rdma__grow((void **)&(array), (nr), &(b)->cap, sizeof(*(array)))

int64_t xpt_rdma__text(struct xpt_rdma_build *b, const char *s)
{
	struct xpt_rdma_graph *g = b->g;
	size_t n = strlen(s) + 1;
	uint64_t key = xpt_hash(s, n);
	uint32_t *at, cap = b->cap_text;
	bool fresh;
	char *p;

	at = xpt_hashmap__get(b->strings, &key, &fresh);
	if (!at)
		return -ENOMEM;
	if (!fresh && !strcmp(g->text + *at, s))
		return *at;
	if (g->nr_text + n > MAX_TEXT)
		return -E2BIG;
	while (g->nr_text + n > cap)
		cap = cap ? cap * 2 : 1 << 16;
	if (cap != b->cap_text) {
		p = realloc(g->text, cap);
		if (!p)
			return -ENOMEM;
		g->text = p;
		b->cap_text = cap;
	}
	memcpy(g->text + g->nr_text, s, n);
	*at = g->nr_text;
	g->nr_text += (uint32_t)n;
	return *at;
}

/* Fields that come from the prototype. */
static void describe_fn(struct xpt_rdma_build *b, uint32_t fn, const struct xpt_types *types,
			const char *name)
{
	struct xpt_rdma_fn *f = &b->g->fns[fn];
	struct xpt_proto p;

	f->nr_args = XPT_ARGS_UNKNOWN;
	b->sigs[fn] = 0;
	if (!xpt_types__func(types, name, &p))
		return;
	f->flags |= XPT_RDMA_FN_BTF | (p.varargs ? XPT_RDMA_FN_VARARGS : 0);
	f->ret = p.ret;
	f->nr_args = p.nr_args;
	b->sigs[fn] = p.sig;
}

static int64_t add_fn(struct xpt_rdma_build *b, const char *name, uint16_t module,
		      const struct xpt_types *types)
{
	struct xpt_rdma_graph *g = b->g;
	int64_t at = xpt_rdma__text(b, name);
	int err;

	if (at < 0)
		return at;
	if (g->nr_fns >= MAX_FNS)
		return -E2BIG;
	err = GROW(b, g->fns, g->nr_fns, cap_fns);
	if (!err)
		err = GROW(b, b->sigs, g->nr_fns, cap_sigs);
	if (err)
		return err;
	g->fns[g->nr_fns] = (struct xpt_rdma_fn){ .name = (uint32_t)at, .module = module };
	describe_fn(b, g->nr_fns, types, name);
	return g->nr_fns++;
}

/* "NAME" or "NAME [MODULE]" in a list of the kernel. */
static const uint32_t *find_listed(const struct xpt_hashmap *map, const char *name, const char *module)
{
	char text[512];
	uint64_t key;

	snprintf(text, sizeof(text), module ? "%s [%s]" : "%s", name, module);
	key = xpt_hash(text, strlen(text));
	return map ? xpt_hashmap__find(map, &key) : NULL;
}

int64_t xpt_rdma__external(struct xpt_rdma_build *b, const char *name)
{
	uint64_t key = xpt_hash(name, strlen(name));
	uint32_t *known = xpt_hashmap__find(b->globals, &key);
	int64_t fn;

	if (known)
		return *known;
	fn = add_fn(b, name, XPT_RDMA_KERNEL, b->src->kernel);
	if (fn < 0)
		return fn;
	if (b->src->traceable ? !!find_listed(b->src->traceable, name, NULL) :
	    !!(b->g->fns[fn].flags & XPT_RDMA_FN_BTF))
		b->g->fns[fn].flags |= XPT_RDMA_FN_TRACEABLE;
	known = xpt_hashmap__get(b->globals, &key, NULL);
	if (!known)
		return -ENOMEM;
	*known = (uint32_t)fn;
	return fn;
}

static int by_place(const void *x, const void *y)
{
	const struct xpt_rdma_range *a = x, *b = y;

	if (a->sec != b->sec)
		return a->sec < b->sec ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->fn < b->fn ? -1 : a->fn > b->fn;
}

uint32_t xpt_rdma__fn_at(const struct xpt_rdma_bmod *m, uint32_t sec, uint64_t offset,
			 const struct xpt_rdma_range **ret_range)
{
	uint32_t lo = 0, hi = m->nr_ranges;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct xpt_rdma_range *r = &m->ranges[mid];

		if (r->sec < sec || (r->sec == sec && r->start <= offset))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || m->ranges[lo - 1].sec != sec ||
	    offset - m->ranges[lo - 1].start >= m->ranges[lo - 1].size)
		return XPT_RDMA_NONE;
	if (ret_range)
		*ret_range = &m->ranges[lo - 1];
	return m->ranges[lo - 1].fn;
}

static bool is_code(const struct xpt_mod_sec *s)
{
	return s->data && (s->flags & SHF_EXECINSTR) && !strncmp(s->name, ".text", 5);
}

/* Paddings and type hashes before a function are symbols of their own. */
static bool is_function(const struct xpt_mod_sym *sym, const struct xpt_mod_sec *secs)
{
	const struct xpt_mod_sec *s = &secs[sym->sec];

	return sym->type == STT_FUNC && sym->sec && is_code(s) && sym->size && *sym->name &&
	       sym->value < s->size && sym->size <= s->size - sym->value &&
	       strncmp(sym->name, "__pfx_", 6) && strncmp(sym->name, "__cfi_", 6);
}

static int add_range(struct xpt_rdma_bmod *m, const struct xpt_mod_sym *sym, uint32_t fn, bool cold)
{
	int err = xpt_rdma__grow((void **)&m->ranges, m->nr_ranges, &m->cap_ranges,
				 sizeof(*m->ranges));

	if (!err)
		m->ranges[m->nr_ranges++] = (struct xpt_rdma_range){
			.sec = sym->sec, .fn = fn, .start = sym->value, .size = sym->size, .cold = cold };
	return err;
}

static int add_global(struct xpt_rdma_build *b, const char *name, uint32_t fn)
{
	uint64_t key = xpt_hash(name, strlen(name));
	bool fresh;
	uint32_t *to = xpt_hashmap__get(b->globals, &key, &fresh);

	if (to && fresh)
		*to = fn;
	return to ? 0 : -ENOMEM;
}

static int add_functions(struct xpt_rdma_build *b, struct xpt_rdma_bmod *m)
{
	uint32_t nr_syms, nr_secs, i;
	const struct xpt_mod_sym *syms = xpt_module__syms(m->src->mod, &nr_syms);
	const struct xpt_mod_sec *secs = xpt_module__secs(m->src->mod, &nr_secs);
	int err = 0;

	for (i = 0; i < nr_syms && !err; i++) {
		const struct xpt_mod_sym *s = &syms[i];
		int64_t fn;

		if (!is_function(s, secs) || strstr(s->name, ".cold"))
			continue;
		fn = add_fn(b, s->name, (uint16_t)(m - b->mods), m->types);
		if (fn < 0)
			return (int)fn;
		err = add_range(m, s, (uint32_t)fn, false);
		if (!err && s->bind != STB_LOCAL)
			err = add_global(b, s->name, (uint32_t)fn);
	}
	return err;
}

/* NAME.cold belongs to NAME of the same module; one without it is left out. */
static int add_cold(struct xpt_rdma_build *b, struct xpt_rdma_bmod *m, uint32_t first)
{
	uint32_t nr_syms, nr_secs, i, fn;
	const struct xpt_mod_sym *syms = xpt_module__syms(m->src->mod, &nr_syms);
	const struct xpt_mod_sec *secs = xpt_module__secs(m->src->mod, &nr_secs);
	struct xpt_hashmap *names = NULL;
	int err = xpt_hashmap__new(8, 4, MAX_FNS, &names);

	for (fn = first; fn < b->g->nr_fns && !err; fn++) {
		const char *name = xpt_rdma_fn_name(b->g, fn);
		uint64_t key = xpt_hash(name, strlen(name));
		uint32_t *to = xpt_hashmap__get(names, &key, NULL);

		if (to)
			*to = fn;
		else
			err = -ENOMEM;
	}
	for (i = 0; i < nr_syms && !err; i++) {
		const char *dot = strstr(syms[i].name, ".cold");
		const uint32_t *owner;
		uint64_t key;

		if (!dot || !is_function(&syms[i], secs))
			continue;
		key = xpt_hash(syms[i].name, (size_t)(dot - syms[i].name));
		owner = xpt_hashmap__find(names, &key);
		if (owner)
			err = add_range(m, &syms[i], *owner, true);
	}
	xpt_hashmap__free(names);
	return err;
}

/* Aliases: of several names of one place the first one stays. A function ends where the next
 * begins, so that no byte of a damaged file is looked at more than once. */
static void sort_ranges(struct xpt_rdma_bmod *m)
{
	uint32_t i, n = 0;

	if (!m->nr_ranges)
		return;
	qsort(m->ranges, m->nr_ranges, sizeof(*m->ranges), by_place);
	for (i = 0; i < m->nr_ranges; i++)
		if (!n || m->ranges[n - 1].sec != m->ranges[i].sec ||
		    m->ranges[n - 1].start != m->ranges[i].start)
			m->ranges[n++] = m->ranges[i];
	m->nr_ranges = n;
	for (i = 0; i + 1 < n; i++) {
		struct xpt_rdma_range *r = &m->ranges[i];

		if (r[1].sec == r->sec && r->size > r[1].start - r->start)
			r->size = r[1].start - r->start;
	}
}

/* ftrace's slots as the module lists them, unless the running kernel says otherwise. */
static void mark_traceable(struct xpt_rdma_build *b, struct xpt_rdma_bmod *m)
{
	const struct xpt_mod_sec *sec = xpt_module__sec(m->src->mod, "__mcount_loc");
	uint32_t nr_syms, nr_rels, i, fn;
	const struct xpt_mod_sym *syms = xpt_module__syms(m->src->mod, &nr_syms);
	const struct xpt_mod_rel *rels = xpt_module__rels(m->src->mod, &nr_rels);

	for (i = 0; sec && i < sec->nr_rels; i++) {
		const struct xpt_mod_rel *r = &rels[sec->first_rel + i];
		const struct xpt_mod_sym *s = &syms[r->sym];

		fn = xpt_rdma__fn_at(m, s->sec, s->value + (uint64_t)r->addend, NULL);
		if (fn == XPT_RDMA_NONE)
			continue;
		if (!m->src->listed || find_listed(b->src->traceable, xpt_rdma_fn_name(b->g, fn),
						   m->src->name))
			b->g->fns[fn].flags |= XPT_RDMA_FN_TRACEABLE;
	}
}

static int add_module(struct xpt_rdma_build *b, uint32_t i)
{
	struct xpt_rdma_bmod *m = &b->mods[i];
	const struct xpt_rdma_source *s = &b->src->mods[i];
	const struct xpt_mod_sec *btf = xpt_module__sec(s->mod, ".BTF");
	struct xpt_rdma_module *out = &b->g->modules[i];
	const char *version = xpt_module__info(s->mod, "version");
	uint32_t first = b->g->nr_fns;
	int64_t name, id, ver;
	int err = 0;

	m->src = s;
	/* Without BTF, or with some that libbpf cannot read, less is known; that is all. BTF that
	 * builds on the kernel's is refused without that: its strings do not begin with an empty one. */
	if (btf && btf->data)
		err = xpt_types__new(btf->data, btf->size, b->src->kernel, &m->types);
	if (err == -ENOMEM)
		return err;
	name = xpt_rdma__text(b, s->name);
	id = xpt_rdma__text(b, xpt_module__build_id(s->mod));
	ver = xpt_rdma__text(b, version ? version : "");
	if (name < 0 || id < 0 || ver < 0)
		return -ENOMEM;
	*out = (struct xpt_rdma_module){ .name = (uint32_t)name, .build_id = (uint32_t)id,
					 .version = (uint32_t)ver,
					 .vendor = s->vendor ? XPT_RDMA_DRIVER :
						   s->shared ? XPT_RDMA_SHARED : XPT_RDMA_CORE_MODULE,
					 .btf = m->types != NULL };
	b->g->nr_modules = i + 1;
	err = add_functions(b, m);
	out->nr_fns = b->g->nr_fns - first;
	if (!err)
		err = add_cold(b, m, first);
	if (!err) {
		sort_ranges(m);
		mark_traceable(b, m);
	}
	return err;
}

/* Marks functions whose name more than one function of the kernel has: by kallsyms, and by the graph and BTF. */
static int mark_doubles(struct xpt_rdma_build *b)
{
	struct xpt_hashmap *seen = NULL;
	struct xpt_rdma_graph *g = b->g;
	uint32_t fn, pass, *n;
	int err = xpt_hashmap__new(8, 4, MAX_FNS, &seen);

	for (pass = 0; pass < 2 && !err; pass++)
		for (fn = 0; fn < g->nr_fns && !err; fn++) {
			const char *name = xpt_rdma_fn_name(g, fn);
			uint64_t key = xpt_hash(name, strlen(name));
			const uint32_t *count = find_listed(b->src->counts, name, NULL);

			n = xpt_hashmap__get(seen, &key, NULL);
			if (!n)
				err = -ENOMEM;
			else if (!pass)
				++*n;
			else if (g->fns[fn].module != XPT_RDMA_KERNEL &&
				 *n + xpt_types__nr_funcs(b->src->kernel, name) > 1)
				g->fns[fn].flags |= XPT_RDMA_FN_DOUBLE;
			if (pass && count && *count > 1)
				g->fns[fn].flags |= XPT_RDMA_FN_DOUBLE;
		}
	xpt_hashmap__free(seen);
	return err;
}

static int by_edge(const void *x, const void *y)
{
	const struct xpt_rdma_edge *a = x, *b = y;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static int by_site(const void *x, const void *y)
{
	const struct xpt_rdma_place *a = x, *b = y;

	if (a->fn != b->fn)
		return a->fn < b->fn ? -1 : 1;
	return (a->site.offset > b->site.offset) - (a->site.offset < b->site.offset);
}

static int by_err(const void *x, const void *y)
{
	const struct xpt_rdma_err *a = x, *b = y;

	if (a->fn != b->fn)
		return a->fn < b->fn ? -1 : 1;
	return (a->code > b->code) - (a->code < b->code);
}

static void pack_calls(struct xpt_rdma_build *b)
{
	struct xpt_rdma_graph *g = b->g;
	uint32_t i;

	if (b->nr_edges)
		qsort(b->edges, b->nr_edges, sizeof(*b->edges), by_edge);
	for (i = 0; i < b->nr_edges; i++) {
		const struct xpt_rdma_edge *e = &b->edges[i];
		struct xpt_rdma_fn *f = &g->fns[e->caller];
		bool again = i && b->edges[i - 1].caller == e->caller &&
			     b->edges[i - 1].callee == e->callee;

		if (again) {
			g->calls[g->nr_calls - 1].narrowed |= e->narrowed;
			g->calls[g->nr_calls - 1].unread &= e->unread;
			continue;
		}
		if (!f->nr_calls++)
			f->first_call = g->nr_calls;
		g->calls[g->nr_calls++] = (struct xpt_rdma_call){ .callee = e->callee, .kind = e->kind,
								  .narrowed = e->narrowed,
								  .unread = e->unread };
	}
}

static void pack_rest(struct xpt_rdma_build *b)
{
	struct xpt_rdma_graph *g = b->g;
	uint32_t i;

	if (b->nr_places)
		qsort(b->places, b->nr_places, sizeof(*b->places), by_site);
	for (i = 0; i < b->nr_places; i++) {
		struct xpt_rdma_fn *f = &g->fns[b->places[i].fn];
		struct xpt_rdma_module *m = &g->modules[f->module];

		if (!f->nr_sites++)
			f->first_site = g->nr_sites;
		m->nr_sites++;
		m->nr_resolved += b->places[i].site.resolution != XPT_RDMA_UNRESOLVED;
		g->sites[g->nr_sites++] = b->places[i].site;
	}
	if (b->nr_errs)
		qsort(b->errs, b->nr_errs, sizeof(*b->errs), by_err);
	for (i = 0; i < b->nr_errs; i++) {
		struct xpt_rdma_fn *f = &g->fns[b->errs[i].fn];

		if ((i && !by_err(&b->errs[i], &b->errs[i - 1])) ||
		    f->nr_errnos == XPT_RDMA_MAX_ERRNOS)
			continue;
		if (!f->nr_errnos++)
			f->first_errno = g->nr_errnos;
		g->errnos[g->nr_errnos++] = b->errs[i].code;
	}
}

static int pack_graph(struct xpt_rdma_build *b)
{
	struct xpt_rdma_graph *g = b->g;

	g->calls = calloc(b->nr_edges + 1, sizeof(*g->calls));
	g->sites = calloc(b->nr_places + 1, sizeof(*g->sites));
	g->errnos = calloc(b->nr_errs + 1, sizeof(*g->errnos));
	if (!g->calls || !g->sites || !g->errnos)
		return -ENOMEM;
	pack_calls(b);
	pack_rest(b);
	return 0;
}

static int start_build(struct xpt_rdma_build *b)
{
	int64_t empty, release, id;
	int err;

	b->g = calloc(1, sizeof(*b->g));
	if (!b->g)
		return -ENOMEM;
	b->g->modules = calloc(XPT_RDMA_MAX_MODULES, sizeof(*b->g->modules));
	if (!b->g->modules)
		return -ENOMEM;
	err = xpt_hashmap__new(8, 4, MAX_ITEMS, &b->strings);
	if (!err)
		err = xpt_hashmap__new(8, 4, MAX_FNS, &b->globals);
	if (err)
		return err;
	empty = xpt_rdma__text(b, "");
	release = xpt_rdma__text(b, b->src->release);
	id = xpt_rdma__text(b, b->src->kernel_id);
	if (empty < 0 || release < 0 || id < 0)
		return -ENOMEM;
	b->g->release = (uint32_t)release;
	b->g->kernel_id = (uint32_t)id;
	b->g->lists = b->src->traceable != NULL;
	return 0;
}

static int build_graph(struct xpt_rdma_build *b)
{
	uint32_t i, n = b->src->nr;
	int err = n > XPT_RDMA_MAX_MODULES ? -E2BIG : start_build(b);

	for (i = 0; i < n && !err; i++)
		err = add_module(b, i);
	for (i = 0; i < n && !err; i++)
		err = xpt_rdma__pointers(b, &b->mods[i]);
	if (!err)
		err = xpt_rdma__ops(b);
	if (!err)
		err = xpt_rdma__calls(b);
	for (i = 0; i < n && !err; i++)
		err = xpt_rdma__roots(b, &b->mods[i]);
	if (!err)
		err = mark_doubles(b);
	return err ? err : pack_graph(b);
}

int xpt_rdma_graph__build(const struct xpt_rdma_sources *src, struct xpt_rdma_graph **ret_g)
{
	struct xpt_rdma_build *b = calloc(1, sizeof(*b));
	uint32_t i;
	int err;

	if (!b)
		return -ENOMEM;
	b->src = src;
	err = build_graph(b);
	if (err)
		xpt_rdma_graph__free(b->g);
	else
		*ret_g = b->g;
	for (i = 0; i < XPT_RDMA_MAX_MODULES; i++) {
		xpt_types__free(b->mods[i].types);
		free(b->mods[i].ranges);
	}
	xpt_hashmap__free(b->strings);
	xpt_hashmap__free(b->globals);
	free(b->sigs);
	free(b->pointers);
	free(b->edges);
	free(b->places);
	free(b->errs);
	free(b);
	return err;
}
