// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hooks: programs into the kernel's tables, captures for each function that a
 * hook's probe finds. What they added up is read in hook_rows.c.
 */
#include "engine/hooks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "engine/hooks_priv.h"
#include "engine/ioctl_hooks.h"
#include "engine/priv.h"
#include "engine/tracepoints.h"
#include "wire/config.h"
#include "call.skel.h"

static bool any(const struct xpt_engine *e, bool (*is)(const struct xpt_hook *h))
{
	for (uint32_t i = 0; i < e->cfg.nr_hooks; i++)
		if (is(&e->cfg.hooks[i]))
			return true;
	return false;
}

static bool has_histogram(const struct xpt_hook *h)
{
	return h->prog.action >= XPT_HOOK_LOG2;
}

static bool adds_up(const struct xpt_hook *h)
{
	return h->prog.action != XPT_HOOK_EVENT;
}

static bool wants_gap(const struct xpt_hook *h)
{
	return h->prog.gap;
}

bool xpt_hooks__want_symbols(const struct xpt_engine *e)
{
	return any(e, xpt_hook__wants_symbols);
}

bool xpt_hooks__want_stacks(const struct xpt_engine *e)
{
	return any(e, xpt_hook__wants_stack);
}

void xpt_hooks__configure(const struct xpt_engine *e, struct call_bpf *skel)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;

	if (!e->cfg.nr_hooks)
		return;
	cfg->hooks = 1;
	cfg->hook_hists = any(e, has_histogram);
	cfg->hook_steps = any(e, xpt_hook__wants_steps);
	bpf_map__set_max_entries(skel->maps.xpt_hook_steps, cfg->hook_steps ? XPT_MAX_FNS + XPT_HOOKS_MAX + 1 : 1);
	xpt_ioctl_hooks__configure(e, skel);
	cfg->stacks |= xpt_hooks__want_symbols(e);	/* also: threads are told at once */
	bpf_map__set_max_entries(skel->maps.xpt_hooks, XPT_HOOKS_MAX);
	bpf_map__set_max_entries(skel->maps.xpt_hook_vals, any(e, adds_up) ? XPT_HOOK_ROWS : 1);
	bpf_map__set_max_entries(skel->maps.xpt_hook_ends, any(e, wants_gap) ? XPT_HOOK_ROWS : 1);
	if (!cfg->hook_hists) {
		bpf_map__set_value_size(skel->maps.xpt_hook_vals, XPT_HOOK_VAL_HEAD);
		bpf_map__set_value_size(skel->maps.xpt_hook_zero, XPT_HOOK_VAL_HEAD);
	}
}

int xpt_hooks__open(struct xpt_engine *e)
{
	struct xpt_hooks *hs;
	uint32_t i;
	int err;

	if (!e->cfg.nr_hooks)
		return 0;
	hs = e->hooks = calloc(1, sizeof(*hs));
	if (!hs)
		return -ENOMEM;
	for (i = 0; i < e->cfg.nr_hooks; i++)
		if (bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_hooks), &i, &e->cfg.hooks[i].prog,
					BPF_ANY))
			return -errno;
	err = xpt_ioctl_hooks__open(e);
	if (!err)
		err = xpt_hashmap__new(sizeof(struct xpt_hook_word), sizeof(char *), XPT_HOOK_ROWS, &hs->texts);
	return err ? err : xpt_tracepoints__open(e);
}

void xpt_hooks__free(struct xpt_engine *e)
{
	const void *key;
	size_t pos = 0;
	void *val;

	if (!e->hooks)
		return;
	while (e->hooks->texts && xpt_hashmap__next(e->hooks->texts, &pos, &key, &val))
		free(*(char **)val);
	xpt_hashmap__free(e->hooks->texts);
	free(e->hooks);
	e->hooks = NULL;
}

const struct xpt_domain *xpt_hooks__domain(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < xpt_nr_domains; i++)
		for (const char *const *lib = xpt_domains[i]->libs; lib && *lib; lib++)
			if (xpt_domains[i]->layer == XPT_LAYER_API &&
			    xpt_glob_match(*lib, slash ? slash + 1 : path))
				return xpt_domains[i];
	return NULL;
}

void xpt_hooks__found(struct xpt_engine *e, uint8_t nr)
{
	e->hooks->state[nr - 1].nr_fns++;
}

bool xpt_hooks__spec(struct xpt_engine *e, uint8_t nr, uint32_t fn, struct xpt_hook_place *place,
		     const struct xpt_domain *d, struct xpt_captures *ret_caps)
{
	const struct xpt_hook *h = &e->cfg.hooks[nr - 1];
	struct xpt_hook_error *err = &e->hooks->state[nr - 1].err, new;
	struct xpt_wire_hook_steps steps;
	struct xpt_captures known;

	if (d) {
		xpt_captures__make(d, xpt_domain__row(d, place->sym), place->sym, XPT_ARGS_ALL, &known);
		place->known = &known;
	}
	if (d && h->prog.action == XPT_HOOK_EVENT && !h->nr_shown && e->cfg.args != XPT_ARGS_ALL) {
		struct xpt_captures all = known;

		xpt_captures__make(d, xpt_domain__row(d, place->sym), place->sym, e->cfg.args, &known);
		if (!known.spec.nr_caps || h->nr_caps)
			known = all;
	}
	if (!xpt_hook__captures(h, place, ret_caps, &steps, &new)) {
		ret_caps->spec.hook = nr;
		return !steps.nr ||
		       !bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_hook_steps), &fn, &steps, BPF_ANY);
	}
	if (!err->why[0])
		*err = new;
	xpt_debug("hook %u: %s", nr, new.why);
	return false;
}

void xpt_hooks__refuse(struct xpt_engine *e, uint8_t nr, const char *fmt, ...)
{
	struct xpt_hook_error *err = &e->hooks->state[nr - 1].err;
	va_list ap;

	if (err->why[0])
		return;
	va_start(ap, fmt);
	vsnprintf(err->why, sizeof(err->why), fmt, ap);
	va_end(ap);
}

void xpt_hooks__show(const struct xpt_engine *e, uint32_t fn, struct xpt_wire_fn *spec)
{
	struct xpt_wire_hook_steps steps;

	if (!e->cfg.nr_hooks || !e->skel->rodata->cfg.hook_steps ||
	    bpf_map_lookup_elem(bpf_map__fd(e->skel->maps.xpt_hook_steps), &fn, &steps))
		return;
	for (unsigned i = 0; i < steps.nr && i < XPT_HOOK_STEPS_MAX; i++) {
		struct xpt_wire_cap *cap = &spec->cap[steps.step[i].cap % XPT_MAX_VALS];

		if (cap->op == XPT_CAP_STR)
			continue;
		cap->width = steps.step[i].width ? steps.step[i].width : 8;
		cap->role = cap->width == 8 ? XPT_ROLE_NONE : XPT_ROLE_VALUE;
	}
}

uint8_t xpt_hooks__kernel(const struct xpt_engine *e, const char *module, const char *name)
{
	for (uint32_t i = 0; i < e->cfg.nr_hooks; i++) {
		const struct xpt_probe *p = &e->cfg.hooks[i].probe;

		if (p->kind == XPT_PROBE_KERNEL && xpt_glob_match(p->provider, module) &&
		    xpt_glob_match(p->name, name))
			return (uint8_t)(i + 1);
	}
	return 0;
}

bool xpt_hooks__fit(struct xpt_engine *e, uint8_t nr, uint64_t n, uint64_t room)
{
	if (n <= room)
		return true;
	e->hooks->state[nr - 1].too_many = n;
	return false;
}

void xpt_engine__hook_state(const struct xpt_engine *e, uint32_t nr, struct xpt_hook_state *ret_state)
{
	*ret_state = e->hooks->state[nr];
}
