// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The files that were looked at for the probes that a user named: a table of bounded size, in which
 * a file without any probe gives its place to another when there is none left.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/libraries/libs.h"
#include "engine/sources/points_priv.h"
#include "wire/config.h"

#define MAX_OWNERS 4096

static bool is_used(const struct xpt_point_file *f)
{
	return f->told || f->linked;
}

/* The place of a file that had nothing for us; NULL: there is none. */
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

struct xpt_point_file *xpt_point_files__get(struct xpt_points *pts, const struct xpt_inode *inode, uint64_t changed_ns)
{
	struct xpt_point_file *f;
	uint32_t i;

	for (i = 0; i < pts->nr_files; i++) {
		f = &pts->file[i];
		if (memcmp(&f->inode, inode, sizeof(*inode)))
			continue;
		if ((f->changed_ns != changed_ns || !changed_ns) && !is_used(f))
			f->done = 0;
		f->changed_ns = changed_ns;
		return f;
	}
	f = pts->nr_files < XPT_POINT_FILES ? &pts->file[pts->nr_files++] : give_up_one(pts);
	if (f)
		*f = (struct xpt_point_file){ .inode = *inode, .changed_ns = changed_ns };
	return f;
}

static const uint64_t others = UINT64_MAX;

int xpt_point_files__open(struct xpt_points *pts)
{
	int err = xpt_hashmap__new(sizeof(uint64_t), sizeof(struct xpt_point_share), MAX_OWNERS, &pts->shares);

	return err || xpt_hashmap__get(pts->shares, &others, NULL) ? err : -ENOMEM;
}

/* More owners than fit have one share together. */
struct xpt_point_share *xpt_point_files__of(struct xpt_engine *e, uint64_t owner)
{
	struct xpt_hashmap *shares = xpt_points__of(e)->shares;
	struct xpt_point_share *of = owner == XPT_OWNER_MACHINE ? NULL : xpt_hashmap__get(shares, &owner, NULL);

	return of || owner == XPT_OWNER_MACHINE ? of : xpt_hashmap__find(shares, &others);
}

static uint32_t left(uint32_t all, uint32_t used, uint32_t mine)
{
	return used + mine < all ? all - used - mine : 0;
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
	ret_left->files = left(XPT_POINT_FILES, pts->nr_used, has->files);
	ret_left->fns = left(XPT_MAX_FNS, e->nr_fns + xpt_libs__reserved_ids(e), has->fns);
	ret_left->places = left(XPT_POINT_SITES, pts->nr_places, has->places);
	return ret_left->files && ret_left->fns && ret_left->places;
}
