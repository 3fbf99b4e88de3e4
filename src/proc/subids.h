/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subordinate ids (subuid(5)): a user who has some can run programs under each of them, also outside of his
 * namespaces, by files of his with the setuid bit. For shares all of them are he.
 */
#ifndef XPT_PROC_SUBIDS_H
#define XPT_PROC_SUBIDS_H

#include <stdint.h>
#include "wire/user.h"

struct xpt_subids_range {
	uint32_t first, last;
	uint32_t user;
};

struct xpt_subids {
	struct xpt_subids_range range[XPT_SUBID_RANGES];	/* none overlaps another */
	unsigned nr;
};

/*
 * Adds the ranges of the file etc/subuid below root ("": this machine). An id belongs to the first user who has it;
 * those of root, as for containers, stay users of their own. A user without a line in etc/passwd is the first id of
 * his range. Files that others than root may write are not read; those and damaged lines are only reported as
 * debug messages.
 */
void xpt_subids__read(struct xpt_subids *s, const char *root);
/* Returns the user whose id that is: uid itself where no range has it. */
uint32_t xpt_subids__user(const struct xpt_subids *s, uint32_t uid);
/* Returns how many bits from the highest one on the largest block of ids from `first` on has in common. */
uint32_t xpt_subids__bits(uint32_t first, uint32_t last);

/* Reads this machine's table anew; inside a container, the host's too. */
void xpt_subids__load(void);
const struct xpt_subids *xpt_subids__loaded(void);	/* empty before the first load() */

#endif
