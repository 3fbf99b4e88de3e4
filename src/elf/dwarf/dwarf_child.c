// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The common part of readers of debug information, see dwarf_child.h. libdw gets an image in
 * memory and no descriptor: it would look for supplementary files by names that the file says.
 */
#include "elf/dwarf/dwarf_child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/utf8.h"

#ifdef XPT_HAVE_LIBDW
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <endian.h>
#include <gelf.h>
#endif

/*
 * libelf allocates at once the unpacked size that a section claims. Measured with zlib: debug information of xputrace
 * and of SPDK unpacks to 2.2 times of the stored size, the best single section to 5 times.
 */
#define UNPACKED_TIMES 16u
#define UNPACKED_MIN (64ull << 20)

/* Private and writable: libelf changes headers of sections that it has unpacked. */
int xpt_dwarf_child__map(int fd, struct xpt_dwarf_image *ret)
{
	struct stat st;
	void *p;

	*ret = (struct xpt_dwarf_image){ 0 };
	if (fd < 0)
		return -ENOENT;
	if (syscall(SYS_fstat, fd, &st))	/* fstat(3) is another system call, with a path */
		return -errno;
	if (st.st_size <= 0)
		return -ENOENT;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	*ret = (struct xpt_dwarf_image){ p, (size_t)st.st_size, (uint64_t)st.st_blocks * 512 };
	if (!ret->stored || ret->stored > ret->size)	/* some file systems do not report it */
		ret->stored = ret->size;
	return 0;
}

void xpt_dwarf_child__unmap(struct xpt_dwarf_image *image)
{
	if (image->at)
		munmap(image->at, image->size);
	image->at = NULL;
}

#ifdef XPT_HAVE_LIBDW
/*
 * Returns the size of a section when it is unpacked; 0: it is not compressed. Older tools put "ZLIB" and the size
 * before its data.
 */
static uint64_t unpacked_size(Elf *elf, Elf_Scn *section)
{
	const char *name;
	GElf_Shdr header;
	GElf_Chdr packed;
	Elf_Data *data;
	uint64_t size;
	size_t names;

	if (!gelf_getshdr(section, &header) || elf_getshdrstrndx(elf, &names))
		return 0;
	if (header.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &packed) ? packed.ch_size : 0;
	name = elf_strptr(elf, names, header.sh_name);
	data = name && !strncmp(name, ".zdebug", 7) ? elf_rawdata(section, NULL) : NULL;
	if (!data || !data->d_buf || data->d_size < 4 + sizeof(size) || memcmp(data->d_buf, "ZLIB", 4))
		return 0;
	memcpy(&size, (const char *)data->d_buf + 4, sizeof(size));
	return be64toh(size);
}

static bool is_too_large(Elf *elf, const struct xpt_dwarf_image *image)
{
	uint64_t limit = image->stored * UNPACKED_TIMES, sum = 0;
	Elf_Scn *section = NULL;

	limit = limit > UNPACKED_MIN ? limit : UNPACKED_MIN;
	while ((section = elf_nextscn(elf, section))) {
		uint64_t size = unpacked_size(elf, section);

		if (size > limit - sum)
			return true;
		sum += size;
	}
	return false;
}

/* 0, -ENOENT or -EFBIG. */
static int begin_debug(const struct xpt_dwarf_image *image, Dwarf **ret_dw)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_memory(image->at, image->size);

	*ret_dw = NULL;
	if (elf && is_too_large(elf, image))
		return -EFBIG;
	*ret_dw = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	return *ret_dw ? 0 : -ENOENT;
}

/* Whether it is the file that dw names as the one that it shares, of the same build. */
static bool is_shared_by(Dwarf *dw, Dwarf *shared)
{
	const void *want, *has;
	const char *name;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(dw, &name, &want);

	return n > 0 && dwelf_elf_gnu_build_id(dwarf_getelf(shared), &has) == n && !memcmp(want, has, (size_t)n);
}

int xpt_dwarf_child__open(int fd, const struct xpt_dwarf_image *shared, struct Dwarf **ret_dw)
{
	struct xpt_dwarf_image image;
	int err = xpt_dwarf_child__map(fd, &image);
	Dwarf *dw = NULL;

	err = err ? err : begin_debug(&image, ret_dw);
	if (err)
		return err;
	if (shared && shared->at)
		begin_debug(shared, &dw);
	if (dw && is_shared_by(*ret_dw, dw))
		dwarf_setalt(*ret_dw, dw);
	return 0;
}
#endif

bool xpt_dwarf_child__unread(int err)
{
	return err && err != -ENOENT && err != -ENOTSUP;
}

void xpt_dwarf_child__clean(char *name, size_t max)
{
	name[max - 1] = '\0';
	xpt_utf8__clean(name, "");
	for (; *name; name++)
		if (*name == ' ')
			*name = '?';
}
