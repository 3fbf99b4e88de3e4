// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Contexts, protection domains, queues, addresses: each is a command or an
 * entry of a table of the core module.
 */
#include <linux/capability.h>
#include <rdma/uverbs_ioctl.h>
#include "xptu.h"

static bool has_rights(void)
{
	return !xptu_fails(XPTU_RIGHTS) || capable(CAP_SYS_RAWIO);
}

static int xptu_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	if (!has_rights())
		return -EPERM;
	return 0;
}

static void xptu_dealloc_ucontext(struct ib_ucontext *uctx)
{
}

static void xptu_disassociate_ucontext(struct ib_ucontext *uctx)
{
}

/* There is one page of bells, and nothing behind it. */
static int xptu_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff)
		return -EINVAL;
	return -EOPNOTSUPP;
}

static int xptu_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	int number = xptu_domain_new(hw_of(pd->device));

	if (number < 0)
		return number;
	container_of(pd, struct xptu_pd, ib)->number = number;
	return 0;
}

static int xptu_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	xptu_domain_free(hw_of(pd->device), container_of(pd, struct xptu_pd, ib)->number);
	return 0;
}

static int xptu_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
#if BEFORE(6, 11)
			  struct ib_udata *attrs)
#else
			  struct uverbs_attr_bundle *attrs)
#endif
{
	struct xptu_hw *hw = hw_of(cq->device);
	int err = xptu_vector_bind(hw, attr->cqe);

	if (err)
		return err;
	err = xptu_execute_often(hw, XPTU_CREATE_CQ);
	if (err)
		return err;
	if (xptu_fails(XPTU_POSITIVE))
		return EAGAIN;
	cq->cqe = attr->cqe;
	return 0;
}

static int xptu_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	return 0;
}

/* What libraries of this driver would send along; there is nothing to it yet. */
static int check_request(struct ib_udata *udata)
{
	u32 flags = 0;

	if (udata->inlen > sizeof(flags))
		return -EINVAL;
	return 0;
}

static int xptu_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct xptu_qp *q = container_of(qp, struct xptu_qp, ib);
	struct xptu_hw *hw = hw_of(qp->device);
	int err = check_request(udata);

	if (err)
		return err;
	err = xptu_queue_take(hw, &q->queue);
	if (err)
		return err;
	err = xptu_admin(hw);
	if (!err)
		err = xptu_execute(hw, XPTU_CREATE_QP);
	if (err)
		xptu_queue_give(hw, &q->queue);
	else
		qp->qp_num = 16 + q->queue.bell;
	return err;
}

/* The queue pair that is wanted: all but those of one number are there. */
static struct xptu_qp *partner_of(struct xptu_qp *q, u32 number)
{
	if (xptu_fails(XPTU_CONVERTED))
		return ERR_PTR(-ENOENT);
	return q;
}

static int check_partner(struct xptu_qp *q, u32 number)
{
	struct xptu_qp *partner = partner_of(q, number);

	if (IS_ERR(partner))
		return -EINVAL;
	return 0;
}

static int xptu_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct xptu_hw *hw = hw_of(qp->device);
	int err = check_partner(container_of(qp, struct xptu_qp, ib), attr->dest_qp_num);

	if (err)
		return err;
	err = xptu_execute_slowly(hw, XPTU_READ_QP);
	if (err)
		return err;
	return xptu_queue_state(hw, qp->qp_num, attr->qp_state);
}

static int xptu_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_qp_init_attr *init)
{
	memset(attr, 0, sizeof(*attr));
	memset(init, 0, sizeof(*init));
	return xptu_execute(hw_of(qp->device), XPTU_READ_QP);
}

static int xptu_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	struct xptu_qp *q = container_of(qp, struct xptu_qp, ib);
	struct xptu_hw *hw = hw_of(qp->device);
	int err = xptu_drop_queue(hw);

	if (!err)
		xptu_queue_give(hw, &q->queue);
	return err;
}

static int xptu_create_srq(struct ib_srq *srq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	if (!xptu_can_share(hw_of(srq->device)))
		return -EOPNOTSUPP;
	return 0;
}

static int xptu_destroy_srq(struct ib_srq *srq, struct ib_udata *udata)
{
	return 0;
}

static int xptu_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	return xptu_path_new(hw_of(ah->device), rdma_ah_get_port_num(init->ah_attr),
			     &container_of(ah, struct xptu_ah, ib)->path);
}

static int xptu_destroy_ah(struct ib_ah *ah, u32 flags)
{
	return 0;
}

static int xptu_poll_cq(struct ib_cq *cq, int nr, struct ib_wc *wc)
{
	return 0;
}

static int xptu_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return 0;
}

const struct ib_device_ops xptu_object_ops = {
	.alloc_ucontext = xptu_alloc_ucontext,
	.dealloc_ucontext = xptu_dealloc_ucontext,
	.disassociate_ucontext = xptu_disassociate_ucontext,
	.mmap = xptu_mmap,
	.alloc_pd = xptu_alloc_pd,
	.dealloc_pd = xptu_dealloc_pd,
	.create_cq = xptu_create_cq,
	.destroy_cq = xptu_destroy_cq,
	.poll_cq = xptu_poll_cq,
	.req_notify_cq = xptu_req_notify_cq,
	.create_qp = xptu_create_qp,
	.modify_qp = xptu_modify_qp,
	.query_qp = xptu_query_qp,
	.destroy_qp = xptu_destroy_qp,
	.create_srq = xptu_create_srq,
	.destroy_srq = xptu_destroy_srq,
	.create_ah = xptu_create_ah,
	.create_user_ah = xptu_create_ah,
	.destroy_ah = xptu_destroy_ah,
	INIT_RDMA_OBJ_SIZE(ib_ucontext, xptu_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, xptu_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, xptu_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, xptu_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, xptu_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ah, xptu_ah, ib),
};
