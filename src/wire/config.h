/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of the BPF programs and the values of their maps, as both sides
 * see them. Settings are read-only once loaded, so the verifier removes what
 * is switched off. Nothing of this is stored in recordings.
 */
#ifndef XPT_WIRE_CONFIG_H
#define XPT_WIRE_CONFIG_H

#include "wire/wire.h"

struct xpt_bpf_cfg {
	__u32 all;		/* 1: every process but own_tgid; 0: those in xpt_targets */
	__u32 own_tgid;		/* xputrace itself is never traced */
	__u32 events;		/* 1: send calls; 0: counters only */
	__u32 follow;		/* 1: children of targets are targets */
	__u32 ring_bytes;	/* size of xpt_ring */
	__u32 ring_spare;	/* kept free for errors and task records */
	__u32 wake_bytes;	/* wake the reader at every multiple of this; power of two */
	__u32 match_comm;	/* 1: a process that executes a program named comm is a target */
	char comm[XPT_COMM_LEN];
};

/* A call in flight. sp tells it from calls abandoned by longjmp. */
struct xpt_frame {
	__u64 sp;		/* user stack pointer at entry */
	struct xpt_rec_call call;	/* sent as it is when the call returns */
	__u64 val[XPT_MAX_VALS];	/* call.val */
};

/* One thread that makes traced calls; key of xpt_threads is its tid. */
struct xpt_thread {
	__u32 tgid;
	__u32 depth;		/* frames in use */
	struct xpt_frame frame[XPT_MAX_DEPTH];
};

_Static_assert(sizeof(struct xpt_frame) == 56 + 8 * XPT_MAX_VALS, "frame");
_Static_assert(sizeof(struct xpt_thread) == 8 + 16 * sizeof(struct xpt_frame), "thread");

#endif
