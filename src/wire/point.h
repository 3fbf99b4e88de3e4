/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Points: probes at places where nothing returns, and where the arguments of
 * each place lie. A place of a USDT probe has its own locations, as its
 * compiler chose them; a function's first instruction has those of the calling
 * convention. Nothing of this is stored in recordings.
 */
#ifndef XPT_WIRE_POINT_H
#define XPT_WIRE_POINT_H

#include <linux/types.h>

#define XPT_POINT_ARGS 12	/* systemtap's macros have no more */
#define XPT_POINT_SITES 16384u	/* struct xpt_wire_site of one trace at most */

enum xpt_loc_kind {
	XPT_LOC_NONE = 0,	/* cannot be read: floating point, thread-local, unknown */
	XPT_LOC_CONST = 1,	/* off itself */
	XPT_LOC_REG = 2,	/* register base, shifted right by scale bits */
	XPT_LOC_MEM = 3,	/* memory at base + (index << scale) + off */
	/* Of tracepoints, at off in the record: */
	XPT_LOC_FIELD = 4,	/* a number */
	XPT_LOC_FIELD_AT = 5,	/* the address of an array */
	XPT_LOC_FIELD_DATA = 6,	/* the address of data that this word says where it is, */
	XPT_LOC_FIELD_REL = 7,	/* or how far after this word */
};

/* Registers by number: the order of their encoding, then two that addresses may have. */
enum {
	XPT_REG_RAX, XPT_REG_RCX, XPT_REG_RDX, XPT_REG_RBX, XPT_REG_RSP, XPT_REG_RBP,
	XPT_REG_RSI, XPT_REG_RDI, XPT_REG_R8, XPT_REG_R9, XPT_REG_R10, XPT_REG_R11,
	XPT_REG_R12, XPT_REG_R13, XPT_REG_R14, XPT_REG_R15,
	XPT_REG_SITE,		/* the address of the probe itself */
	XPT_REG_ZERO,		/* none: 0 */
	XPT_REG__MAX
};

struct xpt_wire_loc {
	__u8 kind;		/* enum xpt_loc_kind */
	__u8 width;		/* bytes: 1, 2, 4, 8; | 0x80 = sign-extend */
	__u8 base, index;	/* XPT_REG_* */
	__u8 scale;		/* MEM: 0 to 3; REG: bits to shift right */
	__u8 pad[3];
	__s64 off;
};

/* One place. The attach cookie is its index, and the function's id below. */
struct xpt_wire_site {
	__u32 nr_locs;
	__u32 pad;
	struct xpt_wire_loc loc[XPT_POINT_ARGS];
};

/* A function of a tracepoint, by its index. The kernel takes a program once per tracepoint. */
struct xpt_wire_tp {
	struct xpt_wire_site site;
	__u32 fn;
	__u32 next;		/* 1 + index of another function of the same, 0: none */
	__u32 stack;		/* of the first: 1: some of them want the stack */
	__u32 pad;
};

#define XPT_TRACEPOINTS 512u	/* of one trace at most */
#define XPT_TP_HOOKS 8u		/* of one tracepoint at most */
#define XPT_POINT_COOKIE(site, fn) ((__u64)(site) << 32 | (fn))

_Static_assert(sizeof(struct xpt_wire_loc) == 16, "argument location");
_Static_assert(sizeof(struct xpt_wire_site) == 8 + 16 * XPT_POINT_ARGS, "probe site");

#endif
