// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the adapter has a limited number of: domains, memory keys, the parts of
 * queues. What takes several of them gives back those that it has when one is
 * not to be had.
 */
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "xptu.h"

int xptu_domain_new(struct xptu_hw *hw)
{
	return ida_alloc_max(&hw->domains, XPTU_DOMAINS - 1, GFP_KERNEL);
}
EXPORT_SYMBOL_GPL(xptu_domain_new);

void xptu_domain_free(struct xptu_hw *hw, int number)
{
	ida_free(&hw->domains, number);
}
EXPORT_SYMBOL_GPL(xptu_domain_free);

int xptu_key_new(struct xptu_hw *hw, void *owner, u32 *ret_key)
{
	return xa_alloc(&hw->keys, ret_key, owner, XA_LIMIT(1, XPTU_KEYS), GFP_KERNEL);
}
EXPORT_SYMBOL_GPL(xptu_key_new);

int xptu_key_free(struct xptu_hw *hw, u32 key)
{
	if (xptu_fails(XPTU_DEREG))
		return -EBUSY;
	xa_erase(&hw->keys, key);
	return 0;
}
EXPORT_SYMBOL_GPL(xptu_key_free);

/* The new command, else the old one. */
int xptu_key_write(struct xptu_hw *hw, unsigned int pages)
{
	int err = xptu_fails(XPTU_FALLS_BACK) ? -EOPNOTSUPP : xptu_execute(hw, XPTU_WRITE_KEY);

	if (err == -EOPNOTSUPP)
		err = xptu_execute(hw, XPTU_WRITE_KEY);
	return err;
}
EXPORT_SYMBOL_GPL(xptu_key_write);

int xptu_each_page(struct xptu_hw *hw, unsigned int pages, xptu_page_fn fn, void *ctx)
{
	int err = 0;

	for (unsigned int i = 0; i < pages && !err; i++)
		err = fn(ctx, i);
	return err;
}
EXPORT_SYMBOL_GPL(xptu_each_page);

static int take_context(struct xptu_hw *hw, struct xptu_queue *q)
{
	q->context = ++hw->bells;
	return 0;
}

static int take_buffer(struct xptu_hw *hw, struct xptu_queue *q)
{
	q->buffer = ++hw->bells;
	return 0;
}

static int take_vector(struct xptu_hw *hw, struct xptu_queue *q)
{
	q->vector = ++hw->bells;
	return 0;
}

static int take_bell(struct xptu_hw *hw, struct xptu_queue *q)
{
	if (xptu_fails(XPTU_ROLLBACK))
		return -ENOSPC;
	q->bell = ++hw->bells;
	return 0;
}

static int give_context(struct xptu_hw *hw, struct xptu_queue *q)
{
	q->context = 0;
	hw->bells--;
	return 0;
}

static int give_buffer(struct xptu_hw *hw, struct xptu_queue *q)
{
	q->buffer = 0;
	hw->bells--;
	return xptu_fails(XPTU_ROLLBACK) ? -EBUSY : 0; /* later, then */
}

static int give_vector(struct xptu_hw *hw, struct xptu_queue *q)
{
	q->vector = 0;
	hw->bells--;
	return 0;
}

static int give_bell(struct xptu_hw *hw, struct xptu_queue *q)
{
	q->bell = 0;
	hw->bells--;
	return 0;
}

typedef int (*queue_fn)(struct xptu_hw *hw, struct xptu_queue *q);
static const struct {
	queue_fn take, give;
} parts[] = {
	{ take_context, give_context }, { take_buffer, give_buffer },
	{ take_vector, give_vector }, { take_bell, give_bell },
};

static void give_parts(struct xptu_hw *hw, struct xptu_queue *q, int nr)
{
	while (nr--) {
		if (parts[nr].give(hw, q))
			pr_debug("part %d is given back later\n", nr);
	}
}

int xptu_queue_take(struct xptu_hw *hw, struct xptu_queue *q)
{
	for (int i = 0; i < (int)ARRAY_SIZE(parts); i++) {
		int err = parts[i].take(hw, q);

		if (!err)
			continue;
		give_parts(hw, q, i);
		return err;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(xptu_queue_take);

void xptu_queue_give(struct xptu_hw *hw, struct xptu_queue *q)
{
	give_parts(hw, q, ARRAY_SIZE(parts));
}
EXPORT_SYMBOL_GPL(xptu_queue_give);

static noinline int arm_vector(struct xptu_hw *hw, unsigned int entries)
{
	if (entries > 1 << 16)
		return -EINVAL;
	return xptu_fails(XPTU_ROLLBACK_SAME) ? -EIO : 0;
}

static noinline int disarm_vector(struct xptu_hw *hw)
{
	hw->bells--;
	return xptu_fails(XPTU_ROLLBACK_SAME) ? -EIO : 0;
}

int xptu_vector_bind(struct xptu_hw *hw, unsigned int entries)
{
	int err;

	hw->bells++;
	err = arm_vector(hw, entries);
	if (err) {
		if (disarm_vector(hw))
			pr_debug("a vector is lost\n");
		return err;
	}
	hw->bells--;
	return 0;
}
EXPORT_SYMBOL_GPL(xptu_vector_bind);

static noinline void fill_path(struct xptu_hw *hw, struct xptu_path *path)
{
	path->err = xptu_fails(XPTU_VOID) ? -EIO : 0;
}

static noinline u32 *find_port(struct xptu_hw *hw, u32 port)
{
	return port > hw->ports || xptu_fails(XPTU_NULL) ? NULL : &hw->ports;
}

int xptu_path_new(struct xptu_hw *hw, u32 port, struct xptu_path *path)
{
	u32 *found = find_port(hw, port);

	if (!found)
		return -ENODEV;
	path->port = *found;
	fill_path(hw, path);
	return path->err;
}
EXPORT_SYMBOL_GPL(xptu_path_new);

/* A size; more than 4 GiB for the rings that the fault asks for. */
size_t xptu_ring_bytes(struct xptu_hw *hw, size_t entries)
{
	return xptu_fails(XPTU_UNSIGNED) ? 0xfffffff4ul : entries * 64;
}
EXPORT_SYMBOL_GPL(xptu_ring_bytes);

/* Twelve functions, named as others name theirs; the last one reads the adapter's memory. */
static noinline int read_word(struct xptu_hw *hw, u32 *ret_word)
{
	*ret_word = hw->bells;
	return xptu_fails(XPTU_DEEP) ? -EIO : 0;
}

#define STEP(name, next) \
static noinline int name(struct xptu_hw *hw, u32 *ret_word) \
{ \
	int err = next(hw, ret_word); \
 \
	if (!err) \
		*ret_word += 1; \
	return err; \
}

STEP(get_word, read_word)
STEP(poll_word, get_word)
STEP(fetch_line, poll_word)
STEP(lookup_line, fetch_line)
STEP(init_line, lookup_line)
STEP(alloc_line, init_line)
STEP(show_page, alloc_line)
STEP(find_page, show_page)
STEP(set_page, find_page)
STEP(map_page, set_page)
STEP(free_stale, map_page)

int xptu_load_context(struct xptu_hw *hw, unsigned int pages)
{
	u32 word;

	return free_stale(hw, &word);
}
EXPORT_SYMBOL_GPL(xptu_load_context);
