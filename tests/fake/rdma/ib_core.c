// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A simulated ib_core: a good and a bad way through modify_qp, a wrapper that
 * ends in a jump, cleanup, counting, a predicate, a cold part and a long that
 * becomes an int. Only ever analysed, never run.
 */
#include "rdma.h"

struct ib_gid_attr { int index; };

static struct ib_gid_attr table[4];

KEEP struct ib_gid_attr *rdma_get_gid_attr(struct ib_device *dev, int index)
{
	if (!dev)
		return ERR_PTR(-22);
	return index < 4 ? &table[index] : ERR_PTR(-61);
}

KEEP void rdma_put_gid_attr(struct ib_gid_attr *attr)
{
	attr->index = 0;
}

KEEP int rdma_restrack_get(struct ib_qp *qp)
{
	return qp ? 0 : -12;
}

KEEP _Bool ib_modify_qp_is_ok(int from, int to)
{
	return from < to;
}

KEEP static int rdma_fill_sgid_attr(struct ib_device *dev, int index)
{
	struct ib_gid_attr *attr = rdma_get_gid_attr(dev, index);

	if ((unsigned long)attr >= -4095UL)
		return (int)(long)attr;
	rdma_put_gid_attr(attr);
	return 0;
}

KEEP static int deep_enough(int index)
{
	return index > 3 ? -110 : 0;
}

KEEP static int _ib_modify_qp(struct ib_qp *qp, int mask)
{
	int err;

	if (!ib_modify_qp_is_ok(qp->state, mask) || rdma_restrack_get(qp))
		return -22;
	if (__builtin_expect(mask == 4711, 0)) {
		/* Behind something that never happens: the part NAME.cold. */
		printk_like("odd");
		if (printk_like("very odd"))
			return -71;
	}
	err = rdma_fill_sgid_attr(qp->device, mask);
	if (err)
		return err;
	err = qp->device->ops.modify_qp(qp, mask);
	return err ? err : deep_enough(mask) - 1;
}

KEEP int ib_modify_qp_with_udata(struct ib_qp *qp, int mask)
{
	return _ib_modify_qp(qp, mask);
}

/* As dma_resv_wait_timeout: the time that is left. */
KEEP static long wait_fence(struct ib_device *dev)
{
	return dma_resv_wait_timeout(dev, 0x7fffffffffffffffL) - 1;
}

/* The defect that once was the kernel's: of a long only the low half is returned. */
KEEP int ib_umem_dmabuf_map_pages(struct ib_device *dev)
{
	int err = wait_fence(dev);

	if (err)
		return err;
	return dev ? 0 : -22;
}

/* No defect: what is returned does not come from the long. */
KEEP int ib_umem_dmabuf_ready(struct ib_device *dev)
{
	return wait_fence(dev) < 0 ? -4 : 0;
}

KEEP int ib_destroy_qp_user(struct ib_qp *qp)
{
	if (!qp)
		return -22;
	return qp->device->ops.destroy_qp(qp) ? -5 : 0;
}

#ifdef FAKE_SETTER
#define SET(op) do { if (ops->op && !dev->ops.op) dev->ops.op = ops->op; } while (0)

/* As the kernel's: it copies what a driver has, and nothing else tells where operations are. */
KEEP void ib_set_device_ops(struct ib_device *dev, const struct ib_device_ops *ops)
{
	if (ops->driver_id)
		dev->ops.driver_id = ops->driver_id;
	SET(post_send);
	SET(resize_cq);
	SET(modify_qp);
	SET(destroy_qp);
	SET(query_qp);
	SET(reg_user_mr);
}
#endif
