/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user of a process.
 */
#ifndef XPT_PROC_UID_H
#define XPT_PROC_UID_H

#include <stdint.h>

#define XPT_NO_UID UINT32_MAX	/* no user: the kernel never assigns it */

/* The real user of a process: 0, or -ESRCH and XPT_NO_UID. A process that has ended has one until it is reaped. */
int xpt_proc__uid(int pid, uint32_t *ret_uid);

#endif
