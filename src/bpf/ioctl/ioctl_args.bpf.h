/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The content of an ioctl: its command, the object or method that its argument
 * names, a size. The argument is read before the
 * driver has copied it: a program that changes it meanwhile lies to us as well.
 */
#ifndef XPT_BPF_IOCTL_IOCTL_ARGS_BPF_H
#define XPT_BPF_IOCTL_IOCTL_ARGS_BPF_H

#include "bpf/ioctl/ioctl_ids.bpf.h"
#include "bpf/ioctl/ioctl_maps.bpf.h"

static __always_inline bool read_word(struct xpt_frame *f, __u32 i, __u64 addr, __u32 bytes)
{
	__u64 v = 0;

	if (bpf_probe_read_user(&v, bytes & 15, (const void *)addr)) {
		xpt_lost(XPT_LOSS_READ_FAILED, 1);
		return false;
	}
	f->val[i] = v;
	f->call.valid |= 1 << i;
	return true;
}

/* The layout of a command; of one that wraps another, that one's, and key and arg become its. */
static __always_inline const struct xpt_ioctl_layout *layout_of(struct xpt_ioctl_key *code,
								 struct xpt_ioctl_args *a)
{
	const struct xpt_ioctl_layout *l = bpf_map_lookup_elem(&xpt_ioctl_layouts, code);
	struct { __u32 nr, size; __u64 ptr; } inner;

	if (!l || !l->xfer)
		return l;
	if (bpf_probe_read_user(&inner, sizeof(inner), (const void *)a->arg)) {
		xpt_lost(XPT_LOSS_READ_FAILED, 1);
		return NULL;
	}
	if (inner.size >= 1 << 14)	/* more than a command can say */
		inner.size = 0;
	code->cmd = XPT_IOCTL_CODE((a->cmd >> 8) & 0xff, inner.nr & 0xff, inner.size);
	a->cmd = (a->cmd & ~XPT_IOCTL_CODE_MASK) | code->cmd;
	a->arg = inner.ptr;
	return bpf_map_lookup_elem(&xpt_ioctl_layouts, code);
}

/* Reads the fields of the argument; leaves the object in code, if there is one. */
static __always_inline void read_argument(struct xpt_frame *f, struct xpt_ioctl_key *code,
					  struct xpt_ioctl_args *a)
{
	const struct xpt_ioctl_layout *l = layout_of(code, a), *of_sub;
	__u64 at = a->arg;

	if (!l)
		return;
	f->call.nr_vals = XPT_IOCTL_VALS;
	f->val[XPT_IOCTL_VAL_OBJECT] = f->val[XPT_IOCTL_VAL_SIZE] = 0;
	f->val[XPT_IOCTL_VAL_STATUS] = l->status == XPT_IOCTL_NONE ? 0 : at + l->status;
	if (l->sub != XPT_IOCTL_NONE &&
	    read_word(f, XPT_IOCTL_VAL_OBJECT, at + l->sub, l->sub_bytes)) {
		code->sub = f->val[XPT_IOCTL_VAL_OBJECT];
		of_sub = bpf_map_lookup_elem(&xpt_ioctl_layouts, code);
		if (of_sub)
			l = of_sub;
	}
	if (l->size == XPT_IOCTL_NONE)
		return;
	if (l->ptr != XPT_IOCTL_NONE &&
	    bpf_probe_read_user(&at, sizeof(at), (const void *)(at + l->ptr)))
		return;
	if (at)
		read_word(f, XPT_IOCTL_VAL_SIZE, at + l->size, 8);
}

static __always_inline void fill_command(struct xpt_frame *f, __u32 table,
					 struct xpt_ioctl_args *a)
{
	struct xpt_ioctl_key key = { .table = table, .cmd = a->cmd & XPT_IOCTL_CODE_MASK,
				     .sub = XPT_IOCTL_ANY };

	f->call.valid = 0x0f;
	f->call.nr_vals = XPT_IOCTL_VAL_OBJECT;
	read_argument(f, &key, a);
	f->val[XPT_IOCTL_VAL_CMD] = key.cmd = a->cmd;
	f->val[XPT_IOCTL_VAL_ARG] = a->arg;
	f->call.rec.fn = id_of(&key);
}

static __always_inline void fill_other(struct xpt_frame *f, __u32 table,
				       const struct xpt_ioctl_args *a)
{
	struct xpt_ioctl_key key = { .table = table, .sub = XPT_IOCTL_ANY, .call = a->call };

	if (a->call == XPT_IOCTL_MMAP) {
		f->call.nr_vals = XPT_MMAP_VALS;
		f->val[XPT_MMAP_VAL_PROT] = a->prot;
		f->val[XPT_MMAP_VAL_FLAGS] = a->flags;
		f->val[XPT_MMAP_VAL_OFFSET] = a->offset;
		f->val[XPT_MMAP_VAL_LENGTH] = a->length;
	} else {
		f->call.nr_vals = XPT_POLL_VALS;
		f->val[XPT_POLL_VAL_NFDS] = a->nfds;
		f->val[XPT_POLL_VAL_TIMEOUT] = a->timeout;
	}
	f->call.valid = (1 << f->call.nr_vals) - 1;
	f->call.rec.fn = id_of(&key);
}

static __always_inline void fill_ioctl(struct xpt_frame *f, __u32 table, __u64 dev,
				       struct xpt_ioctl_args *a)
{
	if (a->call == XPT_IOCTL_COMMAND)
		fill_command(f, table, a);
	else if (a->file)
		fill_uverbs(f, a);
	else
		fill_other(f, table, a);
	f->origin = a->file ? XPT_IOCTL_WRITE : a->call;
	f->val[XPT_IOCTL_VAL_FD] = a->fd;
	f->val[XPT_IOCTL_VAL_DEVICE] = (__u32)dev;
	if (f->call.rec.fn == 1)
		xpt_lost(XPT_LOSS_TABLE_EVICTED, 1);
}

#endif
