/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Descriptors of a child that works on in the background: others wait for the
 * end of pipes and for locks of files as long as anybody holds them.
 */
#ifndef XPT_BASE_FDS_H
#define XPT_BASE_FDS_H

#include <stddef.h>

/*
 * Closes all descriptors that anybody else could wait for: of pipes, sockets,
 * terminals, files. What the kernel made for this program alone (of BPF, of perf
 * events, of epoll) stays, and folders do.
 */
void xpt_fds__let_go(void);
/* Closes all but these and folders: also what the kernel made for other parts of the program. */
void xpt_fds__keep_only(const int *fds, size_t nr);

#endif
