// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of states in one program, see program_states.h.
 */
#include "engine/sources/points/program_states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/regular.h"
#include "elf/debug_file.h"
#include "elf/dwarf/dwarf_child.h"
#include "elf/elf_priv.h"
#include "model/domain/domain.h"

#define CHUNK (1u << 20)
#define OVERLAP 64	/* more than a mark with its release */

unsigned xpt_states__release(const char *path, const struct xpt_domain *d)
{
	char *buf = d->release_mark ? malloc(CHUNK) : NULL;
	int fd = xpt_regular__open(path, NULL);
	unsigned release = 0;
	uint64_t at = 0;
	ssize_t n;

	/* Pieces overlap, for the text may lie across an end. */
	while (buf && fd >= 0 && !release && (n = pread(fd, buf, CHUNK, (off_t)at)) > OVERLAP) {
		release = xpt_release__find(d->release_mark, buf, (size_t)n);
		at += (uint64_t)n - OVERLAP;
	}
	if (fd >= 0)
		close(fd);
	free(buf);
	return release;
}

static int read_enum(const struct xpt_states *s, const struct xpt_elf *elf, const char *root, struct xpt_enum *e)
{
	int shared = xpt_debug_file__open_shared(elf, root);
	int err = xpt_enum__read(elf->fd, shared, s->type, s->prefix, e);

	if (shared >= 0)
		close(shared);
	return err;
}

/* Reads the enum from the file's own debug information, else from its separate debug file. */
static bool by_enum(const struct xpt_states *s, const char *root, const char *path,
		    struct xpt_enum *e, bool *unread)
{
	struct xpt_elf *elf = NULL, *debug;
	int err, first;

	int fd = s->type ? xpt_regular__open(path, NULL) : -1;

	if (fd < 0 || xpt_elf__open_bare(fd, false, NULL, &elf))
		return false;
	err = first = read_enum(s, elf, root, e);
	debug = err ? xpt_debug_file__open(elf, root, path) : NULL;
	if (debug)
		err = read_enum(s, debug, root, e);
	*unread = err && (xpt_dwarf_child__unread(err) || xpt_dwarf_child__unread(first));
	xpt_elf__close(debug);
	xpt_elf__close(elf);
	return !err;
}

bool xpt_states__of_file(const struct xpt_domain *d, unsigned kind, const char *root,
			 const char *path, unsigned release, struct xpt_state_list *ret_list)
{
	const struct xpt_states *s = xpt_states__find(d, kind);
	struct xpt_state_list l = { .release = release };
	const char *const *names;

	if (!s)
		return false;
	if (!release && by_enum(s, root, path, &l.names, &l.unread)) {
		l.from = XPT_STATES_DEBUG;
	} else {
		if (!release && s->nr_releases > 1)
			l.release = xpt_states__release(path, d);
		l.from = l.release || s->nr_releases == 1 ? XPT_STATES_RELEASE : XPT_STATES_NEWEST;
		names = xpt_states__names(d, kind, l.release);
		memset(&l.names, 0, sizeof(l.names));
		for (; names[l.names.nr] && l.names.nr < XPT_STATES_MAX; l.names.nr++)
			snprintf(l.names.name[l.names.nr], XPT_ENUM_NAME, "%s", names[l.names.nr]);
	}
	*ret_list = l;
	return true;
}

bool xpt_states__of_type(const char *type, const char *path, struct xpt_state_list *ret_list)
{
	struct xpt_states any = { .type = type, .prefix = "" };

	for (size_t i = 0; i < xpt_nr_domains; i++) {
		const struct xpt_domain *d = xpt_domains[i];

		for (size_t k = 0; k < d->nr_states; k++)
			if (d->states[k].type && !strcmp(d->states[k].type, type))
				return xpt_states__of_file(d, d->states[k].kind, "", path, 0, ret_list);
	}
	*ret_list = (struct xpt_state_list){ .from = XPT_STATES_DEBUG };
	return by_enum(&any, "", path, &ret_list->names, &ret_list->unread);
}

static void keep_common(struct xpt_enum *to, const struct xpt_enum *from)
{
	for (unsigned i = 0; i < to->nr; i++)
		if (i >= from->nr || strcmp(to->name[i], from->name[i]) != 0)
			to->name[i][0] = '\0';
}

void xpt_states__merge(struct xpt_enum **to, const struct xpt_enum *names)
{
	if (*to) {
		keep_common(*to, names);
		return;
	}
	*to = malloc(sizeof(**to));
	if (*to)
		**to = *names;
}
