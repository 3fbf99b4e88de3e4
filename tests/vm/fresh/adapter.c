// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The device xptw0: one port, no wire. It comes with the module or when 1 is
 * written to the parameter `plugged`, and goes with 0, whoever uses it.
 */
#include <linux/module.h>
#include "xptw.h"

static struct xptw_dev *the_dev;

static int xptw_query_device(struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	memset(attr, 0, sizeof(*attr));
	attr->max_mr_size = ~0ull;
	attr->max_qp = attr->max_cq = attr->max_mr = attr->max_pd = attr->max_srq = 1024;
	attr->max_qp_wr = attr->max_cqe = attr->max_srq_wr = 4096;
	attr->max_send_sge = attr->max_recv_sge = attr->max_srq_sge = 4;
	attr->max_pkeys = 1;
	return 0;
}

static int xptw_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	int err = xptw_negated(hw_of(ib));

	if (err)
		return err;
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = attr->pkey_tbl_len = 1;
	attr->active_width = IB_WIDTH_1X;
	attr->active_speed = IB_SPEED_SDR;
	return 0;
}

static int xptw_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *to)
{
	to->gid_tbl_len = to->pkey_tbl_len = 1;
	return 0;
}

static int xptw_query_gid(struct ib_device *ib, u32 port, int index, union ib_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[15] = 3;
	return 0;
}

static int xptw_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = 0xffff;
	return 0;
}

static enum rdma_link_layer xptw_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static const struct ib_device_ops device_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = 1,
	.query_device = xptw_query_device,
	.query_port = xptw_query_port,
	.get_port_immutable = xptw_port_immutable,
	.query_gid = xptw_query_gid,
	.query_pkey = xptw_query_pkey,
	.get_link_layer = xptw_link_layer,
};

static int plug(void)
{
	int err = -ENOMEM;

	if (the_dev)
		return 0;
	the_dev = ib_alloc_device(xptw_dev, ib);
	if (!the_dev)
		return err;
	the_dev->hw = xptw_hw_new(&xptw_driver_calls);
	if (!the_dev->hw)
		goto out;
	the_dev->ib.phys_port_cnt = 1;
	the_dev->ib.num_comp_vectors = 1;
	the_dev->ib.node_type = RDMA_NODE_IB_CA;
	ib_set_device_ops(&the_dev->ib, &device_ops);
	ib_set_device_ops(&the_dev->ib, &xptw_verbs_ops);
	err = ib_register_device(&the_dev->ib, "xptw%d", NULL);
	if (!err)
		return 0;
out:
	xptw_hw_free(the_dev->hw);
	ib_dealloc_device(&the_dev->ib);
	the_dev = NULL;
	return err;
}

static void unplug(void)
{
	struct xptw_hw *hw;

	if (!the_dev)
		return;
	hw = the_dev->hw;
	xptw_hw_gone(hw);
	ib_unregister_device(&the_dev->ib);
	ib_dealloc_device(&the_dev->ib);
	xptw_hw_free(hw);
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

/* Who listens to the core may refuse. */
static int veto_domain(struct notifier_block *nb, unsigned long event, void *data)
{
	return xptw_fails(XPTW_VETO) ? notifier_from_errno(-EBUSY) : NOTIFY_OK;
}

static struct notifier_block listener = { .notifier_call = veto_domain };

static int __init xptw_init(void)
{
	blocking_notifier_chain_register(&xptw_events, &listener);
	return plug();
}

static void __exit xptw_exit(void)
{
	unplug();
	blocking_notifier_chain_unregister(&xptw_events, &listener);
}

module_init(xptw_init);
module_exit(xptw_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("The half of a simulated RDMA driver that is an RDMA device");
