/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text for a terminal, wrapped between words. */
#ifndef XPT_RDMA_VERDICT_WRAPPED_H
#define XPT_RDMA_VERDICT_WRAPPED_H

#include <stddef.h>
#include "base/strbuf.h"

enum { XPT_RDMA_COLUMNS = 79 };

/* Appends the words of s, cleaned, from column *col on, which is moved; new lines begin with indent blanks. */
void xpt_rdma_wrapped__add(struct xpt_strbuf *sb, const char *s, size_t indent, size_t *col);
/* Appends s, "Label: text", as lines of its own. */
void xpt_rdma_wrapped__line(struct xpt_strbuf *sb, size_t indent, const char *s);

#endif
