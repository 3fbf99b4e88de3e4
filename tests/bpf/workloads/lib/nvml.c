// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The part of libnvidia-ml that a monitor needs, of a device that is lost after five questions.
 */
#include <stddef.h>

enum { SUCCESS, INVALID_ARGUMENT = 2, GPU_IS_LOST = 15 };

struct utilization { unsigned int gpu, memory; };

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **ret_device);
int nvmlDeviceGetUtilizationRates(void *device, struct utilization *ret);

static int lost, asked;

int nvmlInit_v2(void)
{
	return SUCCESS;
}

int nvmlShutdown(void)
{
	return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **ret_device)
{
	if (index || !ret_device)
		return INVALID_ARGUMENT;
	*ret_device = &lost;
	return SUCCESS;
}

int nvmlDeviceGetUtilizationRates(void *device, struct utilization *ret)
{
	if (device != &lost || !ret)
		return INVALID_ARGUMENT;
	ret->gpu = ret->memory = 50;
	return asked++ < 5 ? SUCCESS : GPU_IS_LOST;
}
