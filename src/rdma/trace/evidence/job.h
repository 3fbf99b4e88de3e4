/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The job that a process belongs to, by the path of its cgroup: the names that Slurm, Kubernetes, container engines
 * and systemd write into it.
 */
#ifndef XPT_RDMA_TRACE_EVIDENCE_JOB_H
#define XPT_RDMA_TRACE_EVIDENCE_JOB_H

#include <stdbool.h>
#include <stddef.h>

/*
 * "Slurm job 42", "Kubernetes pod 6b1f...", "container 0123456789ab",
 * "ssh.service"; container: its id if it is known otherwise, or "". False, and "": none.
 */
bool xpt_rdma_job(const char *cgroup, const char *container, char *ret_job, size_t n);

#endif
