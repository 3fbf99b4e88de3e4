// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The functions and sites of the user's probes become functions of the trace: the
 * values captured of each, and the locations of the arguments of a place.
 */
#include "engine/sources/points/point_fns.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text_id.h"
#include "base/time.h"

#include "engine/function_ids.h"
#include "engine/sources/hooks/hook_source.h"
#include "engine/sources/points/point_parts.h"
#include "model/domain/cap.h"
#include "wire/config.h"
#include "call.skel.h"

#define KEY_MAX 128	/* of the key of a function */

/*
 * Captures arguments as they are; an unsigned value of eight bytes may be an address.
 * Several probes may ask for more texts than a call has room for: the rest stay
 * addresses.
 */
static void fill_spec(const struct xpt_engine *e, const struct xpt_subject *s, struct xpt_captures *caps)
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

/*
 * The difference between functions of one name: the values that are read of their arguments, and the steps of the
 * reads.
 */
struct description {
	struct xpt_captures caps;
	struct xpt_wire_hook_steps steps;
};

/* Builds the captures of a hook. Returns false if the function lacks a captured argument. */
static bool hook_spec(struct xpt_engine *e, const struct xpt_subject *s, struct description *d)
{
	uint8_t width[XPT_POINT_ARGS];
	struct xpt_captures known;
	struct xpt_dwarf_types types = { s->types, &e->cfg.hooks[s->hook - 1] };
	struct xpt_hook_place place = { .sym = s->sym, .nr_args = s->nr_args, .width = width };

	for (uint8_t i = 0; i < s->nr_args; i++)
		width[i] = s->loc[i].width;
	if (s->layer != XPT_LAYER_POINT) {
		place.nr_args = XPT_POINT_CALL_ARGS;
		place.width = NULL;
	}
	if (s->types) {
		xpt_dwarf__known(s->types, s->layer == XPT_LAYER_POINT ? XPT_POINT_FN_ARGS : XPT_POINT_CALL_ARGS, &known);
		place.known = &known;
		place.way = xpt_dwarf__way;
		place.ctx = &types;
	}
	return xpt_hooks__spec(e, s->hook, &place, s->known, &d->caps, &d->steps);
}

static uint8_t result_kind(const struct xpt_subject *s)
{
	const struct xpt_fn_row *row = s->known ? xpt_domain__row(s->known, s->sym) : NULL;

	if (s->layer == XPT_LAYER_POINT)
		return XPT_RET_NONE;
	return row ? row->ret : s->known ? s->known->catch_all_ret : XPT_RET_VALUE;
}

static bool wants_stack(const struct xpt_engine *e, const struct xpt_subject *s)
{
	return (e->cfg.stacks && xpt_plan__wants(e->cfg.stack_functions, s->sym)) ||
	       (s->hook && xpt_hook__wants_stack(&e->cfg.hooks[s->hook - 1]));
}

/* Returns false if a hook captures an argument that the function lacks. */
static bool describe_captures(struct xpt_engine *e, const struct xpt_subject *s, struct description *d)
{
	memset(d, 0, sizeof(*d));	/* it is hashed */
	if (s->of.d)
		xpt_domain_points__captures(&s->of, &d->caps);
	else if (!s->hook)
		fill_spec(e, s, &d->caps);
	else if (!hook_spec(e, s, d))
		return false;
	d->caps.spec.ret = result_kind(s);
	return true;
}

static uint32_t add_function(struct xpt_engine *e, const char *key, const struct xpt_subject *s, uint32_t lib,
			     const struct description *d)
{
	struct xpt_new_function f = {
		.key = key, .name = s->sym, .sym = s->sym, .base = s->sym,
		.group = s->known ? s->known->name : s->domain, .lib = lib, .layer = s->layer,
		.fn = { .cost_kind = s->cost_kind, .stack = wants_stack(e, s) },
	};
	const char *names[XPT_MAX_VALS];
	char base[256];

	if (!xpt_functions__next(e) || !xpt_hooks__set_steps(e, xpt_functions__next(e), &d->steps))
		return 0;
	if (s->known)
		f.base = xpt_fn_base_name(s->sym, base, sizeof(base));
	f.cap_names = xpt_captures__names(&d->caps, names);
	f.live = d->caps.spec;
	f.live.flags |= (s->layer == XPT_LAYER_POINT ? XPT_FN_POINT : s->known ? 0 : XPT_FN_NAMED) |
			(f.fn.stack ? XPT_FN_STACK : 0);
	f.live.sample = e->cfg.sample;
	f.spec = d->caps.spec;
	f.spec.flags = f.spec.hook = 0;
	xpt_hooks__show(e, xpt_functions__next(e), &f.spec);
	f.fn.strings = xpt_string_caps(&d->caps.spec);
	return xpt_functions__add(e, &f);
}

/* Returns false if f's owner has used up his share, and notes that. */
static bool has_share(struct xpt_engine *e, const struct xpt_point_file *f)
{
	struct xpt_point_share left;

	if (xpt_point_files__share(e, f->owner, &left))
		return true;
	if (!e->stats.nr_refused++)
		e->stats.refused_owner = f->owner;
	return false;
}

static void name_key(const struct xpt_subject *s, char *key, size_t n)
{
	snprintf(key, n, "%u:%s:%" PRIx64 "/%d", s->hook, s->domain, xpt_text_id(s->sym, strlen(s->sym)),
		 s->of.d ? s->nr_args : -1);
}

/*
 * The function of that name, or of that name and description where there is another one: files that anybody may have
 * made do not say how those of others are read. key: of that, which is the function's if it is made. 0: it is not
 * there yet.
 */
static uint32_t find_function(struct xpt_engine *e, const struct xpt_subject *s, const struct description *d, char *key,
			      size_t n)
{
	uint64_t description = xpt_text_id(d, sizeof(*d));
	uint32_t id;

	name_key(s, key, n);
	id = xpt_functions__find(e, key);
	if (!id || xpt_points__of(e)->description[id] == description)
		return id;
	snprintf(key + strlen(key), n - strlen(key), "#%" PRIx64, description);
	return xpt_functions__find(e, key);
}

bool xpt_point_fns__has(struct xpt_engine *e, const struct xpt_subject *s)
{
	struct description d;
	char key[KEY_MAX];

	return !describe_captures(e, s, &d) || find_function(e, s, &d, key, sizeof(key));
}

uint32_t xpt_point_fns__id(struct xpt_engine *e, const struct xpt_subject *s, const struct xpt_point_file *f)
{
	struct xpt_point_share *share = xpt_point_files__of(e, f->owner);
	struct description d;
	char key[KEY_MAX];
	uint32_t id;

	if (!describe_captures(e, s, &d))
		return 0;
	id = find_function(e, s, &d, key, sizeof(key));
	if (id)
		return id;
	if (!has_share(e, f))
		return 0;
	id = add_function(e, key, s, xpt_point_files__lib(e, f), &d);
	if (!id)
		return 0;
	xpt_points__of(e)->description[id] = xpt_text_id(&d, sizeof(d));
	e->stats.nr_fns++;
	if (share)
		share->fns++;
	return id;
}

bool xpt_point_fns__place(struct xpt_engine *e, const struct xpt_subject *s, const struct xpt_point_file *f, uint32_t *ret_id)
{
	struct xpt_point_share *share = xpt_point_files__of(e, f->owner);
	struct xpt_wire_site site = { .nr_locs = s->nr_args };
	struct xpt_points *pts = xpt_points__of(e);
	uint64_t key;
	uint32_t *id;
	bool is_new;

	memcpy(site.loc, s->loc, s->nr_args * sizeof(s->loc[0]));
	key = xpt_text_id(&site, sizeof(site));
	id = xpt_hashmap__get(pts->places, &key, &is_new);
	if (!id)
		return false;
	if (is_new) {
		*id = pts->nr_places;
		if (!has_share(e, f) || bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_places), id, &site, BPF_ANY)) {
			xpt_hashmap__del(pts->places, &key);
			return false;
		}
		pts->nr_places++;
		if (share)
			share->places++;
	}
	*ret_id = *id;
	return true;
}

void xpt_point_fns__read_enums(struct xpt_engine *e, const struct xpt_point_file *f, uint64_t hooks, const char *path)
{
	uint64_t began_ns = xpt_now_ns();

	if (!hooks)
		return;
	if (xpt_point_files__has_time(e, f))
		xpt_hooks__read_enums(e, hooks, path);
	else
		e->stats.nr_unread++;
	xpt_allowance__spend(&xpt_points__of(e)->time, f->owner, xpt_now_ns() - began_ns, xpt_now_ns());
}
