/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Captured values: the interpreter of struct xpt_wire_fn. At entry it reads registers, stack arguments and the memory
 * that pointers lead to; OUT values keep the pointer until the call returns. The valid bit of a value that cannot be
 * read is cleared; a NULL pointer is a value, not a failed read.
 */
#ifndef XPT_BPF_VALUES_CAPTURE_BPF_H
#define XPT_BPF_VALUES_CAPTURE_BPF_H

#include "bpf/arch.bpf.h"
#include "bpf/maps.bpf.h"
#include "bpf/values/odd_value.bpf.h"
#include "bpf/values/regs.bpf.h"

#define XPT_STACK_ARGS 7	/* stack words read at most: a mask, for the verifier */

/* VAL: a positive off shifts right before narrowing, a negative one left after it. */
static __always_inline __u64 xpt_val(__u64 v, __s32 off, __u8 width)
{
	if (off < 0)
		return xpt_narrow(v, width) << (-off & 63);
	return xpt_narrow(v >> (off & 63), width);
}

static __always_inline bool xpt_read(__u64 *ret_v, __u64 addr, __u8 width)
{
	__u64 v[2] = { 0 };	/* as large as a masked width can be */

	if (!addr)
		return false;
	if (bpf_probe_read_user(v, width & 0x0f, (const void *)addr)) {
		xpt_lost(XPT_LOSS_READ_FAILED, 1);
		return false;
	}
	*ret_v = xpt_narrow(v[0], width);
	return true;
}

/* Reads a value from argument words; stack: the address of those beyond registers. False: it could not be read. */
static __always_inline bool xpt_value(__u64 stack, const struct xpt_wire_cap *cap,
				      const struct xpt_args *args, __u64 *ret_v)
{
	__u64 v = args->word[cap->arg & (XPT_ARGS - 1)];

	if (cap->op >= XPT_CAP_BYTES)
		return xpt_odd_value(cap, args, stack, ret_v);

	if (cap->op == XPT_CAP_VAL)
		v = xpt_val(v, cap->off, cap->width);
	else if (cap->op == XPT_CAP_CONST)
		v = (__s64)cap->off;
	else if (cap->op == XPT_CAP_DEREF && !xpt_read(&v, v ? v + cap->off : 0, cap->width))
		return false;
	*ret_v = v;
	return true;
}

/* args: has the registers; words of the stack are read if the function needs them. */
static __always_inline void xpt_capture_args(const struct xpt_wire_fn *spec, struct xpt_frame *f,
					     struct xpt_args *args, __u64 at)
{
	__u32 stack = (spec->nr_stack & XPT_STACK_ARGS) * 8, nr = spec->nr_caps, i;

	/* Kept in the record and not in a variable, because the verifier would follow every combination. */
	f->call.valid = 0;
	f->call.nr_vals = nr;
	if (!nr)
		return;
	for (i = XPT_REG_ARGS; i < XPT_ARGS; i++)
		args->word[i] = 0;
	if (stack && bpf_probe_read_user(&args->word[XPT_REG_ARGS], stack, (const void *)at))
		xpt_lost(XPT_LOSS_READ_FAILED, 1);
	for (i = 0; i < XPT_MAX_VALS && i < nr; i++)
		if (xpt_value(at, &spec->cap[i], args, &f->val[i]))
			f->call.valid |= 1 << i;
}

static __always_inline void xpt_capture(const struct pt_regs *ctx, const struct xpt_wire_fn *spec,
					struct xpt_frame *f)
{
	struct xpt_args args;

	if (spec->nr_caps)
		xpt_reg_args(ctx, args.word);
	xpt_capture_args(spec, f, &args, (__u64)xpt_stack_args(ctx));
}

/* Returns the caller's user stack as XPT_STACK_WORD; 0 if it is not known. */
static __always_inline __u64 xpt_take_stack(struct pt_regs *ctx)
{
	long id = bpf_get_stackid(ctx, &xpt_stacks, BPF_F_USER_STACK);
	__u64 ret = 0;

	if (id < 0)
		xpt_lost(XPT_LOSS_STACK_FAILED, 1);
	if (bpf_probe_read_user(&ret, sizeof(ret), xpt_return_at(ctx)) || ret >> 48)
		ret = 0;
	return XPT_STACK_WORD(ret, id < 0 ? 0 : id + 1);
}

/* Returns the user stack at a kernel probe, as far as frame pointers show it. */
static __always_inline __u64 xpt_take_stack_in_kernel(void *ctx)
{
	long id = bpf_get_stackid(ctx, &xpt_stacks, BPF_F_USER_STACK);

	if (id < 0)
		xpt_lost(XPT_LOSS_STACK_FAILED, 1);
	return XPT_STACK_WORD(XPT_STACK_IN_KERNEL, id < 0 ? 0 : id + 1);
}

/* At return: sets OUT values to the values that the callee wrote. Global, so that the
 * verifier looks at it once and not for each of the frames that it may be. */
__noinline int xpt_capture_out(const struct xpt_wire_fn *spec, struct xpt_frame *f, __u64 ret)
{
	__u32 outs, i;

	if (!spec || !f)
		return 0;
	outs = spec->out_mask;
	for (i = 0; i < XPT_MAX_VALS && outs >> i; i++) {
		const struct xpt_wire_cap *cap = &spec->cap[i];
		__u64 p = f->val[i], v = 0;
		bool ok = true;

		if (!(outs & (1 << i)))
			continue;
		if (cap->op == XPT_CAP_RET)
			v = xpt_narrow(ret, cap->width);
		else if (cap->op == XPT_CAP_OUT_HASH)
			ok = xpt_read_hash(&v, p, cap->off);
		else
			ok = xpt_read(&v, p ? p + cap->off : 0, cap->width);
		if (!ok)
			f->call.valid &= ~(1 << i);
		f->val[i] = v;
	}
	return 0;
}

#endif
