// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See job.h. Forms seen: /slurm/uid_1000/job_42/step_0/task_0,
 * /system.slice/slurmstepd.scope/job_42/step_0/user, .../kubepods-besteffort-pod
 * 6b1f2c3d_..._.slice/cri-containerd-HEX.scope, /kubepods/burstable/pod6b1f2c3d-.../HEX.
 */
#include <stdio.h>
#include <string.h>

#include "proc/cgroup.h"
#include "rdma/trace/evidence/job.h"

enum { SHORT_ID = 12 };

static bool find_slurm(const char *cgroup, char *ret_job, size_t n)
{
	char job[XPT_SLURM_JOB_LEN];

	if (!xpt_cgroup__slurm_job(cgroup, job, sizeof(job)))
		return false;
	snprintf(ret_job, n, "Slurm job %s", job);
	return true;
}

static bool find_pod(const char *cgroup, char *ret_job, size_t n)
{
	char uid[XPT_POD_LEN];

	if (!xpt_cgroup__pod(cgroup, uid, sizeof(uid)))
		return false;
	snprintf(ret_job, n, "Kubernetes pod %s", uid);
	return true;
}

/* The innermost unit of systemd. */
static bool find_unit(const char *cgroup, char *ret_job, size_t n)
{
	const char *end = NULL, *at, *start;

	for (at = cgroup; (at = strstr(at, ".service")); at++)
		if (!at[8] || at[8] == '/')
			end = at + 8;
	if (!end)
		return false;
	for (start = end; start > cgroup && start[-1] != '/'; start--)
		;
	snprintf(ret_job, n, "%.*s", (int)(end - start), start);
	return true;
}

bool xpt_rdma_job(const char *cgroup, const char *container, char *ret_job, size_t n)
{
	char id[XPT_CONTAINER_LEN];

	ret_job[0] = '\0';
	if (find_slurm(cgroup, ret_job, n) || find_pod(cgroup, ret_job, n))
		return true;
	snprintf(id, sizeof(id), "%s", container);
	if (*id || xpt_cgroup__container(cgroup, id, sizeof(id))) {
		snprintf(ret_job, n, "container %.*s", SHORT_ID, id);
		return true;
	}
	return find_unit(cgroup, ret_job, n);
}
