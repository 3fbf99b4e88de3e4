/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options that select processes by name, user, cgroup or container, and the
 * selection that the engine gets from them. Wrong ones are reported with
 * advice.
 */
#ifndef XPT_CLI_ARGS_TARGETS_H
#define XPT_CLI_ARGS_TARGETS_H

#include <stdbool.h>
#include "cli/opt.h"
#include "proc/select.h"

struct xpt_targets_opts {
	struct xpt_list comms, cgroups, containers;
	const char *user;
};

#define XPT_TARGETS_OPTIONS(type, m)                                                               \
	{ "comm", 0, XPT_OPT_LIST, offsetof(type, m.comms), "GLOB", "trace processes of this "     \
	  "name (as in /proc/PID/comm), also those that start later, and their children; may be "  \
	  "given again", 0 },                                                                      \
	{ "uid", 0, XPT_OPT_STR, offsetof(type, m.user), "USER", "trace only processes of this "   \
	  "user, by name or number", 0 },                                                          \
	{ "cgroup", 0, XPT_OPT_LIST, offsetof(type, m.cgroups), "PATH", "trace only processes "    \
	  "in this cgroup (v2) and those below it; may be given again", 0 },                       \
	{ "container", 0, XPT_OPT_LIST, offsetof(type, m.containers), "ID", "trace only processes " \
	  "of this container: its id, the beginning of it, or the name of its cgroup; may be "     \
	  "given again", 0 }

/* Whether one of these options was given. */
bool xpt_targets__given(const struct xpt_targets_opts *o);
/* Makes the selection, NULL if none was given; the caller frees it. -1 or an
 * exit status, after a message. */
int xpt_targets__select(const struct xpt_cmd *cmd, const struct xpt_targets_opts *o,
			struct xpt_select **ret_s);

#endif
