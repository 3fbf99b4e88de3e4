/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command of `run`: a child that waits until it is released, becomes the
 * user who called sudo and executes the command.
 */
#ifndef XPT_SESSION_CHILD_H
#define XPT_SESSION_CHILD_H

#include <stdbool.h>
#include <sys/types.h>
#include "base/list.h"

struct xpt_child_cfg {
	const char *exe;		/* program file */
	char **argv;			/* ends with NULL */
	const struct xpt_list *env;	/* VAR=VALUE to set */
	bool as_root;			/* stays root under sudo */
	bool stdout_to_stderr;
};

struct xpt_child {
	pid_t pid;
	int pidfd;			/* signals go by this one; stays open */
	int go_fd, failure_fd;		/* ends of pipes: lets the command begin; reports that execve(2) failed */
};

/*
 * Has children stay until they are waited for, also where who started us ignores SIGCHLD: else the kernel gives
 * their numbers to others at once. The command gets that signal as we got it. To be called first.
 */
void xpt_child__keep_ended(void);
/*
 * Remembers which signals are ignored and how many files may be open, for the
 * child; before any of that is changed.
 */
void xpt_child__save(void);
/* Forks; the child waits. 0 or -errno, which it has said. */
int xpt_child__start(const struct xpt_child_cfg *cfg, struct xpt_child *ret_c);
/*
 * Lets it execute the command. -1: it does; else the exit status for a command
 * that could not be executed, which it has said and waited for.
 */
int xpt_child__release(struct xpt_child *c, const struct xpt_child_cfg *cfg);
/* It ends without executing anything. */
void xpt_child__cancel(struct xpt_child *c);

#endif
