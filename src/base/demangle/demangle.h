/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Readable C++ names. Names come from traced programs: whatever they contain, both functions take bounded time,
 * memory and stack.
 */
#ifndef XPT_BASE_DEMANGLE_DEMANGLE_H
#define XPT_BASE_DEMANGLE_DEMANGLE_H

#include <stdbool.h>
#include "base/strbuf.h"

#define XPT_MANGLED_MAX 1023	/* bytes of a name that is looked at as a whole */

/*
 * Appends the declaration of the mangled name (_Z...): "void gemm<float>(int)". For a name that is cut, too long, or
 * too complex for the limits, appends the leading part: "cutlass::Kernel<...>". Returns false if it is not a mangled
 * name: then nothing was appended.
 */
bool xpt_demangle(const char *mangled, struct xpt_strbuf *sb);
/* Appends a demangled name without template arguments, parameters and return
 * type: "gemm", "at::native::reduce_kernel", "f::{lambda#1}::operator()". */
void xpt_demangle_short(const char *name, struct xpt_strbuf *sb);

#endif
