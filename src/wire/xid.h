/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An error report of NVIDIA's driver (Xid), as bpf/kernel/xid.bpf.h sends it to the engine.
 * Reports have a ring of their own, because they are rare and large.
 */
#ifndef XPT_WIRE_XID_H
#define XPT_WIRE_XID_H

#include <linux/types.h>

#define XPT_XID_WORDS 8		/* arguments of the driver's format string that are kept */
#define XPT_XID_WORD_LEN 64	/* bytes of an argument that is a string */
#define XPT_XID_RING 65536

struct xpt_wire_xid {
	__u64 ts_ns;
	__u32 xid;
	__u32 source;		/* enum xpt_xid_source */
	__u32 nr_words;		/* 0: text is the report itself, else its format */
	__u32 pad;
	char device[32];	/* "0000:3b:00.0" */
	char text[256];
	__u64 word[XPT_XID_WORDS];
	char str[XPT_XID_WORDS][XPT_XID_WORD_LEN];	/* the string at that address, if there is one */
};

_Static_assert(sizeof(struct xpt_wire_xid) == 24 + 32 + 256 + 64 + 512, "padding");

#endif
