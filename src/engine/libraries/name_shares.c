// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts the names that owners' files have brought, see name_shares.h. */
#include "engine/libraries/name_shares.h"

#include <errno.h>

#include "base/hashmap.h"
#include "wire/user.h"

#define MAX_REFUSED 1024		/* owners without a name whose refused ones are counted */
#define MAX_OWNERS (XPT_NAMES + MAX_REFUSED)
#define PART_OF_LEFT 3

struct row {
	uint32_t taken, refused;
};

int xpt_name_shares__open(struct xpt_name_shares *s)
{
	return xpt_hashmap__new(sizeof(uint64_t), sizeof(struct row), MAX_OWNERS, &s->of_owner);
}

void xpt_name_shares__close(struct xpt_name_shares *s)
{
	xpt_hashmap__free(s->of_owner);
	s->of_owner = NULL;
}

/* Containers, file systems of containers, and processes whose owner is not known. */
static bool is_container(uint64_t owner)
{
	return XPT_OWNER_GROUP(owner) || owner == XPT_OWNER_NOBODY;
}

bool xpt_name_shares__has(const struct xpt_name_shares *s, uint64_t owner)
{
	const struct row *row = xpt_hashmap__find(s->of_owner, &owner);
	uint32_t taken = row ? row->taken : 0;

	if (s->nr >= XPT_NAMES)
		return false;
	if (owner == XPT_OWNER_MACHINE)
		return true;
	if (is_container(owner))
		return taken < (XPT_NAMES_OF_CONTAINERS - s->of_containers) / PART_OF_LEFT;
	return taken < XPT_NAMES_OF_USER && s->of_users < XPT_NAMES_OF_USERS;
}

static void note_refused(struct xpt_name_shares *s, uint64_t owner)
{
	struct row *row = xpt_hashmap__find(s->of_owner, &owner);

	if (!row && s->nr_without < MAX_REFUSED) {	/* other rows are for owners that get names */
		row = xpt_hashmap__get(s->of_owner, &owner, NULL);
		s->nr_without += row != NULL;
	}
	if (!row || ++row->refused <= s->most_refused)
		return;
	s->most_refused = row->refused;
	s->most_refused_owner = owner;
}

bool xpt_name_shares__take(struct xpt_name_shares *s, uint64_t owner)
{
	bool has = xpt_name_shares__has(s, owner);
	struct row *row = has ? xpt_hashmap__get(s->of_owner, &owner, NULL) : NULL;

	if (!row) {
		note_refused(s, owner);
		return false;
	}
	row->taken++;
	s->nr++;
	if (is_container(owner))
		s->of_containers++;
	else if (owner != XPT_OWNER_MACHINE)
		s->of_users++;
	return true;
}
