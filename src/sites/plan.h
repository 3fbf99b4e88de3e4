/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Plans: which functions of a file are traced, where their probes go, and how
 * their returns are seen.
 */
#ifndef XPT_SITES_PLAN_H
#define XPT_SITES_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include "sites/returns.h"
#include "sites/site.h"
#include "model/domain/domain.h"

struct xpt_elf;

/* One function of a library as it would be attached. */
struct xpt_plan {
	const char *sym;		/* lives as long as the elf */
	uint64_t sym_vaddr;		/* distinguishes versions of the name */
	const struct xpt_domain *domain;
	const struct xpt_fn_row *row;	/* NULL: by the domain's catch_all */
	struct xpt_site site;
	struct xpt_returns returns;
};

/*
 * Which functions of an ELF file are traced and where, one per address. The
 * caller frees *ret_plan with xpt_plan__free(). Returns their number or -ENOMEM, or the
 * error of xpt_elf__error(). d: the domain. ret_left_out (or NULL): names beyond
 * XPT_MAX_FNS; those that d has tables of go first.
 */
int xpt_plan__make(struct xpt_elf *elf, const struct xpt_domain *d, const char *const *functions,
		   bool move_sites, struct xpt_plan **ret_plan, uint32_t *ret_left_out);
void xpt_plan__free(struct xpt_plan *plan, int n);	/* n negative: an error, there is no plan */
/* Whether a function's name, or its name without suffixes, matches one of the globs
 * (NULL-terminated; NULL or none: all match) and none of those with ! before them. */
bool xpt_plan__wants(const char *const *functions, const char *sym);
/* The same for an open file: also a program that has the library linked into it. */
const struct xpt_domain *xpt_plan__domain_of(const struct xpt_domain *const *domains,
					     const char *path, const struct xpt_elf *elf);
/* The domain whose library globs match the file name of path, or NULL. */
const struct xpt_domain *xpt_plan__domain(const struct xpt_domain *const *domains,
					  const char *path);

#endif
