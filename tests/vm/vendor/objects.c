// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Contexts, protection domains, queues: nothing but counts and the limits of
 * xptv.h, and each asks the adapter (xptv_command).
 */
#include "xptv.h"

struct xptv_qp *xptv_last_qp;
DEFINE_SPINLOCK(xptv_qp_lock);

static int xptv_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	return 0;
}

static void xptv_dealloc_ucontext(struct ib_ucontext *uctx)
{
}

/* With it the device may go while programs have it open. */
static void xptv_disassociate_ucontext(struct ib_ucontext *uctx)
{
}

static int xptv_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int xptv_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int xptv_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
#if BEFORE(6, 11)
			  struct ib_udata *attrs)
#else
			  struct uverbs_attr_bundle *attrs)
#endif
{
	int err = xptv_take(&to_dev(cq->device)->cqs, xptv_max_cq);

	if (!err)
		cq->cqe = attr->cqe;
	return err;
}

static int xptv_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	atomic_dec(&to_dev(cq->device)->cqs);
	return 0;
}

static int xptv_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct xptv_dev *dev = to_dev(qp->device);
	int err = xptv_take(&dev->qps, xptv_max_qp);

	if (err)
		return err;
	err = xptv_command(dev, 1);
	if (err) {
		atomic_dec(&dev->qps);
		return err;
	}
	qp->qp_num = 17 + atomic_read(&dev->qps);
	spin_lock_irq(&xptv_qp_lock);
	xptv_last_qp = container_of(qp, struct xptv_qp, ib);
	spin_unlock_irq(&xptv_qp_lock);
	return 0;
}

static noinline int xptv_qp_write(struct xptv_dev *dev, struct ib_qp_attr *attr)
{
	int err = xptv_fails(2);

	if (err)
		return err;
	if (attr->qp_state > IB_QPS_ERR)
		return -EINVAL;
	return xptv_command(dev, 2);
}

static int xptv_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	int err = xptv_fails(1);

	if (err)
		return err;
	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	return xptv_qp_write(to_dev(qp->device), attr);
}

static int xptv_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	spin_lock_irq(&xptv_qp_lock);
	if (&xptv_last_qp->ib == qp)
		xptv_last_qp = NULL;
	spin_unlock_irq(&xptv_qp_lock);
	atomic_dec(&to_dev(qp->device)->qps);
	return 0;
}

static int xptv_poll_cq(struct ib_cq *cq, int nr, struct ib_wc *wc)
{
	return 0;
}

static int xptv_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return 0;
}

const struct ib_device_ops xptv_object_ops = {
	.alloc_ucontext = xptv_alloc_ucontext,
	.dealloc_ucontext = xptv_dealloc_ucontext,
	.disassociate_ucontext = xptv_disassociate_ucontext,
	.alloc_pd = xptv_alloc_pd,
	.dealloc_pd = xptv_dealloc_pd,
	.create_cq = xptv_create_cq,
	.destroy_cq = xptv_destroy_cq,
	.poll_cq = xptv_poll_cq,
	.req_notify_cq = xptv_req_notify_cq,
	.create_qp = xptv_create_qp,
	.modify_qp = xptv_modify_qp,
	.destroy_qp = xptv_destroy_qp,
	INIT_RDMA_OBJ_SIZE(ib_ucontext, xptv_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, xptv_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, xptv_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, xptv_qp, ib),
};
