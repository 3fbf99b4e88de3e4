/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Signatures: the parameters of a function, their kinds and the words that they
 * take. A domain's tables (src/domains/X/X_sigs.h, made by scripts/gen-sigs)
 * are lines of text; the needed part of a line is read when a function is
 * attached or a recording names it, never per call. A line that cannot be read
 * ends there.
 *
 *   functions   NAME PARAMETER:TYPE ...      sorted by name
 *   structs     NAME BYTES FIELD:TYPE@OFFSET ...
 *   enums       NAME PREFIX VALUE=CONSTANT CONSTANT ...
 *
 * TYPE: i4 u8 f4  signed, unsigned, floating point and its bytes
 *       h8        a handle or device address       p  a pointer to whatever
 *       s         a C string                       F  a pointer to a function
 *       e3 e3w    constant number 3 of enums, 4 or 8 bytes
 *       t3        struct number 3, by value        b64  any other of 64 bytes
 *       pt3       pointer to a struct that is read
 *       oTYPE     pointer to one TYPE that is written, or to room for it
 *
 * A constant without a value is one above the one before it; PREFIX "-" is
 * none; a name that begins with | holds flags. Parameters on which versions of
 * a library differ are left out, with all behind them.
 */
#ifndef XPT_MODEL_DOMAIN_SIG_H
#define XPT_MODEL_DOMAIN_SIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strbuf.h"
#include "wire/wire.h"

struct xpt_sigs {	/* a domain's tables */
	const char *const *fns, *const *structs, *const *enums;
	size_t nr_fns, nr_structs, nr_enums;
};

/* The signatures of a generated file. */
#define XPT_SIGS { \
	sig_fns, sig_structs, sig_enums, sizeof(sig_fns) / sizeof(sig_fns[0]), \
	sizeof(sig_structs) / sizeof(sig_structs[0]), sizeof(sig_enums) / sizeof(sig_enums[0]) }

enum xpt_sig_kind {
	XPT_SIG_NONE,		/* not known */
	XPT_SIG_INT,
	XPT_SIG_UINT,
	XPT_SIG_FLOAT,
	XPT_SIG_HANDLE,
	XPT_SIG_POINTER,
	XPT_SIG_STRING,
	XPT_SIG_FUNCTION,
	XPT_SIG_ENUM,
	XPT_SIG_STRUCT,		/* one of the table */
	XPT_SIG_BYTES,		/* any other struct by value */
	XPT_SIG_DEVICE,		/* 12 bits of major, 20 of minor; in no table, as the next */
	XPT_SIG_IOCTL,		/* a command */
};

enum xpt_sig_via {
	XPT_SIG_VALUE,		/* the parameter itself */
	XPT_SIG_IN,		/* the parameter points to it; it is read */
	XPT_SIG_OUT,		/* the parameter points to it; it is written */
};

struct xpt_sig_type {
	uint8_t kind;		/* enum xpt_sig_kind */
	uint8_t via;		/* enum xpt_sig_via */
	uint16_t size;		/* bytes of the thing itself, not of the pointer to it */
	uint16_t id;		/* ENUM, STRUCT: line of that table */
};

/* Parameters that a probe cannot read (floating point) lie here. */
#define XPT_SIG_NO_WORD 0xff

struct xpt_sig_param {
	const char *name;	/* in the table, not terminated */
	uint16_t len;
	struct xpt_sig_type type;
	uint8_t word, words;	/* as in struct xpt_wire_cap: first word, number of words */
	uint16_t off;		/* fields: offset in the struct */
};

/* A place in a line of a table. */
struct xpt_sig {
	const struct xpt_sigs *tables;
	const char *rest;
	uint8_t regs, floats, stack;	/* words taken so far */
	bool fields;
};

/*
 * The signature of an exported function: of that very name, else of the name
 * without _ptsz or _ptds. Other versions (_v2) have lines of their own, so one
 * that the table lacks has no signature. False: none. t may be NULL.
 */
bool xpt_sig__find(const struct xpt_sigs *t, const char *sym, struct xpt_sig *ret_sig);
/* The fields of a struct; false: no such line. */
bool xpt_sig__struct(const struct xpt_sigs *t, uint16_t id, struct xpt_sig *ret_sig);
/* The next parameter or field; false: that was all. */
bool xpt_sig__next(struct xpt_sig *sig, struct xpt_sig_param *ret_p);
const char *xpt_sig__enum(const struct xpt_sigs *t, uint16_t id);	/* its line, or NULL */

/* Appends the constant's name, flags as A|B, with bits that have no name in hex.
 * False, and nothing appended: no name fits. */
bool xpt_enum__add(struct xpt_strbuf *sb, const char *line, uint64_t v);

/* The value of such a text; false: some name in it is no constant of this line. */
bool xpt_enum__value(const char *line, const char *text, uint64_t *ret_v);

/* The type of a captured value. */
struct xpt_cap_type {
	uint8_t kind;		/* enum xpt_sig_kind */
	const char *constants;	/* ENUM: for xpt_enum__add */
};

/* Returns the type of the value that a capture of function sym reads, found by
 * its place and checked by its name; kind NONE if the tables do not have it. t
 * may be NULL. */
struct xpt_cap_type xpt_sig__cap_type(const struct xpt_sigs *t, const char *sym,
				      const struct xpt_wire_cap *cap, const char *name);

#endif
