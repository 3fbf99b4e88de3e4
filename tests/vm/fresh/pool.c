// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the adapter has a limited number of, and what takes many steps: those
 * that were taken are undone, the last one first, whatever that says.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include "xptw.h"

int xptw_domain(struct xptw_hw *hw)
{
	return notifier_to_errno(blocking_notifier_call_chain(&xptw_events, 1, hw));
}
EXPORT_SYMBOL_GPL(xptw_domain);

int xptw_queue_take(struct xptw_hw *hw, u32 *ret_number)
{
	unsigned long n = find_first_zero_bit(hw->queues, XPTW_QUEUES);

	if (n >= XPTW_QUEUES)
		return -ENOSPC;
	set_bit(n, hw->queues);
	*ret_number = n;
	return 0;
}
EXPORT_SYMBOL_GPL(xptw_queue_take);

void xptw_queue_give(struct xptw_hw *hw, u32 number)
{
	clear_bit(number, hw->queues);
}
EXPORT_SYMBOL_GPL(xptw_queue_give);

static noinline int do_step(struct xptw_hw *hw, int i)
{
	if (i == XPTW_STEPS_NR - 1 &&
	    (xptw_fails(XPTW_STEPS) || xptw_fails(XPTW_STEPS_VOID) || xptw_fails(XPTW_STEPS_OTHER)))
		return -EIO;
	hw->steps++;
	return 0;
}

static noinline int undo_step(struct xptw_hw *hw, int i)
{
	hw->steps--;
	if (xptw_fails(XPTW_STEPS_OTHER))
		return -EBUSY;
	return xptw_fails(XPTW_STEPS) ? -EIO : 0;
}

/* Only one field is used, so the compiler passes that alone. */
static noinline void forget_step(struct xptw_ring *r, struct xptw_hw *hw)
{
	hw->steps -= r->stride;
}

static void undo_steps(struct xptw_hw *hw, int nr)
{
	struct xptw_ring one = { .stride = 1 };

	while (nr--) {
		if (xptw_fails(XPTW_STEPS_VOID))
			forget_step(&one, hw);
		else if (undo_step(hw, nr))
			pr_debug("step %d stays\n", nr);
	}
}

int xptw_steps(struct xptw_hw *hw)
{
	for (int i = 0; i < XPTW_STEPS_NR; i++) {
		int err = do_step(hw, i);

		if (!err)
			continue;
		undo_steps(hw, i);
		return err;
	}
	hw->steps = 0;
	return 0;
}
EXPORT_SYMBOL_GPL(xptw_steps);

int xptw_slot(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_TRANSLATED) ? -ENOSPC : 0;
}
EXPORT_SYMBOL_GPL(xptw_slot);

static noinline void *open_table(struct xptw_hw *hw)
{
	if (xptw_fails(XPTW_POINTER))
		return ERR_PTR(-EREMOTEIO);
	return hw;
}

void *xptw_table(struct xptw_hw *hw)
{
	void *t = open_table(hw);

	if (IS_ERR(t))
		return t;
	hw->credits++;
	return t;
}
EXPORT_SYMBOL_GPL(xptw_table);

void *xptw_key(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_EMPTY) ? NULL : hw;
}
EXPORT_SYMBOL_GPL(xptw_key);

void xptw_load(struct xptw_hw *hw, unsigned int pages, int *ret_err)
{
	hw->credits += pages;
	*ret_err = xptw_fails(XPTW_LEFT_BEHIND) ? -EIO : 0;
}
EXPORT_SYMBOL_GPL(xptw_load);

/* A defect: negative errnos do not fit. */
u8 xptw_state(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_BYTE) ? -EINVAL : 0;
}
EXPORT_SYMBOL_GPL(xptw_state);

u32 xptw_credit(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_WORD) ? -EIO : 0;
}
EXPORT_SYMBOL_GPL(xptw_credit);

s64 xptw_quota(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_WIDE) ? -EDQUOT : 0;
}
EXPORT_SYMBOL_GPL(xptw_quota);

int xptw_key_put(struct xptw_hw *hw)
{
	return xptw_fails(XPTW_IN_USE) ? -EBUSY : 0;
}
EXPORT_SYMBOL_GPL(xptw_key_put);
