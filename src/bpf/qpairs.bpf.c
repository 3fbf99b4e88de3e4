// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * SPDK's USDT probes of queue pairs. elf/usdt.c has read from the probes' notes where their
 * arguments are. There are only a few events per connection, so nothing is packed: all events
 * go into one ring, with their names in full.
 */
#include <asm/ptrace.h>
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "bpf/stack.bpf.h"
#include "bpf/values/regs.bpf.h"
#include "wire/qpair.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} xpt_qpair_ring SEC(".maps");

volatile __u64 xpt_qpair_lost;

/* Attach cookie -> where the arguments are at this site of a probe. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, XPT_QPAIR_SITES);
	__type(key, __u32);
	__type(value, struct xpt_wire_site);
} xpt_qpair_sites SEC(".maps");

#define MAX_ARGS 5	/* of nvmf_ctrlr_add_qpair */

struct args {
	__u64 v[MAX_ARGS];	/* 0: the probe has no such argument, or it cannot be read */
};

/* Reads one argument. A global function, so that the verifier checks it once. */
__noinline int xpt_qpair_locate(const struct xpt_regs *regs, const struct xpt_wire_loc *loc, __u64 *ret_v)
{
	__u64 v, word[2] = { 0 };	/* as large as a masked width can be */

	if (!regs || !loc || !ret_v)
		return 0;
	v = loc->off;
	if (loc->kind == XPT_LOC_MEM) {
		v += xpt_reg(regs, loc->base) + (xpt_reg(regs, loc->index) << (loc->scale & 3));
		if (bpf_probe_read_user(word, loc->width & 0x0f, (const void *)v))
			return 0;
		v = word[0];
	} else if (loc->kind == XPT_LOC_REG) {
		v = xpt_reg(regs, loc->base) >> (loc->scale & 63);
	} else if (loc->kind != XPT_LOC_CONST) {
		return 0;
	}
	*ret_v = xpt_narrow(v, loc->width);
	return 1;
}

static __always_inline void read_args(struct pt_regs *ctx, struct args *a)
{
	__u32 place = (__u32)bpf_get_attach_cookie(ctx);
	const struct xpt_wire_site *site = bpf_map_lookup_elem(&xpt_qpair_sites, &place);
	struct xpt_regs regs;

	if (!site)
		return;
	xpt_all_regs(ctx, regs.reg);
	for (__u32 i = 0; i < MAX_ARGS && i < site->nr_locs; i++)
		xpt_qpair_locate(&regs, &site->loc[i], &a->v[i]);
}

static __always_inline struct xpt_wire_qpair *reserve_event(const struct args *a, __u32 kind)
{
	struct xpt_wire_qpair *q = bpf_ringbuf_reserve(&xpt_qpair_ring, sizeof(*q), 0);

	if (!q) {
		__sync_fetch_and_add(&xpt_qpair_lost, 1);
		return NULL;
	}
	q->kind = kind;
	q->pid = bpf_get_current_pid_tgid() >> 32;
	q->mono_ns = bpf_ktime_get_ns();
	q->tsc = a->v[0];
	q->qpair = a->v[1];
	q->thread = q->qid = 0;
	q->subnqn_len = q->hostnqn_len = 0;
	return q;
}

static __always_inline void send_with_thread(struct pt_regs *ctx, __u32 kind)
{
	struct xpt_wire_qpair *q;
	struct args a = { 0 };

	read_args(ctx, &a);
	q = reserve_event(&a, kind);
	if (!q)
		return;
	q->thread = a.v[2];
	bpf_ringbuf_submit(q, 0);
}

SEC("uprobe")
int xpt_qpair_add(struct pt_regs *ctx)
{
	xpt_own_stack(ctx);
	send_with_thread(ctx, XPT_QPAIR_ADD);
	return 0;
}

SEC("uprobe")
int xpt_qpair_remove(struct pt_regs *ctx)
{
	xpt_own_stack(ctx);
	send_with_thread(ctx, XPT_QPAIR_REMOVE);
	return 0;
}

SEC("uprobe")
int xpt_qpair_connect(struct pt_regs *ctx)
{
	struct xpt_wire_qpair *q;
	struct args a = { 0 };

	xpt_own_stack(ctx);
	read_args(ctx, &a);
	q = reserve_event(&a, XPT_QPAIR_CONNECT);
	if (!q)
		return 0;
	q->qid = a.v[2];
	q->subnqn_len = bpf_probe_read_user_str(q->subnqn, sizeof(q->subnqn), (void *)a.v[3]);
	q->hostnqn_len = bpf_probe_read_user_str(q->hostnqn, sizeof(q->hostnqn), (void *)a.v[4]);
	bpf_ringbuf_submit(q, 0);
	return 0;
}

SEC("uprobe")
int xpt_qpair_fini(struct pt_regs *ctx)
{
	struct xpt_wire_qpair *q;
	struct args a = { 0 };

	xpt_own_stack(ctx);
	read_args(ctx, &a);
	q = reserve_event(&a, XPT_QPAIR_FINI);
	if (q)
		bpf_ringbuf_submit(q, 0);
	return 0;
}
