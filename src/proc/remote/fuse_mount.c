// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See fuse_mount.h. A line of mountinfo (proc(5)) ends with " - TYPE SOURCE OPTIONS"; the kernel writes blanks in
 * names as escapes, so no name can pass for a field. fuse(4)'s options say who has mounted it.
 */
#include "proc/remote/fuse_mount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_mount(int fd)
{
	char path[48], line[128];
	int mount = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && mount < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "mnt_id: %d", &mount);
	if (f)
		fclose(f);
	return mount;
}

/* options: those of the file system, up to the end of the line. */
static bool says_root(const char *options)
{
	const char *user = strstr(options, ",user_id=");

	return user && !strncmp(user + strlen(",user_id="), "0,", 2);
}

static bool is_of_root(const char *line)
{
	const char *end = strstr(line, " - "), *options = end;

	for (int i = 0; options && i < 3; i++)	/* after the separator, the type, the source */
		options = strchr(options + 1, ' ');
	return options && !strncmp(end + 3, "fuse", 4) && says_root(options);
}

bool xpt_fuse_mount__is_of_root_in(const char *mountinfo_path, int mount)
{
	FILE *f = mount < 0 ? NULL : fopen(mountinfo_path, "re");
	bool found = false, of_root = false;
	char *line = NULL;
	size_t room = 0;
	int id;

	while (f && !found && getline(&line, &room, f) > 0) {
		found = sscanf(line, "%d ", &id) == 1 && id == mount;
		of_root = found && is_of_root(line);
	}
	free(line);
	if (f)
		fclose(f);
	return of_root;
}

bool xpt_fuse_mount__is_of_root(int fd)
{
	return xpt_fuse_mount__is_of_root_in("/proc/self/mountinfo", read_mount(fd));
}
