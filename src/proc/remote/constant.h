/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of a process that is still the same as before: of a file that is mapped privately and without write
 * access. Looking may take as long as the owner of the process likes: proc/remote/remote.h asks a child.
 */
#ifndef XPT_PROC_REMOTE_CONSTANT_H
#define XPT_PROC_REMOTE_CONSTANT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Reads up to n bytes at addr in process pid, not beyond the mapping that holds it; their number, or
 * -EFAULT: nothing is there or it may change; -EBUSY: there are so many mappings that finding it takes too
 * long, which happens before Linux 6.11 only; or -errno.
 */
ssize_t xpt_constant__read(int pid, uint64_t addr, void *buf, size_t n);

#endif
