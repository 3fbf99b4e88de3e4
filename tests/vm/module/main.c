// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * /dev/nvidiactl and /dev/nvidia0 of the simulated driver: files, their ioctls
 * up to the resource manager, mappings, polls.
 */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "nv.h"

#define ESC_CARD_INFO 0xc8
#define ESC_REGISTER_FD 0xc9
#define ESC_CHECK_VERSION_STR 0xd2
#define ESC_IOCTL_XFER_CMD 0xd3

struct nv_state nv;

NV_FN int nvidia_open(struct inode *inode, struct file *file)
{
	struct nv_file *nvfp = kzalloc(sizeof(*nvfp), GFP_KERNEL);

	COUNT(nvidia_open);
	if (!nvfp)
		return -ENOMEM;
	xa_init(&nvfp->objects);
	nvfp->control = iminor(inode) == NV_CTL_MINOR;
	nvfp->events_seen = atomic_read(&nv.events);
	file->private_data = nvfp;
	return 0;
}

NV_FN int nvidia_close(struct inode *inode, struct file *file)
{
	struct nv_file *nvfp = file->private_data;

	COUNT(nvidia_close);
	nv_forget_objects(nvfp);
	kfree(nvfp);
	return 0;
}

/* A command that is too large for its number says here where its argument is. */
static long unwrap(unsigned int *nr, unsigned int *size, void __user **arg)
{
	struct { u32 cmd, size; u64 ptr; } xfer;

	if (*size != sizeof(xfer))
		return -EINVAL;
	if (copy_from_user(&xfer, *arg, sizeof(xfer)))
		return -EFAULT;
	*nr = xfer.cmd;
	*size = xfer.size;
	*arg = u64_to_user_ptr(xfer.ptr);
	return 0;
}

NV_FN long nvidia_ioctl(struct inode *inode, struct file *file, unsigned int cmd, unsigned long i_arg)
{
	unsigned int nr = _IOC_NR(cmd), size = _IOC_SIZE(cmd);
	void __user *arg = (void __user *)i_arg;
	void *copy;
	long err = 0;

	COUNT(nvidia_ioctl);
	if (_IOC_TYPE(cmd) != 'F')
		return -EINVAL;
	if (nr == ESC_IOCTL_XFER_CMD)
		err = unwrap(&nr, &size, &arg);
	if (err)
		return err;
	if (size > NV_ARG_MAX)
		return -EINVAL;
	copy = kzalloc(size + 1, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	if (copy_from_user(copy, arg, size))
		err = -EFAULT;
	else if (nr != ESC_CARD_INFO && nr != ESC_REGISTER_FD && nr != ESC_CHECK_VERSION_STR)
		err = rm_ioctl(&nv, file->private_data, nr, copy, size);
	if (!err && copy_to_user(arg, copy, size))
		err = -EFAULT;
	kfree(copy);
	return err;
}

NV_FN long nvidia_unlocked_ioctl(struct file *file, unsigned int cmd, unsigned long i_arg)
{
	long ret;

	COUNT(nvidia_unlocked_ioctl);
	ret = nvidia_ioctl(file_inode(file), file, cmd, i_arg);
	barrier();	/* no tail call: a return of its own */
	return ret;
}

NV_FN vm_fault_t nvidia_fault(struct vm_fault *vmf)
{
	COUNT(nvidia_fault);
	get_page(nv.page);
	vmf->page = nv.page;
	return 0;
}

static const struct vm_operations_struct nv_vm_ops = { .fault = nvidia_fault };

NV_FN int nvidia_mmap(struct file *file, struct vm_area_struct *vma)
{
	COUNT(nvidia_mmap);
	if (((struct nv_file *)file->private_data)->control)
		return -ENODEV;
	vma->vm_ops = &nv_vm_ops;
	return 0;
}

NV_FN __poll_t nvidia_poll(struct file *file, poll_table *wait)
{
	struct nv_file *nvfp = file->private_data;
	u32 events;

	COUNT(nvidia_poll);
	poll_wait(file, &nv.wait, wait);
	events = atomic_read(&nv.events);
	if (events == nvfp->events_seen)
		return 0;
	nvfp->events_seen = events;
	return EPOLLIN | EPOLLPRI;
}

static const struct file_operations nv_fops = {
	.owner = THIS_MODULE,
	.open = nvidia_open,
	.release = nvidia_close,
	.unlocked_ioctl = nvidia_unlocked_ioctl,
	.mmap = nvidia_mmap,
	.poll = nvidia_poll,
};

static struct class *nv_class;

static struct class *make_class(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	return class_create(THIS_MODULE, "nvidia");
#else
	return class_create("nvidia");
#endif
}

static void drop(void)
{
	pci_dev_put(nv.pdev);
	if (nv.page)
		__free_page(nv.page);
}

/* Reports of errors name a PCI device: whichever there is. */
static int __init nv_init(void)
{
	int err;

	init_waitqueue_head(&nv.wait);
	nv.pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, NULL);
	nv.page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	err = nv.page && nv.pdev ? __register_chrdev(NV_MAJOR, 0, 256, "nvidia", &nv_fops) : -ENODEV;
	if (err)
		goto out;
	nv_class = make_class();
	if (IS_ERR(nv_class)) {
		err = PTR_ERR(nv_class);
		__unregister_chrdev(NV_MAJOR, 0, 256, "nvidia");
		goto out;
	}
	device_create(nv_class, NULL, MKDEV(NV_MAJOR, 0), NULL, "nvidia0");
	device_create(nv_class, NULL, MKDEV(NV_MAJOR, NV_CTL_MINOR), NULL, "nvidiactl");
	return 0;
out:
	drop();
	return err;
}

static void __exit nv_exit(void)
{
	device_destroy(nv_class, MKDEV(NV_MAJOR, 0));
	device_destroy(nv_class, MKDEV(NV_MAJOR, NV_CTL_MINOR));
	class_destroy(nv_class);
	__unregister_chrdev(NV_MAJOR, 0, 256, "nvidia");
	drop();
}

module_init(nv_init);
module_exit(nv_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("simulated NVIDIA driver for tests of xputrace");
