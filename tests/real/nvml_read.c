// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads all devices once by the libnvidia-ml at a path (none: the one that is found) and prints how
 * that ended, the devices and the number of values. For nvml.sh.
 */
#include <inttypes.h>
#include <stdio.h>

#include "devices/nvml_read.h"

static uint64_t nr_values;

static void print_device(void *ctx, uint32_t slot, const struct xpt_device_info *info)
{
	(void)ctx;
	printf("device %u: %s, %s, %s\n", slot, info->name, info->uuid, info->address);
}

static void count_values(void *ctx, uint32_t slot, const struct xpt_wire_reading *value, size_t nr)
{
	(void)ctx;
	(void)slot;
	(void)value;
	nr_values += nr;
}

int main(int argc, char **argv)
{
	const struct xpt_device_sink sink = { NULL, print_device, count_values };
	struct xpt_read_result r;
	struct xpt_nvml *n;

	if (xpt_nvml__new(argc > 1 ? argv[1] : NULL, &n))
		return 1;
	xpt_nvml__read(n, &sink, &r);
	printf("state %u, code %d, values %" PRIu64 ", errors %" PRIu64 ", text %s\n", r.state, r.code, nr_values, r.errors, r.text);
	xpt_nvml__free(n);
	return 0;
}
