// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See firmware.h. Numbers of statuses: MLX5_CMD_STAT_*, include/linux/mlx5/device.h, and
 * MLX5_DRIVER_STATUS_ABORTED; errnos: cmd_status_to_err() in mlx5_core. The mapping of a status to who is wrong is
 * a judgement: the adapter calls a request bad that the program asked for, or that the driver made wrong.
 */
#include "rdma/trace/evidence/firmware.h"

#include <errno.h>

#define R(cls) XPT_RDMA_##cls
#define HIGH XPT_RDMA_HIGH
#define MEDIUM XPT_RDMA_MEDIUM

#define OBJECTS_ADVICE "Count the objects (rdma resource show) against the device's limits " \
	"(ibv_devinfo -v): look for what is never destroyed, in other processes too."
#define STATE_ADVICE "Read the kernel's log for health errors and resets of the adapter (devlink health " \
	"show). If it stays, drain the node and reset or update the firmware."
#define ARGUMENTS_ADVICE "Compare the arguments with those of calls that work, and driver and firmware " \
	"(ethtool -i, devlink dev info) with those of a good machine. The syndrome tells the " \
	"firmware's maker more."

static const struct status {
	uint8_t status;
	int error;	/* positive */
	struct xpt_rdma_cause cause;
} statuses[] = {
	{ 0x01, EIO, { R(DEVICE), HIGH, "the firmware met an error of its own", STATE_ADVICE } },
	{ 0x02, EINVAL, { R(UNSUPPORTED), HIGH, "the firmware does not know this command",
		"Compare the firmware's version with that of a good machine (devlink dev info), update it, or "
		"use another feature." } },
	{ 0x03, EINVAL, { R(PARAMETER), MEDIUM, "the firmware found a value of the request wrong",
		ARGUMENTS_ADVICE } },
	{ 0x04, EIO, { R(DEVICE), HIGH, "the adapter is in no state for this command", STATE_ADVICE } },
	{ 0x05, EINVAL, { R(PARAMETER), MEDIUM, "the firmware does not know an object that the request names",
		"Look for the destroy call that came before, in another thread perhaps, and for a reset of "
		"the adapter since the object was made." } },
	{ 0x06, EBUSY, { R(BUSY), HIGH, "the firmware still uses the object",
		"Destroy what refers to it first." } },
	{ 0x07, EAGAIN, { R(DEVICE), HIGH, "the firmware is not ready: it starts or is being reset",
		"Try again in a minute. If it stays, read the kernel's log and reset the adapter." } },
	{ 0x08, ENOMEM, { R(RESOURCES), HIGH, "a limit of the adapter is exceeded", OBJECTS_ADVICE } },
	{ 0x09, EINVAL, { R(PARAMETER), MEDIUM, "an object is not in the state that the command wants",
		"Look for an earlier failure of this object, and for other threads that use it." } },
	{ 0x0a, EINVAL, { R(PARAMETER), MEDIUM, "an index of the request is outside of the adapter's table",
		ARGUMENTS_ADVICE } },
	{ 0x0f, EAGAIN, { R(RESOURCES), HIGH, "the adapter has no resources left for this", OBJECTS_ADVICE } },
	{ 0x10, EINVAL, { R(PARAMETER), HIGH, "the queue pair is not in the state that the command wants",
		"The order is RESET, INIT, RTR, RTS. An earlier error may have put the queue pair into ERR: "
		"look for events (QP_FATAL) and completions with errors." } },
	{ 0x30, EINVAL, { R(PARAMETER), MEDIUM, "the firmware threw a management packet away",
		"Look at what the program, or the subnet manager, sends." } },
	{ 0x40, EINVAL, { R(PARAMETER), HIGH, "the queue holds more completions than the new size has room for",
		"Poll the completion queue before it is made smaller." } },
	{ 0x50, EIO, { R(DEFECT), MEDIUM, "driver and firmware disagree about the length of the request",
		"Use a driver and a firmware that were released together." } },
	{ 0x51, EIO, { R(DEFECT), MEDIUM, "driver and firmware disagree about the length of the answer",
		"Use a driver and a firmware that were released together." } },
	{ 0xfe, EIO, { R(DEVICE), HIGH, "the driver gave the command up: the adapter has failed or is being reset",
		STATE_ADVICE } },
};

static const struct xpt_rdma_cause unknown = {
	R(DEVICE), MEDIUM, "the firmware refused a command, with a status that is not known here",
	"Read the kernel's log around it, and compare driver and firmware with those of a good machine.",
};

static const struct status *find_status(uint8_t status)
{
	unsigned i;

	for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].status == status)
			return &statuses[i];
	return NULL;
}

void xpt_rdma_firmware__cause(const struct xpt_rdma_firmware *f, struct xpt_rdma_cause *ret_cause)
{
	const struct status *s = find_status(f->status);

	*ret_cause = s ? s->cause : unknown;
}

int xpt_rdma_firmware__errno(const struct xpt_rdma_firmware *f)
{
	const struct status *s = find_status(f->status);

	return f->err ? -f->err : s ? s->error : 0;
}
