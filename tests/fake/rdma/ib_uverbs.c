// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A simulated ib_uverbs: the tables by which the analysis finds methods, in
 * the kernel's layouts, and handlers that call ib_core.
 */
#include "rdma.h"

typedef int (*handler_fn)(struct uverbs_attr_bundle *bundle);

struct uapi_definition {
	unsigned char kind, scope;
	unsigned short number;
	unsigned char is_ex:1, has_udata:1, has_resp:1, req_size, resp_size;
	handler_fn func_write;
};

struct uverbs_method_def {
	unsigned short id;
	unsigned int flags;
	unsigned long num_attrs;
	const void *attrs;
	handler_fn handler;
};

struct uverbs_obj_type {
	const void *type_class;
	int (*destroy_object)(struct ib_qp *qp, int why);
};

struct uverbs_object_def {
	unsigned short id;
	const struct uverbs_obj_type *type_attrs;
	unsigned long num_methods;
	const struct uverbs_method_def *const (*methods)[];
};

KEEP static int uverbs_request(struct uverbs_attr_bundle *bundle)
{
	return bundle->command ? 0 : -14;
}

KEEP static struct ib_qp *rdma_lookup_get_uobject(struct uverbs_attr_bundle *bundle)
{
	return bundle->object ? bundle->object : ERR_PTR(-2);
}

KEEP static void *lookup_get_untyped(struct uverbs_attr_bundle *bundle)
{
	return bundle->object;
}

KEEP static int modify_qp(struct uverbs_attr_bundle *bundle)
{
	struct ib_qp *qp = rdma_lookup_get_uobject(bundle);

	if ((unsigned long)qp >= -4095UL)
		return (int)(long)qp;
	return kmalloc_like(8) ? ib_modify_qp_with_udata(qp, bundle->command) + 1 : -12;
}

KEEP static int ib_uverbs_modify_qp(struct uverbs_attr_bundle *bundle)
{
	int err = uverbs_request(bundle);

	return err ? err : modify_qp(bundle) ? -95 : 0;
}

KEEP static int ib_uverbs_ex_modify_qp(struct uverbs_attr_bundle *bundle)
{
	return modify_qp(bundle) ? -95 : 0;
}

KEEP static int ib_uverbs_query_qp(struct uverbs_attr_bundle *bundle)
{
	struct ib_qp *qp = rdma_lookup_get_uobject(bundle);
	int state = 0;

	return qp->device->ops.query_qp(qp, &state) ? -22 : state;
}

/* The device's type gets lost: the offset alone tells which operation it is. */
KEEP static int ib_uverbs_resize_cq(struct uverbs_attr_bundle *bundle)
{
	struct ib_mr *untyped = lookup_get_untyped(bundle);

	return untyped->device->ops.resize_cq(untyped->device, 1) ? -22 : 0;
}

/* So does this one's, and an offset that small is none of an operation. */
KEEP static int ib_uverbs_poll_cq(struct uverbs_attr_bundle *bundle)
{
	int (**fn)(void) = lookup_get_untyped(bundle);

	return fn[1]() ? -22 : 0;
}

KEEP static int ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR(struct uverbs_attr_bundle *bundle)
{
	struct ib_qp *qp = rdma_lookup_get_uobject(bundle);

	return ib_umem_dmabuf_map_pages(qp->device) || ib_umem_dmabuf_ready(qp->device) ? -95 : 0;
}

KEEP static int ib_uverbs_handler_UVERBS_METHOD_QP_DESTROY(struct uverbs_attr_bundle *bundle)
{
	return bundle->object ? 0 : -22;
}

KEEP static int uverbs_free_qp(struct ib_qp *qp, int why)
{
	return why ? ib_destroy_qp_user(qp) - 1 : 0;
}

static const struct uverbs_obj_type qp_type = { .destroy_object = uverbs_free_qp };
static const struct uverbs_method_def ib_uverbs_method_UVERBS_METHOD_QP_DESTROY = {
	.id = 1, .handler = ib_uverbs_handler_UVERBS_METHOD_QP_DESTROY,
};
static const struct uverbs_method_def ib_uverbs_method_UVERBS_METHOD_REG_DMABUF_MR = {
	.id = 4, .handler = ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR,
};
static const struct uverbs_method_def *const qp_methods[] = {
	&ib_uverbs_method_UVERBS_METHOD_QP_DESTROY,
};
static const struct uverbs_method_def *const mr_methods[] = {
	&ib_uverbs_method_UVERBS_METHOD_REG_DMABUF_MR,
};

const struct uverbs_object_def ib_uverbs_object_UVERBS_OBJECT_QP = {
	.id = 4, .type_attrs = &qp_type, .num_methods = 1, .methods = (void *)&qp_methods,
};
const struct uverbs_object_def ib_uverbs_object_UVERBS_OBJECT_MR = {
	.id = 7, .num_methods = 1, .methods = (void *)&mr_methods,
};
const struct uapi_definition uverbs_def_write_intf[] = {
	{ .kind = 1, .number = 4 },
	{ .kind = 2, .number = 21, .func_write = ib_uverbs_poll_cq },
	{ .kind = 2, .number = 19, .func_write = ib_uverbs_resize_cq },
	{ .kind = 2, .number = 25, .func_write = ib_uverbs_query_qp },
	{ .kind = 2, .number = 26, .func_write = ib_uverbs_modify_qp },
	{ .kind = 2, .number = 26, .is_ex = 1, .func_write = ib_uverbs_ex_modify_qp },
	{ .kind = 0 },
};

/* The system call's own functions; what they call by pointer are the handlers. */
KEEP int ib_uverbs_cmd_verbs(struct uverbs_attr_bundle *bundle, handler_fn handler)
{
	if ((unsigned long)rdma_lookup_get_uobject(bundle) >= -4095UL)
		return -2;
	return handler(bundle) + 1;
}

KEEP long ib_uverbs_ioctl(struct uverbs_attr_bundle *bundle, handler_fn handler)
{
	return bundle ? ib_uverbs_cmd_verbs(bundle, handler) : -14;
}

KEEP long ib_uverbs_write(struct uverbs_attr_bundle *bundle, handler_fn handler)
{
	return bundle ? handler(bundle) : -14;
}
