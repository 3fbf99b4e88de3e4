/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Unwind tables (.eh_frame): the extent of a function's code, and where its
 * return address is at each instruction. DWARF 5, 6.4; LSB Core 5, 10.6. Tables
 * are read through .eh_frame_hdr, which the linker sorts by address.
 */
#ifndef XPT_ELF_EH_FRAME_H
#define XPT_ELF_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xpt_elf;

struct xpt_cfa_row {		/* from this address to that of the next row */
	uint64_t vaddr;
	bool at_return;		/* the stack pointer points to the return address */
};

struct xpt_fde {		/* one contiguous piece of code */
	uint64_t start, end;	/* end: after its last byte */
	bool personality;	/* unwinding through it may run code of its own */
	struct xpt_cfa_row *row;	/* ascending, the first at start */
	size_t nr_rows;
};

/*
 * The entry that covers vaddr. 0; -ENOENT if there is none, or no table;
 * -ENOEXEC if the table is damaged or in an encoding that linkers do not
 * write; -ENOMEM.
 */
int xpt_fde__find(const struct xpt_elf *elf, uint64_t vaddr, struct xpt_fde *ret_fde);
void xpt_fde__free(struct xpt_fde *fde);
/* Whether the stack pointer points to the return address before the instruction at vaddr. */
bool xpt_fde__at_return(const struct xpt_fde *fde, uint64_t vaddr);

#endif
