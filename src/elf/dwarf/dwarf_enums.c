// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reading enums by libdw (elfutils) in a child, see dwarf_enums.h. The child writes one
 * struct xpt_enum into a pipe. Only the outermost entries of each unit are looked
 * at, where C has its enums.
 */
#include "elf/dwarf/dwarf_enums.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/process/jail.h"
#include "elf/dwarf/dwarf_child.h"

#ifdef XPT_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>

static void take_name(struct xpt_enum *e, Dwarf_Die *die, const char *prefix)
{
	const char *name = dwarf_diename(die);
	size_t n = strlen(prefix);
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (!name || dwarf_tag(die) != DW_TAG_enumerator ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_const_value, &attr), &v) || v >= XPT_STATES_MAX)
		return;
	name += strncmp(name, prefix, n) ? 0 : n;
	n = strnlen(name, XPT_ENUM_NAME - 1);
	memset(e->name[v], 0, XPT_ENUM_NAME);
	memcpy(e->name[v], name, n);
	if (e->nr <= v)
		e->nr = (unsigned)v + 1;
}

static bool in_unit(Dwarf_Die *unit, const char *type, const char *prefix, struct xpt_enum *e)
{
	Dwarf_Die die, child;
	const char *name;

	if (dwarf_child(unit, &die))
		return false;
	do {
		if (dwarf_tag(&die) != DW_TAG_enumeration_type)
			continue;
		name = dwarf_diename(&die);
		if (!name || strcmp(name, type) != 0 || dwarf_child(&die, &child))
			continue;
		do {
			take_name(e, &child, prefix);
		} while (!dwarf_siblingof(&child, &child));
		return e->nr > 0;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

static int in_file(Dwarf *dw, const char *type, const char *prefix, struct xpt_enum *e)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die unit;

	while (!dwarf_nextcu(dw, at, &next, &header, NULL, NULL, NULL) && next > at) {
		if (dwarf_offdie(dw, at + header, &unit) && in_unit(&unit, type, prefix, e))
			return 0;
		at = next;
	}
	return -ENOENT;	/* nothing is freed: the process ends */
}

static int look_in(int fd, const struct xpt_dwarf_image *shared, const char *type, const char *prefix, struct xpt_enum *e)
{
	Dwarf *dw = NULL, *alt;
	int err = xpt_dwarf_child__open(fd, shared, &dw);

	if (err)
		return err;
	err = in_file(dw, type, prefix, e);
	/* The file that dwz(1) made of the common parts of a package: it may have the whole enum. */
	alt = err ? dwarf_getalt(dw) : NULL;
	return alt ? in_file(alt, type, prefix, e) : err;
}
#else
static int look_in(int fd, const struct xpt_dwarf_image *shared, const char *type, const char *prefix, struct xpt_enum *e)
{
	(void)fd;
	(void)shared;
	(void)type;
	(void)prefix;
	(void)e;
	return -ENOTSUP;
}
#endif

/* The enum to look for. */
struct ask {
	const char *type, *prefix;
	struct xpt_dwarf_image shared;
};

static int answer_ask(int fd, int to, const void *ctx)
{
	const struct ask *ask = ctx;
	struct xpt_enum e = { 0 };
	int err = look_in(fd, &ask->shared, ask->type, ask->prefix, &e);

	if (err)
		return err;
	return write(to, &e, sizeof(e)) == sizeof(e) ? 0 : -EIO;
}

bool xpt_enum__good(struct xpt_enum *e)
{
	for (unsigned i = 0; i < XPT_STATES_MAX; i++) {
		xpt_dwarf_child__clean(e->name[i], XPT_ENUM_NAME);
		for (char *p = e->name[i]; *p; p++)	/* a comma separates names in lists of names */
			*p = *p == ',' ? '?' : *p;
	}
	return e->nr && e->nr <= XPT_STATES_MAX;
}

int xpt_enum__read(int fd, int shared, const char *type, const char *prefix, struct xpt_enum *ret_enum)
{
	struct ask ask = { .type = type, .prefix = prefix };
	struct xpt_enum e;
	size_t size = 0;
	int err;

#ifndef XPT_HAVE_LIBDW
	return -ENOTSUP;
#endif
	xpt_dwarf_child__map(shared, &ask.shared);	/* without it some names may be missing */
	err = xpt_jail__run(answer_ask, fd, &ask, &e, sizeof(e), &size);
	xpt_dwarf_child__unmap(&ask.shared);
	if (!err && (size != sizeof(e) || !xpt_enum__good(&e)))
		err = -ENOENT;
	if (!err)
		*ret_enum = e;
	return err;
}
