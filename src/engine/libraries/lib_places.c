// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Places in the table of libraries. A file keeps its place while there is room, so that the calls of a process that
 * maps it later are seen from the first one on. If a user's share or the table is used up, the places of files that
 * no process maps any more are released. The kernel keeps a tree of all mappings of a file, so the question costs
 * about a microsecond. engine/attach/closing.h removes the probes of such files.
 *
 * A user who maps one file after the other makes the engine attach to each of them. So a user's places are only
 * released as often as his files take a tenth of the engine's time.
 */
#include "engine/libraries/libs_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "engine/attach/closing.h"
#include "engine/function_ids.h"
#include "engine/processes/mappings.h"
#include "engine/waiting/blocking.h"
#include "engine/waiting/reading.h"

#define MAX_LIBS_OF_USER (XPT_MAX_LIBS / 4)	/* of files that are not root's */
#define MAX_USERS 1024		/* of whom we know how much time their files took */
#define MOST_NS 5000000000ull	/* that files of an owner may take at once, */
#define PER_MILLE 50		/* and of the time that passes */
#define REST 9			/* times that time passes before places are given back again */
#define AGAIN_NS 100000000ull	/* before the next look, if nothing could be given back */

struct user_time {
	uint64_t spent_ns, ready_ns;
};

static struct user_time *time_of(struct xpt_engine *e, uint64_t owner)
{
	struct xpt_hashmap **users = &xpt_libraries__of(e)->places.users;

	if (!*users && xpt_hashmap__new(sizeof(owner), sizeof(struct user_time), MAX_USERS, users))
		return NULL;
	if (xpt_hashmap__len(*users) >= MAX_USERS)
		xpt_hashmap__clear(*users);
	return xpt_hashmap__get(*users, &owner, NULL);
}

void xpt_lib_places__spent(struct xpt_engine *e, uint64_t owner, uint64_t ns, uint64_t used_ns)
{
	struct user_time *t = time_of(e, owner);

	if (t)
		t->spent_ns += ns;
	xpt_allowance__spend(&xpt_libraries__of(e)->places.time, owner, used_ns, xpt_now_ns());
}

void xpt_lib_places__note_other(struct xpt_engine *e, struct xpt_elib *lib, uint64_t owner, uint32_t uid)
{
	bool takes_over = lib->err == -EDQUOT && !lib->nr_fns && xpt_lib_places__has_time(e, owner);

	if (takes_over)
		lib->read_for = lib->err = 0;
	if (owner == XPT_OWNER_MACHINE || takes_over)
		lib->owner = owner;
	else if (XPT_OWNER_UID(owner) == uid)
		lib->user_ns = xpt_now_ns();
}

bool xpt_lib_places__has_time(struct xpt_engine *e, uint64_t owner)
{
	struct xpt_allowance *time = &xpt_libraries__of(e)->places.time;

	if (!time->most_ns)
		*time = (struct xpt_allowance){ .most_ns = MOST_NS, .per_mille = PER_MILLE };
	return !e->start_ns || !xpt_engine__is_open(e) || xpt_allowance__has(time, owner, xpt_now_ns());
}

/* --- giving back -------------------------------------------------------------------------- */

void xpt_lib_places__free(struct xpt_engine *e)
{
	xpt_hashmap__free(xpt_libraries__of(e)->places.users);
}

/*
 * Whether no process maps the file any more. The inode of a file with probes stays in memory, so it can be examined;
 * the inode of a file without probes (such as a damaged file) may be gone. Functions without a link share the probes
 * of hooks.
 */
static bool is_unused(struct xpt_engine *e, const struct xpt_elib *lib)
{
	int mapped;

	if (lib->kept || lib->nr_links || (!lib->nr_fds && !lib->nr_fns && !lib->err))
		return false;
	mapped = xpt_inode__is_mapped(e, &lib->inode);
	return lib->nr_fds || lib->nr_fns ? mapped == 0 : mapped <= 0;
}

static bool is_same(const struct xpt_inode *a, const struct xpt_inode *b)
{
	return a->addr == b->addr && a->dev == b->dev && a->ino == b->ino;
}

static struct xpt_elib *find_lib(const struct xpt_engine *e, const struct xpt_inode *file)
{
	struct xpt_libraries *l = xpt_libraries__of(e);

	for (uint32_t i = 0; i < l->nr; i++)
		if (is_same(&l->v[i].inode, file))
			return &l->v[i];
	return NULL;
}

bool xpt_lib_places__keeps(const struct xpt_engine *e, const struct xpt_inode *file)
{
	const struct xpt_elib *lib = find_lib(e, file);

	return lib && (lib->kept || lib->nr_links);
}

void xpt_lib_places__release(struct xpt_engine *e, const struct xpt_inode *file)
{
	struct xpt_elib *lib = find_lib(e, file);

	if (!lib)
		return;
	xpt_closing__add_links(e, lib);
	*lib = (struct xpt_elib){ 0 };
}

enum owners { OF_USER, OF_USERS, OF_ROOT };

/*
 * An owner who is the first to map a library of others must not take its probes from them by his use of other files.
 */
static bool has_owner(const struct xpt_elib *lib, enum owners owners, uint64_t owner)
{
	if (owners == OF_USER)
		return lib->owner == owner && (!lib->user_ns || xpt_now_ns() - lib->user_ns > XPT_USER_NS);
	return (lib->owner != XPT_OWNER_MACHINE) == (owners == OF_USERS);
}

/* Releases the places of files that no process maps. Returns their number. */
static uint32_t give_back(struct xpt_engine *e, enum owners owners, uint64_t owner)
{
	struct xpt_libraries *l = xpt_libraries__of(e);
	uint32_t i, n = 0;

	for (i = 0; i < l->nr; i++)
		if (has_owner(&l->v[i], owners, owner) && is_unused(e, &l->v[i]))
			n += xpt_closing__take(e, &l->v[i].inode);
	xpt_closing__start(e);
	if (n)
		xpt_debug("%u libraries that no process maps any more gave back their places", n);
	return n;
}

/* Makes room for a file of that user if it is time to. True: places have become free. */
static bool make_room(struct xpt_engine *e, bool full, uint64_t owner)
{
	struct user_time *t = time_of(e, owner);
	uint64_t now = xpt_now_ns();
	uint32_t n;

	xpt_closing__step(e);
	if (!t || now < t->ready_ns || xpt_closing__is_busy(e))
		return false;
	n = give_back(e, full ? OF_USERS : OF_USER, owner);
	if (!n && full)
		n = give_back(e, OF_ROOT, owner);
	t->ready_ns = now + (n ? REST * t->spent_ns : AGAIN_NS);
	if (n)
		t->spent_ns = 0;
	return n;
}

/* Whether a file that was refused is due. */
static bool take_refused(struct xpt_libraries *l)
{
	uint64_t now = 0;
	bool due = false;

	for (uint32_t i = 0; i < l->nr; i++) {
		if (!l->v[i].again.at_ns)
			continue;
		now = now ? now : xpt_now_ns();
		if (xpt_again__take_due(&l->v[i].again, now))
			l->v[i].is_due = due = true;
	}
	return due;
}

void xpt_lib_places__step(struct xpt_engine *e)
{
	xpt_closing__step(e);
	if (take_refused(xpt_libraries__of(e)))
		e->mappings->scan_due = true;
}

/* --- getting one ---------------------------------------------------------------------------- */

/* Returns a free place in the table, or else that of a file without traced functions. */
static struct xpt_elib *free_lib(struct xpt_engine *e)
{
	struct xpt_libraries *l = xpt_libraries__of(e);
	uint32_t i;

	if (l->nr < XPT_MAX_LIBS)
		return &l->v[l->nr++];
	for (i = 0; i < XPT_MAX_LIBS; i++)
		if (!l->v[i].nr_fns)
			return &l->v[i];
	return NULL;
}

/* Limits the places of one user's files, or there would be no places for those of others. */
static bool has_share_left(const struct xpt_engine *e, uint64_t owner)
{
	const struct xpt_libraries *l = xpt_libraries__of(e);
	uint32_t i, n = 0;

	for (i = 0; owner != XPT_OWNER_MACHINE && i < l->nr; i++)
		n += l->v[i].owner == owner && (l->v[i].nr_fns || l->v[i].err);
	return n < MAX_LIBS_OF_USER;
}

bool xpt_lib_places__renew(struct xpt_engine *e, struct xpt_elib *lib, uint64_t owner)
{
	struct xpt_elib fresh = { .inode = lib->inode, .owner = owner, .kept = lib->kept, .counted = lib->counted };

	/* If the owner has no place for the name either, nothing else would be traced. */
	if (!lib->starved || lib->owner == owner || e->shared || e->attach == XPT_ATTACH_PERF ||
	    !xpt_lib_functions__has_share(e, owner) || !xpt_reading__has_share(e, owner) || !has_share_left(e, owner))
		return false;
	e->stats.nr_libs -= lib->nr_fns != 0;
	e->stats.nr_fns -= lib->nr_fns;
	e->lost[XPT_LOSS_RELINKED] += lib->nr_fns != 0;	/* others may call it until it has probes again */
	xpt_blocking__close(e, lib->fds, lib->nr_fds);
	free(lib->fds);
	*lib = fresh;
	return true;
}

struct xpt_elib *xpt_lib_places__get(struct xpt_engine *e, const struct xpt_inode *inode,
				     uint64_t owner, bool *ret_is_new)
{
	struct xpt_elib *lib = find_lib(e, inode);
	uint32_t *id;

	*ret_is_new = false;
	if (lib)
		return lib;
	if (xpt_closing__puts_off(e, inode)) {	/* this file waits; files of others do not */
		e->lost[XPT_LOSS_RELINKED]++;
		return NULL;
	}
	if (has_share_left(e, owner) || make_room(e, false, owner))
		lib = free_lib(e);
	else
		return NULL;
	if (!lib && make_room(e, true, owner))
		lib = free_lib(e);
	if (!lib)
		return NULL;
	id = &xpt_libraries__of(e)->id[lib - xpt_libraries__of(e)->v];
	*id = xpt_functions__lib_id(e, *id);
	*lib = (struct xpt_elib){ .inode = *inode, .owner = owner };
	*ret_is_new = true;
	return lib;
}
