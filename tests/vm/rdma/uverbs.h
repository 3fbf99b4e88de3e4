/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's interface to a device as it is, without a library: its file, and
 * commands of write(2) as old libraries send them.
 */
#ifndef RDMA_UVERBS_H
#define RDMA_UVERBS_H

#include <fcntl.h>
#include <glob.h>
#include <rdma/ib_user_verbs.h>
#include "say.h"

/* The path of the device's file, which is the one that tells this name; false: there is none. */
static inline int uverbs_path(const char *device, char *path, size_t n)
{
	glob_t g = { 0 };
	int found = 0;

	glob("/sys/class/infiniband_verbs/uverbs*/ibdev", 0, NULL, &g);
	for (size_t i = 0; !found && i < g.gl_pathc; i++) {
		char name[64] = "";
		FILE *f = fopen(g.gl_pathv[i], "r");
		int number;

		if (f && fgets(name, sizeof(name), f))
			name[strcspn(name, "\n")] = '\0';
		if (f)
			fclose(f);
		if (strcmp(name, device) ||
		    sscanf(g.gl_pathv[i], "/sys/class/infiniband_verbs/uverbs%d", &number) != 1)
			continue;
		snprintf(path, n, "/dev/infiniband/uverbs%d", number);
		found = 1;
	}
	globfree(&g);
	return found;
}

static inline int uverbs_open(const char *device)
{
	char path[64];

	return uverbs_path(device, path, sizeof(path)) ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

/* A command of write(2): @in begins with the address of the answer. 0 or the errno. */
static inline int uverbs_command(int fd, uint32_t number, void *in, size_t size, void *out, size_t out_size)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		char body[256];
	} m = { .hdr = { .command = number } };
	uint64_t response = (uintptr_t)out;

	if (out)
		memcpy(in, &response, sizeof(response));
	memcpy(m.body, in, size);
	m.hdr.in_words = (sizeof(m.hdr) + size) / 4;
	m.hdr.out_words = out_size / 4;
	return write(fd, &m, sizeof(m.hdr) + size) < 0 ? errno : 0;
}

/* A context of its own on that file; the descriptor of its events. */
static inline int uverbs_context(int fd)
{
	struct ib_uverbs_get_context in = { 0 };
	struct ib_uverbs_get_context_resp out = { 0 };

	errno = uverbs_command(fd, IB_USER_VERBS_CMD_GET_CONTEXT, &in, sizeof(in), &out, sizeof(out));
	must(!errno, "get_context");
	return out.async_fd;
}

#endif
