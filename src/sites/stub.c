// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recognises forwarding stubs by decoding, and follows their slots.
 */
#include "sites/stub.h"

#include <string.h>

#include "elf/elf_priv.h"
#include "elf/insn.h"

enum {
	STUB_BYTES = 64,	/* a stub is short and straight */
	STUB_INSNS = 8,
	EXIT_INSNS = 4,
};

/* The code of a function, with a margin, and where it ends. */
struct code {
	uint8_t bytes[STUB_BYTES + XPT_INSN_MAX];
	size_t n;
	uint64_t vaddr, end;
};

static bool decode_at(struct xpt_decoder *dec, const struct code *c, uint64_t at, struct xpt_insn *in)
{
	size_t i = (size_t)(at - c->vaddr);

	return at >= c->vaddr && i < c->n && xpt_decoder__next(dec, c->bytes + i, c->n - i, at, in) &&
	       at + in->len <= c->end;
}

/* Whether the code at exit sets the result to a constant and returns. */
static bool is_exit(struct xpt_decoder *dec, const struct code *c, uint64_t exit)
{
	struct xpt_insn in;
	bool set = false;

	for (int i = 0; i < EXIT_INSNS && decode_at(dec, c, exit, &in); i++, exit += in.len) {
		if (in.kind == XPT_INSN_RET)
			return set;
		set |= in.kind == XPT_INSN_SET_RESULT;
		if (in.kind != XPT_INSN_SET_RESULT && in.kind != XPT_INSN_NOP)
			return false;
	}
	return false;
}

/* Whether a stub may have the instruction before its jump. Sets *exit for a conditional one. */
static bool may_precede(const struct xpt_insn *in, const struct code *c, uint64_t *exit)
{
	switch (in->kind) {
	case XPT_INSN_ENDBR:
		return in->addr == c->vaddr;
	case XPT_INSN_NOP:
	case XPT_INSN_CMP_FLAG:
	case XPT_INSN_WIDEN:
		return true;
	case XPT_INSN_JCC:
		if (*exit || !in->has_target || in->target <= in->addr || in->target >= c->end)
			return false;
		*exit = in->target;
		return true;
	default:
		return false;
	}
}

/* The address of the slot through which the stub jumps, 0 if it is no stub. */
static uint64_t find_slot(struct xpt_decoder *dec, const struct code *c, uint64_t *exit)
{
	uint64_t at = c->vaddr;
	struct xpt_insn in;

	for (int i = 0; i < STUB_INSNS && decode_at(dec, c, at, &in); i++, at += in.len) {
		if (in.kind == XPT_INSN_JMP_SLOT && in.has_target)
			return *exit && (*exit < at + in.len || !is_exit(dec, c, *exit)) ? 0 : in.target;
		if (!may_precede(&in, c, exit))
			return 0;
	}
	return 0;
}

/* The slot must be a word of data that the loader fills with an address of this file's code. */
static bool follow_slot(const struct xpt_elf *elf, uint64_t slot, uint64_t *ret_impl)
{
	const struct xpt_elf_seg *seg = xpt_elf__seg(elf, slot), *code;

	if (!seg || !(seg->flags & PF_W) || slot % 8 || seg->memsz < 8 || slot - seg->vaddr > seg->memsz - 8 ||
	    !xpt_elf__relative(elf, slot, ret_impl))
		return false;
	code = xpt_elf__seg(elf, *ret_impl);
	return code && code->flags & PF_X;
}

bool xpt_stub__decode(const struct xpt_elf *elf, struct xpt_decoder *dec, uint64_t vaddr,
		      uint64_t size, struct xpt_stub *ret_stub)
{
	struct code c = { .vaddr = vaddr, .end = vaddr + (size && size < STUB_BYTES ? size : STUB_BYTES) };
	struct xpt_stub stub = { 0 };
	uint64_t slot;

	c.n = xpt_elf__read(elf, vaddr, c.bytes, sizeof(c.bytes));
	/* Only code with `jmp *disp32(%rip)` can be a stub: spare the decoding. */
	if (!memmem(c.bytes, c.n, "\xff\x25", 2))
		return false;
	slot = find_slot(dec, &c, &stub.exit);
	if (!slot || !follow_slot(elf, slot, &stub.impl))
		return false;
	*ret_stub = stub;
	return true;
}
