// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Bans by owner, see bans.h: a table that is searched from its beginning, since it is short. */
#include "proc/remote/bans.h"

#include "wire/user.h"

bool xpt_bans__has(const struct xpt_bans *b, uint64_t owner, uint64_t now_ns)
{
	for (int i = 0; i < XPT_BANS; i++)
		if (b->of[i].owner == owner && now_ns < b->of[i].until_ns)
			return true;
	return false;
}

/* Returns the entry of the owner, or the unused one or that with the earliest end, which it clears. */
static int take_entry(struct xpt_bans *b, uint64_t owner)
{
	int best = 0;

	for (int i = 0; i < XPT_BANS; i++) {
		if (b->of[i].until_ns && b->of[i].owner == owner)
			return i;
		if (b->of[i].until_ns < b->of[best].until_ns)
			best = i;
	}
	b->of[best].owner = owner;
	b->of[best].until_ns = b->of[best].rest_ns = 0;
	return best;
}

void xpt_bans__add(struct xpt_bans *b, uint64_t owner, uint64_t now_ns)
{
	int i = take_entry(b, owner);
	uint64_t rest = b->of[i].rest_ns * 2;

	if (!rest || owner == XPT_OWNER_MACHINE || now_ns > b->of[i].until_ns + XPT_BAN_FORGET_NS)
		rest = XPT_BAN_NS;
	b->of[i].rest_ns = rest < XPT_BAN_MAX_NS ? rest : XPT_BAN_MAX_NS;
	b->of[i].until_ns = now_ns + b->of[i].rest_ns;
}
