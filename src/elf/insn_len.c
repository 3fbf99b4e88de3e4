// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The length of an x86-64 instruction, without its meaning. A disassembler
 * spends most of its time on text and operands; finding instruction boundaries
 * in megabytes of code needs neither. 0 for everything that is not plainly
 * known: callers then give up. A test compares it with the disassembler.
 */
#include "elf/insn.h"

/* How the bytes after an opcode are laid out. */
enum {
	N = 0,	/* nothing */
	B = 1,	/* 1-byte immediate */
	Z = 2,	/* 4-byte immediate, 2 with an operand size prefix */
	M = 4,	/* ModRM */
	D = 8,	/* 4-byte displacement; not with an operand size prefix */
	W = 16,	/* 2-byte immediate */
	S = 32,	/* special: see special_layout() */
	X = 64,	/* invalid, or not worth knowing */
};

static const uint8_t one[256] = {
	M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X,	/* 00 */
	M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X,	/* 10 */
	M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X,	/* 20 */
	M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X,	/* 30 */
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,	/* 40: REX */
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,	/* 50 */
	X, X, X, M, X, X, X, X, Z, M | Z, B, M | B, N, N, N, N,	/* 60 */
	B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B,	/* 70 */
	M | B, M | Z, X, M | B, M, M, M, M, M, M, M, M, M, M, M, S,	/* 80 */
	N, N, N, N, N, N, N, N, N, N, X, N, N, N, N, N,	/* 90 */
	S, S, S, S, N, N, N, N, B, Z, N, N, N, N, N, N,	/* a0 */
	B, B, B, B, B, B, B, B, S, S, S, S, S, S, S, S,	/* b0 */
	M | B, M | B, W, N, X, X, M | B, M | Z, W | B, N, W, N, N, B, X, N,	/* c0 */
	M, M, M, M, X, X, X, N, M, M, M, M, M, M, M, M,	/* d0 */
	B, B, B, B, B, B, B, B, D, D, X, B, N, N, N, N,	/* e0 */
	X, N, X, X, N, N, S, S, N, N, N, N, N, N, M, M,	/* f0 */
};

static const uint8_t two[256] = {
	M, M, M, M, X, N, N, N, N, N, X, N, X, M, N, X,	/* 00 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,	/* 10 */
	X, X, X, X, X, X, X, X, M, M, M, M, M, M, M, M,	/* 20 */
	N, N, N, N, N, N, X, X, X, X, X, X, X, X, X, X,	/* 30 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,	/* 40 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,	/* 50 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,	/* 60 */
	M | B, M | B, M | B, M | B, M, M, M, N, X, X, X, X, M, M, M, M,	/* 70 */
	D, D, D, D, D, D, D, D, D, D, D, D, D, D, D, D,	/* 80 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,	/* 90 */
	N, N, N, M, M | B, M, X, X, N, N, N, M, M | B, M, M, M,	/* a0 */
	M, M, M, M, M, M, M, M, M, X, M | B, M, M, M, M, M,	/* b0 */
	M, M, M | B, M, M | B, M | B, M | B, M, N, N, N, N, N, N, N, N,	/* c0 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,	/* d0 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,	/* e0 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, X,	/* f0 */
};

struct prefixes {
	size_t n;	/* their bytes */
	bool opsize, addrsize, rex_w;
};

static struct prefixes read_prefixes(const uint8_t *b, size_t n)
{
	struct prefixes p = { 0 };

	for (; p.n < n; p.n++) {
		switch (b[p.n]) {
		case 0x66:
			p.opsize = true;
			continue;
		case 0x67:
			p.addrsize = true;
			continue;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
		case 0xf0: case 0xf2: case 0xf3:
			continue;
		default:
			break;
		}
		break;
	}
	if (p.n < n && (b[p.n] & 0xf0) == 0x40)
		p.rex_w = b[p.n++] & 8;
	return p;
}

/* Bytes of ModRM, SIB and displacement at b; 0 if they are not all there. */
static size_t modrm_len(const uint8_t *b, size_t n)
{
	size_t len = 1;
	uint8_t mod, rm;

	if (!n)
		return 0;
	mod = b[0] >> 6;
	rm = b[0] & 7;
	if (mod == 3)
		return 1;
	if (rm == 4) {
		if (n < 2)
			return 0;
		len = 2;
		rm = b[1] & 7;
		if (mod == 0 && rm == 5)
			len += 4;
	} else if (mod == 0 && rm == 5) {
		len += 4;
	}
	return len + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* Layout of the one-byte opcodes that need a look at more than themselves; *ret_imm: bytes. */
static uint8_t special_layout(const uint8_t *b, size_t n, const struct prefixes *p, size_t *ret_imm)
{
	if (b[0] >= 0xa0 && b[0] <= 0xa3) {
		*ret_imm = p->addrsize ? 4 : 8;
		return N;
	}
	if (b[0] >= 0xb8 && b[0] <= 0xbf) {
		*ret_imm = p->rex_w ? 8 : p->opsize ? 2 : 4;
		return N;
	}
	if (n < 2)
		return X;
	if (b[0] == 0x8f)
		return (b[1] & 0x38) == 0 ? M : X;
	if ((b[1] & 0x38) >= 0x10)	/* f6, f7: only test has an immediate */
		return M;
	return b[0] == 0xf6 ? M | B : M | Z;
}

/* Layout of a VEX or EVEX opcode by its map (1: 0f, 2: 0f38, 3: 0f3a). */
static uint8_t vex_layout(unsigned map, uint8_t op)
{
	if (map == 1)
		return op == 0x77 ? N : two[op] & (D | X) ? X : (two[op] & B) | M;
	return map == 2 ? M : map == 3 ? M | B : X;
}

/* Returns the instruction's length, from the bytes after its prefixes and opcode. */
static size_t finish_length(const uint8_t *b, size_t n, size_t at, uint8_t layout, size_t imm,
			    const struct prefixes *p)
{
	size_t len;

	if ((layout & X) || ((layout & D) && p->opsize && !p->rex_w))
		return 0;
	if (layout & M) {
		len = at < n ? modrm_len(b + at, n - at) : 0;
		if (!len)
			return 0;
		at += len;
	}
	at += imm + (layout & B ? 1 : 0) + (layout & W ? 2 : 0) + (layout & D ? 4 : 0);
	if (layout & Z)
		at += p->opsize && !p->rex_w ? 2 : 4;
	return at <= n && at <= XPT_INSN_MAX ? at : 0;
}

/* c4, c5, 62: always vector prefixes in 64-bit code. */
static size_t vex_len(const uint8_t *b, size_t n, size_t at, const struct prefixes *p)
{
	static const struct prefixes none = { 0 };
	size_t skip = b[at] == 0xc5 ? 2 : b[at] == 0xc4 ? 3 : 4;
	unsigned map;
	uint8_t op;

	if (n - at <= skip || p->opsize || p->rex_w)
		return 0;
	map = b[at] == 0xc5 ? 1 : b[at + 1] & (b[at] == 0xc4 ? 0x1f : 0x07);
	op = b[at + skip];
	return finish_length(b, n, at + skip + 1, vex_layout(map, op), 0, &none);
}

size_t xpt_insn__length(const void *code, size_t n)
{
	const uint8_t *b = code;
	struct prefixes p = read_prefixes(b, n);
	size_t at = p.n, imm = 0;
	uint8_t layout;

	if (at >= n || at >= XPT_INSN_MAX)
		return 0;
	if (b[at] == 0xc4 || b[at] == 0xc5 || b[at] == 0x62)
		return vex_len(b, n, at, &p);
	if (b[at] != 0x0f) {
		layout = one[b[at]];
		if (layout & S)
			layout = special_layout(b + at, n - at, &p, &imm);
		return finish_length(b, n, at + 1, layout, imm, &p);
	}
	if (++at >= n)
		return 0;
	if (b[at] == 0x38)
		return finish_length(b, n, at + 2, M, 0, &p);
	if (b[at] == 0x3a)
		return finish_length(b, n, at + 2, M | B, 0, &p);
	return finish_length(b, n, at + 1, two[b[at]], 0, &p);
}
