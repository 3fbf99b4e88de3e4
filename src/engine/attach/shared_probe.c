// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds which functions of the trace share a probe, by file and address of the symbol. The address of the probe is
 * chosen by the site plan (sites/plan.h).
 */
#include "engine/attach/shared_probe.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/function_ids.h"
#include "engine/priv.h"
#include "wire/config.h"
#include "wire/cookie.h"
#include "call.skel.h"

struct key {
	struct xpt_inode file;
	uint64_t vaddr;
};

#define MAX_ENTRIES 262144u
#define MAX_OWNERS 4096u	/* further ones have one share together */

enum list_state { IN_USE, REFUSED, LEAVING, FREE };	/* LEAVING: its probe is being taken away */

struct entry {
	uint64_t owner;		/* of the file, when it was new */
	uint32_t list;		/* the newest of its lists, as 1 + index; 0: there is none */
	uint32_t round;		/* in which it was added to last */
	uint32_t nr;		/* functions that share the probe */
};

struct xpt_shared {
	struct xpt_hashmap *at;	/* struct key -> struct entry */
	struct xpt_hashmap *used;	/* owner -> uint32_t, number of his entries */
	struct xpt_wire_shared list[XPT_SHARED_MAX];
	uint8_t state[XPT_SHARED_MAX];	/* enum list_state */
	uint16_t previous[XPT_SHARED_MAX];	/* the older list at the same address, 1 + its index; 0: none */
	uint32_t nr, rounds;
	uint32_t nr_free;		/* of those below nr */
	uint32_t nr_void;		/* functions that have joined a probe which was refused then */
};

static bool is_on(const struct xpt_engine *e)
{
	for (uint32_t i = 0; i < e->cfg.nr_probes; i++)
		if (e->cfg.probes[i].kind == XPT_PROBE_CALL)
			return true;
	return false;
}

void xpt_shared__configure(const struct xpt_engine *e, struct call_bpf *skel)
{
	struct xpt_bpf_cfg *cfg = (struct xpt_bpf_cfg *)&skel->rodata->cfg;

	cfg->shared = is_on(e);
	if (cfg->shared)
		bpf_map__set_max_entries(skel->maps.xpt_shared, XPT_SHARED_MAX);
}

int xpt_shared__open(struct xpt_engine *e)
{
	if (!is_on(e))
		return 0;
	e->shared = calloc(1, sizeof(*e->shared));
	if (!e->shared)
		return -ENOMEM;
	return xpt_hashmap__new(sizeof(struct key), sizeof(struct entry), MAX_ENTRIES, &e->shared->at) ||
	       xpt_hashmap__new(sizeof(uint64_t), sizeof(uint32_t), MAX_OWNERS + 1, &e->shared->used) ? -ENOMEM : 0;
}

void xpt_shared__free(struct xpt_engine *e)
{
	if (e->shared) {
		xpt_hashmap__free(e->shared->at);
		xpt_hashmap__free(e->shared->used);
	}
	free(e->shared);
	e->shared = NULL;
}

uint32_t xpt_shared__round(struct xpt_engine *e)
{
	return e->shared ? ++e->shared->rounds : 0;
}

/* Returns the entry of an address in a file, or NULL. */
static struct entry *find_entry(const struct xpt_engine *e, const struct xpt_inode *file, uint64_t vaddr)
{
	const struct key key = { *file, vaddr };

	return e->shared ? xpt_hashmap__find(e->shared->at, &key) : NULL;
}

/* Returns the number of the owner's entries; NULL: no memory. */
static uint32_t *used_by(struct xpt_shared *s, uint64_t owner)
{
	static const uint64_t others = UINT64_MAX;

	if (xpt_hashmap__len(s->used) >= MAX_OWNERS && !xpt_hashmap__find(s->used, &owner))
		owner = others;
	return xpt_hashmap__get(s->used, &owner, NULL);
}

/* Makes an entry. Returns NULL if there is no room, or if the owner's share is used up. */
static struct entry *make_entry(struct xpt_engine *e, const struct xpt_inode *file, uint64_t owner, uint64_t vaddr)
{
	const struct key key = { *file, vaddr };
	struct xpt_shared *s = e->shared;
	uint32_t *used = used_by(s, owner);
	struct entry *at;

	if (!used || (owner != XPT_OWNER_MACHINE && *used >= MAX_ENTRIES - xpt_hashmap__len(s->at)))
		return NULL;
	at = xpt_hashmap__get(s->at, &key, NULL);
	if (at) {
		at->owner = owner;
		++*used;
	}
	return at;
}

bool xpt_shared__has(struct xpt_engine *e, const struct xpt_inode *file, uint64_t vaddr, uint32_t round)
{
	const struct entry *at = find_entry(e, file, vaddr);

	return at && at->round == round;
}

bool xpt_shared__is_full(struct xpt_engine *e, const struct xpt_inode *file, uint64_t vaddr)
{
	const struct entry *at = find_entry(e, file, vaddr);

	return at && at->nr >= XPT_MAX_DEPTH;
}

/* Updates the kernel's list. Returns 0, or -errno: then the list is unchanged. */
static int update_list(struct xpt_engine *e, uint32_t i, const struct xpt_wire_shared *list)
{
	if (bpf_map_update_elem(bpf_map__fd(e->skel->maps.xpt_shared), &i, list, BPF_ANY))
		return -errno;
	e->shared->list[i] = *list;
	return 0;
}

/* Adds a function to list i. Returns false if the list is full, or the kernel refused the new list. */
static bool put_member(struct xpt_engine *e, uint32_t i, uint32_t fn, bool first)
{
	struct xpt_wire_shared list = e->shared->list[i];
	uint32_t at = first ? 0 : 1;

	while (!first && at < XPT_SHARED_FNS && list.fn[at])
		at++;
	if (at == XPT_SHARED_FNS || list.fn[at])
		return false;
	list.fn[at] = fn;
	list.stack |= e->fns[fn].stack;
	if (update_list(e, i, &list))
		return false;
	/*
	 * The trap counts as the domain's: all its calls are counted, but of hooks only the calls that pass filters.
	 */
	for (at = list.fn[0] ? 0 : 1, fn = list.fn[at++]; at < XPT_SHARED_FNS; at++)
		if (list.fn[at] && list.fn[at] != fn)
			e->fns[list.fn[at]].shares_trap = true;
	e->fns[fn].shares_trap = false;
	return true;
}

/* Returns a free list, or XPT_SHARED_MAX. */
static uint32_t find_free(const struct xpt_shared *s)
{
	uint32_t i = 0;

	if (!s->nr_free)
		return s->nr;
	while (s->state[i] != FREE)
		i++;
	return i;
}

static void take_list(struct xpt_shared *s, uint32_t i)
{
	if (i == s->nr)
		s->nr++;
	else
		s->nr_free--;
	s->state[i] = IN_USE;
}

/* Whether an attached probe calls the function already, as it does when probes of a whole file are tried again. */
static bool has_function(const struct xpt_shared *s, const struct entry *at, uint32_t fn)
{
	for (uint32_t list = at->list; list; list = s->previous[list - 1])
		for (uint32_t i = 0; i < XPT_SHARED_FNS && s->state[list - 1] == IN_USE; i++)
			if (s->list[list - 1].fn[i] == fn)
				return true;
	return false;
}

enum xpt_share xpt_shared__add(struct xpt_engine *e, const struct xpt_inode *file, uint64_t owner, uint64_t vaddr,
			       uint32_t fn, uint32_t round, bool first, uint64_t *ret_cookie)
{
	struct entry *at = find_entry(e, file, vaddr);
	struct xpt_shared *s = e->shared;
	bool had_list;
	uint32_t i;

	*ret_cookie = fn;
	if (!s)
		return XPT_SHARE_NEW;
	at = at ? at : make_entry(e, file, owner, vaddr);
	if (!at)
		return XPT_SHARE_REFUSED;
	at->round = round;
	if (has_function(s, at, fn))
		return XPT_SHARE_JOINED;
	at->nr++;
	if (at->list && s->state[at->list - 1] == IN_USE && put_member(e, at->list - 1, fn, first))
		return XPT_SHARE_JOINED;
	i = find_free(s);
	if (i == XPT_SHARED_MAX)
		return XPT_SHARE_NEW;	/* alone */
	had_list = at->list;
	s->list[i] = (struct xpt_wire_shared){ .first = had_list ? s->list[at->list - 1].first : XPT_MAX_FNS + i };
	if (!put_member(e, i, fn, first))
		return XPT_SHARE_NEW;
	take_list(s, i);
	s->previous[i] = (uint16_t)at->list;
	at->list = i + 1;
	*ret_cookie = XPT_MAX_FNS + i;
	return had_list ? XPT_SHARE_FURTHER : XPT_SHARE_NEW;
}

static struct xpt_wire_shared *list_of(struct xpt_engine *e, uint64_t cookie)
{
	uint32_t i = (uint32_t)cookie - XPT_MAX_FNS;

	return e->shared && (uint32_t)cookie >= XPT_MAX_FNS && i < e->shared->nr ? &e->shared->list[i] : NULL;
}

void xpt_shared__refused(struct xpt_engine *e, uint64_t cookie)
{
	const struct xpt_wire_shared *list = list_of(e, cookie);
	uint32_t joined = 0;

	if (!list || e->shared->state[list - e->shared->list] != IN_USE)
		return;
	for (uint32_t i = 0; i < XPT_SHARED_FNS; i++)
		joined += list->fn[i] != 0;
	joined -= joined != 0;	/* the caller counts one, as a place without a probe */
	e->stats.nr_failed += joined;
	e->shared->nr_void += joined;
	e->shared->state[list - e->shared->list] = REFUSED;
}

uint32_t xpt_shared__take_void(struct xpt_engine *e)
{
	uint32_t n = e->shared ? e->shared->nr_void : 0;

	if (e->shared)
		e->shared->nr_void = 0;
	return n;
}

void xpt_shared__refuse_places(struct xpt_engine *e, const uint64_t *cookies, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!(cookies[i] & XPT_AT_RETURN))
			xpt_shared__refused(e, XPT_COOKIE_FN(cookies[i]));
}

static void drop_entry(struct xpt_shared *s, const struct key *key, const struct entry *at)
{
	const struct key copy = *key;	/* key points into the table */
	uint32_t *used = used_by(s, at->owner);

	*used -= used && *used;
	xpt_hashmap__del(s->at, &copy);
}

/* Gives back the newest lists of an entry, as far as their probes were refused: no call has ever led to them. */
static void free_refused(struct xpt_shared *s, struct entry *at)
{
	uint32_t i;

	for (; at->list && s->state[at->list - 1] == REFUSED; at->list = s->previous[i]) {
		i = at->list - 1;
		for (uint32_t k = 0; k < XPT_SHARED_FNS && at->nr; k++)
			at->nr -= s->list[i].fn[k] != 0;
		s->state[i] = FREE;
		s->nr_free++;
	}
}

void xpt_shared__undo(struct xpt_engine *e, const struct xpt_inode *file, uint32_t round)
{
	struct xpt_shared *s = e->shared;
	const void *k;
	size_t pos = 0;
	void *v;

	while (s && xpt_hashmap__next(s->at, &pos, &k, &v)) {
		const struct key *key = k;
		struct entry *at = v;

		if (memcmp(&key->file, file, sizeof(*file)) || at->round < round)
			continue;
		free_refused(s, at);
		if (!at->list)
			drop_entry(s, key, at);
	}
}

static void leave_lists(struct xpt_shared *s, uint32_t list)
{
	for (; list; list = s->previous[list - 1])
		s->state[list - 1] = LEAVING;
}

void xpt_shared__forget(struct xpt_engine *e, const struct xpt_inode *file)
{
	struct xpt_shared *s = e->shared;
	const void *k;
	size_t pos = 0;
	void *v;

	while (s && xpt_hashmap__next(s->at, &pos, &k, &v)) {
		const struct key *key = k;
		const struct entry *at = v;

		if (memcmp(&key->file, file, sizeof(*file)))
			continue;
		leave_lists(s, at->list);
		drop_entry(s, key, at);
	}
}

void xpt_shared__reuse(struct xpt_engine *e)
{
	struct xpt_shared *s = e->shared;

	for (uint32_t i = 0; s && i < s->nr; i++)
		if (s->state[i] == LEAVING) {
			s->state[i] = FREE;
			s->nr_free++;
		}
}
