// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The device's operations, and what it tells the core to call. */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include "xptw.h"

#if !BEFORE(7, 0)
#define umem_get ib_umem_get_va
#else
#define umem_get ib_umem_get
#endif
#define HOPS 12
#define RING_ENTRIES 2048

static int apply_state(struct xptw_hw *hw, int state)
{
	hw->credits += state;
	return xptw_fails(XPTW_APPLY) ? -EIO : 0;
}

/* The other half of the way down (xptw_hop). */
static int hop_over(struct xptw_hw *hw, int depth)
{
	int err;

	if (depth + 1 >= HOPS)
		return xptw_fails(XPTW_PINGPONG) ? -EIO : 0;
	hw->credits++;
	err = xptw_hop(hw, depth + 1);
	hw->credits--;
	return err;
}

static int make_basic(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_CHOSEN) ? -EIO : 0;
}

static int make_none(struct xptw_hw *hw)
{
	return -EOPNOTSUPP;
}

const struct xptw_calls xptw_driver_calls = {
	.apply = apply_state,
	.hop = hop_over,
	.choose = { make_basic, make_none, make_none },
};

static int xptw_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	return xptw_fails(XPTW_VERSION) ? -EPROTO : 0;
}

static void xptw_dealloc_ucontext(struct ib_ucontext *uctx)
{
}

static void xptw_disassociate_ucontext(struct ib_ucontext *uctx)
{
}

/* A window into the adapter, which may be closed. */
static noinline int open_window(struct xptw_hw *hw, unsigned long page)
{
	return xptw_fails(XPTW_WINDOW) ? -ENXIO : -EOPNOTSUPP;
}

static int xptw_mmap(struct ib_ucontext *uctx, struct vm_area_struct *vma)
{
	int err = open_window(hw_of(uctx->device), vma->vm_pgoff);

	if (err)
		return err;
	return 0;
}

static int xptw_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return xptw_domain(hw_of(pd->device));
}

static int xptw_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int xptw_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
#if BEFORE(6, 11)
			  struct ib_udata *attrs)
#else
			  struct uverbs_attr_bundle *attrs)
#endif
{
	struct xptw_hw *hw = hw_of(cq->device);
	int err;

	cq->cqe = attr->cqe;
	err = xptw_ring_bell(hw);
	if (err)
		return err;
	if (!xptw_is_ready(hw))
		return !xptw_is_ready(hw);
	return xptw_attach_queue(hw, attr->cqe);
}

static int xptw_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	struct xptw_hw *hw = hw_of(cq->device);

	/* What has gone needs no command. */
	return READ_ONCE(hw->gone) ? 0 : xptw_command(hw, 9);
}

/* Only one field is used, so the compiler passes that alone. */
static noinline int check_ring(const struct xptw_ring *r)
{
	if (r->entries > RING_ENTRIES)
		return -EINVAL;
	return 0;
}

static int take_all(struct xptw_hw *hw, u32 *ret_number)
{
	int err = xptw_hop(hw, 0);

	if (err)
		return err;
	err = xptw_steps(hw);
	if (err)
		return err;
	if (xptw_slot(hw))
		return -ENOMEM;
	return xptw_queue_take(hw, ret_number);
}

static int xptw_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct xptw_qp *q = container_of(qp, struct xptw_qp, ib);
	struct xptw_ring ring = { .entries = attr->cap.max_send_wr, .owner = qp };
	int err = check_ring(&ring);

	if (err)
		return err;
	err = take_all(hw_of(qp->device), &q->number);
	if (!err)
		qp->qp_num = 16 + q->number;
	return err;
}

static int xptw_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct xptw_hw *hw = hw_of(qp->device);
	int err = xptw_command(hw, 1);

	if (err)
		return err;
	err = xptw_modify_steps(hw);
	if (err)
		return err;
	err = xptw_command_left(hw);
	if (err)
		return err;
	err = xptw_state(hw); /* a defect: a state is no errno */
	if (err)
		return err;
	return xptw_apply(hw, attr->qp_state);
}

static int xptw_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	xptw_queue_give(hw_of(qp->device), container_of(qp, struct xptw_qp, ib)->number);
	return 0;
}

static int xptw_create_srq(struct ib_srq *srq, struct ib_srq_init_attr *init, struct ib_udata *udata)
{
	struct xptw_hw *hw = hw_of(srq->device);

	if (init->srq_type >= ARRAY_SIZE(hw->calls->choose))
		return -EOPNOTSUPP;
	return hw->calls->choose[init->srq_type](hw);
}

static int xptw_destroy_srq(struct ib_srq *srq, struct ib_udata *udata)
{
	return 0;
}

static noinline int take_credit(struct xptw_hw *hw)
{
	int credit = xptw_credit(hw);

	if (credit < 0)
		return credit;
	hw->credits += credit;
	return xptw_quota(hw);
}

static noinline int load_pages(struct xptw_hw *hw, unsigned int pages)
{
	int err;

	xptw_load(hw, pages, &err);
	return err;
}

static noinline int find_tables(struct xptw_hw *hw)
{
	void *table = xptw_table(hw);

	if (IS_ERR(table))
		return PTR_ERR(table);
	if (!xptw_key(hw)) {
		if (!xptw_fails(XPTW_EMPTY))
			return 0;
		return -ENOMEM;
	}
	return 0;
}

/* If the short way is closed, the long one is taken. */
static noinline int short_way(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_UNDONE) ? -EIO : 0;
}

static int build(struct xptw_hw *hw, unsigned int pages)
{
	int err;

	if (short_way(hw))
		hw->credits++;
	err = find_tables(hw);
	if (err)
		return err;
	err = load_pages(hw, pages);
	if (err)
		return err;
	err = take_credit(hw);
	if (err)
		return err;
	err = xptw_by_timer(hw);
	if (err)
		return err;
	err = xptw_meaning(hw);
	if (err)
		return err;
	return xptw_wait_forever(hw);
}

static struct ib_mr *xptw_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
#if !BEFORE(6, 17)
				      struct ib_dmah *dmah,
#endif
				      struct ib_udata *udata)
{
	struct xptw_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	int err;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->umem = umem_get(pd->device, start, length, access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		kfree(mr);
		return ERR_PTR(err);
	}
	err = build(hw_of(pd->device), ib_umem_num_pages(mr->umem));
	if (!err)
		return &mr->ib;
	ib_umem_release(mr->umem);
	kfree(mr);
	return ERR_PTR(err);
}

static int xptw_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	struct xptw_mr *mr = container_of(ib, struct xptw_mr, ib);
	int err = xptw_key_put(hw_of(ib->device));

	if (err)
		return err;
	ib_umem_release(mr->umem);
	kfree(mr);
	return 0;
}

static int xptw_poll_cq(struct ib_cq *cq, int nr, struct ib_wc *wc)
{
	return 0;
}

static int xptw_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return 0;
}

const struct ib_device_ops xptw_verbs_ops = {
	.alloc_ucontext = xptw_alloc_ucontext,
	.dealloc_ucontext = xptw_dealloc_ucontext,
	.disassociate_ucontext = xptw_disassociate_ucontext,
	.mmap = xptw_mmap,
	.alloc_pd = xptw_alloc_pd,
	.dealloc_pd = xptw_dealloc_pd,
	.create_cq = xptw_create_cq,
	.destroy_cq = xptw_destroy_cq,
	.poll_cq = xptw_poll_cq,
	.req_notify_cq = xptw_req_notify_cq,
	.create_qp = xptw_create_qp,
	.modify_qp = xptw_modify_qp,
	.destroy_qp = xptw_destroy_qp,
	.create_srq = xptw_create_srq,
	.destroy_srq = xptw_destroy_srq,
	.reg_user_mr = xptw_reg_user_mr,
	.dereg_mr = xptw_dereg_mr,
	INIT_RDMA_OBJ_SIZE(ib_ucontext, xptw_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, xptw_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, xptw_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, xptw_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, xptw_srq, ib),
};
