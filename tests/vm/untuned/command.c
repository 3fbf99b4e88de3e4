// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Commands to the adapter: each has a status, which a table turns into an
 * errno; some are tried again, waited for, or done by a kernel thread. What the
 * adapter does is a table of functions for its generation, which is filled
 * when the device comes.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "xptu.h"

#define TRIES 3
#define PATIENCE_MS 1000

int xptu_fault;
static int waiting;
module_param_named(fault, xptu_fault, int, 0644); /* enum xptu_fault */
module_param(waiting, int, 0444); /* 1: a call waits for the adapter */
EXPORT_SYMBOL_GPL(xptu_fault);

static const struct {
	u8 status;
	int err;
} meanings[] = {
	{ 0x01, EIO }, { 0x02, EOPNOTSUPP }, { 0x03, EINVAL }, { 0x05, EBUSY },
	{ 0x08, ENOSPC }, { 0x10, ETIMEDOUT }, { 0x15, EREMOTEIO },
};

static int meaning_of(u8 status)
{
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		if (meanings[i].status == status)
			return -meanings[i].err;
	}
	return -EIO;
}

static int result_of(u16 opcode, u8 status)
{
	if (!status)
		return 0;
	pr_debug("command %#x: status %#x\n", opcode, status);
	return meaning_of(status);
}

int xptu_execute(struct xptu_hw *hw, u16 opcode)
{
	u8 status = 0;
	int err;

	mutex_lock(&hw->lock);
	err = hw->does->ring(hw, opcode, &status);
	mutex_unlock(&hw->lock);
	return err ? err : result_of(opcode, status);
}
EXPORT_SYMBOL_GPL(xptu_execute);

/* Whether the adapter has a place for one more command just now. */
static int find_slot(struct xptu_hw *hw, int try)
{
	if (xptu_fails(XPTU_RETRIES) || (xptu_fails(XPTU_GOES_WELL) && try + 1 < TRIES))
		return -EAGAIN;
	return try;
}

int xptu_execute_often(struct xptu_hw *hw, u16 opcode)
{
	for (int i = 0; i < TRIES; i++) {
		int slot = find_slot(hw, i);

		if (slot >= 0)
			return xptu_execute(hw, opcode);
		if (slot != -EAGAIN)
			return slot;
		usleep_range(100, 200);
	}
	return -ETIMEDOUT;
}
EXPORT_SYMBOL_GPL(xptu_execute_often);

static int wait_answer(struct xptu_hw *hw)
{
	unsigned long left = wait_for_completion_timeout(&hw->answer, msecs_to_jiffies(PATIENCE_MS));

	return left ? 0 : -ETIMEDOUT;
}

/* The answer comes by an interrupt. */
int xptu_execute_slowly(struct xptu_hw *hw, u16 opcode)
{
	int err;

	reinit_completion(&hw->answer);
	if (!xptu_fails(XPTU_SILENT))
		complete(&hw->answer);
	err = wait_answer(hw);
	return err ? err : xptu_execute(hw, opcode);
}
EXPORT_SYMBOL_GPL(xptu_execute_slowly);

/* One that may take long, which signals end. */
int xptu_execute_patiently(struct xptu_hw *hw, u16 opcode)
{
	int err;

	reinit_completion(&hw->answer);
	if (!xptu_fails(XPTU_SIGNAL))
		complete(&hw->answer);
	WRITE_ONCE(waiting, xptu_fails(XPTU_SIGNAL));
	err = wait_for_completion_interruptible(&hw->answer);
	WRITE_ONCE(waiting, 0);
	if (err)
		return err;
	return xptu_execute(hw, opcode);
}
EXPORT_SYMBOL_GPL(xptu_execute_patiently);

/* What takes sleep and locks: for all devices by one thread. */
static int do_admin(struct xptu_hw *hw)
{
	if (xptu_fails(XPTU_WORKER))
		return -EIO;
	return hw->bells > 1 << 20 ? -ENOSPC : 0;
}

static void admin_work(struct work_struct *work)
{
	struct xptu_hw *hw = container_of(work, struct xptu_hw, work);

	hw->worked = do_admin(hw);
	complete(&hw->answer);
}

int xptu_admin(struct xptu_hw *hw)
{
	reinit_completion(&hw->answer);
	schedule_work(&hw->work);
	wait_for_completion(&hw->answer);
	return hw->worked;
}
EXPORT_SYMBOL_GPL(xptu_admin);

int xptu_queue_state(struct xptu_hw *hw, u32 number, int state)
{
	return hw->does->queue_state(hw, number, state);
}
EXPORT_SYMBOL_GPL(xptu_queue_state);

int xptu_read_caps(struct xptu_hw *hw, u32 *ret_queues)
{
	return hw->does->read_caps(hw, ret_queues);
}
EXPORT_SYMBOL_GPL(xptu_read_caps);

bool xptu_can_share(struct xptu_hw *hw)
{
	return hw->does->can_share(hw);
}
EXPORT_SYMBOL_GPL(xptu_can_share);

int xptu_drop_queue(struct xptu_hw *hw)
{
	return xptu_execute(hw, XPTU_DROP_QP);
}
EXPORT_SYMBOL_GPL(xptu_drop_queue);

/* The adapter's second generation, the one that is there. */
static int g2_ring(struct xptu_hw *hw, u16 opcode, u8 *ret_status)
{
	static const struct {
		int fault;
		u16 opcode;
		u8 status;
	} answers[] = {
		{ XPTU_STATUS, XPTU_CREATE_QP, 0x15 }, { XPTU_REFUSED, XPTU_SET_QP, 0x03 },
		{ XPTU_DESTROY, XPTU_DROP_QP, 0x10 }, { XPTU_QUERY_QP, XPTU_READ_QP, 0x01 },
		{ XPTU_QUERY_PORT, XPTU_READ_PORT, 0x01 }, { XPTU_ROLLBACK_OTHER, XPTU_WRITE_KEY, 0x08 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		if (answers[i].fault == READ_ONCE(xptu_fault) && answers[i].opcode == opcode)
			*ret_status = answers[i].status;
	}
	return 0;
}

static int g2_queue_state(struct xptu_hw *hw, u32 number, int state)
{
	if (state > IB_QPS_ERR || xptu_fails(XPTU_GENERATION))
		return -EINVAL;
	return xptu_execute(hw, XPTU_SET_QP);
}

static int g2_read_caps(struct xptu_hw *hw, u32 *ret_queues)
{
	if (xptu_fails(XPTU_TAIL))
		return -EIO;
	*ret_queues = 1024;
	return 0;
}

static bool g2_can_share(struct xptu_hw *hw)
{
	return !xptu_fails(XPTU_BOOL);
}

static void fill_generation(struct xptu_generation *g)
{
	g->ring = g2_ring;
	g->queue_state = g2_queue_state;
	g->read_caps = g2_read_caps;
	g->can_share = g2_can_share;
}

struct xptu_hw *xptu_hw_new(void)
{
	struct xptu_hw *hw = kzalloc(sizeof(*hw), GFP_KERNEL);

	if (!hw)
		return NULL;
	hw->does = kzalloc(sizeof(*hw->does), GFP_KERNEL);
	if (!hw->does) {
		kfree(hw);
		return NULL;
	}
	fill_generation(hw->does);
	ida_init(&hw->domains);
	xa_init_flags(&hw->keys, XA_FLAGS_ALLOC1);
	mutex_init(&hw->lock);
	init_completion(&hw->answer);
	INIT_WORK(&hw->work, admin_work);
	hw->ports = 1;
	return hw;
}
EXPORT_SYMBOL_GPL(xptu_hw_new);

void xptu_hw_free(struct xptu_hw *hw)
{
	if (!hw)
		return;
	cancel_work_sync(&hw->work);
	xa_destroy(&hw->keys);
	ida_destroy(&hw->domains);
	kfree(hw->does);
	kfree(hw);
}
EXPORT_SYMBOL_GPL(xptu_hw_free);

MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("The half of a simulated RDMA driver that speaks with the adapter");
