/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads of hooks after the capture of values: members of structs, in the
 * program's memory or, where the call is of a kernel function, in the kernel's
 * too.
 */
#ifndef XPT_BPF_HOOKS_HOOK_FOLLOW_BPF_H
#define XPT_BPF_HOOKS_HOOK_FOLLOW_BPF_H

#include "bpf/bound.bpf.h"
#include "bpf/maps.bpf.h"
#include "bpf/values/capture.bpf.h"
#include "wire/hook.h"

/* Function id -> steps; XPT_MAX_FNS + number of a hook: of the ioctls that have it. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set by the engine */
	__type(key, __u32);
	__type(value, struct xpt_wire_hook_steps);
} xpt_hook_steps SEC(".maps");

/* Whether it is a kernel address that may be followed: only for calls of kernel functions. */
static __always_inline bool xpt_may_be_kernels(const struct xpt_frame *f, __u64 addr)
{
	return f->sp - 1 < XPT_KSTACK_BYTES && (__s64)addr < 0;
}

/* v: the bytes that a bit field lies in. */
static __always_inline __u64 xpt_take_bits(__u64 v, const struct xpt_wire_hook_step *s)
{
	v <<= (64 - s->bit - s->bits) & 63;
	return s->width & 0x80 ? (__u64)((__s64)v >> ((64 - s->bits) & 63)) : v >> ((64 - s->bits) & 63);
}

/* Returns 1 if *ret_v was read from there. */
__noinline int xpt_hook_read(const struct xpt_frame *f, const struct xpt_wire_hook_step *s, __u64 addr,
			     __u64 *ret_v)
{
	__u64 v[2] = { 0 };	/* as large as a masked width can be */
	long err;

	if (!f || !s || !ret_v || !addr)
		return 0;
	addr += s->off;
	if (!s->width) {
		*ret_v = addr;
		return 1;
	}
	if (xpt_may_be_kernels(f, addr))
		err = bpf_probe_read_kernel(v, s->width & 0x0f, (const void *)addr);
	else
		err = bpf_probe_read_user(v, s->width & 0x0f, (const void *)addr);
	if (err) {
		xpt_lost(XPT_LOSS_READ_FAILED, 1);
		return 0;
	}
	*ret_v = s->bits ? xpt_take_bits(v[0], s) : xpt_narrow(v[0], s->width);
	return 1;
}

/* The steps of a function, in order; a value whose step fails is not there. */
__noinline int xpt_hook_follow(struct xpt_frame *f, __u32 id)
{
	const struct xpt_wire_hook_steps *steps = bpf_map_lookup_elem(&xpt_hook_steps, &id);
	__u32 i;

	if (!f || !steps)
		return 0;
	for (i = 0; i < XPT_HOOK_STEPS_MAX && i < steps->nr; i++) {
		const struct xpt_wire_hook_step *s = &steps->step[i];
		__u32 to = s->cap, from = s->from;
		__u64 v = 0;
		int ok = f->call.valid >> (from & 15) & 1;

		xpt_hook_limit(from, XPT_MAX_VALS - 1);
		ok = ok && xpt_hook_read(f, s, f->val[from], &v);
		f->call.valid &= ~(1 << (to & 15));
		f->call.valid |= (ok & 1) << (to & 15);
		xpt_hook_limit(to, XPT_MAX_VALS - 1);
		f->val[to] = v;
		if (f->call.nr_vals <= to)	/* of an ioctl: after those that it has */
			f->call.nr_vals = to + 1;
	}
	return 0;
}

/* A string, of the kernel where the call is one of it; its length or a negative number. */
static __always_inline long xpt_read_text(const struct xpt_frame *f, void *to, __u32 n, __u64 addr)
{
	if (cfg.hooks && xpt_may_be_kernels(f, addr))
		return bpf_probe_read_kernel_str(to, n, (const void *)addr);
	return bpf_probe_read_user_str(to, n, (const void *)addr);
}

#endif
