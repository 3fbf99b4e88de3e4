/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much time may be spent on requests of each owner (owner.h), where one thread serves all: a store that fills
 * again with time. An owner who has used his up waits; others do not.
 */
#ifndef XPT_PROC_REMOTE_ALLOWANCE_H
#define XPT_PROC_REMOTE_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

#define XPT_ALLOWANCE_OWNERS 64

struct xpt_allowance {
	uint64_t most_ns;	/* store of an owner at first, and at most */
	uint32_t per_mille;	/* of the time that passes comes back */
	struct {
		uint64_t owner, at_ns;	/* at_ns 0: unused */
		int64_t left_ns;	/* at that time; less than 0: more was spent than there was */
	} of[XPT_ALLOWANCE_OWNERS];
};

/* Returns whether the owner has something left at now_ns (CLOCK_MONOTONIC). The machine itself always has. */
bool xpt_allowance__has(const struct xpt_allowance *a, uint64_t owner, uint64_t now_ns);
/*
 * Takes ns from the store of the owner at now_ns. Where more owners than there is room for have spent something
 * lately, the owner with most left is forgotten.
 */
void xpt_allowance__spend(struct xpt_allowance *a, uint64_t owner, uint64_t ns, uint64_t now_ns);

#endif
