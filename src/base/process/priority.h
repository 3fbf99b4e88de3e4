/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the processors that our session gets. Where the kernel groups processes by session
 * (CONFIG_SCHED_AUTOGROUP, sched(7)), niceness counts within a session only: a user with 300 sessions has 300
 * times our share. So a session gets the least nice value as a whole, if it is ours: if we lead it. That of a
 * shell that has started us is its user's, and stays as it is.
 */
#ifndef XPT_BASE_PROCESS_PRIORITY_H
#define XPT_BASE_PROCESS_PRIORITY_H

#include <stdbool.h>

/*
 * Raises the calling process's session, if it leads it, by a parent's word or its own (setsid(2)). False: it stays as
 * it is.
 */
bool xpt_priority__raise_session(void);
/* Restores the session's former nice value: others of the session go on without us. In the
 * process that raised it; else nothing happens. */
void xpt_priority__restore_session(void);

#endif
