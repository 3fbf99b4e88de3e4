// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the beginning of a program: ELF class and machine, the interpreter of
 * a script. Used only to say things in words that help.
 */
#include "session/program.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/files/regular.h"
#include "elf/elf.h"

struct head {
	union {
		char text[512];
		Elf64_Ehdr ehdr;	/* the fields read here lie alike in 32-bit files */
	};
	size_t n;
};

static bool read_head(const char *path, struct head *h)
{
	int fd = xpt_regular__open_below(-1, path);	/* a pipe in place of a program would block */
	ssize_t n;

	memset(h, 0, sizeof(*h));
	if (fd < 0)
		return false;
	n = read(fd, h->text, sizeof(h->text) - 1);
	close(fd);
	h->n = n > 0 ? (size_t)n : 0;
	return n >= 0;
}

static bool is_elf(const struct head *h)
{
	return h->n >= SELFMAG && !memcmp(h->text, ELFMAG, SELFMAG);
}

/* NULL: a 64-bit program for this machine. */
static const char *why_foreign(const struct head *h)
{
	if (h->n < offsetof(Elf64_Ehdr, e_version))
		return "an incomplete ELF file";
	if (h->ehdr.e_ident[EI_CLASS] == ELFCLASS32 &&
	    (h->ehdr.e_machine == EM_386 || h->ehdr.e_machine == EM_X86_64))
		return "a 32-bit program";
	if (h->ehdr.e_machine != EM_X86_64 || h->ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return "a program for another machine";
	return NULL;
}

void xpt_program__warn(const char *path)
{
	struct xpt_elf *elf = NULL;
	const char *what;
	struct head h;

	if (!read_head(path, &h) || !is_elf(&h))
		return;
	what = why_foreign(&h);
	if (what) {
		xpt_warn("%s is %s: its own calls cannot be traced, those of 64-bit programs that "
			 "it starts can", path, what);
		return;
	}
	if (!xpt_elf__open(path, &elf) && !xpt_elf__interp(elf)[0])
		xpt_warn("%s is statically linked: only libraries that it loads later can be traced",
			 path);
	xpt_elf__close(elf);
}

bool xpt_program__is_text(const char *path)
{
	struct head h;

	return read_head(path, &h) && !is_elf(&h) && !memchr(h.text, '\0', h.n);
}

/* The interpreter that "#! /path arg" names, "" without one. */
static const char *script_interp(struct head *h)
{
	char *p = h->text + 2;

	if (h->n < 2 || memcmp(h->text, "#!", 2))
		return "";
	p += strspn(p, " \t");
	p[strcspn(p, " \t\r\n")] = '\0';
	return p;
}

const char *xpt_program__why_not(const char *path, int err, char *buf, size_t n)
{
	const char *interp = "", *what = NULL;
	struct xpt_elf *elf = NULL;
	struct stat st;
	struct head h;

	snprintf(buf, n, "%s", strerror(err));
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		snprintf(buf, n, "%s", strerror(EISDIR));
		return buf;
	}
	if ((err != ENOEXEC && err != ENOENT && err != EACCES) || !read_head(path, &h))
		return buf;
	if (!is_elf(&h))
		interp = script_interp(&h);
	else if (err == ENOEXEC)
		what = why_foreign(&h);
	else if (!xpt_elf__open(path, &elf))
		interp = xpt_elf__interp(elf);
	if (what)
		snprintf(buf, n, "%s, it is %s", strerror(err), what);
	else if (interp[0] && access(interp, X_OK))
		snprintf(buf, n, "its interpreter %s: %s", interp, strerror(errno));
	xpt_elf__close(elf);
	return buf;
}
