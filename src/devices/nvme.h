/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State of NVMe controllers from /sys/class/nvme, and paths of subsystems from
 * /sys/class/nvme-subsystem. Slots are given by the order of names, from `first` on: controllers,
 * then XPT_NVME_MAX higher subsystems.
 */
#ifndef XPT_DEVICES_NVME_H
#define XPT_DEVICES_NVME_H

#include "devices/device_reader.h"

#define XPT_NVME_MAX 256	/* controllers, and subsystems */

/* Reads all once, as xpt_rdma_ports__read() does. */
void xpt_nvme__read(const char *root, uint32_t first, const struct xpt_device_sink *sink, uint64_t *left_out);

#endif
