// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Containers of processes, see containers.h. No record says that a process was moved; the kernel's
 * tracepoint for that would have one more program run for every process of the machine.
 */
#include "engine/processes/containers.h"

#include <stdio.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/text_id.h"
#include "base/time.h"
#include "engine/priv.h"

#define LOOK_NS 50000000ull	/* between looks */
#define LOOK_MANY 16u		/* processes of one; each costs about 20 us */
#define ROUND_NS 1000000000ull	/* between looks at the same process */

static uint64_t read_workload(int pid, struct xpt_workload *ret)
{
	char all[sizeof(*ret) + 2];

	xpt_cgroup__workload_of_pid(pid, ret);
	snprintf(all, sizeof(all), "%s/%s/%s", ret->container, ret->pod, ret->slurm_job);
	return xpt_text_id(all, strlen(all));
}

void xpt_containers__read(struct xpt_engine *e, int pid, struct xpt_workload *ret)
{
	uint32_t tgid = (uint32_t)pid;
	struct xpt_known_proc *p = xpt_hashmap__find(e->procs, &tgid);
	uint64_t workload = read_workload(pid, ret);

	if (p)
		p->workload = workload;
}

/* One that has ended has no container any more, but keeps that of its record. */
static bool has_moved(const struct xpt_known_proc *p, int pid)
{
	struct xpt_workload w;

	return read_workload(pid, &w) != p->workload && (w.container[0] || w.pod[0] || w.slurm_job[0]);
}

void xpt_containers__step(struct xpt_engine *e)
{
	uint64_t now = xpt_now_ns();
	const void *key;
	void *val;

	if (now - e->containers_ns < LOOK_NS || (!e->containers_pos && now - e->containers_round_ns < ROUND_NS))
		return;
	e->containers_ns = now;
	if (!e->containers_pos)
		e->containers_round_ns = now;
	for (unsigned i = 0; i < LOOK_MANY; i++) {
		if (!xpt_hashmap__next(e->procs, &e->containers_pos, &key, &val)) {
			e->containers_pos = 0;	/* all were looked at: from the first on again */
			return;
		}
		if (has_moved(val, (int)*(const uint32_t *)key))
			xpt_facts__proc(e, (int)*(const uint32_t *)key, now);
	}
}
