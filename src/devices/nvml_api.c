// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Loading libnvidia-ml, see nvml_api.h. It is loaded by its resolved path and with its symbols
 * kept apart, so that no search path of the environment takes part.
 */
#include "devices/nvml_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "devices/nvml_path.h"

#define NAMES_MAX 3

struct function {
	size_t offset;			/* of its pointer in struct xpt_nvml_api */
	bool needed;
	const char *name[NAMES_MAX + 1];	/* the newest first */
};

static const struct function functions[] = {
#define X(member, needed, parameters, ...) { offsetof(struct xpt_nvml_api, member), needed, { __VA_ARGS__ } },
	XPT_NVML_FNS(X)
#undef X
};

#ifdef XPT_STATIC
int xpt_nvml_api__open(const char *path, struct xpt_nvml_api *ret_api, char *why, uint32_t n)
{
	(void)path;
	(void)functions;
	memset(ret_api, 0, sizeof(*ret_api));
	if (why)
		snprintf(why, n, "the static build of xputrace loads no libraries");
	return -ENOTSUP;
}

void xpt_nvml_api__close(struct xpt_nvml_api *api)
{
	(void)api;
}
#else
static bool look_up(struct xpt_nvml_api *api, const struct function *f)
{
	void *symbol = NULL;

	for (size_t i = 0; !symbol && f->name[i]; i++)
		symbol = dlsym(api->library, f->name[i]);
	memcpy((char *)api + f->offset, &symbol, sizeof(symbol));
	return symbol || !f->needed;
}

static int find_path(char *path, char *why, uint32_t n)
{
	int err = xpt_nvml_path__find(path, PATH_MAX);

	if (err == -EPERM)
		snprintf(why, n, "libnvidia-ml.so.1 is left alone: others than root may change it");
	else if (err)
		snprintf(why, n, "there is no libnvidia-ml.so.1");
	return err;
}

int xpt_nvml_api__open(const char *path, struct xpt_nvml_api *ret_api, char *why, uint32_t n)
{
	char found[PATH_MAX], unused[1];
	int err;

	if (!why) {
		why = unused;
		n = sizeof(unused);
	}
	memset(ret_api, 0, sizeof(*ret_api));
	err = path ? 0 : find_path(found, why, n);
	if (err)
		return err;
	ret_api->library = dlopen(path ? path : found, RTLD_NOW | RTLD_LOCAL);
	if (!ret_api->library) {
		snprintf(why, n, "%s", dlerror());
		return -ELIBBAD;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (look_up(ret_api, &functions[i]))
			continue;
		snprintf(why, n, "libnvidia-ml.so.1 has no %s", functions[i].name[0]);
		xpt_nvml_api__close(ret_api);
		return -ELIBBAD;
	}
	return 0;
}

void xpt_nvml_api__close(struct xpt_nvml_api *api)
{
	if (api->library)
		dlclose(api->library);
	memset(api, 0, sizeof(*api));
}
#endif
