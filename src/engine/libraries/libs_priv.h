/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of the source "libraries". Between the files of this folder only. */
#ifndef XPT_ENGINE_LIBRARIES_LIBS_PRIV_H
#define XPT_ENGINE_LIBRARIES_LIBS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/libraries/name_shares.h"
#include "engine/priv.h"
#include "engine/source.h"

struct xpt_plan;
struct xpt_programs;

struct xpt_libraries {
	struct xpt_elib v[XPT_MAX_LIBS];
	uint32_t nr;
	uint32_t id[XPT_MAX_LIBS];	/* of the LIB record of the file in that place; 0: it has none yet */
	struct {			/* lib_places.c */
		struct xpt_hashmap *users;	/* user -> time that his files took */
		struct xpt_allowance time;	/* limit of the time of all users' files */
	} places;
	struct {			/* lib_functions.c */
		struct xpt_name_shares names;	/* that no table has */
		uint32_t nr_known;		/* names of the tables that have an id */
	} functions;
	struct xpt_programs *programs;	/* programs that were examined for a linked runtime */
};

extern const struct xpt_source xpt_source_libraries;

static inline struct xpt_libraries *xpt_libraries__of(const struct xpt_engine *e)
{
	return xpt_source__state(e, &xpt_source_libraries);
}

/* Returns the id of the file's LIB record. */
static inline uint32_t xpt_libraries__id(const struct xpt_engine *e, const struct xpt_elib *lib)
{
	const struct xpt_libraries *l = xpt_libraries__of(e);

	return l->id[lib - l->v];
}

/* --- lib_functions.c ---------------------------------------------------------------- */

int xpt_lib_functions__open(struct xpt_engine *e);	/* 0 or -ENOMEM */
void xpt_lib_functions__close(struct xpt_engine *e);
/* Whether a name that no table has would get a place, in a file that counts for that owner. */
bool xpt_lib_functions__has_share(const struct xpt_engine *e, uint64_t owner);
/*
 * The id of a library's function, made if it is new; that of "(other)" if its name found no place. 0: it cannot get
 * one.
 */
uint32_t xpt_lib_functions__id(struct xpt_engine *e, const struct xpt_plan *p, struct xpt_elib *lib);

/* --- lib_places.c: who gets a place in the table, and when it is given back ------------ */

/*
 * Returns the entry of a file that belongs to that user, new or not. NULL: there is no room for it, or it has to wait
 * because its probes are being removed.
 */
struct xpt_elib *xpt_lib_places__get(struct xpt_engine *e, const struct xpt_inode *inode,
				     uint64_t owner, bool *ret_is_new);
/*
 * Renews a file for which the owner's share was too small, when another owner has mapped it: the entry is new then,
 * without probes, and belongs to that owner. Else an owner who has used up his share could map a file first to blind
 * us for those who use it. Returns false if the entry stays as it is. Takes 20 ms for each link.
 */
bool xpt_lib_places__renew(struct xpt_engine *e, struct xpt_elib *lib, uint64_t owner);
/*
 * Another one than its owner has mapped the file, for whom it would count: of a file of the machine's, which somebody
 * in a container was the first to map, it does from now on, and so does one for which its owner had no time left.
 * uid: whose file it is; if it is that user's, it keeps its place.
 */
void xpt_lib_places__note_other(struct xpt_engine *e, struct xpt_elib *lib, uint64_t owner, uint32_t uid);
/*
 * Whether files of that owner may take time now: 5 s at first, then 5 % of the time that passes.
 */
bool xpt_lib_places__has_time(struct xpt_engine *e, uint64_t owner);
/*
 * used_ns: the part of it that xpt_reading__used_ns() counts. Time that a file of that user took, in ns: the more it
 * was, the later places are given back.
 */
void xpt_lib_places__spent(struct xpt_engine *e, uint64_t owner, uint64_t ns, uint64_t used_ns);
void xpt_lib_places__step(struct xpt_engine *e);		/* has files looked at again that were refused */
/* Operations of the source for a file that no process maps. */
bool xpt_lib_places__keeps(const struct xpt_engine *e, const struct xpt_inode *file);
void xpt_lib_places__release(struct xpt_engine *e, const struct xpt_inode *file);
void xpt_lib_places__free(struct xpt_engine *e);

#endif
