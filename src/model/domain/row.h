/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of a domain's table of functions: what a function does, and which values of a call are captured.
 *
 * A row names a function without its ABI suffixes. It stands for every exported variant:
 * an export E takes the row that is named like E, else like E without _ptsz/_ptds, else
 * like that without _v<N>. So a variant whose arguments differ gets a row of its own
 * (cuCtxSynchronize_v2).
 */
#ifndef XPT_MODEL_DOMAIN_ROW_H
#define XPT_MODEL_DOMAIN_ROW_H

#include <stddef.h>
#include <stdint.h>
#include "wire/wire.h"

struct xpt_sigs;

struct xpt_cap {
	struct xpt_wire_cap wire;
	const char *name;	/* the argument's name in the public header */
};

struct xpt_fn_row {
	const char *sym;
	uint8_t cls;		/* enum xpt_class */
	uint8_t ret;		/* enum xpt_ret */
	struct xpt_cap cap[XPT_MAX_VALS];	/* ends at the first XPT_CAP_NONE */
	uint8_t kind;		/* enum xpt_kind of the object that ALLOC, REGISTER, CREATE open */
	/*
	 * Parameters that are captured before those of cap, by their names in the signature of sym, which has word,
	 * width and sign, and whether it is read at return; each with its role, VALUE where none is given: "dptr=addr
	 * flags". "*": all numbers (VALUE) and handles (HANDLE). NULL: none.
	 */
	const char *args;
};

#define XPT_CAP_NAME 64		/* bytes of a capture's name, NUL included */

/* All captures of a row. Names are those of the row's own captures, or in name. */
struct xpt_row_caps {
	unsigned nr;
	struct xpt_cap cap[XPT_MAX_VALS];
	char name[XPT_MAX_VALS][XPT_CAP_NAME];
};

/*
 * Shorthand for rows: XPT_FN("cuMemFree_v2", FREE, XPT_VAL(0, 8, ADDR, "dptr")).
 * a is the argument word (struct xpt_wire_cap), o an offset in bytes, w a width
 * in bytes, r a role without its prefix, n the header's name of the argument or
 * field. The result is a status unless XPT_FN_RET names another enum xpt_ret.
 */
#define XPT_FN(s, c, ...) XPT_FN_RET(s, c, NONE, STATUS, __VA_ARGS__)
#define XPT_FN_KIND(s, c, k, ...) XPT_FN_RET(s, c, k, STATUS, __VA_ARGS__)
#define XPT_FN_RET(s, c, k, ret, ...) \
	{ s, XPT_CLASS_##c, XPT_RET_##ret, { __VA_ARGS__ }, XPT_KIND_##k, NULL }
/* A row with parameters by name: XPT_FN_ARGS("cuMemFree_v2", FREE, NONE, "dptr=addr"). */
#define XPT_FN_ARGS(s, c, k, args, ...) \
	{ s, XPT_CLASS_##c, XPT_RET_STATUS, { __VA_ARGS__ }, XPT_KIND_##k, args }
#define XPT_VAL(a, w, r, n) XPT_VALS(a, 0, w, r, n)
#define XPT_INT(a, r, n) XPT_VALS(a, 0, 4 | 0x80, r, n)	/* int: sign-extended */
/* Shifted right by s bits before the cut to w bytes, or left by -s after it. */
#define XPT_VALS(a, s, w, r, n) { { XPT_CAP_VAL, a, w, XPT_ROLE_##r, s }, n }
#define XPT_DEREF(a, o, w, r, n) { { XPT_CAP_DEREF, a, w, XPT_ROLE_##r, o }, n }
#define XPT_OUT(a, w, r, n) XPT_OUTO(a, 0, w, r, n)
#define XPT_OUTO(a, o, w, r, n) { { XPT_CAP_OUT, a, w, XPT_ROLE_##r, o }, n }
/* The C string that the argument points to; XPT_OUT(a, 8, NAME, n): that the callee
 * pointed the argument to. One of the two in a row. */
#define XPT_STRING(a, n) { { XPT_CAP_STR, a, 8, XPT_ROLE_NAME, 0 }, n }
#define XPT_RETURNED(w, r, n) { { XPT_CAP_RET, 0, w, XPT_ROLE_##r, 0 }, n }
/* Bytes of one element, by the enum that the argument holds, which knows k values (12 at
 * most): l is the logarithms of their sizes, two bits each, the lowest first. */
#define XPT_BYTES_OF(a, k, l, n) \
	{ { XPT_CAP_BYTES, a, 8, XPT_ROLE_SIZE, (int32_t)((unsigned)(k) << 24 | (l)) }, n }
/* A hash of b bytes: of a struct by value (a: its first stack word), after a pointer, or
 * after a pointer once the call has filled it. */
#define XPT_HASH(a, b, r, n) { { XPT_CAP_HASH, a, 8, XPT_ROLE_##r, b }, n }
#define XPT_OUT_HASH(a, b, r, n) { { XPT_CAP_OUT_HASH, a, 8, XPT_ROLE_##r, b }, n }
/* Bytes of the array whose descriptor the argument points to; l: XPT_ARRAY_* (wire/array.h). */
#define XPT_ARRAY_BYTES(a, l) { { XPT_CAP_ARRAY, a, 8, XPT_ROLE_SIZE, l }, "bytes" }
/* The direction of a copy by its descriptor: s and d are the offsets of the CUmemorytypes. */
#define XPT_SIDES(a, s, d) { { XPT_CAP_SIDES, a, 4, XPT_ROLE_DIR, (s) | (d) << 16 }, "dir" }
#define XPT_DIRECTION(d) { { XPT_CAP_CONST, 0, 4, XPT_ROLE_DIR, XPT_DIR_##d }, "dir" }
#define XPT_MAKES_CURRENT(h) { { XPT_CAP_CONST, 0, 4, XPT_ROLE_CURRENT, XPT_CURRENT_##h }, "current" }

/* The captures of a row, in their order, with the signatures of its domain (or NULL). row NULL: none. */
void xpt_row__caps(const struct xpt_sigs *sigs, const struct xpt_fn_row *row, struct xpt_row_caps *ret_caps);

#endif
