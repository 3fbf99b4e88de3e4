/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of states of a domain's objects in one program: from its debug information
 * (or that of its separate debug file), else by its release, else the newest known.
 */
#ifndef XPT_ENGINE_SOURCES_POINTS_PROGRAM_STATES_H
#define XPT_ENGINE_SOURCES_POINTS_PROGRAM_STATES_H

#include <stdbool.h>
#include "elf/dwarf/dwarf_enums.h"

struct xpt_domain;

enum xpt_states_from { XPT_STATES_NEWEST, XPT_STATES_RELEASE, XPT_STATES_DEBUG };

struct xpt_state_list {
	enum xpt_states_from from;
	unsigned release;	/* 0: not known */
	bool unread;		/* there may be debug information, but its reader was ended */
	struct xpt_enum names;
};

/* Returns the release that the file names, or 0. */
unsigned xpt_states__release(const char *path, const struct xpt_domain *d);
/*
 * root: of the process, "" for ours; path may be a link of /proc. release: of the user's choice, which
 * no file contradicts, or 0. False: the domain has no enum for that kind.
 */
bool xpt_states__of_file(const struct xpt_domain *d, unsigned kind, const char *root,
			 const char *path, unsigned release, struct xpt_state_list *ret_list);
/*
 * The same for any enum of the program: from its debug information; one that a domain knows as the states of its
 * objects, from the release, else the newest known. False: there are no names.
 */
bool xpt_states__of_type(const char *type, const char *path, struct xpt_state_list *ret_list);

/* Adds the names of another program: only values that both call alike keep theirs. *to NULL: the first; stays NULL
 * without memory. The caller frees it. */
void xpt_states__merge(struct xpt_enum **to, const struct xpt_enum *names);

#endif
