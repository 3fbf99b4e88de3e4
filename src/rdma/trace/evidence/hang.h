/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls that do not return: where in the kernel their threads are, and the events that they wait for there. */
#ifndef XPT_RDMA_TRACE_EVIDENCE_HANG_H
#define XPT_RDMA_TRACE_EVIDENCE_HANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XPT_RDMA_FRAMES 32

struct xpt_rdma_frame {
	char function[96], module[56];	/* module "": of the kernel itself */
};

struct xpt_rdma_hang {
	const char *method, *comm;	/* comm "": not known */
	uint32_t pid, tid;
	uint64_t wall_ns, age_ns;	/* when it began; how long it has lasted so far */
	bool at_end;			/* the watch ends, and the call has not returned */
	unsigned nr;			/* 0: its stack cannot be read */
	struct xpt_rdma_frame frame[XPT_RDMA_FRAMES];	/* innermost first */
};

/*
 * Reads the text of /proc/TID/stack ("[<0>] ib_umem_get+0x1a3/0x2f0 [ib_uverbs]"), innermost first, at most max;
 * returns how many. The suffix of a function's name after its first "." is left out: the compiler has put it there.
 * So are frames that probes put between functions.
 */
unsigned xpt_rdma_hang__frames(const char *text, struct xpt_rdma_frame *ret_frame, unsigned max);
/* "It waits for ...", for people; NULL: the functions do not tell. */
const char *xpt_rdma_hang__waits_for(const struct xpt_rdma_hang *h);

#endif
