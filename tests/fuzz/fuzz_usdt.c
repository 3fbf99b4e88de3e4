/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fuzzes the reader of USDT notes: the input is a file in memory, and also the
 * text of a note's arguments. Sites must lie in the file, locations must name
 * registers that exist.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "elf/elf.h"
#include "elf/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

static void check_locs(const struct xpt_wire_loc *loc, unsigned nr)
{
	unsigned i;

	MUST(nr <= XPT_POINT_ARGS);
	for (i = 0; i < nr; i++) {
		unsigned w = loc[i].width & 0x7f;

		MUST(loc[i].kind <= XPT_LOC_MEM && loc[i].base < XPT_REG__MAX);
		MUST(loc[i].index < XPT_REG__MAX && loc[i].scale <= 8);
		MUST(w == 1 || w == 2 || w == 4 || w == 8);
	}
}

static bool find(void *ctx, const char *name, size_t len, uint64_t *ret_vaddr)
{
	(void)ctx;
	*ret_vaddr = 0x1000;
	return len && name[0] == 'g';
}

static void check_text(const uint8_t *data, size_t size)
{
	struct xpt_wire_loc loc[XPT_POINT_ARGS];
	char *text = malloc(size + 1);
	int absolute;

	MUST(text);
	memcpy(text, data, size);
	text[size] = '\0';
	for (absolute = 0; absolute < 2; absolute++)
		check_locs(loc, xpt_usdt__parse_args(text, 0x2000, absolute, find, NULL, loc));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xpt_usdt_site *s;
	struct xpt_usdt *u = NULL;
	struct xpt_elf *elf = NULL;
	size_t i, nr;
	int fd;

	check_text(data, size);
	fd = memfd_create("elf", MFD_CLOEXEC);
	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	if (xpt_elf__open_fd(fd, &elf) != 0)
		return 0;
	MUST(xpt_usdt__read(elf, true, &u) == 0);
	xpt_elf__close(elf);
	s = xpt_usdt__sites(u, &nr);
	for (i = 0; i < nr; i++) {
		MUST(s[i].offset < size && s[i].sema_offset < size);
		MUST(s[i].name[0] && strlen(s[i].provider) < size && strlen(s[i].args) < size);
		MUST(i == 0 || strcmp(s[i - 1].provider, s[i].provider) <= 0);
		check_locs(s[i].loc, s[i].nr_args);
	}
	xpt_usdt__free(u);
	return 0;
}
