// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the places of a file for the probes that the user named. Functions get the same sites as those of domains
 * (site.h), so the slots of stubs are examined, too. A probe is one function of the trace, in however many places and
 * files it is; places with the same argument locations share one description (struct xpt_wire_site).
 */
#include "engine/sources/points/point_places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "elf/debug_file.h"
#include "elf/dwarf/dwarf_args.h"
#include "elf/dwarf/dwarf_child.h"
#include "elf/elf_priv.h"
#include "elf/usdt.h"
#include "engine/attach/shared_probe.h"
#include "engine/left_out.h"
#include "engine/sources/hooks/hook_source.h"
#include "engine/sources/points/domain_points.h"
#include "engine/sources/points/point_fns.h"
#include "wire/config.h"

#define NAME_WORK 200	/* units of work (elf_work.c) of comparing a name with a probe */

static void put_place(struct xpt_point_batch *b, uint64_t offset, uint64_t sema, uint64_t cookie)
{
	b->offsets[b->n] = offset;
	b->semas[b->n] = sema;
	b->cookies[b->n++] = cookie;
}

/* Adds the function of a place that was found; returns its id, 0: there is no room. */
static uint32_t add_fn(struct xpt_engine *e, struct xpt_point_batch *b, const struct xpt_subject *s, uint32_t *ret_place)
{
	uint32_t id = xpt_point_fns__id(e, s, b->f);

	*ret_place = 0;
	if (!id || (s->layer == XPT_LAYER_POINT && !xpt_point_fns__place(e, s, b->f, ret_place))) {
		e->stats.nr_failed++;
		return 0;
	}
	if (s->hook) {
		b->hooks |= 1ull << (s->hook - 1) % 64;
		xpt_hooks__found(e, s->hook);
	}
	return id;
}

/* Adds the place of a USDT probe (<sys/sdt.h>). */
static void add_place(struct xpt_engine *e, struct xpt_point_batch *b, const struct xpt_subject *s,
		      uint64_t offset, uint64_t sema)
{
	uint32_t place, id = add_fn(e, b, s, &place);

	if (!id)
		return;
	e->stats.nr_slow += s->cost_kind & XPT_COST_STEPPED;
	put_place(b, offset, sema, XPT_POINT_COOKIE(place, id));
}

/* Whether one of the places from..to-1 is there. */
static bool has_offset(const struct xpt_point_batch *b, uint32_t from, uint32_t to,
		       uint64_t offset)
{
	for (uint32_t i = from; i < to; i++)
		if (b->offsets[i] == offset)
			return true;
	return false;
}

/* The ends of a call whose return is seen there; two functions may end at one place, where one
 * probe is enough for both. Each further probe of one function needs its own there. */
static void add_ends(struct xpt_engine *e, struct xpt_point_batch *b, const struct xpt_returns *r, uint64_t cookie,
		     bool further)
{
	uint32_t had = b->n;

	for (uint32_t i = 0; i < r->nr; i++) {
		if (!further && r->site[i].flags & XPT_AT_SHARED && has_offset(b, 0, had, r->site[i].offset))
			continue;
		put_place(b, r->site[i].offset, 0, cookie | r->site[i].flags);
		e->stats.nr_slow += r->site[i].cls == XPT_SITE_SINGLE_STEP;
	}
}

/* Adds a function at its site; calls share the probe of another function there. r: how they return. */
static void add_function(struct xpt_engine *e, struct xpt_point_batch *b, const struct xpt_subject *s,
			 const struct xpt_sym *sym, const struct xpt_site *site,
			 const struct xpt_returns *r, uint32_t round)
{
	uint32_t place, id = add_fn(e, b, s, &place);
	uint64_t cookie = XPT_POINT_COOKIE(place, id);
	enum xpt_share share = XPT_SHARE_NEW;

	if (!id)
		return;
	if (s->layer != XPT_LAYER_POINT)
		share = xpt_shared__add(e, &b->f->inode, b->f->owner, sym->vaddr, id, round, false, &cookie);
	if (share == XPT_SHARE_JOINED || share == XPT_SHARE_REFUSED) {
		b->joined += share == XPT_SHARE_JOINED;
		e->stats.nr_failed += share == XPT_SHARE_REFUSED;
		return;
	}
	e->stats.nr_slow += s->cost_kind & XPT_COST_STEPPED;
	add_ends(e, b, r, cookie, share == XPT_SHARE_FURTHER);	/* first, so that no call is open without them */
	if (r->way == XPT_RETURN_SITES)
		cookie |= XPT_NO_RETURN_PROBE;
	put_place(b, site->offset, 0, cookie);
}

/* Adds a function whose calls are traced, with the safe way to see its return. */
static void add_call(struct xpt_engine *e, struct xpt_elf *elf, struct xpt_point_batch *b, struct xpt_subject *s,
		     const struct xpt_sym *sym, const struct xpt_site *site, uint32_t round)
{
	struct xpt_returns returns;

	if (xpt_shared__is_full(e, &b->f->inode, sym->vaddr)) {
		e->stats.nr_failed++;
		if (s->hook)
			xpt_hooks__refuse(e, s->hook, "%s has %d hooks, or its table and hooks, already: each takes "
					  "a place among the calls that a thread has open", sym->name, XPT_MAX_DEPTH);
		return;
	}
	if (xpt_returns__find(elf, sym, site, xpt_hooks__return_of(b->name, sym->name), &returns)) {
		e->stats.nr_failed++;
		return;
	}
	if (returns.way == XPT_RETURN_UNSEEN) {
		xpt_left_out__unseen(e, sym->name, &returns);
		if (s->hook)
			xpt_hooks__unseen(e, s->hook, returns.reason);
	} else if (b->n + returns.nr + 2 > XPT_POINT_SITES) {
		e->stats.nr_failed++;
	} else {
		s->cost_kind = (uint8_t)xpt_returns__cost_kind(site, &returns);
		add_function(e, b, s, sym, site, &returns, round);
	}
	xpt_returns__free(&returns);
}

void xpt_point_places__add_usdt(struct xpt_engine *e, const struct xpt_usdt *u, uint64_t probes, uint64_t before,
				struct xpt_point_batch *b)
{
	struct xpt_wire_loc loc[XPT_POINT_ARGS];
	const struct xpt_usdt_site *s;
	struct xpt_point_row earlier;
	char sym[XPT_POINT_SYM];
	size_t nr, i;

	s = xpt_usdt__sites(u, &nr);
	if (!xpt_point_asked__usdt_fit(e, s, nr, probes, b->f, &b->done->refused))
		return;
	for (i = 0; i < nr; i++) {
		struct xpt_subject subject = { "usdt", sym, XPT_LAYER_POINT, s[i].nr_args, 0, loc,
					   s[i].cls == XPT_SITE_SINGLE_STEP ? XPT_COST_STEPPED : XPT_COST_EMULATED,
					   xpt_point_asked__hook(e, probes), NULL, NULL, { NULL, NULL } };

		if ((!xpt_point_asked__any(e, probes, XPT_PROBE_USDT, s[i].provider, s[i].name, &subject.strings) &
		     !xpt_domain_points__find(e, probes, &s[i], &subject.of)) ||
		    xpt_point_asked__any(e, before, XPT_PROBE_USDT, s[i].provider, s[i].name, NULL) ||
		    xpt_domain_points__find(e, before, &s[i], &earlier))
			continue;
		if (b->n == XPT_POINT_SITES) {
			e->stats.nr_failed++;
			continue;
		}
		xpt_point_asked__usdt_name(&s[i], sym);
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

static const struct xpt_wire_loc fn_args[XPT_POINT_FN_ARGS] = {
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_RDI },
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_RSI },
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_RDX },
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_RCX },
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_R8 },
	{ .kind = XPT_LOC_REG, .width = 8, .base = XPT_REG_R9 },
};

/* The debug file is in our own file system: a container's information about its build is not used. */
static struct xpt_elf *find_debug(struct xpt_point_batch *b, const struct xpt_elf *elf)
{
	if (!b->looked)
		b->debug = xpt_debug_file__open(elf, NULL, b->name);
	b->looked = true;
	return b->debug;
}

/* The functions of the file: where it exports none that is asked for, its local ones, and those that
 * only its debug file names. False: that would cost too much. */
static bool list_functions(struct xpt_engine *e, struct xpt_elf *elf, enum xpt_probe_kind kind, uint64_t probes,
			   struct xpt_point_batch *b)
{
	for (unsigned from = 0; from < 3; from++) {
		const struct xpt_elf *of = from == 1 ? elf : from == 2 ? find_debug(b, elf) : NULL;
		const struct xpt_sym *sym;
		size_t nr;

		if (from && (!of || xpt_elf__list_local(elf, of)))
			continue;
		sym = xpt_elf__syms(elf, &nr);
		if (!xpt_elf__spend(elf, nr * e->cfg.nr_probes * NAME_WORK))
			return false;
		for (size_t i = 0; i < nr; i++)
			if (xpt_point_asked__any(e, probes, kind, NULL, sym[i].name, NULL))
				return true;
	}
	return true;
}

/*
 * Reads the types of a hook's functions from debug information, of the file or its debug file. Returns false if the
 * file's owner has no time left.
 */
static bool read_types(struct xpt_engine *e, const struct xpt_elf *elf, struct xpt_point_batch *b, unsigned hook,
		       struct xpt_dwarf_fn **ret_types, size_t *ret_nr)
{
	const struct xpt_hook *h = &e->cfg.hooks[hook - 1];
	struct xpt_allowance *time = &xpt_points__of(e)->time;
	uint64_t began_ns = xpt_now_ns();
	const struct xpt_elf *debug;
	char path[32];
	int err;

	if (!xpt_point_files__has_time(e, b->f))
		return false;
	err = xpt_dwarf__read(b->path, h, ret_types, ret_nr);
	debug = err == -ENOENT ? find_debug(b, elf) : NULL;
	if (debug) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", debug->fd);
		err = xpt_dwarf__read(path, h, ret_types, ret_nr);
	}
	e->stats.nr_unread += xpt_dwarf_child__unread(err);
	/* Counted at once, because each hook has the debug information read again. */
	xpt_allowance__spend(time, b->f->owner, xpt_now_ns() - began_ns, xpt_now_ns());
	return true;
}

void xpt_point_places__add_functions(struct xpt_engine *e, struct xpt_elf *elf, enum xpt_probe_kind kind, uint64_t probes,
				     uint64_t before, struct xpt_point_batch *b)
{
	const struct xpt_domain *known = xpt_point_asked__hook(e, probes) ? xpt_hooks__domain(b->name) : NULL;
	const struct xpt_returns none = { .way = XPT_RETURN_PROBE, .of = XPT_RETURNS_C };
	bool call = kind == XPT_PROBE_CALL;
	struct xpt_point_names names = {
		.kind = kind, .probes = probes,
		.like = { xpt_point_asked__kind_name(kind), NULL, call ? XPT_LAYER_API : XPT_LAYER_POINT, XPT_POINT_FN_ARGS,
			  0, fn_args, XPT_COST_EMULATED, xpt_point_asked__hook(e, probes), known, NULL, { NULL, NULL } },
	};
	uint32_t from = b->n, round = xpt_shared__round(e);
	struct xpt_dwarf_fn *types = NULL;
	const struct xpt_sym *sym;
	size_t nr, i;

	if (!list_functions(e, elf, kind, probes, b))
		return;
	if (!known && names.like.hook && !read_types(e, elf, b, names.like.hook, &types, &names.nr_types)) {
		b->done->refused |= probes;	/* all of them, and the file is read again later */
		return;
	}
	names.types = types;
	sym = names.sym = xpt_elf__syms(elf, &nr);
	names.nr = nr;
	if (!xpt_point_asked__functions_fit(e, &names, b->f, &b->done->refused)) {
		free(types);
		return;
	}
	for (i = 0; i < nr; i++) {
		struct xpt_subject s = names.like;
		struct xpt_site site;

		s.sym = sym[i].name;
		s.types = xpt_dwarf__find(types, names.nr_types, s.sym);
		if (!xpt_point_asked__any(e, probes, kind, NULL, sym[i].name, &s.strings) ||
		    xpt_point_asked__any(e, before, kind, NULL, sym[i].name, NULL))
			continue;
		if (call && xpt_shared__has(e, &b->f->inode, sym[i].vaddr, round))
			continue;	/* another name of the same function */
		if (b->n + 2 > XPT_POINT_SITES || b->n - from >= 2 * XPT_MAX_FNS) {
			e->stats.nr_failed++;
			continue;
		}
		xpt_elf__site(elf, &sym[i], e->cfg.move_sites, &site);
		if (site.cls == XPT_SITE_UNSAFE) {
			e->stats.nr_unsafe++;
			continue;
		}
		if (!call && has_offset(b, from, b->n, site.offset))
			continue;
		s.cost_kind = (uint8_t)xpt_returns__cost_kind(&site, &none);
		if (call)
			add_call(e, elf, b, &s, &sym[i], &site, round);
		else
			add_function(e, b, &s, &sym[i], &site, &none, round);
	}
	free(types);
}
