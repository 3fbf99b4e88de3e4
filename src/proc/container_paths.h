/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cgroups of containers that are known by a namespace (wire/user.h), so that messages can name them, also once they
 * have ended. Only the 64 that were seen last are kept.
 */
#ifndef XPT_PROC_CONTAINER_PATHS_H
#define XPT_PROC_CONTAINER_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Notes the cgroup of a process that is in that container. */
void xpt_container_paths__note(uint32_t group, int pid);
/* The path, as /proc/PID/cgroup had it, or false. */
bool xpt_container_paths__find(uint32_t group, char *ret_path, size_t n);

#endif
