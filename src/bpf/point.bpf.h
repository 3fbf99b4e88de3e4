/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Points: arguments from the place's own locations. A point is recorded like a
 * call that took no time; its frame is the unused one above the open calls.
 */
#ifndef XPT_BPF_POINT_BPF_H
#define XPT_BPF_POINT_BPF_H

#include "bpf/maps.bpf.h"
#include "bpf/stack.bpf.h"
#include "bpf/threads/frame.bpf.h"
#include "bpf/values/capture.bpf.h"
#include "bpf/values/regs.bpf.h"
#include "wire/point.h"

/* Index in the upper half of the attach cookie -> the place's arguments. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_wire_site);
} xpt_places SEC(".maps");

/* Like the map of xpt_own_stack(): programs for different kinds of links cannot share such a map (7.x). */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} xpt_nowhere_point SEC(".maps");

#define xpt_own_stack_point(ctx)                                                                   \
	do {                                                                                       \
		if (xpt_never)                                                                     \
			bpf_tail_call(ctx, &xpt_nowhere_point, 0);                                 \
	} while (0)

/* Reads one argument. Returns 0 if it cannot be read. Global, so that the verifier
 * looks at it once and not at every combination of readable and unreadable
 * arguments. */
__noinline int xpt_locate(const struct xpt_regs *regs, const struct xpt_wire_loc *loc, __u64 *ret_v)
{
	__u64 v;

	if (!regs || !loc || !ret_v)
		return 0;
	v = loc->off;
	if (loc->kind == XPT_LOC_MEM) {
		v += xpt_reg(regs, loc->base) + (xpt_reg(regs, loc->index) << (loc->scale & 3));
		return xpt_read(ret_v, v, loc->width);
	}
	if (loc->kind == XPT_LOC_REG)
		v = xpt_reg(regs, loc->base) >> (loc->scale & 63);
	else if (loc->kind != XPT_LOC_CONST)
		return 0;
	*ret_v = xpt_narrow(v, loc->width);
	return 1;
}

/* Captures the values of a point. room: memory of the thread, for the called functions need the stack. */
static __always_inline void xpt_capture_point(const struct pt_regs *ctx, __u32 place,
					      const struct xpt_wire_fn *spec, struct xpt_frame *f,
					      struct xpt_regs *room)
{
	const struct xpt_wire_site *site = bpf_map_lookup_elem(&xpt_places, &place);
	__u32 nr = spec->nr_caps, i, ok = 0;
	struct xpt_args args = { 0 };

	f->call.valid = 0;
	f->call.nr_vals = nr;
	if (!nr || !site)
		return;
	xpt_all_regs(ctx, room->reg);
	for (i = 0; i < XPT_POINT_ARGS && i < site->nr_locs; i++)
		ok |= (xpt_locate(room, &site->loc[i], &args.word[i]) & 1) << i;
	for (i = 0; i < XPT_MAX_VALS && i < nr; i++)
		if (ok >> (spec->cap[i].arg & (XPT_ARGS - 1)) & 1 &&
		    xpt_value((__u64)xpt_stack_args(ctx), &spec->cap[i], &args, &f->val[i]))
			f->call.valid |= 1 << i;
}

#endif
