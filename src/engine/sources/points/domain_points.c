// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Points of domains, see domain_points.h.
 */
#include "engine/sources/points/domain_points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "engine/priv.h"
#include "engine/sources/points/program_states.h"
#include "model/vocab.h"

bool xpt_domain_points__find(struct xpt_engine *e, uint64_t probes, const struct xpt_usdt_site *s,
			     struct xpt_point_row *ret_row)
{
	for (uint32_t i = 0; i < e->cfg.nr_probes; i++) {
		const struct xpt_domain *d = e->cfg.probes[i].domain;
		const struct xpt_fn_row *row = NULL;

		if (d && probes >> i & 1 && xpt_glob_match(d->provider, s->provider))
			row = xpt_domain__probe(d, s->name, s->nr_args);
		if (!row)
			continue;
		e->stats.probes_found |= 1ull << i;
		*ret_row = (struct xpt_point_row){ d, row };
		return true;
	}
	return false;
}

void xpt_domain_points__captures(const struct xpt_point_row *r, struct xpt_captures *ret_caps)
{
	struct xpt_wire_fn *spec = &ret_caps->spec;
	unsigned strings = 0;

	memset(ret_caps, 0, sizeof(*ret_caps));
	xpt_domain__spec(r->d, r->row, spec);
	for (unsigned i = 0; i < spec->nr_caps; i++) {
		strings += spec->cap[i].op == XPT_CAP_STR;
		snprintf(ret_caps->name[i], XPT_CAP_NAME, "%s", r->row->cap[i].name);
	}
	spec->nr_stack = 0;	/* the probe's note has the locations of arguments */
	spec->flags = strings > 1 ? XPT_FN_STRINGS : 0;
	if (r->row->kind)
		spec->flags |= XPT_FN_KEEP;
}

void xpt_domain_points__fix_args(const struct xpt_point_row *r, struct xpt_wire_loc *loc)
{
	if (r->row->cap[0].wire.role == XPT_ROLE_TICKS && loc[0].kind == XPT_LOC_CONST)
		loc[0].kind = XPT_LOC_NONE;
}

/* Writes names for all programs of a trace: events do not say to which program an object belongs. */
static void emit_names(struct xpt_engine *e, unsigned kind, const struct xpt_enum *names)
{
	char key[64], text[XPT_STATES_MAX * (XPT_ENUM_NAME + 1)] = "";
	size_t at = 0;

	for (unsigned k = 0; k < names->nr; k++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", k ? "," : "", names->name[k]);
	snprintf(key, sizeof(key), "states:%s", xpt_kind_name(kind));
	xpt_facts__meta(e, key, text);
}

/* If the release of a program is not known, no names are written: the newest ones would be a guess. */
void xpt_domain_points__write_names(struct xpt_engine *e, struct xpt_enum **written, const struct xpt_domain *d, const char *path)
{
	static const struct xpt_enum none = { .nr = 0 };

	for (size_t i = 0; i < d->nr_states; i++) {
		unsigned kind = d->states[i].kind;
		struct xpt_state_list l;

		if (!d->states[i].type || !xpt_states__of_file(d, kind, "", path, 0, &l))
			continue;
		e->stats.nr_unread += l.unread;
		if (l.unread)
			xpt_debug("%s: debug information not read", path);
		if (l.from == XPT_STATES_NEWEST)
			xpt_debug("%s names no release: numbers of states are shown", path);
		xpt_states__merge(&written[kind], l.from == XPT_STATES_NEWEST ? &none : &l.names);
		if (written[kind])
			emit_names(e, kind, written[kind]);
	}
}
