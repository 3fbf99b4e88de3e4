/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A task record on its way from the BPF programs to the engine: with the life that it
 * belongs to, and whose share it counts for, which nobody can look up once the process has ended.
 * Recordings hold it without these; there lives are distinguished by time.
 */
#ifndef XPT_WIRE_LIFE_H
#define XPT_WIRE_LIFE_H

#include "wire/wire.h"

/*
 * A life is one program of one process with its mappings: its addresses mean nothing in
 * another life. No two lives of a process id have one number, later ones have greater
 * ones, and the next program of the same process has one more; 0: not known.
 */
struct xpt_sent_task {
	struct xpt_rec_task task;	/* its size is that of all */
	__u64 life;
	__u64 owner;	/* XPT_OWNER() of wire/user.h; XPT_OWNER_NOBODY: shares are not counted */
};

_Static_assert(sizeof(struct xpt_sent_task) == sizeof(struct xpt_rec_task) + 16, "sent task");

#endif
