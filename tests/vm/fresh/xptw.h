/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A driver in two modules: xptw_core has the mailbox to the (simulated) adapter
 * and its pools, xptw makes the RDMA device xptw0 of it, and tells the core what
 * to call. Kernels 6.1 to 7.2.
 */
#ifndef XPTW_H
#define XPTW_H

#include <linux/completion.h>
#include <linux/notifier.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include "faults.h"

#define BEFORE(major, minor) (LINUX_VERSION_CODE < KERNEL_VERSION(major, minor, 0))
#define XPTW_QUEUES 8
#define XPTW_STEPS_NR 150
#define XPTW_PATIENCE_MS 200
#define XPTW_LONG_MS 1500

struct xptw_hw;

/* What the driver tells the core at run time. */
struct xptw_calls {
	int (*apply)(struct xptw_hw *hw, int state);
	int (*hop)(struct xptw_hw *hw, int depth);
	int (*choose[3])(struct xptw_hw *hw);
};

struct xptw_ring {
	unsigned int entries, stride;
	void *owner;
};

struct xptw_hw {
	const struct xptw_calls *calls;
	struct completion reply;
	struct timer_list timer;
	unsigned long queues[1];
	int timed, gone, credits, steps;
};

extern int xptw_fault;
extern struct blocking_notifier_head xptw_events;

static __always_inline bool xptw_fails(enum xptw_faults f)
{
	return READ_ONCE(xptw_fault) == f;
}

struct xptw_hw *xptw_hw_new(const struct xptw_calls *calls);
void xptw_hw_free(struct xptw_hw *hw);
void xptw_hw_gone(struct xptw_hw *hw);	/* wakes who waits */

/* mailbox.c: 0 or a negative errno, where nothing else is said. */
int xptw_command(struct xptw_hw *hw, int opcode);
int xptw_command_left(struct xptw_hw *hw);
int xptw_apply(struct xptw_hw *hw, int state);
int xptw_modify_steps(struct xptw_hw *hw);
int xptw_attach_queue(struct xptw_hw *hw, unsigned int entries);
int xptw_ring_bell(struct xptw_hw *hw);
bool xptw_is_ready(struct xptw_hw *hw);
int xptw_hop(struct xptw_hw *hw, int depth);
int xptw_wait_forever(struct xptw_hw *hw);
int xptw_by_timer(struct xptw_hw *hw);
int xptw_meaning(struct xptw_hw *hw);
int xptw_negated(struct xptw_hw *hw);

/* pool.c */
int xptw_domain(struct xptw_hw *hw);
int xptw_queue_take(struct xptw_hw *hw, u32 *ret_number);
void xptw_queue_give(struct xptw_hw *hw, u32 number);
int xptw_steps(struct xptw_hw *hw);
int xptw_slot(struct xptw_hw *hw);
void *xptw_table(struct xptw_hw *hw);
void *xptw_key(struct xptw_hw *hw);
void xptw_load(struct xptw_hw *hw, unsigned int pages, int *ret_err);
u8 xptw_state(struct xptw_hw *hw);
u32 xptw_credit(struct xptw_hw *hw);
s64 xptw_quota(struct xptw_hw *hw);
int xptw_key_put(struct xptw_hw *hw);

struct xptw_dev {
	struct ib_device ib;
	struct xptw_hw *hw;
};

struct xptw_ucontext { struct ib_ucontext ib; };
struct xptw_pd { struct ib_pd ib; };
struct xptw_cq { struct ib_cq ib; };
struct xptw_qp { struct ib_qp ib; u32 number; };
struct xptw_srq { struct ib_srq ib; };
struct xptw_mr { struct ib_mr ib; struct ib_umem *umem; };

static inline struct xptw_hw *hw_of(struct ib_device *ib)
{
	return container_of(ib, struct xptw_dev, ib)->hw;
}

extern const struct ib_device_ops xptw_verbs_ops;
extern const struct xptw_calls xptw_driver_calls;

#endif
