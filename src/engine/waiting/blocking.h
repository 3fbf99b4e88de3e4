/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls that a stranger can make last: setting and taking away a probe changes every mapping of its file, and
 * waits for processes that fork. A child makes such a call, and the rings are emptied while the engine waits for it.
 * It is no thread, since a process does not end before all of its threads have come back from the kernel.
 */
#ifndef XPT_ENGINE_WAITING_BLOCKING_H
#define XPT_ENGINE_WAITING_BLOCKING_H

#include <stdbool.h>
#include <stddef.h>

struct xpt_engine;

/*
 * Runs run(arg) in a child that has the same descriptors and a copy of the memory, and returns the result of run().
 * run() makes system calls only. Returns -ECANCELED if the user ends the trace: the child goes on by itself, and
 * closes the descriptor that it would have returned (makes_fd). Where only the user has targets, or there is no
 * child, run() is called in this process.
 */
int xpt_blocking__run(struct xpt_engine *e, int (*run)(const void *arg), const void *arg, bool makes_fd);
/* Closes nr descriptors. */
void xpt_blocking__close(struct xpt_engine *e, const int *fds, size_t nr);

#endif
