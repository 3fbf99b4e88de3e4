/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Do the patterns of -f (and of `list`) name any function? Asked before a
 * command starts, so that a mistyped name does not cost a run.
 */
#ifndef XPT_SESSION_OPTIONS_FUNCTION_OPTION_H
#define XPT_SESSION_OPTIONS_FUNCTION_OPTION_H

#include "proc/maps.h"
#include "model/domain/domain.h"

/* Places to search for libraries, besides the tables of functions. All may be NULL or 0. */
struct xpt_functions_where {
	bool loader;			/* the libraries that the loader would find, for exe */
	const char *exe, *ld_library_path;
	const int *pids;		/* the libraries that these processes have mapped */
	unsigned nr_pids;
	const char *const *files;	/* NULL-terminated */
};

/*
 * domains and globs are NULL-terminated; no globs: nothing to check. Says of
 * each glob that matches nothing which names are near. -1: go on; otherwise an
 * exit status: libraries are known and no glob matches anything.
 */
int xpt_functions__check(const struct xpt_domain *const *domains, const char *const *globs,
			 const struct xpt_functions_where *where);

/* Says that there is no such domain and which there are; the exit status of a wrong usage. */
int xpt_functions__no_domain(const char *command, const char *name);

/* Calls fn for each file that the loader might take for a library of the domains. */
void xpt_functions__each_library(const struct xpt_domain *const *domains, const char *exe,
				 const char *ld_library_path,
				 void (*fn)(void *ctx, const char *path), void *ctx);

#endif
