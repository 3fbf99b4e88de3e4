// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See allowance.h. Owners who have spent nothing lately need no entry: they have all of it. */
#include "proc/remote/allowance.h"

#include "wire/user.h"

static int64_t left_at(const struct xpt_allowance *a, unsigned i, uint64_t now_ns)
{
	uint64_t passed = now_ns > a->of[i].at_ns ? now_ns - a->of[i].at_ns : 0;
	uint64_t back = passed / 1000 * a->per_mille;

	/* A sum above most_ns is cut to it; a long time must not overflow before that. */
	if (back >= a->most_ns && (int64_t)(back - a->most_ns) >= -a->of[i].left_ns)
		return (int64_t)a->most_ns;
	return a->of[i].left_ns + (int64_t)back < (int64_t)a->most_ns ? a->of[i].left_ns + (int64_t)back
								     : (int64_t)a->most_ns;
}

static int find_owner(const struct xpt_allowance *a, uint64_t owner)
{
	for (int i = 0; i < XPT_ALLOWANCE_OWNERS; i++)
		if (a->of[i].at_ns && a->of[i].owner == owner)
			return i;
	return -1;
}

/* Returns a free entry, or that of the owner with most left. */
static int take_entry(const struct xpt_allowance *a, uint64_t now_ns)
{
	int best = 0;

	for (int i = 0; i < XPT_ALLOWANCE_OWNERS; i++) {
		if (!a->of[i].at_ns)
			return i;
		if (left_at(a, (unsigned)i, now_ns) > left_at(a, (unsigned)best, now_ns))
			best = i;
	}
	return best;
}

bool xpt_allowance__has(const struct xpt_allowance *a, uint64_t owner, uint64_t now_ns)
{
	int i = owner == XPT_OWNER_MACHINE ? -1 : find_owner(a, owner);

	return i < 0 || left_at(a, (unsigned)i, now_ns) > 0;
}

void xpt_allowance__spend(struct xpt_allowance *a, uint64_t owner, uint64_t ns, uint64_t now_ns)
{
	int64_t left = (int64_t)a->most_ns;
	int i;

	if (owner == XPT_OWNER_MACHINE)
		return;
	i = find_owner(a, owner);
	if (i >= 0)
		left = left_at(a, (unsigned)i, now_ns);
	else
		i = take_entry(a, now_ns);
	a->of[i].owner = owner;
	a->of[i].at_ns = now_ns ? now_ns : 1;
	a->of[i].left_ns = left - (int64_t)ns;
}
