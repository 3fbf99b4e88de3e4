/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What differs between SPDK's releases, as far as scripts need it: the names of
 * states that probes give as numbers. The release stands in every SPDK program,
 * "SPDK v24.01".
 */
#ifndef XPT_SPDK_RELEASE_H
#define XPT_SPDK_RELEASE_H

#include <stddef.h>

/* Year and month as one number, 2401; 0: there is none in these bytes. */
unsigned xpt_spdk_release__find(const void *data, size_t n);
unsigned xpt_spdk_release__parse(const char *s);	/* "24.01", "v24.01-pre"; 0: no release */

/* Names in order of their values, ended by NULL: of the target in that release (0: the newest
 * known), and of subsystems in any. */
const char *const *xpt_spdk_target_states(unsigned release);
extern const char *const xpt_spdk_subsystem_states[];

#endif
