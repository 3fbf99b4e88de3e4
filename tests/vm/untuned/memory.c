// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory regions: pages are pinned, each is written to a table by a function
 * that the core calls back, a key is taken and told to the adapter. What fails
 * undoes all before it.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "xptu.h"

#if !BEFORE(7, 0)
#define umem_get ib_umem_get_va
#else
#define umem_get ib_umem_get
#endif

/* Called by the core for each page. */
static int put_page_entry(void *ctx, unsigned int page)
{
	struct xptu_mr *mr = ctx;

	if (page == 2 && xptu_fails(XPTU_CALLBACK))
		return -EIO;
	mr->written++;
	return 0;
}

/* Room for the table of pages. */
static void *table_new(unsigned int pages)
{
	return vmalloc(xptu_fails(XPTU_HUGE) ? 1ul << 40 : pages * 8ul);
}

static int write_pages(struct xptu_hw *hw, struct xptu_mr *mr, unsigned int pages)
{
	void *table = table_new(pages);
	int err;

	if (!table)
		return -ENOMEM;
	err = xptu_each_page(hw, pages, put_page_entry, mr);
	vfree(table);
	return err;
}

/* A defect: sizes above 2 GiB look like errors. */
static int check_ring(struct xptu_hw *hw, unsigned int pages)
{
	int bytes = xptu_ring_bytes(hw, pages);

	return bytes < 0 ? bytes : 0;
}

static int drop_pages(struct xptu_mr *mr)
{
	mr->written = 0;
	return xptu_fails(XPTU_ROLLBACK_OTHER) ? -EIO : 0;
}

static int make_key(struct xptu_hw *hw, struct xptu_mr *mr, unsigned int pages)
{
	int err = xptu_key_new(hw, mr, &mr->key);

	if (err)
		return err;
	err = xptu_key_write(hw, pages);
	if (err)
		xptu_key_free(hw, mr->key);
	else
		mr->ib.lkey = mr->ib.rkey = mr->key << 8;
	return err;
}

static int build_mr(struct xptu_hw *hw, struct xptu_mr *mr, unsigned int pages)
{
	int err = check_ring(hw, pages);

	if (err)
		return err;
	err = xptu_load_context(hw, pages);
	if (err)
		return err;
	err = write_pages(hw, mr, pages);
	if (err)
		return err;
	err = xptu_execute_patiently(hw, XPTU_READ_QP);
	if (!err)
		err = make_key(hw, mr, pages);
	if (err) {
		int other = drop_pages(mr);

		return other ? other : err;
	}
	return 0;
}

static struct ib_mr *xptu_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 iova, int access,
#if !BEFORE(6, 17)
				      struct ib_dmah *dmah,
#endif
				      struct ib_udata *udata)
{
	struct xptu_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	int err;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->umem = umem_get(pd->device, start, length, access);
	if (IS_ERR(mr->umem)) {
		err = PTR_ERR(mr->umem);
		kfree(mr);
		return ERR_PTR(err);
	}
	err = build_mr(hw_of(pd->device), mr, ib_umem_num_pages(mr->umem));
	if (!err)
		return &mr->ib;
	ib_umem_release(mr->umem);
	kfree(mr);
	return ERR_PTR(err);
}

static struct ib_mr *xptu_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset, u64 length, u64 iova, int fd, int access,
#if !BEFORE(6, 17)
					     struct ib_dmah *dmah,
#endif
#if BEFORE(6, 11)
					     struct ib_udata *attrs)
#else
					     struct uverbs_attr_bundle *attrs)
#endif
{
	return ERR_PTR(-EOPNOTSUPP);
}

static int xptu_dereg_mr(struct ib_mr *ib, struct ib_udata *udata)
{
	struct xptu_mr *mr = container_of(ib, struct xptu_mr, ib);
	int err = xptu_key_free(hw_of(ib->device), mr->key);

	if (err)
		return err;
	ib_umem_release(mr->umem);
	kfree(mr);
	return 0;
}

static struct ib_mr *xptu_get_dma_mr(struct ib_pd *pd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

const struct ib_device_ops xptu_memory_ops = {
	.reg_user_mr = xptu_reg_user_mr,
	.reg_user_mr_dmabuf = xptu_reg_user_mr_dmabuf,
	.get_dma_mr = xptu_get_dma_mr,
	.dereg_mr = xptu_dereg_mr,
};
