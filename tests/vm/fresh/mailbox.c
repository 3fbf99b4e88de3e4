// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Commands to the adapter: allowed, posted, replied to; what the driver wants to
 * be called; and what the adapter answers later, by a timer.
 */
#include <linux/module.h>
#include <linux/delay.h>
#include <linux/slab.h>
#include "xptw.h"

int xptw_fault;
static int waiting;
module_param_named(fault, xptw_fault, int, 0644);	/* enum xptw_faults */
module_param(waiting, int, 0444);	/* 1: a call waits for the adapter */
EXPORT_SYMBOL_GPL(xptw_fault);
BLOCKING_NOTIFIER_HEAD(xptw_events);
EXPORT_SYMBOL_GPL(xptw_events);

static noinline bool is_alive(struct xptw_hw *hw)
{
	return !hw->gone && !xptw_fails(XPTW_DEAD);
}

static noinline int admit(struct xptw_hw *hw, int opcode)
{
	if (!is_alive(hw))
		return -ENXIO;
	hw->credits++;
	return 0;
}

static noinline int await_reply(struct xptw_hw *hw, int opcode)
{
	bool silent = xptw_fails(XPTW_SILENCE) || (xptw_fails(XPTW_STUCK) && opcode == 9);

	reinit_completion(&hw->reply);
	if (xptw_fails(XPTW_SLOW))
		msleep(XPTW_LONG_MS);
	if (!silent)
		complete(&hw->reply);
	if (!wait_for_completion_timeout(&hw->reply, msecs_to_jiffies(XPTW_PATIENCE_MS)))
		return -ETIMEDOUT;
	return 0;
}

static noinline int post(struct xptw_hw *hw, int opcode)
{
	int err = await_reply(hw, opcode);

	hw->credits--;
	return err;
}

static noinline int exchange(struct xptw_hw *hw, int opcode)
{
	int err = admit(hw, opcode);

	if (err)
		return err;
	return post(hw, opcode);
}

int xptw_command(struct xptw_hw *hw, int opcode)
{
	int err = exchange(hw, opcode);

	if (err)
		pr_debug("command %d: %d\n", opcode, err);
	return err;
}
EXPORT_SYMBOL_GPL(xptw_command);

/* A defect: what is left of the time is no errno. */
int xptw_command_left(struct xptw_hw *hw)
{
	reinit_completion(&hw->reply);
	complete(&hw->reply);
	if (xptw_fails(XPTW_LEFT))
		return wait_for_completion_interruptible_timeout(&hw->reply, msecs_to_jiffies(XPTW_PATIENCE_MS));
	wait_for_completion(&hw->reply);
	return 0;
}
EXPORT_SYMBOL_GPL(xptw_command_left);

int xptw_apply(struct xptw_hw *hw, int state)
{
	int err = READ_ONCE(hw->calls)->apply(hw, state);

	if (!err)
		hw->credits++;
	return err;
}
EXPORT_SYMBOL_GPL(xptw_apply);

/* Newer adapters can be asked how they are. */
static noinline int probe_health(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_OPTIONAL) ? -ENODEV : 0;
}

static noinline int set_context(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_OPTIONAL) ? -EREMOTEIO : 0;
}

static noinline int set_sender(struct xptw_hw *hw)
{
	hw->credits++;
	return xptw_fails(XPTW_BOTH) ? -EIO : 0;
}

static noinline int set_receiver(struct xptw_hw *hw)
{
	hw->credits--;
	return xptw_fails(XPTW_BOTH) ? -EINVAL : 0;
}

static noinline int try_lock(struct xptw_hw *hw, int try)
{
	if (!xptw_fails(XPTW_AGAIN))
		return 0;
	return try < 2 ? -EAGAIN : -EIO;
}

static noinline int lock_context(struct xptw_hw *hw)
{
	int err, try = 0;

	do {
		err = try_lock(hw, try++);
	} while (err == -EAGAIN);
	return err;
}

int xptw_modify_steps(struct xptw_hw *hw)
{
	int err, other;

	err = lock_context(hw);
	if (err)
		return err;
	if (probe_health(hw))
		pr_debug("this adapter cannot be asked\n");
	err = set_context(hw);
	if (err)
		return err;
	err = set_sender(hw);
	other = set_receiver(hw);
	return err ? err : other;
}
EXPORT_SYMBOL_GPL(xptw_modify_steps);

/* Of three kinds of event queues this file asks for one only, so the compiler clones. */
static noinline int program_events(struct xptw_hw *hw, int kind, unsigned int entries)
{
	hw->credits += kind * 3 + entries;
	if (kind == 2 && xptw_fails(XPTW_CLONE))
		return -EIO;
	return 0;
}

static noinline int reserve_events(struct xptw_hw *hw, unsigned int entries)
{
	if (xptw_fails(XPTW_JUMPS))
		return -EREMOTEIO;
	return program_events(hw, 2, entries);
}

static noinline int find_events(struct xptw_hw *hw, unsigned int entries)
{
	hw->credits++;
	return reserve_events(hw, entries);
}

int xptw_attach_queue(struct xptw_hw *hw, unsigned int entries)
{
	return find_events(hw, entries);
}
EXPORT_SYMBOL_GPL(xptw_attach_queue);

/* How many bytes were written. */
static noinline int write_bell(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_WRITTEN) ? 5 : 0;
}

int xptw_ring_bell(struct xptw_hw *hw)
{
	int n = write_bell(hw);

	hw->credits += n;
	return n;
}
EXPORT_SYMBOL_GPL(xptw_ring_bell);

bool xptw_is_ready(struct xptw_hw *hw)
{
	return !xptw_fails(XPTW_READY);
}
EXPORT_SYMBOL_GPL(xptw_is_ready);

/* Half of the way down: the other half is the driver's. */
int xptw_hop(struct xptw_hw *hw, int depth)
{
	int err;

	hw->credits++;
	err = READ_ONCE(hw->calls)->hop(hw, depth + 1);
	hw->credits--;
	return err;
}
EXPORT_SYMBOL_GPL(xptw_hop);

int xptw_wait_forever(struct xptw_hw *hw)
{
	int err = 0;

	reinit_completion(&hw->reply);
	if (!xptw_fails(XPTW_FOREVER))
		complete(&hw->reply);
	WRITE_ONCE(waiting, xptw_fails(XPTW_FOREVER));
	err = wait_for_completion_killable(&hw->reply);
	WRITE_ONCE(waiting, 0);
	if (hw->gone)
		return -ENODEV;
	return err;
}
EXPORT_SYMBOL_GPL(xptw_wait_forever);

static void answer_later(struct timer_list *t)
{
	struct xptw_hw *hw = container_of(t, struct xptw_hw, timer);

	hw->timed = xptw_fails(XPTW_TIMER) ? -EIO : 0;
	complete(&hw->reply);
}

int xptw_by_timer(struct xptw_hw *hw)
{
	reinit_completion(&hw->reply);
	mod_timer(&hw->timer, jiffies + 1);
	wait_for_completion(&hw->reply);
	return hw->timed;
}
EXPORT_SYMBOL_GPL(xptw_by_timer);

/* The adapter's statuses are of kinds, which have errnos. */
static const u8 kinds[] = { 0, 1, 1, 2, 3, 2 };
static const s8 errnos[] = { 0, -EIO, -EINVAL, -ENOSPC };

static noinline unsigned int read_status(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_TWO_TABLES) ? 4 : 0;
}

int xptw_meaning(struct xptw_hw *hw)
{
	return errnos[kinds[read_status(hw) % ARRAY_SIZE(kinds)]];
}
EXPORT_SYMBOL_GPL(xptw_meaning);

/* Positive errnos, as firmware has them. */
static noinline int port_status(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_PORT) ? ENETDOWN : 0;
}

int xptw_negated(struct xptw_hw *hw)
{
	return -port_status(hw);
}
EXPORT_SYMBOL_GPL(xptw_negated);

struct xptw_hw *xptw_hw_new(const struct xptw_calls *calls)
{
	struct xptw_hw *hw = kzalloc(sizeof(*hw), GFP_KERNEL);

	if (!hw)
		return NULL;
	hw->calls = calls;
	init_completion(&hw->reply);
	timer_setup(&hw->timer, answer_later, 0);
	return hw;
}
EXPORT_SYMBOL_GPL(xptw_hw_new);

void xptw_hw_gone(struct xptw_hw *hw)
{
	WRITE_ONCE(hw->gone, 1);
	complete_all(&hw->reply);
}
EXPORT_SYMBOL_GPL(xptw_hw_gone);

void xptw_hw_free(struct xptw_hw *hw)
{
	if (!hw)
		return;
#if BEFORE(6, 2)
	del_timer_sync(&hw->timer);
#else
	timer_delete_sync(&hw->timer);
#endif
	kfree(hw);
}
EXPORT_SYMBOL_GPL(xptw_hw_free);

MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("The half of a simulated RDMA driver that has the adapter's mailbox");
