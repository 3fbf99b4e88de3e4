/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * State of the reading by NVML, between nvml_read.c (order, devices, MIG), nvml_values.c (values
 * of a device), nvml_processes.c and nvml_gpm.c only.
 */
#ifndef XPT_DEVICES_NVML_READ_PRIV_H
#define XPT_DEVICES_NVML_READ_PRIV_H

#include <stdbool.h>
#include "devices/nvml_api.h"
#include "devices/nvml_read.h"
#include "devices/values.h"

#define XPT_NVML_QUERIES 64	/* bits of queries that a device may lack */

struct xpt_nvml_device {
	struct xpt_nvml_dev *dev;	/* NULL: there is none in this slot */
	bool is_mig;
	uint64_t lacks;			/* bit: enum or index of a query that it does not support */
	uint64_t use_since_us;		/* processes' utilization was read up to then */
	uint32_t links;			/* NVLinks, bit by bit; those that answered */
	struct xpt_nvml_sample *sample[2];	/* GPM: allocated; the newer one is sample[newer] */
	uint8_t newer;
	bool has_sample, no_gpm;
	struct xpt_device_info info;
};

struct xpt_nvml {
	const char *library;
	struct xpt_nvml_api api;
	bool is_started;
	uint32_t nr;			/* GPUs */
	uint64_t round, errors, left_out;
	bool is_slow;			/* this reading has the slow values, too */
	uint32_t pcie_turn;		/* GPU whose PCIe throughput is sampled first */
	int lost;			/* code that ends this reading, or 0 */
	bool is_device_lost;		/* of the device that is read */
	struct xpt_values values;
	struct xpt_nvml_device device[XPT_NVML_DEVICES_MAX * XPT_NVML_SLOTS_EACH];
	struct xpt_nvml_process process[XPT_NVML_PROCESSES_MAX * 2];	/* some versions write larger structs */
	struct xpt_nvml_gpm_get gpm;
};

/*
 * Judges an answer. True: the value is good. Errors are counted; those that concern the device or
 * the driver end its reading. query: bit in d->lacks, or -1.
 */
bool xpt_nvml__ok(struct xpt_nvml *n, struct xpt_nvml_device *d, int query, int code);
/* Whether the reading of the device goes on, and it does not lack that query. */
bool xpt_nvml__may_ask(const struct xpt_nvml *n, const struct xpt_nvml_device *d, int query);

void xpt_nvml__read_values(struct xpt_nvml *n, struct xpt_nvml_device *d);
void xpt_nvml__read_pcie(struct xpt_nvml *n, struct xpt_nvml_device *d);	/* sleeps 20 ms for each direction */
/* gpu: the GPU of d, or d itself. Processes of MIG devices are listed by these. */
void xpt_nvml__read_processes(struct xpt_nvml *n, struct xpt_nvml_device *d, bool has_mig);
void xpt_nvml__read_gpm(struct xpt_nvml *n, struct xpt_nvml_device *d);

/* Numbers of queries; those of the table in nvml_values.c follow. */
enum {
	XPT_NVML_Q_UTILIZATION, XPT_NVML_Q_ENCODER, XPT_NVML_Q_DECODER, XPT_NVML_Q_MEMORY_V2, XPT_NVML_Q_MEMORY,
	XPT_NVML_Q_EVENTS, XPT_NVML_Q_ROWS, XPT_NVML_Q_FANS, XPT_NVML_Q_FIELDS, XPT_NVML_Q_PCIE_SENT,
	XPT_NVML_Q_PCIE_RECEIVED, XPT_NVML_Q_MIG, XPT_NVML_Q_COMPUTE, XPT_NVML_Q_GRAPHICS, XPT_NVML_Q_MPS,
	XPT_NVML_Q_PROCESS_USE, XPT_NVML_Q_LINK_STATE, XPT_NVML_Q_LINK_ERRORS, XPT_NVML_Q_TABLE
};

#endif
