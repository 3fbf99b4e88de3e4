// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Device ioctls: no library, but the commands of a few drivers and the return
 * values of an ioctl. Functions of this domain are made while a trace runs, one
 * per command; docs/kernel.md has the sources of the numbers.
 */
#include "model/domain/domain.h"
#include "model/kernel/ioctl_table.h"

#define NVIDIA XPT_IOCTL_NVIDIA
#define UVM XPT_IOCTL_UVM
#define VERBS XPT_IOCTL_VERBS
#define NVME XPT_IOCTL_NVME
#define ANY XPT_IOCTL_ANY
#define NONE XPT_IOCTL_NONE
#define CODE XPT_IOCTL_CODE
#define ROW_OF(t, c, s, bytes, xfer, sub, ptr, size, status) \
	{ { t, c, s, 0 }, { sub, ptr, size, status, bytes, xfer, { 0 } } }
#define ROW(t, c, s, sub, ptr, size, status) ROW_OF(t, c, s, 4, 0, sub, ptr, size, status)
#define NR(a) (sizeof(a) / sizeof((a)[0]))

#include "domains/ioctl/nvidia_names.h"
#include "domains/ioctl/other_names.h"

static const struct xpt_ioctl_row rows[] = {
#include "domains/ioctl/nvidia_layouts.h"
	/* nv_ioctl_xfer_t: number, size and pointer of a larger command */
	ROW_OF(NVIDIA, CODE('F', 0xd3, 16), ANY, 4, 1, NONE, NONE, NONE, NONE),
	/* struct ib_uverbs_ioctl_hdr: object_id and method_id after the length */
	ROW(VERBS, CODE(0x1b, 1, 24), ANY, 2, NONE, NONE, NONE),
	/* struct nvme_passthru_cmd: opcode first; its 64-bit form is 8 bytes longer */
	ROW_OF(NVME, CODE('N', 0x41, 72), ANY, 1, 0, 0, NONE, NONE, NONE),
	ROW_OF(NVME, CODE('N', 0x43, 72), ANY, 1, 0, 0, NONE, NONE, NONE),
	ROW_OF(NVME, CODE('N', 0x47, 80), ANY, 1, 0, 0, NONE, NONE, NONE),
	ROW_OF(NVME, CODE('N', 0x48, 80), ANY, 1, 0, 0, NONE, NONE, NONE),
};

static const struct xpt_ioctl_subs nvidia_subs[] = {
	{ 0x462b, nvidia_classes, NR(nvidia_classes) },
	{ 0x462a, nvidia_controls, NR(nvidia_controls) },
	{ 0x464a, nvidia_heap, NR(nvidia_heap) },
};

/*
 * Requests of programs to the GPU's scheduler, and queries about it: whether, when, how long
 * and before which others a channel, a group of channels or a runlist runs. Not: allocations
 * of channels, and work that is put into them, which needs no ioctl.
 */
#define SCHED(sub) { NVIDIA, 0x462a, sub, 0 }
static const struct xpt_ioctl_key sched[] = {
	SCHED(0x801711), SCHED(0x801712), SCHED(0x801714),	/* stop, start, idle */
	SCHED(0x2080110a), SCHED(0x2080110b),	/* preemptive removal, disable channels */
	SCHED(0x2080110e), SCHED(0x20801115),	/* the scheduler's log, policy of a runlist */
	SCHED(0x20801117), SCHED(0x20801120),	/* disable channels, state of the scheduler */
	SCHED(0x20801121), SCHED(0x20801122),
	SCHED(0x20801210), SCHED(0x20801211),	/* mode of preemption at context switches */
	SCHED(0xa06c0101), SCHED(0xa06c0102),	/* groups: schedule, bind, timeslice, preempt, */
	SCHED(0xa06c0103), SCHED(0xa06c0104),	/* interleave level, realtime */
	SCHED(0xa06c0105), SCHED(0xa06c0106), SCHED(0xa06c0107),
	SCHED(0xa06c0108), SCHED(0xa06c0110),
	SCHED(0xa06f0103), SCHED(0xa06f0104),	/* channels: schedule, bind, interleave level, */
	SCHED(0xa06f0109), SCHED(0xa06f0110),	/* restart, stop */
	SCHED(0xa06f0111), SCHED(0xa06f0112),
};

static const struct xpt_ioctl_subs verbs_subs[] = {
	{ 0x1b01, verbs_methods, NR(verbs_methods) },
};

/* Methods by enum rdma_driver_id (rdma/ib_user_ioctl_verbs.h); 0: methods that all drivers have. */
static const struct xpt_ioctl_subs uverbs_methods[] = {
	{ 0, verbs_methods, NR(verbs_methods) },
	{ 1, mlx5_methods, NR(mlx5_methods) },
};

static const struct xpt_ioctl_subs nvme_subs[] = {
	{ 0x4e41, nvme_admin, NR(nvme_admin) },
	{ 0x4e43, nvme_io, NR(nvme_io) },
	{ 0x4e47, nvme_admin, NR(nvme_admin) },
	{ 0x4e48, nvme_io, NR(nvme_io) },
};

#define CMDS(n, m, c) .name = n, .mask = m, .cmds = c, .nr_cmds = NR(c)
#define SUBS(s) .subs = s, .nr_subs = NR(s)
#define WRITES(w) .writes = w, .nr_writes = NR(w)
#define METHODS(m) .methods = m, .nr_methods = NR(m)

static const struct xpt_ioctl_set sets[XPT_IOCTL_TABLE__MAX] = {
	[XPT_IOCTL_OTHER] = { CMDS("other", 0xffff, other_cmds) },
	[XPT_IOCTL_NVIDIA] = { CMDS("nvidia", 0xffff, nvidia_escapes), SUBS(nvidia_subs) },
	[XPT_IOCTL_UVM] = { CMDS("uvm", 0xffffffff, nvidia_uvm) },
	[XPT_IOCTL_VERBS] = { CMDS("verbs", 0xffff, verbs_cmds), SUBS(verbs_subs), WRITES(verbs_writes),
			      METHODS(uverbs_methods) },
	[XPT_IOCTL_CM] = { .name = "rdma_cm", WRITES(cm_writes) },
	[XPT_IOCTL_NVME] = { CMDS("nvme", 0xffff, nvme_cmds), SUBS(nvme_subs) },
};

/* The last two are names that versions of the NVIDIA driver have used for major 195. */
static const struct xpt_ioctl_driver drivers[] = {
	{ "nvidia", XPT_IOCTL_NVIDIA },
	{ "nvidia-uvm", XPT_IOCTL_UVM },
	{ "nvidia-caps", XPT_IOCTL_OTHER },
	{ "nvidia-nvswitch", XPT_IOCTL_OTHER },
	{ "infiniband_verbs", XPT_IOCTL_VERBS },
	{ "nvme", XPT_IOCTL_NVME },
	{ "nvme-generic", XPT_IOCTL_NVME },
	{ "nvidia-frontend", XPT_IOCTL_NVIDIA },
	{ "nvidiactl", XPT_IOCTL_NVIDIA },
};

static const struct xpt_ioctls ioctls = {
	.sets = sets,
	.rows = rows,
	.nr_rows = NR(rows),
	.drivers = drivers,
	.nr_drivers = NR(drivers),
	.sched = sched,
	.nr_sched = NR(sched),
	.statuses = nvidia_statuses,
};

static const struct xpt_result results[] = {
#include "model/kernel/errnos.h"
};

const struct xpt_domain xpt_domain_ioctl = {
	.name = "ioctl",
	.help = "ioctls on device files (--layers ioctl): no library, no probe",
	.layer = XPT_LAYER_IOCTL,
	.on_by_default = false,
	.results = results,
	.nr_results = sizeof(results) / sizeof(results[0]),
	.ioctls = &ioctls,
};
