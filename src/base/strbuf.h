/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A growing text buffer with a maximum. After a failed append the buffer keeps
 * its text and xpt_strbuf__err() returns the error; later appends do nothing,
 * so callers check once at the end.
 */
#ifndef XPT_BASE_STRBUF_H
#define XPT_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

struct xpt_strbuf {
	char *s;	/* NUL-terminated; NULL while empty and never grown */
	size_t len, cap, max;
	int err;	/* 0, -ENOMEM or -E2BIG (max reached) */
};

/* max: bytes the buffer may hold, without the final NUL. */
void xpt_strbuf__init(struct xpt_strbuf *sb, size_t max);
void xpt_strbuf__free(struct xpt_strbuf *sb);	/* NULL and zeroed are fine */
void xpt_strbuf__reset(struct xpt_strbuf *sb);	/* empty again, memory kept, err cleared */
int xpt_strbuf__err(const struct xpt_strbuf *sb);
const char *xpt_strbuf__str(const struct xpt_strbuf *sb);	/* never NULL */
void xpt_strbuf__grow_addn(struct xpt_strbuf *sb, const void *s, size_t n);	/* for the next */

/* Inline, so that a line of a hundred short pieces is a hundred short copies. */
static inline void xpt_strbuf__addn(struct xpt_strbuf *sb, const void *s, size_t n)
{
	if (sb->err || n >= sb->cap - sb->len) {
		xpt_strbuf__grow_addn(sb, s, n);
		return;
	}
	if (n)
		memcpy(sb->s + sb->len, s, n);
	sb->len += n;
	sb->s[sb->len] = '\0';
}

static inline void xpt_strbuf__add(struct xpt_strbuf *sb, const char *s)
{
	xpt_strbuf__addn(sb, s, strlen(s));
}

static inline void xpt_strbuf__addc(struct xpt_strbuf *sb, char c)
{
	xpt_strbuf__addn(sb, &c, 1);
}

void xpt_strbuf__addf(struct xpt_strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void xpt_strbuf__addu64(struct xpt_strbuf *sb, unsigned long long v);	/* decimal, fast */
/* v / 10^digits with all its digits after the point, e.g. 12.000345678; digits: 1 to 20 */
void xpt_strbuf__add_fixed(struct xpt_strbuf *sb, unsigned long long v, unsigned digits);
/* Appends s as a JSON string with quotes; invalid UTF-8 becomes U+FFFD. */
void xpt_strbuf__add_json(struct xpt_strbuf *sb, const char *s);

#endif
