/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opening files for reading whose names others have chosen: a mapped library, its debug file,
 * a file that a loader would find. Only regular files on a file system that stores them are
 * opened: opening a device, a pipe or a file that its file system makes up can act, or wait
 * for ever. The file is looked at by a descriptor without access (O_PATH) first, and that
 * same file is opened. For writing there is chase.h.
 */
#ifndef XPT_BASE_FILES_REGULAR_H
#define XPT_BASE_FILES_REGULAR_H

#include <stdint.h>
#include <sys/stat.h>

struct xpt_file_id {	/* the identity that the file must have, before it is opened */
	uint64_t dev, ino;	/* ino 0: any; dev 0: any, also where a file system reports several */
};

/*
 * A descriptor (O_RDONLY, O_CLOEXEC, O_NONBLOCK), or -errno: -ENOEXEC it is no such file, -ESTALE it
 * is another one than id (NULL: any). Links are followed as usual, those of /proc included; but a
 * path after "/proc/PID/root" is resolved as that process does, see below.
 */
int xpt_regular__open(const char *path, const struct xpt_file_id *id);
/*
 * The same for a path of that process: below its root, which neither absolute links nor ".."
 * leave, and never through a link of /proc (-ELOOP).
 */
int xpt_regular__open_of(int pid, const char *path, const struct xpt_file_id *id);

/*
 * Looks at the file of that path below our own root, without opening it: for paths that a process chose, to
 * find out whether they mean the same file here as there. Returns 0 or -errno. Links are followed, but none
 * of /proc (-ELOOP). With a guard its file system is asked nothing unless that lets it.
 */
int xpt_regular__look(const char *path, struct stat *ret_st);

/*
 * The same as open() below root (a descriptor), for a copy of a machine's files that anybody may have made; of any
 * file system, for root may have the machine's own /proc. -1: this machine's, where links are followed as usual.
 * -ENOEXEC: no regular file.
 */
int xpt_regular__open_below(int root, const char *path);

/* The same, with the folder by its path; "": this machine. */
int xpt_regular__open_in(const char *root, const char *path);
/* A folder there, to be entered by descriptor (O_PATH), or -errno. */
int xpt_regular__folder_in(const char *root, const char *path);

/*
 * Returns the bytes that the file stores, without its holes, as far as its file system reports these: holes cost
 * nothing, so anybody can make a huge file of them. For a file that stores no bytes, returns its size. Keeps the
 * position of fd.
 */
uint64_t xpt_regular__stored(int fd, const struct stat *st);

/*
 * Returns when it changed last (ctime; ns of CLOCK_REALTIME), which differs for different contents. 0:
 * only just, so that a write now may get the same time, for file systems count in ticks of the kernel.
 */
uint64_t xpt_regular__changed_ns(const struct stat *st);

/* Returns a descriptor without access of the file of that path, with root as "/", or -errno; as
 * open_of() follows paths. */
int xpt_regular__walk(int root, const char *path);

/*
 * For paths and files of processes that nobody has named, whose owners may have file systems of their own that never
 * answer: how these are followed and looked at first.
 */
struct xpt_regular_guard {
	/* Returns a descriptor (O_PATH) of the file that pid sees at path, or -errno. */
	int (*walk)(int pid, const char *path);
	int (*link)(int pid, const char *name);	/* the same of the target of that link below /proc/PID */
	int (*check)(void *ctx, int fd);	/* whether a descriptor without access may be opened: 0 or -errno */
	void *ctx;
};
/* Sets the guard, which is not copied; NULL: none. With a guard, links of /proc in other paths fail with -ELOOP. */
void xpt_regular__set_guard(const struct xpt_regular_guard *g);

#endif
