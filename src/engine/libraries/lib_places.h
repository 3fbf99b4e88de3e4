/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Places in the table of libraries: who gets one, and when it is given back. See lib_places.c. */
#ifndef XPT_ENGINE_LIBRARIES_LIB_PLACES_H
#define XPT_ENGINE_LIBRARIES_LIB_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_elib;
struct xpt_engine;
struct xpt_inode;

/*
 * The entry of a file that belongs to that user, new or not. May wait some 0.1 s, where the
 * file's probes are just being taken away. NULL: there is no room for it.
 */
struct xpt_elib *xpt_lib_places__get(struct xpt_engine *e, const struct xpt_inode *inode,
				     uint64_t owner, bool *ret_is_new);
/*
 * What the owner's share was too small for gets another look when somebody else has mapped it: the entry is new
 * then, without probes, and his. Else whoever has used up his share could map a file first to blind us for those who
 * use it. False: it stays as it is. Takes 20 ms for each link.
 */
bool xpt_lib_places__renew(struct xpt_engine *e, struct xpt_elib *lib, uint64_t owner);
/* Time that a file of that user took, in ns: the more it was, the later places are given back. */
void xpt_lib_places__spent(struct xpt_engine *e, uint64_t owner, uint64_t ns);
size_t xpt_lib_places__nr_closing(const struct xpt_engine *e);	/* links that are being closed */
void xpt_lib_places__wait(struct xpt_engine *e);		/* until they are */
void xpt_lib_places__free(struct xpt_engine *e);

#endif
