// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Decides how the return of a function is seen, see returns.h: by the file's
 * data on exceptions, and by the instructions that return_sites.c finds in the
 * function's code.
 */
#include "sites/returns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "elf/elf_priv.h"
#include "sites/return_reach.h"
#include "wire/cookie.h"

enum { SECTION_NAME = 24 };

/* Values of elf->language, for comparison by address. */
static const char go_program[] = "Go: its runtime moves stacks and reads return addresses";
static const char no_sections[] = "no table of sections: it may be a Go program";
static const char tables[] = "it has unwind tables";
static const char no_tables[] = "no unwinder can pass: the file has no unwind table";

const char *xpt_return_way_name(enum xpt_return_way way)
{
	return way == XPT_RETURN_PROBE ? "return probe" :
	       way == XPT_RETURN_SITES ? "instructions" : "not seen";
}

enum xpt_cost_kind xpt_returns__cost_kind(const struct xpt_site *site, const struct xpt_returns *returns)
{
	unsigned kind = site->cls == XPT_SITE_SINGLE_STEP ? XPT_COST_STEPPED : XPT_COST_EMULATED;
	uint32_t i;

	for (i = 0; i < returns->nr; i++)	/* jumps are emulated, `ret` is not */
		if (returns->site[i].cls == XPT_SITE_SINGLE_STEP)
			kind |= XPT_COST_RETURNS;
	return kind;
}

unsigned xpt_returns__call_ns(const struct xpt_site *site, const struct xpt_returns *returns)
{
	unsigned ns = xpt_site_class_ns(site->cls);

	if (ns && xpt_returns__cost_kind(site, returns) & XPT_COST_RETURNS)
		ns += xpt_site_class_ns(XPT_SITE_SINGLE_STEP) - xpt_site_class_ns(XPT_SITE_EMULATED);
	return ns;
}

/* --- the file -------------------------------------------------------------------------- */

static bool is_of_go(const char *section)
{
	return !strcmp(section, ".gopclntab") || !strcmp(section, ".note.go.buildid") ||
	       !strcmp(section, ".go.buildinfo");
}

/* Returns the kind of program (with unwind tables, without, of Go), by the names of the file's sections. */
static const char *read_language(const struct xpt_elf *elf)
{
	const char *what = elf->eh_hdr ? tables : no_tables;
	char name[SECTION_NAME];
	uint64_t names;
	size_t i;

	if (elf->shstrndx >= elf->nr_shdrs)
		return no_sections;
	names = elf->shdrs[elf->shstrndx].sh_offset;
	for (i = 0; i < elf->nr_shdrs; i++) {
		memset(name, 0, sizeof(name));
		xpt_elf__pread(elf, names + elf->shdrs[i].sh_name, name, sizeof(name) - 1);
		if (is_of_go(name))
			return go_program;
		if (!strcmp(name, ".eh_frame"))		/* its runtime may have it without PT_GNU_EH_FRAME */
			what = tables;
	}
	return what;
}

static const char *language_of(struct xpt_elf *elf)
{
	if (!elf->language)
		elf->language = read_language(elf);
	return elf->language;
}

/* --- the function ------------------------------------------------------------------------ */

/*
 * Without an entry in the unwind table no unwinder gets past the function, traced or not.
 * NULL: it has one, or that is not known.
 */
static const char *no_unwinder(struct xpt_elf *elf, uint64_t vaddr)
{
	struct xpt_fde fde;
	int err;

	if (language_of(elf) == no_tables)
		return no_tables;
	err = xpt_fde__find(elf, vaddr, &fde);
	xpt_fde__free(&fde);
	return err == -ENOENT && elf->eh_hdr && language_of(elf) == tables ?
	       "no unwinder can pass: it is not in the unwind table" : NULL;
}

int xpt_returns__find(struct xpt_elf *elf, const struct xpt_sym *sym, const struct xpt_site *site,
		      enum xpt_return_of of, struct xpt_returns *ret)
{
	*ret = (struct xpt_returns){ .of = of };
	if (of == XPT_RETURNS_C) {
		ret->reason = "C interface: no exception passes through it";
		return 0;
	}
	if (language_of(elf) == go_program) {
		ret->reason = go_program;
		ret->way = XPT_RETURN_UNSEEN;
		return 0;
	}
	ret->reason = no_unwinder(elf, site->vaddr);
	if (ret->reason)
		return 0;
	ret->reason = of == XPT_RETURNS_CALLBACK ? "it calls a function of the program, which may throw" :
		      xpt_return_reach__find(elf, site->impl_vaddr ? site->impl_vaddr : sym->vaddr);
	if (ret->reason)
		return xpt_return_sites__find(elf, sym, site, ret);
	ret->reason = "nothing that it runs can throw, end the thread, or run code of the program";
	return 0;
}

void xpt_returns__free(struct xpt_returns *returns)
{
	free(returns->site);
	memset(returns, 0, sizeof(*returns));
}

uint64_t *xpt_returns__probes(const uint64_t *offsets, const uint64_t *cookies, uint32_t n,
			      uint32_t *ret_nr)
{
	uint64_t *plain = calloc((size_t)n + 1, sizeof(*plain));
	uint32_t i, k = 0;

	for (i = 0; plain && i < n; i++)
		if (!(cookies[i] & (XPT_AT_RETURN | XPT_NO_RETURN_PROBE)))
			plain[k++] = offsets[i];
	*ret_nr = k;
	return plain;
}

uint32_t xpt_returns__sort_refused(const uint64_t *offsets, const uint64_t *cookies, uint32_t n, const bool *refused,
				   uint64_t *ret_offsets, uint64_t *ret_cookies)
{
	uint32_t k = 0, good = 0, bad = n;

	for (uint32_t i = 0; i < n; i++) {
		bool has_return = !(cookies[i] & (XPT_AT_RETURN | XPT_NO_RETURN_PROBE));
		uint32_t at = has_return && refused[k++] ? --bad : good++;

		ret_offsets[at] = offsets[i];
		ret_cookies[at] = cookies[i];
	}
	return good;
}
