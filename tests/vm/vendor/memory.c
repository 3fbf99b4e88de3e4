// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory regions. A registration goes five functions deep (xptv_fails), may
 * want an impossible amount of the kernel's memory (mr_bytes), and for a
 * dma-buf waits for its fences: with `narrow` as Linux 5.19 did, handing the
 * long "time left" up as an int. /dev/xptv_buf gives a dma-buf for each ioctl.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "xptv.h"

#if BEFORE(6, 13)
MODULE_IMPORT_NS(DMA_BUF);
#else
MODULE_IMPORT_NS("DMA_BUF");
#endif
#if !BEFORE(7, 0)
#define umem_get ib_umem_get_va
#else
#define umem_get ib_umem_get
#endif

static noinline int xptv_mr_write(struct xptv_dev *dev, struct xptv_mr *mr)
{
	int err = xptv_fails(3);

	if (err)
		return err;
	mr->ib.lkey = mr->ib.rkey = 1 + atomic_read(&dev->mrs);
	return xptv_command(dev, 3);
}

static noinline int xptv_mr_table(struct xptv_dev *dev, struct xptv_mr *mr)
{
	int err = xptv_fails(2);
	void *table;

	if (err)
		return err;
	table = kvmalloc(READ_ONCE(xptv_mr_bytes) + 64, GFP_KERNEL | __GFP_NOWARN);
	if (!table)
		return -ENOMEM;
	err = xptv_mr_write(dev, mr);
	kvfree(table);
	return err;
}

static struct xptv_mr *new_mr(struct xptv_dev *dev)
{
	struct xptv_mr *mr;
	int err = xptv_take(&dev->mrs, xptv_max_mr);

	if (err)
		return ERR_PTR(err);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		atomic_dec(&dev->mrs);
	return mr ? mr : ERR_PTR(-ENOMEM);
}

static void free_mr(struct xptv_dev *dev, struct xptv_mr *mr)
{
	if (mr->umem)
		ib_umem_release(mr->umem);
	if (mr->buf)
		dma_buf_put(mr->buf);
	kfree(mr);
	atomic_dec(&dev->mrs);
}

static struct ib_mr *xptv_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
#if !BEFORE(6, 17)
				      struct ib_dmah *dmah,
#endif
				      struct ib_udata *udata)
{
	struct xptv_dev *dev = to_dev(pd->device);
	struct xptv_mr *mr = new_mr(dev);
	int err = xptv_fails(1);

	if (IS_ERR(mr))
		return ERR_CAST(mr);
	if (err)
		goto out;
	mr->umem = umem_get(pd->device, start, length, access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		mr->umem = NULL;
		goto out;
	}
	err = xptv_mr_table(dev, mr);
out:
	if (!err)
		return &mr->ib;
	free_mr(dev, mr);
	return ERR_PTR(err);
}

/* The remaining time, 0 if it ran out, or a negative errno. */
static noinline long xptv_wait_fences(struct dma_buf *buf)
{
	long left = dma_resv_wait_timeout(buf->resv, DMA_RESV_USAGE_KERNEL, false, MAX_SCHEDULE_TIMEOUT);

	if (left < 0)
		return left;
	return left ? left : -ETIMEDOUT;
}

/* The defect: its caller takes any result but 0 for a failure. */
static noinline int xptv_map_narrow(struct xptv_mr *mr)
{
	return xptv_wait_fences(mr->buf);
}

/* The same with an unsigned result, of a function of the kernel. */
static noinline int xptv_map_completion(struct xptv_mr *mr)
{
	DECLARE_COMPLETION_ONSTACK(done);

	complete(&done);
	return wait_for_completion_timeout(&done, MAX_SCHEDULE_TIMEOUT);
}

static noinline int xptv_map_pages(struct xptv_mr *mr)
{
	long left = xptv_wait_fences(mr->buf);

	return left < 0 ? left : 0;
}

static struct ib_mr *xptv_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd, int access,
#if !BEFORE(6, 17)
					     struct ib_dmah *dmah,
#endif
#if BEFORE(6, 11)
					     struct ib_udata *attrs)
#else
					     struct uverbs_attr_bundle *attrs)
#endif
{
	struct xptv_dev *dev = to_dev(pd->device);
	struct xptv_mr *mr = new_mr(dev);
	int err;

	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->buf = dma_buf_get(fd);
	if (IS_ERR(mr->buf)) {
		err = PTR_ERR(mr->buf);
		mr->buf = NULL;
	} else {
		switch (READ_ONCE(xptv_narrow)) {
		case 1:
			err = xptv_map_narrow(mr);
			break;
		case 2:
			err = xptv_map_completion(mr);
			break;
		default:
			err = xptv_map_pages(mr);
		}
	}
	if (!err)
		err = xptv_mr_table(dev, mr);
	if (!err)
		return &mr->ib;
	free_mr(dev, mr);
	return ERR_PTR(err);
}

static int xptv_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	free_mr(to_dev(ib->device), container_of(ib, struct xptv_mr, ib));
	return 0;
}

static struct ib_mr *xptv_get_dma_mr(struct ib_pd *pd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

const struct ib_device_ops xptv_memory_ops = {
	.reg_user_mr = xptv_reg_user_mr,
	.reg_user_mr_dmabuf = xptv_reg_user_mr_dmabuf,
	.get_dma_mr = xptv_get_dma_mr,
	.dereg_mr = xptv_dereg_mr,
};

/* Buffers of no memory: nobody maps them. */
static struct sg_table *buf_map(struct dma_buf_attachment *at, enum dma_data_direction dir)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void buf_unmap(struct dma_buf_attachment *at, struct sg_table *table, enum dma_data_direction dir)
{
}

static void buf_release(struct dma_buf *buf)
{
}

static const struct dma_buf_ops buf_ops = {
	.map_dma_buf = buf_map, .unmap_dma_buf = buf_unmap, .release = buf_release,
};

static long xptv_buf_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *buf;
	int fd;

	info.ops = &buf_ops;
	info.priv = file; /* something, or the kernel complains */
	info.size = PAGE_SIZE;
	info.flags = O_RDWR;
	buf = dma_buf_export(&info);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	fd = dma_buf_fd(buf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(buf);
	return fd;
}

static const struct file_operations buf_fops = { .owner = THIS_MODULE, .unlocked_ioctl = xptv_buf_ioctl };
static struct miscdevice buf_device = {
	.minor = MISC_DYNAMIC_MINOR, .name = "xptv_buf", .fops = &buf_fops, .mode = 0666,
};

int xptv_buffers_init(void)
{
	return misc_register(&buf_device);
}

void xptv_buffers_exit(void)
{
	misc_deregister(&buf_device);
}
