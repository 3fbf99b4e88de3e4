/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * USDT probes of an ELF file: the notes that <sys/sdt.h> leaves, one for each
 * place of a probe, with the place's arguments. Pure functions of the file; a
 * damaged note ends its section, an argument that cannot be read is marked and
 * costs nothing else.
 */
#ifndef XPT_ELF_USDT_H
#define XPT_ELF_USDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "elf/insn_class.h"
#include "wire/point.h"

struct xpt_elf;
struct xpt_usdt;

struct xpt_usdt_site {
	const char *provider, *name;
	const char *args;	/* as the compiler wrote them: "-4@%edi 8@16(%rsp)" */
	uint64_t vaddr, offset;	/* where the probe goes: an address and place of the file */
	uint64_t sema_offset;	/* file offset of its semaphore, 0: it has none */
	enum xpt_site_class cls;	/* of the instruction there */
	bool moved;		/* from a nop to the 5-byte nop after it */
	uint8_t nr_args;
	struct xpt_wire_loc loc[XPT_POINT_ARGS];
};

/*
 * Reads all notes; a file without any has 0 sites. nop5: a place that has a
 * 5-byte nop after its nop is that one, which newer kernels make a call. 0,
 * -ENOMEM, -E2BIG if there are more than any real file has. The sites live
 * until xpt_usdt__free(), and need elf no more.
 */
int xpt_usdt__read(const struct xpt_elf *elf, bool nop5, struct xpt_usdt **ret_usdt);
void xpt_usdt__free(struct xpt_usdt *u);	/* NULL is fine */
/* Sorted by provider, name and address. */
const struct xpt_usdt_site *xpt_usdt__sites(const struct xpt_usdt *u, size_t *ret_nr);

/* The address of a variable of the file; false if it has none or several of that name. */
typedef bool (*xpt_usdt_sym_fn)(void *ctx, const char *name, size_t len, uint64_t *ret_vaddr);
/*
 * Reads a note's arguments. site: the probe's address, to which operands
 * relative to %rip are made relative; absolute: addresses of the file are those
 * in memory. The number of arguments, at most XPT_POINT_ARGS.
 */
unsigned xpt_usdt__parse_args(const char *text, uint64_t site, bool absolute, xpt_usdt_sym_fn sym,
			      void *ctx, struct xpt_wire_loc *ret_loc);

#endif
