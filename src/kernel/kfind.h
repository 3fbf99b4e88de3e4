/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finding kernel functions by module and name: the symbols of the running
 * kernel, whether it can put probes on them, and their prototypes where there
 * is type information. Nothing is assumed that another kernel may not have.
 */
#ifndef XPT_KERNEL_KFIND_H
#define XPT_KERNEL_KFIND_H

#include <stddef.h>
#include <stdint.h>
#include "kernel/kbtf.h"
#include "kernel/ksyms.h"


/* Paths to read; NULL: the usual path of Linux. Tests have files of their own. */
struct xpt_kfind_paths {
	const char *kallsyms, *filter, *blacklist, *btf_dir;
};

enum xpt_ktrace { XPT_KTRACE_UNKNOWN, XPT_KTRACE_YES, XPT_KTRACE_NO };

struct xpt_kfunc {
	const char *name, *module;	/* live as long as the finder */
	uint64_t addr;		/* 0: hidden from us */
	uint32_t same;		/* text symbols of that name, in modules and the kernel */
	uint8_t traceable;	/* enum xpt_ktrace: the kernel can be made to call us there */
	bool denied;		/* on the kernel's list of functions that no kprobe may have */
	bool has_proto;		/* proto is known, by an id that is no other function's */
	struct xpt_kproto proto;
};

struct xpt_kfind;

/* Tells a module from one of that name that is loaded later; 0: none is loaded. */
uint64_t xpt_kmodule__born(const char *module);
/* All modules that are loaded as one number, which any that comes or goes changes. */
uint64_t xpt_kmodules__now(void);
/* Returns that number as it was before the symbols were read. */
uint64_t xpt_kfind__modules(const struct xpt_kfind *f);

/* Reads the symbols. -EPERM, -ENOENT ...: there are none to be read. */
int xpt_kfind__new(const struct xpt_kfind_paths *paths, struct xpt_kfind **ret_f);
void xpt_kfind__free(struct xpt_kfind *f);	/* NULL is fine */
typedef bool (*xpt_kwant_fn)(void *ctx, const char *module, const char *name);

/*
 * Functions that are wanted, sorted by module and name. ret_v lives as long as
 * f, or until the next call; names and modules as long as f. 0 or -errno.
 */
int xpt_kfind__match_fn(struct xpt_kfind *f, xpt_kwant_fn want, void *ctx,
			const struct xpt_kfunc **ret_v, size_t *ret_n);
/*
 * Functions that match "MODULE:NAME" or "NAME" (globs; without a module: any),
 * with or without "kernel:" before it. Patterns are NULL-terminated.
 */
int xpt_kfind__match(struct xpt_kfind *f, const char *const *patterns,
		     const struct xpt_kfunc **ret_v, size_t *ret_n);
/* Every name that is a function, once for each module that has it. */
void xpt_kfind__each(const struct xpt_kfind *f,
		     void (*fn)(void *ctx, const char *module, const char *name), void *ctx);
/* The prototype as text, "" without type information; of a function that match() found. Returns
 * buf. */
char *xpt_kfind__text(const struct xpt_kfind *f, const struct xpt_kfunc *k, char *buf, size_t n);
/* The type information of a module (or of the kernel itself); NULL: it has none. */
const struct btf *xpt_kfind__btf(const struct xpt_kfind *f, const char *module);
/* The id of a function in that type information, for the kernel's own use; 0: none. */
uint32_t xpt_kfind__id(struct xpt_kfind *f, const char *module, const char *name);
/* Whether a function matches one of the patterns. */
bool xpt_kfind__wants(const char *const *patterns, const char *module, const char *name);
/* Splits a pattern; false: it is none (no name, too long). */
bool xpt_kfind__split(const char *pattern, char *module, char *name);

#endif
