// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Turns a hook's captures into those of one function: finds the arguments by number or, if they are known, by name.
 * An event without captures of its own shows all there are.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hooks/hook.h"

#define REG_ARGS 6

static int report_missing(const struct xpt_hook_cap *c, const struct xpt_hook_place *p, struct xpt_hook_error *err)
{
	size_t at;

	err->at = c->at;
	if (c->arg >= 0) {
		snprintf(err->why, sizeof(err->why), "%.60s has %u arguments", p->sym, p->nr_args);
		return -ENOENT;
	}
	snprintf(err->why, sizeof(err->why), "%.60s has no argument '%.40s' that is known%s", p->sym, c->arg_name,
		 p->known && p->known->spec.nr_caps ? ": it has" : ": arg0, arg1 ... can be had");
	for (unsigned i = 0; p->known && i < p->known->spec.nr_caps; i++) {
		at = strlen(err->why);
		snprintf(err->why + at, sizeof(err->why) - at, "%s %s", i ? "," : "", p->known->name[i]);
	}
	return -ENOENT;
}

/* Returns the capture of that name among the known ones of the function, or NULL. */
static const struct xpt_wire_cap *known_cap(const struct xpt_hook_place *p, const char *name)
{
	for (unsigned i = 0; p->known && i < p->known->spec.nr_caps; i++)
		if (!strcmp(p->known->name[i], name))
			return &p->known->spec.cap[i];
	return NULL;
}

/* Of a string: the value there is the address of its first byte, to which c->off is added.
 * False: no room. */
static bool add_offset(const struct xpt_hook_cap *c, struct xpt_hook_way *way)
{
	if (c->kind != XPT_HOOK_CAP_STRING || !c->off)
		return true;
	if (way->nr == XPT_HOOK_DEREFS)
		return false;
	way->step[way->nr++] = (struct xpt_wire_hook_step){ .off = c->off };
	return true;
}

/* Through structs: the address as it is, and the way as steps; *(way + off) and widths after it. */
static int follow_path(const struct xpt_hook_cap *c, const struct xpt_hook_place *p, struct xpt_wire_cap *ret_cap,
		       struct xpt_hook_way *way, struct xpt_hook_error *err)
{
	bool is_full;

	err->at = c->at;
	if (!p->way) {
		snprintf(err->why, sizeof(err->why), "no types are known of the arguments of %.60s: *(arg0 + OFFSET) reads "
			 "what lies there", p->sym);
		return -ENOENT;
	}
	if (p->way(p->ctx, c, way, err))
		return -ENOENT;
	is_full = c->kind == XPT_HOOK_CAP_DEREF && way->nr == XPT_HOOK_DEREFS;
	if (c->kind == XPT_HOOK_CAP_DEREF && !is_full)
		way->step[way->nr++] = (struct xpt_wire_hook_step){ .off = c->off, .width = 8 };
	if (is_full || !add_offset(c, way)) {
		snprintf(err->why, sizeof(err->why), "more than %d pointers are followed", XPT_HOOK_DEREFS);
		return -ENOENT;
	}
	if (c->width && !way->step[way->nr - 1].bits)
		way->step[way->nr - 1].width = c->width;
	*ret_cap = (struct xpt_wire_cap){ .op = c->kind == XPT_HOOK_CAP_STRING ? XPT_CAP_STR : XPT_CAP_VAL,
					  .arg = way->arg, .width = 8,
					  .role = c->kind == XPT_HOOK_CAP_STRING ? XPT_ROLE_NONE : XPT_ROLE_VALUE };
	return 0;
}

/* Pointers of the kernel are followed by steps. */
static void use_step(const struct xpt_hook_cap *c, struct xpt_wire_cap *w, struct xpt_hook_way *way)
{
	way->step[way->nr++] = (struct xpt_wire_hook_step){ .off = c->off, .width = c->width ? c->width : 8 };
	w->op = XPT_CAP_VAL;
	w->off = 0;
	w->width = 8;
}

static int resolve_capture(const struct xpt_hook_cap *c, const struct xpt_hook_place *p, struct xpt_wire_cap *ret_cap,
			   struct xpt_hook_way *way, struct xpt_hook_error *err)
{
	const struct xpt_wire_cap *known = c->arg < 0 ? known_cap(p, c->arg_name) : NULL;
	struct xpt_wire_cap w = { .op = XPT_CAP_VAL, .width = 8 };

	way->nr = 0;
	if (c->arg < 0 ? !known : c->arg >= p->nr_args)
		return report_missing(c, p, err);
	if (c->path[0])
		return follow_path(c, p, ret_cap, way, err);
	if (known)
		w = *known;
	else
		w.arg = (uint8_t)c->arg;
	if (!known && p->width)
		w.width = (uint8_t)(8 | (p->width[c->arg] & 0x80));
	w.role = known && known->role == XPT_ROLE_VALUE ? XPT_ROLE_VALUE : XPT_ROLE_NONE;
	if (w.op != XPT_CAP_STR && !known)
		w.role = p->width && p->width[c->arg] != 8 ? XPT_ROLE_VALUE : XPT_ROLE_NONE;
	if (c->kind == XPT_HOOK_CAP_DEREF) {
		w.op = XPT_CAP_DEREF;
		w.off = c->off;
		w.width = 8;
	} else if (c->kind == XPT_HOOK_CAP_STRING) {
		w.op = XPT_CAP_STR;
		w.off = 0;
		w.width = 8;
	}
	if (c->width)
		w.width = c->width;
	if (c->width)
		w.role = XPT_ROLE_VALUE;
	if (c->kind == XPT_HOOK_CAP_DEREF && p->kernel)
		use_step(c, &w, way);
	add_offset(c, way);
	*ret_cap = w;
	return 0;
}

static bool has_name(const struct xpt_captures *caps, const char *name)
{
	for (unsigned i = 0; i < caps->spec.nr_caps; i++)
		if (!strcmp(caps->name[i], name))
			return true;
	return false;
}

static bool add_capture(struct xpt_captures *caps, const struct xpt_wire_cap *w, const char *name)
{
	unsigned n = caps->spec.nr_caps;

	if (n == XPT_MAX_VALS)
		return false;
	if (w->op == XPT_CAP_STR && caps->spec.str_cap)
		caps->spec.flags |= XPT_FN_STRINGS;
	else if (w->op == XPT_CAP_STR)
		caps->spec.str_cap = (uint8_t)(n + 1);
	if (w->op == XPT_CAP_OUT || w->op == XPT_CAP_OUT_HASH || w->op == XPT_CAP_RET)
		caps->spec.out_mask |= (uint16_t)(1u << n);
	if ((w->op != XPT_CAP_CONST && w->op != XPT_CAP_RET) && w->arg >= REG_ARGS &&
	    caps->spec.nr_stack < w->arg - REG_ARGS + 1)
		caps->spec.nr_stack = (uint8_t)(w->arg - REG_ARGS + 1);
	caps->spec.cap[n] = *w;
	snprintf(caps->name[n], sizeof(caps->name[n]), "%s", name);
	caps->spec.nr_caps++;
	return true;
}

/* Whether there is room for one more string, if it is one. */
static bool has_room(const struct xpt_captures *caps, const struct xpt_wire_cap *w)
{
	unsigned strings = 0;

	for (unsigned i = 0; i < caps->spec.nr_caps; i++)
		strings += caps->spec.cap[i].op == XPT_CAP_STR;
	return w->op != XPT_CAP_STR || strings < XPT_STRS_MAX;
}

/* Adds all other arguments after those that were asked for. */
static void add_all(const struct xpt_hook_place *p, struct xpt_captures *caps)
{
	char name[8];

	for (unsigned i = 0; p->known && i < p->known->spec.nr_caps; i++)
		if (!has_name(caps, p->known->name[i]) && has_room(caps, &p->known->spec.cap[i]) &&
		    !add_capture(caps, &p->known->spec.cap[i], p->known->name[i]))
			return;
	for (unsigned i = 0; (!p->known || !p->known->spec.nr_caps) && i < p->nr_args && i < REG_ARGS * 2; i++) {
		struct xpt_hook_cap c = { .arg = (int8_t)i };
		struct xpt_hook_error ignored;
		struct xpt_hook_way none;
		struct xpt_wire_cap w;

		snprintf(name, sizeof(name), "arg%u", i);
		if (!has_name(caps, name) && !resolve_capture(&c, p, &w, &none, &ignored))
			add_capture(caps, &w, name);
	}
}

/* Adds the steps of a value. Returns false if there are too many. */
static bool add_steps(struct xpt_wire_hook_steps *steps, const struct xpt_hook_way *way, unsigned cap)
{
	for (unsigned i = 0; i < way->nr; i++) {
		if (steps->nr == XPT_HOOK_STEPS_MAX)
			return false;
		steps->step[steps->nr] = way->step[i];
		steps->step[steps->nr].cap = steps->step[steps->nr].from = (uint8_t)cap;
		steps->nr++;
	}
	return true;
}

int xpt_hook__captures(const struct xpt_hook *h, const struct xpt_hook_place *p,
		       struct xpt_captures *ret_caps, struct xpt_wire_hook_steps *ret_steps,
		       struct xpt_hook_error *ret_err)
{
	struct xpt_hook_way way;
	struct xpt_wire_cap w;
	int err;

	memset(ret_caps, 0, sizeof(*ret_caps));
	memset(ret_steps, 0, sizeof(*ret_steps));
	ret_caps->spec.cls = XPT_CLASS_OTHER;
	ret_caps->spec.size_cap = ret_caps->spec.dir_cap = 0xff;
	for (unsigned i = 0; i < h->nr_caps; i++) {
		err = resolve_capture(&h->cap[i], p, &w, &way, ret_err);
		if (err)
			return err;
		/* There is room for four texts; the program knows captures by their number. */
		if (!has_room(ret_caps, &w))
			w.op = XPT_CAP_VAL;
		if (!add_steps(ret_steps, &way, ret_caps->spec.nr_caps)) {
			ret_err->at = h->cap[i].at;
			snprintf(ret_err->why, sizeof(ret_err->why), "more than %d pointers are followed",
				 XPT_HOOK_STEPS_MAX);
			return -ENOENT;
		}
		add_capture(ret_caps, &w, h->cap[i].name);
	}
	if (h->prog.action == XPT_HOOK_EVENT && !h->nr_shown)
		add_all(p, ret_caps);
	return 0;
}
