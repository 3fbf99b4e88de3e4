// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * NVMe controllers and subsystems, see nvme.h. Files: drivers/nvme/host/sysfs.c.
 */
#include "devices/nvme.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "devices/sysfs.h"
#include "devices/values.h"

static const struct {
	const char *text;
	uint16_t metric;
} states[] = {
	{ "new", XPT_METRIC_NVME_NEW },
	{ "live", XPT_METRIC_NVME_LIVE },
	{ "resetting", XPT_METRIC_NVME_RESETTING },
	{ "connecting", XPT_METRIC_NVME_CONNECTING },
	{ "deleting", XPT_METRIC_NVME_DELETING },
	{ "deleting (no IO)", XPT_METRIC_NVME_DELETING_NO_IO },
	{ "dead", XPT_METRIC_NVME_DEAD },
};

#define NR_STATES (sizeof(states) / sizeof(states[0]))

/* One metric for each state, of which one is 1; a state that is not in the list makes all of them 0. */
static void add_state(struct xpt_values *v, const char *text)
{
	for (size_t i = 0; i < NR_STATES; i++)
		xpt_values__add(v, states[i].metric, !strcmp(text, states[i].text));
}

static void describe_controller(int dir, const char *name, uint32_t index, struct xpt_device_info *info)
{
	char model[64], firmware[32], transport[16];

	xpt_device_info__init(info, XPT_DEVICE_NVME, index);
	snprintf(info->name, sizeof(info->name), "%s", name);
	xpt_sysfs__text(dir, "serial", info->uuid, sizeof(info->uuid));
	xpt_sysfs__text(dir, "address", info->address, sizeof(info->address));
	xpt_sysfs__text(dir, "model", model, sizeof(model));
	xpt_sysfs__text(dir, "firmware_rev", firmware, sizeof(firmware));
	xpt_sysfs__text(dir, "transport", transport, sizeof(transport));
	xpt_sysfs__join(info->detail, sizeof(info->detail), "", model);
	xpt_sysfs__join(info->detail, sizeof(info->detail), "firmware ", firmware);
	xpt_sysfs__join(info->detail, sizeof(info->detail), "", transport);
	info->numa_node = xpt_sysfs__numa_node(dir, "numa_node");
}

static void read_controller(struct xpt_values *v, int dir)
{
	char text[XPT_SYSFS_TEXT];

	if (xpt_sysfs__text(dir, "state", text, sizeof(text)) > 0)
		add_state(v, text);
}

static void describe_subsystem(int dir, const char *name, uint32_t index, struct xpt_device_info *info)
{
	char model[64], firmware[32], policy[32];

	xpt_device_info__init(info, XPT_DEVICE_NVME_SUBSYSTEM, index);
	snprintf(info->name, sizeof(info->name), "%s", name);
	xpt_sysfs__text(dir, "subsysnqn", info->uuid, sizeof(info->uuid));
	xpt_sysfs__text(dir, "serial", info->address, sizeof(info->address));
	xpt_sysfs__text(dir, "model", model, sizeof(model));
	xpt_sysfs__text(dir, "firmware_rev", firmware, sizeof(firmware));
	xpt_sysfs__text(dir, "iopolicy", policy, sizeof(policy));
	xpt_sysfs__join(info->detail, sizeof(info->detail), "", model);
	xpt_sysfs__join(info->detail, sizeof(info->detail), "firmware ", firmware);
	xpt_sysfs__join(info->detail, sizeof(info->detail), "I/O policy ", policy);
}

/* Links to controllers are called nvme0, namespaces nvme0n1; only folders of controllers have a transport. */
static void read_subsystem(struct xpt_values *v, int dir)
{
	static char names[XPT_NVME_MAX][XPT_SYSFS_NAME];
	uint64_t other = 0, paths = 0, live = 0;
	int nr = xpt_sysfs__list(dir, ".", names, XPT_NVME_MAX, &other);
	char path[XPT_SYSFS_NAME + 16], text[XPT_SYSFS_TEXT];

	for (int i = 0; i < nr; i++) {
		if (strncmp(names[i], "nvme", 4))
			continue;
		snprintf(path, sizeof(path), "%.63s/transport", names[i]);
		if (xpt_sysfs__text(dir, path, text, sizeof(text)) <= 0)
			continue;
		paths++;
		snprintf(path, sizeof(path), "%.63s/state", names[i]);
		live += xpt_sysfs__text(dir, path, text, sizeof(text)) > 0 && !strcmp(text, "live");
	}
	if (nr < 0 || other)
		return;
	xpt_values__add(v, XPT_METRIC_NVME_PATHS, paths);
	xpt_values__add(v, XPT_METRIC_NVME_PATHS_LIVE, live);
}

struct class {
	const char *path;	/* below root */
	void (*describe)(int dir, const char *name, uint32_t index, struct xpt_device_info *info);
	void (*read)(struct xpt_values *v, int dir);
};

static void read_class(const char *root, const struct class *c, uint32_t first, const struct xpt_device_sink *sink,
		       uint64_t *left_out)
{
	static char names[XPT_NVME_MAX][XPT_SYSFS_NAME];
	struct xpt_values v = { .sink = sink };
	struct xpt_device_info info;
	char path[512];
	int nr, folder;

	snprintf(path, sizeof(path), "%s/%s", root, c->path);
	folder = xpt_sysfs__folder(AT_FDCWD, path);
	if (folder < 0)
		return;
	nr = xpt_sysfs__list(folder, ".", names, XPT_NVME_MAX, left_out);
	for (int i = 0; i < nr; i++) {
		int dir = xpt_sysfs__folder(folder, names[i]);

		if (dir < 0)
			continue;
		c->describe(dir, names[i], (uint32_t)i, &info);
		sink->device(sink->ctx, first + (uint32_t)i, &info);
		xpt_values__begin(&v, first + (uint32_t)i);
		c->read(&v, dir);
		xpt_values__flush(&v);
		close(dir);
	}
	close(folder);
}

void xpt_nvme__read(const char *root, uint32_t first, const struct xpt_device_sink *sink, uint64_t *left_out)
{
	static const struct class controllers = { "class/nvme", describe_controller, read_controller };
	static const struct class subsystems = { "class/nvme-subsystem", describe_subsystem, read_subsystem };

	read_class(root, &controllers, first, sink, left_out);
	read_class(root, &subsystems, first + XPT_NVME_MAX, sink, left_out);
}
