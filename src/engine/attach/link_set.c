// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Halving of sets of places that the kernel refuses. A set of n places of which k are
 * refused takes some k log2(n) requests.
 */
#include "engine/attach/link_set.h"

#include <errno.h>

/* Smaller sets of the file would be refused as well. EFAULT: a process that maps it lets no page be copied (userfaultfd). */
static bool is_about_file(int err)
{
	return err == -EFAULT || err == -EPERM || err == -ENOENT || err == -EINTR || err == -ECANCELED;
}

/* Smaller sets need a file descriptor as well, and there is none. */
static bool is_about_descriptors(int err)
{
	return err == -EMFILE || err == -ENFILE;
}

static int request(const struct xpt_link_set *set, uint32_t from, uint32_t n)
{
	if (set->left && !*set->left)
		return -EDQUOT;
	if (set->left)
		--*set->left;
	return set->link(set->ctx, from, n);
}

uint32_t xpt_link_set__attach(const struct xpt_link_set *set, uint32_t from, uint32_t n)
{
	int err = n ? request(set, from, n) : 0;

	if (!err)
		return n;
	if (n == 1 || err == -EDQUOT || is_about_descriptors(err) || (set->one_file && is_about_file(err))) {
		if (set->on_refused)
			set->on_refused(set->ctx, from, n, err);
		return 0;
	}
	return xpt_link_set__attach(set, from, n / 2) +
	       xpt_link_set__attach(set, from + n / 2, n - n / 2);
}
