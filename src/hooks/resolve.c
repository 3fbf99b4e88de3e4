// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From a hook's captures to those of one function: where its arguments lie, by
 * number or, where something knows them, by name. An event without captures of
 * its own shows all there are.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hooks/hook.h"

#define REG_ARGS 6

static int missing(const struct xpt_hook_cap *c, const struct xpt_hook_place *p, struct xpt_hook_error *err)
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

/* By name, as what is known of the function reads it. */
static const struct xpt_wire_cap *known_cap(const struct xpt_hook_place *p, const char *name)
{
	for (unsigned i = 0; p->known && i < p->known->spec.nr_caps; i++)
		if (!strcmp(p->known->name[i], name))
			return &p->known->spec.cap[i];
	return NULL;
}

static int one(const struct xpt_hook_cap *c, const struct xpt_hook_place *p, struct xpt_wire_cap *ret_cap,
	       struct xpt_hook_error *err)
{
	const struct xpt_wire_cap *known = c->arg < 0 ? known_cap(p, c->arg_name) : NULL;
	struct xpt_wire_cap w = { .op = XPT_CAP_VAL, .width = 8 };

	if (c->arg < 0 ? !known : c->arg >= p->nr_args)
		return missing(c, p, err);
	if (known)
		w = *known;
	else
		w.arg = (uint8_t)c->arg;
	if (!known && p->width)
		w.width = (uint8_t)(8 | (p->width[c->arg] & 0x80));
	w.role = XPT_ROLE_NONE;
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

static bool add(struct xpt_captures *caps, const struct xpt_wire_cap *w, const char *name)
{
	unsigned n = caps->spec.nr_caps;

	if (n == XPT_MAX_VALS)
		return false;
	if (w->op == XPT_CAP_STR && caps->spec.str_cap)
		return true;
	if (w->op == XPT_CAP_STR)
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

/* Behind what was asked for: everything. */
static void add_all(const struct xpt_hook_place *p, struct xpt_captures *caps)
{
	char name[8];

	for (unsigned i = 0; p->known && i < p->known->spec.nr_caps; i++)
		if (!has_name(caps, p->known->name[i]) &&
		    !add(caps, &p->known->spec.cap[i], p->known->name[i]))
			return;
	for (unsigned i = 0; (!p->known || !p->known->spec.nr_caps) && i < p->nr_args && i < REG_ARGS * 2; i++) {
		struct xpt_hook_cap c = { .arg = (int8_t)i };
		struct xpt_hook_error ignored;
		struct xpt_wire_cap w;

		snprintf(name, sizeof(name), "arg%u", i);
		if (!has_name(caps, name) && !one(&c, p, &w, &ignored))
			add(caps, &w, name);
	}
}

int xpt_hook__captures(const struct xpt_hook *h, const struct xpt_hook_place *p,
		       struct xpt_captures *ret_caps, struct xpt_hook_error *ret_err)
{
	struct xpt_wire_cap w;
	int err;

	memset(ret_caps, 0, sizeof(*ret_caps));
	ret_caps->spec.cls = XPT_CLASS_OTHER;
	ret_caps->spec.size_cap = ret_caps->spec.dir_cap = 0xff;
	for (unsigned i = 0; i < h->nr_caps; i++) {
		err = one(&h->cap[i], p, &w, ret_err);
		if (err)
			return err;
		/* There is room for one text; the program knows captures by their number. */
		if (w.op == XPT_CAP_STR && ret_caps->spec.str_cap)
			w.op = XPT_CAP_VAL;
		add(ret_caps, &w, h->cap[i].name);
	}
	if (h->prog.action == XPT_HOOK_EVENT && !h->nr_shown)
		add_all(p, ret_caps);
	return 0;
}
