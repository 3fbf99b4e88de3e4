/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --layers and --device: which of the layers between a program and its device
 * are traced, and which devices count as such.
 */
#ifndef XPT_SESSION_OPTIONS_LAYER_OPTIONS_H
#define XPT_SESSION_OPTIONS_LAYER_OPTIONS_H

#include <stdbool.h>
#include "base/list.h"
#include "engine/sources/ioctl_source.h"

struct xpt_layers {
	bool api, ioctl, driver;	/* driver: functions of drivers that are in a table */
	bool rdma, uverbs;	/* the kernel's RDMA calls: with all below them; only their methods */
	struct xpt_ioctl_device devices[XPT_LIST_MAX];
	unsigned nr_devices;
};

/* list: "api,ioctl,driver,rdma" or NULL. A device asks for the layer ioctl by itself. -1 or an exit status,
 * having said why. */
int xpt_layers__read(const char *command, const char *list, const struct xpt_list *devices,
		     struct xpt_layers *ret_layers);
/* Adds the layer of a domain whose calls are found in the kernel, not in libraries. False: it is none of these. */
bool xpt_layers__add_domain(struct xpt_layers *l, const char *domain);

#endif
