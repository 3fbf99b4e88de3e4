/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tracepoints that hooks name: points whose values are the fields of the record
 * that the kernel has made. They come in whatever the thread is doing, also
 * while one of our programs changes its frames: those are counted as not seen.
 */
#ifndef XPT_BPF_KERNEL_TRACEPOINT_BPF_H
#define XPT_BPF_KERNEL_TRACEPOINT_BPF_H

#include "bpf/kernel/kframe.bpf.h"
#include "bpf/point.bpf.h"

/* Index, the attach cookie for the first of a tracepoint -> its function, where the fields are. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_wire_tp);
} xpt_tracepoints SEC(".maps");

/* One field of the record at `at`; 0: it cannot be read. */
__noinline int xpt_tp_field(__u64 at, const struct xpt_wire_loc *loc, __u64 *ret_v)
{
	__u64 v[2] = { 0 };
	__u32 data = 0;

	if (!loc || !ret_v)
		return 0;
	at += loc->off;
	if (loc->kind == XPT_LOC_FIELD) {
		if (bpf_probe_read_kernel(v, loc->width & 0x0f, (const void *)at))
			return 0;
		*ret_v = xpt_narrow(v[0], loc->width);
		return 1;
	}
	*ret_v = at;
	if (loc->kind == XPT_LOC_FIELD_AT)
		return 1;
	if (bpf_probe_read_kernel(&data, sizeof(data), (const void *)at))
		return 0;
	/* Offset below, length above; from the record's begin, or from after this field. */
	at += loc->kind == XPT_LOC_FIELD_REL ? (__s64)sizeof(data) : -loc->off;
	*ret_v = at + (data & 0xffff);
	return 1;
}

static __always_inline void capture_fields(__u64 at, const struct xpt_wire_site *site,
					   const struct xpt_wire_fn *spec, struct xpt_frame *f)
{
	__u32 i;

	f->call.valid = 0;
	f->call.nr_vals = spec->nr_caps;
	for (i = 0; i < XPT_MAX_VALS && i < spec->nr_caps; i++) {
		__u32 arg = spec->cap[i].arg;
		__u64 v = 0;

		if (arg >= XPT_POINT_ARGS || !xpt_tp_field(at, &site->loc[arg], &v))
			continue;
		f->val[i] = xpt_narrow(v, spec->cap[i].width);
		f->call.valid |= 1 << i;
	}
}

/* The thread, busy, with the frame of a hit above its open calls; NULL: not wanted. */
static __noinline struct xpt_thread *tracepoint_begin(__u32 fn)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct xpt_thread *t;
	struct xpt_frame *f;

	if (!(id >> 32) || xpt_stopping)	/* the idle task has no process */
		return NULL;
	t = thread_in_kernel();
	if (!t)
		return NULL;
	if (t->busy) {
		xpt_lost(XPT_LOSS_KERNEL_MISSED, 1);
		return NULL;
	}
	if (t->depth >= XPT_MAX_DEPTH) {
		xpt_lost(XPT_LOSS_DEPTH_FULL, 1);
		return NULL;
	}
	xpt_busy(t, 1);
	f = xpt_frame_at(t, t->depth);
	f->sp = 1;	/* in the kernel; it is gone before any other begins */
	f->call.rec.fn = fn;
	f->call.tgid = t->tgid;
	f->call.tid = (__u32)id;
	f->call.depth = t->depth;
	f->call.flags = t->depth ? XPT_CALL_NESTED : 0;
	f->call.str_len = 0;
	f->call.ret = 0;
	f->call.dur_ns = 0;
	f->call.start_ns = bpf_ktime_get_ns();
	f->cls = XPT_CLASS_OTHER;
	f->stack = 0;
	f->ret_addr = 0;
	xpt_sched_begin(t, f);
	return t;
}

#endif
