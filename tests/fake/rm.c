/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the library asks of a kernel driver, if there is one to ask: with
 * XPT_FAKE_RM=PATH it opens PATH/nvidiactl, nvidia0 and nvidia-uvm, or PATH itself if
 * that is a device, and makes ioctls of the resource manager as the real library does:
 * objects for contexts and memory, requests to the scheduler, a mapping, polls.
 *
 * A command that a device does not know (ENOTTY, EINVAL) counts as done, so that any
 * device will do. Another errno becomes a result, and so does the status word.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "driver.h"

#define RM_CLIENT 0x41		/* NV01_ROOT_CLIENT, and so on in nvidia_names.h */
#define RM_DEVICE 0x80
#define RM_MEMORY 0x40
#define RM_GROUP 0xa06c
#define RM_CHANNEL 0xc56f
#define CTRL_CHANNEL_SCHEDULE 0xa06f0103
#define CTRL_GROUP_TIMESLICE 0xa06c0103
#define UVM_INITIALIZE 0x30000001ul
#define DOORBELL 65536u
#define STATUS_NO_MEMORY 0x51
#define CU_UNKNOWN 999

/* The public structs of the resource manager, by their names there. */
struct nvos21 { uint32_t root, parent, object, class; uint64_t parms; uint32_t size, status; };
struct nvos54 { uint32_t client, object, cmd, flags; uint64_t params; uint32_t size, status; };
struct nvos00 { uint32_t root, parent, object, status; };

static const char *path;	/* XPT_FAKE_RM */
static int ctl = -1, gpu = -1, uvm = -1;
static uint32_t client, device, last_handle;
static unsigned long long asked[FAKE_RM_KINDS];

bool fake_rm_on(void)
{
	return path != NULL;
}

static CUresult result(int err, uint32_t status)
{
	if (err && err != ENOTTY && err != EINVAL)
		return err == ENOMEM ? CU_OUT_OF_MEMORY : CU_UNKNOWN;
	if (!status)
		return CU_OK;
	return status == STATUS_NO_MEMORY ? CU_OUT_OF_MEMORY : CU_UNKNOWN;
}

static CUresult ask(enum fake_rm_kind kind, int fd, unsigned long cmd, void *arg,
		    const uint32_t *status)
{
	int err;

	__atomic_add_fetch(&asked[kind], 1, __ATOMIC_RELAXED);
	err = ioctl(fd, cmd, arg) ? errno : 0;
	return result(err, *status);
}

static CUresult rm_alloc(uint32_t parent, uint32_t class, uint64_t bytes, uint32_t *ret_object)
{
	uint64_t parms[32] = { [8] = bytes };	/* where memory's parameters have the size */
	struct nvos21 p = {
		.root = client, .parent = parent, .class = class, .parms = (uintptr_t)parms,
		.object = 0x5c000000u + __atomic_add_fetch(&last_handle, 1, __ATOMIC_RELAXED),
	};
	CUresult err = ask(FAKE_RM_ALLOC, ctl, _IOWR('F', 0x2b, struct nvos21), &p, &p.status);

	if (!err)
		*ret_object = p.object;
	return err;
}

static CUresult rm_control(uint32_t object, uint32_t cmd, uint64_t value)
{
	struct nvos54 p = { .client = client, .object = object, .cmd = cmd,
			    .params = (uintptr_t)&value, .size = sizeof(value) };

	return ask(FAKE_RM_CONTROL, ctl, _IOWR('F', 0x2a, struct nvos54), &p, &p.status);
}

static void rm_free(uint32_t object)
{
	struct nvos00 p = { .root = client, .object = object };

	if (object)
		ask(FAKE_RM_FREE, ctl, _IOWR('F', 0x29, struct nvos00), &p, &p.status);
}

static int open_file(const char *name)
{
	struct stat st;
	char file[256];

	if (!stat(path, &st) && !S_ISDIR(st.st_mode))
		return open(path, O_RDWR | O_CLOEXEC);
	snprintf(file, sizeof(file), "%s/%s", path, name);
	return open(file, O_RDWR | O_CLOEXEC);
}

/* From cuInit, once. */
CUresult fake_rm_start(void)
{
	uint32_t arg[64] = { 0 };
	CUresult err;

	path = getenv("XPT_FAKE_RM");
	if (!path)
		return CU_OK;
	ctl = open_file("nvidiactl");
	gpu = open_file("nvidia0");
	uvm = open_file("nvidia-uvm");	/* need not be there */
	if (ctl < 0 || gpu < 0)
		return CU_NO_DEVICE;
	err = rm_alloc(0, RM_CLIENT, 0, &client);
	if (!err)
		err = rm_alloc(client, RM_DEVICE, 0, &device);
	if (!err && uvm >= 0)
		err = ask(FAKE_RM_UVM, uvm, UVM_INITIALIZE, arg, &arg[2]);
	return err;
}

CUresult fake_rm_open_context(struct fake_rm *rm)
{
	CUresult err;

	memset(rm, 0, sizeof(*rm));
	if (!path)
		return CU_OK;
	err = rm_alloc(device, RM_GROUP, 0, &rm->group);
	if (!err)
		err = rm_alloc(rm->group, RM_CHANNEL, 0, &rm->channel);
	if (!err)
		err = rm_control(rm->group, CTRL_GROUP_TIMESLICE, 2000);
	if (!err)
		err = rm_control(rm->channel, CTRL_CHANNEL_SCHEDULE, 1);
	if (err) {
		fake_rm_close_context(rm);
		return err;
	}
	__atomic_add_fetch(&asked[FAKE_RM_MMAP], 1, __ATOMIC_RELAXED);
	rm->doorbell = mmap(NULL, DOORBELL, PROT_READ | PROT_WRITE, MAP_SHARED, gpu, 0);
	if (rm->doorbell == MAP_FAILED)
		rm->doorbell = NULL;
	else
		*(volatile uint32_t *)rm->doorbell = rm->channel;
	return CU_OK;
}

void fake_rm_close_context(struct fake_rm *rm)
{
	if (rm->doorbell)
		munmap(rm->doorbell, DOORBELL);
	rm_free(rm->channel);
	rm_free(rm->group);
	memset(rm, 0, sizeof(*rm));
}

CUresult fake_rm_memory(uint64_t bytes, uint32_t *ret_object)
{
	return path ? rm_alloc(device, RM_MEMORY, bytes, ret_object) : CU_OK;
}

void fake_rm_free(uint32_t object)
{
	rm_free(object);
}

/* A look at whether the device has news, as blocking waits have. */
void fake_rm_poll(void)
{
	struct pollfd p = { .fd = gpu, .events = POLLIN };

	if (!path)
		return;
	__atomic_add_fetch(&asked[FAKE_RM_POLL], 1, __ATOMIC_RELAXED);
	poll(&p, 1, 0);
}

void fake_rm_counts(FILE *f)
{
	static const char *const names[FAKE_RM_KINDS] = { "alloc", "control", "free", "uvm", "mmap", "poll" };

	if (!path)
		return;
	fputs(",\"rm\":{", f);
	for (int i = 0; i < FAKE_RM_KINDS; i++)
		fprintf(f, "%s\"%s\":%llu", i ? "," : "", names[i], asked[i]);
	fputc('}', f);
}
