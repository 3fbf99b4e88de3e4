/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Container, pod and Slurm job of processes. Launchers start a process and then move it, so these are read again
 * while it runs.
 */
#ifndef XPT_ENGINE_PROCESSES_CONTAINERS_H
#define XPT_ENGINE_PROCESSES_CONTAINERS_H

#include <stdint.h>

#include "proc/cgroup.h"

struct xpt_engine;

struct xpt_known_proc {		/* a process whose PROC record was written */
	uint64_t owner;		/* proc/owner.h */
	uint64_t workload;	/* its container, pod and Slurm job, as that record has them: an id of the texts */
	bool has_called;		/* a thread of it has made a traced call */
};

/* Reads the workload of a process, and notes it as known. */
void xpt_containers__read(struct xpt_engine *e, int pid, struct xpt_workload *ret);
/* Looks at some processes again; those that were moved get another PROC record. */
void xpt_containers__step(struct xpt_engine *e);

#endif
