/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the kernel's type information (BTF) that BPF programs are relocated
 * against. libbpf reads and indexes all of it, some 100,000 types, for each
 * object that it loads: 40 ms each, where a few hundred types are enough.
 */
#ifndef XPT_KERNEL_BTF_PART_H
#define XPT_KERNEL_BTF_PART_H

#include <stddef.h>
#include <stdint.h>

struct btf;
struct xpt_btf_part;

/* An empty file for the part. NULL: there is none, libbpf is to take all types. */
struct xpt_btf_part *xpt_btf_part__new(void);
void xpt_btf_part__free(struct xpt_btf_part *p);	/* NULL is fine */
/* Returns the path of the file for btf_custom_path; NULL for NULL. */
const char *xpt_btf_part__path(const struct xpt_btf_part *p);
/*
 * Fills the file, instead of what it had, with the kernel's types that have names of types in `local`, and
 * with all that these contain (not with the types that they point to). 0; -errno: the kernel's types
 * cannot be read, or are damaged.
 */
int xpt_btf_part__fill(struct xpt_btf_part *p, const struct btf *local);
/* The id of a kernel's function, 0: there is none, or the kernel's types were not read. */
uint32_t xpt_btf_part__function(struct xpt_btf_part *p, const char *name);
/* The same as fill() of BTF in memory; ret: allocated, *ret_size bytes. For tests, too. */
int xpt_btf_part__make(const void *all, size_t size, const struct btf *local, void **ret,
		       size_t *ret_size);

#endif
