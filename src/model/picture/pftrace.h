/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets of a Perfetto trace: sequences, tracks and events, appended to a
 * buffer. Field numbers are those of Perfetto's public trace protocol; the ones
 * used here stand in tests/replay/pftrace.proto.
 *
 * A sequence belongs to one track, whose id its packets need not repeat, and has
 * a clock that counts from packet to packet, so that a time takes 2 or 3 bytes.
 */
#ifndef XPT_MODEL_PICTURE_PFTRACE_H
#define XPT_MODEL_PICTURE_PFTRACE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/formats/pb.h"

struct xpt_pf_seq {
	uint32_t id;		/* from 1 on */
	uint64_t track;		/* uuid, from 1 on */
	uint64_t last_ns;	/* of the last packet */
};

/* Fields of TrackEvent and DebugAnnotation that events are put together from. */
enum {
	XPT_PF_ANNOTATION = 4,
	XPT_PF_CATEGORY_IID = 3,
	XPT_PF_TYPE = 9,
	XPT_PF_NAME_IID = 10,
	XPT_PF_CATEGORY = 22,
	XPT_PF_NAME = 23,
	XPT_PF_COUNTER = 30,
	XPT_PF_FLOW = 47,
	XPT_PF_FLOW_END = 48,

	XPT_PF_ANN_NAME_IID = 1,
	XPT_PF_ANN_BOOL = 2,
	XPT_PF_ANN_UINT = 3,
	XPT_PF_ANN_INT = 4,
	XPT_PF_ANN_DOUBLE = 5,
	XPT_PF_ANN_STRING = 6,
	XPT_PF_ANN_STRING_IID = 17,

	XPT_PF_INTERN_CATEGORY = 1,
	XPT_PF_INTERN_NAME = 2,
	XPT_PF_INTERN_ANN_NAME = 3,
	XPT_PF_INTERN_STRING = 29,
};

enum xpt_pf_type { XPT_PF_BEGIN = 1, XPT_PF_END = 2, XPT_PF_INSTANT = 3, XPT_PF_COUNTER_VALUE = 4 };

/* First packet of a sequence: clears its state, sets clock and track. Clocks show now_ns
 * (MONOTONIC) and, if not 0, the other two at that moment. */
void xpt_pf__start(struct xpt_strbuf *sb, struct xpt_pf_seq *seq, uint64_t now_ns,
		   uint64_t boottime_ns, uint64_t realtime_ns);
/*
 * An event of the sequence. body: the fields of TrackEvent beside the type. Times
 * go forward; one that does not is written as it is, with its clock. flow: 0 for
 * none.
 */
void xpt_pf__event(struct xpt_strbuf *sb, struct xpt_pf_seq *seq, uint64_t ts_ns,
		   enum xpt_pf_type type, const void *body, size_t n, uint64_t flow);
/* A packet of interned data; entries: as xpt_pf__intern() made them. */
void xpt_pf__interned(struct xpt_strbuf *sb, const struct xpt_pf_seq *seq, const void *entries,
		      size_t n);
/* Adds an entry of type `what`, one of XPT_PF_INTERN_*; iid from 1 on. */
void xpt_pf__intern(struct xpt_strbuf *entries, unsigned what, uint64_t iid, const char *text);

struct xpt_pf_track {
	uint64_t uuid, parent;	/* parent 0: none */
	const char *name;	/* NULL: that of the process or thread */
	uint32_t pid, tid;	/* tid 0: a process */
	const char *process_name, *cmdline, *thread_name;	/* NULL: not such a track */
	bool counter, bytes;	/* a counter, of bytes */
};

/* A description of a track, in the sequence seq; before its first event. May come again. */
void xpt_pf__track(struct xpt_strbuf *sb, uint32_t seq, const struct xpt_pf_track *track);

#endif
