/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that may hold a runtime which elsewhere is a library (static
 * libcudart). What was found in a file is remembered until the file changes.
 */
#ifndef XPT_ENGINE_PROGRAM_H
#define XPT_ENGINE_PROGRAM_H

#include <stdbool.h>
#include "engine/elf.h"
#include "model/domain.h"

struct xpt_programs;

/* domains: those to trace, NULL-terminated; they outlive it. 0 or -ENOMEM. */
int xpt_programs__new(const struct xpt_domain *const *domains, struct xpt_programs **ret_p);
void xpt_programs__free(struct xpt_programs *p);	/* NULL is fine */
/* Whether a file that is mapped under this name is worth opening: by name no library, and a
 * domain may be inside a program. */
bool xpt_programs__wants(const struct xpt_programs *p, const char *path);
/* The domain that an open file holds, or NULL. fd stays open. name: for messages. */
const struct xpt_domain *xpt_programs__domain(struct xpt_programs *p, int fd, const char *name);
/* Whether elf is an executable that defines all marks of the domain. */
bool xpt_program__holds(const struct xpt_elf *elf, const struct xpt_domain *d);

#endif
