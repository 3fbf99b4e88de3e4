// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts places that owners have in bounded tables. See shares.h. */
#include "model/shares.h"

#include <errno.h>
#include <string.h>

struct row {
	uint32_t taken[XPT_SHARES_KINDS];
};

static const uint64_t rest = UINT64_MAX;	/* in place of an owner: all who found no row in the table */

int xpt_shares__init(struct xpt_shares *s, const uint32_t *max, unsigned nr_kinds)
{
	int err = xpt_hashmap__new(sizeof(uint64_t), sizeof(struct row), XPT_SHARES_OWNERS, &s->rows);

	if (err)
		return err;
	for (unsigned i = 0; i < nr_kinds; i++)
		s->max[i] = max[i];
	return xpt_hashmap__get(s->rows, &rest, NULL) ? 0 : -ENOMEM;	/* before others take all rows */
}

void xpt_shares__free(struct xpt_shares *s)
{
	xpt_hashmap__free(s->rows);
	s->rows = NULL;
}

uint64_t xpt_shares__ask(const struct xpt_shares *s, const struct xpt_proc *proc)
{
	return s->ask ? s->ask(s->ask_ctx, proc->pid) : proc->uid;
}

/* The row of an owner; those without one have one together. */
static struct row *find_row(struct xpt_shares *s, uint64_t owner, uint64_t *ret_share)
{
	struct row *row = xpt_hashmap__get(s->rows, &owner, NULL);

	*ret_share = row ? owner : rest;
	return row ? row : xpt_hashmap__find(s->rows, &rest);
}

static void drop_empty(struct xpt_shares *s, uint64_t share, const struct row *row)
{
	static const struct row empty;

	if (share != rest && !memcmp(row, &empty, sizeof(empty)))
		xpt_hashmap__del(s->rows, &share);
}

bool xpt_shares__take(struct xpt_shares *s, uint64_t owner, unsigned kind, uint64_t *ret_share)
{
	uint64_t share;
	struct row *row = find_row(s, owner, &share);

	if (ret_share)
		*ret_share = share;
	if (row->taken[kind] >= s->max[kind] - s->used[kind]) {
		drop_empty(s, share, row);
		return false;
	}
	row->taken[kind]++;
	s->used[kind]++;
	return true;
}

void xpt_shares__take_freed(struct xpt_shares *s, uint64_t owner, unsigned kind, uint64_t *ret_share)
{
	find_row(s, owner, ret_share)->taken[kind]++;
	s->used[kind]++;
}

void xpt_shares__give_back(struct xpt_shares *s, uint64_t share, unsigned kind, uint32_t n)
{
	struct row *row = xpt_hashmap__find(s->rows, &share);

	if (!row || row->taken[kind] < n)
		return;
	row->taken[kind] -= n;
	s->used[kind] -= n;
	drop_empty(s, share, row);
}
