// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reading by NVML, see nvml_read.h: starts the library, finds devices and MIG devices, and reads
 * them one after the other. A GPU that is lost ends its own part only; a driver that has gone
 * ends the reading. Whatever the library says of numbers and text is bounded here.
 */
#include "devices/nvml_read_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"

/* A query that a device does not support is made again after so many readings: modes change. */
#define FORGET_EVERY 60
#define PCIE_EACH 8	/* GPUs whose throughput is sampled in one reading, for each sample takes 20 ms */

int xpt_nvml__new(const char *library, struct xpt_nvml **ret_n)
{
	struct xpt_nvml *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->library = library;
	*ret_n = n;
	return 0;
}

bool xpt_nvml__may_ask(const struct xpt_nvml *n, const struct xpt_nvml_device *d, int query)
{
	return !n->lost && !n->is_device_lost && (query < 0 || !(d->lacks >> query & 1));
}

bool xpt_nvml__ok(struct xpt_nvml *n, struct xpt_nvml_device *d, int query, int code)
{
	switch (code) {
	case XPT_NVML_SUCCESS:
		return true;
	case XPT_NVML_UNINITIALIZED:
	case XPT_NVML_DRIVER_NOT_LOADED:
	case XPT_NVML_VERSION_MISMATCH:
		n->lost = code;
		return false;
	case XPT_NVML_GPU_IS_LOST:
	case XPT_NVML_RESET_REQUIRED:
		n->is_device_lost = true;
		return false;
	case XPT_NVML_NOT_SUPPORTED:
	case XPT_NVML_FUNCTION_NOT_FOUND:
	case XPT_NVML_NO_PERMISSION:
	case XPT_NVML_INVALID_ARGUMENT:
	case XPT_NVML_ARGUMENT_VERSION:
		if (query >= 0)
			d->lacks |= 1ull << query;
		return false;
	case XPT_NVML_NOT_FOUND:
	case XPT_NVML_NO_DATA:
	case XPT_NVML_INSUFFICIENT_SIZE:
		return false;
	default:
		n->errors++;
		return false;
	}
}

/* --- devices --------------------------------------------------------------------------------- */

static void free_samples(struct xpt_nvml *n, struct xpt_nvml_device *d)
{
	for (int i = 0; i < 2; i++) {
		if (d->sample[i] && n->api.gpm_free)
			n->api.gpm_free(d->sample[i]);
		d->sample[i] = NULL;
	}
	d->has_sample = false;
}

/* Text of the library ends within n bytes, whatever it did. */
static void ask_text(int (*ask)(struct xpt_nvml_dev *, char *, uint32_t), struct xpt_nvml_dev *dev, char *s, uint32_t n)
{
	if (!ask || ask(dev, s, n - 1))
		s[0] = '\0';
	s[n - 1] = '\0';
}

static void describe_device(struct xpt_nvml *n, struct xpt_nvml_device *d, enum xpt_device_kind kind, uint32_t index,
			    uint32_t parent)
{
	struct xpt_nvml_pci pci;
	uint32_t v;

	xpt_device_info__init(&d->info, kind, index);
	d->info.parent = parent;
	ask_text(n->api.name, d->dev, d->info.name, sizeof(d->info.name));
	ask_text(n->api.uuid, d->dev, d->info.uuid, sizeof(d->info.uuid));
	memset(&pci, 0, sizeof(pci));
	if (kind == XPT_DEVICE_GPU && n->api.pci && !n->api.pci(d->dev, &pci))
		snprintf(d->info.address, sizeof(d->info.address), "%.*s",
			 pci.bus_id[0] ? (int)sizeof(pci.bus_id) : (int)sizeof(pci.legacy),
			 pci.bus_id[0] ? pci.bus_id : pci.legacy);
	if (kind == XPT_DEVICE_GPU && n->api.minor && !n->api.minor(d->dev, &v))
		d->info.minor = v;
	if (kind == XPT_DEVICE_GPU && n->api.numa_node && !n->api.numa_node(d->dev, &v) && v < 1 << 20)
		d->info.numa_node = (int32_t)v;
}

static void find_gpus(struct xpt_nvml *n)
{
	uint32_t claimed = 0;

	if (n->api.count(&claimed))
		claimed = 0;
	n->nr = claimed < XPT_NVML_DEVICES_MAX ? claimed : XPT_NVML_DEVICES_MAX;
	n->left_out += claimed - n->nr;
	for (uint32_t i = 0; i < n->nr; i++) {
		struct xpt_nvml_device *d = &n->device[i * XPT_NVML_SLOTS_EACH];

		if (n->api.handle(i, &d->dev)) {	/* one that cannot be opened hides no other */
			d->dev = NULL;
			n->errors++;
			continue;
		}
		describe_device(n, d, XPT_DEVICE_GPU, i, XPT_NO_SLOT);
	}
}

static void set_mig(struct xpt_nvml *n, uint32_t gpu_slot, uint32_t place, struct xpt_nvml_dev *dev, uint32_t index)
{
	struct xpt_nvml_device *d = &n->device[gpu_slot + 1 + place];

	if (d->dev == dev && dev)
		return;
	free_samples(n, d);
	memset(d, 0, sizeof(*d));
	d->dev = dev;
	d->is_mig = true;
	if (dev)
		describe_device(n, d, XPT_DEVICE_MIG, index, gpu_slot);
}

/* Puts the MIG devices into the first slots; returns their number. */
static uint32_t find_migs(struct xpt_nvml *n, uint32_t slot)
{
	struct xpt_nvml_device *gpu = &n->device[slot];
	uint32_t most = 0, nr = 0;

	if (n->api.mig_max && n->api.mig_handle && xpt_nvml__ok(n, gpu, -1, n->api.mig_max(gpu->dev, &most)) &&
	    most > XPT_NVML_MIG_MAX) {
		n->left_out += most - XPT_NVML_MIG_MAX;
		most = XPT_NVML_MIG_MAX;
	}
	for (uint32_t i = 0; i < most && xpt_nvml__may_ask(n, gpu, -1); i++) {
		struct xpt_nvml_dev *dev = NULL;

		if (xpt_nvml__ok(n, gpu, -1, n->api.mig_handle(gpu->dev, i, &dev)) && dev)
			set_mig(n, slot, nr++, dev, i);
	}
	return nr;
}

static bool read_mig_mode(struct xpt_nvml *n, struct xpt_nvml_device *gpu)
{
	uint32_t current = 0, pending = 0;

	if (!n->api.mig_mode || !xpt_nvml__may_ask(n, gpu, XPT_NVML_Q_MIG) ||
	    !xpt_nvml__ok(n, gpu, XPT_NVML_Q_MIG, n->api.mig_mode(gpu->dev, &current, &pending)))
		return false;
	xpt_values__add(&n->values, XPT_METRIC_GPU_MIG_MODE, current == 1);
	return current == 1;
}

/* --- one reading ----------------------------------------------------------------------------- */

static void begin_device(struct xpt_nvml *n, uint32_t slot, const struct xpt_device_sink *sink)
{
	n->is_device_lost = false;
	if (n->round % FORGET_EVERY == 0)
		n->device[slot].lacks = 0;
	sink->device(sink->ctx, slot, &n->device[slot].info);
	xpt_values__begin(&n->values, slot);
}

static void read_migs(struct xpt_nvml *n, uint32_t slot, const struct xpt_device_sink *sink)
{
	for (uint32_t i = 1; i <= XPT_NVML_MIG_MAX && !n->lost; i++) {
		struct xpt_nvml_device *d = &n->device[slot + i];

		if (!d->dev)
			continue;
		begin_device(n, slot + i, sink);
		xpt_nvml__read_values(n, d);
		xpt_nvml__read_processes(n, d, false);
	}
}

static void read_mig_devices(struct xpt_nvml *n, uint32_t slot)
{
	bool is_on = read_mig_mode(n, &n->device[slot]);
	uint32_t nr = is_on ? find_migs(n, slot) : 0;

	for (uint32_t i = nr; i < XPT_NVML_MIG_MAX; i++)	/* those that have gone leave their slots */
		set_mig(n, slot, i, NULL, 0);
	if (is_on)
		xpt_values__add(&n->values, XPT_METRIC_GPU_MIG_INSTANCES, nr);
}

/* The GPU first, so that its description comes before those of its parts. */
static void read_gpu(struct xpt_nvml *n, uint32_t index, const struct xpt_device_sink *sink)
{
	uint32_t slot = index * XPT_NVML_SLOTS_EACH;
	struct xpt_nvml_device *gpu = &n->device[slot];

	begin_device(n, slot, sink);
	if (n->is_slow)
		read_mig_devices(n, slot);
	xpt_nvml__read_values(n, gpu);
	xpt_nvml__read_gpm(n, gpu);
	xpt_nvml__read_processes(n, gpu, n->device[slot + 1].dev != NULL);
	if ((index + n->nr - n->pcie_turn) % n->nr < PCIE_EACH)
		xpt_nvml__read_pcie(n, gpu);
	xpt_values__add(&n->values, XPT_METRIC_GPU_UP, !n->is_device_lost);
	if (!n->is_device_lost)
		read_migs(n, slot, sink);
}

/* --- the library ----------------------------------------------------------------------------- */

static void shut_down(struct xpt_nvml *n)
{
	for (size_t i = 0; i < sizeof(n->device) / sizeof(n->device[0]); i++)
		free_samples(n, &n->device[i]);
	memset(n->device, 0, sizeof(n->device));
	if (n->is_started)
		n->api.shutdown();
	n->is_started = false;
	xpt_nvml_api__close(&n->api);
}

static uint32_t state_of(int code)
{
	return code == XPT_NVML_DRIVER_NOT_LOADED ? XPT_READ_NO_DRIVER : XPT_READ_FAILED;
}

static bool start_reading(struct xpt_nvml *n, struct xpt_read_result *r)
{
	int err = xpt_nvml_api__open(n->library, &n->api, r->text, sizeof(r->text));

	if (err) {
		r->state = err == -ENOENT ? XPT_READ_NO_LIBRARY : XPT_READ_FAILED;
		r->code = err;
		return false;
	}
	r->code = n->api.init();
	if (r->code) {
		r->state = state_of(r->code);
		snprintf(r->text, sizeof(r->text), "nvmlInit returned %d", r->code);
		xpt_nvml_api__close(&n->api);
		return false;
	}
	n->is_started = true;
	find_gpus(n);
	return true;
}

static void describe_versions(struct xpt_nvml *n, char *text, size_t size)
{
	char driver[48] = "", library[48] = "";

	if (!n->api.driver_version || n->api.driver_version(driver, sizeof(driver) - 1))
		driver[0] = '\0';
	if (!n->api.library_version || n->api.library_version(library, sizeof(library) - 1))
		library[0] = '\0';
	snprintf(text, size, "driver %.47s, NVML %.47s", driver[0] ? driver : "unknown", library[0] ? library : "unknown");
}

void xpt_nvml__read(struct xpt_nvml *n, const struct xpt_device_sink *sink, struct xpt_read_result *ret_r)
{
	uint64_t from = xpt_now_ns();

	memset(ret_r, 0, sizeof(*ret_r));
	n->lost = 0;
	if (n->is_started || start_reading(n, ret_r)) {
		n->is_slow = n->round % XPT_NVML_SLOW_EVERY == 0;
		n->values.sink = sink;
		if (n->is_slow)
			describe_versions(n, ret_r->text, sizeof(ret_r->text));
		for (uint32_t i = 0; i < n->nr && !n->lost; i++) {
			if (n->device[i * XPT_NVML_SLOTS_EACH].dev)
				read_gpu(n, i, sink);
		}
		xpt_values__flush(&n->values);
		n->pcie_turn = n->nr ? (n->pcie_turn + PCIE_EACH) % n->nr : 0;
		n->round++;
	}
	if (n->lost) {
		ret_r->state = XPT_READ_LOST;
		ret_r->code = n->lost;
		snprintf(ret_r->text, sizeof(ret_r->text), "the driver has gone (error %d)", n->lost);
		shut_down(n);
	}
	ret_r->errors = n->errors;
	ret_r->left_out = n->left_out;
	ret_r->read_ns = xpt_now_ns() - from;
}

void xpt_nvml__free(struct xpt_nvml *n)
{
	if (!n)
		return;
	shut_down(n);
	free(n);
}
