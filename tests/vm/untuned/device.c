// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The device xptu0: one port, no wire. It comes with the module or when 1 is
 * written to the parameter `plugged`, and goes with 0, whoever uses it.
 */
#include <linux/module.h>
#include "xptu.h"

static struct xptu_dev *the_dev;

static int xptu_query_device(struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	memset(attr, 0, sizeof(*attr));
	attr->max_mr_size = ~0ull;
	attr->max_cq = attr->max_mr = attr->max_pd = attr->max_ah = attr->max_srq = 1024;
	attr->max_qp_wr = attr->max_cqe = attr->max_srq_wr = 4096;
	attr->max_send_sge = attr->max_recv_sge = attr->max_srq_sge = 4;
	attr->max_pkeys = 1;
	return xptu_read_caps(hw_of(ib), (u32 *)&attr->max_qp);
}

static int read_port(struct xptu_hw *hw, struct ib_port_attr *attr)
{
	int err = xptu_execute(hw, XPTU_READ_PORT);

	if (err)
		return err;
	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_SDR;
	return 0;
}

static int xptu_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = attr->pkey_tbl_len = 1;
	return read_port(hw_of(ib), attr);
}

static int xptu_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *to)
{
	to->gid_tbl_len = to->pkey_tbl_len = 1;
	return 0;
}

static int xptu_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[15] = 2;
	return 0;
}

static int xptu_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = 0xffff;
	return 0;
}

static enum rdma_link_layer xptu_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static const struct ib_device_ops device_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = 1,
	.query_device = xptu_query_device,
	.query_port = xptu_query_port,
	.get_port_immutable = xptu_port_immutable,
	.query_gid = xptu_query_gid,
	.query_pkey = xptu_query_pkey,
	.get_link_layer = xptu_link_layer,
};

static int plug(void)
{
	int err = -ENOMEM;

	if (the_dev)
		return 0;
	the_dev = ib_alloc_device(xptu_dev, ib);
	if (!the_dev)
		return err;
	the_dev->hw = xptu_hw_new();
	if (!the_dev->hw)
		goto out;
	the_dev->ib.phys_port_cnt = 1;
	the_dev->ib.num_comp_vectors = 1;
	the_dev->ib.node_type = RDMA_NODE_IB_CA;
	ib_set_device_ops(&the_dev->ib, &device_ops);
	ib_set_device_ops(&the_dev->ib, &xptu_object_ops);
	ib_set_device_ops(&the_dev->ib, &xptu_memory_ops);
	err = ib_register_device(&the_dev->ib, "xptu%d", NULL);
	if (!err)
		return 0;
out:
	xptu_hw_free(the_dev->hw);
	ib_dealloc_device(&the_dev->ib);
	the_dev = NULL;
	return err;
}

static void unplug(void)
{
	struct xptu_hw *hw;

	if (!the_dev)
		return;
	hw = the_dev->hw;
	ib_unregister_device(&the_dev->ib);
	ib_dealloc_device(&the_dev->ib);
	xptu_hw_free(hw);
	the_dev = NULL;
}

static int set_plugged(const char *text, const struct kernel_param *kp)
{
	if (*text == '1')
		return plug();
	unplug();
	return 0;
}

static const struct kernel_param_ops plugged_ops = { .set = set_plugged };
module_param_cb(plugged, &plugged_ops, NULL, 0200);

static int __init xptu_init(void)
{
	return plug();
}

static void __exit xptu_exit(void)
{
	unplug();
}

module_init(xptu_init);
module_exit(xptu_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("The half of a simulated RDMA driver that is an RDMA device");
