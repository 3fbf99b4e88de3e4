// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Lists where the loader looks for a library, and execvp(3) for a command. The candidates of a name are enumerated
 * anew for every call of the iterator, which remembers only how many it has seen; that keeps it without resources.
 * Folders: LD_LIBRARY_PATH, RPATH or RUNPATH, the cache, the defaults.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files/regular.h"
#include "elf/elf.h"
#include "proc/libpath.h"

enum {
	MAX_LINKS = 40,	/* symbolic links on the way to one file */
	MAX_CACHE = 16 << 20,	/* bytes of ld.so.cache that are read */
};

#if defined(__x86_64__)
#define LIB_DIR "lib/x86_64-linux-gnu"
#define PLATFORM "x86_64"
#define CACHE_FLAGS 0x0303	/* ELF, libc 6, x86-64 */
#else
#define LIB_DIR "lib/aarch64-linux-gnu"
#define PLATFORM "aarch64"
#define CACHE_FLAGS 0x0a03
#endif

/* --- paths below a root ------------------------------------------------------- */

/* The next component of *rest; false at the end. */
static bool next_part(const char **rest, const char **ret_part, size_t *ret_len)
{
	while (**rest == '/')
		(*rest)++;
	*ret_part = *rest;
	*ret_len = strcspn(*rest, "/");
	*rest += *ret_len;
	return *ret_len > 0;
}

/* Appends "/part" to path, or removes the last component for "..". */
static bool add_part(char *path, const char *part, size_t len)
{
	size_t n = strlen(path);
	char *slash;

	if (len == 1 && part[0] == '.')
		return true;
	if (len == 2 && memcmp(part, "..", 2) == 0) {
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
		return true;
	}
	if (n + 1 + len >= PATH_MAX)
		return false;
	path[n] = '/';
	memcpy(path + n + 1, part, len);
	path[n + 1 + len] = '\0';
	return true;
}

/* The target of the link root + path, or an empty string if it is no link. */
static void read_link(const char *root, const char *path, char target[PATH_MAX])
{
	char full[2 * PATH_MAX];
	ssize_t n;

	snprintf(full, sizeof(full), "%s%s", root, path);
	n = readlink(full, target, PATH_MAX - 1);
	target[n > 0 ? n : 0] = '\0';
}

/*
 * Follows the links of path the way a process with that root does: the kernel
 * would take an absolute link below /proc/PID/root from our own root.
 */
static bool resolve_links(const char *root, const char *path, char out[PATH_MAX])
{
	char rest_buf[2 * PATH_MAX], joined[2 * PATH_MAX], target[PATH_MAX], parent[PATH_MAX];
	const char *rest = rest_buf, *part;
	int links = 0;
	size_t len;

	if (strlen(path) >= PATH_MAX)
		return false;
	snprintf(rest_buf, sizeof(rest_buf), "%s", path);
	out[0] = '\0';
	while (next_part(&rest, &part, &len)) {
		memcpy(parent, out, strlen(out) + 1);
		if (!add_part(out, part, len))
			return false;
		read_link(root, out, target);
		if (!target[0])
			continue;
		if (++links > MAX_LINKS || strlen(target) + strlen(rest) + 2 > PATH_MAX)
			return false;
		snprintf(joined, sizeof(joined), "%s%s", target, rest);
		memcpy(rest_buf, joined, strlen(joined) + 1);
		rest = rest_buf;
		memcpy(out, parent, strlen(parent) + 1);
		if (target[0] == '/')
			out[0] = '\0';
	}
	return true;
}

/* --- candidates -------------------------------------------------------------- */

struct search {
	struct xpt_libpath *lp;
	const char *soname, *root;
	char origin[PATH_MAX];	/* folder of the executable, "" if unknown */
	char *buf;
	size_t n;
	unsigned index;	/* of the candidate that comes now */
	bool found;
};

static bool seen_before(struct xpt_libpath *lp, const struct stat *st)
{
	unsigned i;

	for (i = 0; i < lp->nr_seen; i++)
		if (lp->seen[i][0] == st->st_dev && lp->seen[i][1] == st->st_ino)
			return true;
	if (lp->nr_seen < sizeof(lp->seen) / sizeof(lp->seen[0])) {
		lp->seen[lp->nr_seen][0] = st->st_dev;
		lp->seen[lp->nr_seen++][1] = st->st_ino;
	}
	return false;
}

/* Takes path unless an earlier call did; true ends the enumeration. */
static bool try_file(struct search *s, const char *path)
{
	char full[2 * PATH_MAX], inside[PATH_MAX];
	struct stat st;
	int fd;

	if (s->index++ < s->lp->pos)
		return false;
	s->lp->pos = s->index;
	if (s->root[0]) {
		if (path[0] != '/' || !resolve_links(s->root, path, inside))
			return false;
		snprintf(full, sizeof(full), "%s%s", s->root, inside);
	} else {
		snprintf(full, sizeof(full), "%s", path);
	}
	fd = strlen(full) < s->n ? xpt_regular__open(full, NULL) : -1;
	if (fd < 0)
		return false;
	if (fstat(fd, &st) != 0 || seen_before(s->lp, &st)) {
		close(fd);
		return false;
	}
	close(fd);
	snprintf(s->buf, s->n, "%s", full);
	s->found = true;
	return true;
}

static bool try_dir(struct search *s, const char *dir)
{
	static const char *const subdirs[] = {
		"glibc-hwcaps/x86-64-v4/", "glibc-hwcaps/x86-64-v3/", "glibc-hwcaps/x86-64-v2/", "",
	};
	char path[2 * PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(subdirs) / sizeof(subdirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s%s", dir, subdirs[i], s->soname);
		if (strlen(path) < PATH_MAX && try_file(s, path))
			return true;
	}
	return false;
}

/* The value of $NAME or ${NAME} at p, and its length there; NULL: not one of the loader's. */
static const char *token_value(const struct search *s, const char *p, const char *lib, size_t *ret_len)
{
	const struct {
		const char *name, *value;
	} tokens[] = { { "ORIGIN", s->origin }, { "LIB", lib }, { "PLATFORM", PLATFORM } };
	bool brace = p[1] == '{';
	const char *name = p + 1 + brace;
	size_t i, len;

	for (i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		len = strlen(tokens[i].name);
		if (strncmp(name, tokens[i].name, len) != 0 || (brace && name[len] != '}'))
			continue;
		*ret_len = 1 + len + 2 * (size_t)brace;
		return tokens[i].value;
	}
	return NULL;
}

/* Expands the tokens in one folder of a list; lib: the value of $LIB. */
static bool expand_dir(const struct search *s, const char *dir, size_t len, const char *lib,
		       char out[PATH_MAX])
{
	const char *end = dir + len, *value;
	size_t at = 0, skip, n;

	while (dir < end) {
		skip = 1;
		value = *dir == '$' ? token_value(s, dir, lib, &skip) : NULL;
		n = value ? strlen(value) : 1;
		if ((value && !n) || at + n >= PATH_MAX)
			return false;
		memcpy(out + at, value ? value : dir, n);
		at += n;
		dir += skip;
	}
	out[at] = '\0';
	return true;
}

/* Every folder of a colon (or semicolon) list; an empty one is the current folder. */
static bool try_list(struct search *s, const char *list)
{
	static const char *const libs[] = { LIB_DIR, "lib64", "lib" };
	char copy[PATH_MAX], dir[PATH_MAX];
	size_t len, i;

	for (; list && *list; list += len + (list[len] != '\0')) {
		len = strcspn(list, ":;");
		if (len >= sizeof(copy))
			continue;
		memcpy(copy, list, len);
		copy[len] = '\0';
		for (i = 0; i < (strstr(copy, "LIB") ? 3 : 1); i++)
			if (expand_dir(s, copy, len, libs[i], dir) &&
			    try_dir(s, dir[0] ? dir : "."))
				return true;
	}
	return false;
}

/* --- the executable ------------------------------------------------------------ */

static struct xpt_elf *open_exe(struct search *s)
{
	char inside[PATH_MAX], full[2 * PATH_MAX], *slash;
	struct xpt_elf *elf = NULL;

	if (!s->lp->exe)
		return NULL;
	if (s->root[0]) {
		if (!resolve_links(s->root, s->lp->exe, inside))
			return NULL;
	} else if (!realpath(s->lp->exe, inside)) {
		return NULL;
	}
	snprintf(full, sizeof(full), "%s%s", s->root, inside);
	slash = strrchr(inside, '/');
	if (slash)
		slash[slash == inside] = '\0';
	snprintf(s->origin, sizeof(s->origin), "%s", inside);
	return xpt_elf__open(full, &elf) ? NULL : elf;
}

/* --- ld.so.cache ----------------------------------------------------------------- */

struct cache_head {
	char magic[20];	/* "glibc-ld.so.cache1.1" */
	uint32_t nr, strings;
	uint32_t rest[5];
};

struct cache_entry {
	uint32_t flags, key, value, osversion;
	uint64_t hwcap;
};

static uint8_t *read_cache(const struct search *s, size_t *ret_n)
{
	char inside[PATH_MAX], full[2 * PATH_MAX];
	uint8_t *p = NULL;
	struct stat st;
	ssize_t n;
	int fd;

	if (!resolve_links(s->root, "/etc/ld.so.cache", inside))
		return NULL;
	snprintf(full, sizeof(full), "%s%s", s->root, inside);
	fd = xpt_regular__open(full, NULL);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size <= MAX_CACHE)
		p = calloc(1, (size_t)st.st_size + 1);
	n = p ? pread(fd, p, (size_t)st.st_size, 0) : 0;
	close(fd);
	*ret_n = n > 0 ? (size_t)n : 0;
	return p;
}

/* Start of the current format in n bytes; older files have it after the old one. */
static size_t cache_start(const uint8_t *p, size_t n)
{
	uint32_t nr;
	size_t at;

	if (n < 16 || memcmp(p, "ld.so-1.7.0", 11) != 0)
		return 0;
	memcpy(&nr, p + 12, 4);
	at = 16 + (size_t)nr * 12;
	at = (at + 7) & ~(size_t)7;
	return at < n ? at : n;
}

bool xpt_libpath__each_cached(const uint8_t *p, size_t n, const char *soname,
			      bool (*fn)(void *ctx, const char *path), void *ctx)
{
	size_t start = cache_start(p, n), i;
	struct cache_head head;
	struct cache_entry e;

	p += start;
	n -= start;
	if (n < sizeof(head))
		return false;
	memcpy(&head, p, sizeof(head));
	if (memcmp(head.magic, "glibc-ld.so.cache1.1", sizeof(head.magic)) != 0 ||
	    head.nr > (n - sizeof(head)) / sizeof(e))
		return false;
	for (i = 0; i < head.nr; i++) {
		memcpy(&e, p + sizeof(head) + i * sizeof(e), sizeof(e));
		if ((e.flags & 0xffff) != CACHE_FLAGS || e.key >= n || e.value >= n ||
		    strcmp((const char *)p + e.key, soname) != 0)
			continue;
		if (strnlen((const char *)p + e.value, PATH_MAX) < PATH_MAX &&
		    fn(ctx, (const char *)p + e.value))
			return true;
	}
	return false;
}

static bool try_cached(void *ctx, const char *path)
{
	return try_file(ctx, path);
}

static bool try_cache(struct search *s)
{
	size_t n = 0;
	uint8_t *p = read_cache(s, &n);
	bool found = p && xpt_libpath__each_cached(p, n, s->soname, try_cached, s);

	free(p);
	return found;
}

static bool list_dirs(struct search *s)
{
	struct xpt_elf *exe;
	bool found;

	if (strchr(s->soname, '/'))
		return try_file(s, s->soname);
	exe = open_exe(s);
	found = try_list(s, s->lp->ld_library_path) ||
		(exe && try_list(s, xpt_elf__runpath(exe)));
	xpt_elf__close(exe);
	return found || try_cache(s) ||
	       try_list(s, "/" LIB_DIR ":/usr/" LIB_DIR ":/lib64:/usr/lib64:/lib:/usr/lib");
}

int xpt_libpath__next(struct xpt_libpath *lp, const char *soname, char *buf, size_t n)
{
	struct search s = { .lp = lp, .soname = soname, .root = lp->root ? lp->root : "",
			    .buf = buf, .n = n };

	if (!soname[0] || strlen(soname) >= PATH_MAX / 2)
		return 0;
	return list_dirs(&s) ? 1 : 0;
}

/* --- commands ------------------------------------------------------------------- */

/* 0: path can be executed; -EACCES: it is there, but cannot; else -ENOENT. */
static int check_command(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno == EACCES ? -EACCES : errno == ENAMETOOLONG ? -ENAMETOOLONG : -ENOENT;
	if (!S_ISREG(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) != 0)
		return -EACCES;
	return 0;
}

int xpt_libpath__command(const char *name, const char *path_var, char *buf, size_t n)
{
	const char *p = path_var ? path_var : "/bin:/usr/bin";
	char path[PATH_MAX];
	int err, ret = -ENOENT;
	size_t len;

	if (!name[0])
		return -ENOENT;
	if (strlen(name) >= PATH_MAX)
		return -ENAMETOOLONG;
	for (;; p += len + 1) {
		len = strcspn(p, ":");
		if (strchr(name, '/'))
			snprintf(path, sizeof(path), "%s", name);
		else if (len + 1 + strlen(name) < sizeof(path))
			snprintf(path, sizeof(path), "%.*s/%s", (int)(len ? len : 1),
				 len ? p : ".", name);
		else
			path[0] = '\0';
		err = check_command(path);
		if (!err && strlen(path) >= n)
			return -ENAMETOOLONG;
		if (!err) {
			snprintf(buf, n, "%s", path);
			return 0;
		}
		if (strchr(name, '/'))
			return err;
		if (err == -EACCES)
			ret = err;
		if (!p[len])
			return ret;
	}
}

void xpt_libpath__of_process(int pid, char *path, size_t n)
{
	struct stat ours, its;
	char through[PATH_MAX];
	int len, fd;

	if (path[0] != '/' || !strncmp(path, "/proc/", 6))
		return;
	len = snprintf(through, sizeof(through), "/proc/%d/root%s", pid, path);
	if (len >= (int)sizeof(through) || (size_t)len >= n)
		return;
	fd = xpt_regular__open(through, NULL);
	if (fd < 0)
		return;
	if (fstat(fd, &its))
		memset(&its, 0, sizeof(its));
	close(fd);
	if (xpt_regular__look(path, &ours) || ours.st_dev != its.st_dev || ours.st_ino != its.st_ino)
		snprintf(path, n, "%s", through);
}
