// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The device of xptv.h: comes with the module or when 1 is written to the
 * parameter `plugged`, goes with 0, whoever uses it. `event` reports to user
 * programs what an adapter would: port, device or qp.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include "xptv.h"

int xptv_fail_depth, xptv_fail_errno = EIO, xptv_wait_ms, xptv_narrow;
int xptv_max_qp = 1024, xptv_max_cq = 1024, xptv_max_mr = 1024;
unsigned long xptv_mr_bytes;
static int waiting;
module_param_named(fail_depth, xptv_fail_depth, int, 0644);
module_param_named(fail_errno, xptv_fail_errno, int, 0644);
module_param_named(wait_ms, xptv_wait_ms, int, 0644);
module_param(waiting, int, 0444); /* 1: a call waits for the adapter */
module_param_named(narrow, xptv_narrow, int, 0644);
module_param_named(max_qp, xptv_max_qp, int, 0644);
module_param_named(max_cq, xptv_max_cq, int, 0644);
module_param_named(max_mr, xptv_max_mr, int, 0644);
module_param_named(mr_bytes, xptv_mr_bytes, ulong, 0644);

static struct xptv_dev *the_dev;

static int xptv_query_device(struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	memset(attr, 0, sizeof(*attr));
	attr->max_mr_size = ~0ull;
	attr->max_qp = xptv_max_qp;
	attr->max_cq = xptv_max_cq;
	attr->max_mr = xptv_max_mr;
	attr->max_pd = 1024;
	attr->max_qp_wr = attr->max_cqe = 4096;
	attr->max_send_sge = attr->max_recv_sge = 4;
	attr->max_pkeys = 1;
	return 0;
}

static int xptv_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = attr->pkey_tbl_len = 1;
	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_SDR;
	return 0;
}

static int xptv_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *to)
{
	to->gid_tbl_len = to->pkey_tbl_len = 1;
	return 0;
}

static int xptv_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[15] = 1;
	return 0;
}

static int xptv_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = 0xffff;
	return 0;
}

static enum rdma_link_layer xptv_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static const struct ib_device_ops device_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = 1,
	.query_device = xptv_query_device,
	.query_port = xptv_query_port,
	.get_port_immutable = xptv_port_immutable,
	.query_gid = xptv_query_gid,
	.query_pkey = xptv_query_pkey,
	.get_link_layer = xptv_link_layer,
};

/*
 * What every verb asks of the adapter. Two deep, so that a failure has a way up.
 */
static noinline int xptv_doorbell(struct xptv_dev *dev, int what)
{
	int err = xptv_fails(5);

	if (err)
		return err;
	return atomic_read(&dev->mrs) < 0 ? -ENODEV : 0;
}

noinline int xptv_command(struct xptv_dev *dev, int what)
{
	int err = xptv_fails(4);

	if (err)
		return err;
	if (xptv_wait_ms) {
		WRITE_ONCE(waiting, 1);
		err = msleep_interruptible(xptv_wait_ms) ? -EINTR : 0;
		WRITE_ONCE(waiting, 0);
	}
	if (err)
		return err;
	err = xptv_refusal(what);
	if (err)
		return err;
	return xptv_doorbell(dev, what);
}

noinline int xptv_take(atomic_t *nr, int max)
{
	if (atomic_inc_return(nr) <= max)
		return 0;
	atomic_dec(nr);
	return -ENOSPC;
}

/* A page by which programs ring the adapter. What it is for is no matter here: touching it is a fault. */
static noinline int xptv_map_doorbell(struct xptv_dev *dev, struct vm_area_struct *vma)
{
	int err = xptv_fails(6);

	if (err)
		return err;
	return vma->vm_end - vma->vm_start == PAGE_SIZE ? xptv_doorbell(dev, 0) : -EINVAL;
}

static int xptv_mmap(struct ib_ucontext *context, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff)
		return -EINVAL;
	return xptv_map_doorbell(to_dev(context->device), vma);
}

static const struct ib_device_ops mmap_ops = { .mmap = xptv_mmap };

static int plug(void)
{
	int err;

	if (the_dev)
		return 0;
	the_dev = ib_alloc_device(xptv_dev, ib);
	if (!the_dev)
		return -ENOMEM;
	the_dev->ib.phys_port_cnt = 1;
	the_dev->ib.num_comp_vectors = 1;
	the_dev->ib.node_type = RDMA_NODE_IB_CA;
	ib_set_device_ops(&the_dev->ib, &device_ops);
	ib_set_device_ops(&the_dev->ib, &xptv_object_ops);
	ib_set_device_ops(&the_dev->ib, &mmap_ops);
	ib_set_device_ops(&the_dev->ib, &xptv_memory_ops);
	err = ib_register_device(&the_dev->ib, "xptv%d", NULL);
	if (err) {
		ib_dealloc_device(&the_dev->ib);
		the_dev = NULL;
	}
	return err;
}

static void unplug(void)
{
	if (!the_dev)
		return;
	ib_unregister_device(&the_dev->ib);
	ib_dealloc_device(&the_dev->ib);
	the_dev = NULL;
}

static int set_plugged(const char *text, const struct kernel_param *kp)
{
	if (*text == '1')
		return plug();
	unplug();
	return 0;
}

static void qp_event(void)
{
	struct ib_event event = { .event = IB_EVENT_QP_FATAL };
	unsigned long flags;

	spin_lock_irqsave(&xptv_qp_lock, flags);
	if (xptv_last_qp && xptv_last_qp->ib.event_handler) {
		event.device = xptv_last_qp->ib.device;
		event.element.qp = &xptv_last_qp->ib;
		xptv_last_qp->ib.event_handler(&event, xptv_last_qp->ib.qp_context);
	}
	spin_unlock_irqrestore(&xptv_qp_lock, flags);
}

static int set_event(const char *text, const struct kernel_param *kp)
{
	struct ib_event event = { .element.port_num = 1, .event = IB_EVENT_PORT_ERR };

	if (!the_dev)
		return -ENODEV;
	if (*text == 'q') {
		qp_event();
		return 0;
	}
	if (*text == 'd')
		event.event = IB_EVENT_DEVICE_FATAL;
	event.device = &the_dev->ib;
	ib_dispatch_event(&event);
	return 0;
}

static const struct kernel_param_ops plugged_ops = { .set = set_plugged }, event_ops = { .set = set_event };
module_param_cb(plugged, &plugged_ops, NULL, 0200);
module_param_cb(event, &event_ops, NULL, 0200);

static int __init xptv_init(void)
{
	int err = xptv_buffers_init();

	if (err)
		return err;
	err = plug();
	if (err)
		xptv_buffers_exit();
	return err;
}

static void __exit xptv_exit(void)
{
	unplug();
	xptv_buffers_exit();
}

module_init(xptv_init);
module_exit(xptv_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("RDMA device that fails on demand");
