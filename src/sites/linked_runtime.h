/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that may hold a runtime which elsewhere is a library (static
 * libcudart). The result for a file is remembered until the file changes.
 */
#ifndef XPT_SITES_LINKED_RUNTIME_H
#define XPT_SITES_LINKED_RUNTIME_H

#include <stdbool.h>
#include "elf/elf.h"
#include "model/domain/domain.h"

struct xpt_programs;

/* domains: those to trace, NULL-terminated; they and pause (or NULL) outlive it. 0 or -ENOMEM. */
int xpt_programs__new(const struct xpt_domain *const *domains, const struct xpt_elf_pause *pause,
		      struct xpt_programs **ret_p);
void xpt_programs__free(struct xpt_programs *p);	/* NULL is fine */
/* Whether a file that is mapped under this name is worth opening: by name no library, and a
 * domain may be inside a program. */
bool xpt_programs__wants(const struct xpt_programs *p, const char *path);
/*
 * The domain that an open file holds, or NULL. fd stays open. name: for messages. ret_err: 0, or
 * why the file could not be read (as xpt_elf__open), returned once.
 */
const struct xpt_domain *xpt_programs__domain(struct xpt_programs *p, int fd, const char *name,
					      int *ret_err);
/* Makes it be examined again: the owner for whom it counted had no share left. */
void xpt_programs__forget(struct xpt_programs *p, int fd);
/* Whether elf is an executable that defines all marks of the domain. */
bool xpt_program__holds(const struct xpt_elf *elf, const struct xpt_domain *d);

#endif
