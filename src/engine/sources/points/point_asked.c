// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The functions and places of a file that the user's probes name, and whether all of them fit into the tables and
 * into the share of the file's owner.
 */
#include "engine/sources/points/point_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/parse.h"
#include "base/text_id.h"
#include "elf/elf_priv.h"
#include "elf/usdt.h"
#include "engine/sources/hooks/hook_source.h"
#include "engine/sources/points/point_fns.h"

bool xpt_point_asked__any(struct xpt_engine *e, uint64_t probes, enum xpt_probe_kind kind,
			  const char *provider, const char *name, uint16_t *strings)
{
	bool asked = false;

	for (uint32_t i = 0; i < e->cfg.nr_probes; i++) {
		const struct xpt_probe *p = &e->cfg.probes[i];

		if (probes >> i & 1 && p->kind == kind && !p->domain && xpt_name_match(p->name, name) &&
		    (kind != XPT_PROBE_USDT || xpt_glob_match(p->provider, provider))) {
			e->stats.probes_found |= 1ull << i;
			asked = true;
			if (strings)
				*strings |= p->strings;
		}
	}
	return asked;
}

uint64_t xpt_point_asked__of_kind(const struct xpt_engine *e, uint64_t probes, enum xpt_probe_kind kind)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < e->cfg.nr_probes; i++)
		if (e->cfg.probes[i].kind == kind)
			mask |= probes & 1ull << i;
	return mask;
}

bool xpt_point_asked__has_kind(const struct xpt_engine *e, uint64_t probes, enum xpt_probe_kind kind)
{
	return xpt_point_asked__of_kind(e, probes, kind);
}

uint8_t xpt_point_asked__hook(const struct xpt_engine *e, uint64_t probes)
{
	return probes ? e->cfg.probes[__builtin_ctzll(probes)].hook : 0;
}

const char *xpt_point_asked__usdt_name(const struct xpt_usdt_site *s, char sym[XPT_POINT_SYM])
{
	snprintf(sym, XPT_POINT_SYM, "%s:%s", s->provider, s->name);
	return sym;
}

/* Functions that would be new: one may be at many places, and one name may be described in several ways. */
struct new_names {
	struct xpt_hashmap *seen;
	uint64_t n;
};

/* The key that distinguishes functions of one file. */
struct seen_key {
	uint64_t name;
	struct xpt_wire_loc loc[XPT_POINT_ARGS];
	uint16_t strings, nr_args;
};

static uint64_t key_of(const struct xpt_subject *s)
{
	struct seen_key key;

	memset(&key, 0, sizeof(key));
	key.name = xpt_text_id(s->sym, strlen(s->sym));
	memcpy(key.loc, s->loc, s->nr_args * sizeof(s->loc[0]));
	key.strings = s->strings;
	key.nr_args = s->nr_args;
	return xpt_text_id(&key, sizeof(key));
}

/* Returns 0, -ENOMEM, or -ENOSPC if there are too many names to count, and so for any share. */
static int count_name(struct xpt_engine *e, struct new_names *names, const struct xpt_subject *s)
{
	uint64_t key = key_of(s);
	bool is_new = false;

	if (!names->seen && xpt_hashmap__new(sizeof(key), 1, XPT_POINT_SITES, &names->seen))
		return -ENOMEM;
	if (!xpt_hashmap__get(names->seen, &key, &is_new)) {
		names->n = XPT_POINT_SITES;
		return -ENOSPC;
	}
	names->n += is_new && !xpt_point_fns__has(e, s);
	return 0;
}

/* Whether they fit into the share of f's owner; if not, all of those probes get none there. */
static bool share_fits(struct xpt_engine *e, const struct xpt_point_file *f, struct new_names *names, uint64_t probes,
		       enum xpt_probe_kind kind, uint64_t *refused)
{
	struct xpt_point_share left;

	xpt_hashmap__free(names->seen);
	xpt_point_files__share(e, f->owner, &left);
	if (names->n <= left.fns)
		return true;
	for (uint32_t i = 0; i < e->cfg.nr_probes; i++)
		*refused |= probes & (e->cfg.probes[i].kind == kind ? 1ull << i : 0);
	if (!e->stats.nr_refused)
		e->stats.refused_owner = f->owner;
	e->stats.nr_refused += (uint32_t)names->n;
	return false;
}

bool xpt_point_asked__usdt_fit(struct xpt_engine *e, const struct xpt_usdt_site *s, size_t nr, uint64_t probes,
			       const struct xpt_point_file *f, uint64_t *refused)
{
	struct xpt_subject subject = { .domain = "usdt", .layer = XPT_LAYER_POINT, .hook = xpt_point_asked__hook(e, probes) };
	bool limited = f->owner != XPT_OWNER_MACHINE;
	struct new_names names = { NULL, 0 };
	char sym[XPT_POINT_SYM];
	uint64_t n = 0;

	for (size_t i = 0; i < nr && (subject.hook || limited); i++) {
		subject.strings = 0;
		if (!xpt_point_asked__any(e, probes, XPT_PROBE_USDT, s[i].provider, s[i].name, &subject.strings))
			continue;
		subject.sym = xpt_point_asked__usdt_name(&s[i], sym);
		subject.loc = s[i].loc;
		subject.nr_args = s[i].nr_args;
		n++;
		if (limited && count_name(e, &names, &subject))
			break;
	}
	return share_fits(e, f, &names, probes, XPT_PROBE_USDT, refused) &&
	       (!subject.hook || xpt_hooks__fit(e, subject.hook, n, XPT_POINT_SITES));
}

const char *xpt_point_asked__kind_name(enum xpt_probe_kind kind)
{
	return kind == XPT_PROBE_CALL ? "call" : "uprobe";
}

bool xpt_point_asked__functions_fit(struct xpt_engine *e, const struct xpt_point_names *p,
				    const struct xpt_point_file *f, uint64_t *refused)
{
	bool limited = f->owner != XPT_OWNER_MACHINE;
	struct new_names names = { NULL, 0 };
	struct xpt_subject subject = p->like;
	uint64_t n = 0;

	for (size_t i = 0; i < p->nr && (subject.hook || limited); i++) {
		subject.strings = p->like.strings;
		if (!xpt_point_asked__any(e, p->probes, p->kind, NULL, p->sym[i].name, &subject.strings))
			continue;
		subject.sym = p->sym[i].name;
		subject.types = xpt_dwarf__find(p->types, p->nr_types, subject.sym);
		n++;
		if (limited && count_name(e, &names, &subject))
			break;
	}
	return share_fits(e, f, &names, p->probes, p->kind, refused) &&
	       (!subject.hook || xpt_hooks__fit(e, subject.hook, n, XPT_MAX_FNS - e->nr_fns));
}

/* --- by the names of files ------------------------------------------------------------------- */

uint64_t xpt_point_asked__for_path(const struct xpt_engine *e, const char *path)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < e->cfg.nr_probes; i++)
		if (xpt_probe__is_glob(&e->cfg.probes[i]) && xpt_probe__wants_file(&e->cfg.probes[i], path))
			mask |= 1ull << i;
	return mask;
}

uint64_t xpt_point_asked__for_own_name(const struct xpt_engine *e, const char *name)
{
	uint64_t mask = 0;

	for (uint32_t i = 0; i < e->cfg.nr_probes; i++) {
		const char *slash = strrchr(e->cfg.probes[i].path, '/');

		if (xpt_glob_match(slash ? slash + 1 : e->cfg.probes[i].path, name))
			mask |= 1ull << i;
	}
	return mask;
}
