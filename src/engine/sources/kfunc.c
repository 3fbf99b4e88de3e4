// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Kernel functions in a trace: which are wanted, their ids and records, and
 * modules that are loaded later.
 */
#include "engine/sources/kfunc_priv.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/time.h"
#include "engine/function_ids.h"
#include "engine/source.h"
#include "engine/sources/hooks/hook_source.h"
#include "engine/sources/ioctl_source.h"
#include "engine/sources/kfunc.h"
#include "kernel/kload.h"
#include "call.skel.h"

extern const struct xpt_source xpt_source_kernel;

#define LOOK_NS 1000000000ull	/* between looks for modules that are loaded later */
#define FD_ROOM 64		/* descriptors besides those of links and programs */

struct xpt_kfuncs *xpt_kfuncs__of(const struct xpt_engine *e)
{
	struct xpt_kfuncs *k = xpt_source__state(e, &xpt_source_kernel);

	return k && k->wanted ? k : NULL;
}

const struct xpt_domain *xpt_kdriver__domain(const char *module)
{
	const char *const *lib;
	size_t d;

	for (d = 0; d < xpt_nr_domains; d++) {
		if (xpt_domains[d]->layer != XPT_LAYER_DRIVER)
			continue;
		for (lib = xpt_domains[d]->libs; lib && *lib; lib++)
			if (xpt_glob_match(*lib, module))
				return xpt_domains[d];
	}
	return NULL;
}

const struct xpt_fn_row *xpt_kdriver__row(const char *module, const char *name)
{
	const struct xpt_domain *d = xpt_kdriver__domain(module);
	size_t i;

	for (i = 0; d && i < d->nr_rows; i++)
		if (!strcmp(d->rows[i].sym, name))
			return &d->rows[i];
	return NULL;
}

static bool wants_function(void *ctx, const char *module, const char *name)
{
	const struct xpt_engine *e = ctx;

	/* System calls that are calls of the layer `ioctl`: their frames would overlap. */
	if (e->cfg.ioctls && xpt_ioctl__is_call(name))
		return false;
	return xpt_kfind__wants(e->cfg.kernel.patterns, module, name) ||
	       (e->cfg.kernel.tables && xpt_kdriver__row(module, name));
}

/* Returns the module of that name. A module that is loaded again has a sysfs folder with another inode. */
static uint32_t module_of(struct xpt_engine *e, const char *name)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	struct xpt_kmodule *more;
	uint32_t i;

	for (i = 0; i < k->nr_modules; i++)
		if (!strcmp(k->modules[i].name, name))
			return i;
	more = reallocarray(k->modules, k->nr_modules + 1, sizeof(*more));
	if (!more)
		return UINT32_MAX;
	k->modules = more;
	more[i].lib = 0;
	snprintf(more[i].name, sizeof(more[i].name), "%s", name);
	more[i].btf = -1;
	more[i].born = xpt_kmodule__born(name);
	k->nr_modules++;
	return i;
}

static bool is_new(const struct xpt_kfuncs *k, const struct xpt_kfunc *f, uint32_t module)
{
	uint32_t i;

	for (i = 0; i < k->n; i++)
		if (k->v[i].module == module && k->v[i].addr == f->addr &&
		    !strcmp(k->v[i].k.name, f->name))
			return false;
	return true;
}

static void free_function(struct xpt_kfn *f)
{
	free((char *)f->k.name);
	free((char *)f->k.module);
}

/* Drops all functions of a module: another module of that name may be loaded. */
static void drop_functions(struct xpt_kfuncs *k, uint32_t module)
{
	uint32_t i, kept = 0;

	for (i = 0; i < k->n; i++) {
		if (k->v[i].module == module)
			free_function(&k->v[i]);
		else
			k->v[kept++] = k->v[i];
	}
	k->n = kept;
}

/* Drops functions that are gone with their modules; functions attached otherwise hold their module. */
static void drop_gone(struct xpt_engine *e)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	uint32_t m;

	for (m = 1; m < k->nr_modules; m++) {	/* 0 is the kernel itself */
		uint64_t now = xpt_kmodule__born(k->modules[m].name);

		if (now == k->modules[m].born)
			continue;
		k->modules[m].born = now;
		if (k->modules[m].btf > 0)
			close(k->modules[m].btf);
		k->modules[m].btf = -1;
		drop_functions(k, m);
	}
}

static int add_function(struct xpt_engine *e, const struct xpt_kfunc *found, bool many)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	uint32_t module = module_of(e, found->module);
	const char *why = "too many functions";
	struct xpt_kfn *more, *f;

	if (module == UINT32_MAX || !is_new(k, found, module))
		return module == UINT32_MAX ? -ENOMEM : 0;
	more = reallocarray(k->v, k->n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	k->v = more;
	f = &more[k->n];
	*f = (struct xpt_kfn){ .module = module, .addr = found->addr, .k = *found,
			       .btf_id = found->proto.id };
	if (k->n < e->cfg.kernel.max)
		f->kind = xpt_kattach__choose(&k->caps, found, e->cfg.kernel.kind, XPT_KATTACH_AUTO,
					      many, &why);
	f->k.name = strdup(found->name);
	f->k.module = strdup(found->module);
	k->n++;	/* also if it fails, so that its names are freed */
	if (!f->k.name || !f->k.module)
		return -ENOMEM;
	if (!f->kind)
		xpt_debug("%s:%s is not traced: %s", f->k.module, f->k.name, why);
	return 0;
}

/* Adds wanted functions that were not added before. Returns their number or -errno. */
static int look_for_new(struct xpt_engine *e, struct xpt_kfind *find)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	const struct xpt_kfunc *v;
	uint32_t had = k->n;
	size_t n, i;
	int err = xpt_kfind__match_fn(find, wants_function, e, &v, &n);

	for (i = 0; !err && i < n; i++)
		err = add_function(e, &v[i], n > XPT_KFUNCS_MANY);
	k->is_return = xpt_kfind__id(find, XPT_KERNEL_ITSELF, "bpf_session_is_return");
	return err ? err : (int)(k->n - had);
}

/* Raises the limit of descriptors as far as allowed: links and programs need one each. */
static void raise_limit(uint32_t n)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) || r.rlim_cur >= 4 * (rlim_t)n + FD_ROOM)
		return;
	r.rlim_cur = r.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &r))
		xpt_debug("limit of open files: %s", strerror(errno));
}

static int first_look(struct xpt_engine *e)
{
	struct xpt_kfind *find = e->cfg.kernel.find;
	struct xpt_kfuncs *k = xpt_source__state(e, &xpt_source_kernel);
	int n;

	k->wanted = true;
	k->modules_hash = xpt_kfind__modules(find);
	xpt_kattach__probe(xpt_kfind__id(find, XPT_KERNEL_ITSELF, XPT_KATTACH_TRIED), &k->caps);
	n = module_of(e, XPT_KERNEL_ITSELF) ? -ENOMEM : look_for_new(e, find);
	if (n < 0)
		return n;
	k->modules[0].btf = 0;
	raise_limit(k->n);
	return 0;
}

/* Loads the templates of all kinds that work: refused functions, and modules loaded later, may need any of them. */
static void want_templates(struct xpt_engine *e, struct call_bpf *skel)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	enum xpt_kattach force = e->cfg.kernel.kind;
	int kind;

	for (kind = XPT_KATTACH_AUTO + 1; kind < XPT_KATTACH__MAX; kind++)
		if (!k->caps.err[kind] && (!force || kind == (int)force)) {
			xpt_kfuncs__want(skel, (enum xpt_kattach)kind);
			k->stats.works = true;
		}
}

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;

	(void)kind;
	if (!e->cfg.kernel.find)
		return;
	if (!xpt_kfuncs__of(e) && first_look(e)) {
		xpt_debug("the kernel's functions cannot be looked for");
		return;
	}
	cfg->kernel_fns = 1;
	want_templates(e, skel);
}

static void fill_caps(struct xpt_engine *e, const struct xpt_kfn *f, const struct xpt_fn_row *row,
		      struct xpt_wire_fn *spec, const char **names)
{
	unsigned i;

	if (e->cfg.args == XPT_ARGS_NONE)
		return;
	for (i = 0; f->k.has_proto && i < f->k.proto.nr_params && i < XPT_MAX_VALS; i++) {
		const struct xpt_kparam *p = &f->k.proto.param[i];

		if (!p->width || p->word >= XPT_KREGS)
			break;
		names[spec->nr_caps] = p->name;
		spec->cap[spec->nr_caps++] = (struct xpt_wire_cap){
			.op = XPT_CAP_VAL, .arg = p->word, .width = p->width,
			.role = p->pointer ? XPT_ROLE_NONE : XPT_ROLE_VALUE,
		};
	}
	for (i = 0; !f->k.has_proto && row && i < XPT_MAX_VALS && row->cap[i].wire.op; i++) {
		names[spec->nr_caps] = row->cap[i].name;
		spec->cap[spec->nr_caps++] = row->cap[i].wire;
	}
}

/* Fills in the spec. A function that is not known to return a value returns none: registers hold leftovers. */
static void fill_spec(struct xpt_engine *e, const struct xpt_kfn *f, struct xpt_wire_fn *spec,
		      const char **names)
{
	const struct xpt_fn_row *row = xpt_kdriver__row(f->k.module, f->k.name);

	memset(spec, 0, sizeof(*spec));
	spec->cls = row ? row->cls : XPT_CLASS_OTHER;
	spec->ret = f->k.has_proto ? f->k.proto.ret : row ? row->ret : XPT_RET_NONE;
	if (row && row->ret == XPT_RET_STATUS && spec->ret == XPT_RET_VALUE)
		spec->ret = XPT_RET_STATUS;
	spec->ret_width = f->k.has_proto ? f->k.proto.ret_width : 0;
	spec->size_cap = spec->dir_cap = 0xff;
	fill_caps(e, f, row, spec, names);
}

static uint32_t lib_of(struct xpt_engine *e, uint32_t module)
{
	struct xpt_kmodule *m = &xpt_kfuncs__of(e)->modules[module];

	if (!m->lib)
		m->lib = xpt_functions__lib_id(e, 0);
	return m->lib;
}

static void write_lib(struct xpt_engine *e, uint32_t module, uint32_t nr)
{
	struct xpt_rec_lib *l = memset(e->scratch, 0, sizeof(*l));
	char path[XPT_KMODULE_LEN + 2];

	snprintf(path, sizeof(path), "[%s]", xpt_kfuncs__of(e)->modules[module].name);
	l->rec.kind = XPT_REC_LIB;
	l->id = lib_of(e, module);
	l->nr_fns = nr;
	xpt_facts__emit(e, xpt_facts__add_str(e, xpt_facts__add_str(e, sizeof(*l), path), ""));
}

/* Returns the type information of a module; that of the last module is kept. */
static const struct btf *types_of(struct xpt_kfuncs *k, const char *module)
{
	struct btf *btf;

	if (!k->types) {
		btf = btf__load_vmlinux_btf();
		k->types = libbpf_get_error(btf) ? NULL : btf;
	}
	if (!strcmp(module, XPT_KERNEL_ITSELF) || !k->types)
		return k->types;
	if (strcmp(module, k->types_of) != 0) {
		btf__free(k->module_types);
		btf = btf__load_module_btf(module, k->types);
		k->module_types = libbpf_get_error(btf) ? NULL : btf;
		snprintf(k->types_of, sizeof(k->types_of), "%s", module);
	}
	return k->module_types;
}

struct way_ctx {
	struct xpt_kfuncs *k;
	const struct xpt_kfn *f;
};

/* Finds the offset of a member of the struct to which an argument points; see struct xpt_hook_place. */
static int find_way(void *ctx, const struct xpt_hook_cap *c, struct xpt_hook_way *ret_way, struct xpt_hook_error *err)
{
	struct way_ctx *w = ctx;
	const struct btf *btf = w->f->k.has_proto ? types_of(w->k, w->f->k.module) : NULL;
	struct xpt_kway way;

	_Static_assert(XPT_KWAY_STEPS == XPT_HOOK_DEREFS, "as many steps");
	if (!btf) {
		snprintf(err->why, sizeof(err->why), "the kernel has no types of %.60s: *(arg0 + OFFSET) reads what lies "
			 "there", w->f->k.name);
		return -ENOENT;
	}
	if (xpt_kbtf__way(btf, w->f->btf_id, c->arg_name, c->arg, c->path, &way, err->why, sizeof(err->why)))
		return -ENOENT;
	if (way.arg >= w->f->k.proto.nr_params || way.arg >= XPT_MAX_VALS || !w->f->k.proto.param[way.arg].width) {
		snprintf(err->why, sizeof(err->why), "this argument of %.60s is in no register", w->f->k.name);
		return -ENOENT;
	}
	ret_way->arg = w->f->k.proto.param[way.arg].word;
	ret_way->nr = way.nr;
	for (unsigned i = 0; i < way.nr; i++)
		ret_way->step[i] = (struct xpt_wire_hook_step){ .off = (int32_t)way.step[i].off,
								.width = way.step[i].width, .bit = way.step[i].bit,
								.bits = way.step[i].bits };
	return 0;
}

/*
 * Sets the captures of a hook instead; names are in names or in the hook. Returns false if the hook cannot capture
 * them.
 */
static bool apply_hook(struct xpt_engine *e, const struct xpt_kfn *f, struct xpt_wire_fn *spec,
		       const char **names)
{
	uint8_t nr = xpt_hooks__kernel(e, f->k.module, f->k.name);
	struct xpt_hook_place place = { .sym = f->k.name, .nr_args = XPT_KREGS, .kernel = true,
					.way = find_way };
	struct way_ctx ctx = { xpt_kfuncs__of(e), f };
	struct xpt_captures known = { .spec = *spec }, caps;
	struct xpt_wire_hook_steps steps;
	const struct xpt_hook *h;

	if (!nr)
		return true;
	h = &e->cfg.hooks[nr - 1];
	for (unsigned i = 0; i < spec->nr_caps; i++)
		snprintf(known.name[i], sizeof(known.name[i]), "%s", names[i]);
	place.known = &known;
	place.ctx = &ctx;
	if (!xpt_hooks__spec(e, nr, &place, NULL, &caps, &steps) || !xpt_hooks__set_steps(e, xpt_functions__next(e), &steps))
		return false;
	for (unsigned i = 0; i < caps.spec.nr_caps; i++)
		if (i < h->nr_caps)
			names[i] = h->cap[i].name;
	if (h->nr_caps || h->prog.action != XPT_HOOK_EVENT) {
		spec->nr_caps = h->nr_caps;
		memcpy(spec->cap, caps.spec.cap, sizeof(spec->cap));
	}
	spec->hook = nr;
	spec->str_cap = caps.spec.str_cap;
	spec->flags |= caps.spec.flags | (xpt_hook__wants_stack(h) ? XPT_FN_STACK : 0);
	xpt_hooks__found(e, nr);
	return true;
}

static int give_id(struct xpt_engine *e, struct xpt_kfn *f)
{
	const struct xpt_domain *d = xpt_kdriver__domain(f->k.module);
	char key[XPT_KMODULE_LEN + XPT_KNAME_LEN + 16];
	const char *names[XPT_MAX_VALS];
	struct xpt_new_function new = {
		.key = key, .name = f->k.name, .sym = f->k.name, .base = f->k.name,
		.group = d ? d->name : "kernel", .cap_names = names, .lib = lib_of(e, f->module),
		.layer = XPT_LAYER_DRIVER, .fn = { .domain = d, .kernel = true },
	};

	snprintf(key, sizeof(key), "kernel %s:%s", f->k.module, f->k.name);
	f->id = xpt_functions__find(e, key);
	if (f->id)
		return 0;
	if (!xpt_functions__next(e))
		return -ENOSPC;
	fill_spec(e, f, &new.live, names);
	if (!apply_hook(e, f, &new.live, names))
		return -ENOENT;
	new.live.sample = e->cfg.sample;
	new.spec = new.live;
	new.spec.sample = new.spec.hook = new.spec.flags = new.spec.ret_width = 0;
	xpt_hooks__show(e, xpt_functions__next(e), &new.spec);
	f->id = xpt_functions__add(e, &new);
	return f->id ? 0 : -ENOMEM;
}

static void sum_up(struct xpt_engine *e)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	struct xpt_kfunc_stats *s = &k->stats;
	char text[160] = "";
	uint32_t i;
	int kind;

	s->nr = s->nr_failed = 0;
	memset(s->by_kind, 0, sizeof(s->by_kind));
	for (i = 0; i < k->n; i++) {
		s->nr += k->v[i].linked;
		s->nr_failed += !k->v[i].linked;
		s->by_kind[k->v[i].linked ? k->v[i].kind : XPT_KATTACH_AUTO]++;
	}
	for (kind = XPT_KATTACH_AUTO + 1; kind < XPT_KATTACH__MAX; kind++)
		if (s->by_kind[kind])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %u",
				 text[0] ? ", " : "", xpt_kattach_name((enum xpt_kattach)kind),
				 s->by_kind[kind]);
	if (s->nr)
		xpt_facts__meta(e, "kernel_attach", text);
	xpt_debug("kernel functions: %u of %u, by %s, in %llu ms", s->nr, s->nr + s->nr_failed, text,
		  (unsigned long long)(s->attach_ns / 1000000));
}

/* Gives ids to the functions from `from` on, and attaches them. */
static void attach_from(struct xpt_engine *e, uint32_t from)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	uint64_t t0 = xpt_now_ns();
	uint32_t i, m, nr;

	for (i = from; i < k->n; i++)
		if (k->v[i].kind && give_id(e, &k->v[i]))
			k->v[i].kind = XPT_KATTACH_AUTO;
	xpt_kfuncs__attach(e, k->n - from > XPT_KFUNCS_MANY);
	for (m = 0; m < k->nr_modules; m++) {
		for (nr = 0, i = 0; i < k->n; i++)
			nr += k->v[i].linked && k->v[i].module == m;
		if (nr)
			write_lib(e, m, nr);
	}
	k->stats.attach_ns += xpt_now_ns() - t0;
}

/* The state before functions were attached. */
struct before {
	uint32_t n;
	size_t nr_fds, nr_single;
};

/*
 * Detaches all functions if modules were loaded or removed since functions were looked up: the attached ones may
 * belong to modules before or after the change, and would be attached twice.
 */
static void take_back(struct xpt_kfuncs *k, const struct before *b)
{
	xpt_kfuncs__close_fds(k, b->nr_fds);
	k->nr_single = b->nr_single;
	while (k->n > b->n)
		free_function(&k->v[--k->n]);
}

/* Returns false if modules changed meanwhile, so that it has to be done again. */
static bool attach_found(struct xpt_engine *e, const struct before *b, uint64_t modules)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);

	if (k->n > b->n)
		attach_from(e, b->n);
	if (xpt_kmodules__now() != modules) {
		take_back(k, b);
		return false;
	}
	k->modules_hash = modules;
	if (k->n > b->n || !b->n)
		sum_up(e);
	return true;
}

/* Looks for modules that were loaded since: drivers are loaded when a program needs them. */
static void look_for_modules(struct xpt_engine *e)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	uint64_t now = xpt_now_ns();
	struct xpt_kfind *find;
	struct before b;

	if (!k || now < k->next_look_ns)
		return;
	k->next_look_ns = now + LOOK_NS;
	if (xpt_kmodules__now() == k->modules_hash || xpt_kfind__new(NULL, &find))
		return;
	drop_gone(e);
	b = (struct before){ k->n, k->nr_fds, k->nr_single };
	if (look_for_new(e, find) >= 0 && !attach_found(e, &b, xpt_kfind__modules(find)))
		k->next_look_ns = now + LOOK_NS / 4;
	xpt_kfind__free(find);
}

static int start(struct xpt_engine *e)
{
	static const struct before nothing;
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);

	if (k && !attach_found(e, &nothing, k->modules_hash)) {
		k->modules_hash = 0;
		look_for_modules(e);
	}
	return 0;
}

static void detach(struct xpt_engine *e)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	uint64_t t0 = xpt_now_ns();
	size_t nr = k ? k->nr_fds : 0;

	if (k)
		xpt_kfuncs__close_fds(k, 0);
	if (nr)
		xpt_debug("kernel functions: %zu links closed in %llu ms", nr,
			  (unsigned long long)((xpt_now_ns() - t0) / 1000000));
}

static void free_state(struct xpt_engine *e)
{
	struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	uint32_t i;

	if (!k)
		return;
	btf__free(k->module_types);
	btf__free(k->types);
	while (k->nr_progs)
		close(k->progs[--k->nr_progs]);
	for (i = 0; i < k->nr_modules; i++)
		if (k->modules[i].btf > 0)
			close(k->modules[i].btf);
	for (i = 0; i < k->n; i++)
		free_function(&k->v[i]);
	free(k->v);
	free(k->modules);
	free(k->fds);
	free(k->progs);
}

static uint32_t slow_links(const struct xpt_engine *e)
{
	return xpt_kfuncs__of(e) ? (uint32_t)xpt_kfuncs__of(e)->nr_single : 0;
}

/* MISSED: a program was busy on that CPU, or the kernel did not come to run one. */
static void losses(struct xpt_engine *e, uint64_t *lost)
{
	const struct xpt_kfuncs *k = xpt_kfuncs__of(e);
	size_t i;

	if (!k)
		return;
	lost[XPT_LOSS_KERNEL_FAILED] += k->stats.nr_failed;
	for (i = 0; i < k->nr_progs; i++)
		lost[XPT_LOSS_KERNEL_MISSED] += xpt_kload__missed(k->progs[i]);
	for (i = 0; i < k->nr_fds; i++)
		lost[XPT_LOSS_KERNEL_MISSED] += xpt_kload__link_missed(k->fds[i]);
	lost[XPT_LOSS_KERNEL_MISSED] += k->missed;
}

static void fill_stats(const struct xpt_engine *e, struct xpt_engine_stats *stats)
{
	if (!xpt_kfuncs__of(e))
		return;
	stats->kernel = xpt_kfuncs__of(e)->stats;
	stats->kernel.slow_links = slow_links(e);
}

const struct xpt_source xpt_source_kernel = {
	.name = "kernel",
	.state_size = sizeof(struct xpt_kfuncs),
	.configure = configure,
	.start = start,
	.step = look_for_modules,
	.slow_links = slow_links,
	.detach = detach,
	.losses = losses,
	.stats = fill_stats,
	.free = free_state,
};
