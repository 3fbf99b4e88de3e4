// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Selecting processes, see select.h. Globs of names become a table that a BPF
 * program can walk with a few operations for each character: bit i of a state
 * says that i parts of the pattern are matched. Patterns stand side by side in
 * one word, with a bit for the end of each.
 */
#include "proc/select.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/cgroup.h"
#include "proc/maps.h"
#include "wire/config.h"

struct xpt_select {
	uint32_t bits;		/* XPT_SELECT_* */
	uint32_t uid;
	unsigned nr_bits;	/* of names, in use */
	struct xpt_bpf_names names;
	int fd[XPT_SELECT_CGROUPS];
	char *path[XPT_SELECT_CGROUPS];	/* of fd, below the mount point */
	unsigned nr_cgroups;
};

int xpt_select__new(struct xpt_select **ret_s)
{
	*ret_s = calloc(1, sizeof(**ret_s));
	return *ret_s ? 0 : -ENOMEM;
}

void xpt_select__free(struct xpt_select *s)
{
	unsigned i;

	for (i = 0; s && i < s->nr_cgroups; i++) {
		close(s->fd[i]);
		free(s->path[i]);
	}
	free(s);
}

/* --- names --------------------------------------------------------------------- */

static void accept_name(struct xpt_bpf_names *t, unsigned c, unsigned bit)
{
	if (c)
		t->accept[c & 0xff] |= 1ull << bit;
}

/* "[a-z_]" or "[!a-z]" after the bracket; where it ends, NULL if nowhere. */
static const char *add_class(struct xpt_bpf_names *t, const char *p, unsigned bit)
{
	bool in[256] = { false }, not = *p == '!' || *p == '^';
	const char *first = p += not;
	unsigned c, to;

	for (; *p && (*p != ']' || p == first); p++) {
		c = to = (unsigned char)*p;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			to = (unsigned char)p[2];
			p += 2;
		}
		for (; c <= to; c++)
			in[c] = true;
	}
	for (c = 1; c < 256; c++)
		if (in[c] != not)
			accept_name(t, c, bit);
	return *p ? p + 1 : NULL;
}

/* One part that stands for one character. Where the next begins, or NULL. */
static const char *add_part(struct xpt_bpf_names *t, const char *p, unsigned bit)
{
	unsigned c;

	if (*p == '[')
		return add_class(t, p + 1, bit);
	if (*p == '?') {
		for (c = 1; c < 256; c++)
			accept_name(t, c, bit);
		return p + 1;
	}
	if (*p == '\\' && !*++p)
		return NULL;
	accept_name(t, (unsigned char)*p, bit);
	return p + 1;
}

int xpt_select__add_comm(struct xpt_select *s, const char *glob)
{
	struct xpt_bpf_names t = s->names;
	unsigned bit = s->nr_bits, first = bit;
	const char *p = glob;

	while (p && *p) {
		if (bit >= 63)
			return -E2BIG;
		if (*p == '*') {
			t.star |= 1ull << bit;
			p++;
		} else {
			p = add_part(&t, p, bit++);
		}
	}
	if (!p || !*glob)
		return -EINVAL;
	if (bit - first >= XPT_COMM_LEN)
		return -ENAMETOOLONG;
	t.start |= 1ull << first;
	t.end |= 1ull << bit;
	s->names = t;
	s->nr_bits = bit + 1;
	s->bits |= XPT_SELECT_COMM;
	return 0;
}

bool xpt_select__comm_matches(const struct xpt_select *s, const char *comm)
{
	uint64_t state = s->names.start;

	for (; *comm; comm++)
		state = (state & s->names.accept[(unsigned char)*comm]) << 1 |
			(state & s->names.star);
	return state & s->names.end;
}

/* --- limits --------------------------------------------------------------------- */

void xpt_select__set_uid(struct xpt_select *s, uint32_t uid)
{
	s->uid = uid;
	s->bits |= XPT_SELECT_UID;
}

int xpt_select__add_cgroup(struct xpt_select *s, const char *folder)
{
	char mount[512];
	size_t len;
	int err, fd;

	if (s->nr_cgroups == XPT_SELECT_CGROUPS)
		return -ENOSPC;
	err = xpt_cgroup__mount(mount, sizeof(mount));
	if (err)
		return err;
	len = strlen(mount);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	s->path[s->nr_cgroups] = strdup(strncmp(folder, mount, len) ? folder : folder + len);
	if (!s->path[s->nr_cgroups]) {
		close(fd);
		return -ENOMEM;
	}
	s->fd[s->nr_cgroups++] = fd;
	s->bits |= XPT_SELECT_CGROUP;
	return 0;
}

static bool in_cgroup(const struct xpt_select *s, int pid)
{
	char path[4096];
	unsigned i;

	if (xpt_cgroup__of_pid(pid, path, sizeof(path)))
		return false;
	for (i = 0; i < s->nr_cgroups; i++) {
		size_t n = strlen(s->path[i]);

		if (!strncmp(path, s->path[i], n) && (!path[n] || path[n] == '/'))
			return true;
	}
	return false;
}

const char *xpt_select__why_not(const struct xpt_select *s, int pid)
{
	static struct xpt_procinfo info;	/* 8 KiB; one thread */

	if (s->bits & XPT_SELECT_UID && (xpt_proc__read(pid, &info) || info.uid != s->uid))
		return "user";
	return s->bits & XPT_SELECT_CGROUP && !in_cgroup(s, pid) ? "cgroup" : NULL;
}

/* --- for the engine -------------------------------------------------------------- */

bool xpt_select__by_comm(const struct xpt_select *s)
{
	return s->bits & XPT_SELECT_COMM;
}

uint32_t xpt_select__bits(const struct xpt_select *s)
{
	return s->bits;
}

const struct xpt_bpf_names *xpt_select__names(const struct xpt_select *s)
{
	return &s->names;
}

uint32_t xpt_select__uid(const struct xpt_select *s)
{
	return s->uid;
}

unsigned xpt_select__cgroup_fds(const struct xpt_select *s, const int **ret_fds)
{
	*ret_fds = s->fd;
	return s->nr_cgroups;
}
