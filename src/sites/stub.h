/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Forwarding stubs, as most exports of libcuda 470 to 550 are:
 *
 *	cmpl $constant, flag(%rip); je 1f; jmp *slot(%rip); 1: mov $4, %eax; ret
 *
 * The loader fills the slot with the address of the implementation, whose return
 * instructions end the calls that the stub forwards.
 */
#ifndef XPT_SITES_STUB_H
#define XPT_SITES_STUB_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_decoder;
struct xpt_elf;

struct xpt_stub {
	uint64_t impl;	/* address of the implementation */
	uint64_t exit;	/* address of the code that returns a constant; 0: none */
};

/* Decodes the function of size bytes (0: unknown) at vaddr. Returns false if it is no stub. */
bool xpt_stub__decode(const struct xpt_elf *elf, struct xpt_decoder *dec, uint64_t vaddr,
		      uint64_t size, struct xpt_stub *ret_stub);

#endif
