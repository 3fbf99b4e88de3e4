/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets of a Perfetto trace, see pftrace.h. A file is a series of packets, each
 * a field of the message Trace, so whatever is whole at its start can be read.
 */
#include "model/picture/pftrace.h"

#include <string.h>

#define TRACE_PACKET 1

enum {			/* TracePacket */
	CLOCK_SNAPSHOT = 6,
	TIMESTAMP = 8,
	SEQUENCE_ID = 10,
	TRACK_EVENT = 11,
	INTERNED_DATA = 12,
	SEQUENCE_FLAGS = 13,
	TIMESTAMP_CLOCK = 58,
	DEFAULTS = 59,
	TRACK_DESCRIPTOR = 60,
	FIRST_PACKET = 87,
};

enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2 };

/* Clocks; 64 is the first that a sequence may define. */
enum { CLOCK_REAL = 1, CLOCK_MONO = 3, CLOCK_BOOT = 6, CLOCK_DELTA = 64 };

static void add_clock(struct xpt_strbuf *sb, unsigned id, uint64_t ts_ns, bool delta)
{
	size_t clock = xpt_pb__begin(sb, 1);

	xpt_pb__u64(sb, 1, id);
	xpt_pb__u64(sb, 2, ts_ns);
	if (delta)
		xpt_pb__u64(sb, 3, 1);
	xpt_pb__end(sb, clock);
}

void xpt_pf__start(struct xpt_strbuf *sb, struct xpt_pf_seq *seq, uint64_t now_ns,
		   uint64_t boottime_ns, uint64_t realtime_ns)
{
	size_t packet = xpt_pb__begin(sb, TRACE_PACKET), msg, defaults;

	xpt_pb__u64(sb, SEQUENCE_ID, seq->id);
	xpt_pb__u64(sb, SEQUENCE_FLAGS, FLAG_CLEARED);
	xpt_pb__u64(sb, FIRST_PACKET, 1);
	msg = xpt_pb__begin(sb, CLOCK_SNAPSHOT);
	add_clock(sb, CLOCK_MONO, now_ns, false);
	add_clock(sb, CLOCK_DELTA, now_ns, true);
	if (boottime_ns)
		add_clock(sb, CLOCK_BOOT, boottime_ns, false);
	if (realtime_ns)
		add_clock(sb, CLOCK_REAL, realtime_ns, false);
	xpt_pb__end(sb, msg);
	msg = xpt_pb__begin(sb, DEFAULTS);
	xpt_pb__u64(sb, 58, CLOCK_DELTA);	/* timestamp_clock_id */
	defaults = xpt_pb__begin(sb, 11);	/* track_event_defaults */
	xpt_pb__u64(sb, 11, seq->track);	/* track_uuid */
	xpt_pb__end(sb, defaults);
	xpt_pb__end(sb, msg);
	xpt_pb__end(sb, packet);
	seq->last_ns = now_ns;
}

void xpt_pf__event(struct xpt_strbuf *sb, struct xpt_pf_seq *seq, uint64_t ts_ns,
		   enum xpt_pf_type type, const void *body, size_t n, uint64_t flow)
{
	size_t packet = xpt_pb__begin(sb, TRACE_PACKET), event;

	if (ts_ns >= seq->last_ns) {
		xpt_pb__u64(sb, TIMESTAMP, ts_ns - seq->last_ns);
		seq->last_ns = ts_ns;
	} else {
		xpt_pb__u64(sb, TIMESTAMP, ts_ns);
		xpt_pb__u64(sb, TIMESTAMP_CLOCK, CLOCK_MONO);
	}
	xpt_pb__u64(sb, SEQUENCE_ID, seq->id);
	if (type != XPT_PF_END && type != XPT_PF_COUNTER_VALUE)	/* these have no names, and are many */
		xpt_pb__u64(sb, SEQUENCE_FLAGS, FLAG_NEEDS);
	event = xpt_pb__begin(sb, TRACK_EVENT);
	xpt_pb__u64(sb, XPT_PF_TYPE, type);
	if (n)
		xpt_strbuf__addn(sb, body, n);
	if (flow)
		xpt_pb__fixed64(sb, XPT_PF_FLOW, flow);
	xpt_pb__end(sb, event);
	xpt_pb__end(sb, packet);
}

void xpt_pf__interned(struct xpt_strbuf *sb, const struct xpt_pf_seq *seq, const void *entries,
		      size_t n)
{
	size_t packet = xpt_pb__begin(sb, TRACE_PACKET);

	xpt_pb__u64(sb, SEQUENCE_ID, seq->id);
	xpt_pb__u64(sb, SEQUENCE_FLAGS, FLAG_NEEDS);
	xpt_pb__bytes(sb, INTERNED_DATA, entries, n);
	xpt_pb__end(sb, packet);
}

void xpt_pf__intern(struct xpt_strbuf *entries, unsigned what, uint64_t iid, const char *text)
{
	size_t entry = xpt_pb__begin(entries, what);

	xpt_pb__u64(entries, 1, iid);
	xpt_pb__str(entries, 2, text);
	xpt_pb__end(entries, entry);
}

static void add_process(struct xpt_strbuf *sb, const struct xpt_pf_track *t)
{
	size_t msg = xpt_pb__begin(sb, 3);

	xpt_pb__u64(sb, 1, (uint64_t)(int32_t)t->pid);
	if (t->cmdline && *t->cmdline)
		xpt_pb__str(sb, 2, t->cmdline);
	xpt_pb__str(sb, 6, t->process_name);
	xpt_pb__end(sb, msg);
}

static void add_thread(struct xpt_strbuf *sb, const struct xpt_pf_track *t)
{
	size_t msg = xpt_pb__begin(sb, 4);

	xpt_pb__u64(sb, 1, (uint64_t)(int32_t)t->pid);
	xpt_pb__u64(sb, 2, (uint64_t)(int32_t)t->tid);
	xpt_pb__str(sb, 5, t->thread_name);
	xpt_pb__end(sb, msg);
}

void xpt_pf__track(struct xpt_strbuf *sb, uint32_t seq, const struct xpt_pf_track *t)
{
	size_t packet = xpt_pb__begin(sb, TRACE_PACKET), msg, counter;

	xpt_pb__u64(sb, SEQUENCE_ID, seq);
	msg = xpt_pb__begin(sb, TRACK_DESCRIPTOR);
	xpt_pb__u64(sb, 1, t->uuid);
	if (t->name)
		xpt_pb__str(sb, 2, t->name);
	if (t->process_name)
		add_process(sb, t);
	if (t->thread_name)
		add_thread(sb, t);
	if (t->parent)
		xpt_pb__u64(sb, 5, t->parent);
	if (t->counter) {
		counter = xpt_pb__begin(sb, 8);
		xpt_pb__u64(sb, 3, t->bytes ? 3 : 2);	/* UNIT_SIZE_BYTES, UNIT_COUNT */
		xpt_pb__end(sb, counter);
	}
	xpt_pb__end(sb, msg);
	xpt_pb__end(sb, packet);
}
