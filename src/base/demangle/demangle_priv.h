/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Declarations that the parts of the demangler share: the reader of names,
 * types and expressions (demangle_type.c, demangle_name.c, demangle_expr.c).
 * All text is appended to one arena of fixed size and referred to by spans;
 * running out of arena, depth, steps or table makes the whole name unreadable.
 */
#ifndef XPT_BASE_DEMANGLE_DEMANGLE_PRIV_H
#define XPT_BASE_DEMANGLE_DEMANGLE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XPT_DM_ARENA (256u << 10)	/* bytes; an inner type is copied once a level */
#define XPT_DM_SUBS 512
#define XPT_DM_ARGS 64			/* template arguments, members of packs apart */
#define XPT_DM_MEMBERS 256		/* of packs */
#define XPT_DM_DEPTH 128
#define XPT_DM_STEPS 20000		/* types and expressions, with repetitions of packs */

struct xpt_span {
	uint32_t off, len;
};

enum xpt_dm_shape {
	XPT_DM_PLAIN,		/* a pointer to it: left* right */
	XPT_DM_FUNCTION,	/* left(*)right */
	XPT_DM_ARRAY,		/* left (*)right */
};

/* A type as text around the place of its declarator: "void (*" and ")(int)". */
struct xpt_dm_type {
	struct xpt_span left, right;
	enum xpt_dm_shape shape;
};

struct xpt_dm_arg {
	struct xpt_dm_type type;
	bool pack;
	uint16_t first, nr;	/* members of a pack */
};

struct xpt_dm_args {
	unsigned nr;
	struct xpt_dm_arg arg[XPT_DM_ARGS];
};

struct xpt_dm {
	const char *s, *end;
	bool bad;
	unsigned depth, steps;
	unsigned nr_subs, nr_members;
	struct xpt_dm_type sub[XPT_DM_SUBS], member[XPT_DM_MEMBERS];
	struct xpt_dm_args args;	/* of the template whose name or signature is read */
	bool closure;		/* reading a lambda's parameters, where T_ means auto */
	int pack_index;		/* member of packs that T_ stands for, -1: outside of expansions */
	int pack_nr;		/* members of the pack that an expansion named, -1: none yet */
	uint32_t len;
	char buf[XPT_DM_ARENA];
};

struct xpt_dm_name {
	struct xpt_span text;	/* a::b<int> */
	struct xpt_span last;	/* b: the name of its constructors */
	struct xpt_span quals;	/* " const" of a member function */
	bool args;		/* it ends in template arguments */
	bool bare;		/* constructor or conversion: no return type follows */
};

struct xpt_dm_op {
	char code[3];
	uint8_t operands;
	const char *text;
};

/* --- demangle_read.c: characters and text --- */
char xpt_dm__peek(const struct xpt_dm *d);		/* '\0' at the end */
char xpt_dm__peek2(const struct xpt_dm *d);		/* the character after that */
bool xpt_dm__eat(struct xpt_dm *d, const char *what);
bool xpt_dm__number(struct xpt_dm *d, unsigned *ret_n);	/* decimal; false: none */
bool xpt_dm__seq(struct xpt_dm *d, unsigned *ret_n);	/* [base 36] _ : 0, 1 ... */
bool xpt_dm__enter(struct xpt_dm *d);			/* false: too deep or too long */
void xpt_dm__put(struct xpt_dm *d, const char *s, size_t n);
/* Joins strings (%s), numbers (%u) and spans (%p: const struct xpt_span *). */
struct xpt_span xpt_dm__join(struct xpt_dm *d, const char *fmt, ...);
struct xpt_span xpt_dm__text(struct xpt_dm *d, const struct xpt_dm_type *t);
struct xpt_dm_type xpt_dm__plain(struct xpt_span text);
void xpt_dm__add_sub(struct xpt_dm *d, struct xpt_dm_type t);
const struct xpt_dm_op *xpt_dm__find_op(const struct xpt_dm *d);	/* at d->s, or NULL */

/* --- the grammar --- */
struct xpt_span xpt_dm__encoding(struct xpt_dm *d, bool top);
void xpt_dm__name(struct xpt_dm *d, struct xpt_dm_name *n, bool top);
void xpt_dm__unqualified(struct xpt_dm *d, struct xpt_dm_name *n);
struct xpt_span xpt_dm__args(struct xpt_dm *d, bool top);	/* "<int, 4>" */
struct xpt_dm_type xpt_dm__type(struct xpt_dm *d);
struct xpt_dm_type xpt_dm__param(struct xpt_dm *d);		/* after T */
struct xpt_dm_type xpt_dm__substitution(struct xpt_dm *d);	/* after S */
struct xpt_dm_type xpt_dm__expansion(struct xpt_dm *d, bool expr);	/* after Dp or sp */
struct xpt_span xpt_dm__params(struct xpt_dm *d);		/* "(int, float)" */
struct xpt_span xpt_dm__expr(struct xpt_dm *d);
struct xpt_span xpt_dm__literal(struct xpt_dm *d);		/* L...E */

#endif
