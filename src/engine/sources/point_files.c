// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The files that were looked at for the probes that a user named: a table of bounded size, in which
 * a file without any probe gives its place to another when there is none left.
 */
#include <stdlib.h>
#include <string.h>

#include "wire/config.h"
#include "engine/sources/points_priv.h"

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

bool xpt_point_files__has_share(const struct xpt_engine *e, uint64_t owner)
{
	const struct xpt_points *pts = xpt_points__of(e);
	uint32_t files = 0, used = 0, fns = 0, places = 0;

	if (owner == XPT_OWNER_MACHINE)
		return true;
	for (uint32_t i = 0; i < pts->nr_files; i++) {
		const struct xpt_point_file *f = &pts->file[i];

		used += is_used(f);
		if (f->owner != owner)
			continue;
		files += is_used(f);
		fns += f->nr_fns;
		places += f->nr_places;
	}
	return files < XPT_POINT_FILES - used && fns < XPT_MAX_FNS - e->nr_fns && places < XPT_POINT_SITES - pts->nr_places;
}
