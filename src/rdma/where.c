// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See where.h. The key of the cache is made of the build ids of the kernel and
 * of all modules, and of which modules are loaded, since the kernel's lists
 * depend on that. Modules are read for their build id; what the cache saves is
 * BTF, decoding and the rest.
 */
#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "engine/unpack.h"
#include "rdma/build.h"
#include "rdma/cache.h"
#include "rdma/lists.h"
#include "rdma/where.h"

enum { MAX_FILES = 1 << 17, MAX_NAME = 64, KEY_VERSION = 1 };

/* The modules through which user space reaches a driver, before those that they need (newer
 * kernels have split off some). Only the first two must exist. */
static const char *const core[] = { "ib_core", "ib_uverbs", "rdma_cm" };
enum { NR_CORE = 3, NR_NEEDED = 2 };

struct found {
	char name[MAX_NAME];	/* as in kallsyms: with underscores */
	char *path;
	bool rdma, driver;	/* below infiniband/; of a device */
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
	char *why;
};

static int fail(struct job *j, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int fail(struct job *j, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(j->why, XPT_RDMA_WHY, fmt, ap);
	va_end(ap);
	return err;
}

/* The one directory below a folder of modules; "" if there is none. -EINVAL: several. */
static int only_release(struct job *j, const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	char path[PATH_MAX];
	struct stat st;
	int n = 0;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.' ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, e->d_name) >= sizeof(path) ||
		    stat(path, &st) || !S_ISDIR(st.st_mode))
			continue;
		if (n++)
			break;
		snprintf(j->release, sizeof(j->release), "%s", e->d_name);
	}
	if (d)
		closedir(d);
	return n > 1 ? fail(j, -EINVAL, "%s has modules of several kernels: name one with --release",
			    folder) : n ? 0 : -ENOENT;
}

static int find_release(struct job *j)
{
	static const char *const folders[] = { "/lib/modules", "/usr/lib/modules" };
	const char *root = j->where->root;
	char path[PATH_MAX];
	struct utsname u;
	struct stat st;
	size_t i;
	int err;

	if (j->where->release)
		snprintf(j->release, sizeof(j->release), "%s", j->where->release);
	else if (!*root && !uname(&u))
		snprintf(j->release, sizeof(j->release), "%s", u.release);
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		err = j->release[0] ? 0 : only_release(j, path);
		if (err == -ENOENT)
			continue;
		if (err)
			return err;
		if ((size_t)snprintf(j->dir, sizeof(j->dir), "%s/%s", path, j->release) <
		    sizeof(j->dir) && !stat(j->dir, &st))
			return 0;
	}
	if (*root)
		return fail(j, -EINVAL, "%s holds no lib/modules/%s", root,
			    j->release[0] ? j->release : "RELEASE");
	return fail(j, -ENOENT, "this machine has no modules of its kernel %s; another machine's "
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

static bool wanted(const struct job *j, const char *name, bool rdma)
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

static int note_file(struct job *j, const char *file, const char *path)
{
	struct found f = { .update = !strstr(path + strlen(j->dir), "/kernel/") };
	int err;

	f.rdma = strstr(path, "/infiniband/");
	f.driver = strstr(path, "/infiniband/hw/") || strstr(path, "/infiniband/sw/");
	if (!module_name(file, f.name) || !wanted(j, f.name, f.rdma))
		return 0;
	err = xpt_rdma__grow((void **)&j->found, j->nr_found, &j->cap_found, sizeof(f));
	if (err)
		return err;
	f.path = strdup(path);
	if (!f.path)
		return -ENOMEM;
	j->found[j->nr_found++] = f;
	return 0;
}

static int find_files(struct job *j)
{
	char *paths[] = { j->dir, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	uint32_t n = 0;
	FTSENT *e;
	int err = 0;

	if (!fts)
		return -errno;
	while (!err && (e = fts_read(fts)) && n++ < MAX_FILES)
		if (e->fts_info == FTS_F || e->fts_info == FTS_NSOK || e->fts_info == FTS_SL)
			err = note_file(j, e->fts_name, e->fts_path);
	fts_close(fts);
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

	snprintf(path, sizeof(path), "%s/sys/module/%s/notes/.note.gnu.build-id", j->where->root,
		 name);
	if (!xpt_rdma_lists__build_id(path, id, sizeof(id)) || !*xpt_module__build_id(mod) ||
	    !strcmp(id, xpt_module__build_id(mod)))
		return 0;
	return fail(j, -ESTALE, "the loaded module %s is not the one in %s: it was replaced on disk "
		    "since", name, j->dir);
}

static int open_module(struct job *j, const char *name, bool vendor)
{
	const struct found *f = file_of(j, name);
	struct xpt_rdma_source *s = &j->mods[j->src.nr];
	int err;

	if (!f)
		return -ENOENT;
	if (j->src.nr == XPT_RDMA_MAX_MODULES)
		return -E2BIG;
	err = xpt_module__open(f->path, &s->mod);
	if (err == -EOPNOTSUPP)
		return fail(j, err, "%s is packed in a way that this build of xputrace cannot read "
			    "(build it with liblzma-dev and libzstd-dev)", f->path);
	if (err)
		return fail(j, err, "cannot read %s: %s", f->path,
			    err == -ENOEXEC || err == -EBADMSG ? "damaged, or no module of x86-64" :
			    strerror(-err));
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
		err = open_module(j, core[i], false);
		if (err == -ENOENT && i >= NR_NEEDED)
			continue;
		if (err == -ENOENT)
			return fail(j, err, "no module %s in %s%s", core[i], j->dir, *j->where->root ?
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
			return fail(j, err, "no module %s in %s", *d, j->dir);
	}
	if (d || j->where->no_driver)
		return err;
	for (i = 0; i < j->nr_found && !err && n < XPT_RDMA_MAX_DRIVERS; i++)
		if (j->found[i].driver && &j->found[i] == file_of(j, j->found[i].name) &&
		    xpt_rdma_lists__has(j->loaded, j->found[i].name)) {
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

/* What the modules need and is of RDMA too: the list grows while it is walked. */
static int open_needed(struct job *j)
{
	uint32_t i;
	int err = 0;

	for (i = 0; i < j->src.nr; i++) {
		const char *p = xpt_module__info(j->mods[i].mod, "depends");

		for (; p && *p && !err; p += strcspn(p, ","), p += *p == ',') {
			size_t n = strcspn(p, ",");
			const struct found *f;
			char name[MAX_NAME];

			if (!n || n >= sizeof(name))
				continue;
			memcpy(name, p, n);
			name[n] = '\0';
			f = file_of(j, name);
			if (f && f->rdma && !is_open(j, name) && j->src.nr < XPT_RDMA_MAX_MODULES)
				err = open_module(j, name, f->driver);
		}
		if (err)
			return err;
	}
	return 0;
}

/* Where BTF of the kernel is, and what identifies the kernel. */
static void find_kernel(struct job *j)
{
	static const char *const places[] = { "%s/sys/kernel/btf/vmlinux", "%s/boot/vmlinux-%s",
					      "%s/boot/vmlinuz-%s", "%s/lib/modules/%s/vmlinuz",
					      "%s/usr/lib/modules/%s/vmlinuz" };
	const char *root = j->where->root;
	char path[PATH_MAX];
	struct utsname u;
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		/* The running kernel's BTF is of no use for another kernel's modules. */
		if (!i && !*root && (uname(&u) || strcmp(u.release, j->release)))
			continue;
		snprintf(path, sizeof(path), places[i], root, j->release);
		if (stat(path, &st) || !S_ISREG(st.st_mode))
			continue;
		snprintf(j->kernel, sizeof(j->kernel), "%s", path);
		snprintf(j->kernel_id, sizeof(j->kernel_id), "%llu-%lld", (unsigned long long)st.st_size,
			 (long long)st.st_mtime);
		break;
	}
	snprintf(path, sizeof(path), "%s/sys/kernel/notes", root);
	if (*root || (!uname(&u) && !strcmp(u.release, j->release)))
		xpt_rdma_lists__build_id(path, j->kernel_id, sizeof(j->kernel_id));
}

static uint64_t add_key(uint64_t key, const char *s)
{
	struct { uint64_t key, s; } both = { key, xpt_hash(s, strlen(s)) };

	return xpt_hash(&both, sizeof(both));
}

static uint64_t cache_key(const struct job *j)
{
	uint64_t key = KEY_VERSION, sum = 0;
	const void *k;
	size_t pos = 0;
	void *v;
	uint32_t i;

	key = add_key(key, XPT_VERSION);
	key = add_key(key, j->release);
	key = add_key(key, j->kernel);
	key = add_key(key, j->kernel_id);
	for (i = 0; i < j->src.nr; i++) {
		key = add_key(key, j->mods[i].name);
		key = add_key(key, xpt_module__build_id(j->mods[i].mod));
		key = add_key(key, j->mods[i].vendor ? "vendor" : "");
	}
	while (j->loaded && xpt_hashmap__next(j->loaded, &pos, &k, &v))
		sum += *(const uint64_t *)k;
	return xpt_hash(&(uint64_t[]){ key, sum, j->traceable != NULL }, 24);
}

static int kernel_types(struct job *j)
{
	const struct xpt_mod_sec *btf;
	struct xpt_module *elf;
	size_t size;
	void *data;
	int err;

	if (strstr(j->kernel, "/sys/kernel/btf/")) {
		err = xpt_unpack__file(j->kernel, XPT_UNPACK_MAX, &data, &size);
		if (err)
			return err;
		err = xpt_types__new(data, size, NULL, &j->types);
		free(data);
		return err;
	}
	err = xpt_unpack__kernel(j->kernel, &data, &size);
	if (!err)
		err = xpt_module__parse(data, size, true, &elf);
	if (err)
		return err;
	btf = xpt_module__sec(elf, ".BTF");
	err = btf && btf->data ? xpt_types__new(btf->data, btf->size, NULL, &j->types) : -ENOENT;
	xpt_module__close(elf);
	return err;
}

static int build(struct job *j, struct xpt_rdma_graph **ret_g)
{
	uint32_t i;
	int err = j->kernel[0] ? kernel_types(j) : 0;

	/* Without types of the kernel those of modules, which build on them, are no use. */
	if (err == -ENOMEM)
		return err;
	if (err == -EOPNOTSUPP)
		return fail(j, err, "%s is packed in a way that this build of xputrace cannot read "
			    "(build it with liblzma-dev and libzstd-dev)", j->kernel);
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

static int load(struct job *j, struct xpt_rdma_graph **ret_g, bool *ret_cached)
{
	char path[PATH_MAX] = "";
	uint64_t key;
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
	key = cache_key(j);
	if (j->where->cache)
		snprintf(path, sizeof(path), "%s/rdma-%016llx", j->where->cache,
			 (unsigned long long)key);
	*ret_cached = *path && !xpt_rdma_cache__read(path, key, ret_g);
	if (*ret_cached)
		return 0;
	err = build(j, ret_g);
	if (!err && *path)
		xpt_rdma_cache__write(path, key, *ret_g);
	return err;
}

int xpt_rdma_graph__load(const struct xpt_rdma_where *where, struct xpt_rdma_graph **ret_g,
			 bool *ret_cached, char *why)
{
	struct job *j = calloc(1, sizeof(*j));
	uint32_t i;
	int err;

	why[0] = '\0';
	if (!j)
		return -ENOMEM;
	j->where = where;
	j->why = why;
	err = load(j, ret_g, ret_cached);
	if (err && !why[0])
		fail(j, err, "%s", strerror(-err));
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
