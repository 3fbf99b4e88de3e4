/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A root has returned: its method is counted, and if the call is worth it, it
 * goes to the reader with all that returned below it.
 */
#ifndef XPT_BPF_RDMA_RDMA_SEND_BPF_H
#define XPT_BPF_RDMA_RDMA_SEND_BPF_H

#include "bpf/rdma/rdma_device.bpf.h"
#include "bpf/rdma/rdma_kinds.bpf.h"
#include "bpf/rdma/rdma_ns.bpf.h"
#include "bpf/rdma/rdma_slot.bpf.h"
#include "bpf/rdma/rdma_user.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 21);
} xpt_rdma_ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, XPT_RDMA_METHODS);
	__type(key, struct xpt_wire_rdma_key);
	__type(value, struct xpt_wire_rdma_method);
} xpt_rdma_methods SEC(".maps");

static const struct xpt_wire_rdma_method no_calls;

__u32 xpt_rdma_nr_methods;

/* The entry of the call's method, or of all others, whose key s->method gets. NULL: there is no room. */
static __always_inline struct xpt_wire_rdma_method *method_of(struct xpt_rdma_slot *s, struct xpt_wire_rdma_user *u)
{
	struct xpt_wire_rdma_method *m;
	__u32 nr = *(volatile __u32 *)&xpt_rdma_nr_methods;

	key_of(&s->rec, &s->method);
	m = bpf_map_lookup_elem(&xpt_rdma_methods, &s->method);
	if (m)
		return m;
	if (nr >= XPT_RDMA_METHODS - XPT_RDMA_ROUTES || !rdma_may_add_method(u, nr))
		s->method.id = XPT_RDMA_KEY_OTHERS;
	if (!bpf_map_update_elem(&xpt_rdma_methods, &s->method, &no_calls, BPF_NOEXIST))
		__sync_fetch_and_add(&xpt_rdma_nr_methods, 1);
	m = bpf_map_lookup_elem(&xpt_rdma_methods, &s->method);
	if (!m)
		rdma_lost(XPT_RDMA_LOST_METHOD);
	return m;
}

/*
 * A negative errno; or the negative of a positive number that is no success: a driver's mistake, which
 * its program takes for a failure. 0: the call did well.
 */
static __always_inline __s32 failure_of(const struct xpt_rdma_slot *s)
{
	__s64 ret = s->rec.ret;

	if (ret < 0)
		return (__s32)ret;
	return ret && ret != s->success && ret <= 4095 ? (__s32)-ret : 0;
}

/* Counts, and says why the call is to be sent: XPT_RDMA_SENT_*, 0: it is not. */
static __always_inline __u32 judge(struct xpt_rdma_slot *s, __u64 now)
{
	struct xpt_wire_rdma_user *user = rdma_user();
	struct xpt_wire_rdma_method *m = method_of(s, user);
	__s32 failure = failure_of(s), error = failure ? failure : XPT_RDMA_ERROR_SLOW;
	__u32 why = 0;

	if (failure)
		why |= XPT_RDMA_SENT_FAILED;
	if (cfg.slow_ns && s->rec.dur_ns >= cfg.slow_ns)
		why |= XPT_RDMA_SENT_SLOW;
	if (s->is_new)
		why |= XPT_RDMA_SENT_NEW;
	if (!m)
		return why && !rdma_user_is_over(user, now) ? why : 0;
	__sync_fetch_and_add(&m->calls, 1);
	__sync_fetch_and_add(&m->ns, s->rec.dur_ns);
	if (why & XPT_RDMA_SENT_FAILED)
		__sync_fetch_and_add(&m->failed, 1);
	if (why & XPT_RDMA_SENT_SLOW)
		__sync_fetch_and_add(&m->slow, 1);
	if (!(why & (XPT_RDMA_SENT_FAILED | XPT_RDMA_SENT_SLOW)) && is_sample(s, now))
		why |= XPT_RDMA_SENT_SAMPLE;
	if (!(why & XPT_RDMA_SENT_FAILED) && is_after(s, now))
		why |= XPT_RDMA_SENT_AFTER;
	if (why && !(why & (XPT_RDMA_SENT_SAMPLE | XPT_RDMA_SENT_NEW | XPT_RDMA_SENT_AFTER)) && !has_room(s, error, now)) {
		__sync_fetch_and_add(&m->held, 1);
		why = 0;
	}
	if (why && rdma_user_is_over(user, now)) {
		__sync_fetch_and_add(&m->held, 1);
		why = 0;
	}
	if (why)
		__sync_fetch_and_add(&m->sent, 1);
	if (why & XPT_RDMA_SENT_FAILED)
		note_failed(s, now);
	return why;
}

/* The device of a call; NULL: not known. A file whose open(2) failed knows none: then the inode does. */
static __always_inline void *device_of(const struct xpt_rdma_slot *s)
{
	const char *dev = rdma_member(rdma_member((void *)s->file, cfg.at.file_private), cfg.at.ufile_device);
	const char *cdev = dev ? NULL : rdma_member((void *)s->inode, cfg.at.inode_cdev);

	if (cdev && cfg.at.udevice_cdev != XPT_RDMA_NOWHERE)
		dev = cdev - cfg.at.udevice_cdev;
	return rdma_member(dev, cfg.at.udevice_device);
}

/* ret: of the root, sign-extended. */
static __noinline int rdma_finish(struct xpt_rdma_slot *s, __s64 ret, __u64 now)
{
	struct xpt_wire_rdma_rec *r;
	__u32 n;

	if (!s)
		return 0;
	r = &s->rec;
	r->ret = ret;
	r->dur_ns = now - r->start_ns;
	r->why = judge(s, now);
	if (!r->why)
		return 0;
	rdma_device(r, device_of(s));
	bpf_get_current_comm(r->comm, sizeof(r->comm));
	rdma_ns(r);
	r->uid = (__u32)bpf_get_current_uid_gid();
	n = xpt_rdma_nr_sent(r->nr, r->nr_erred);
	if (bpf_ringbuf_output(&xpt_rdma_ring, r, sizeof(*r) + n * sizeof(r->exit[0]), 0))
		rdma_lost(XPT_RDMA_LOST_RING);
	return 0;
}

#endif
