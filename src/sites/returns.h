/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the return of a function is seen. A return probe (uretprobe) replaces
 * the return address on the stack, and an unwinder that meets it ends the
 * program: an exception or the cancellation of a thread. Where one may pass,
 * probes go on the function's own return instructions instead, which change
 * nothing that an unwinder reads. docs/probe-sites.md has the rules.
 */
#ifndef XPT_SITES_RETURNS_H
#define XPT_SITES_RETURNS_H

#include <stdbool.h>
#include <stdint.h>
#include "sites/site.h"
#include "wire/wire.h"

struct xpt_elf;
struct xpt_sym;

enum xpt_return_way {
	XPT_RETURN_PROBE,	/* a return probe */
	XPT_RETURN_SITES,	/* probes on its return instructions and the jumps that end it */
	XPT_RETURN_UNSEEN,	/* neither is safe and complete */
};

struct xpt_return_site {
	uint64_t offset;	/* in the file */
	uint32_t flags;		/* XPT_AT_* of wire/cookie.h */
	enum xpt_site_class cls;
};

/* The origin of the functions. */
enum xpt_return_of {
	XPT_RETURNS_ANY,	/* the user names it: look at the file */
	XPT_RETURNS_C,		/* of a C interface that neither throws nor calls back: return probe */
	XPT_RETURNS_CALLBACK,	/* it runs a function of the program, which may throw */
};

struct xpt_returns {
	enum xpt_return_way way;
	enum xpt_return_of of;
	const char *reason;	/* static text: why that way */
	struct xpt_return_site *site;	/* of SITES; ascending, one per offset */
	uint32_t nr;
};

/* site: where the probe of the entry goes. 0 or -ENOMEM; to be freed. */
int xpt_returns__find(struct xpt_elf *elf, const struct xpt_sym *sym, const struct xpt_site *site,
		      enum xpt_return_of of, struct xpt_returns *ret_returns);
void xpt_returns__free(struct xpt_returns *returns);
/* Returns those of n places that get a return probe, to be freed; NULL: no memory. */
uint64_t *xpt_returns__probes(const uint64_t *offsets, const uint64_t *cookies, uint32_t n,
			      uint32_t *ret_nr);
/*
 * Copies the n places, those last whose return probe was refused: refused[k] is about the k-th one of
 * xpt_returns__probes(). Returns how many come before them.
 */
uint32_t xpt_returns__sort_refused(const uint64_t *offsets, const uint64_t *cookies, uint32_t n, const bool *refused,
				   uint64_t *ret_offsets, uint64_t *ret_cookies);
/* Returns the kind of cost of a call whose probes go there. */
enum xpt_cost_kind xpt_returns__cost_kind(const struct xpt_site *site, const struct xpt_returns *returns);
/* Returns that cost, about, in ns: for callers that do not measure it. 0: no probe goes there. */
unsigned xpt_returns__call_ns(const struct xpt_site *site, const struct xpt_returns *returns);
/* "return probe", "instructions", "not seen". */
const char *xpt_return_way_name(enum xpt_return_way way);

/*
 * Finds the return instructions (in return_sites.c): sets way, site and nr, and reason if the way is not SITES: the
 * function calls nothing (PROBE), or its ends could not be found (UNSEEN). Returns 0 or -ENOMEM.
 */
int xpt_return_sites__find(struct xpt_elf *elf, const struct xpt_sym *sym,
			   const struct xpt_site *site, struct xpt_returns *ret);

#endif
