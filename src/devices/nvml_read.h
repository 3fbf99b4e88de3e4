/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One reading of all devices by NVML, in a reader process: any call may hang for ever.
 *
 * Slots: a GPU has slot index * XPT_NVML_SLOTS_EACH, its MIG devices have those that follow.
 */
#ifndef XPT_DEVICES_NVML_READ_H
#define XPT_DEVICES_NVML_READ_H

#include "devices/device_reader.h"

#define XPT_NVML_DEVICES_MAX 64
#define XPT_NVML_MIG_MAX 8		/* MIG devices of a GPU: seven and a spare */
#define XPT_NVML_SLOTS_EACH (1 + XPT_NVML_MIG_MAX)
#define XPT_NVML_PROCESSES_MAX 1024	/* of a device */
/* Values that change seldom or cost much are read once in so many readings, the first included. */
#define XPT_NVML_SLOW_EVERY 10

struct xpt_nvml;

/* library: its path, or NULL to search for it. Loads nothing yet. Returns 0 or -ENOMEM. */
int xpt_nvml__new(const char *library, struct xpt_nvml **ret_n);
/*
 * Reads everything once; loads and starts the library first if need be. After any state but
 * XPT_READ_OK the library is shut down; a new process should try again, which would load
 * another version of it, too.
 */
void xpt_nvml__read(struct xpt_nvml *n, const struct xpt_device_sink *sink, struct xpt_read_result *ret_r);
void xpt_nvml__free(struct xpt_nvml *n);

#endif
