/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The jail: a sandboxed child process in which untrusted files are parsed by libraries that have
 * had vulnerabilities. It can do nothing but compute, read one file and answer through a pipe. It has
 * no capabilities, as root no rights of root, no other descriptors, no memory that it shares
 * with anybody, and limits of time and memory; a seccomp filter ends it at any system call but
 * those that this needs. Its answer is as hostile as the file: the caller checks it.
 */
#ifndef XPT_BASE_PROCESS_JAIL_H
#define XPT_BASE_PROCESS_JAIL_H

#include <stddef.h>

/*
 * Runs in the jail: reads the open file fd (-1: none), writes its answer to `to`; 0 if there is one, -ENOENT
 * if there is none, else -errno: it could not be read. Opening files fails (-EACCES), for libraries try that;
 * any other forbidden call ends it. Files are mapped with mmap(2), without PROT_EXEC.
 */
typedef int (*xpt_jail_fn)(int fd, int to, const void *ctx);

/*
 * Runs fn and copies the bytes that it wrote, at most max, to ret_answer. Returns 0; -ENOENT: nothing;
 * -EBADMSG: it could not read the file, or was ended for a forbidden call or for its use of memory or time;
 * -ETIMEDOUT: after 5 s; with these two *ret_size is the number of bytes that came before. -EPERM: this
 * kernel has no such jail. Else -errno: there was no child. The file stays open.
 */
int xpt_jail__run(xpt_jail_fn fn, int fd, const void *ctx, void *ret_answer, size_t max, size_t *ret_size);

/*
 * Is called while this process waits for a jail, for whoever has other work: each 20 ms, and anything but 0 ends the
 * child, which xpt_jail__run() returns then. For the whole process, which has one thread for that. fn NULL: nobody.
 */
void xpt_jail__while_waiting(int (*fn)(void *ctx), void *ctx);

/*
 * For the child itself, with one thread: from here on it is in the jail, and only fd and `to` are open (-1: none).
 * 0, or -errno: then it must end at once.
 */
int xpt_jail__enter(int fd, int to);

/*
 * The same for a process that serves clients, with one thread and the descriptors that it has by then: it may
 * also take connections of listen_fd, read and write open descriptors, and wait. It has no limit of time. 0
 * or -errno.
 */
int xpt_jail__enter_service(int listen_fd);

#endif
