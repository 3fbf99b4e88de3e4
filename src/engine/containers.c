// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Containers of processes, see containers.h. No record tells that a process was moved; the kernel's
 * tracepoint for that would have one more program run for every process of the machine.
 */
#include "engine/containers.h"

#include <string.h>

#include "base/hashmap.h"
#include "base/text_id.h"
#include "base/time.h"
#include "engine/priv.h"

#define LOOK_NS 50000000ull	/* between looks */
#define LOOK_MANY 16u		/* processes of one; each costs about 20 us */

static uint64_t read_place(int pid, char *container, char *pod)
{
	char both[XPT_CONTAINER_LEN + XPT_POD_LEN] = "";

	xpt_cgroup__container_of_pid(pid, container, XPT_CONTAINER_LEN);
	xpt_cgroup__pod_of_pid(pid, pod, XPT_POD_LEN);
	memcpy(both, container, strlen(container));
	memcpy(both + XPT_CONTAINER_LEN, pod, strlen(pod));
	return xpt_text_id(both, sizeof(both));
}

void xpt_containers__read(struct xpt_engine *e, int pid, char container[XPT_CONTAINER_LEN], char pod[XPT_POD_LEN])
{
	uint32_t tgid = (uint32_t)pid;
	struct xpt_known_proc *p = xpt_hashmap__find(e->procs, &tgid);
	uint64_t place = read_place(pid, container, pod);

	if (p)
		p->place = place;
}

/* One that has ended has no container any more, but keeps that of its record. */
static bool has_moved(const struct xpt_known_proc *p, int pid)
{
	char container[XPT_CONTAINER_LEN], pod[XPT_POD_LEN];

	return read_place(pid, container, pod) != p->place && (container[0] || pod[0]);
}

void xpt_containers__step(struct xpt_engine *e)
{
	uint64_t now = xpt_now_ns();
	const void *key;
	void *val;

	if (now - e->containers_ns < LOOK_NS)
		return;
	e->containers_ns = now;
	for (unsigned i = 0; i < LOOK_MANY; i++) {
		if (!xpt_hashmap__next(e->procs, &e->containers_pos, &key, &val)) {
			e->containers_pos = 0;	/* all were looked at: from the first on again */
			return;
		}
		if (has_moved(val, (int)*(const uint32_t *)key))
			xpt_facts__proc(e, (int)*(const uint32_t *)key, now);
	}
}
