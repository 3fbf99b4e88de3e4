/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The second ring, for records that must not be lost and found no room in the first. A thread may use as much of it
 * as is left free (the dynamic threshold of shared switch buffers): a thread whose calls all fail gets half, and
 * another one still gets a quarter.
 */
#ifndef XPT_BPF_SEND_URGENT_BPF_H
#define XPT_BPF_SEND_URGENT_BPF_H

#include "bpf/maps.bpf.h"
#include "bpf/send/user.bpf.h"

/* t: NULL for records that may take all. loss: the loss to count if there is no room; then 1 is returned. */
static __noinline int xpt_send_urgent(struct xpt_thread *t, const void *rec, __u64 size,
				      enum xpt_loss loss)
{
	__u64 read = bpf_ringbuf_query(&xpt_urgent, BPF_RB_CONS_POS);
	__u64 used = bpf_ringbuf_query(&xpt_urgent, BPF_RB_PROD_POS) - read;
	__u64 batch = cfg.urgent_bytes / 16, mine = size;
	bool wake = !used || (used ^ (used + size)) & ~(batch - 1);

	if (t && t->urgent_pos > read)
		mine += t->urgent_bytes;
	if ((t && mine + used > cfg.urgent_bytes) ||
	    bpf_ringbuf_output(&xpt_urgent, (void *)rec, size,
			       wake ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP)) {
		xpt_lost(loss, 1);
		return 1;
	}
	if (t) {
		t->urgent_bytes = mine;
		t->urgent_pos = bpf_ringbuf_query(&xpt_urgent, BPF_RB_PROD_POS);
	}
	return 0;
}

/* The same within the current user's share. */
static __always_inline void xpt_send_second(struct xpt_thread *t, const void *rec, __u64 size,
					    enum xpt_loss loss)
{
	bool over = cfg.users && xpt_over_share(1, size);

	if (over)
		xpt_lost(loss, 1);
	if ((over || xpt_send_urgent(t, rec, size, loss)) && cfg.users && loss == XPT_LOSS_RING_FULL)
		xpt_note_cut();
}

/* Sends a record that must not be lost: into the second ring where the first one is full. */
static __always_inline void xpt_send_important(struct xpt_thread *t, const void *rec, __u64 size,
					       __u64 flags, enum xpt_loss loss)
{
	if (bpf_ringbuf_output(&xpt_ring, (void *)rec, size, flags))
		xpt_send_second(t, rec, size, loss);
}

#endif
