/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The record that the programs on SPDK's probes send for each change of a queue
 * pair. Never stored: `xputrace spdk record` writes text.
 */
#ifndef XPT_WIRE_QPAIR_H
#define XPT_WIRE_QPAIR_H

#include <linux/types.h>
#include "wire/point.h"

#define XPT_NQN_SIZE 224	/* 223 bytes and the NUL */
#define XPT_QPAIR_SITES 64	/* sites of the probes in a process at most; SPDK has one each */

enum xpt_qpair_kind {
	XPT_QPAIR_ADD,		/* in the order of enum xpt_spdk_point_kind */
	XPT_QPAIR_REMOVE,
	XPT_QPAIR_CONNECT,
	XPT_QPAIR_FINI,
	XPT_QPAIR__MAX
};

struct xpt_wire_qpair {
	__u32 kind, pid;
	__u64 tsc;		/* an argument of the probe; 0: it has none */
	__u64 mono_ns;		/* CLOCK_MONOTONIC */
	__u64 qpair, thread, qid;
	__s32 subnqn_len, hostnqn_len;	/* with the NUL; negative: unreadable */
	char subnqn[XPT_NQN_SIZE], hostnqn[XPT_NQN_SIZE];
};

_Static_assert(sizeof(struct xpt_wire_qpair) == 56 + 2 * XPT_NQN_SIZE, "queue pair");

#endif
