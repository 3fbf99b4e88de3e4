/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Between points.c, which finds places and links them, and point_fns.c, which
 * describes what they are to the kernel and to the stream.
 */
#ifndef XPT_ENGINE_SOURCES_POINTS_PRIV_H
#define XPT_ENGINE_SOURCES_POINTS_PRIV_H

#include "engine/sources/domain_points.h"
#include "elf/dwarf/dwarf_args.h"
#include "engine/priv.h"
#include "proc/allowance.h"
#include "wire/point.h"

#define XPT_POINT_FILES 1024
#define XPT_POINT_FIRST_LIB 0x10000u	/* ids of our LIB records: above those of libraries */
#define XPT_POINT_FN_ARGS 6		/* of any function: what registers may hold */
#define XPT_POINT_CALL_ARGS 13		/* and seven words of the stack, for hooks on calls */

struct xpt_point_file {
	struct xpt_inode inode;
	uint64_t changed_ns;	/* when it was looked at: another file may get its inode */
	uint64_t done;		/* bit i: probe i was looked for in it */
	bool linked;		/* it has, or had, probes */
	bool told;		/* its LIB record was written */
	bool refused;		/* its owner had no share left, which was counted */
	uint64_t owner;		/* whose share it counts for, see owner.h */
	uint32_t nr_fns, nr_places;	/* that were made for it */
};

struct xpt_points {
	struct xpt_point_file file[XPT_POINT_FILES];
	uint32_t nr_files, next;	/* next: that may be given up for another */
	struct xpt_elib **sets;	/* probes that were linked together */
	uint32_t nr_sets;
	struct xpt_hashmap *places;	/* hash of a site's locations -> its index */
	uint32_t nr_places;
	bool nop5;
	struct xpt_allowance time;	/* of attaching and of taking away again */
};

/* The source's state; NULL: no probe was named. */
struct xpt_points *xpt_points__of(const struct xpt_engine *e);
void xpt_points__detach(struct xpt_engine *e);	/* points_link.c: takes all probes away */

struct xpt_subject {		/* what becomes a function of the trace */
	const char *domain, *sym;
	uint8_t layer, nr_args;
	uint16_t strings;	/* bit i: argument i points to one */
	const struct xpt_wire_loc *loc;
	uint8_t cost_kind;	/* enum xpt_cost_kind */
	uint8_t hook;		/* 1 + number of its hook, 0: none */
	const struct xpt_domain *known;	/* of a hook: who knows the function, or NULL */
	const struct xpt_dwarf_fn *types;	/* what debug information says of it, or NULL */
	struct xpt_point_row of;	/* whose probe it is */
};

/* The function's id, made for f if it is new; 0: there is no room. */
uint32_t xpt_point_fns__id(struct xpt_engine *e, const struct xpt_subject *s, struct xpt_point_file *f);
/* The description of a place, shared by all that are alike. False: there is no room. */
bool xpt_point_fns__place(struct xpt_engine *e, const struct xpt_subject *s, struct xpt_point_file *f, uint32_t *ret_id);

/*
 * The place of a file, which is looked at again if it has changed since (xpt_regular__changed_ns()); NULL: all places
 * have probes.
 * In point_files.c.
 */
struct xpt_point_file *xpt_point_files__get(struct xpt_points *pts, const struct xpt_inode *inode,
					    uint64_t changed_ns);
/*
 * Whether files of that owner may have more: of files, functions and descriptions of places each owner has as many as
 * are left free, so that one gets half of them, two a third each. In point_files.c.
 */
bool xpt_point_files__has_share(const struct xpt_engine *e, uint64_t owner);

#endif
