// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Functions of libraries. Functions of the same name have one id, in whatever library they are, so the names in the
 * tables of domains are a bounded set. Other names come from the users who make and map files: they get a part of the
 * table, and those of one owner's files a small part of that (name_shares.h). Functions without a place are counted
 * together, as "(other)" of their domain.
 */
#include "engine/libraries/libs_priv.h"

#include <stdio.h>
#include <string.h>

#include "engine/function_ids.h"
#include "engine/libraries/libs.h"
#include "model/domain/cap.h"
#include "proc/remote/remote.h"
#include "wire/config.h"

#define OTHER "(other)"

/* Adds the function to the trace. Returns its id, or 0 if there is no room or no memory. */
static uint32_t add_function(struct xpt_engine *e, const char *key, const struct xpt_plan *p,
			     const struct xpt_elib *lib)
{
	struct xpt_new_function f = {
		.key = key, .name = p->sym, .sym = p->sym, .group = p->domain->name,
		.lib = xpt_libraries__id(e, lib), .layer = p->domain->layer,
		.fn = { .domain = p->domain,
			.cost_kind = (uint8_t)xpt_returns__cost_kind(&p->site, &p->returns) },
	};
	const char *names[XPT_MAX_VALS];
	struct xpt_captures caps;
	char base[256];
	uint32_t id;

	xpt_captures__make(p->domain, p->row, p->sym, e->cfg.args, &caps);
	f.base = xpt_fn_base_name(p->sym, base, sizeof(base));
	f.cap_names = xpt_captures__names(&caps, names);
	f.spec = f.live = caps.spec;
	f.spec.flags = 0;
	f.live.sample = e->cfg.sample;	/* runtime flags, which are not recorded */
	f.fn.stack = e->cfg.stacks && xpt_plan__wants(e->cfg.stack_functions, p->sym);
	f.live.flags |= f.fn.stack ? XPT_FN_STACK : 0;
	f.fn.strings = xpt_string_caps(&caps.spec);
	id = xpt_functions__add(e, &f);
	if (!id)
		return 0;
	if (caps.spec.str_cap)
		xpt_remote__prepare();	/* for strings that the probe cannot read (late_strings.c) */
	e->traces_alloc |= f.live.cls == XPT_CLASS_ALLOC;
	e->traces_free |= f.live.cls == XPT_CLASS_FREE;
	return id;
}

/* Whether a table has the name as it is, but for _ptsz and _ptds. */
static bool is_known(const struct xpt_plan *p)
{
	char name[256];
	struct xpt_sig sig;
	size_t len = strlen(p->sym);

	if (xpt_sig__find(p->domain->sigs, p->sym, &sig))
		return true;
	if (!p->row || len >= sizeof(name))
		return false;
	memcpy(name, p->sym, len + 1);
	if (len > 5 && (!strcmp(name + len - 5, "_ptsz") || !strcmp(name + len - 5, "_ptds")))
		name[len - 5] = '\0';
	return !strcmp(name, p->row->sym) || !strcmp(p->sym, p->row->sym);
}

bool xpt_lib_functions__has_share(const struct xpt_engine *e, uint64_t owner)
{
	return xpt_name_shares__has(&xpt_libraries__of(e)->functions.names, owner);
}

uint32_t xpt_libs__reserved_ids(const struct xpt_engine *e)
{
	uint32_t nr = xpt_libraries__of(e)->functions.nr_known;

	return nr < XPT_NAMES_KNOWN ? XPT_NAMES_KNOWN - nr : 0;
}

/* Notes that a function has no name of its own. */
static void note_unnamed(struct xpt_engine *e, struct xpt_elib *lib)
{
	lib->starved = true;
	e->lost[XPT_LOSS_NAMES_FULL]++;
	e->stats.nr_unnamed++;
}

/* Takes one of the places for names that no table has. Returns false if there is none for that owner. */
static bool take_place(struct xpt_engine *e, const struct xpt_plan *p, struct xpt_elib *lib)
{
	struct xpt_libraries *l = xpt_libraries__of(e);

	if (is_known(p)) {
		l->functions.nr_known++;
		return true;
	}
	if (xpt_name_shares__take(&l->functions.names, lib->owner))
		return true;
	note_unnamed(e, lib);
	e->stats.unnamed_owner = l->functions.names.most_refused_owner;
	return false;
}

int xpt_lib_functions__open(struct xpt_engine *e)
{
	return xpt_name_shares__open(&xpt_libraries__of(e)->functions.names);
}

void xpt_lib_functions__close(struct xpt_engine *e)
{
	xpt_name_shares__close(&xpt_libraries__of(e)->functions.names);
}

/* Returns the id of a name, which is made if it is new and there is a place for it; else 0. */
static uint32_t id_of_name(struct xpt_engine *e, const struct xpt_plan *p, struct xpt_elib *lib, bool is_other)
{
	char key[512];
	uint32_t id;

	snprintf(key, sizeof(key), "%s %s", p->domain->name, p->sym);
	id = xpt_functions__find(e, key);
	if (id)
		return id;
	if (!is_other && (!xpt_functions__next(e) || !take_place(e, p, lib)))
		return 0;
	return add_function(e, key, p, lib);
}

uint32_t xpt_lib_functions__id(struct xpt_engine *e, const struct xpt_plan *p, struct xpt_elib *lib)
{
	struct xpt_plan other = *p;
	uint32_t id = id_of_name(e, p, lib, false);

	if (id)
		return id;
	if (!xpt_functions__next(e))	/* a known name, or one with a share: the table itself is full */
		note_unnamed(e, lib);
	other.sym = OTHER;
	other.row = NULL;
	return id_of_name(e, &other, lib, true);
}
