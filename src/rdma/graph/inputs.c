// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the inputs of the analysis, see inputs.h: the kernel's release and types, modules on disk and which of them are
 * loaded, what can be traced.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files/regular.h"
#include "elf/unpack.h"
#include "rdma/graph/build.h"
#include "rdma/graph/lists.h"
#include "rdma/graph/inputs.h"

enum {
	MAX_FILES = 1 << 17, MAX_FOUND = 1 << 15, MAX_NAME = 64,
	MAX_NEEDS = 256,	/* modules that one depends on */
};
#define MAX_READ ((uint64_t)1 << 30)	/* bytes of all modules; those of a kernel with debug information have a third */

/* The modules through which user space reaches a driver, before those that they need (newer
 * kernels have split off some). Only the first two must exist; the last two are of use if they
 * are loaded. */
static const char *const core[] = { "ib_core", "ib_uverbs", "rdma_cm", "rdma_ucm", "ib_umad" };
enum { NR_CORE = 5, NR_NEEDED = 2, NR_ALWAYS = 3 };

struct found {
	char name[MAX_NAME];	/* as in kallsyms: with underscores */
	char *path;		/* below root, as those of struct job */
	bool rdma, driver;	/* below infiniband/; of a device */
	bool device;		/* below drivers/, as modules that a driver of RDMA shares with others are */
	bool update;		/* from a folder that goes before kernel/ */
};

struct job {
	const struct xpt_rdma_where *where;
	char release[256], dir[PATH_MAX], kernel[PATH_MAX], kernel_id[160];
	struct found *found;	/* all modules that may matter */
	uint32_t nr_found, cap_found;
	struct xpt_rdma_source mods[XPT_RDMA_MAX_MODULES];
	struct xpt_rdma_sources src;
	struct xpt_hashmap *loaded, *traceable, *counts;
	struct xpt_types *types;
	uint64_t read;		/* bytes of modules that are in memory */
	char *why;
};

/* How many bytes of a file may be read. Anybody may have made it, where root is another machine's. */
static size_t allowed_size(const struct job *j, int fd)
{
	uint64_t left = j->read < MAX_READ ? MAX_READ - j->read : 1;

	return xpt_unpack__allowed(fd, left < XPT_UNPACK_MAX ? (size_t)left : XPT_UNPACK_MAX);
}

static int fail_with(struct job *j, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int fail_with(struct job *j, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(j->why, XPT_RDMA_WHY, fmt, ap);
	va_end(ap);
	return err;
}

static bool is_folder(const struct job *j, const char *below)
{
	int fd = xpt_regular__folder_in(j->where->root, below);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Its entries; NULL: there is no such folder. */
static DIR *open_folder(const struct job *j, const char *below)
{
	int fd = xpt_regular__folder_in(j->where->root, below), dir;
	DIR *d;

	if (fd < 0)
		return NULL;
	dir = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(fd);
	d = dir < 0 ? NULL : fdopendir(dir);
	if (!d && dir >= 0)
		close(dir);
	return d;
}

/* The one directory below a folder of modules; "" if there is none. -EINVAL: several. */
static int only_release(struct job *j, const char *folder)
{
	DIR *d = open_folder(j, folder);
	struct dirent *e;
	char path[PATH_MAX];
	int n = 0;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) >= sizeof(path) ||
		    !is_folder(j, path))
			continue;
		if (n++)
			break;
		snprintf(j->release, sizeof(j->release), "%s", e->d_name);
	}
	if (d)
		closedir(d);
	return n > 1 ? fail_with(j, -EINVAL, "%s%s has modules of several kernels: name one with --release",
				 j->where->root, folder) : n ? 0 : -ENOENT;
}

static int find_release(struct job *j)
{
	static const char *const folders[] = { "/lib/modules", "/usr/lib/modules" };
	const char *root = j->where->root;
	struct utsname u;
	size_t i;
	int err;

	if (j->where->release)
		snprintf(j->release, sizeof(j->release), "%s", j->where->release);
	else if (!*root && !uname(&u))
		snprintf(j->release, sizeof(j->release), "%s", u.release);
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		err = j->release[0] ? 0 : only_release(j, folders[i]);
		if (err == -ENOENT)
			continue;
		if (err)
			return err;
		if ((size_t)snprintf(j->dir, sizeof(j->dir), "%s/%s", folders[i], j->release) <
		    sizeof(j->dir) && is_folder(j, j->dir))
			return 0;
	}
	if (*root)
		return fail_with(j, -EINVAL, "%s holds no lib/modules/%s", root,
				 j->release[0] ? j->release : "RELEASE");
	return fail_with(j, -ENOENT, "this machine has no modules of its kernel %s; another machine's "
			 "files can be looked at with --root DIR", j->release);
}

/* The name without .ko, .ko.xz and the like, with underscores. false: not a module. */
static bool module_name(const char *file, char *name)
{
	const char *end = strstr(file, ".ko");
	size_t i, n = end ? (size_t)(end - file) : 0;

	if (!n || n >= MAX_NAME || (end[3] && end[3] != '.'))
		return false;
	for (i = 0; i < n; i++)
		name[i] = file[i] == '-' ? '_' : file[i];
	name[n] = '\0';
	return true;
}

static bool is_wanted(const struct job *j, const char *name, bool rdma)
{
	const char *const *d = j->where->drivers;
	size_t i;

	for (i = 0; i < NR_CORE; i++)
		if (!strcmp(name, core[i]))
			return true;
	for (; d && *d; d++)
		if (!strcmp(*d, name))
			return true;
	return rdma;
}

/* Modules that others than drivers share (lib, crypto, net) are the kernel's. */
static bool is_device(const char *path)
{
	return strstr(path, "/drivers/") || !strstr(path, "/kernel/");
}

/* below: from the folder of modules on. */
static int note_file(struct job *j, const char *file, const char *below)
{
	struct found f = { .update = !strstr(below, "/kernel/") };
	int err;

	f.rdma = strstr(below, "/infiniband/");
	f.driver = strstr(below, "/infiniband/hw/") || strstr(below, "/infiniband/sw/");
	f.device = is_device(below);
	if (!module_name(file, f.name) || !is_wanted(j, f.name, f.rdma || f.device))
		return 0;
	if (j->nr_found == MAX_FOUND)
		return fail_with(j, -E2BIG, "%s%s has more modules than any kernel", j->where->root, j->dir);
	err = xpt_rdma__grow((void **)&j->found, j->nr_found, &j->cap_found, sizeof(f));
	if (err)
		return err;
	if (asprintf(&f.path, "%s%s", j->dir, below) < 0)
		return -ENOMEM;
	j->found[j->nr_found++] = f;
	return 0;
}

/* Below the descriptor of the folder, whose path may lead through links that mean something in another root only. */
static int find_files(struct job *j)
{
	int dir = xpt_regular__folder_in(j->where->root, j->dir), err = 0;
	char path[32], *paths[] = { path, NULL };
	uint32_t n = 0;
	FTSENT *e;
	FTS *fts;

	if (dir < 0)
		return dir;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/", dir);
	fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	if (!fts)
		err = -errno;
	while (!err && (e = fts_read(fts)) && n++ < MAX_FILES)
		if (e->fts_info == FTS_F || e->fts_info == FTS_NSOK || e->fts_info == FTS_SL)
			err = note_file(j, e->fts_name, e->fts_path + strlen(path) - 1);
	if (fts)
		fts_close(fts);
	close(dir);
	return err;
}

static const struct found *file_of(const struct job *j, const char *name)
{
	const struct found *best = NULL;
	uint32_t i;

	for (i = 0; i < j->nr_found; i++)
		if (!strcmp(j->found[i].name, name) && (!best || j->found[i].update > best->update))
			best = &j->found[i];
	return best;
}

/* The module in memory must be the one on disk. */
static int check_loaded(struct job *j, const char *name, const struct xpt_module *mod)
{
	char path[PATH_MAX], id[160];

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
	if (!xpt_rdma_lists__build_id(j->where->root, path, id, sizeof(id)) || !*xpt_module__build_id(mod) ||
	    !strcmp(id, xpt_module__build_id(mod)))
		return 0;
	return fail_with(j, -ESTALE, "the loaded module %s is not the one in %s%s: it was replaced on disk "
			 "since", name, j->where->root, j->dir);
}

/* Reads a module, or the kernel, as far as this and all others together may be large. 0 or -errno. */
static int read_module(struct job *j, const char *below, struct xpt_module **ret_mod)
{
	int fd = xpt_regular__open_in(j->where->root, below), err;

	if (fd < 0)
		return fd;
	err = xpt_module__open(fd, allowed_size(j, fd), ret_mod);
	close(fd);
	if (!err)
		j->read += xpt_module__size(*ret_mod);
	return err;
}

static int open_module(struct job *j, const char *name, bool vendor)
{
	const struct found *f = file_of(j, name);
	struct xpt_rdma_source *s = &j->mods[j->src.nr];
	const char *root = j->where->root;
	int err;

	if (!f)
		return -ENOENT;
	if (j->src.nr == XPT_RDMA_MAX_MODULES)
		return -E2BIG;
	err = read_module(j, f->path, &s->mod);
	if (err == -EOPNOTSUPP)
		return fail_with(j, err, "%s%s is packed in a way that this build of xputrace cannot read "
				 "(build it with liblzma-dev and libzstd-dev)", root, f->path);
	if (err)
		return fail_with(j, err, "cannot read %s%s: %s", root, f->path,
				 err == -ENOEXEC || err == -EBADMSG ? "damaged, or no module of x86-64" :
				 err == -EFBIG ? "larger than modules are" : strerror(-err));
	s->name = f->name;
	s->vendor = vendor;
	j->src.nr++;
	return check_loaded(j, name, s->mod);
}

static int open_core(struct job *j)
{
	size_t i;
	int err;

	for (i = 0; i < NR_CORE; i++) {
		if (i >= NR_ALWAYS && j->loaded && !xpt_rdma_lists__has(j->loaded, core[i]))
			continue;
		err = open_module(j, core[i], false);
		if (err == -ENOENT && i >= NR_NEEDED)
			continue;
		if (err == -ENOENT)
			return fail_with(j, err, "no module %s in %s%s%s", core[i], j->where->root, j->dir, *j->where->root ?
					 "" : ": this kernel has no RDMA; another machine's files can be "
					 "looked at with --root DIR");
		if (err)
			return err;
	}
	return 0;
}

/* Those asked for, else all that are loaded. */
static int open_drivers(struct job *j)
{
	const char *const *d = j->where->drivers;
	unsigned n = 0;
	uint32_t i;
	int err = 0;

	for (; d && *d && !err; d++) {
		err = open_module(j, *d, true);
		if (err == -ENOENT)
			return fail_with(j, err, "no module %s in %s%s", *d, j->where->root, j->dir);
	}
	if (d || j->where->no_driver)
		return err;
	for (i = 0; i < j->nr_found && !err && n < XPT_RDMA_MAX_DRIVERS; i++)
		if (j->found[i].driver && xpt_rdma_lists__has(j->loaded, j->found[i].name) &&
		    &j->found[i] == file_of(j, j->found[i].name)) {
			err = open_module(j, j->found[i].name, true);
			n++;
		}
	return err;
}

static bool is_open(const struct job *j, const char *name)
{
	uint32_t i;

	for (i = 0; i < j->src.nr; i++)
		if (!strcmp(j->mods[i].name, name))
			return true;
	return false;
}

static int open_shared(struct job *j, const struct found *f)
{
	uint32_t at = j->src.nr;
	int err = open_module(j, f->name, f->driver);

	if (f->rdma)
		return err;
	if (!err)
		j->mods[at].shared = true;
	else if (j->src.nr > at) {	/* nothing depends on it: without it its functions are the kernel's */
		xpt_module__close(j->mods[at].mod);
		memset(&j->mods[at], 0, sizeof(j->mods[at]));
		j->src.nr = at;
	}
	return err == -ENOMEM ? err : 0;
}

/*
 * Opens the modules that the modules need: all of RDMA, so the list grows while it is walked; and modules that a
 * driver shares with the vendor's other drivers (mlx5_core), where commands and their errors are made.
 */
static int open_needed(struct job *j)
{
	uint32_t i, n_names;
	int err = 0;

	for (i = 0; i < j->src.nr; i++) {
		const char *p = xpt_module__info(j->mods[i].mod, "depends");

		for (n_names = 0; p && *p && !err && n_names++ < MAX_NEEDS; p += strcspn(p, ","), p += *p == ',') {
			size_t n = strcspn(p, ",");
			const struct found *f;
			char name[MAX_NAME];

			if (!n || n >= sizeof(name))
				continue;
			memcpy(name, p, n);
			name[n] = '\0';
			f = file_of(j, name);
			if (f && (f->rdma || (f->device && j->mods[i].vendor)) && !is_open(j, name) &&
			    j->src.nr < XPT_RDMA_MAX_MODULES)
				err = open_shared(j, f);
		}
		if (err)
			return err;
	}
	return 0;
}

/* Finds BTF of the kernel, and the id of the kernel. */
static void find_kernel(struct job *j)
{
	static const char *const places[] = { "/sys/kernel/btf/vmlinux", "/boot/vmlinux-%s",
					      "/boot/vmlinuz-%s", "/lib/modules/%s/vmlinuz",
					      "/usr/lib/modules/%s/vmlinuz" };
	const char *root = j->where->root;
	char path[PATH_MAX];
	struct utsname u;
	struct stat st;
	int fd, err;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		/* The running kernel's BTF is of no use for another kernel's modules. */
		if (!i && !*root && (uname(&u) || strcmp(u.release, j->release)))
			continue;
		snprintf(path, sizeof(path), places[i], j->release);
		fd = xpt_regular__open_in(root, path);
		err = fd < 0 || fstat(fd, &st);
		if (fd >= 0)
			close(fd);
		if (err)
			continue;
		snprintf(j->kernel, sizeof(j->kernel), "%s", path);
		snprintf(j->kernel_id, sizeof(j->kernel_id), "%llu-%lld", (unsigned long long)st.st_size,
			 (long long)st.st_mtime);
		break;
	}
	if (*root || (!uname(&u) && !strcmp(u.release, j->release)))
		xpt_rdma_lists__build_id(root, "/sys/kernel/notes", j->kernel_id, sizeof(j->kernel_id));
}

static int types_of_image(struct job *j, int fd)
{
	const struct xpt_mod_sec *btf;
	struct xpt_module *elf;
	size_t size;
	void *data;
	int err;

	err = xpt_unpack__kernel(fd, allowed_size(j, fd), &data, &size);
	if (!err)
		err = xpt_module__parse(data, size, true, &elf);
	if (err)
		return err;
	btf = xpt_module__sec(elf, ".BTF");
	err = btf && btf->data ? xpt_types__new(btf->data, btf->size, NULL, &j->types) : -ENOENT;
	xpt_module__close(elf);
	return err;
}

static int types_of_running(struct job *j, int fd)
{
	size_t size;
	void *data;
	int err = xpt_unpack__fd(fd, allowed_size(j, fd), &data, &size);

	if (err)
		return err;
	err = xpt_types__new(data, size, NULL, &j->types);
	free(data);
	return err;
}

static int kernel_types(struct job *j)
{
	int fd = xpt_regular__open_in(j->where->root, j->kernel), err;

	if (fd < 0)
		return fd;
	err = strstr(j->kernel, "/sys/kernel/btf/") ? types_of_running(j, fd) : types_of_image(j, fd);
	close(fd);
	return err;
}

static int build_from(struct job *j, struct xpt_rdma_graph **ret_g)
{
	uint32_t i;
	int err = j->kernel[0] ? kernel_types(j) : 0;

	/* Without types of the kernel those of modules, which build on them, are no use. */
	if (err == -ENOMEM)
		return err;
	if (err == -EOPNOTSUPP)
		return fail_with(j, err, "%s%s is packed in a way that this build of xputrace cannot read "
				 "(build it with liblzma-dev and libzstd-dev)", j->where->root, j->kernel);
	xpt_rdma_lists__counts(j->where->root, &j->counts);
	for (i = 0; i < j->src.nr; i++)
		j->mods[i].listed = j->traceable &&
				    xpt_rdma_lists__has(j->loaded, j->mods[i].name);
	j->src.mods = j->mods;
	j->src.kernel = j->types;
	j->src.release = j->release;
	j->src.kernel_id = j->kernel_id;
	j->src.traceable = j->traceable;
	j->src.counts = j->counts;
	return xpt_rdma_graph__build(&j->src, ret_g);
}

static int load_graph(struct job *j, struct xpt_rdma_graph **ret_g)
{
	int err;

	xpt_rdma_lists__modules(j->where->root, &j->loaded);
	err = find_release(j);
	if (!err)
		err = find_files(j);
	if (!err)
		err = open_core(j);
	if (!err)
		err = open_drivers(j);
	if (!err)
		err = open_needed(j);
	if (err)
		return err;
	find_kernel(j);
	xpt_rdma_lists__traceable(j->where->root, &j->traceable);
	return build_from(j, ret_g);
}

int xpt_rdma_graph__load(const struct xpt_rdma_where *where, struct xpt_rdma_graph **ret_g,
			 char *why)
{
	struct job *j = calloc(1, sizeof(*j));
	uint32_t i;
	int err;

	why[0] = '\0';
	if (!j)
		return -ENOMEM;
	j->where = where;
	j->why = why;
	err = load_graph(j, ret_g);
	if (err && !why[0])
		fail_with(j, err, "%s", strerror(-err));
	for (i = 0; i < j->src.nr; i++)
		xpt_module__close(j->mods[i].mod);
	for (i = 0; i < j->nr_found; i++)
		free(j->found[i].path);
	free(j->found);
	xpt_types__free(j->types);
	xpt_hashmap__free(j->loaded);
	xpt_hashmap__free(j->traceable);
	xpt_hashmap__free(j->counts);
	free(j);
	return err;
}
