// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Probes that users name: each file is looked at once per inode, all its places go
 * into one link where the kernel can. The same probe is one function, in how
 * many places and files it may be; places whose arguments lie alike share one
 * description (struct xpt_wire_site).
 */
#include "engine/points.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/time.h"
#include "engine/elf_priv.h"
#include "engine/libpath.h"
#include "engine/domain_points.h"
#include "engine/dwarf_args.h"
#include "engine/priv.h"
#include "engine/usdt.h"
#include "wire/config.h"
#include "call.skel.h"

#define MAX_FILES 1024
#define FN_ARGS 6		/* of any function: what registers may hold */
#define CALL_ARGS 13		/* and seven words of the stack, for hooks on calls */
#define FIRST_LIB 0x10000u	/* ids of our LIB records: above those of libraries */

struct file {
	struct xpt_inode inode;
	uint64_t changed_ns;	/* when it was looked at: another file may get its inode */
	uint64_t done;		/* bit i: probe i was looked for in it */
	struct xpt_elib calls;	/* links of calls only */
	int *fds;		/* multi links */
	struct bpf_link **links;	/* perf links */
	size_t nr_fds, nr_links;
	bool told;		/* its LIB record was written */
};

struct xpt_points {
	struct file file[MAX_FILES];
	uint32_t nr_files, next;	/* next: that may be given up for another */
	struct xpt_hashmap *places;	/* hash of a site's locations -> its index */
	uint32_t nr_places;
	bool nop5;
};

struct subject {		/* what becomes a function of the trace */
	const char *domain, *sym;
	uint8_t layer, nr_args;
	uint16_t strings;	/* bit i: argument i points to one */
	const struct xpt_wire_loc *loc;
	bool slow;
	uint8_t hook;		/* 1 + number of its hook, 0: none */
	const struct xpt_domain *known;	/* of a hook: who knows the function, or NULL */
	const struct xpt_dwarf_fn *types;	/* what debug information says of it, or NULL */
	struct xpt_point_row of;	/* whose probe it is */
};

struct batch {			/* the places of one file */
	struct file *f;
	const char *path, *name;	/* how it is opened; as a process sees it */
	uint64_t *offsets, *semas, *cookies;
	uint32_t n;
	const struct xpt_domain *d;	/* a domain that has probes there, or NULL */
};

_Static_assert(XPT_PROBES_MAX <= 64, "a bit for each probe");

void xpt_points__configure(const struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	bpf_program__set_autoload(skel->progs.xpt_point, e->cfg.nr_probes != 0);
	if (!e->cfg.nr_probes)
		return;
	bpf_map__set_max_entries(skel->maps.xpt_places, XPT_POINT_SITES);
	if (kind != XPT_ATTACH_PERF)
		bpf_program__set_expected_attach_type(skel->progs.xpt_point,
						      XPT_BPF_TRACE_UPROBE_MULTI);
}

/* --- functions ------------------------------------------------------------------- */

static void emit_fn(struct xpt_engine *e, uint32_t id, uint32_t lib, const struct subject *s,
		    const struct xpt_captures *caps)
{
	struct xpt_rec_fn *f = memset(e->scratch, 0, sizeof(*f));
	char base[256];
	size_t end;

	f->rec.kind = XPT_REC_FN;
	f->rec.fn = id;
	f->lib = lib;
	f->layer = s->layer;
	f->spec = caps->spec;
	f->spec.hook = 0;
	xpt_hooks__show(e, id, &f->spec);
	end = xpt_facts__add_str(e, sizeof(*f), s->sym);
	end = xpt_facts__add_str(e, end, s->known ? xpt_fn_base_name(s->sym, base, sizeof(base)) : s->sym);
	end = xpt_facts__add_str(e, end, s->known ? s->known->name : s->domain);
	for (unsigned i = 0; i < caps->spec.nr_caps; i++)
		end = xpt_facts__add_str(e, end, caps->name[i]);
	xpt_facts__emit(e, end);
}

/*
 * Arguments as they are; what is eight bytes without a sign may be an address. Several
 * probes may ask for more texts than a call has room for: the rest stay addresses.
 */
static void fill_spec(const struct xpt_engine *e, const struct subject *s, struct xpt_captures *caps)
{
	struct xpt_wire_fn *spec = &caps->spec;
	unsigned strings = 0;

	memset(caps, 0, sizeof(*caps));
	spec->cls = XPT_CLASS_OTHER;
	spec->size_cap = spec->dir_cap = 0xff;
	spec->nr_caps = e->cfg.args == XPT_ARGS_NONE ? 0 : s->nr_args;
	for (uint8_t i = 0; i < spec->nr_caps; i++) {
		spec->cap[i].op = XPT_CAP_VAL;
		spec->cap[i].arg = i;
		spec->cap[i].width = 8 | (s->loc[i].width & 0x80);
		spec->cap[i].role = s->loc[i].width == 8 ? XPT_ROLE_NONE : XPT_ROLE_VALUE;
		snprintf(caps->name[i], sizeof(caps->name[i]), "arg%u", i);
		if (s->strings >> i & 1 && s->loc[i].width == 8 && strings++ < XPT_STRS_MAX) {
			spec->cap[i].op = XPT_CAP_STR;
			if (!spec->str_cap)
				spec->str_cap = (uint8_t)(i + 1);
			else
				spec->flags |= XPT_FN_STRINGS;
		}
	}
}

/* Of a hook; false: the function has not what it captures. */
static bool hook_spec(struct xpt_engine *e, uint32_t fn, const struct subject *s, struct xpt_captures *caps)
{
	uint8_t width[XPT_POINT_ARGS];
	struct xpt_captures known;
	struct xpt_dwarf_types types = { s->types, &e->cfg.hooks[s->hook - 1] };
	struct xpt_hook_place place = { .sym = s->sym, .nr_args = s->nr_args, .width = width };

	for (uint8_t i = 0; i < s->nr_args; i++)
		width[i] = s->loc[i].width;
	if (s->layer != XPT_LAYER_POINT) {
		place.nr_args = CALL_ARGS;
		place.width = NULL;
	}
	if (s->types) {
		xpt_dwarf__known(s->types, s->layer == XPT_LAYER_POINT ? FN_ARGS : CALL_ARGS, &known);
		place.known = &known;
		place.way = xpt_dwarf__way;
		place.ctx = &types;
	}
	return xpt_hooks__spec(e, s->hook, fn, &place, s->known, caps);
}

static uint8_t result_kind(const struct subject *s)
{
	const struct xpt_fn_row *row = s->known ? xpt_domain__row(s->known, s->sym) : NULL;

	if (s->layer == XPT_LAYER_POINT)
		return XPT_RET_NONE;
	return row ? row->ret : s->known ? s->known->catch_all_ret : XPT_RET_VALUE;
}

static bool wants_stack(const struct xpt_engine *e, const struct subject *s)
{
	return (e->cfg.stacks && xpt_plan__wants(e->cfg.stack_functions, s->sym)) ||
	       (s->hook && xpt_hook__wants_stack(&e->cfg.hooks[s->hook - 1]));
}

static bool new_fn(struct xpt_engine *e, uint32_t n, const struct subject *s, uint32_t lib)
{
	struct xpt_captures caps;
	struct xpt_wire_fn live;

	if (n >= XPT_MAX_FNS)
		return false;
	if (s->of.d)
		xpt_domain_points__captures(&s->of, &caps);
	else if (!s->hook)
		fill_spec(e, s, &caps);
	else if (!hook_spec(e, n, s, &caps))
		return false;
	caps.spec.ret = result_kind(s);
	live = caps.spec;
	caps.spec.flags = 0;
	live.flags |= s->layer == XPT_LAYER_POINT ? XPT_FN_POINT : 0;
	live.sample = e->cfg.sample;
	if (wants_stack(e, s))
		live.flags |= XPT_FN_STACK;
	if (bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_fns), &n, &live, BPF_ANY))
		return false;
	e->fns[n].sym = strdup(s->sym);
	e->fns[n].slow = s->slow;
	e->fns[n].keep = live.flags & XPT_FN_KEEP;
	e->fns[n].str_cap = live.flags & XPT_FN_STRINGS ? 0 : caps.spec.str_cap;
	if (!e->fns[n].sym)
		return false;
	emit_fn(e, n, lib, s, &caps);
	return true;
}

/* The function's id, made if it is new; 0: there is no room. */
static uint32_t fn_id(struct xpt_engine *e, const struct subject *s, uint32_t lib)
{
	char text[1024];
	uint64_t key;
	uint32_t *id;
	bool is_new;

	snprintf(text, sizeof(text), "%u:%s:%s/%d", s->hook, s->domain, s->sym, s->of.d ? s->nr_args : -1);
	key = xpt_hash(text, strlen(text));
	id = xpt_hashmap__get(e->fn_ids, &key, &is_new);
	if (!id || !is_new)
		return id ? *id : 0;
	if (!new_fn(e, e->nr_fns, s, lib)) {
		xpt_hashmap__del(e->fn_ids, &key);
		return 0;
	}
	e->stats.nr_fns++;
	*id = e->nr_fns++;
	return *id;
}

/* The description of a place, shared by all that are alike. False: there is no room. */
static bool place_id(struct xpt_engine *e, const struct subject *s, uint32_t *ret_id)
{
	struct xpt_wire_site site = { .nr_locs = s->nr_args };
	struct xpt_points *pts = e->points;
	uint64_t key;
	uint32_t *id;
	bool is_new;

	memcpy(site.loc, s->loc, s->nr_args * sizeof(s->loc[0]));
	key = xpt_hash(&site, sizeof(site));
	id = xpt_hashmap__get(pts->places, &key, &is_new);
	if (!id)
		return false;
	if (is_new) {
		*id = pts->nr_places;
		if (bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_places), id, &site, BPF_ANY)) {
			xpt_hashmap__del(pts->places, &key);
			return false;
		}
		pts->nr_places++;
	}
	*ret_id = *id;
	return true;
}

/* --- links ------------------------------------------------------------------------- */

static bool keep_fd(struct file *f, int fd)
{
	int *fds = reallocarray(f->fds, f->nr_fds + 1, sizeof(*fds));

	if (!fds) {
		close(fd);
		return false;
	}
	f->fds = fds;
	f->fds[f->nr_fds++] = fd;
	return true;
}

static bool keep_link(struct file *f, struct bpf_link *link)
{
	struct bpf_link **links = reallocarray(f->links, f->nr_links + 1, sizeof(*links));

	if (!links) {
		bpf_link__destroy(link);
		return false;
	}
	f->links = links;
	f->links[f->nr_links++] = link;
	return true;
}

static bool link_one(struct xpt_engine *e, const struct batch *b, uint32_t i)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = b->cookies[i],
		    .ref_ctr_offset = b->semas[i]);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(e->skel->progs.xpt_point, -1,
								b->path, b->offsets[i], &opts);

	return link && keep_link(b->f, link);
}

/* Places from..from+n; the number of those that have their probe. Halves what is refused. */
static uint32_t link_places(struct xpt_engine *e, const struct batch *b, uint32_t from, uint32_t n)
{
	uint32_t i, done = 0;
	int fd;

	if (e->attach == XPT_ATTACH_PERF) {
		for (i = from; i < from + n; i++)
			done += link_one(e, b, i);
		return done;
	}
	fd = xpt_kernel__link_points(bpf_program__fd(e->skel->progs.xpt_point), b->path,
				     b->offsets + from, b->semas + from, b->cookies + from, n);
	if (fd >= 0)
		return keep_fd(b->f, fd) ? n : 0;
	if (n == 1 || fd == -EPERM || fd == -ENOENT || fd == -EINTR) {
		xpt_debug("%s+0x%llx: cannot attach: %s", b->path,
			  (unsigned long long)b->offsets[from], strerror(-fd));
		return 0;
	}
	return link_places(e, b, from, n / 2) + link_places(e, b, from + n / 2, n - n / 2);
}

/* --- files --------------------------------------------------------------------------- */

/* Also notes which of the user's probes have found something. strings: added to, or NULL. */
static bool is_asked(struct xpt_engine *e, uint64_t probes, enum xpt_probe_kind kind,
		     const char *provider, const char *name, uint16_t *strings)
{
	bool asked = false;

	for (uint32_t i = 0; i < e->cfg.nr_probes; i++) {
		const struct xpt_probe *p = &e->cfg.probes[i];

		if (probes >> i & 1 && p->kind == kind && !p->domain && xpt_glob_match(p->name, name) &&
		    (kind != XPT_PROBE_USDT || xpt_glob_match(p->provider, provider))) {
			e->stats.probes_found |= 1ull << i;
			asked = true;
			if (strings)
				*strings |= p->strings;
		}
	}
	return asked;
}

static bool has_kind(const struct xpt_engine *e, uint64_t probes, enum xpt_probe_kind kind)
{
	for (uint32_t i = 0; i < e->cfg.nr_probes; i++)
		if (probes >> i & 1 && e->cfg.probes[i].kind == kind)
			return true;
	return false;
}

/* A place whose program runs once, or the entry of a call. */
static void add_place(struct xpt_engine *e, struct batch *b, const struct subject *s,
		      uint64_t offset, uint64_t sema)
{
	uint32_t lib = FIRST_LIB + (uint32_t)(b->f - e->points->file), place = 0;
	uint32_t id = fn_id(e, s, lib);

	if (!id || (s->layer == XPT_LAYER_POINT && !place_id(e, s, &place))) {
		e->stats.nr_failed++;
		return;
	}
	if (s->hook)
		xpt_hooks__found(e, s->hook);
	e->stats.nr_slow += s->slow;
	b->offsets[b->n] = offset;
	b->semas[b->n] = sema;
	b->cookies[b->n++] = XPT_POINT_COOKIE(place, id);
}

/* The hook whose probe it is: hooks are looked for one by one. */
static uint8_t hook_of(const struct xpt_engine *e, uint64_t probes)
{
	return probes ? e->cfg.probes[__builtin_ctzll(probes)].hook : 0;
}

/* A hook that matches more than there is room for gets none of it, not some. */
static bool usdt_fit(struct xpt_engine *e, const struct xpt_usdt_site *s, size_t nr, uint64_t probes)
{
	uint64_t n = 0;

	if (!hook_of(e, probes))
		return true;
	for (size_t i = 0; i < nr; i++)
		n += is_asked(e, probes, XPT_PROBE_USDT, s[i].provider, s[i].name, NULL);
	return xpt_hooks__fit(e, hook_of(e, probes), n, XPT_POINT_SITES);
}

static bool functions_fit(struct xpt_engine *e, const struct xpt_sym *sym, size_t nr,
			  enum xpt_probe_kind kind, uint64_t probes)
{
	uint64_t n = 0;

	if (!hook_of(e, probes))
		return true;
	for (size_t i = 0; i < nr; i++)
		n += is_asked(e, probes, kind, NULL, sym[i].name, NULL);
	return xpt_hooks__fit(e, hook_of(e, probes), n, XPT_MAX_FNS - e->nr_fns);
}

/* Those that another probe has found already are left out. */
static void add_usdt(struct xpt_engine *e, const struct xpt_usdt *u, uint64_t probes,
		     uint64_t before, struct batch *b)
{
	struct xpt_wire_loc loc[XPT_POINT_ARGS];
	const struct xpt_usdt_site *s;
	struct xpt_point_row earlier;
	char sym[512];
	size_t nr, i;

	s = xpt_usdt__sites(u, &nr);
	if (!usdt_fit(e, s, nr, probes))
		return;
	for (i = 0; i < nr; i++) {
		struct subject subject = { "usdt", sym, XPT_LAYER_POINT, s[i].nr_args, 0, loc,
					   s[i].cls == XPT_SITE_SINGLE_STEP, hook_of(e, probes), NULL, NULL,
					   { NULL, NULL } };

		if ((!is_asked(e, probes, XPT_PROBE_USDT, s[i].provider, s[i].name, &subject.strings) &
		     !xpt_domain_points__find(e, probes, &s[i], &subject.of)) ||
		    is_asked(e, before, XPT_PROBE_USDT, s[i].provider, s[i].name, NULL) ||
		    xpt_domain_points__find(e, before, &s[i], &earlier))
			continue;
		if (b->n == XPT_POINT_SITES) {
			e->stats.nr_failed++;
			continue;
		}
		snprintf(sym, sizeof(sym), "%s:%s", s[i].provider, s[i].name);
		memcpy(loc, s[i].loc, sizeof(loc));
		if (subject.of.d) {
			b->d = subject.of.d;
			subject.domain = b->d->name;
			subject.sym = s[i].name;
			xpt_domain_points__fix_args(&subject.of, loc);
		}
		add_place(e, b, &subject, s[i].offset, s[i].sema_offset);
	}
}

static const struct xpt_wire_loc fn_args[FN_ARGS] = {
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_RDI },
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_RSI },
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_RDX },
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_RCX },
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_R8 },
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_R9 },
};

static bool has_offset(const struct batch *b, uint32_t from, uint64_t offset)
{
	for (uint32_t i = from; i < b->n; i++)
		if (b->offsets[i] == offset)
			return true;
	return false;
}

/* A function's entry, behind its endbr64, but never behind a stub: slots may change. */
static void add_functions(struct xpt_engine *e, struct xpt_elf *elf, enum xpt_probe_kind kind,
			  uint64_t probes, uint64_t before, struct batch *b)
{
	const struct xpt_domain *known = hook_of(e, probes) ? xpt_hooks__domain(b->name) : NULL;
	bool call = kind == XPT_PROBE_CALL;
	struct xpt_dwarf_fn *types = NULL;
	const struct xpt_sym *sym;
	size_t nr_types = 0;
	uint32_t from = b->n;	/* before it lie places of <sys/sdt.h> */
	size_t nr, i;

	sym = xpt_elf__syms(elf, &nr);
	if (!functions_fit(e, sym, nr, kind, probes))
		return;
	if (!known && hook_of(e, probes))
		xpt_dwarf__read(b->path, &e->cfg.hooks[hook_of(e, probes) - 1], &types, &nr_types);
	for (i = 0; i < nr; i++) {
		struct subject s = { call ? "call" : "uprobe", sym[i].name,
				     call ? XPT_LAYER_API : XPT_LAYER_POINT, FN_ARGS, 0, fn_args,
				     false, hook_of(e, probes), known, xpt_dwarf__find(types, nr_types, sym[i].name),
				     { NULL, NULL } };
		struct xpt_site site;

		if (!is_asked(e, probes, kind, NULL, sym[i].name, &s.strings) ||
		    is_asked(e, before, kind, NULL, sym[i].name, NULL))
			continue;
		if (b->n == XPT_POINT_SITES || b->n - from >= XPT_MAX_FNS) {
			e->stats.nr_failed++;
			continue;
		}
		xpt_elf__site(elf, &sym[i], e->cfg.move_sites, &site);
		if (site.move == XPT_MOVE_STUB)
			xpt_elf__site(elf, &sym[i], false, &site);
		if (site.cls == XPT_SITE_UNSAFE) {
			e->stats.nr_unsafe++;
			continue;
		}
		if (has_offset(b, from, site.offset))	/* another name of it */
			continue;
		s.slow = site.cls == XPT_SITE_SINGLE_STEP;
		add_place(e, b, &s, site.offset, 0);
	}
	free(types);
}

static void tell_file(struct xpt_engine *e, struct file *f, const char *name, const char *build_id)
{
	struct xpt_rec_lib *l = memset(e->scratch, 0, sizeof(*l));

	if (f->told)
		return;
	f->told = true;
	e->stats.nr_libs++;
	l->rec.kind = XPT_REC_LIB;
	l->id = FIRST_LIB + (uint32_t)(f - e->points->file);
	l->dev = f->inode.dev;
	l->ino = f->inode.ino;
	xpt_facts__emit(e, xpt_facts__add_str(e, xpt_facts__add_str(e, sizeof(*l), name), build_id));
}

static void note(struct xpt_engine *e, uint32_t done, const struct batch *b, uint32_t *ret_done)
{
	e->stats.nr_probes += done;
	e->stats.nr_failed += b->n - done;
	*ret_done += done;
}

/* Probes of all kinds; the number of places that have one, or -errno. */
static int attach_set(struct xpt_engine *e, struct xpt_elf *elf, uint64_t probes, uint64_t before,
		      struct batch *b)
{
	struct xpt_usdt *u = NULL;
	uint32_t done = 0;
	int err = 0;

	if (has_kind(e, probes, XPT_PROBE_USDT))
		err = xpt_usdt__read(elf, e->points->nop5, &u);
	if (err)
		return err;
	if (u)
		add_usdt(e, u, probes, before, b);
	xpt_usdt__free(u);
	if (has_kind(e, probes, XPT_PROBE_UPROBE))
		add_functions(e, elf, XPT_PROBE_UPROBE, probes, before, b);
	if (b->n)
		note(e, link_places(e, b, 0, b->n), b, &done);
	b->n = 0;
	if (has_kind(e, probes, XPT_PROBE_CALL))
		add_functions(e, elf, XPT_PROBE_CALL, probes, before, b);
	if (b->n) {
		int n = xpt_libs__link(e, &b->f->calls, b->path, b->offsets, b->cookies, b->n);

		note(e, n > 0 ? (uint32_t)n : 0, b, &done);
	}
	return (int)done;
}

/* A hook has functions of its own, whatever else is on them. */
static int attach_kinds(struct xpt_engine *e, struct xpt_elf *elf, uint64_t probes, uint64_t before,
			struct batch *b)
{
	uint64_t hooks = 0;
	int done, n;

	for (uint32_t i = 0; i < e->cfg.nr_probes; i++)
		if (e->cfg.probes[i].hook)
			hooks |= 1ull << i;
	done = probes & ~hooks ? attach_set(e, elf, probes & ~hooks, before & ~hooks, b) : 0;
	for (hooks &= probes; hooks && done >= 0; hooks &= hooks - 1) {
		b->n = 0;
		n = attach_set(e, elf, hooks & -hooks, 0, b);
		done = n < 0 ? n : done + n;
	}
	return done;
}

/* 0: what was found in that file is attached, or -errno. */
static int attach(struct xpt_engine *e, struct file *f, int fd, const char *name, uint64_t probes,
		  uint64_t before)
{
	bool functions = has_kind(e, probes, XPT_PROBE_UPROBE) || has_kind(e, probes, XPT_PROBE_CALL);
	struct batch b = { .f = f, .name = name };
	struct xpt_elf *elf = NULL;
	char path[32];
	int err;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	b.path = path;
	err = functions ? xpt_elf__open_fd(dup(fd), &elf) : xpt_elf__open_bare(dup(fd), false, &elf);
	if (err)
		return err;
	b.offsets = calloc((size_t)XPT_POINT_SITES * 3, sizeof(*b.offsets));
	if (!b.offsets) {
		err = -ENOMEM;
		goto out;
	}
	b.semas = b.offsets + XPT_POINT_SITES;
	b.cookies = b.semas + XPT_POINT_SITES;
	err = attach_kinds(e, elf, probes, before, &b);
	if (err > 0)
		tell_file(e, f, name, xpt_elf__build_id(elf));
	if (err > 0 && b.d)
		xpt_domain_points__tell(e, b.d, path);
out:
	xpt_elf__close(elf);
	free(b.offsets);
	return err < 0 ? err : 0;
}

static bool is_used(const struct file *f)
{
	return f->told || f->nr_fds || f->nr_links || f->calls.nr_fds || f->calls.nr_links;
}

/* The place of a file that had nothing for us; NULL: there is none. */
static struct file *give_up_one(struct xpt_points *pts)
{
	uint32_t i;

	for (i = 0; i < MAX_FILES; i++) {
		struct file *f = &pts->file[pts->next++ % MAX_FILES];

		if (!is_used(f))
			return f;
	}
	return NULL;
}

static struct file *get_file(struct xpt_points *pts, const struct xpt_inode *inode,
			     uint64_t changed_ns)
{
	struct file *f;
	uint32_t i;

	for (i = 0; i < pts->nr_files; i++) {
		f = &pts->file[i];
		if (memcmp(&f->inode, inode, sizeof(*inode)))
			continue;
		if (f->changed_ns != changed_ns && !is_used(f))
			f->done = 0;
		f->changed_ns = changed_ns;
		return f;
	}
	f = pts->nr_files < MAX_FILES ? &pts->file[pts->nr_files++] : give_up_one(pts);
	if (f)
		*f = (struct file){ .inode = *inode, .changed_ns = changed_ns };
	return f;
}

/* fd is taken over. 0 or -errno. */
static int add_fd(struct xpt_engine *e, int fd, const char *name, uint64_t probes)
{
	uint64_t t0 = xpt_now_ns(), before;
	struct xpt_inode inode;
	struct file *f = NULL;
	struct stat st;
	int err = fd < 0 ? fd : xpt_inode__get(e, fd, &inode);

	if (!err && fstat(fd, &st))
		err = -errno;
	if (!err) {
		f = get_file(e->points, &inode, (uint64_t)st.st_ctim.tv_sec * 1000000000u +
						(uint64_t)st.st_ctim.tv_nsec);
		e->libs_failed += !f;
		err = f ? 0 : -ENOSPC;
	}
	if (f && probes & ~f->done) {
		before = f->done;
		f->done |= probes;
		err = attach(e, f, fd, name, probes & ~before, before);
	}
	if (fd >= 0)
		close(fd);
	e->stats.attach_ns += xpt_now_ns() - t0;
	return err;
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

/* The probes that may be in a mapped file of that name. */
static uint64_t probes_for(const struct xpt_engine *e, const char *name)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < e->cfg.nr_probes; i++)
		if (xpt_probe__is_glob(&e->cfg.probes[i]) &&
		    xpt_probe__wants_file(&e->cfg.probes[i], name))
			mask |= 1ull << i;
	return mask;
}

bool xpt_points__wants(const struct xpt_engine *e, const char *name)
{
	return probes_for(e, name) != 0;
}

void xpt_points__on_mapping(struct xpt_engine *e, int pid, const struct xpt_mapping *m)
{
	uint64_t probes = e->points ? probes_for(e, m->path) : 0;
	int err;

	if (!probes)
		return;
	err = add_fd(e, xpt_maps__open(pid, m), m->path, probes);
	if (err && err != -ENOENT && err != -ESRCH)
		xpt_debug("%s of process %d has no probes: %s", m->path, pid, strerror(-err));
}

void xpt_points__on_file(struct xpt_engine *e, const char *path, const char *name)
{
	uint64_t probes = e->points ? probes_for(e, name) : 0;

	if (probes)
		add_fd(e, open_file(path), name, probes);
}

void xpt_points__preload(struct xpt_engine *e, const char *exe, const char *ld_library_path)
{
	char path[4096];
	uint32_t i;

	if (!e->points)
		return;
	if (exe)
		xpt_points__on_file(e, exe, exe);
	for (i = 0; i < e->cfg.nr_probes; i++) {
		struct xpt_libpath lp = { .exe = exe, .ld_library_path = ld_library_path };

		if (strpbrk(e->cfg.probes[i].path, "*?/"))
			continue;
		while (xpt_libpath__next(&lp, e->cfg.probes[i].path, path, sizeof(path)) > 0)
			xpt_points__on_file(e, path, path);
	}
}

int xpt_points__open(struct xpt_engine *e)
{
	uint32_t i;
	int err;

	if (!e->cfg.nr_probes)
		return 0;
	e->points = calloc(1, sizeof(*e->points));
	if (!e->points)
		return -ENOMEM;
	e->points->nop5 = xpt_kernel__nop5_is_call();
	err = xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), XPT_POINT_SITES,
			       &e->points->places);
	for (i = 0; !err && i < e->cfg.nr_probes; i++) {
		const char *path = e->cfg.probes[i].path;
		int e1 = 0;

		if (!xpt_probe__is_glob(&e->cfg.probes[i]))
			e1 = add_fd(e, open_file(path), path, 1ull << i);
		if (e1)
			xpt_debug("%s: %s", path, strerror(-e1));
	}
	return err;
}

size_t xpt_points__nr_links(const struct xpt_engine *e)
{
	size_t n = 0;

	for (uint32_t i = 0; e->points && i < e->points->nr_files; i++)
		n += e->points->file[i].nr_links + e->points->file[i].calls.nr_links;
	return n;
}

void xpt_points__detach(struct xpt_engine *e)
{
	for (uint32_t i = 0; e->points && i < e->points->nr_files; i++) {
		struct file *f = &e->points->file[i];

		while (f->nr_fds)
			close(f->fds[--f->nr_fds]);
		while (f->nr_links)
			bpf_link__destroy(f->links[--f->nr_links]);
		xpt_libs__unlink(&f->calls);
	}
}

void xpt_points__free(struct xpt_engine *e)
{
	uint32_t i;

	if (!e->points)
		return;
	xpt_points__detach(e);
	for (i = 0; i < e->points->nr_files; i++) {
		free(e->points->file[i].fds);
		free(e->points->file[i].links);
	}
	xpt_hashmap__free(e->points->places);
	free(e->points);
	e->points = NULL;
}
