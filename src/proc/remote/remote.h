/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads that a traced process can make us wait for. Whoever owns a process can put pages into it that are never
 * ready: of a file of his own file system (FUSE, which any user can mount in a user namespace) whose reading he has
 * begun and never ends; have folders there that never answer; and wait for them while he holds the lock of his
 * mappings. Who reads such memory, a file of /proc that shows it, or follows such a path waits, and no signal
 * but SIGKILL ends that. So a child does. One thread uses this.
 */
#ifndef XPT_PROC_REMOTE_REMOTE_H
#define XPT_PROC_REMOTE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Reads up to n bytes, 4096 at most, at addr in process pid that nobody has changed, see xpt_constant__read(); their
 * number, or -errno. -ETIMEDOUT: the child has waited or computed for 0.3 s; from then on nothing of that user is read
 * for a second, twice as long each further time up to a minute (bans.h), or as long as the child waits, and nobody's
 * memory for ten times as long as we have waited: -EBUSY. -ETIME: the child found no processor for 5 s, for which
 * nobody is blamed.
 */
ssize_t xpt_remote__read_constant(int pid, uint64_t addr, void *buf, size_t n);

/*
 * From now on the child does the following as well; until then it is done directly, for a process that the user has
 * named.
 */
void xpt_remote__distrust(void);
bool xpt_remote__is_distrusting(void);	/* whether that was called */
/*
 * Returns a descriptor without access of the file that pid sees at that path, or -errno, as above; see
 * xpt_regular__walk().
 */
int xpt_remote__walk(int pid, const char *path);
/* The same of the file that a link below /proc/PID leads to. */
int xpt_remote__link(int pid, const char *name);
#define XPT_REMOTE_TEXT (32u << 20)
/*
 * A descriptor from which the file below /proc/PID can be read, as it is now, or at least the first max bytes of it
 * (XPT_REMOTE_TEXT is the most). Or -errno, as above.
 */
int xpt_remote__proc(int pid, const char *name, uint32_t max);

/* Starts the child, so that the first read need not: a program may not live for as long as that takes. */
void xpt_remote__prepare(void);
void xpt_remote__close(void);	/* ends the child, if there is one */

#endif
