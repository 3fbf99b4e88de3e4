/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Hooks of a command line: reads them from options and files, reports errors with their place in the line, and
 * reports hooks for which the engine found nothing.
 */
#ifndef XPT_SESSION_OPTIONS_HOOK_OPTIONS_H
#define XPT_SESSION_OPTIONS_HOOK_OPTIONS_H

#include <stdbool.h>
#include "base/list.h"
#include "hooks/hook.h"

struct xpt_engine;

struct xpt_hook_line {
	const char *text;
	const char *file;	/* NULL: of an option */
	unsigned nr;		/* of the line in it */
};

struct xpt_hook_set {
	struct xpt_hook v[XPT_HOOKS_MAX];
	struct xpt_hook_line line[XPT_HOOKS_MAX];
	uint32_t nr;
	const char *exe;	/* path that __EXE__ is replaced by, or NULL */
};

/*
 * Reads hooks of options and files (names of files are looked for in
 * $XPUTRACE_HOOKS, /usr/share/xputrace/hooks, examples/hooks). exe: of the one
 * process that is traced, or NULL; pid: its id, or 0. -1: *ret_set is there, until
 * the process ends; else an exit status, after a message.
 */
int xpt_hook_set__read(const char *command, const struct xpt_list *lines,
		       const struct xpt_list *files, const char *exe, int pid,
		       struct xpt_hook_set **ret_set);
/* Checks for hooks on one file that found nothing there. -1, or an exit status after a message. */
int xpt_hook_set__check(const struct xpt_hook_set *set, const struct xpt_engine *e);
/* Says which hooks found nothing. True: none did. */
bool xpt_hook_set__report(const struct xpt_hook_set *set, const struct xpt_engine *e);
/* Warns where debug information ended its reader (struct xpt_engine_stats, nr_unread). */
void xpt_hook_set__report_unread(const struct xpt_engine *e);
bool xpt_hook_set__has(const struct xpt_hook_set *set, enum xpt_probe_kind kind);
bool xpt_hook_set__has_events(const struct xpt_hook_set *set);
/* Prints the totals of the hooks so far, as text on standard output. */
void xpt_hook_set__print(struct xpt_engine *e);

#endif
