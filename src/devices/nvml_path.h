/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds libnvidia-ml.so.1, and decides whether it may be loaded with the rights of root.
 */
#ifndef XPT_DEVICES_NVML_PATH_H
#define XPT_DEVICES_NVML_PATH_H

#include <stddef.h>

/*
 * Finds the library as the loader would, without its environment, then at the paths where
 * containers and the GPU operator have it. A file counts if root owns it and every folder on its
 * resolved path, and nobody else may write to them. Returns 0 and the resolved path, -ENOENT, or
 * -EPERM if only files that do not count were found.
 */
int xpt_nvml_path__find(char *buf, size_t n);
/* Whether the file at path counts: 0 and its resolved path, -ENOENT or -EPERM. */
int xpt_nvml_path__check(const char *path, char *ret_resolved, size_t n);

#endif
