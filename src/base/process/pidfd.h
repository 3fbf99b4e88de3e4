/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processes by descriptor (Linux 5.3). A number means another process once the first one
 * was waited for; a descriptor never does. Both calls may be made by handlers of signals.
 */
#ifndef XPT_BASE_PROCESS_PIDFD_H
#define XPT_BASE_PROCESS_PIDFD_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* The descriptor, closed by exec, or -errno. */
static inline int xpt_pidfd__open(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0u);

	return fd < 0 ? -errno : fd;
}

/* Sends a signal. Returns 0 or -errno; -ESRCH if the process has ended, even if another one has its id now. */
static inline int xpt_pidfd__send(int fd, int sig)
{
	return syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0u) ? -errno : 0;
}

/* Whether the process of a descriptor has ended. */
static inline bool xpt_pidfd__has_ended(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

/*
 * SIGKILL for a child that was not waited for. -ECHILD: nobody gets a signal, for the number is that of no child
 * of ours (any more): where SIGCHLD is ignored, children leave without being waited for.
 */
static inline int xpt_pidfd__end_child(pid_t pid)
{
	int fd = xpt_pidfd__open(pid), err;
	siginfo_t si;

	/* Without a free descriptor the number has to do: it stays until we wait, unless SIGCHLD is ignored. */
	err = waitid(fd < 0 ? P_PID : P_PIDFD, (id_t)(fd < 0 ? pid : fd), &si, WEXITED | WNOHANG | WNOWAIT) ?
		-errno : 0;
	if (!err)
		err = fd < 0 ? (kill(pid, SIGKILL) ? -errno : 0) : xpt_pidfd__send(fd, SIGKILL);
	if (fd >= 0)
		close(fd);
	return err;
}

#endif
