/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The "vendor's" driver: one device, xptv0, with one port and no wire. User
 * programs make objects on it as on any adapter; module parameters say which
 * of that fails, where and how (tests/vm/README.md). Kernels 6.1 to 7.2.
 */
#ifndef XPTV_H
#define XPTV_H

#include <linux/version.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>

#define BEFORE(major, minor) (LINUX_VERSION_CODE < KERNEL_VERSION(major, minor, 0))

struct xptv_dev {
	struct ib_device ib;
	atomic_t qps, cqs, mrs;
};

struct xptv_ucontext { struct ib_ucontext ib; };
struct xptv_pd { struct ib_pd ib; };
struct xptv_cq { struct ib_cq ib; };
struct xptv_qp { struct ib_qp ib; };

struct xptv_mr {
	struct ib_mr ib;
	struct ib_umem *umem;
	struct dma_buf *buf;
};

static inline struct xptv_dev *to_dev(struct ib_device *ib)
{
	return container_of(ib, struct xptv_dev, ib);
}

/* Parameters: what fails. */
extern int xptv_fail_depth, xptv_fail_errno, xptv_wait_ms, xptv_narrow;
extern int xptv_max_qp, xptv_max_cq, xptv_max_mr;
extern unsigned long xptv_mr_bytes;

/* Constants, as drivers have them. */
static __always_inline int xptv_fails(int depth)
{
	if (READ_ONCE(xptv_fail_depth) != depth)
		return 0;
	switch (READ_ONCE(xptv_fail_errno)) {
	case ENOMEM: return -ENOMEM;
	case ETIMEDOUT: return -ETIMEDOUT;
	case EREMOTEIO: return -EREMOTEIO;
	case -EINVAL: return EINVAL;	/* as drivers do by mistake */
	default: return -EIO;
	}
}

int xptv_take(atomic_t *nr, int max);
int xptv_command(struct xptv_dev *dev, int what);
int xptv_refusal(int what);	/* of firmware.c */
extern const struct ib_device_ops xptv_object_ops, xptv_memory_ops;
extern struct xptv_qp *xptv_last_qp;	/* the youngest; NULL: gone. Events are about it */
extern spinlock_t xptv_qp_lock;
int xptv_buffers_init(void);
void xptv_buffers_exit(void);

#endif
