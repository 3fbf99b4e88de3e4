// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The files that were searched for the probes that a user named: a table of limited size. When it is full, a new
 * file takes the entry of one that has none of these probes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "engine/attach/closing.h"
#include "engine/attach/counted.h"
#include "engine/function_ids.h"
#include "engine/libraries/libs.h"
#include "engine/processes/mappings.h"
#include "engine/sources/points/point_parts.h"
#include "wire/config.h"

#define MAX_OWNERS 4096
#define AGAIN_NS 100000000ull	/* from one look for files that can be given back to the next */

static bool is_used(const struct xpt_point_file *f)
{
	return f->described || f->linked;
}

/* Returns the place of a file without probes, or NULL. */
static struct xpt_point_file *give_up_one(struct xpt_points *pts)
{
	uint32_t i;

	for (i = 0; i < XPT_POINT_FILES; i++) {
		struct xpt_point_file *f = &pts->file[pts->next++ % XPT_POINT_FILES];

		if (!is_used(f))
			return f;
	}
	return NULL;
}

uint32_t xpt_point_files__lib(struct xpt_engine *e, const struct xpt_point_file *f)
{
	struct xpt_points *pts = xpt_points__of(e);

	return pts->lib[f - pts->file];
}

struct xpt_point_file *xpt_point_files__get(struct xpt_engine *e, const struct xpt_inode *inode, uint64_t changed_ns)
{
	struct xpt_points *pts = xpt_points__of(e);
	struct xpt_point_file *f;
	uint32_t i;

	for (i = 0; i < pts->nr_files; i++) {
		f = &pts->file[i];
		if (memcmp(&f->inode, inode, sizeof(*inode)))
			continue;
		if ((f->changed_ns != changed_ns || !changed_ns) && !is_used(f))
			f->done = f->counted.probes = 0;
		f->changed_ns = changed_ns;
		return f;
	}
	f = pts->nr_files < XPT_POINT_FILES ? &pts->file[pts->nr_files++] : give_up_one(pts);
	if (!f)
		return NULL;
	pts->lib[f - pts->file] = xpt_functions__lib_id(e, xpt_point_files__lib(e, f));
	*f = (struct xpt_point_file){ .inode = *inode, .changed_ns = changed_ns };
	return f;
}

/* --- files that no process maps any more -------------------------------------------------- */

static struct xpt_point_file *find_file(const struct xpt_engine *e, const struct xpt_inode *inode)
{
	struct xpt_points *pts = xpt_points__of(e);

	for (uint32_t i = 0; pts && i < pts->nr_files; i++)
		if (!memcmp(&pts->file[i].inode, inode, sizeof(*inode)))
			return &pts->file[i];
	return NULL;
}

bool xpt_point_files__keeps(const struct xpt_engine *e, const struct xpt_inode *inode)
{
	const struct xpt_point_file *f = find_file(e, inode);

	return f && f->kept;
}

void xpt_point_files__release(struct xpt_engine *e, const struct xpt_inode *inode)
{
	struct xpt_points *pts = xpt_points__of(e);
	struct xpt_point_file *f = find_file(e, inode);
	struct xpt_point_share *share = f && f->linked ? xpt_point_files__of(e, f->linked_owner) : NULL;
	uint32_t i, n = 0;

	for (i = 0; f && i < pts->nr_sets; i++) {
		if (memcmp(&pts->sets[i]->inode, inode, sizeof(*inode))) {
			pts->sets[n++] = pts->sets[i];
			continue;
		}
		xpt_closing__add_links(e, pts->sets[i]);
		free(pts->sets[i]);
	}
	if (!f)
		return;
	pts->nr_sets = n;
	pts->nr_used -= f->linked;
	if (share && share->files)
		share->files--;
	*f = (struct xpt_point_file){ 0 };
}

bool xpt_point_files__has_time(struct xpt_engine *e, const struct xpt_point_file *f)
{
	return f->owner == XPT_OWNER_MACHINE || xpt_allowance__has(&xpt_points__of(e)->time, f->owner, xpt_now_ns());
}

void xpt_point_files__note_other(struct xpt_engine *e, struct xpt_point_file *f, uint64_t owner, uint32_t uid)
{
	struct xpt_point_share *share = xpt_point_files__of(e, f->linked_owner);

	if (owner == XPT_OWNER_MACHINE) {
		if (share && share->files)
			share->files--;
		f->linked_owner = owner;
	} else if (XPT_OWNER_UID(owner) == uid) {
		f->user_ns = xpt_now_ns();
	}
}

static bool is_table_full(const struct xpt_points *pts)
{
	uint32_t i;

	for (i = 0; i < pts->nr_files && is_used(&pts->file[i]); i++)
		;
	return i == XPT_POINT_FILES;
}

static bool is_share_used_up(struct xpt_engine *e, uint64_t owner)
{
	struct xpt_point_share left;

	xpt_point_files__share(e, owner, &left);
	return !left.files;
}

enum owners { OF_OWNER, OF_USERS, OF_MACHINE };

static bool has_owner(const struct xpt_point_file *f, enum owners owners, uint64_t owner)
{
	if (owners == OF_OWNER)
		return f->linked_owner == owner && (!f->user_ns || xpt_now_ns() - f->user_ns > XPT_USER_NS);
	return (f->linked_owner != XPT_OWNER_MACHINE) == (owners == OF_USERS);
}

static uint32_t give_back(struct xpt_engine *e, enum owners owners, uint64_t owner)
{
	struct xpt_points *pts = xpt_points__of(e);
	uint32_t i, n = 0;

	for (i = 0; i < pts->nr_files; i++) {
		const struct xpt_point_file *f = &pts->file[i];

		if (is_used(f) && !f->kept && has_owner(f, owners, owner) && xpt_inode__is_mapped(e, &f->inode) == 0)
			n += xpt_closing__take(e, &f->inode);
	}
	xpt_closing__start(e);
	if (n)
		xpt_debug("%u files that no process maps any more gave back their places", n);
	return n;
}

void xpt_point_files__make_room(struct xpt_engine *e, const struct xpt_inode *inode, uint64_t owner)
{
	struct xpt_points *pts = xpt_points__of(e);
	const struct xpt_point_file *f = find_file(e, inode);
	uint64_t now = xpt_now_ns();
	bool is_full = is_table_full(pts);

	if (now < pts->again_ns || (f && is_used(f)) || !(is_full || is_share_used_up(e, owner)))
		return;
	xpt_closing__step(e);
	if (xpt_closing__is_busy(e))
		return;
	pts->again_ns = now + AGAIN_NS;
	if (!give_back(e, is_full ? OF_USERS : OF_OWNER, owner) && is_full)
		give_back(e, OF_MACHINE, owner);
}

/* --- files that are looked at again ---------------------------------------------------- */

void xpt_point_files__note_try(struct xpt_point_file *f, int err)
{
	xpt_again__note(&f->again, err, xpt_now_ns());
	f->is_resting = err == -EFAULT;
}

bool xpt_point_files__is_resting(const struct xpt_point_file *f)
{
	return f->is_resting && xpt_now_ns() < f->again.at_ns;
}

/* Operation of the source. */
void xpt_point_files__step(struct xpt_engine *e)
{
	struct xpt_points *pts = xpt_points__of(e);
	uint64_t now = 0;

	for (uint32_t i = 0; pts && i < pts->nr_files; i++) {
		struct xpt_point_file *f = &pts->file[i];

		if (!f->again.at_ns)
			continue;
		now = now ? now : xpt_now_ns();
		if (!xpt_again__take_due(&f->again, now))
			continue;
		f->is_resting = false;
		e->mappings->scan_due = true;
	}
}

void xpt_point_files__count_once(struct xpt_engine *e, struct xpt_point_file *f, const struct xpt_counted *before,
				 uint64_t probes, uint64_t refused)
{
	struct xpt_counted now = { 0 };
	bool is_again = probes & f->counted.probes;

	if (!f->counted.probes)
		f->counted.of = now;
	xpt_counted__once(e, before, is_again ? &f->counted.of : &now);
	f->counted.probes = (f->counted.probes & ~probes) | refused;
	if (refused && !is_again)
		xpt_counted__add(&f->counted.of, &now);
}

/* --- shares ------------------------------------------------------------------------------- */

static const uint64_t others = UINT64_MAX;

int xpt_point_files__open(struct xpt_points *pts)
{
	int err = xpt_hashmap__new(sizeof(uint64_t), sizeof(struct xpt_point_share), MAX_OWNERS, &pts->shares);

	return err || xpt_hashmap__get(pts->shares, &others, NULL) ? err : -ENOMEM;
}

/* Owners without room in the table have one share together. */
struct xpt_point_share *xpt_point_files__of(struct xpt_engine *e, uint64_t owner)
{
	struct xpt_hashmap *shares = xpt_points__of(e)->shares;
	struct xpt_point_share *of = owner == XPT_OWNER_MACHINE ? NULL : xpt_hashmap__get(shares, &owner, NULL);

	return of || owner == XPT_OWNER_MACHINE ? of : xpt_hashmap__find(shares, &others);
}

static uint32_t left_for(uint32_t all, uint32_t used, uint32_t mine)
{
	return (uint64_t)used + mine < all ? all - used - mine : 0;
}

bool xpt_point_files__share(struct xpt_engine *e, uint64_t owner, struct xpt_point_share *ret_left)
{
	const struct xpt_points *pts = xpt_points__of(e);
	const struct xpt_point_share *has = xpt_point_files__of(e, owner);

	*ret_left = (struct xpt_point_share){ UINT32_MAX, UINT32_MAX, UINT32_MAX };
	if (owner == XPT_OWNER_MACHINE)
		return true;
	if (!has)
		return false;
	ret_left->files = left_for(XPT_POINT_FILES, pts->nr_used, has->files);
	ret_left->fns = left_for(XPT_MAX_FNS, e->nr_fns + xpt_libs__reserved_ids(e), has->fns);
	ret_left->places = left_for(XPT_POINT_SITES, pts->nr_places, has->places);
	return ret_left->files && ret_left->fns && ret_left->places;
}
