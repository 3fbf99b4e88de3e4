/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Control groups, version 2: where they are mounted, which one a user means, which one a process is in, and the
 * container that its name stands for. Version 1 is only read to name containers, since it has no single tree to
 * select from.
 */
#ifndef XPT_PROC_CGROUP_H
#define XPT_PROC_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XPT_CONTAINER_LEN 128	/* of an id, NUL included */
#define XPT_POD_LEN 40		/* of the uid of a pod, NUL included */
#define XPT_SLURM_JOB_LEN 24	/* of the number of a job, NUL included */

/* Container, pod and job of a process, from the paths of its cgroups; "" for none. */
struct xpt_workload {
	char container[XPT_CONTAINER_LEN], pod[XPT_POD_LEN], slurm_job[XPT_SLURM_JOB_LEN];
};

/* The mount point of cgroup v2 in ret_path. 0, -ENOENT: none, -errno. */
int xpt_cgroup__mount(char *ret_path, size_t n);
/*
 * The folder of the cgroup that arg means: a path below root (a mount point),
 * or relative to it, with or without a leading slash as in /proc/PID/cgroup.
 * 0, -ENOENT, -ENOTDIR, -EXDEV: there, but not cgroup v2, -errno.
 */
int xpt_cgroup__resolve(const char *root, const char *arg, char *ret_path, size_t n);
/*
 * Calls fn for each folder below root that belongs to a container with this id, id prefix or folder name (a
 * trailing .scope or .service may be missing), with the id it was found by; folders below such a folder are left
 * out. Stops when fn returns non-zero. Returns 0, -errno, or the value that fn returned.
 */
int xpt_cgroup__find_container(const char *root, const char *id,
			       int (*fn)(void *ctx, const char *path, const char *id), void *ctx);
/* The path below root of the folder with that inode, the low half of its number. 0, -ENOENT, -errno. */
int xpt_cgroup__by_inode(const char *root, uint32_t inode, char *ret_path, size_t n);
/*
 * The innermost container that the path of a cgroup names: 64 hex digits as
 * docker, containerd, CRI-O and podman write them, ECS ids, names of LXC and
 * nspawn. False: none; ret_id is "" then. n: XPT_CONTAINER_LEN.
 */
bool xpt_cgroup__container(const char *path, char *ret_id, size_t n);
/*
 * The uid of the Kubernetes pod that the path names, as kubelet writes it with either driver of cgroups:
 * kubepods/burstable/podUID/..., or kubepods-burstable-podUID.slice, where '_' stands for '-', which the
 * result has. Pods from files of a node have 32 digits without '-'. False: none; ret_uid is "" then.
 */
bool xpt_cgroup__pod(const char *path, char *ret_uid, size_t n);
/*
 * The number of the Slurm job that the path names, as slurmd writes it: /slurm/uid_1000/job_42/..., and with version
 * 2 /system.slice/slurmstepd.scope/job_42/... (with the node's name before slurmstepd, or after slurm_, where several
 * run). Not elsewhere in the tree, where users may make folders of any name. False: none; ret_job is "" then.
 */
bool xpt_cgroup__slurm_job(const char *path, char *ret_job, size_t n);
/* The v2 path of a process, as /proc/PID/cgroup shows it. 0, -ENOENT: none, -ESRCH. */
int xpt_cgroup__of_pid(int pid, char *ret_path, size_t n);
/*
 * The root of a process's namespace of cgroups, as a path like the one above: what its own mount of cgroup v2 shows
 * as the root. `at` is the path of its cgroup. 0, -ENOENT: it has no mount of its own, -EFBIG: its list of mounts is
 * longer than 64 KiB, or cannot be read, -errno.
 */
int xpt_cgroup__root_of_pid(int pid, const char *at, char *ret_path, size_t n);
/* The container of a process, from any hierarchy; false and "" if it is in none. */
bool xpt_cgroup__container_of_pid(int pid, char *ret_id, size_t n);
/* The same for all of them, at one look. */
void xpt_cgroup__workload_of_pid(int pid, struct xpt_workload *ret);

#endif
