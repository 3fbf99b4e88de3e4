/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Owners (owner.h) whose memory and files are not read for a while, because a read took too long. The first ban
 * is short: reads of anybody's processes can be slow on a busy machine. Each further one is twice as long.
 */
#ifndef XPT_PROC_REMOTE_BANS_H
#define XPT_PROC_REMOTE_BANS_H

#include <stdbool.h>
#include <stdint.h>

#define XPT_BANS 64

#define XPT_BAN_NS 1000000000ull	/* the first ban of an owner, and each one of the machine itself */
#define XPT_BAN_MAX_NS 60000000000ull
#define XPT_BAN_FORGET_NS 600000000000ull	/* an owner without a ban for so long begins with a short one again */

struct xpt_bans {
	struct {
		uint64_t owner;
		uint64_t until_ns;	/* 0: unused */
		uint64_t rest_ns;	/* how long the ban until then is */
	} of[XPT_BANS];
};

/* Times are those of CLOCK_MONOTONIC. */
bool xpt_bans__has(const struct xpt_bans *b, uint64_t owner, uint64_t now_ns);
/* Begins a ban at now_ns. Where there are XPT_BANS owners, the one whose ban ends or has ended first is forgotten. */
void xpt_bans__add(struct xpt_bans *b, uint64_t owner, uint64_t now_ns);

#endif
