/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lists of descriptors, and closing them: many at once, and those of a child that works on in the
 * background, for others wait for the end of pipes and for locks of files as
 * long as anybody holds them.
 */
#ifndef XPT_BASE_PROCESS_FDS_H
#define XPT_BASE_PROCESS_FDS_H

#include <stddef.h>

/*
 * Closes all descriptors that another process could wait for: of pipes, sockets,
 * terminals, files. Descriptors that the kernel made for this program alone (of
 * BPF, of perf events, of epoll) stay open, and so do folders and the nr
 * descriptors `keep`.
 */
void xpt_fds__let_go(const int *keep, size_t nr);
/* Closes all but these and folders: also those that the kernel made for other parts of the
 * program. */
void xpt_fds__keep_only(const int *fds, size_t nr);
/*
 * Closes these, in threads of its own, and returns when all are closed. Each close of a
 * link to a probe waits in the kernel until nobody runs the probe's program any more;
 * they wait together.
 */
void xpt_fds__close_all(const int *fds, size_t nr);
/* Appends fd to a list of nr descriptors that realloc() made. -ENOMEM: fd was closed. */
int xpt_fds__append(int **fds, size_t *nr, int fd);

#endif
