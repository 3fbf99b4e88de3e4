// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Errors of the device (Xid) and its interrupts, both on demand: a write to
 * /sys/module/nvidia/parameters/xid ("31" or "31 TEXT") reports one, a write to
 * interrupt runs the bottom half on a worker and wakes who polls.
 */
#include <linux/printk.h>
#include <linux/workqueue.h>
#include "nv.h"

#define CREATE_TRACE_POINTS
#include "nv_trace.h"

/* The real one leaves the line in the kernel log to its caller. */
NV_FN void nv_report_error(struct pci_dev *dev, u32 error_number, const char *format, va_list ap)
{
	char text[256];

	COUNT(nv_report_error);
	vscnprintf(text, sizeof(text), format, ap);
	trace_nvidia_dev_xid(dev, error_number, text);
	pr_err("NVRM: Xid (PCI:%04x:%02x:%02x): %u, %s\n", pci_domain_nr(dev->bus),
	       dev->bus->number, PCI_SLOT(dev->devfn), error_number, text);
}

void nv_xid(u32 xid, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	nv_report_error(nv.pdev, xid, format, ap);
	va_end(ap);
}

NV_FN irqreturn_t nvidia_isr_kthread_bh(int irq, void *data)
{
	struct nv_state *state = data;

	COUNT(nvidia_isr_kthread_bh);
	atomic_inc(&state->events);
	wake_up_interruptible(&state->wait);
	return IRQ_HANDLED;
}

static void bottom_half(struct work_struct *work)
{
	nvidia_isr_kthread_bh(0, &nv);
}
static DECLARE_WORK(work, bottom_half);

static int xid_set(const char *val, const struct kernel_param *kp)
{
	int at = 0;
	u32 xid;

	if (!nv.pdev || sscanf(val, "%u %n", &xid, &at) < 1)
		return -EINVAL;
	if (val[at] && val[at] != '\n')
		nv_xid(xid, "%.*s", (int)strcspn(val + at, "\n"), val + at);
	else
		nv_xid(xid, "pid=%d, name=%s, Ch 00000008", task_tgid_nr(current), current->comm);
	return 0;
}

static int interrupt_set(const char *val, const struct kernel_param *kp)
{
	schedule_work(&work);
	flush_work(&work);
	return 0;
}

static const struct kernel_param_ops xid_ops = { .set = xid_set };
static const struct kernel_param_ops interrupt_ops = { .set = interrupt_set };
module_param_cb(xid, &xid_ops, NULL, 0200);
MODULE_PARM_DESC(xid, "written: report this Xid, with a text");
module_param_cb(interrupt, &interrupt_ops, NULL, 0200);
MODULE_PARM_DESC(interrupt, "written: an interrupt comes");
