/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The simulated driver's start, devices, error names and cuGetProcAddress.
 *
 * XPT_FAKE_DEVICES devices (default 1) of XPT_FAKE_MEM bytes each (default
 * 16 GiB). cuGetProcAddress answers with the exported stub itself, the newest
 * ABI that is not above the requested version, as a real driver does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver.h"

#define MAX_DEVICES 16
#define DRIVER_VERSION 13000

static struct fake_device devices[MAX_DEVICES];
static int nr_devices;

static const struct { int code; const char *name, *text; } errors[] = {
	{ 0, "CUDA_SUCCESS", "no error" },
	{ 1, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
	{ 2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
	{ 3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error" },
	{ 4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down" },
	{ 100, "CUDA_ERROR_NO_DEVICE", "no device found" },
	{ 101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
	{ 200, "CUDA_ERROR_INVALID_IMAGE", "invalid kernel image" },
	{ 201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context" },
	{ 400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
	{ 500, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
	{ 600, "CUDA_ERROR_NOT_READY", "work not finished" },
	{ 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "illegal memory access" },
	{ 702, "CUDA_ERROR_LAUNCH_TIMEOUT", "launch timed out" },
	{ 708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "primary context in use" },
	{ 709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed" },
	{ 712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "range already registered" },
	{ 713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "range not registered" },
	{ 719, "CUDA_ERROR_LAUNCH_FAILED", "launch failure" },
	{ 801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported" },
	{ 999, "CUDA_ERROR_UNKNOWN", "unknown error" },
};

int fake_nr_devices(void)
{
	return nr_devices;
}

struct fake_device *fake_device(CUdevice dev)
{
	return dev >= 0 && dev < nr_devices ? &devices[dev] : NULL;
}

BODY(cuInit, unsigned int flags)
{
	int n = (int)fake_env_u64("XPT_FAKE_DEVICES", 1);
	CUresult err = CU_OK;

	if (flags)
		return CU_INVALID_VALUE;
	if (fake_forked)
		return CU_NOT_INITIALIZED;
	if (n <= 0)
		return CU_NO_DEVICE;
	pthread_mutex_lock(&fake_lock);
	if (!nr_devices)
		err = fake_rm_start();
	if (!nr_devices && !err) {
		nr_devices = n < MAX_DEVICES ? n : MAX_DEVICES;
		for (n = 0; n < nr_devices; n++) {
			devices[n].id = n;
			devices[n].total = fake_env_u64("XPT_FAKE_MEM", 16ull << 30);
			devices[n].primary.dev = &devices[n];
		}
	}
	pthread_mutex_unlock(&fake_lock);
	if (err)
		return err;
	fake_initialized();
	return CU_OK;
}

BODY(cuDriverGetVersion, int *version)
{
	if (!version)
		return CU_INVALID_VALUE;
	*version = DRIVER_VERSION;
	return CU_OK;
}

BODY(cuGetErrorName, CUresult error, const char **name)
{
	for (size_t i = 0; name && i < sizeof(errors) / sizeof(*errors); i++) {
		if (errors[i].code == error) {
			*name = errors[i].name;
			return CU_OK;
		}
	}
	if (name)
		*name = NULL;
	return CU_INVALID_VALUE;
}

BODY(cuGetErrorString, CUresult error, const char **text)
{
	for (size_t i = 0; text && i < sizeof(errors) / sizeof(*errors); i++) {
		if (errors[i].code == error) {
			*text = errors[i].text;
			return CU_OK;
		}
	}
	if (text)
		*text = NULL;
	return CU_INVALID_VALUE;
}

BODY(cuDeviceGet, CUdevice *dev, int ordinal)
{
	if (!dev)
		return CU_INVALID_VALUE;
	if (!fake_device(ordinal))
		return CU_INVALID_DEVICE;
	*dev = ordinal;
	return CU_OK;
}

BODY(cuDeviceGetCount, int *count)
{
	if (!count)
		return CU_INVALID_VALUE;
	*count = nr_devices;
	return CU_OK;
}

BODY(cuDeviceGetName, char *name, int len, CUdevice dev)
{
	if (!name || len <= 0)
		return CU_INVALID_VALUE;
	if (!fake_device(dev))
		return CU_INVALID_DEVICE;
	snprintf(name, (size_t)len, "xputrace simulated GPU");
	return CU_OK;
}

BODY(cuDeviceTotalMem_v2, size_t *bytes, CUdevice dev)
{
	struct fake_device *d = fake_device(dev);

	if (!bytes)
		return CU_INVALID_VALUE;
	if (!d)
		return CU_INVALID_DEVICE;
	*bytes = d->total;
	return CU_OK;
}

/* The numbers that programs look at first; every other attribute is 1. */
static int attribute(int what)
{
	switch (what) {
	case 1: case 2: case 3:	/* threads per block, block x and y */
		return 1024;
	case 4:			/* block z */
		return 64;
	case 5:			/* grid x */
		return 0x7fffffff;
	case 6: case 7:
		return 65535;
	case 8:			/* shared memory per block */
		return 49152;
	case 10:		/* warp size */
		return 32;
	case 13: case 36:	/* clocks, kHz */
		return 1500000;
	case 16:		/* multiprocessors */
		return 80;
	case 39:		/* threads per multiprocessor */
		return 2048;
	case 75:		/* compute capability, major and minor */
		return 9;
	case 76:
		return 0;
	default:
		return 1;
	}
}

BODY(cuDeviceGetAttribute, int *value, int what, CUdevice dev)
{
	if (!value || what <= 0)
		return CU_INVALID_VALUE;
	if (!fake_device(dev))
		return CU_INVALID_DEVICE;
	*value = attribute(what);
	return CU_OK;
}

BODY(cuDeviceGetUuid, CUuuid *uuid, CUdevice dev)
{
	if (!uuid)
		return CU_INVALID_VALUE;
	if (!fake_device(dev))
		return CU_INVALID_DEVICE;
	memset(uuid, 0x58, sizeof(*uuid));
	uuid->bytes[15] = (char)dev;
	return CU_OK;
}

BODY(cuDeviceGetUuid_v2, CUuuid *uuid, CUdevice dev)
{
	return body_cuDeviceGetUuid(uuid, dev);
}

BODY(cuDeviceGetPCIBusId, char *id, int len, CUdevice dev)
{
	if (!id || len <= 0)
		return CU_INVALID_VALUE;
	if (!fake_device(dev))
		return CU_INVALID_DEVICE;
	snprintf(id, (size_t)len, "0000:%02x:00.0", (unsigned int)dev + 1);
	return CU_OK;
}

BODY(cuDeviceComputeCapability, int *major, int *minor, CUdevice dev)
{
	if (!major || !minor)
		return CU_INVALID_VALUE;
	if (!fake_device(dev))
		return CU_INVALID_DEVICE;
	*major = attribute(75);
	*minor = attribute(76);
	return CU_OK;
}

BODY(cuDeviceCanAccessPeer, int *can, CUdevice dev, CUdevice peer)
{
	if (!can)
		return CU_INVALID_VALUE;
	if (!fake_device(dev) || !fake_device(peer))
		return CU_INVALID_DEVICE;
	*can = dev != peer;
	return CU_OK;
}

/* True if export is an ABI of name: name[_v<N>] and then exactly suffix. */
static bool is_abi(const char *export, const char *name, const char *suffix)
{
	size_t n = strlen(name);

	if (strncmp(export, name, n))
		return false;
	export += n;
	if (export[0] == '_' && export[1] == 'v')
		for (export += 2; *export >= '0' && *export <= '9'; export++)
			;
	return !strcmp(export, suffix);
}

static const struct fake_fn *newest(const char *name, const char *suffix, int version, bool *ret_known)
{
	const struct fake_fn *best = NULL;

	for (uint64_t i = 0; i < fake_nr_fns; i++) {
		const struct fake_fn *f = &fake_fns[i];

		if (!f->version || !is_abi(f->name, name, suffix))
			continue;
		*ret_known = true;
		if (f->version <= (uint64_t)version && (!best || f->version > best->version))
			best = f;
	}
	return best;
}

BODY(cuGetProcAddress_v2, const char *name, void **fn, int version, uint64_t flags, int *status)
{
	const struct fake_fn *f = NULL;
	bool known = false;

	if (!name || !fn || version < 0 || flags > 2)
		return CU_INVALID_VALUE;
	if (flags == 2) {
		f = newest(name, "_ptsz", version, &known);
		f = f ? f : newest(name, "_ptds", version, &known);
	}
	f = f ? f : newest(name, "", version, &known);
	*fn = f ? f->stub : NULL;
	if (status)
		*status = f ? 0 : known ? 2 : 1;
	return f ? CU_OK : CU_NOT_FOUND;
}

BODY(cuGetProcAddress, const char *name, void **fn, int version, uint64_t flags)
{
	return body_cuGetProcAddress_v2(name, fn, version, flags, NULL);
}
