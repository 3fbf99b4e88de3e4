/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A root has returned: its method is counted, and if the call is worth it, it
 * goes to the reader with all that returned below it.
 */
#ifndef XPT_BPF_RDMA_SEND_BPF_H
#define XPT_BPF_RDMA_SEND_BPF_H

#include "bpf/rdma_device.bpf.h"
#include "bpf/rdma_slot.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} xpt_rdma_ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct xpt_wire_rdma_key);
	__type(value, struct xpt_wire_rdma_method);
} xpt_rdma_methods SEC(".maps");

static const struct xpt_wire_rdma_method no_calls;

static __always_inline struct xpt_wire_rdma_method *method_of(const struct xpt_wire_rdma_rec *r)
{
	struct xpt_wire_rdma_key key = { XPT_RDMA_KEY_WRITE, r->command };
	struct xpt_wire_rdma_method *m;

	if (r->has_header) {
		key.route = XPT_RDMA_KEY_IOCTL;
		key.id = (__u32)r->object << 16 | r->method;
	}
	if (r->handler && !key.id) {	/* a write command inside of an ioctl; or its header is not known */
		key.route = XPT_RDMA_KEY_HANDLER;
		key.id = r->handler;
	}
	m = bpf_map_lookup_elem(&xpt_rdma_methods, &key);
	if (m)
		return m;
	bpf_map_update_elem(&xpt_rdma_methods, &key, &no_calls, BPF_NOEXIST);
	m = bpf_map_lookup_elem(&xpt_rdma_methods, &key);
	if (!m)
		rdma_lost(XPT_RDMA_LOST_METHOD);
	return m;
}

/* One number is the bucket: when it is full again. */
static __always_inline bool too_many(__u64 *full_ns, __u64 now)
{
	__u64 old = *(volatile __u64 *)full_ns, base = old > now ? old : now;

	if (base - now > XPT_RDMA_BURST_NS)
		return true;
	__sync_val_compare_and_swap(full_ns, old, base + XPT_RDMA_GAP_NS);
	return false;
}

/* Whether this good call is an example for its method. */
static __always_inline bool is_sample(struct xpt_wire_rdma_method *m, __u64 nth, __u64 now)
{
	__u64 last = *(volatile __u64 *)&m->last_good_ns;
	bool due = cfg.sample_ns && (!last || now - last >= cfg.sample_ns);

	if (cfg.sample_nth && !(nth % cfg.sample_nth) && !too_many(&m->full_ns, now))
		return true;
	return due && __sync_val_compare_and_swap(&m->last_good_ns, last, now) == last;
}

/* Counts, and says why the call is to be sent: XPT_RDMA_SENT_*, 0: it is not. */
static __always_inline __u32 judge(struct xpt_rdma_slot *s, __u64 now)
{
	struct xpt_wire_rdma_method *m = method_of(&s->rec);
	__u32 why = 0;
	__u64 nth;

	if (s->rec.ret < 0)
		why |= XPT_RDMA_SENT_FAILED;
	if (cfg.slow_ns && s->rec.dur_ns >= cfg.slow_ns)
		why |= XPT_RDMA_SENT_SLOW;
	if (s->is_new)
		why |= XPT_RDMA_SENT_NEW;
	if (!m)
		return why;
	nth = __sync_fetch_and_add(&m->calls, 1);
	__sync_fetch_and_add(&m->ns, s->rec.dur_ns);
	if (why & XPT_RDMA_SENT_FAILED)
		__sync_fetch_and_add(&m->failed, 1);
	if (why & XPT_RDMA_SENT_SLOW)
		__sync_fetch_and_add(&m->slow, 1);
	if (!(why & (XPT_RDMA_SENT_FAILED | XPT_RDMA_SENT_SLOW)) && is_sample(m, nth, now))
		why |= XPT_RDMA_SENT_SAMPLE;
	if (why && !(why & (XPT_RDMA_SENT_SAMPLE | XPT_RDMA_SENT_NEW)) && too_many(&m->full_ns, now)) {
		__sync_fetch_and_add(&m->held, 1);
		why = 0;
	}
	if (why)
		__sync_fetch_and_add(&m->sent, 1);
	return why;
}

/* ret: of the root, sign-extended. */
static __noinline int rdma_finish(struct xpt_rdma_slot *s, __s64 ret, __u64 now)
{
	struct xpt_wire_rdma_rec *r;
	const void *dev;
	__u32 n;

	if (!s)
		return 0;
	r = &s->rec;
	r->ret = ret;
	r->dur_ns = now - r->start_ns;
	r->why = judge(s, now);
	if (!r->why)
		return 0;
	dev = rdma_member((void *)s->arg0, cfg.at.file_private);
	dev = rdma_member(dev, cfg.at.ufile_device);
	rdma_device(r, rdma_member(dev, cfg.at.udevice_device));
	bpf_get_current_comm(r->comm, sizeof(r->comm));
	r->uid = (__u32)bpf_get_current_uid_gid();
	n = r->nr;
	if (n > XPT_RDMA_EXITS)
		n = XPT_RDMA_EXITS;
	if (bpf_ringbuf_output(&xpt_rdma_ring, r, sizeof(*r) + n * sizeof(r->exit[0]), 0))
		rdma_lost(XPT_RDMA_LOST_RING);
	return 0;
}

#endif
