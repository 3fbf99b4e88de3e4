// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Requests to the scheduler of a GPU: make a channel or a group of channels
 * runnable, set its time slice, preempt it. They take sched_us and change nothing.
 */
#include "nv.h"

NV_FN u32 kchannelCtrlCmdGpFifoSchedule_IMPL(u32 hChannel, u64 pParams)
{
	COUNT(kchannelCtrlCmdGpFifoSchedule_IMPL);
	nv_sleep(nv_sched_us);
	return hChannel ? NV_OK : NV_ERR_INVALID_OBJECT_HANDLE;
}

NV_FN u32 kchangrpapiCtrlCmdGpFifoSchedule_IMPL(u32 hGroup, u64 pParams)
{
	COUNT(kchangrpapiCtrlCmdGpFifoSchedule_IMPL);
	nv_sleep(nv_sched_us);
	return hGroup ? NV_OK : NV_ERR_INVALID_OBJECT_HANDLE;
}

NV_FN u32 kchangrpapiCtrlCmdSetTimeslice_IMPL(u32 hGroup, u64 timesliceUs)
{
	COUNT(kchangrpapiCtrlCmdSetTimeslice_IMPL);
	nv_sleep(nv_sched_us);
	return timesliceUs ? NV_OK : NV_ERR_INVALID_ARGUMENT;
}

NV_FN u32 kchangrpapiCtrlCmdPreempt_IMPL(u32 hGroup, u64 pParams)
{
	COUNT(kchangrpapiCtrlCmdPreempt_IMPL);
	nv_sleep(nv_sched_us);
	return hGroup ? NV_OK : NV_ERR_INVALID_OBJECT_HANDLE;
}
