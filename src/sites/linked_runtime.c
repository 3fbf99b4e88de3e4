// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs with a runtime linked into them: nvcc links libcudart statically into each executable by default. It is
 * recognized by a few of its functions in .symtab. Every executable of a traced process is examined, so most have to
 * be rejected by their headers, and the others by the names in .strtab.
 */
#include "sites/linked_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hashmap.h"
#include "base/log.h"
#include "base/files/regular.h"
#include "elf/elf_priv.h"

#define CHUNK (256u << 10)	/* bytes of .strtab that are read at once */
#define OVERLAP 64u		/* longer than any mark */
#define MAX_STRTAB (256u << 20)
#define MAX_MARKS 8
#define MAX_KNOWN 4096		/* programs whose verdict is kept */

struct known {			/* a file, with the time of its last change, that was examined */
	uint64_t dev, ino, changed_ns;
};

struct xpt_programs {
	const struct xpt_domain *const *domains;
	const struct xpt_elf_pause *pause;
	struct xpt_hashmap *known;	/* struct known -> 1 + index of the domain, 0: none */
};

int xpt_programs__new(const struct xpt_domain *const *domains, const struct xpt_elf_pause *pause,
		      struct xpt_programs **ret_p)
{
	struct xpt_programs *p = calloc(1, sizeof(*p));
	int err = -ENOMEM;

	if (p)
		err = xpt_hashmap__new(sizeof(struct known), sizeof(uint32_t), MAX_KNOWN, &p->known);
	if (err) {
		free(p);
		return err;
	}
	p->domains = domains;
	p->pause = pause;
	*ret_p = p;
	return 0;
}

void xpt_programs__free(struct xpt_programs *p)
{
	if (!p)
		return;
	xpt_hashmap__free(p->known);
	free(p);
}

/* --- the file ----------------------------------------------------------------------- */

static bool is_program(const struct xpt_elf *elf)
{
	return elf->type == ET_EXEC || elf->dyn.pie;
}

/* Returns the string table of .symtab; NULL if the file is stripped or damaged. */
static const Elf64_Shdr *find_strtab(const struct xpt_elf *elf)
{
	const Elf64_Shdr *sh;
	size_t i;

	for (i = 0; i < elf->nr_shdrs; i++) {
		if (elf->shdrs[i].sh_type != SHT_SYMTAB || elf->shdrs[i].sh_link >= elf->nr_shdrs)
			continue;
		sh = &elf->shdrs[elf->shdrs[i].sh_link];
		return sh->sh_type == SHT_STRTAB && sh->sh_offset <= elf->size &&
		       sh->sh_size <= elf->size - sh->sh_offset && sh->sh_size <= MAX_STRTAB ? sh : NULL;
	}
	return NULL;
}

/* Returns which marks of d are in the n bytes, a bit each. A name may be the end of a longer one. */
static uint32_t find_marks(const struct xpt_domain *d, const char *text, size_t n)
{
	uint32_t found = 0;
	size_t i;

	for (i = 0; d->marks[i] && i < MAX_MARKS; i++)
		if (memmem(text, n, d->marks[i], strlen(d->marks[i]) + 1))
			found |= 1u << i;
	return found;
}

static uint32_t all_marks(const struct xpt_domain *d)
{
	uint32_t all = 0;
	size_t i;

	for (i = 0; d->marks[i] && i < MAX_MARKS; i++)
		all |= 1u << i;
	return all;
}

/* Whether the string table has the names of all marks: a fast test that rejects most files. */
static bool names_marks(const struct xpt_elf *elf, const Elf64_Shdr *sh, const struct xpt_domain *d)
{
	uint32_t found = 0, all = all_marks(d);
	uint64_t at = 0;
	size_t n, kept = 0;
	char *buf = malloc(OVERLAP + CHUNK);

	while (buf && at < sh->sh_size && found != all) {
		n = sh->sh_size - at < CHUNK ? (size_t)(sh->sh_size - at) : CHUNK;
		n = xpt_elf__pread(elf, sh->sh_offset + at, buf + kept, n);
		if (!n || !xpt_elf__spend(elf, MAX_MARKS * n))
			break;
		at += n;
		n += kept;
		found |= find_marks(d, buf, n);
		kept = n < OVERLAP ? n : OVERLAP;
		memmove(buf, buf + n - kept, kept);
	}
	free(buf);
	return found == all;
}

bool xpt_program__holds(const struct xpt_elf *elf, const struct xpt_domain *d)
{
	size_t i;

	if (!d->marks || !is_program(elf))
		return false;
	for (i = 0; d->marks[i]; i++)
		if (!xpt_elf__find(elf, d->marks[i]))
			return false;
	return true;
}

/* Whether nvcc has made the file: device code is in sections of its own, which strip(1) keeps. */
static bool has_section(const struct xpt_elf *elf, const char *name)
{
	const Elf64_Shdr *names = elf->shstrndx < elf->nr_shdrs ? &elf->shdrs[elf->shstrndx] : NULL;
	size_t i, len = strlen(name) + 1;
	char got[32];

	for (i = 0; names && i < elf->nr_shdrs; i++)
		if (elf->shdrs[i].sh_name < names->sh_size && len <= sizeof(got) &&
		    xpt_elf__pread(elf, names->sh_offset + elf->shdrs[i].sh_name, got, len) == len &&
		    !memcmp(got, name, len))
			return true;
	return false;
}

/* Whether it imports a function from a library, by its dynamic symbols. */
static bool has_import(const struct xpt_elf *elf, const char *sym)
{
	char *text;
	bool found;

	if (!elf->dyn.strtab || elf->dyn.strsz > MAX_STRTAB || !xpt_elf__spend(elf, elf->dyn.strsz))
		return false;
	text = xpt_elf__dup(elf, elf->dyn.strtab, elf->dyn.strsz);
	found = text && memmem(text, (size_t)elf->dyn.strsz, sym, strlen(sym) + 1);
	free(text);
	return found;
}

/* Returns a domain that may be linked into the open file, by its headers and names only. */
static bool may_hold(const struct xpt_elf *elf, const struct xpt_domain *d, const char *name)
{
	const Elf64_Shdr *sh = find_strtab(elf);

	if (sh)
		return names_marks(elf, sh, d);
	if (d->marks_section && has_section(elf, d->marks_section) && !has_import(elf, d->marks[0]))
		xpt_debug("%s is stripped: %s calls of a runtime inside it cannot be traced", name,
			  d->name);
	return false;
}

/* Returns 1 + index of the domain in an open file, 0 if none. err: -EFBIG, -E2BIG: not known. */
static uint32_t look_at_file(const struct xpt_programs *p, int fd, const char *name, int *err)
{
	struct xpt_elf *bare = NULL, *elf = NULL;
	uint32_t i, found = 0;
	int fd2 = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	*err = fd2 < 0 ? -errno : xpt_elf__open_bare(fd2, false, p->pause, &bare);
	if (*err)
		return 0;
	for (i = 0; p->domains[i] && !found && is_program(bare); i++) {
		if (!p->domains[i]->marks || !may_hold(bare, p->domains[i], name))
			continue;
		fd2 = elf ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (fd2 >= 0)
			*err = xpt_elf__open_for(fd2, p->pause, &elf);
		if (*err)
			break;
		if (elf && xpt_program__holds(elf, p->domains[i]))
			found = i + 1;
	}
	if (!*err)
		*err = xpt_elf__error(bare);
	xpt_elf__close(elf);
	xpt_elf__close(bare);
	return found;
}

/* --- which programs are looked at ------------------------------------------------------ */

bool xpt_programs__wants(const struct xpt_programs *p, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *so;
	size_t i;

	so = strstr(name, ".so");
	if (so && (!so[3] || so[3] == '.' || so[3] == ' '))
		return false;	/* a library */
	for (i = 0; p->domains[i]; i++)
		if (p->domains[i]->marks)
			return true;
	return false;
}

/* Fills in the key of a file. Returns false if it is no regular file. */
static bool key_of(int fd, struct known *ret_key)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	*ret_key = (struct known){
		.dev = st.st_dev,
		.ino = st.st_ino,
		.changed_ns = xpt_regular__changed_ns(&st),
	};
	return true;
}

void xpt_programs__forget(struct xpt_programs *p, int fd)
{
	struct known key;

	if (key_of(fd, &key))
		xpt_hashmap__del(p->known, &key);
}

const struct xpt_domain *xpt_programs__domain(struct xpt_programs *p, int fd, const char *name,
					      int *ret_err)
{
	struct known key;
	uint32_t *verdict, found;
	bool is_new;

	*ret_err = 0;
	if (!key_of(fd, &key))
		return NULL;
	if (xpt_hashmap__len(p->known) >= MAX_KNOWN)
		xpt_hashmap__clear(p->known);	/* looked at again when they are run again */
	verdict = xpt_hashmap__get(p->known, &key, &is_new);
	if (!verdict)
		return NULL;
	found = *verdict;
	if (is_new || !key.changed_ns) {
		/* Reading may pause, and other files may be looked at meanwhile: so the entry is looked up again. */
		found = look_at_file(p, fd, name, ret_err);
		verdict = xpt_hashmap__get(p->known, &key, NULL);
		if (verdict)
			*verdict = found;
	}
	return found ? p->domains[found - 1] : NULL;
}
