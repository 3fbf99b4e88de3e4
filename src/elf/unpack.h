/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files that may be packed, read whole into memory: kernel modules (.ko.xz,
 * .ko.zst, .ko.gz) and kernel images. The size that a packed file claims is not
 * believed: memory grows with the data that is really unpacked, up to a
 * maximum.
 */
#ifndef XPT_ELF_UNPACK_H
#define XPT_ELF_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#define XPT_UNPACK_MAX ((size_t)256 << 20)	/* bytes; a kernel with all its sections has 80 MiB */

/*
 * Returns the allowed size, in bytes, of a file that anybody may have made, as it is or unpacked: 4 MiB, and 64 times
 * the bytes that it stores, which do not include holes (xz makes a tenth of a module). At most max; 0: it is not
 * known.
 */
size_t xpt_unpack__allowed(int fd, size_t max);

/*
 * The bytes of an open file (at its beginning), which stays open, unpacked if they begin as gzip, xz or zstd data do.
 * *ret_data is the caller's to free. -errno of reading; -EFBIG more than max
 * bytes; -EBADMSG damaged; -EOPNOTSUPP packed in a way that this build cannot
 * read; -ENOMEM.
 */
int xpt_unpack__fd(int fd, size_t max, void **ret_data, size_t *ret_size);
/* The same for n bytes in memory. Bytes after the packed stream are ignored. */
int xpt_unpack__mem(const void *data, size_t n, size_t max, void **ret_data, size_t *ret_size);
/*
 * The ELF file inside a bootable x86 kernel image (vmlinuz) that is open, or the file itself
 * if it is ELF already. Errors as above; -ENOEXEC neither of both.
 */
int xpt_unpack__kernel(int fd, size_t max, void **ret_data, size_t *ret_size);

#endif
