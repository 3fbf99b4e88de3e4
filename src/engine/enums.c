// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reading enums by libdw (elfutils) in a child, see enums.h. The child writes one
 * struct xpt_enum into a pipe. Only the outermost entries of each unit are looked
 * at, where C has its enums.
 */
#include "engine/enums.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/time.h"

#define LIMIT_NS 5000000000ull	/* for a file, by the clock and of the CPU: 1 GB of units take less */
#define LIMIT_BYTES (4ull << 30)	/* of address space, in which the file is mapped */

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

static int look(int fd, const char *type, const char *prefix, struct xpt_enum *e)
{
	Dwarf *dw = dwarf_begin(fd, DWARF_C_READ);
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die unit;

	while (dw && !dwarf_nextcu(dw, at, &next, &header, NULL, NULL, NULL) && next > at) {
		if (dwarf_offdie(dw, at + header, &unit) && in_unit(&unit, type, prefix, e))
			return 0;
		at = next;
	}
	return -ENOENT;	/* nothing is freed: the process ends */
}
#else
static int look(int fd, const char *type, const char *prefix, struct xpt_enum *e)
{
	(void)fd;
	(void)type;
	(void)prefix;
	(void)e;
	return -ENOTSUP;
}
#endif

#ifdef __SANITIZE_ADDRESS__
#define SHADOW_MEMORY 1		/* of terabytes that nobody uses */
#elif defined(__has_feature)
#define SHADOW_MEMORY __has_feature(address_sanitizer)
#else
#define SHADOW_MEMORY 0
#endif

static void limit(int what, uint64_t value)
{
	struct rlimit lim = { value, value };

	setrlimit(what, &lim);
}

_Noreturn static void read_and_die(int fd, int to, const char *type, const char *prefix)
{
	static const int deadly[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPIPE, SIGTERM, SIGINT };
	struct xpt_enum e = { 0 };

	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		signal(deadly[i], SIG_DFL);
	limit(RLIMIT_CORE, 0);
	if (!SHADOW_MEMORY)
		limit(RLIMIT_AS, LIMIT_BYTES);
	limit(RLIMIT_CPU, LIMIT_NS / 1000000000);
	if (!look(fd, type, prefix, &e) && write(to, &e, sizeof(e)) == sizeof(e))
		_exit(0);
	_exit(1);
}

/* What the child writes: all of it within the limit, or an error. */
static int take_answer(int from, struct xpt_enum *e)
{
	uint64_t until = xpt_now_ns() + LIMIT_NS;
	struct pollfd p = { .fd = from, .events = POLLIN };
	size_t at = 0;

	while (at < sizeof(*e)) {
		uint64_t now = xpt_now_ns();
		ssize_t n;

		if (now >= until)
			return -ETIMEDOUT;
		n = poll(&p, 1, (int)((until - now) / 1000000) + 1);
		n = n > 0 ? read(from, (char *)e + at, sizeof(*e) - at) : n < 0 ? n : -2;
		if (n == 0 || (n == -1 && errno != EINTR))
			return -ENOENT;
		at += n > 0 ? (size_t)n : 0;
	}
	return e->nr && e->nr <= XPT_STATES_MAX ? 0 : -ENOENT;
}

int xpt_enum__read(int fd, const char *type, const char *prefix, struct xpt_enum *ret_enum)
{
	struct xpt_enum e;
	int ends[2], err;
	pid_t pid;

#ifndef XPT_HAVE_LIBDW
	return -ENOTSUP;
#endif
	if (pipe(ends))
		return -errno;
	pid = fork();
	err = pid < 0 ? -errno : 0;
	if (!pid) {
		close(ends[0]);
		read_and_die(fd, ends[1], type, prefix);
	}
	close(ends[1]);
	if (!err)
		err = take_answer(ends[0], &e);
	close(ends[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	for (unsigned i = 0; !err && i < XPT_STATES_MAX; i++)
		e.name[i][XPT_ENUM_NAME - 1] = '\0';
	if (!err)
		*ret_enum = e;
	return err;
}
