/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's interface of RDMA devices as it is, without a library: commands
 * by write(2) and methods by ioctl(2), right ones and wrong ones.
 */
#ifndef RDMA_RAW_H
#define RDMA_RAW_H

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The path of a device's file, which is the one that tells this name. 0 or -1. */
static inline int raw_path(const char *device, char *ret, size_t size)
{
	glob_t g = { 0 };
	int found = -1;

	glob("/sys/class/infiniband_verbs/uverbs*/ibdev", 0, NULL, &g);
	for (size_t i = 0; found && i < g.gl_pathc; i++) {
		FILE *f = fopen(g.gl_pathv[i], "re");
		char name[64] = "";
		int number;

		if (f && fscanf(f, "%63s", name) == 1 && !strcmp(name, device) &&
		    sscanf(g.gl_pathv[i], "/sys/class/infiniband_verbs/uverbs%d", &number) == 1) {
			snprintf(ret, size, "/dev/infiniband/uverbs%d", number);
			found = 0;
		}
		if (f)
			fclose(f);
	}
	globfree(&g);
	return found;
}

static inline int raw_open(const char *device)
{
	char path[64];

	return raw_path(device, path, sizeof(path)) ? -1 : open(path, O_RDWR | O_CLOEXEC);
}

/*
 * A command. @in begins with the address of the answer where there is one (@out), which is put there.
 * 0, the errno, or what write(2) returned, negative, where that is not what was written.
 */
static inline int raw_command(int fd, uint32_t number, void *in, size_t size, void *out, size_t out_size)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		char body[512];
	} m = { .hdr = { .command = number } };
	uint64_t response = (uintptr_t)out;
	ssize_t n;

	if (out)
		memcpy(in, &response, sizeof(response));
	memcpy(m.body, in, size);
	m.hdr.in_words = (uint16_t)((sizeof(m.hdr) + size) / 4);
	m.hdr.out_words = (uint16_t)(out_size / 4);
	n = write(fd, &m, sizeof(m.hdr) + size);
	if (n < 0)
		return errno;
	return n == (ssize_t)(sizeof(m.hdr) + size) ? 0 : (int)-n;
}

/* One of the extended form, whose answer is not wanted. 0 or the errno. */
static inline int raw_command_ex(int fd, uint32_t number, const void *in, size_t size, void *out, size_t out_size)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
		char body[512];
	} m = { .hdr = { .command = number | IB_USER_VERBS_CMD_FLAG_EXTENDED } };

	m.hdr.in_words = (uint16_t)(size / 8);
	m.hdr.out_words = (uint16_t)(out_size / 8);
	m.ex.response = (uintptr_t)out;
	memcpy(m.body, in, size);
	return write(fd, &m, sizeof(m.hdr) + sizeof(m.ex) + size) < 0 ? errno : 0;
}

struct raw_method {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attr[16];
};

static inline struct raw_method raw_method(uint16_t object, uint16_t method)
{
	return (struct raw_method){ .hdr = { .object_id = object, .method_id = method } };
}

/* An attribute of @len bytes: those of up to 8 are in it, longer ones at the address @data. */
static inline void raw_in(struct raw_method *m, uint16_t id, uint16_t len, uint64_t data)
{
	m->attr[m->hdr.num_attrs++] = (struct ib_uverbs_attr){
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = data,
	};
}

/* 0, the errno, or the positive number that ioctl(2) returned, negative. */
static inline int raw_call(int fd, struct raw_method *m)
{
	int n;

	m->hdr.length = (uint16_t)(sizeof(m->hdr) + m->hdr.num_attrs * sizeof(m->attr[0]));
	n = ioctl(fd, RDMA_VERBS_IOCTL, m);
	return n < 0 ? errno : -n;
}

/* A context, which most calls want. 0 or the errno. */
static inline int raw_context(int fd)
{
	struct ib_uverbs_get_context in = { 0 };
	struct ib_uverbs_get_context_resp out = { 0 };

	return raw_command(fd, IB_USER_VERBS_CMD_GET_CONTEXT, &in, sizeof(in), &out, sizeof(out));
}

static inline int raw_alloc_pd(int fd, uint32_t *ret_pd)
{
	struct ib_uverbs_alloc_pd in = { 0 };
	struct ib_uverbs_alloc_pd_resp out = { 0 };
	int err = raw_command(fd, IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in), &out, sizeof(out));

	*ret_pd = out.pd_handle;
	return err;
}

#endif
