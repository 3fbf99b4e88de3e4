/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The probes of SPDK that the target itself has no use for, so that whoever asks for
 * all of them finds them: each fires as often as RESTS says, with values of its own.
 * Some are in one era only: nvmf_ns_change and nvmf_request_io_exec_path went,
 * spdk_nvmf_ns_add_host and spdk_nvmf_ns_remove_host came.
 */
#include <stddef.h>
#include "probes.h"

#define RESTS 2

/* What struct spdk_scheduler_core_info and spdk_scheduler_thread_info begin with. */
struct core_info {
	uint64_t total_idle, total_busy, idle, busy;
	uint32_t lcore, threads;
};

struct thread_info {
	uint32_t lcore;
	uint64_t id, total[2], current[2];
};

static char transport, target, group;

static void of_target(const char *subnqn, const char *hostnqn)
{
	PROBE2_T(nvmf_tgt_add_transport, ticks(), &transport, "nvmf_tgt");
	PROBE2_T(nvmf_transport_poll_group_create, ticks(), &transport, 1);
	PROBE2_T(nvmf_tgt_pause_polling, ticks(), &target, "nvmf_tgt");
	PROBE2_T(nvmf_tgt_resume_polling, ticks(), &target, "nvmf_tgt");
	PROBE2_T(nvmf_poll_group_add_subsystem, ticks(), 1, subnqn);
	PROBE3_T(nvmf_poll_group_remove_subsystem, ticks(), &group, 1, subnqn);
	PROBE2(nvmf_subsystem_add_host, subnqn, hostnqn);
	PROBE2(nvmf_subsystem_remove_host, subnqn, hostnqn);
	PROBE4(nvmf_subsystem_add_listener, subnqn, 3, "10.0.0.1", "4420");
	PROBE4(nvmf_subsystem_remove_listener, subnqn, 3, "10.0.0.1", "4420");
	PROBE2(nvmf_subsystem_add_ns, subnqn, 1);
#ifdef OLD_ERA
	PROBE2(nvmf_ns_change, 1, subnqn);
	PROBE3_T(nvmf_request_io_exec_path, ticks(), &group, "10.0.0.1", "4420");
	PROBE2(bdev_nvme_destroy_qpair, "nvme0", 1);
#else
	PROBE4(spdk_nvmf_ns_add_host, subnqn, 1, hostnqn, 0);
	PROBE4(spdk_nvmf_ns_remove_host, subnqn, 1, hostnqn, 0);
#endif
}

static void of_initiator(void)
{
	PROBE3(bdev_nvme_create_qpair, "nvme0", 1, 1);
	PROBE1(bdev_nvme_ctrlr_reset, "nvme0");
	PROBE1(bdev_nvme_ctrlr_reconnect_delay, "nvme0");
	PROBE1(bdev_nvme_ctrlr_reconnect, "nvme0");
	PROBE1(bdev_nvme_ctrlr_delete, "nvme0");
	PROBE2(bdev_nvme_ctrlr_release, "nvme0", 1);
	PROBE2(bdev_nvme_destruct, "nvme0", 1);
}

static void reset_channel(void *ctx)
{
	(void)ctx;
}

static void of_framework(void)
{
	struct core_info core = { .idle = 25, .busy = 75, .lcore = 1, .threads = 2 };
	struct thread_info thread = { .lcore = 1, .id = 7, .current = { 50, 50 } };

	PROBE1(dynsched_balance, 2);
	PROBE2(dynsched_core_info, 1, &core);
	PROBE2(dynsched_move, &thread, 2);
	PROBE3(event_exec, of_initiator, &group, &target);
	PROBE2(timerfd_exec, of_initiator, &group);
	PROBE4(interrupt_fd_process, "nvmf_tcp_poll", 9, of_initiator, &group);
	spdk_for_each_channel(&target, reset_channel, &group, NULL);
}

void fire_rest(const char *subnqn, const char *hostnqn)
{
	for (int i = 0; i < RESTS; i++) {
		of_target(subnqn, hostnqn);
		of_initiator();
		of_framework();
	}
}
