/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capabilities of the calling thread, as masks of 1 << CAP_...; and that no program that it executes
 * gets any back.
 */
#ifndef XPT_BASE_PROCESS_CAPS_H
#define XPT_BASE_PROCESS_CAPS_H

#include <stdint.h>

#define XPT_CAP(name) (1ull << CAP_##name)	/* of <linux/capability.h> */

/* The permitted ones; 0 also where they cannot be read. */
uint64_t xpt_caps__permitted(void);

/* The most that executing a program can give, where CAP_SETPCAP allows to change it. */
void xpt_caps__bound(uint64_t mask);

/*
 * Gives up all but these, in every set, for good: set-user-id programs and files with capabilities give none
 * back (no new privileges). The bounding set follows. 0 or -errno. Threads that exist already keep their
 * capabilities.
 */
int xpt_caps__keep(uint64_t mask);

#endif
