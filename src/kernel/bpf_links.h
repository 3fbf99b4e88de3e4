/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The bpf(2) calls that bookworm's libbpf 1.1 lacks (uprobe multi and session
 * links), and the features that this kernel and these privileges allow.
 * Everything here is found out by trying, not guessed from a version number.
 */
#ifndef XPT_KERNEL_BPF_LINKS_H
#define XPT_KERNEL_BPF_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How probes are attached, best first. */
enum xpt_attach {
	XPT_ATTACH_AUTO,
	XPT_ATTACH_SESSION,	/* one program for entry and return, kernel 6.13+ */
	XPT_ATTACH_MULTI,	/* one link for many functions, kernel 6.6+ */
	XPT_ATTACH_PERF,	/* a perf event per function and direction, 5.15+ */
	XPT_ATTACH__MAX
};

/* include/uapi/linux/bpf.h: enum bpf_attach_type */
#define XPT_BPF_TRACE_UPROBE_MULTI 48
#define XPT_BPF_TRACE_UPROBE_SESSION 57

const char *xpt_attach_name(enum xpt_attach kind);	/* "session" */

/*
 * One link for n file offsets of the file at path, in every process. kind:
 * SESSION or MULTI; ret: the program runs at return (MULTI only). Returns a
 * file descriptor that the caller closes, or -errno.
 */
int xpt_kernel__link_uprobes(int prog_fd, enum xpt_attach kind, bool ret, const char *path,
			     const uint64_t *offsets, const uint64_t *cookies, uint32_t n);

/* The same of kind MULTI for places whose program runs once; semas: file offsets of
 * counters by which the program knows that it is observed, 0: none. */
int xpt_kernel__link_points(int prog_fd, const char *path, const uint64_t *offsets,
			    const uint64_t *semas, const uint64_t *cookies, uint32_t n);

/*
 * Whether the kernel has links of that kind: with a program that does nothing, for ours are
 * long to check. True as well where not even that is allowed: the real programs then fail with the reason.
 */
bool xpt_kernel__knows_uprobes(enum xpt_attach kind);

/*
 * Whether perf events on functions of programs may be opened: 0, or -EACCES (kernels since
 * CVE-2025-38466 want CAP_SYS_ADMIN), -ENOTSUP (this kernel has none) or another -errno.
 * Tries it with a request that names no file, so that no probe is set.
 */
int xpt_kernel__try_perf_uprobe(void);

/* Whether this kernel replaces a probed 5-byte nop by a call (6.18+), found by trying. */
bool xpt_kernel__nop5_is_call(void);

/* How far the kernel is locked down: "none", "integrity" or "confidentiality"; NULL: it does not say. */
const char *xpt_kernel__lockdown(void);
/* Why the kernel refuses our programs, if one of the usual reasons holds; else NULL. Static text. */
const char *xpt_kernel__why_refused(void);
/* 0, or -EPERM with the name of the first missing capability. */
int xpt_kernel__privileges(const char **ret_missing);
/* False in a container's PID namespace: there the kernel's process ids are not those of /proc. */
bool xpt_kernel__initial_pidns(void);

/* File offset of an address in this process's own text; false if it has none. */
bool xpt_kernel__own_offset(const void *addr, uint64_t *ret_offset);

#endif
