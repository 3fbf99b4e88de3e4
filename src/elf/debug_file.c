// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Separate debug files, see debug_file.h. A candidate is used only if it has the same build id; if one of the two
 * files has none, only if the checksum of the whole candidate is that in .gnu_debuglink.
 */
#include "elf/debug_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/files/regular.h"
#include "elf/elf_priv.h"

#define CRC_MAX (256u << 20)	/* larger files are not summed up */
#define LINK_MAX 512		/* bytes of .gnu_debuglink */

struct wanted {
	const struct xpt_elf *elf;
	char name[LINK_MAX];	/* of .gnu_debuglink, "" if none */
	uint32_t crc;
};

static bool is_named(const struct xpt_elf *elf, const Elf64_Shdr *names, const Elf64_Shdr *sh,
		     const char *name)
{
	char buf[32] = "";
	size_t n = strlen(name) + 1;

	return n <= sizeof(buf) && sh->sh_name < names->sh_size &&
	       xpt_elf__pread(elf, names->sh_offset + sh->sh_name, buf, n) == n &&
	       !memcmp(buf, name, n);
}

/* Returns the section of that name, or NULL. */
static const Elf64_Shdr *find_section(const struct xpt_elf *elf, const char *name)
{
	size_t i;

	for (i = 0; elf->shstrndx < elf->nr_shdrs && i < elf->nr_shdrs; i++)
		if (is_named(elf, &elf->shdrs[elf->shstrndx], &elf->shdrs[i], name))
			return &elf->shdrs[i];
	return NULL;
}

/* Reads .gnu_debuglink: a file name, padding to 4 bytes, and the CRC-32 of that file. */
static void read_link(struct wanted *w)
{
	const Elf64_Shdr *sh = find_section(w->elf, ".gnu_debuglink");
	char buf[LINK_MAX];
	size_t n, at;

	if (!sh || sh->sh_size > sizeof(buf) ||
	    xpt_elf__pread(w->elf, sh->sh_offset, buf, (size_t)sh->sh_size) != sh->sh_size)
		return;
	n = strnlen(buf, (size_t)sh->sh_size);
	at = (n + 4) & ~(size_t)3;
	if (!n || at + sizeof(w->crc) > sh->sh_size || memchr(buf, '/', n))
		return;
	memcpy(&w->crc, buf + at, sizeof(w->crc));
	memcpy(w->name, buf, n);
	w->name[n] = '\0';
}

static bool same_crc(const struct xpt_elf *debug, uint32_t want)
{
	unsigned char *buf = malloc(65536);
	uLong crc = crc32(0, NULL, 0);
	uint64_t at = 0;
	size_t n = 0;

	if (!buf || debug->size > CRC_MAX) {
		free(buf);
		return false;
	}
	while ((n = xpt_elf__pread(debug, at, buf, 65536)) > 0 && xpt_elf__spend(debug, n)) {
		crc = crc32(crc, buf, (uInt)n);
		at += n;
	}
	free(buf);
	return at == debug->size && (uint32_t)crc == want;
}

static bool belongs_to(const struct wanted *w, const struct xpt_elf *debug)
{
	if (w->elf->build_id[0] && debug->build_id[0])
		return !strcmp(w->elf->build_id, debug->build_id);
	return w->name[0] && same_crc(debug, w->crc);
}

static struct xpt_elf *try_path(const struct wanted *w, const char *path)
{
	struct xpt_elf *debug = NULL;
	int fd = xpt_regular__open(path, NULL);

	if (fd < 0 || xpt_elf__open_bare(fd, true, w->elf->work->pause, &debug))
		return NULL;
	if (belongs_to(w, debug))
		return debug;
	xpt_elf__close(debug);
	return NULL;
}

static struct xpt_elf *by_build_id(const struct wanted *w, const char *root)
{
	const char *id = w->elf->build_id;
	char path[4096];

	if (strlen(id) < 4)
		return NULL;
	snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, id, id + 2);
	return try_path(w, path);
}

static struct xpt_elf *by_link(const struct wanted *w, const char *root, const char *path)
{
	const char *const before[] = { "", "", "/usr/lib/debug" };
	const char *const within[] = { "/", "/.debug/", "/" };
	const char *slash = strrchr(path, '/');
	char at[8192];
	struct xpt_elf *debug = NULL;
	size_t i;

	for (i = 0; !debug && w->name[0] && slash && i < 3; i++) {
		snprintf(at, sizeof(at), "%s%s%.*s%s%s", root, before[i], (int)(slash - path), path,
			 within[i], w->name);
		debug = try_path(w, at);
	}
	return debug;
}

/* Whether the path leads to the same file in our own root. */
static bool is_ours(const struct xpt_elf *elf, const char *path)
{
	struct stat its, ours;

	return !fstat(elf->fd, &its) && !xpt_regular__look(path, &ours) && its.st_dev == ours.st_dev &&
	       its.st_ino == ours.st_ino;
}

struct xpt_elf *xpt_debug_file__open(const struct xpt_elf *elf, const char *root,
				     const char *path)
{
	const char *const roots[] = { root, "" };
	struct wanted w = { .elf = elf };
	struct xpt_elf *debug = NULL;
	size_t i;

	read_link(&w);
	for (i = root ? 0 : 1; !debug && i < 2; i++) {
		debug = by_build_id(&w, roots[i]);
		/* A container chooses its paths, which mean nothing in our root. */
		if (!debug && (!i || is_ours(elf, path)))
			debug = by_link(&w, roots[i], path);
	}
	return debug;
}

/* Reads .gnu_debugaltlink: a file name and a build id. The name is only used below the folder of such files. */
static bool read_shared_link(const struct xpt_elf *elf, char *name, char *id, size_t id_room)
{
	const Elf64_Shdr *sh = find_section(elf, ".gnu_debugaltlink");
	size_t n, i;
	char *dir;

	if (!sh || sh->sh_size > LINK_MAX ||
	    xpt_elf__pread(elf, sh->sh_offset, name, (size_t)sh->sh_size) != sh->sh_size)
		return false;
	n = strnlen(name, (size_t)sh->sh_size);
	if (n + 4 > sh->sh_size || 2 * (sh->sh_size - n - 1) >= id_room)
		return false;
	for (i = 0; i < sh->sh_size - n - 1; i++)
		snprintf(id + 2 * i, 3, "%02x", (unsigned char)name[n + 1 + i]);
	dir = strstr(name, ".dwz/");
	if (dir)
		memmove(name, dir, strlen(dir) + 1);
	if (!dir || strstr(name, ".."))
		name[0] = '\0';
	return true;
}

int xpt_debug_file__open_shared(const struct xpt_elf *elf, const char *root)
{
	char name[LINK_MAX], id[sizeof(elf->build_id)], path[4096];
	const char *const roots[] = { root, "" };
	int fd = -1;

	if (!read_shared_link(elf, name, id, sizeof(id)))
		return -1;
	for (size_t i = 0; fd < 0 && i < 2; i++) {
		snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/%.2s/%s.debug", roots[i], id, id + 2);
		fd = xpt_regular__open(path, NULL);
		if (fd >= 0 || !name[0])
			continue;
		snprintf(path, sizeof(path), "%s/usr/lib/debug/%s", roots[i], name);
		fd = xpt_regular__open(path, NULL);
	}
	return fd;
}
