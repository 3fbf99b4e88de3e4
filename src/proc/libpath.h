/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds a library as the loader does, and a command as the shell does. Yields every plausible file, because a probe
 * in a file that is not used costs nothing. Search order and file formats: ld.so(8), ldconfig's cache
 * "glibc-ld.so.cache1.1" (dl-cache.h of glibc).
 */
#ifndef XPT_PROC_LIBPATH_H
#define XPT_PROC_LIBPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An iteration; set the first three (each may be NULL), zero the rest. */
struct xpt_libpath {
	const char *exe;		/* its RPATH and RUNPATH count; $ORIGIN is its folder */
	const char *ld_library_path;	/* the program's environment variable */
	const char *root;		/* prefix of all paths: "/proc/PID/root" */
	unsigned pos;			/* next candidate */
	uint64_t seen[32][2];		/* (dev, inode) yielded already */
	unsigned nr_seen;
};

/* The next existing file for soname, root included, into buf. 1, or 0 at the end. */
int xpt_libpath__next(struct xpt_libpath *lp, const char *soname, char *buf, size_t n);

/*
 * Finds the files that a cache (the content of /etc/ld.so.cache, n bytes and a NUL) names for soname: calls fn with
 * each, shorter than PATH_MAX, until it returns true, and returns whether it did. Caches of containers are of their
 * making.
 */
bool xpt_libpath__each_cached(const uint8_t *p, size_t n, const char *soname,
			      bool (*fn)(void *ctx, const char *path), void *ctx);

/*
 * The file that execvp(3) would execute for name with this PATH (NULL: the
 * default). 0; -ENOENT none; -EACCES found but not executable; -ENAMETOOLONG.
 */
int xpt_libpath__command(const char *name, const char *path_var, char *buf, size_t n);

/*
 * Replaces an absolute path by the file that it means to the process: where that is another file than here (in a
 * container), the path becomes one through /proc/PID/root. n: bytes of the buffer.
 */
void xpt_libpath__of_process(int pid, char *path, size_t n);

#endif
