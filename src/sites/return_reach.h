/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decides whether an unwinder may meet the frame of a function, by the code that the function may run as far as its
 * file shows it; for returns.c.
 */
#ifndef XPT_SITES_RETURN_REACH_H
#define XPT_SITES_RETURN_REACH_H

#include <stdint.h>

struct xpt_elf;

/*
 * Returns NULL if the function that begins at vaddr, and the code that it calls and jumps to, are all in the file and
 * call nothing else but functions of the C library that neither throw, nor end the thread, nor run functions of the
 * program. Else returns static text about the first code that may do so, or that is not understood. Never returns
 * NULL for a function that may be unwound.
 */
const char *xpt_return_reach__find(struct xpt_elf *elf, uint64_t vaddr);

#endif
