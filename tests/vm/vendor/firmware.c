// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Commands that the adapter's firmware refuses while `fw_status` says so, told as
 * mlx5_core does: by its tracepoint, or, with `fw_log`, by a line in the log, as drivers
 * without one. `fw_event` has so many fail that belong to no call; with `fw_interrupt`
 * one fails, in an interrupt, while a call goes well.
 */
#include <linux/irq_work.h>
#include <linux/module.h>
#include "xptv.h"
#define CREATE_TRACE_POINTS
#include "xptv_trace.h"

static int fw_status, fw_log, fw_interrupt;
static uint fw_syndrome;
module_param(fw_status, int, 0644);
module_param(fw_syndrome, uint, 0644);
module_param(fw_log, int, 0644);
module_param(fw_interrupt, int, 0644);

static const struct command {
	const char *name;
	u16 opcode;
} commands[] = {	/* by what xptv_command() is told */
	{ "QUERY_HCA_CAP", 0x100 }, { "CREATE_QP", 0x500 }, { "RST2INIT_QP", 0x502 }, { "CREATE_MKEY", 0x200 },
};

static const char *text_of(int status)
{
	switch (status) {
	case 0x1: return "internal error";
	case 0x2: return "bad operation";
	case 0x3: return "bad parameter";
	case 0xf: return "no resources";
	default: return "unknown status";
	}
}

static void tell(const struct command *c, int status, u32 syndrome, int err)
{
	if (READ_ONCE(fw_log))
		pr_err("mlx5_core 0000:3b:00.0: %s:%d:(pid %d): %s(0x%x) op_mod(0x%x) failed, status %s(0x%x), syndrome (0x%x), err(%d)\n",
		       __func__, __LINE__, current->pid, c->name, c->opcode, 0, text_of(status), status,
		       syndrome, err);
	else
		trace_mlx5_cmd(c->name, c->opcode, 0, text_of(status), status, syndrome, err);
}

static void in_interrupt_of_it(struct irq_work *work)
{
	static const struct command destroy = { "DESTROY_MKEY", 0x202 };

	tell(&destroy, 0x3, 0xa5a5, -EINVAL);
}

static DEFINE_IRQ_WORK(work, in_interrupt_of_it);

/* 0: the firmware does it. */
noinline int xptv_refusal(int what)
{
	const struct command *c = &commands[what & 3];
	int status = READ_ONCE(fw_status);

	if (READ_ONCE(fw_interrupt)) {
		irq_work_queue(&work);
		irq_work_sync(&work);
	}
	switch (status) {
	case 0x0:
		return 0;
	case 0x2:
	case 0x3:
		tell(c, status, fw_syndrome, -EINVAL);
		return -EINVAL;
	case 0xf:
		tell(c, status, fw_syndrome, -EAGAIN);
		return -EAGAIN;
	default:
		tell(c, status, fw_syndrome, -EIO);
		return -EIO;
	}
}

EXPORT_SYMBOL_GPL(xptv_refusal);

static int set_event(const char *text, const struct kernel_param *kp)
{
	int n, err = kstrtoint(text, 0, &n);

	for (; !err && n > 0; n--)
		tell(&commands[0], 0x3, 0x35e6ec, -EINVAL);
	return err;
}

static const struct kernel_param_ops event_ops = { .set = set_event };
module_param_cb(fw_event, &event_ops, NULL, 0200);

MODULE_DESCRIPTION("What the driver of a simulated RDMA device shares with others");
MODULE_LICENSE("Dual BSD/GPL");
