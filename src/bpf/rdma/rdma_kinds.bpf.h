/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which calls are alike, and whether a call of a kind is to be sent: tables of the
 * calls that were sent of each kind lately, by all processes and by each.
 */
#ifndef XPT_BPF_RDMA_RDMA_KINDS_BPF_H
#define XPT_BPF_RDMA_RDMA_KINDS_BPF_H

#include <linux/errno.h>
#include "bpf/rdma/rdma_device.bpf.h"
#include "bpf/rdma/rdma_limit.bpf.h"
#include "bpf/rdma/rdma_slot.bpf.h"

/* Failed and slow calls by kind, of all processes: the number of calls left out is read from here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct xpt_wire_rdma_kind);
	__type(value, struct xpt_wire_rdma_limit);
} xpt_rdma_kinds SEC(".maps");

/* The same of single processes, and good calls by device. A call of an evicted kind is sent once more. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, struct xpt_wire_rdma_kind);
	__type(value, struct xpt_wire_rdma_limit);
} xpt_rdma_recent SEC(".maps");

/* Threads of which a failed call was sent, and how many good ones are to follow. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2048);
	__type(key, __u32);
	__type(value, struct xpt_rdma_after);
} xpt_rdma_after SEC(".maps");

static __always_inline void key_of(const struct xpt_wire_rdma_rec *r, struct xpt_wire_rdma_key *key)
{
	key->route = XPT_RDMA_KEY_WRITE;
	key->id = r->command;
	if (r->has_header) {
		key->route = XPT_RDMA_KEY_IOCTL;
		key->id = (__u32)r->object << 16 | r->method;
	}
	if (r->handler && !key->id) {	/* a write command inside of an ioctl; or its header is not known */
		key->route = XPT_RDMA_KEY_HANDLER;
		key->id = r->handler;
	}
}

static const struct xpt_wire_rdma_limit no_limit;

static __always_inline struct xpt_wire_rdma_limit *limit_of(void *map, const struct xpt_wire_rdma_kind *kind)
{
	struct xpt_wire_rdma_limit *l = bpf_map_lookup_elem(map, kind);

	if (l)
		return l;
	bpf_map_update_elem(map, kind, &no_limit, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, kind);
}

/* A call of that kind, error as in struct xpt_wire_rdma_kind, finds room. */
static __always_inline bool has_room(struct xpt_rdma_slot *s, __s32 error, __u64 now)
{
	struct xpt_wire_rdma_kind kind = { .shape = rdma_shape(s->rec.value), .error = error };
	struct xpt_wire_rdma_limit *own, *all;

	kind.method = s->method;
	if (error < 0 && error == s->error)
		kind.fn = s->error_fn;
	all = limit_of(&xpt_rdma_kinds, &kind);
	kind.tgid = s->rec.tgid;
	own = limit_of(&xpt_rdma_recent, &kind);
	return rdma_may_send(own, all, now);
}

/* Whether this good call is an example for its method, wanted state and device. */
static __always_inline bool is_sample(struct xpt_rdma_slot *s, __u64 now)
{
	struct xpt_wire_rdma_kind kind = { .shape = rdma_shape(s->rec.value) };
	struct xpt_wire_rdma_limit *good;
	const void *file;

	kind.method = s->method;
	file = rdma_member((void *)s->file, cfg.at.file_private);
	kind.device = (__u64)rdma_member(file, cfg.at.ufile_device);
	good = limit_of(&xpt_rdma_recent, &kind);
	if (!good)
		return false;
	if (rdma_is_due(good, now, cfg.sample_ns))
		return true;
	return cfg.sample_nth && !(__sync_fetch_and_add(&good->calls, 1) % cfg.sample_nth) && has_room(s, 0, now);
}

/*
 * Whether a program that failed went on, or tried again with another argument, is known by the
 * good calls of its thread after that.
 */
static __always_inline bool is_after(struct xpt_rdma_slot *s, __u64 now)
{
	__u32 tid = s->rec.tid;
	struct xpt_rdma_after *a = bpf_map_lookup_elem(&xpt_rdma_after, &tid);

	if (!a || !a->left)
		return false;
	a->left--;
	if (!a->left || now - a->failed_ns > XPT_RDMA_AFTER_NS)
		bpf_map_delete_elem(&xpt_rdma_after, &tid);
	return true;	/* else a failure that was sent would never be explained */
}

/*
 * Whether the error is one for which the reader looks at the program's next calls (src/rdma/plan/expected_errors.c).
 */
static __always_inline bool may_be_trial(const struct xpt_wire_rdma_rec *r)
{
	bool asked = r->value & XPT_RDMA_ASKED_INLINE && !(r->value & XPT_RDMA_MODIFY);

	return r->ret == -EOPNOTSUPP || r->ret == -EPROTONOSUPPORT || r->ret == -EBUSY ||
	       (r->ret == -EINVAL && asked);
}

static __always_inline void note_failed(struct xpt_rdma_slot *s, __u64 now)
{
	struct xpt_rdma_after a = { .failed_ns = now, .left = XPT_RDMA_AFTER };
	__u32 tid = s->rec.tid;

	if (!may_be_trial(&s->rec))
		return;
	bpf_map_update_elem(&xpt_rdma_after, &tid, &a, BPF_ANY);
}

#endif
