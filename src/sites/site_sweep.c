// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Linear decoding from places where an instruction certainly begins, to tell
 * real references from bytes that only look like one. Everything unclear is
 * answered with UNKNOWN, which callers treat as a reference. Boundaries come
 * from the fast length decoder, meanings from the disassembler.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sites/site_priv.h"

enum {
	MAX_SWEEP = 256 << 10,	/* bytes from an anchor */
	MAX_TOTAL = 32 << 20,	/* bytes for one file */
	SWEEP_WORK = 8,		/* units of work (elf_work.c) of a byte */
	FOLLOW_INSNS = 8,	/* how far a loaded pointer is followed */
	FOLLOW_WORK = 5000,
	FOLLOW_BYTES = (FOLLOW_INSNS + 2) * XPT_INSN_MAX,
};

int xpt_sweep__add(struct xpt_sweep *sw, uint64_t vaddr)
{
	uint64_t *p;
	size_t cap;

	if (sw->nr == sw->cap) {
		cap = sw->cap ? sw->cap * 2 : 4096;
		p = realloc(sw->anchors, cap * sizeof(*p));
		if (!p)
			return -ENOMEM;
		sw->anchors = p;
		sw->cap = cap;
	}
	sw->anchors[sw->nr++] = vaddr;
	return 0;
}

/* The function starts in .eh_frame_hdr, whose usual encoding is the only one read. */
static int add_unwind(struct xpt_sweep *sw)
{
	const struct xpt_elf *elf = sw->elf;
	uint32_t count, i, table[1024];
	uint8_t h[12];
	size_t n, k;
	int err;

	if (!elf->eh_hdr || xpt_elf__read(elf, elf->eh_hdr, h, 12) != 12 || h[0] != 1 ||
	    h[1] != 0x1b || h[2] != 0x03 || h[3] != 0x3b)
		return 0;
	memcpy(&count, h + 8, 4);
	if (!xpt_elf__in_file(elf, elf->eh_hdr + 12, (uint64_t)count * 8))
		return 0;
	for (i = 0; i < count; i += (uint32_t)n) {
		n = count - i < 512 ? count - i : 512;
		if (xpt_elf__read(elf, elf->eh_hdr + 12 + (uint64_t)i * 8, table, n * 8) != n * 8)
			return 0;
		for (k = 0; k < n; k++) {
			err = xpt_sweep__add(sw, elf->eh_hdr + (uint64_t)(int64_t)(int32_t)table[2 * k]);
			if (err)
				return err;
		}
	}
	return 0;
}

int xpt_sweep__init(struct xpt_sweep *sw, const struct xpt_elf *elf, struct xpt_decoder *dec)
{
	size_t i;
	int err;

	memset(sw, 0, sizeof(*sw));
	sw->elf = elf;
	sw->dec = dec;
	sw->budget = MAX_TOTAL;
	sw->code = malloc(MAX_SWEEP + FOLLOW_BYTES);
	if (!sw->code)
		return -ENOMEM;
	err = add_unwind(sw);
	for (i = 0; !err && i < elf->nr_syms; i++)
		err = xpt_sweep__add(sw, elf->syms[i].vaddr);
	return err;
}

void xpt_sweep__free(struct xpt_sweep *sw)
{
	free(sw->anchors);
	free(sw->code);
	memset(sw, 0, sizeof(*sw));
}

static int cmp_u64(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

void xpt_sweep__sort(struct xpt_sweep *sw)
{
	if (xpt_elf__spend_sort(sw->elf, sw->nr, 8) && sw->nr)
		qsort(sw->anchors, sw->nr, sizeof(*sw->anchors), cmp_u64);
}

/* The last anchor below vaddr in the same executable segment; false if there is none. */
static bool anchor_below(const struct xpt_sweep *sw, uint64_t vaddr, uint64_t *ret_anchor)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(sw->elf, vaddr - 1);
	size_t lo = 0, hi = sw->nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (sw->anchors[mid] < vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || !seg || sw->anchors[lo - 1] < seg->vaddr)
		return false;
	*ret_anchor = sw->anchors[lo - 1];
	return true;
}

/*
 * Reads the code from a known instruction below vaddr to some bytes behind it.
 * Besides the anchors that is where the last walk ended.
 */
static size_t fetch(struct xpt_sweep *sw, uint64_t vaddr, uint64_t *ret_from)
{
	uint64_t n, from;

	if (!anchor_below(sw, vaddr, &from))
		return 0;
	if (sw->pos > from && sw->pos < vaddr)
		from = sw->pos;
	n = vaddr - from;
	if (n > MAX_SWEEP || n > sw->budget || !xpt_elf__spend(sw->elf, n * SWEEP_WORK))
		return 0;
	sw->budget -= n;
	*ret_from = from;
	return xpt_elf__read(sw->elf, from, sw->code, (size_t)n + FOLLOW_BYTES);
}

/*
 * Walks to the instruction that ends at end. YES: it begins at code + *ret_at;
 * NO: instructions end before and behind it.
 */
static enum xpt_sweep_answer walk(struct xpt_sweep *sw, uint64_t end, size_t *ret_at,
				  size_t *ret_n, uint64_t *ret_addr)
{
	uint64_t addr = 0;
	size_t len, at = 0, n;

	/* The shortest reference has two bytes. */
	n = fetch(sw, end - 1, &addr);
	for (; at < n; at += len, addr += len) {
		sw->pos = addr;
		len = xpt_insn__length(sw->code + at, n - at);
		if (!len)
			return XPT_SWEEP_UNKNOWN;
		if (addr + len >= end) {
			*ret_at = at;
			*ret_n = n;
			*ret_addr = addr;
			return addr + len == end ? XPT_SWEEP_YES : XPT_SWEEP_NO;
		}
	}
	return XPT_SWEEP_UNKNOWN;
}

/* Whether the value just loaded to reg is only copied to memory, then forgotten. */
static bool only_copied(struct xpt_sweep *sw, size_t at, size_t n, unsigned reg)
{
	enum xpt_reg_use use;
	size_t len = 0;
	int i;

	for (i = 0; i < FOLLOW_INSNS && at < n; i++, at += len) {
		use = xpt_decoder__use(sw->dec, sw->code + at, n - at, reg, &len);
		if (use == XPT_REG_OVERWRITTEN)
			return true;
		if (use == XPT_REG_USED)
			return false;
	}
	return false;
}

enum xpt_sweep_answer xpt_sweep__refers(struct xpt_sweep *sw, uint64_t end, uint64_t target,
					bool data)
{
	enum xpt_sweep_answer answer;
	struct xpt_insn insn;
	size_t at, n;
	uint64_t addr;

	answer = walk(sw, end, &at, &n, &addr);
	if (answer != XPT_SWEEP_YES)
		return answer;
	if (!xpt_elf__spend(sw->elf, FOLLOW_WORK))
		return XPT_SWEEP_UNKNOWN;
	if (!xpt_decoder__next(sw->dec, sw->code + at, n - at, addr, &insn) ||
	    addr + insn.len != end)
		return XPT_SWEEP_UNKNOWN;
	if (!insn.has_target || insn.target != target)
		return XPT_SWEEP_NO;
	/* Replacing the word, or saving what it held, calls nobody. */
	if (data && (insn.kind == XPT_INSN_STORE ||
		     (insn.kind == XPT_INSN_LOAD && only_copied(sw, at + insn.len, n, insn.reg))))
		return XPT_SWEEP_NO;
	return XPT_SWEEP_YES;
}

/* Padding between functions, by its bytes: prefixes, then nop. */
static bool is_padding(const uint8_t *b, size_t len)
{
	size_t i = 0;

	while (i + 1 < len && (b[i] == 0x66 || b[i] == 0x2e))
		i++;
	return b[i] == 0x90 || (b[i] == 0x0f && i + 1 < len && b[i + 1] == 0x1f);
}

enum xpt_sweep_answer xpt_sweep__falls_into(struct xpt_sweep *sw, uint64_t vaddr)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(sw->elf, vaddr);
	size_t n, at, len, last = 0;
	struct xpt_insn insn;
	uint64_t addr = 0;

	if (seg && seg->vaddr == vaddr)
		return XPT_SWEEP_NO;
	sw->pos = 0;
	n = fetch(sw, vaddr, &addr);
	for (at = 0; at < n && addr < vaddr; at += len, addr += len) {
		len = xpt_insn__length(sw->code + at, n - at);
		if (!len)
			return XPT_SWEEP_UNKNOWN;
		if (!is_padding(sw->code + at, len))
			last = at;
	}
	if (!n || addr != vaddr || !xpt_decoder__next(sw->dec, sw->code + last, n - last, 0, &insn))
		return XPT_SWEEP_UNKNOWN;
	return xpt_insn__leaves(insn.kind) ? XPT_SWEEP_NO : XPT_SWEEP_YES;
}
