// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Classifies the instruction under a breakpoint the way the x86-64 kernel does
 * when it installs a uprobe.
 *
 * The kernel looks at opcode bytes, not at meanings: `push %r8` is emulated
 * but a push with a needless prefix is not. So the decoder only finds the
 * length here; the rules are below, each measured.
 */
#include "elf/insn_class.h"

#include <string.h>
#include "elf/insn.h"

unsigned xpt_site_class_ns(enum xpt_site_class cls)
{
	switch (cls) {
	case XPT_SITE_NOP5:
		return 1600;
	case XPT_SITE_EMULATED:
		return 1700;
	case XPT_SITE_UNSAFE:
		return 0;
	default:
		return 12200;
	}
}

const char *xpt_site_class_name(enum xpt_site_class cls)
{
	switch (cls) {
	case XPT_SITE_NOP5:
		return "nop5";
	case XPT_SITE_EMULATED:
		return "emulated";
	case XPT_SITE_SINGLE_STEP:
		return "single-step";
	case XPT_SITE_UNSAFE:
		return "unsafe";
	default:
		return "unknown";
	}
}

#if defined(__x86_64__)
/* The no-operations that the kernel recognises, by length; older kernels only the first two. */
static bool is_known_nop(const uint8_t *b, size_t len)
{
	static const uint8_t nops[][8] = {
		{ 0x90 },
		{ 0x66, 0x90 },
		{ 0x0f, 0x1f, 0x00 },
		{ 0x0f, 0x1f, 0x40, 0x00 },
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00 },
		{ 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 },
	};

	return len >= 1 && len <= sizeof(nops[0]) && memcmp(b, nops[len - 1], len) == 0;
}

/* Prefixes as the kernel collects them: legacy ones, then at most one REX. */
static size_t skip_prefixes(const uint8_t *b, size_t len, bool *ret_opsize, uint8_t *ret_rex)
{
	size_t i;

	*ret_opsize = false;
	*ret_rex = 0;
	for (i = 0; i < len; i++) {
		switch (b[i]) {
		case 0x66:
			*ret_opsize = true;
			continue;
		case 0x2e: case 0x36: case 0x3e: case 0x26: case 0x64: case 0x65:
		case 0x67: case 0xf0: case 0xf2: case 0xf3:
			continue;
		default:
			break;
		}
		break;
	}
	if (i < len && (b[i] & 0xf0) == 0x40)
		*ret_rex = b[i++];
	return i;
}

/* Opcodes on which the kernel accepts no uprobe (invalid, privileged, int, port I/O). */
static bool is_refused(uint8_t op)
{
	static const uint8_t refused[] = {
		0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61,
		0x62, 0x6c, 0x6d, 0x6e, 0x6f, 0x82, 0x9a, 0xcc, 0xcd, 0xce, 0xcf, 0xd4, 0xd6,
		0xe4, 0xe5, 0xe6, 0xe7, 0xea, 0xec, 0xed, 0xee, 0xef, 0xf1, 0xf4, 0xfa, 0xfb,
	};

	return memchr(refused, op, sizeof(refused)) != NULL;
}

static bool is_short_branch(uint8_t op)
{
	return op == 0xeb || op == 0xe9 || op == 0xe8 || (op & 0xf0) == 0x70;
}

/* Segment overrides that do nothing in 64-bit code, and lock: refused as well. */
static bool has_refused_prefix(const uint8_t *b, size_t nr_prefixes)
{
	size_t i;

	for (i = 0; i < nr_prefixes; i++)
		if (b[i] == 0x26 || b[i] == 0x2e || b[i] == 0x36 || b[i] == 0x3e || b[i] == 0xf0)
			return true;
	return false;
}

/*
 * Instructions with a VEX or EVEX prefix. The kernel compares their opcode with
 * its lists of one-byte opcodes, which means other instructions: `vpxor` (ef)
 * is refused as if it were `out`, and `vmovd %xmm0,%eax` (7e) is "emulated" as
 * a conditional jump, so that the traced program computes something else.
 */
static enum xpt_site_class classify_vex(uint8_t op)
{
	if (is_refused(op) || is_short_branch(op) || op == 0x90)
		return XPT_SITE_UNSAFE;
	return XPT_SITE_SINGLE_STEP;
}

static enum xpt_site_class classify_bytes(const uint8_t *b, size_t len)
{
	bool opsize;
	uint8_t rex;
	size_t at;

	if (is_known_nop(b, len))
		return len == 5 ? XPT_SITE_NOP5 : XPT_SITE_EMULATED;
	at = skip_prefixes(b, len, &opsize, &rex);
	if (at >= len)
		return XPT_SITE_UNKNOWN;
	if (has_refused_prefix(b, at))
		return XPT_SITE_UNSAFE;
	if ((b[at] == 0xc5 && at + 2 < len) || (b[at] == 0xc4 && at + 3 < len) ||
	    (b[at] == 0x62 && at + 4 < len))
		return classify_vex(b[at + (b[at] == 0xc5 ? 2 : b[at] == 0xc4 ? 3 : 4)]);
	if (is_refused(b[at]))
		return XPT_SITE_UNSAFE;
	if (b[at] == 0x90)
		return XPT_SITE_EMULATED;
	if (b[at] >= 0x50 && b[at] <= 0x57)
		return len == 1 || (len == 2 && rex == 0x41) ? XPT_SITE_EMULATED :
							       XPT_SITE_SINGLE_STEP;
	/* With an operand size prefix a branch is refused. */
	if (is_short_branch(b[at]) ||
	    (b[at] == 0x0f && at + 1 < len && (b[at + 1] & 0xf0) == 0x80))
		return opsize ? XPT_SITE_UNSAFE : XPT_SITE_EMULATED;
	return XPT_SITE_SINGLE_STEP;
}

enum xpt_site_class xpt_decoder__classify(struct xpt_decoder *dec, const void *code, size_t n)
{
	size_t len = xpt_insn__length(code, n);
	struct xpt_insn insn;

	if (!len && !xpt_decoder__next(dec, code, n, 0, &insn))
		return XPT_SITE_UNKNOWN;
	return classify_bytes(code, len ? len : insn.len);
}

enum xpt_site_class xpt_site__classify(const void *code, size_t n)
{
	enum xpt_site_class cls;
	struct xpt_decoder *dec;

	if (xpt_decoder__new(&dec) != 0)
		return XPT_SITE_UNKNOWN;
	cls = xpt_decoder__classify(dec, code, n);
	xpt_decoder__free(dec);
	return cls;
}
#else
enum xpt_site_class xpt_decoder__classify(struct xpt_decoder *dec, const void *code, size_t n)
{
	(void)dec;
	(void)code;
	(void)n;
	return XPT_SITE_UNKNOWN;
}

enum xpt_site_class xpt_site__classify(const void *code, size_t n)
{
	return xpt_decoder__classify(NULL, code, n);
}
#endif
