/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings and messages of the programs of target.bpf.c, as both sides see
 * them. Nothing of this is stored in recordings.
 */
#ifndef XPT_WIRE_HOLD_H
#define XPT_WIRE_HOLD_H

#include "wire/wire.h"

/*
 * Holding (target.bpf.c): a file whose name begins like this has to be looked at
 * before it is mapped. The comparison is of two words under a mask.
 */
#define XPT_HOLD_NAMES 32
#define XPT_FILE_NAME 256	/* NAME_MAX of <linux/limits.h>, with its NUL */
#define XPT_HOLD_SLOTS 256

/* Whether the engine answers: if it is late, no process waits until it answers again. */
enum xpt_hold_silence { XPT_HOLD_HEARD, XPT_HOLD_UNHEARD, XPT_HOLD_OVER };

struct xpt_hold_name {
	__u64 text[2], mask[2];	/* mask 0 in both: every name */
};

struct xpt_target_cfg {
	__u32 own_tgid;
	__u32 nr_names;
	__u64 limit_ns;		/* no process is held for longer */
	struct xpt_hold_name name[XPT_HOLD_NAMES];
};

struct xpt_file_key {
	__u64 inode, ino, size;
};

/* Somebody who is held until answers[number % XPT_HOLD_SLOTS] is number. */
struct xpt_held {
	__u32 tgid, tid;
	__u64 number, began_ns;
	struct xpt_file_key file;
	__s32 fd;		/* of the file, in that process */
	__u32 stopped;		/* 1: by a signal, and SIGCONT has to end it */
};

_Static_assert(sizeof(struct xpt_held) == 56, "held");

#endif
