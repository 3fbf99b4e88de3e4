// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cgroups by which messages name containers, see container_paths.h. */
#include "proc/container_paths.h"

#include <stdio.h>
#include <string.h>

#include "proc/cgroup.h"

#define PATHS 64u
#define PATH_ROOM 252	/* a pod's container has about 200 */

static struct {
	uint32_t group;		/* 0: free */
	char path[PATH_ROOM];
} paths[PATHS];
static unsigned next;		/* that is given to a new one */

static int find(uint32_t group)
{
	for (unsigned i = 0; i < PATHS; i++)
		if (paths[i].group == group)
			return (int)i;
	return -1;
}

/* The outermost path is kept, for a container may make more cgroups below. */
void xpt_container_paths__note(uint32_t group, int pid)
{
	char path[4096];
	int i = find(group);
	size_t n = i < 0 ? 0 : strlen(paths[i].path);

	if (!group || xpt_cgroup__of_pid(pid, path, sizeof(path)) || strlen(path) >= PATH_ROOM)
		return;
	if (n && !strncmp(path, paths[i].path, n) && (path[n] == '/' || !path[n]))
		return;
	if (i < 0)
		i = (int)(next++ % PATHS);
	paths[i].group = group;
	snprintf(paths[i].path, PATH_ROOM, "%s", path);
}

bool xpt_container_paths__find(uint32_t group, char *ret_path, size_t n)
{
	int i = group ? find(group) : -1;

	return i >= 0 && (size_t)snprintf(ret_path, n, "%s", paths[i].path) < n;
}
