/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Removes the probes of files that no process maps any more, so that their places in the tables become free. A thread
 * closes the links, because each takes the kernel 20 ms. Probes of perf events cannot be removed one by one, and
 * stay.
 *
 *   take... -> start -> [step until it is not busy]
 */
#ifndef XPT_ENGINE_ATTACH_CLOSING_H
#define XPT_ENGINE_ATTACH_CLOSING_H

#include <stdbool.h>
#include <stddef.h>

struct xpt_elib;
struct xpt_engine;
struct xpt_inode;

/* Whether no probes can be removed now: links are being closed, or probes are perf events. */
bool xpt_closing__is_busy(const struct xpt_engine *e);
size_t xpt_closing__nr(const struct xpt_engine *e);	/* links that are being closed */
/*
 * Whether the file's links are being closed. A new probe beside one that is being removed would see calls twice, so
 * the file has to wait: mappings are examined again when the links are closed.
 */
bool xpt_closing__puts_off(struct xpt_engine *e, const struct xpt_inode *file);
/*
 * Releases a file: every source hands over its links there (xpt_closing__add_links()) and forgets it, unless one of
 * them keeps it. Only where it is not busy. Returns whether it was released.
 */
bool xpt_closing__take(struct xpt_engine *e, const struct xpt_inode *file);
/* For sources in their operation `release`: takes the descriptors of lib over, which has none then. */
void xpt_closing__add_links(struct xpt_engine *e, struct xpt_elib *lib);
void xpt_closing__start(struct xpt_engine *e);		/* closes the links that were handed over */
void xpt_closing__step(struct xpt_engine *e);		/* in each poll */
void xpt_closing__free(struct xpt_engine *e);		/* links that are still being closed are left to the thread */

#endif
