// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The limit on the cost of reading a file. Its author chooses the lengths of its tables,
 * and a few kilobytes can keep a reader busy for minutes. So every file has an amount of
 * work, in units of about a nanosecond, that grows with the bytes that it stores: holes
 * cost the author nothing, and count as nothing. The amount is no time, so that neither a
 * busy machine nor a slow disk changes the set of traced functions.
 */
#include <errno.h>
#include <sys/stat.h>
#include "base/files/regular.h"
#include "elf/elf_priv.h"

#define WORK_OF_FILE 1500000000ull	/* units; of any file, */
#define WORK_OF_BYTE 32ull		/* of each byte that is stored, */
#define MAX_WORK 6000000000ull		/* and at most */
#define SLICE 4000000ull		/* units between two pauses */

int xpt_elf__error(const struct xpt_elf *elf)
{
	return elf->work->err;
}

bool xpt_elf__spend(const struct xpt_elf *elf, uint64_t units)
{
	struct xpt_elf_work *w = elf->work;

	if (!w->err && units > w->left)
		w->err = -EFBIG;
	if (w->err)
		return false;
	w->left -= units;
	if (units < w->slice) {
		w->slice -= units;
		return true;
	}
	if (w->pause)
		w->err = w->pause->fn(w->pause->ctx, SLICE - w->slice + units);
	w->slice = SLICE;
	return !w->err;
}

bool xpt_elf__spend_sort(const struct xpt_elf *elf, uint64_t n, unsigned units)
{
	uint64_t rest, levels = 0;

	for (rest = n; rest > 1; rest >>= 1)
		levels++;
	return xpt_elf__spend(elf, n * levels * units);
}

int xpt_elf__measure(struct xpt_elf *elf)
{
	struct xpt_elf_work *w = elf->work;
	struct stat st;

	if (fstat(elf->fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	elf->size = (uint64_t)st.st_size;
	elf->stored = xpt_regular__stored(elf->fd, &st);
	w->left = elf->stored < MAX_WORK / WORK_OF_BYTE ? WORK_OF_FILE + elf->stored * WORK_OF_BYTE : MAX_WORK;
	if (w->left > MAX_WORK)
		w->left = MAX_WORK;
	w->slice = SLICE;
	return 0;
}
