/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shares of the room for names of functions that no table of xputrace has. The user who makes a file chooses them,
 * and a name keeps its place until the trace ends. So all containers together get half of the room, however many
 * there are, and each container a third of the part of it that the others have left; users outside of containers get
 * a third of all together. The rest is the machine's own.
 */
#ifndef XPT_ENGINE_LIBRARIES_NAME_SHARES_H
#define XPT_ENGINE_LIBRARIES_NAME_SHARES_H

#include <stdbool.h>
#include <stdint.h>
#include "wire/wire.h"

struct xpt_hashmap;

enum {
	/* Ids for the names of all libraries of all domains, with room for those of the next releases. */
	XPT_NAMES_KNOWN = 1696,
	XPT_NAMES = XPT_MAX_FNS - XPT_NAMES_KNOWN,
	XPT_NAMES_OF_CONTAINERS = XPT_NAMES / 2,
	XPT_NAMES_OF_USERS = XPT_NAMES / 3,
	XPT_NAMES_OF_USER = 256,	/* a new release of libcuda has fewer that are new */
};

struct xpt_name_shares {
	struct xpt_hashmap *of_owner;	/* uint64_t, see wire/user.h -> his names, and those without a place */
	uint32_t nr, of_containers, of_users;
	uint32_t nr_without;		/* owners who got none */
	uint32_t most_refused;		/* names of whom most were refused */
	uint64_t most_refused_owner;
};

int xpt_name_shares__open(struct xpt_name_shares *s);	/* 0 or -ENOMEM */
void xpt_name_shares__close(struct xpt_name_shares *s);	/* zeroed is fine */
/* Whether the owner would get a place. */
bool xpt_name_shares__has(const struct xpt_name_shares *s, uint64_t owner);
/* Takes a place, if there is one for him; else that is noted. */
bool xpt_name_shares__take(struct xpt_name_shares *s, uint64_t owner);

#endif
