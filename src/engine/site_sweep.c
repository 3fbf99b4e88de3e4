// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Linear decoding from places where an instruction certainly begins, to tell
 * real references from bytes that only look like one. Everything unclear is
 * answered with UNKNOWN, which callers treat as a reference.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "engine/site_priv.h"

enum {
	MAX_SWEEP = 256 << 10,	/* bytes from an anchor */
	MAX_TOTAL = 32 << 20,	/* bytes for one file */
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
	sw->code = malloc(MAX_SWEEP + XPT_INSN_MAX);
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
	if (sw->nr)
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

/* Reads the code from an anchor below vaddr to some bytes behind it. */
static size_t fetch(struct xpt_sweep *sw, uint64_t vaddr, uint64_t *ret_anchor)
{
	uint64_t n;

	if (!anchor_below(sw, vaddr, ret_anchor))
		return 0;
	n = vaddr - *ret_anchor;
	if (n > MAX_SWEEP || n > sw->budget)
		return 0;
	sw->budget -= n;
	return xpt_elf__read(sw->elf, *ret_anchor, sw->code, (size_t)n + XPT_INSN_MAX);
}

enum xpt_sweep_answer xpt_sweep__refers(struct xpt_sweep *sw, uint64_t end, uint64_t target)
{
	struct xpt_insn insn;
	uint64_t addr;
	size_t n, at;

	/* The shortest reference has two bytes. */
	n = fetch(sw, end - 1, &addr);
	for (at = 0; at < n; at += insn.len, addr += insn.len) {
		if (!xpt_decoder__next(sw->dec, sw->code + at, n - at, addr, &insn))
			return XPT_SWEEP_UNKNOWN;
		if (addr + insn.len > end)
			return XPT_SWEEP_NO;
		if (addr + insn.len == end)
			return insn.has_target && insn.target == target ? XPT_SWEEP_YES :
									  XPT_SWEEP_NO;
	}
	return XPT_SWEEP_UNKNOWN;
}

/* Kinds behind which nothing runs. A call at a function's end does not return. */
static bool ends_flow(enum xpt_insn_kind kind)
{
	return kind == XPT_INSN_JMP || kind == XPT_INSN_JMP_SLOT || kind == XPT_INSN_JMP_OTHER ||
	       kind == XPT_INSN_RET || kind == XPT_INSN_STOP || kind == XPT_INSN_CALL;
}

enum xpt_sweep_answer xpt_sweep__falls_into(struct xpt_sweep *sw, uint64_t vaddr)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(sw->elf, vaddr);
	enum xpt_insn_kind last = XPT_INSN_OTHER;
	struct xpt_insn insn;
	uint64_t addr;
	size_t n, at;

	if (seg && seg->vaddr == vaddr)
		return XPT_SWEEP_NO;
	n = fetch(sw, vaddr, &addr);
	for (at = 0; at < n && addr < vaddr; at += insn.len, addr += insn.len) {
		if (!xpt_decoder__next(sw->dec, sw->code + at, n - at, addr, &insn))
			return XPT_SWEEP_UNKNOWN;
		if (insn.kind != XPT_INSN_NOP)
			last = insn.kind;
	}
	if (!n || addr != vaddr)
		return XPT_SWEEP_UNKNOWN;
	return ends_flow(last) ? XPT_SWEEP_NO : XPT_SWEEP_YES;
}
