/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The text that SPDK's `trace.py --record` writes through bpftrace: lines like
 *   nvmf_ctrlr_add_qpair: tsc=0x12, qpair=0x7f.., qid=0x1, subnqn='nqn...', hostnqn='nqn...'
 * and other lines, which are skipped; and the text that `xputrace spdk record` writes, which has these lines and
 * more. A name written as ? could not be read.
 */
#ifndef XPT_SPDK_SPDK_RECORD_H
#define XPT_SPDK_SPDK_RECORD_H

#include <stdint.h>
#include <stdio.h>
#include "spdk/lives.h"

#define XPT_SPDK_LINE_MAX 4096	/* bytes; longer lines are skipped and counted as bad */

/* Pairs of clocks in recordings of xputrace: "xputrace_clock: tsc=0x.., mono=0x..". */
struct xpt_spdk_pair {
	uint64_t tsc, mono_ns;
};

struct xpt_spdk_record_stats {
	struct xpt_spdk_pair first, last;	/* equal: none, or only one */
	uint64_t points, bad, left_out;	/* bad: incomplete lines of these probes */
	uint64_t lost;			/* events, from lines "Lost N events" */
	bool cut;			/* the last line has no end */
};

/* Reads all lines of f into l, and of pairs of clocks when it was recorded. 0, -EIO or -ENOMEM. */
int xpt_spdk_record__read(FILE *f, struct xpt_spdk_lives *l, struct xpt_spdk_record_stats *ret);
/* One line without its end: 1 a point (names point into line, which is changed), 0 another
 * line, -EBADMSG: begins like a point but is not whole. */
int xpt_spdk_record__parse(char *line, struct xpt_spdk_point *ret_p);

#endif
