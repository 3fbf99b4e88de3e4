/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Types of simulated RDMA modules, with the layouts that the analysis relies
 * on (operations in the device, the device first in its objects, tables of
 * methods) and nothing else of the real ones.
 */
#ifndef XPT_TESTS_FAKE_RDMA_H
#define XPT_TESTS_FAKE_RDMA_H

#define KEEP __attribute__((noipa))	/* stays a function, with all arguments */
#define ERR_PTR(e) ((void *)(long)(e))

struct ib_device;
struct ib_qp;
struct ib_mr;
struct ib_gid_attr;

struct ib_device_ops {
	void *owner;
	int driver_id;
	unsigned int uverbs_abi_ver;
	int (*post_send)(struct ib_qp *qp, const void *wr);
	int (*pad[40])(void);
	int (*modify_qp)(struct ib_qp *qp, int mask);
	int (*destroy_qp)(struct ib_qp *qp);
	int (*query_qp)(struct ib_qp *qp, int *state);
	struct ib_mr *(*reg_user_mr)(struct ib_device *dev, long start, long length);
	int (*resize_cq)(struct ib_device *dev, int cqe);
};

struct ib_device {
	void *dma_device;
	struct ib_device_ops ops;
};

struct ib_qp {
	struct ib_device *device;
	int state;
};

struct ib_mr {
	struct ib_device *device;
};

struct uverbs_attr_bundle {
	void *ufile;
	void *object;
	int command;
};

/* Of ib_core. */
int ib_modify_qp_with_udata(struct ib_qp *qp, int mask);
void ib_set_device_ops(struct ib_device *dev, const struct ib_device_ops *ops);
_Bool ib_modify_qp_is_ok(int from, int to);
struct ib_gid_attr *rdma_get_gid_attr(struct ib_device *dev, int index);
void rdma_put_gid_attr(struct ib_gid_attr *attr);
int rdma_restrack_get(struct ib_qp *qp);
int ib_umem_dmabuf_map_pages(struct ib_device *dev);
int ib_umem_dmabuf_ready(struct ib_device *dev);
int ib_destroy_qp_user(struct ib_qp *qp);
/* Of the kernel. */
long dma_resv_wait_timeout(void *resv, long timeout);
int printk_like(const char *text);
void *kmalloc_like(long n);

#endif
