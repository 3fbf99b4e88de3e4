// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reading --layers and --device, see layer_options.h. All that can be wrong with them
 * is found here, before anything is opened.
 */
#include "session/options/layer_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/parse.h"
#include "engine/sources/ioctl_source.h"
#include "model/domain/domain.h"
#include "model/kernel/ioctl_table.h"
#include "session/options/usage.h"

#define MAJOR_MAX 4095u		/* 12 bits, include/linux/kdev_t.h */
#define DEVICE_MAX 4096

static int read_layer(const char *command, const char *name, size_t n,
		      struct xpt_layers *layers)
{
	if (n == 3 && !strncmp(name, "api", n))
		layers->api = true;
	else if (n == 5 && !strncmp(name, "ioctl", n))
		layers->ioctl = true;
	else if (n == 6 && !strncmp(name, "driver", n))
		layers->driver = true;
	else if (n == 4 && !strncmp(name, "rdma", n))
		layers->rdma = true;
	else
		return xpt_usage(command, "--layers: no layer '%.*s' (api, ioctl, driver, rdma)",
				      (int)n, name);
	return -1;
}

/* MAJOR or MAJOR:MINOR, of a character device. */
static bool read_numbers(const char *s, uint64_t *ret_dev)
{
	uint64_t major, minor = XPT_IOCTL_ANY_MINOR;
	const char *colon = strchr(s, ':');
	char first[16];

	if (colon) {
		if ((size_t)(colon - s) >= sizeof(first) ||
		    xpt_parse_u64(colon + 1, 0, XPT_IOCTL_ANY_MINOR - 1, &minor))
			return false;
		snprintf(first, sizeof(first), "%.*s", (int)(colon - s), s);
		s = first;
	}
	if (xpt_parse_u64(s, 0, MAJOR_MAX, &major))
		return false;
	*ret_dev = major << 20 | minor;
	return true;
}

static int read_device(const char *command, const char *arg, struct xpt_ioctl_device *dev)
{
	const struct xpt_domain *d = xpt_domain__find("ioctl");
	const char *equals = strrchr(arg, '=');
	char path[DEVICE_MAX];
	struct stat st;
	size_t n = equals ? (size_t)(equals - arg) : strlen(arg);

	if (!n || n >= sizeof(path) || !d)
		return xpt_usage(command, "--device: '%s' is no device", arg);
	snprintf(path, sizeof(path), "%.*s", (int)n, arg);
	dev->table = equals ? xpt_ioctl__table(d->ioctls, equals + 1) : 0;
	if (equals && !dev->table)
		return xpt_usage(command, "--device: '%s' is no kind of device (nvidia, uvm, verbs, "
				      "nvme, other)", equals + 1);
	if (read_numbers(path, &dev->dev))
		return -1;
	if (stat(path, &st))
		return xpt_usage(command, "--device: %s: %s (a device file, or MAJOR[:MINOR])", path,
				      strerror(errno));
	if (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode))
		return xpt_usage(command, "--device: %s is no device file", path);
	dev->dev = xpt_ioctl_device_key(st.st_mode, st.st_rdev);
	return -1;
}

int xpt_layers__read(const char *command, const char *list, const struct xpt_list *devices,
		     struct xpt_layers *ret_layers)
{
	struct xpt_layers *l = ret_layers;
	int status = -1;
	unsigned i;

	*l = (struct xpt_layers){ .api = !list, .ioctl = devices->n > 0 };
	while (status < 0 && list) {
		size_t n = strcspn(list, ",");

		status = read_layer(command, list, n, l);
		list = list[n] ? list + n + 1 : NULL;
	}
	for (i = 0; status < 0 && i < devices->n; i++)
		status = read_device(command, devices->v[i], &l->devices[l->nr_devices++]);
	return status;
}

bool xpt_layers__add_domain(struct xpt_layers *l, const char *domain)
{
	bool rdma = !strcmp(domain, "rdma"), uverbs = !strcmp(domain, "uverbs");

	l->rdma |= rdma;
	l->uverbs |= uverbs;
	return rdma || uverbs;
}
