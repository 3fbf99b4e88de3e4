/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For tests of readers: a sink that keeps what was read, and a file that scripts the simulated NVML.
 */
#ifndef XPT_TESTS_READINGS_H
#define XPT_TESTS_READINGS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "devices/device_reader.h"

#define READINGS_MAX 8192

struct readings {
	struct xpt_device_info device[XPT_READER_SLOTS];
	bool is_known[XPT_READER_SLOTS];
	struct { uint32_t slot; struct xpt_wire_reading value; } at[READINGS_MAX];
	size_t nr;
};

static struct readings readings;

static inline void keep_device(void *ctx, uint32_t slot, const struct xpt_device_info *info)
{
	struct readings *r = ctx;

	r->device[slot] = *info;
	r->is_known[slot] = true;
}

static inline void keep_values(void *ctx, uint32_t slot, const struct xpt_wire_reading *value, size_t nr)
{
	struct readings *r = ctx;

	for (size_t i = 0; i < nr && r->nr < READINGS_MAX; i++, r->nr++) {
		r->at[r->nr].slot = slot;
		r->at[r->nr].value = value[i];
	}
}

static const struct xpt_device_sink keep = { &readings, keep_device, keep_values };

/* The last value of that metric; XPT_UNKNOWN if there is none. */
#define XPT_UNKNOWN UINT64_MAX
static inline uint64_t value_of(uint32_t slot, uint16_t metric, uint16_t part, uint32_t pid)
{
	for (size_t i = readings.nr; i--; ) {
		const struct xpt_wire_reading *v = &readings.at[i].value;

		if (readings.at[i].slot == slot && v->metric == metric && v->part == part && v->pid == pid)
			return v->value;
	}
	return XPT_UNKNOWN;
}

static inline uint64_t value_of_device(uint32_t slot, uint16_t metric)
{
	return value_of(slot, metric, XPT_PART_NONE, 0);
}

/* Writes the script of the simulated NVML, as a whole. */
static char script_path[64];

static inline void write_script(const char *text)
{
	char path[80];
	FILE *f;

	if (!script_path[0])
		snprintf(script_path, sizeof(script_path), "/tmp/xpt-nvml-%d", (int)getpid());
	snprintf(path, sizeof(path), "%s.new", script_path);
	f = fopen(path, "we");
	if (!f || fputs(text, f) < 0 || fclose(f) || rename(path, script_path))
		abort();
	setenv("XPT_FAKE_NVML", script_path, 1);
}

static inline int remove_script(void **state)
{
	(void)state;
	unlink(script_path);
	return 0;
}

#define FAKE_NVML "build/fake/nvml/libnvidia-ml.so.1"
#define FAKE_OLD_NVML "build/fake/nvml/old/libnvidia-ml.so.1"

#endif
