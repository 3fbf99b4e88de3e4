// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The module nvidia_uvm and /dev/nvidia-uvm of the simulated driver. Commands
 * are plain numbers; a few that every program makes answer with status 0.
 */
#include <linux/device.h>
#include <linux/uaccess.h>
#include "nv.h"

int uvm_open_entry(struct inode *inode, struct file *filp);
int uvm_release_entry(struct inode *inode, struct file *filp);
long uvm_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
long uvm_unlocked_ioctl_entry(struct file *filp, unsigned int cmd, unsigned long arg);

/* Where in the argument of a command its status word stands. */
static const struct { u32 cmd, status; } uvm_cmds[] = {
	{ 0x30000001, 8 },	/* UVM_INITIALIZE */
	{ 0x25, 36 },		/* UVM_REGISTER_GPU */
	{ 0x17, 8 },		/* UVM_CREATE_RANGE_GROUP */
	{ 0x22, 8 },		/* UVM_FREE */
};

NV_FN int uvm_open_entry(struct inode *inode, struct file *filp)
{
	COUNT(uvm_open_entry);
	return 0;
}

NV_FN int uvm_release_entry(struct inode *inode, struct file *filp)
{
	COUNT(uvm_release_entry);
	return 0;
}

NV_FN long uvm_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	COUNT(uvm_ioctl);
	for (int i = 0; i < ARRAY_SIZE(uvm_cmds); i++)
		if (uvm_cmds[i].cmd == cmd)
			return put_user(0, (u32 __user *)(arg + uvm_cmds[i].status));
	return -EINVAL;
}

NV_FN long uvm_unlocked_ioctl_entry(struct file *filp, unsigned int cmd, unsigned long arg)
{
	long ret;

	COUNT(uvm_unlocked_ioctl_entry);
	nv_sleep(0);
	ret = uvm_ioctl(filp, cmd, arg);
	barrier();	/* no tail call */
	return ret;
}

static const struct file_operations uvm_fops = {
	.owner = THIS_MODULE,
	.open = uvm_open_entry,
	.release = uvm_release_entry,
	.unlocked_ioctl = uvm_unlocked_ioctl_entry,
};

static struct class *uvm_class;
static int uvm_major;

static int __init uvm_init(void)
{
	uvm_major = __register_chrdev(0, 0, 2, "nvidia-uvm", &uvm_fops);
	if (uvm_major < 0)
		return uvm_major;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	uvm_class = class_create(THIS_MODULE, "nvidia-uvm");
#else
	uvm_class = class_create("nvidia-uvm");
#endif
	if (IS_ERR(uvm_class)) {
		__unregister_chrdev(uvm_major, 0, 2, "nvidia-uvm");
		return PTR_ERR(uvm_class);
	}
	device_create(uvm_class, NULL, MKDEV(uvm_major, 0), NULL, "nvidia-uvm");
	return 0;
}

static void __exit uvm_exit(void)
{
	device_destroy(uvm_class, MKDEV(uvm_major, 0));
	class_destroy(uvm_class);
	__unregister_chrdev(uvm_major, 0, 2, "nvidia-uvm");
}

module_init(uvm_init);
module_exit(uvm_exit);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("simulated NVIDIA UVM driver for tests of xputrace");
