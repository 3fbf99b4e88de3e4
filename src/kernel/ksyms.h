/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The three lists of functions that the kernel writes as text: all symbols
 * (/proc/kallsyms), those that can be traced (available_filter_functions) and
 * those that no kprobe may have (kprobes/blacklist). Lines of another form are
 * passed over.
 */
#ifndef XPT_KERNEL_KSYMS_H
#define XPT_KERNEL_KSYMS_H

#include <stddef.h>
#include <stdint.h>

#define XPT_KERNEL_ITSELF "vmlinux"	/* the "module" of built-in functions */
#define XPT_KMODULE_LEN 56	/* MODULE_NAME_LEN, include/linux/moduleparam.h */
#define XPT_KNAME_LEN 512	/* KSYM_NAME_LEN, include/linux/kallsyms.h */

struct xpt_ksym {
	const char *name, *module;	/* live as long as the list */
	uint64_t addr;		/* 0: hidden, or not in that list */
};

struct xpt_ksyms;

/* Functions only. 0 or -errno. */
int xpt_ksyms__new(const char *path, struct xpt_ksyms **ret_s);
void xpt_ksyms__free(struct xpt_ksyms *s);	/* NULL is fine */
const struct xpt_ksym *xpt_ksyms__all(const struct xpt_ksyms *s, size_t *ret_n);

/*
 * The list of all symbols again, with the parts of functions that the compiler put elsewhere
 * (NAME.cold), for who asks whose code lies where. Names live as long as the call of fn.
 */
int xpt_ksyms__each_code(const char *path, void (*fn)(void *ctx, const struct xpt_ksym *s), void *ctx);

/* 0, or -errno: the list cannot be read. path may be NULL. */
int xpt_ksyms__each_filter(const char *path, void (*fn)(void *ctx, const struct xpt_ksym *s),
			   void *ctx);
int xpt_ksyms__each_denied(const char *path, void (*fn)(void *ctx, uint64_t from, uint64_t to),
			   void *ctx);

#endif
