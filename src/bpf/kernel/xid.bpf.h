/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The GPU driver reports an error (Xid): by its tracepoint, which has the text,
 * or where it has none by a probe on the function that is called for each report,
 * which has a format and its arguments. The engine attaches one of the two when
 * the driver is loaded. They need no stack of their own (bpf/stack.bpf.h): the
 * kernel never runs one of a tracepoint or a kprobe twice at a time on a CPU.
 */
#ifndef XPT_BPF_KERNEL_XID_BPF_H
#define XPT_BPF_KERNEL_XID_BPF_H

#include "bpf/arch.bpf.h"
#include "bpf/maps.bpf.h"
#include "wire/wire.h"
#include "wire/xid.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, XPT_XID_RING);
} xpt_xids SEC(".maps");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct kobject {
	const char *name;
};

struct device {
	struct kobject kobj;
};

struct pci_dev {
	struct device dev;
};
#pragma clang attribute pop

/* The argument list of a function that takes a va_list (System V ABI for x86-64). */
struct va_words {
	__u32 gp, fp;		/* bytes of saved registers that are used up */
	__u64 more, saved;	/* arguments on the stack; saved registers */
};

#define VA_GP_BYTES 48		/* six registers */

/* Begins a record with the device and the Xid of a report. A kernel without PCI has no such device. */
static __always_inline struct xpt_wire_xid *begin_xid(__u64 dev, __u32 xid, __u32 source)
{
	struct xpt_wire_xid *w = bpf_ringbuf_reserve(&xpt_xids, sizeof(*w), 0);
	const struct pci_dev *pci = (const void *)dev;

	if (!w)
		return NULL;
	w->ts_ns = bpf_ktime_get_ns();
	w->xid = xid;
	w->source = source;
	w->nr_words = w->pad = 0;
	w->device[0] = w->text[0] = 0;
	if (bpf_core_field_exists(pci->dev.kobj.name))
		bpf_probe_read_kernel_str(w->device, sizeof(w->device),
					  BPF_CORE_READ(pci, dev.kobj.name));
	return w;
}

/* (const struct pci_dev *, u32 xid, const char *text) */
SEC("?raw_tp")
int xpt_xid_tracepoint(struct bpf_raw_tracepoint_args *ctx)
{
	struct xpt_wire_xid *w;

	w = begin_xid(ctx->args[0], (__u32)ctx->args[1], XPT_XID_TRACEPOINT);
	if (!w)
		return 0;
	bpf_probe_read_kernel_str(w->text, sizeof(w->text), (const void *)ctx->args[2]);
	bpf_ringbuf_submit(w, 0);
	return 0;
}

/*
 * Only the format says which of the words are addresses of strings, so all are tried.
 * Without branches, so that the kernel has one path to check.
 */
static __always_inline void take_words(struct xpt_wire_xid *w, __u64 list)
{
	struct va_words va = { 0 };
	__u32 i;

	bpf_probe_read_kernel(&va, sizeof(va), (const void *)list);
	for (i = 0; i < XPT_XID_WORDS; i++) {
		__s64 gp = (__s64)va.gp + 8 * i - VA_GP_BYTES;
		__u64 in_registers = gp >> 63;	/* all bits or none */
		__u64 at = ((va.saved + VA_GP_BYTES + gp) & in_registers) |
			   ((va.more + gp) & ~in_registers);

		bpf_probe_read_kernel(&w->word[i], 8, (const void *)at);
		bpf_probe_read_kernel_str(w->str[i], XPT_XID_WORD_LEN, (const void *)w->word[i]);
	}
	w->nr_words = XPT_XID_WORDS;
}

/* nv_report_error(struct pci_dev *, u32 xid, const char *format, va_list) */
SEC("?kprobe")
int xpt_xid_kprobe(struct pt_regs *ctx)
{
	__u64 args[8] = { 0 };
	struct xpt_wire_xid *w;

	xpt_reg_args(ctx, args);
	w = begin_xid(args[0], (__u32)args[1], XPT_XID_KPROBE);
	if (!w)
		return 0;
	bpf_probe_read_kernel_str(w->text, sizeof(w->text), (const void *)args[2]);
	take_words(w, args[3]);
	bpf_ringbuf_submit(w, 0);
	return 0;
}

#endif
