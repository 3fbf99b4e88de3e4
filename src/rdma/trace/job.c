// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See job.h. Forms seen: /slurm/uid_1000/job_42/step_0/task_0,
 * /system.slice/slurmstepd.scope/job_42/step_0/user, .../kubepods-besteffort-pod
 * 6b1f2c3d_..._.slice/cri-containerd-HEX.scope, /kubepods/burstable/pod6b1f2c3d-.../HEX.
 */
#include <stdio.h>
#include <string.h>

#include "proc/cgroup.h"
#include "rdma/trace/job.h"

enum { POD_LEN = 36, SHORT_ID = 12 };

static bool slurm(const char *cgroup, char *ret_job, size_t n)
{
	const char *at = strstr(cgroup, "slurm") ? strstr(cgroup, "/job_") : NULL;
	size_t len = at ? strspn(at + 5, "0123456789") : 0;

	if (!len)
		return false;
	snprintf(ret_job, n, "Slurm job %.*s", (int)(len < 20 ? len : 20), at + 5);
	return true;
}

/* "pod" and a UUID, with '-' or, in names of systemd, '_'. */
static bool pod(const char *cgroup, char *ret_job, size_t n)
{
	const char *at = strstr(cgroup, "kubepods");
	char id[POD_LEN + 1];
	size_t i;

	while (at && (at = strstr(at, "pod"))) {
		at += 3;
		i = strspn(at, "0123456789abcdefABCDEF-_");
		if (i < POD_LEN && i != 32)
			continue;
		snprintf(id, sizeof(id), "%.*s", (int)(i < POD_LEN ? i : POD_LEN), at);
		for (i = 0; id[i]; i++)
			id[i] = (char)(id[i] == '_' ? '-' : id[i]);
		snprintf(ret_job, n, "Kubernetes pod %s", id);
		return true;
	}
	return false;
}

/* The innermost unit of systemd. */
static bool unit(const char *cgroup, char *ret_job, size_t n)
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
	if (slurm(cgroup, ret_job, n) || pod(cgroup, ret_job, n))
		return true;
	snprintf(id, sizeof(id), "%s", container);
	if (*id || xpt_cgroup__container(cgroup, id, sizeof(id))) {
		snprintf(ret_job, n, "container %.*s", SHORT_ID, id);
		return true;
	}
	return unit(cgroup, ret_job, n);
}
