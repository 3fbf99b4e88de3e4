/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the ELF reader, the site resolver and the functions by address: the
 * input is a file in memory. Whatever is listed must lie in the file, and a site
 * that moved must still be code of the file.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "elf/elf.h"
#include "sites/site.h"
#include "sites/returns.h"
#include "elf/elf_funcs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)
#define MAX_SITES 64

static void check_returns(struct xpt_elf *elf, const struct xpt_sym *sym, const struct xpt_site *site,
			  enum xpt_return_of of)
{
	struct xpt_returns returns;
	uint64_t vaddr;

	if (xpt_returns__find(elf, sym, site, of, &returns))
		return;
	MUST(returns.reason);
	MUST(returns.way == XPT_RETURN_SITES || !returns.nr);
	for (uint32_t i = 0; i < returns.nr; i++)
		MUST(xpt_elf__vaddr(elf, returns.site[i].offset, &vaddr));
	xpt_returns__free(&returns);
}

static void check_site(struct xpt_elf *elf, const struct xpt_sym *sym)
{
	struct xpt_site site;
	uint64_t offset;

	xpt_elf__site(elf, sym, true, &site);
	MUST(site.reason);
	MUST(xpt_elf__offset(elf, site.vaddr, &offset) && offset == site.offset);
	if (!site.moved)
		MUST(site.offset == sym->offset);
	else
		MUST(site.cls == XPT_SITE_EMULATED || site.cls == XPT_SITE_NOP5);
	check_returns(elf, sym, &site, XPT_RETURNS_CALLBACK);
	check_returns(elf, sym, &site, XPT_RETURNS_ANY);
}

static void check_funcs(int fd)
{
	struct xpt_funcs *f = NULL;
	uint64_t offset, vaddr, off;
	char name[64];

	if (xpt_funcs__open(fd, "/nonexistent", "/nonexistent/x.so", NULL, &f) != 0)
		return;
	for (offset = 0; offset < 8192; offset += 61) {
		if (!xpt_funcs__vaddr(f, offset, &vaddr) ||
		    !xpt_funcs__find(f, vaddr, name, sizeof(name), &off))
			continue;
		MUST(name[0] && strlen(name) < sizeof(name) && off <= vaddr);
	}
	xpt_funcs__close(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xpt_elf *elf = NULL;
	const struct xpt_sym *sym;
	size_t i, nr, first = 0;
	int fd;

	fd = memfd_create("elf", MFD_CLOEXEC);
	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	check_funcs(dup(fd));
	if (xpt_elf__open_fd(fd, &elf) != 0)
		return 0;
	sym = xpt_elf__syms(elf, &nr);
	for (i = 0; i < nr; i++) {
		MUST(sym[i].offset < size && sym[i].name[0]);
		MUST(i == 0 || strcmp(sym[i - 1].name, sym[i].name) <= 0);
		/* Of several versions of a name the first is found. */
		first = i && !strcmp(sym[i - 1].name, sym[i].name) ? first : i;
		MUST(xpt_elf__find(elf, sym[i].name) == &sym[first]);
		if (i < MAX_SITES)
			check_site(elf, &sym[i]);
	}
	MUST(strlen(xpt_elf__build_id(elf)) <= 128);
	(void)strlen(xpt_elf__soname(elf));
	(void)strlen(xpt_elf__interp(elf));
	(void)strlen(xpt_elf__runpath(elf));
	xpt_elf__close(elf);
	return 0;
}
