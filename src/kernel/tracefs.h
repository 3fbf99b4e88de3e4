/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's files for tracepoints and for definitions of events. Where nobody has
 * mounted tracefs (containers, small systems) an instance that no other process sees
 * serves as well; for that CAP_SYS_ADMIN is needed.
 */
#ifndef XPT_KERNEL_TRACEFS_H
#define XPT_KERNEL_TRACEFS_H

#include <stdint.h>

struct bpf_link;
struct bpf_program;

/* Returns the path at which tracefs is mounted, or NULL. */
const char *xpt_tracefs__mounted(void);

/* The directory: that, else one of our own, which is made once and kept; NULL: none. */
const char *xpt_tracefs__root(void);

/* Returns 0 if the kernel has that tracepoint and it may be used, else a negative errno. */
int xpt_tracefs__has(const char *category, const char *name);

/* Attaches to a tracepoint, also where libbpf does not find it; NULL: errno. */
struct bpf_link *xpt_tracefs__attach(const struct bpf_program *p, const char *category, const char *name,
				     uint64_t cookie);

#endif
