/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of the source "points", and the functions that its files offer each other. */
#ifndef XPT_ENGINE_SOURCES_POINTS_POINT_PARTS_H
#define XPT_ENGINE_SOURCES_POINTS_POINT_PARTS_H

#include "elf/usdt.h"
#include "engine/priv.h"
#include "engine/sources/points/point_subject.h"
#include "proc/remote/allowance.h"
#include "wire/point.h"

#define XPT_POINT_FILES 1024
#define XPT_POINT_SYM 512		/* of "PROVIDER:NAME" */

struct xpt_point_file {
	struct xpt_inode inode;
	/* The device that mappings of the file show, which differs under overlayfs. 0: no process maps the file. */
	uint64_t mapped_dev;
	uint64_t changed_ns;	/* when it was looked at: another file may get its inode */
	uint64_t done;		/* bit i: probe i was looked for in it */
	bool linked;		/* it has, or had, probes */
	bool described;		/* its LIB record was written */
	bool kept;		/* the user named it: its probes stay while no process maps it */
	struct xpt_again again;	/* when the probes that it lacks are tried again */
	bool is_resting;	/* not tried before that time: the kernel would refuse it */
	struct { uint64_t probes; struct xpt_counted of; } counted;	/* by tries of the probes that it lacks */
	/* A function got no probe, because of its cost or its owner's share: that was reported; was counted. */
	bool refused, lost;
	uint64_t owner;		/* whose share its functions and places count for, see owner.h */
	/* When the user who owns the file last mapped it, if the file counts for another owner's share; else 0. */
	uint64_t user_ns;
	uint64_t linked_owner;	/* of linked: whose share the file counts for, who may be another one */
};

struct xpt_points {
	struct xpt_point_file file[XPT_POINT_FILES];
	uint32_t nr_files, next;	/* next: the next candidate for eviction */
	uint32_t lib[XPT_POINT_FILES];	/* id of the LIB record of the file in that place; 0: it has none yet */
	struct xpt_elib **sets;	/* probes that were linked together */
	uint32_t nr_sets;
	uint64_t description[XPT_MAX_FNS];	/* hash of the reads of arguments, of functions made here */
	struct xpt_enum *states[XPT_KIND__MAX];	/* names that were written, by kind of object; NULL: none yet */
	struct xpt_hashmap *places;	/* hash of a site's locations -> its index */
	uint32_t nr_places;
	bool nop5;
	struct xpt_allowance time;	/* of attaching and detaching */
	struct xpt_hashmap *shares;	/* owner -> struct xpt_point_share */
	uint32_t nr_used;	/* files that have, or had, probes */
	uint64_t again_ns;	/* before that time no place can be released */
};

struct xpt_point_share {	/* the use of an owner's files */
	uint32_t files, fns, places;
};

/* The source's state; NULL: no probe was named. */
struct xpt_points *xpt_points__of(const struct xpt_engine *e);
/* points_link.c */
void xpt_points__detach(struct xpt_engine *e);	/* detaches all probes */
struct xpt_elib *xpt_points__new_set(const struct xpt_point_file *f);	/* for probes of a file; NULL: no memory */
/* Takes over a set; one without probes is freed, and the file is as it was. */
void xpt_points__keep_set(struct xpt_engine *e, struct xpt_point_file *f, struct xpt_elib *set);

/*
 * The place of a file, which is looked at again if it has changed since (xpt_regular__changed_ns()); NULL: all places
 * have probes. In point_files.c.
 */
struct xpt_point_file *xpt_point_files__get(struct xpt_engine *e, const struct xpt_inode *inode,
					    uint64_t changed_ns);
uint32_t xpt_point_files__lib(struct xpt_engine *e, const struct xpt_point_file *f);	/* id of its LIB record */
int xpt_point_files__open(struct xpt_points *pts);	/* 0 or -ENOMEM */
/*
 * Makes room for a new file of that owner: if his share is used up, releases files of his that no process maps any
 * more; if the table is full, files of users, or else files of the machine. Functions and descriptions of places
 * stay, for other files may have the same.
 */
void xpt_point_files__make_room(struct xpt_engine *e, const struct xpt_inode *inode, uint64_t owner);
/* Notes the file of another user, as for libraries (engine/hold/target.h). */
void xpt_point_files__note_other(struct xpt_engine *e, struct xpt_point_file *f, uint64_t owner, uint32_t uid);
/* Whether the owner of the file has time left for the reading that a child does. */
bool xpt_point_files__has_time(struct xpt_engine *e, const struct xpt_point_file *f);
/*
 * A file that got no probes for now (err) is looked at again later; until then, is_resting: the kernel would refuse
 * it.
 */
void xpt_point_files__note_try(struct xpt_point_file *f, int err);
/*
 * A try of these probes is over, of which some were refused: its counts are as if there had been no earlier one
 * (attach/counted.h). All of them, or none, were refused before, and count in f->counted.
 */
void xpt_point_files__count_once(struct xpt_engine *e, struct xpt_point_file *f, const struct xpt_counted *before,
				 uint64_t probes, uint64_t refused);
bool xpt_point_files__is_resting(const struct xpt_point_file *f);
void xpt_point_files__step(struct xpt_engine *e);
/* Operations of the source for a file that no process maps. */
bool xpt_point_files__keeps(const struct xpt_engine *e, const struct xpt_inode *inode);
void xpt_point_files__release(struct xpt_engine *e, const struct xpt_inode *inode);
/*
 * Returns the share left to files of that owner: as many files, functions and descriptions of places as
 * are free then; functions are left for libraries that xputrace knows. False: nothing. In point_files.c.
 */
bool xpt_point_files__share(struct xpt_engine *e, uint64_t owner, struct xpt_point_share *ret_left);
/* Returns the count of the use of that owner's files; NULL: no memory, or nothing is counted for the machine. */
struct xpt_point_share *xpt_point_files__of(struct xpt_engine *e, uint64_t owner);

/*
 * Questions about the user's probes (a bit for each); in point_asked.c. any: whether one of them is on that name,
 * which is then noted as found; strings: added to, or NULL. hook: 1 + the number of the first one's hook, 0: none;
 * hooks are looked up one by one.
 */
bool xpt_point_asked__any(struct xpt_engine *e, uint64_t probes, enum xpt_probe_kind kind, const char *provider,
			  const char *name, uint16_t *strings);
bool xpt_point_asked__has_kind(const struct xpt_engine *e, uint64_t probes, enum xpt_probe_kind kind);
uint64_t xpt_point_asked__of_kind(const struct xpt_engine *e, uint64_t probes, enum xpt_probe_kind kind);
uint8_t xpt_point_asked__hook(const struct xpt_engine *e, uint64_t probes);
/* Returns the probes (a bit each) that may be in a file mapped under that path; and those that its name allows. */
uint64_t xpt_point_asked__for_path(const struct xpt_engine *e, const char *path);
uint64_t xpt_point_asked__for_own_name(const struct xpt_engine *e, const char *name);
/* "PROVIDER:NAME"; "call" or "uprobe". */
const char *xpt_point_asked__usdt_name(const struct xpt_usdt_site *s, char sym[XPT_POINT_SYM]);
const char *xpt_point_asked__kind_name(enum xpt_probe_kind kind);
/*
 * Whether all that they are on in a file fits: into the tables, for a hook that matches more gets none of it, not
 * some; and into the share of f's owner: else *refused has the bits of those that get nothing there.
 */
bool xpt_point_asked__usdt_fit(struct xpt_engine *e, const struct xpt_usdt_site *s, size_t nr, uint64_t probes,
			       const struct xpt_point_file *f, uint64_t *refused);
/* Functions of a file that a probe names: each is like `like`, but for its name and types. */
struct xpt_point_names {
	const struct xpt_sym *sym;
	const struct xpt_dwarf_fn *types;
	size_t nr, nr_types;
	enum xpt_probe_kind kind;
	uint64_t probes;
	struct xpt_subject like;
};
bool xpt_point_asked__functions_fit(struct xpt_engine *e, const struct xpt_point_names *names,
				    const struct xpt_point_file *f, uint64_t *refused);

#endif
