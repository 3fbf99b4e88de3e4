// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hooks: programs into the kernel's tables, captures for each function that a
 * hook's probe finds. Their sums are read in hook_rows.c.
 */
#include "engine/sources/hooks/hook_source.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "engine/engine.h"
#include "engine/priv.h"
#include "engine/source.h"
#include "engine/sources/hooks/hook_enums.h"
#include "engine/sources/hooks/hook_source_priv.h"
#include "engine/sources/hooks/hook_texts.h"
#include "proc/symbols/symbolize.h"
#include "wire/config.h"
#include "call.skel.h"

extern const struct xpt_source xpt_source_hooks;

struct xpt_hooks *xpt_hooks__of(const struct xpt_engine *e)
{
	return e->cfg.nr_hooks ? xpt_source__state(e, &xpt_source_hooks) : NULL;
}

static bool has_any(const struct xpt_engine *e, bool (*is)(const struct xpt_hook *h))
{
	return xpt_hooks_any(e->cfg.hooks, e->cfg.nr_hooks, is);
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

static void configure(struct xpt_engine *e, struct call_bpf *skel, enum xpt_attach kind)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;

	(void)kind;
	if (!e->cfg.nr_hooks)
		return;
	cfg->hooks = 1;
	cfg->hook_hists = has_any(e, has_histogram);
	cfg->hook_steps = has_any(e, xpt_hook__wants_steps);
	bpf_map__set_max_entries(skel->maps.xpt_hook_steps, cfg->hook_steps ? XPT_MAX_FNS + XPT_HOOKS_MAX + 1 : 1);
	cfg->stacks |= has_any(e, xpt_hook__wants_symbols);	/* this also has threads reported at once */
	bpf_map__set_max_entries(skel->maps.xpt_hooks, XPT_HOOKS_MAX);
	xpt_hook_texts__configure(e, skel);
	bpf_map__set_max_entries(skel->maps.xpt_hook_vals, has_any(e, adds_up) ? XPT_HOOK_ROWS : 1);
	bpf_map__set_max_entries(skel->maps.xpt_hook_spare, has_any(e, adds_up) ? XPT_HOOK_SPARE_ROWS : 1);
	bpf_map__set_max_entries(skel->maps.xpt_hook_ends, has_any(e, wants_gap) ? XPT_HOOK_ROWS : 1);
	if (!cfg->hook_hists) {
		bpf_map__set_value_size(skel->maps.xpt_hook_vals, XPT_HOOK_VAL_HEAD);
		bpf_map__set_value_size(skel->maps.xpt_hook_spare, XPT_HOOK_VAL_HEAD);
		bpf_map__set_value_size(skel->maps.xpt_hook_zero, XPT_HOOK_VAL_HEAD);
	}
}

static int open_hooks(struct xpt_engine *e)
{
	struct xpt_hooks *hs = xpt_hooks__of(e);
	int err;

	if (!hs)
		return 0;
	err = xpt_hook_texts__open(e);
	if (err)
		return err;
	if (xpt_hashmap__new(sizeof(struct xpt_hook_life), sizeof(struct xpt_span), XPT_HOOK_ROWS, &hs->ended) ||
	    xpt_hashmap__new(sizeof(struct xpt_hook_life), sizeof(struct xpt_span), XPT_HOOK_ROWS, &hs->naming))
		return -ENOMEM;
	err = xpt_hook_enums__new(e->cfg.hooks, e->cfg.nr_hooks, &hs->enums);
	if (err)
		return err;
	return xpt_hashmap__new(sizeof(struct xpt_hook_word), sizeof(char *), XPT_HOOK_ROWS, &hs->texts);
}

static void free_state(struct xpt_engine *e)
{
	struct xpt_hooks *hs = xpt_hooks__of(e);
	const void *key;
	size_t pos = 0;
	void *val;

	while (hs && hs->texts && xpt_hashmap__next(hs->texts, &pos, &key, &val))
		free(*(char **)val);
	if (!hs)
		return;
	xpt_hook_enums__free(hs->enums);
	xpt_hashmap__free(hs->texts);
	xpt_hashmap__free(hs->ended);
	xpt_hashmap__free(hs->naming);
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

enum xpt_return_of xpt_hooks__return_of(const char *path, const char *sym)
{
	const struct xpt_domain *d = xpt_hooks__domain(path);

	if (!d || !xpt_domain__traces(d, sym))
		return XPT_RETURNS_ANY;
	return xpt_domain__calls_back(d, sym) ? XPT_RETURNS_CALLBACK : XPT_RETURNS_C;
}

void xpt_hooks__found(struct xpt_engine *e, uint8_t nr)
{
	xpt_hooks__of(e)->state[nr - 1].nr_fns++;
}

void xpt_hooks__read_enums(struct xpt_engine *e, uint64_t hooks, const char *path)
{
	struct xpt_hooks *hs = xpt_hooks__of(e);

	if (!hs || !hs->enums || !hooks)
		return;
	e->stats.nr_unread += xpt_hook_enums__read(hs->enums, hooks, path);
	for (uint32_t i = 0; i < e->cfg.nr_hooks; i++)
		hs->state[i].unnamed = xpt_hook_enums__unnamed(hs->enums, i);
}

void xpt_hooks__unseen(struct xpt_engine *e, uint8_t nr, const char *why)
{
	xpt_hooks__of(e)->state[nr - 1].unseen = why;
}

bool xpt_hooks__set_steps(struct xpt_engine *e, uint32_t fn, const struct xpt_wire_hook_steps *steps)
{
	int fd = bpf_map__fd(e->skel->maps.xpt_hook_steps);

	if (steps->nr)
		return !bpf_map_update_elem(fd, &fn, steps, BPF_ANY);
	/* An entry may be left of a function that was to get this id, but found no room. */
	bpf_map_delete_elem(fd, &fn);
	return true;
}

bool xpt_hooks__spec(struct xpt_engine *e, uint8_t nr, struct xpt_hook_place *place, const struct xpt_domain *d,
		     struct xpt_captures *ret_caps, struct xpt_wire_hook_steps *ret_steps)
{
	const struct xpt_hook *h = &e->cfg.hooks[nr - 1];
	struct xpt_hook_error *err = &xpt_hooks__of(e)->state[nr - 1].err, new;
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
	if (!xpt_hook__captures(h, place, ret_caps, ret_steps, &new)) {
		ret_caps->spec.hook = nr;
		return true;
	}
	if (!err->why[0])
		*err = new;
	xpt_debug("hook %u: %s", nr, new.why);
	return false;
}

void xpt_hooks__refuse(struct xpt_engine *e, uint8_t nr, const char *fmt, ...)
{
	struct xpt_hook_error *err = &xpt_hooks__of(e)->state[nr - 1].err;
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
		    xpt_name_match(p->name, name))
			return (uint8_t)(i + 1);
	}
	return 0;
}

bool xpt_hooks__fit(struct xpt_engine *e, uint8_t nr, uint64_t n, uint64_t room)
{
	if (n <= room)
		return true;
	xpt_hooks__of(e)->state[nr - 1].too_many = n;
	return false;
}

void xpt_engine__hook_state(const struct xpt_engine *e, uint32_t nr, struct xpt_hook_state *ret_state)
{
	*ret_state = xpt_hooks__of(e)->state[nr];
}

const struct xpt_source xpt_source_hooks = {
	.name = "hooks",
	.state_size = sizeof(struct xpt_hooks),
	.configure = configure,
	.open = open_hooks,
	.on_task = xpt_hooks__on_task,
	.step = xpt_hooks__step,
	.finish = xpt_hooks__emit,
	.free = free_state,
};
