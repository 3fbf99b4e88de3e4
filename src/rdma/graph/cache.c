// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See cache.h. The file is a header with the lengths, then the arrays one
 * after the other, as this machine has them in memory; the sizes of their
 * elements and a version are part of the header.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hashmap.h"
#include "base/files/replace.h"
#include "elf/unpack.h"
#include "rdma/graph/cache.h"

enum { NR_ARRAYS = 8, VERSION = 4, MAX_FILE = 256 << 20, MAX_FILES = 16 };

static const char magic[8] = "XPTRDMA";

struct header {
	char magic[8];
	uint64_t key, sum;	/* sum: of all after the header */
	uint32_t version, release, kernel_id, lists;
	uint32_t nr[NR_ARRAYS], size[NR_ARRAYS];
};

struct array {
	void **p;
	uint32_t *nr, size;
};

static void list_arrays(struct xpt_rdma_graph *g, struct array a[NR_ARRAYS])
{
	const struct array all[NR_ARRAYS] = {
		{ (void **)&g->text, &g->nr_text, 1 },
		{ (void **)&g->modules, &g->nr_modules, sizeof(*g->modules) },
		{ (void **)&g->fns, &g->nr_fns, sizeof(*g->fns) },
		{ (void **)&g->calls, &g->nr_calls, sizeof(*g->calls) },
		{ (void **)&g->errnos, &g->nr_errnos, sizeof(*g->errnos) },
		{ (void **)&g->sites, &g->nr_sites, sizeof(*g->sites) },
		{ (void **)&g->roots, &g->nr_roots, sizeof(*g->roots) },
		{ (void **)&g->extras, &g->nr_extras, sizeof(*g->extras) },
	};

	memcpy(a, all, sizeof(all));
}

int xpt_rdma_cache__parse(const void *data, size_t n, uint64_t key, struct xpt_rdma_graph **ret_g)
{
	struct xpt_rdma_graph *g;
	struct array a[NR_ARRAYS];
	const uint8_t *p = data;
	struct header h;
	int err = 0, i;

	if (n < sizeof(h))
		return -EBADMSG;
	memcpy(&h, data, sizeof(h));
	p += sizeof(h);
	n -= sizeof(h);
	if (memcmp(h.magic, magic, sizeof(magic)) || h.key != key || h.version != VERSION ||
	    h.sum != xpt_hash(p, n))
		return -EBADMSG;
	g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	list_arrays(g, a);
	for (i = 0; i < NR_ARRAYS && !err; i++) {
		uint64_t bytes = (uint64_t)h.nr[i] * a[i].size;

		if (h.size[i] != a[i].size || bytes > n)
			err = -EBADMSG;
		else if (!(*a[i].p = malloc(bytes + 1)))
			err = -ENOMEM;
		if (err)
			break;
		memcpy(*a[i].p, p, bytes);
		*a[i].nr = h.nr[i];
		p += bytes;
		n -= bytes;
	}
	g->release = h.release;
	g->kernel_id = h.kernel_id;
	g->lists = h.lists;
	if (!err && (n || !xpt_rdma_graph__valid(g)))
		err = -EBADMSG;
	if (err)
		xpt_rdma_graph__free(g);
	else
		*ret_g = g;
	return err;
}

int xpt_rdma_cache__read(const char *path, uint64_t key, struct xpt_rdma_graph **ret_g)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), err;
	struct stat st;
	size_t size;
	void *data;

	if (fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		err = -EPERM;
	else
		err = xpt_unpack__fd(fd, MAX_FILE, &data, &size);
	close(fd);
	if (err)
		return err;
	err = xpt_rdma_cache__parse(data, size, key, ret_g);
	free(data);
	return err;
}

static int write_all(FILE *f, uint64_t key, const struct xpt_rdma_graph *graph)
{
	struct xpt_rdma_graph g = *graph;
	struct header h = { .key = key, .version = VERSION, .release = g.release,
			    .kernel_id = g.kernel_id, .lists = g.lists };
	struct array a[NR_ARRAYS];
	size_t total = 0, at = 0;
	uint8_t *body;
	int i, err = 0;

	memcpy(h.magic, magic, sizeof(magic));
	list_arrays(&g, a);
	for (i = 0; i < NR_ARRAYS; i++) {
		h.nr[i] = *a[i].nr;
		h.size[i] = a[i].size;
		total += (size_t)*a[i].nr * a[i].size;
	}
	body = malloc(total + 1);
	if (!body)
		return -ENOMEM;
	for (i = 0; i < NR_ARRAYS; i++) {
		size_t bytes = (size_t)*a[i].nr * a[i].size;

		if (bytes)
			memcpy(body + at, *a[i].p, bytes);
		at += bytes;
	}
	h.sum = xpt_hash(body, total);
	if (fwrite(&h, sizeof(h), 1, f) != 1 || (total && fwrite(body, total, 1, f) != 1))
		err = errno ? -errno : -EIO;
	free(body);
	return err;
}

/*
 * Each set of loaded modules has a file of its own. Of more than MAX_FILES in the
 * folder, among files with the same beginning, the oldest goes.
 */
static void tidy_folder(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t len = name ? strcspn(name + 1, "-") + 1 : 0;
	char dir[4096], oldest[256] = "";
	struct timespec since = { 0 };
	struct dirent *e;
	struct stat st;
	unsigned n = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "%.*s", name ? (int)(name - path) : 0, path);
	d = len ? opendir(dir) : NULL;
	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, name + 1, len) != 0 || e->d_name[len - 1] != '-' ||
		    fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (!n++ || st.st_mtim.tv_sec < since.tv_sec ||
		    (st.st_mtim.tv_sec == since.tv_sec && st.st_mtim.tv_nsec < since.tv_nsec)) {
			since = st.st_mtim;
			snprintf(oldest, sizeof(oldest), "%s", e->d_name);
		}
	}
	if (n > MAX_FILES)
		unlinkat(dirfd(d), oldest, 0);
	if (d)
		closedir(d);
}

struct whole {
	uint64_t key;
	const struct xpt_rdma_graph *g;
};

static int write_whole(void *ctx, FILE *f)
{
	const struct whole *w = ctx;

	return write_all(f, w->key, w->g);
}

int xpt_rdma_cache__write(const char *path, uint64_t key, const struct xpt_rdma_graph *g)
{
	int err = xpt_replace_file(path, write_whole, &(struct whole){ key, g });

	if (!err)
		tidy_folder(path);
	return err;
}
