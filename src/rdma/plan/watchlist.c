// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See watchlist.h. Two tables here have the few functions by whose names the kernel-side programs know the subject
 * of a call.
 */
#include "rdma/plan/watchlist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Roots, and functions that show the subject of a call: by name, the same since 4.14. */
static const struct {
	const char *name;
	uint16_t flags;
} special[] = {
	{ "ib_uverbs_ioctl", XPT_RDMA_FN_IOCTL },
	{ "ib_uverbs_write", XPT_RDMA_FN_WRITE },
	{ "ib_uverbs_cmd_verbs", XPT_RDMA_FN_HEADER },
	{ "modify_qp", XPT_RDMA_FN_MODIFY },
	{ "create_qp", XPT_RDMA_FN_CREATE },
	{ "ib_uverbs_open", XPT_RDMA_FN_OPEN },
	{ "ib_uverbs_mmap", XPT_RDMA_FN_MMAP },
};

/* They are called for each event of a device, of an object, and of a connection. */
static const struct {
	const char *name;
	uint16_t flags;
} events[] = {
	{ "ib_uverbs_event_handler", XPT_RDMA_FN_EVENT1 },
	{ "ucma_event_handler", XPT_RDMA_FN_EVENT1 | XPT_RDMA_FN_CM_EVENT },
	{ "ib_uverbs_qp_event_handler", XPT_RDMA_FN_EVENT },
	{ "ib_uverbs_cq_event_handler", XPT_RDMA_FN_EVENT },
	{ "ib_uverbs_srq_event_handler", XPT_RDMA_FN_EVENT },
	{ "ib_uverbs_wq_event_handler", XPT_RDMA_FN_EVENT },
};

static uint8_t err_of(const struct xpt_rdma_fn *f)
{
	switch (f->ret) {
	case XPT_RDMA_RET_INT:
		return XPT_RDMA_ERR_INT;
	case XPT_RDMA_RET_LONG:
	case XPT_RDMA_RET_POINTER:
		return XPT_RDMA_ERR_LONG;
	case XPT_RDMA_RET_BOOL:
		return XPT_RDMA_ERR_FALSE;
	case XPT_RDMA_RET_UNKNOWN:
		return XPT_RDMA_ERR_EITHER;
	default:
		return XPT_RDMA_ERR_NEVER;
	}
}

static uint16_t flags_of(const struct xpt_rdma_graph *g, uint32_t fn)
{
	uint16_t flags = 0;
	uint32_t i;
	size_t k;

	for (k = 0; k < sizeof(special) / sizeof(special[0]); k++)
		if (!strcmp(xpt_rdma_fn_name(g, fn), special[k].name) &&
		    !strcmp(xpt_rdma_module_name(g, fn), "ib_uverbs"))
			flags |= special[k].flags;
	for (i = 0; i < g->nr_roots; i++)
		if (g->roots[i].fn == fn)
			flags |= XPT_RDMA_FN_HANDLER |
				 (g->roots[i].route == XPT_RDMA_FILE || g->roots[i].route == XPT_RDMA_CM ?
				  XPT_RDMA_FN_OWN : 0);
	return flags;
}

static void add_fn(struct xpt_rdma_watchlist *l, uint32_t fn, uint8_t err, uint16_t flags)
{
	l->wish[l->nr] = (struct xpt_rdma_wish){ .module = xpt_rdma_module_name(l->g, fn),
						 .name = xpt_rdma_fn_name(l->g, fn),
						 .err = err, .flags = flags };
	l->fn[l->nr++] = fn;
}

static void add_plan(struct xpt_rdma_watchlist *l, const struct xpt_rdma_plan *plan, bool *has)
{
	uint32_t i;

	for (i = 0; i < plan->nr_kept; i++) {
		uint32_t fn = plan->steps[i].fn;

		if (has[fn])
			continue;
		has[fn] = true;
		add_fn(l, fn, err_of(&l->g->fns[fn]), flags_of(l->g, fn));
	}
}

/* A function of a plan that is called for each event is of more use as an event: nobody hands on its result. */
static void make_event(struct xpt_rdma_watchlist *l, uint32_t fn, uint16_t flags)
{
	uint32_t i;

	for (i = 0; i < l->nr; i++) {
		if (l->fn[i] != fn)
			continue;
		l->wish[i].flags = flags;
		l->wish[i].err = XPT_RDMA_ERR_NEVER;
	}
}

static void add_events(struct xpt_rdma_watchlist *l, const bool *has)
{
	size_t k;

	for (k = 0; k < sizeof(events) / sizeof(events[0]); k++) {
		uint32_t fn = xpt_rdma_graph__find(l->g, events[k].name);

		if (fn != XPT_RDMA_NONE && has[fn])
			make_event(l, fn, events[k].flags);
		else if (fn != XPT_RDMA_NONE)
			add_fn(l, fn, XPT_RDMA_ERR_NEVER, events[k].flags);
	}
}

int xpt_rdma_watchlist__make(const struct xpt_rdma_graph *g, struct xpt_rdma_plan *const *plans,
			     uint32_t nr_plans, bool with_events, struct xpt_rdma_watchlist **ret_l)
{
	size_t max = (size_t)g->nr_fns + sizeof(events) / sizeof(events[0]);
	struct xpt_rdma_watchlist *l = calloc(1, sizeof(*l));
	bool *has = calloc((size_t)g->nr_fns + 1, sizeof(*has));
	uint32_t i;
	int err = -ENOMEM;

	if (!l || !has)
		goto out;
	l->g = g;
	l->wish = calloc(max, sizeof(*l->wish));
	l->fn = calloc(max, sizeof(*l->fn));
	l->reach = xpt_rdma_reach__new(g);
	if (!l->wish || !l->fn || !l->reach)
		goto out;
	for (i = 0; i < nr_plans; i++)
		add_plan(l, plans[i], has);
	if (with_events)
		add_events(l, has);
	l->nr_plain = l->nr;
	err = !l->nr ? -ENOENT : l->nr >= XPT_RDMA_FNS ? -E2BIG : 0;
out:
	free(has);
	if (err)
		xpt_rdma_watchlist__free(l);
	else
		*ret_l = l;
	return err;
}

static bool is_plain(const struct xpt_rdma_watchlist *l, uint32_t fn)
{
	uint32_t i;

	for (i = 0; i < l->nr_plain; i++)
		if (l->fn[i] == fn)
			return true;
	return false;
}

/* Each function once. Where there are too many, calls are marked as cut: nobody knows what they lack. */
static void note_unwatched(struct xpt_rdma_shown *own, uint32_t fn)
{
	uint32_t i;

	for (i = 0; i < own->nr_unwatched; i++)
		if (own->unwatched[i] == fn)
			return;
	if (i == XPT_RDMA_UNWATCHED)
		own->whole = false;
	else
		own->unwatched[own->nr_unwatched++] = fn;
}

int xpt_rdma_watchlist__own(struct xpt_rdma_watchlist *l, const struct xpt_rdma_plan *plan)
{
	struct xpt_rdma_shown *own = calloc(1, sizeof(*own) + l->g->nr_fns / 8 + 1);
	uint32_t i;

	if (!l->own)
		l->own = calloc((size_t)l->g->nr_roots + 1, sizeof(struct xpt_rdma_shown *));
	if (!own || !l->own) {
		free(own);
		return -ENOMEM;
	}
	own->whole = true;
	for (i = 0; i < plan->nr_kept; i++) {
		uint32_t fn = plan->steps[i].fn;

		own->fns[fn / 8] |= (uint8_t)(1 << fn % 8);
		if (!is_plain(l, fn))
			note_unwatched(own, fn);
	}
	free(l->own[plan->root]);
	l->own[plan->root] = own;
	return 0;
}

bool xpt_rdma_watchlist__is_probed(const struct xpt_rdma_watchlist *l, uint32_t id)
{
	return !l->hold || !l->hold[id] || l->hold[id]->kind != XPT_KATTACH_AUTO;
}

void xpt_rdma_watchlist__note_probes(struct xpt_rdma_watchlist *l)
{
	uint32_t root, i;

	for (root = 0; l->own && root < l->g->nr_roots; root++)
		for (i = 0; l->own[root] && i < l->nr_plain; i++)
			if (l->own[root]->fns[l->fn[i] / 8] & 1 << l->fn[i] % 8 && !xpt_rdma_watchlist__is_probed(l, i + 1))
				note_unwatched(l->own[root], l->fn[i]);
}

static void add_further(struct xpt_rdma_watchlist *l, uint32_t fn)
{
	uint32_t k;

	for (k = 0; k < l->nr && l->fn[k] != fn; k++)
		;
	if (k == l->nr && l->nr + 1 < XPT_RDMA_FNS)
		add_fn(l, fn, err_of(&l->g->fns[fn]), flags_of(l->g, fn));
}

uint32_t xpt_rdma_watchlist__add(struct xpt_rdma_watchlist *l, const struct xpt_rdma_plan *plan)
{
	uint32_t had = l->nr, i;

	for (i = 0; i < plan->nr_kept; i++)
		add_further(l, plan->steps[i].fn);
	return l->nr - had;
}

uint32_t xpt_rdma_watchlist__add_fns(struct xpt_rdma_watchlist *l, const uint32_t *fns, uint32_t n)
{
	uint32_t had = l->nr, i;

	for (i = 0; i < n; i++)
		if (fns[i] < l->g->nr_fns)
			add_further(l, fns[i]);
	return l->nr - had;
}

void xpt_rdma_watchlist__cut(struct xpt_rdma_watchlist *l, uint32_t nr)
{
	if (nr < l->nr)
		l->nr = nr;
}

void xpt_rdma_watchlist__free(struct xpt_rdma_watchlist *l)
{
	uint32_t i;

	if (!l)
		return;
	for (i = 0; l->own && i < l->g->nr_roots; i++)
		free(l->own[i]);
	free(l->own);
	xpt_rdma_owners__free(l->owners);
	xpt_rdma_reach__free(l->reach);
	free(l->wish);
	free(l->fn);
	free(l);
}

uint32_t xpt_rdma_watchlist__fn(const struct xpt_rdma_watchlist *l, uint32_t id)
{
	return id && id <= l->nr ? l->fn[id - 1] : XPT_RDMA_NONE;
}

static uint32_t by_number(const struct xpt_rdma_graph *g, const struct xpt_wire_rdma_key *key)
{
	bool extended = key->id & 0x80000000u;	/* IB_USER_VERBS_CMD_FLAG_EXTENDED */
	uint32_t i;

	for (i = 0; i < g->nr_roots; i++) {
		const struct xpt_rdma_root *r = &g->roots[i];

		if (key->route == XPT_RDMA_KEY_IOCTL ?
		    r->route == XPT_RDMA_IOCTL && r->object_id == key->id >> 16 &&
		    r->number == (key->id & 0xffff) :
		    r->route == (extended ? XPT_RDMA_WRITE_EX : XPT_RDMA_WRITE) &&
		    r->number == (key->id & 0xff))
			return i;
	}
	return XPT_RDMA_NONE;
}

/* The only method with this handler. */
static uint32_t by_handler(const struct xpt_rdma_watchlist *l, uint32_t id)
{
	uint32_t fn = xpt_rdma_watchlist__fn(l, id), i, found = XPT_RDMA_NONE;

	for (i = 0; fn != XPT_RDMA_NONE && i < l->g->nr_roots; i++) {
		if (l->g->roots[i].fn != fn)
			continue;
		if (found != XPT_RDMA_NONE)
			return XPT_RDMA_NONE;
		found = i;
	}
	return found;
}

uint32_t xpt_rdma_watchlist__method(const struct xpt_rdma_watchlist *l,
				    const struct xpt_wire_rdma_key *key)
{
	return key->route == XPT_RDMA_KEY_HANDLER ? by_handler(l, key->id) : by_number(l->g, key);
}

uint32_t xpt_rdma_watchlist__method_of(const struct xpt_rdma_watchlist *l,
				       const struct xpt_wire_rdma_rec *r)
{
	struct xpt_wire_rdma_key key = { XPT_RDMA_KEY_WRITE, r->command };
	uint32_t handler = r->handler ? by_handler(l, r->handler) : XPT_RDMA_NONE;

	if (handler != XPT_RDMA_NONE)
		return handler;
	if (r->has_header)
		key = (struct xpt_wire_rdma_key){ XPT_RDMA_KEY_IOCTL,
						  (uint32_t)r->object << 16 | r->method };
	return by_number(l->g, &key);
}
