/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Who jumps to a place in a file's code, for return_sites.c.
 */
#ifndef XPT_SITES_CODE_JUMPS_H
#define XPT_SITES_CODE_JUMPS_H

#include <stdbool.h>
#include <stdint.h>

struct xpt_elf;

/*
 * Whether more than one jump of the file's code leads to vaddr, also where there is too much
 * code to be searched, or no memory. The first call reads all of the code, later ones rarely.
 */
bool xpt_code_jumps__are_many(struct xpt_elf *elf, uint64_t vaddr);

#endif
