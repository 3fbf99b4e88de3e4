/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Exact totals per (process, function). A thread counts in its own memory, without atomics; counts that it evicts go
 * to the per-CPU table, with atomics, because BPF programs of uprobes can be preempted. If a table is full, the call
 * is still counted, but without its process or its error code.
 */
#ifndef XPT_BPF_COUNT_COUNT_BPF_H
#define XPT_BPF_COUNT_COUNT_BPF_H

#include "bpf/bound.bpf.h"
#include "bpf/count/count_tables.bpf.h"
#include "bpf/count/hist.bpf.h"
#include "bpf/maps.bpf.h"
#include "bpf/process.bpf.h"

/* Adds the failed calls that a thread has counted under one code. */
__noinline int xpt_flush_errors(struct xpt_acc *acc)
{
	struct xpt_error_key key = { 0 };
	__u64 *v, zero = 0;

	if (!acc || !acc->code_calls)
		return 0;
	key.of.tgid = acc->key.tgid;
	key.of.fn = acc->key.fn;
	key.of.code = acc->code;
	key.began_ns = xpt_process_began();
	v = bpf_map_lookup_elem(&xpt_errors, &key);
	if (!v) {
		bpf_map_update_elem(&xpt_errors, &key, &zero, BPF_NOEXIST);
		v = bpf_map_lookup_elem(&xpt_errors, &key);
	}
	if (v)
		__sync_fetch_and_add(v, acc->code_calls);
	else
		xpt_lost(XPT_LOSS_ERRORS_FULL, acc->code_calls);
	acc->code_calls = 0;
	return 0;
}

/* Adds a thread's counts to those of its process and frees their place. Global, so that
 * the verifier checks it once. */
__noinline int xpt_flush(struct xpt_acc *acc)
{
	struct xpt_count_key key;
	struct xpt_wire_count *c;
	__u64 old;
	__u32 i;

	if (!acc || !acc->calls)
		return 0;
	xpt_flush_errors(acc);
	key.of = acc->key;
	key.began_ns = xpt_process_began();
	c = xpt_count_of(&key);
	if (!c)
		return 0;
	__sync_fetch_and_add(&c->calls, acc->calls);
	__sync_fetch_and_add(&c->errors, acc->errors);
	__sync_fetch_and_add(&c->bytes, acc->bytes);
	__sync_fetch_and_add(&c->time_ns, acc->time_ns);
	old = c->max_ns;
	if (acc->max_ns > old)
		__sync_val_compare_and_swap(&c->max_ns, old, acc->max_ns);
	for (i = 0; i < XPT_HIST_SLOTS; i++) {
		if (acc->hist[i])
			__sync_fetch_and_add(&c->hist[i], acc->hist[i]);
		acc->hist[i] = 0;
	}
	acc->calls = acc->errors = acc->bytes = acc->time_ns = acc->max_ns = 0;
	return 0;
}

static __always_inline bool xpt_acc_is(const struct xpt_acc *acc,
				       const struct xpt_wire_count_key *key)
{
	return acc->calls && *(const __u64 *)&acc->key == *(const __u64 *)key;
}

/* Returns the thread's place for these counts: one of two, flushed if both are in use. */
static __always_inline struct xpt_acc *xpt_acc_of(struct xpt_thread *t,
						  const struct xpt_wire_count_key *key)
{
	__u32 i = key->fn ^ key->sub;
	struct xpt_acc *a = &t->acc[xpt_wrap(i, XPT_ACCS)];
	struct xpt_acc *b = &t->acc[xpt_wrap(i ^ 1, XPT_ACCS)];

	if (xpt_acc_is(a, key) && a->calls < XPT_ACC_CALLS_MAX)
		return a;
	if (xpt_acc_is(b, key) && b->calls < XPT_ACC_CALLS_MAX)
		return b;
	if (a->calls && !b->calls)
		a = b;
	if (a->calls)
		xpt_flush(a);
	a->key = *key;
	return a;
}

/* Counts a call. dir: its direction, with XPT_SUB_PASSED_ON if that applies. */
static __always_inline void xpt_count(struct xpt_thread *t, const struct xpt_rec_call *call,
				      __u32 dir, __u64 bytes)
{
	struct xpt_wire_count_key key = {
		.tgid = call->tgid,
		.fn = call->rec.fn,
		.sub = (dir & (XPT_SUB_DIR | XPT_SUB_PASSED_ON)) |
		       (call->flags & XPT_CALL_OUTER ? XPT_SUB_OUTER : 0) |
		       (call->flags & XPT_CALL_NESTED ? XPT_SUB_NESTED : 0) |
		       (call->flags & XPT_CALL_IN_NAMED ? XPT_SUB_IN_NAMED : 0),
	};
	struct xpt_acc *a = xpt_acc_of(t, &key);

	a->calls++;
	a->bytes += bytes;
	a->time_ns += call->dur_ns;
	a->hist[xpt_hist_slot(call->dur_ns)]++;
	if (call->dur_ns > a->max_ns)
		a->max_ns = call->dur_ns;
	if (!(call->flags & XPT_CALL_FAILED))
		return;
	a->errors++;
	if (a->code != call->ret)
		xpt_flush_errors(a);
	a->code = call->ret;
	a->code_calls++;
}

#endif
