/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts about processes in /proc: their executable mappings, names and command lines. Everything read here may
 * vanish or lie; errors are -errno.
 */
#ifndef XPT_PROC_MAPS_H
#define XPT_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "proc/uid.h"

struct xpt_mapping {
	uint64_t start, end, offset;
	uint64_t dev, ino;	/* 0: no file, or not known */
	const char *path;	/* as the process sees it; lives for the callback */
	uint64_t at_ns;		/* when it was mapped (CLOCK_MONOTONIC), 0: not known */
};

/*
 * Calls fn for each executable file mapping of pid until it returns non-zero, and returns that. -ESRCH: no such
 * process. -EFBIG: it has more mappings than are read of one that nobody has named, fn has seen the first of them.
 */
int xpt_maps__each(int pid, int (*fn)(void *ctx, int pid, const struct xpt_mapping *m), void *ctx);
/* The same for all executable mappings: path may be "[vdso]", or "" without a name. */
int xpt_maps__each_code(int pid, int (*fn)(void *ctx, int pid, const struct xpt_mapping *m),
			void *ctx);

/*
 * A line of /proc/PID/maps, "start-end prot offset dev inode path\n", of which the path is the process's choice; it
 * is cut after that, which lives as long as it does. False: not an executable mapping, or no such line.
 */
bool xpt_maps__parse(char *line, struct xpt_mapping *ret_m);

/*
 * Opens the file that pid mapped there, also if its name is gone or leads elsewhere by now: a file descriptor, as
 * of xpt_regular__open. -ESTALE: only the name can be followed, and it leads elsewhere.
 */
int xpt_maps__open(int pid, const struct xpt_mapping *m);


struct xpt_procinfo {
	char comm[64], exe[4096], cmdline[4096];
	uint32_t ppid, uid;	/* XPT_NO_UID: not known */
	uint32_t ns_pid;	/* in its innermost PID namespace; 0: the same */
	uint64_t start_ns;	/* CLOCK_BOOTTIME, 0 if unknown */
};

/* Returns 0 or -ESRCH. Fields that cannot be read stay empty. */
int xpt_proc__read(int pid, struct xpt_procinfo *ret_info);
/* Calls fn for each process until it returns non-zero, and returns that. */
int xpt_proc__each(int (*fn)(void *ctx, int pid), void *ctx);

#endif
