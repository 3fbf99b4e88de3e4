/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the files of the site resolver share: site_find.c proposes places that
 * would be cheaper, site_refs.c refutes those that the file shows to be
 * reachable in another way, site_sweep.c decodes code for it.
 */
#ifndef XPT_SITES_SITE_PRIV_H
#define XPT_SITES_SITE_PRIV_H

#include "elf/insn_class.h"
#include "elf/insn.h"
#include "elf/elf_priv.h"

/* A cheaper place for a symbol's probe. Addresses of the file; 0: none. */
struct xpt_site_cand {
	uint64_t sym;		/* the symbol's address */
	uint64_t at;		/* where the probe would go */
	enum xpt_site_class cls;	/* of the instruction there */
	bool stub;		/* else behind endbr64 */
	uint64_t impl, slot, exit;	/* stub only */
	uint64_t jmp_end, jcc_end;	/* ends of the stub's own references to slot and exit */
	unsigned slot_relocs;	/* relocations that give the slot this implementation */
	const char *refuted;	/* NULL: nothing speaks against it; else static text */
};

/* Where instructions are known to begin: unwind table, symbols, implementations. */
struct xpt_sweep {
	const struct xpt_elf *elf;
	struct xpt_decoder *dec;
	uint64_t *anchors;	/* ascending */
	size_t nr, cap;
	uint64_t pos;	/* an instruction boundary that the last walk reached */
	uint64_t budget;	/* bytes of code that may still be decoded */
	uint8_t *code;
};

enum xpt_sweep_answer {
	XPT_SWEEP_NO,
	XPT_SWEEP_YES,
	XPT_SWEEP_UNKNOWN,	/* no known beginning, bytes that do not decode, too much */
};

int xpt_sweep__init(struct xpt_sweep *sw, const struct xpt_elf *elf, struct xpt_decoder *dec);
void xpt_sweep__free(struct xpt_sweep *sw);
int xpt_sweep__add(struct xpt_sweep *sw, uint64_t vaddr);	/* 0 or -ENOMEM */
void xpt_sweep__sort(struct xpt_sweep *sw);	/* after the last add */
/*
 * Whether an instruction that ends at end names target. data: target is a
 * pointer in data, and code that stores to it, or copies it to other memory,
 * does not count, because neither calls what it names.
 */
enum xpt_sweep_answer xpt_sweep__refers(struct xpt_sweep *sw, uint64_t end, uint64_t target,
					bool data);
/* Whether the code before vaddr may run into it. */
enum xpt_sweep_answer xpt_sweep__falls_into(struct xpt_sweep *sw, uint64_t vaddr);

/*
 * Sets refuted where something else in the file can reach a candidate's place
 * or slot. cand: sorted by sym, one per address. 0, or -errno when nothing is
 * proven (then none may be used).
 */
int xpt_site__refute(const struct xpt_elf *elf, struct xpt_decoder *dec,
		     struct xpt_site_cand *cand, size_t nr);

#endif
