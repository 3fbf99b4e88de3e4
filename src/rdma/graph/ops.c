// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Operations of devices where modules have no types, as those of vendors that are built outside of the kernel's
 * tree. Drivers hand their tables to ib_set_device_ops(), which copies each operation into the device: so the
 * callers of that function refer to the tables, and its own code shows where in a device the operations are.
 */
#include <string.h>

#include "rdma/graph/build.h"
#include "rdma/graph/code.h"

#define SETTER "ib_set_device_ops"

enum { MIN_TABLE = 0x100, MAX_DISTANCE = 0x80, WORD = 8 };
enum { MIN_VOTES = 4 };		/* operations that the function copies over the same distance, at least */
enum { STEPS = 1 << 26 };	/* comparisons for one module */

/* The source that each register was loaded from, while the function's code is read in its order. */
struct copying {
	const struct xpt_code_insn *insns;
	uint32_t nr;
	int32_t from[XPT_NR_REGS];	/* -1: something else */
	unsigned votes[MAX_DISTANCE / WORD];
};

static const struct xpt_code_insn *insn_at(const struct copying *c, uint64_t offset)
{
	uint32_t low = 0, high = c->nr;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->insns[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->nr && c->insns[low].offset == offset ? &c->insns[low] : NULL;
}

/* A store of a loaded value shows how far apart the two structs have the member. */
static void count_distance(struct copying *c, const struct xpt_code_insn *store)
{
	int64_t from = store->src < XPT_NR_REGS ? c->from[store->src] : -1, distance = store->disp - from;

	if (from >= 0 && distance >= 0 && distance < MAX_DISTANCE && distance % WORD == 0)
		c->votes[distance / WORD]++;
}

static void follow_instruction(struct copying *c, const struct xpt_code_insn *i)
{
	const struct xpt_code_insn *to = i->op == XPT_CODE_BRANCH ? insn_at(c, i->target) : NULL;
	unsigned reg;

	if (i->op == XPT_CODE_STORE)
		count_distance(c, i);
	else if (to && to->op == XPT_CODE_STORE)	/* the copy itself is where the code is rarely run */
		count_distance(c, to);
	if (i->op == XPT_CODE_LOAD && i->dst < XPT_NR_REGS) {
		c->from[i->dst] = i->disp;
		return;
	}
	for (reg = 0; reg < XPT_NR_REGS; reg++)
		if (i->clobbers & 1u << reg)
			c->from[reg] = -1;
	if ((i->op == XPT_CODE_MOVE || i->op == XPT_CODE_MOVE32) && i->dst < XPT_NR_REGS)
		c->from[i->dst] = -1;
}

/* Returns the distance for which most copies vote, or 0: too few. */
static uint32_t find_distance(const struct copying *c)
{
	uint32_t i, best = 0;

	for (i = 1; i < MAX_DISTANCE / WORD; i++)
		if (c->votes[i] > c->votes[best])
			best = i;
	return c->votes[best] >= MIN_VOTES ? best * WORD : 0;
}

static int read_setter(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m, const struct xpt_rdma_range *r)
{
	struct copying c = { .nr = 0 };
	struct xpt_code *code;
	uint32_t nr_secs, i;
	const struct xpt_mod_sec *sec = &xpt_module__secs(m->src->mod, &nr_secs)[r->sec];
	int err = r->start > UINT32_MAX - r->size ? 0 : xpt_code__new(&code);

	if (err || r->start > UINT32_MAX - r->size)
		return err;
	memset(c.from, 0xff, sizeof(c.from));
	err = xpt_code__read(code, sec->data + r->start, r->size, (uint32_t)r->start, &c.insns, &c.nr);
	for (i = 0; !err && i < c.nr; i++)
		follow_instruction(&c, &c.insns[i]);
	b->ops_offset = find_distance(&c);
	xpt_code__free(code);
	return err;
}

static int find_offset(struct xpt_rdma_build *b)
{
	uint32_t i, k;

	for (i = 0; i < b->src->nr; i++) {
		const struct xpt_rdma_bmod *m = &b->mods[i];

		if (m->src->vendor || m->src->shared)
			continue;
		for (k = 0; k < m->nr_ranges; k++)
			if (!m->ranges[k].cold && !strcmp(xpt_rdma_fn_name(b->g, m->ranges[k].fn), SETTER))
				return read_setter(b, m, &m->ranges[k]);
	}
	return 0;
}

/* Takes n of the steps that are left. */
static bool spend_steps(uint32_t *steps, uint32_t n)
{
	bool has_some = *steps > n;

	*steps = has_some ? *steps - n : 0;
	return has_some;
}

static void mark_table(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m, uint32_t sec, uint64_t start)
{
	uint32_t i, mod = (uint32_t)(m - b->mods);

	for (i = 0; i < b->nr_pointers; i++) {
		struct xpt_rdma_pointer *p = &b->pointers[i];

		p->is_ops |= p->mod == mod && p->sec == sec && p->start == start && p->size >= MIN_TABLE;
	}
}

/* Marks the tables to which a function refers that has a call of the setter. rels: of its section. */
static void mark_tables(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m, const struct xpt_rdma_range *r,
			const struct xpt_mod_rel *rels, uint32_t nr, uint32_t *steps)
{
	uint32_t i, nr_syms;
	const struct xpt_mod_sym *syms = xpt_module__syms(m->src->mod, &nr_syms);

	for (i = 0; i < nr && spend_steps(steps, 1); i++) {
		const struct xpt_mod_sym *s = &syms[rels[i].sym];
		uint64_t at = s->value + (uint64_t)rels[i].addend;

		if (!s->sec || rels[i].offset < r->start || rels[i].offset - r->start >= r->size)
			continue;
		if (rels[i].type == R_X86_64_PC32)	/* from the end of the instruction, of which it is the last part */
			at += 4;
		if (spend_steps(steps, b->nr_pointers))
			mark_table(b, m, s->sec, at);
	}
}

static void find_tables(struct xpt_rdma_build *b, const struct xpt_rdma_bmod *m)
{
	uint32_t nr_secs, nr_rels, nr_syms, steps = STEPS, i, k;
	const struct xpt_mod_sec *secs = xpt_module__secs(m->src->mod, &nr_secs);
	const struct xpt_mod_rel *rels = xpt_module__rels(m->src->mod, &nr_rels);
	const struct xpt_mod_sym *syms = xpt_module__syms(m->src->mod, &nr_syms);
	const struct xpt_rdma_range *range, *last = NULL;

	for (i = 0; i < nr_secs; i++)
		for (k = 0; k < secs[i].nr_rels; k++) {
			const struct xpt_mod_rel *r = &rels[secs[i].first_rel + k];

			if (syms[r->sym].sec || strcmp(syms[r->sym].name, SETTER) != 0 ||
			    xpt_rdma__fn_at(m, i, r->offset, &range) == XPT_RDMA_NONE || range == last)
				continue;
			last = range;
			mark_tables(b, m, range, &rels[secs[i].first_rel], secs[i].nr_rels, &steps);
		}
}

int xpt_rdma__ops(struct xpt_rdma_build *b)
{
	uint32_t i;
	int err = find_offset(b);

	for (i = 0; !err && b->ops_offset && i < b->src->nr; i++)
		if (b->mods[i].src->vendor)
			find_tables(b, &b->mods[i]);
	return err;
}
