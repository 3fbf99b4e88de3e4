/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A driver in two modules, as adapters have them that are network devices as
 * well: xptu_core speaks with the (simulated) adapter and keeps its tables,
 * xptu makes the RDMA device xptu0 of it. Kernels 6.1 to 7.2.
 */
#ifndef XPTU_H
#define XPTU_H

#include <linux/completion.h>
#include <linux/idr.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include "faults.h"

#define BEFORE(major, minor) (LINUX_VERSION_CODE < KERNEL_VERSION(major, minor, 0))
#define XPTU_DOMAINS 8		/* protection domains of the adapter */
#define XPTU_KEYS 16		/* memory keys of it */

enum xptu_opcode {
	XPTU_CREATE_CQ = 0x400, XPTU_CREATE_QP = 0x500, XPTU_SET_QP = 0x502, XPTU_DROP_QP = 0x501,
	XPTU_READ_QP = 0x50b, XPTU_READ_PORT = 0x805, XPTU_WRITE_KEY = 0x200,
};

struct xptu_hw;
typedef int (*xptu_page_fn)(void *ctx, unsigned int page);

/* One table for each generation of adapters. */
struct xptu_generation {
	int (*ring)(struct xptu_hw *hw, u16 opcode, u8 *ret_status);
	int (*queue_state)(struct xptu_hw *hw, u32 number, int state);
	int (*read_caps)(struct xptu_hw *hw, u32 *ret_queues);
	bool (*can_share)(struct xptu_hw *hw);
};

struct xptu_hw {
	struct xptu_generation *does;
	struct ida domains;
	struct xarray keys;
	struct mutex lock;
	struct completion answer;
	struct work_struct work;
	int worked;
	u32 bells, ports;
};

struct xptu_queue {		/* what a queue pair has of the adapter */
	int bell, buffer, context, vector;
};

struct xptu_path {
	int err;
	u32 port;
};

extern int xptu_fault;

static __always_inline bool xptu_fails(enum xptu_faults f)
{
	return READ_ONCE(xptu_fault) == f;
}

struct xptu_hw *xptu_hw_new(void);
void xptu_hw_free(struct xptu_hw *hw);

/* command.c: 0 or a negative errno. */
int xptu_execute(struct xptu_hw *hw, u16 opcode);
int xptu_execute_often(struct xptu_hw *hw, u16 opcode);
int xptu_execute_slowly(struct xptu_hw *hw, u16 opcode);
int xptu_execute_patiently(struct xptu_hw *hw, u16 opcode);
int xptu_admin(struct xptu_hw *hw);
int xptu_queue_state(struct xptu_hw *hw, u32 number, int state);
int xptu_read_caps(struct xptu_hw *hw, u32 *ret_queues);
int xptu_drop_queue(struct xptu_hw *hw);
bool xptu_can_share(struct xptu_hw *hw);

/* tables.c: the same, or a number. */
int xptu_domain_new(struct xptu_hw *hw);
void xptu_domain_free(struct xptu_hw *hw, int number);
int xptu_key_new(struct xptu_hw *hw, void *owner, u32 *ret_key);
int xptu_key_free(struct xptu_hw *hw, u32 key);
int xptu_key_write(struct xptu_hw *hw, unsigned int pages);
int xptu_each_page(struct xptu_hw *hw, unsigned int pages, xptu_page_fn fn, void *ctx);
int xptu_queue_take(struct xptu_hw *hw, struct xptu_queue *q);
void xptu_queue_give(struct xptu_hw *hw, struct xptu_queue *q);
int xptu_vector_bind(struct xptu_hw *hw, unsigned int entries);
int xptu_path_new(struct xptu_hw *hw, u32 port, struct xptu_path *path);
size_t xptu_ring_bytes(struct xptu_hw *hw, size_t entries);
int xptu_load_context(struct xptu_hw *hw, unsigned int pages);

/* The RDMA device. */
struct xptu_dev {
	struct ib_device ib;
	struct xptu_hw *hw;
};

struct xptu_ucontext { struct ib_ucontext ib; };
struct xptu_pd { struct ib_pd ib; int number; };
struct xptu_cq { struct ib_cq ib; };
struct xptu_qp { struct ib_qp ib; struct xptu_queue queue; };
struct xptu_ah { struct ib_ah ib; struct xptu_path path; };
struct xptu_srq { struct ib_srq ib; };
struct xptu_mr { struct ib_mr ib; struct ib_umem *umem; u32 key; unsigned int written; };

static inline struct xptu_hw *hw_of(struct ib_device *ib)
{
	return container_of(ib, struct xptu_dev, ib)->hw;
}

extern const struct ib_device_ops xptu_object_ops, xptu_memory_ops;

#endif
