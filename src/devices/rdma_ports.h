/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State and counters of RDMA ports, from /sys/class/infiniband. Slots are given by the order of
 * device names, from `first` on.
 */
#ifndef XPT_DEVICES_RDMA_PORTS_H
#define XPT_DEVICES_RDMA_PORTS_H

#include "devices/device_reader.h"

#define XPT_RDMA_DEVICES_MAX 128
#define XPT_RDMA_PORTS_MAX 16	/* of a device; the number of a port is below 256 */

/*
 * Reads all ports once. root: the folder used as /sys. *left_out grows by devices and ports
 * above the limits. A missing folder is a machine without RDMA, and no error.
 */
void xpt_rdma_ports__read(const char *root, uint32_t first, const struct xpt_device_sink *sink, uint64_t *left_out);
/* Returns the name in sysfs of the counter with that metric, "link_downed"; NULL: it is no
 * counter of a port. */
const char *xpt_rdma_ports__counter(uint16_t metric);

#endif
