// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See function_files.h. Files that no process has any more keep their place until another file needs it. */
#include "proc/symbols/function_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_funcs.h"

#define MAX_FILES 256		/* each holds one or two descriptors */
#define MAX_HELD 128		/* of them opened before anybody has asked */
#define SHARE_OF_FREE 3

struct xpt_file_functions {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
	int fd;				/* -1: its functions were read */
	bool refused;			/* or not, for the share of whose process it was is used up */
	uint64_t owner;			/* who had it first */
	struct xpt_funcs *funcs;	/* NULL: not an ELF file that we can read */
	unsigned users;
	uint64_t used;			/* when last wanted, in calls; 0: free */
};

struct xpt_function_files {
	const struct xpt_symbolizer_cfg *cfg;
	unsigned nr_held;		/* with a descriptor that waits */
	uint64_t clock;
	struct xpt_file_functions file[MAX_FILES];
};

int xpt_function_files__new(const struct xpt_symbolizer_cfg *cfg, struct xpt_function_files **ret_f)
{
	struct xpt_function_files *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->cfg = cfg;
	*ret_f = f;
	return 0;
}

static bool is_file(const struct xpt_file_functions *file, const struct stat *st)
{
	return file->ino == st->st_ino && file->dev == st->st_dev && file->size == st->st_size &&
	       file->mtime.tv_sec == st->st_mtim.tv_sec && file->mtime.tv_nsec == st->st_mtim.tv_nsec;
}

static bool is_held(const struct xpt_file_functions *file)
{
	return file->used && file->fd >= 0;
}

static void empty_file(struct xpt_function_files *f, struct xpt_file_functions *file)
{
	if (is_held(file)) {
		close(file->fd);
		f->nr_held--;
	}
	xpt_funcs__close(file->funcs);
	memset(file, 0, sizeof(*file));
}

void xpt_function_files__free(struct xpt_function_files *f)
{
	for (unsigned i = 0; f && i < MAX_FILES; i++)
		empty_file(f, &f->file[i]);
	free(f);
}

/* A place for a new file: a free one, else the one not wanted for longest. */
static struct xpt_file_functions *free_file(struct xpt_function_files *f, uint64_t owner)
{
	struct xpt_file_functions *best = NULL;
	unsigned mine = 0, unused = 0;

	for (unsigned i = 0; i < MAX_FILES; i++) {
		struct xpt_file_functions *file = &f->file[i];

		unused += !file->users;
		mine += file->users && file->owner == owner;
		if (!file->users && (!best || file->used < best->used))
			best = file;
	}
	if (mine >= SHARE_OF_FREE * unused)
		return NULL;
	empty_file(f, best);
	return best;
}

/* A file that is known; fd is closed, or kept where another owner's share did not do. */
static struct xpt_file_functions *use_again(struct xpt_function_files *f, struct xpt_file_functions *file, int fd)
{
	file->users++;
	if (!file->refused) {
		close(fd);
		return file;
	}
	file->refused = false;
	file->fd = fd;
	f->nr_held++;
	return file;
}

struct xpt_file_functions *xpt_function_files__get(struct xpt_function_files *f, int fd, uint64_t owner)
{
	struct xpt_file_functions *file = NULL;
	struct stat st;

	if (fstat(fd, &st)) {
		close(fd);
		return NULL;
	}
	for (unsigned i = 0; i < MAX_FILES; i++)
		if (f->file[i].used && is_file(&f->file[i], &st))
			return use_again(f, &f->file[i], fd);
	file = free_file(f, owner);
	if (!file) {
		close(fd);
		return NULL;
	}
	*file = (struct xpt_file_functions){
		.dev = st.st_dev, .ino = st.st_ino, .size = st.st_size, .mtime = st.st_mtim,
		.owner = owner, .fd = fd, .users = 1, .used = ++f->clock,
	};
	f->nr_held++;
	return file;
}

void xpt_file_functions__use(struct xpt_file_functions *file)
{
	file->users++;
}

void xpt_file_functions__put(struct xpt_file_functions *file)
{
	file->users--;
}

static int read_functions(const struct xpt_symbolizer_cfg *cfg, struct xpt_file_functions *file, int fd, int pid,
			  const char *path)
{
	struct stat st;
	char root[32];
	int err = 0;

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	if (cfg->begin)
		err = fstat(fd, &st) ? -errno : cfg->begin(cfg->ctx, pid, &st);
	if (err) {
		close(fd);
		return err;
	}
	err = xpt_funcs__open(fd, root, path, cfg->pause, &file->funcs);
	if (err)
		file->funcs = NULL;
	if (cfg->end)
		err = cfg->end(cfg->ctx, err);
	return err;
}

struct xpt_funcs *xpt_function_files__read(struct xpt_function_files *f, struct xpt_file_functions *file, int pid,
					   const char *path)
{
	int fd = file->fd;

	file->used = ++f->clock;
	if (fd < 0)
		return file->funcs;
	file->fd = -1;
	f->nr_held--;
	file->refused = read_functions(f->cfg, file, fd, pid, path) == -EDQUOT;
	return file->funcs;
}

bool xpt_function_files__may_hold(const struct xpt_function_files *f, uint64_t owner)
{
	unsigned mine = 0;

	for (unsigned i = 0; i < MAX_FILES; i++)
		mine += is_held(&f->file[i]) && f->file[i].owner == owner;
	return f->nr_held < MAX_HELD && mine < SHARE_OF_FREE * (MAX_HELD - f->nr_held);
}
