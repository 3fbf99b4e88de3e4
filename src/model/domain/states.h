/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of states that probes give as numbers. The number of a state may mean
 * another one in another release of the program, so a domain has a table for
 * each; better is the program's own enum, where it has debug information.
 */
#ifndef XPT_MODEL_DOMAIN_STATES_H
#define XPT_MODEL_DOMAIN_STATES_H

#include <stddef.h>
#include <stdint.h>

#define XPT_STATES_MAX 32	/* of one kind */

struct xpt_domain;

struct xpt_release_states {
	unsigned since;		/* year and month as one number: 2107 */
	const char *const *names;	/* in order of their values from 0 on, NULL at the end */
};

struct xpt_states {
	uint8_t kind;		/* enum xpt_kind of the object */
	const char *type, *prefix;	/* the program's enum, and the prefix cut from its names; NULL: none */
	const struct xpt_release_states *releases;	/* ascending */
	size_t nr_releases;
};

/* NULL: objects of that kind have no states. release 0: the newest known. */
const char *const *xpt_states__names(const struct xpt_domain *d, unsigned kind, unsigned release);
const struct xpt_states *xpt_states__find(const struct xpt_domain *d, unsigned kind);

/* "24.01" after mark in these bytes, as one number: 2401; 0: there is none. */
unsigned xpt_release__find(const char *mark, const void *data, size_t n);
unsigned xpt_release__parse(const char *s);	/* "24.01", "v24.01-pre"; 0: no release */

#endif
