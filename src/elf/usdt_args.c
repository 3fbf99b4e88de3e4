// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Argument locations of USDT notes: operands as the compiler gave them to the
 * assembler, "N@OPERAND" each, N bytes, signed if negative. Read are constants,
 * general registers of all widths, and memory: displacement, base, scaled
 * index, and variables relative to %rip. All else (floating point, thread-local
 * variables, Intel's order of words) is a location of kind NONE.
 */
#include "elf/usdt.h"

#include <string.h>


struct operand {
	const char *p, *end;
	uint64_t site;
	bool absolute;
	xpt_usdt_sym_fn sym;
	void *ctx;
};

/* Names by number: 8, 4, 2, 1 bytes, and the second byte. */
static const char reg_names[16][5][5] = {
	{ "rax", "eax", "ax", "al", "ah" }, { "rcx", "ecx", "cx", "cl", "ch" },
	{ "rdx", "edx", "dx", "dl", "dh" }, { "rbx", "ebx", "bx", "bl", "bh" },
	{ "rsp", "esp", "sp", "spl", "" }, { "rbp", "ebp", "bp", "bpl", "" },
	{ "rsi", "esi", "si", "sil", "" }, { "rdi", "edi", "di", "dil", "" },
	{ "r8", "r8d", "r8w", "r8b", "" }, { "r9", "r9d", "r9w", "r9b", "" },
	{ "r10", "r10d", "r10w", "r10b", "" }, { "r11", "r11d", "r11w", "r11b", "" },
	{ "r12", "r12d", "r12w", "r12b", "" }, { "r13", "r13d", "r13w", "r13b", "" },
	{ "r14", "r14d", "r14w", "r14b", "" }, { "r15", "r15d", "r15w", "r15b", "" },
};

static bool eat_char(struct operand *o, char c)
{
	if (o->p == o->end || *o->p != c)
		return false;
	o->p++;
	return true;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '$';
}

/* The name at p; its length, 0 if there is none. */
static size_t read_word(struct operand *o, const char **ret_s)
{
	*ret_s = o->p;
	while (o->p < o->end && is_word(*o->p))
		o->p++;
	return (size_t)(o->p - *ret_s);
}

/* A register after its %. False: it is no general one. */
static bool read_reg(struct operand *o, uint8_t *ret_reg, unsigned *ret_form)
{
	const char *s;
	size_t n;

	if (!eat_char(o, '%'))
		return false;
	n = read_word(o, &s);
	for (uint8_t r = 0; n && r < 16; r++) {
		for (unsigned form = 0; form < 5; form++) {
			if (strlen(reg_names[r][form]) != n || memcmp(reg_names[r][form], s, n))
				continue;
			*ret_reg = r;
			*ret_form = form;
			return true;
		}
	}
	if (n != 3 || memcmp(s, "rip", 3))
		return false;
	*ret_reg = XPT_REG_SITE;
	*ret_form = 0;
	return true;
}

/* Digits as C writes them. False: none, or too many. */
static bool read_number(struct operand *o, uint64_t *ret_v)
{
	bool hex = o->end - o->p > 2 && o->p[0] == '0' && (o->p[1] | 0x20) == 'x';
	uint64_t v = 0, base = hex ? 16 : 10;
	const char *start;

	o->p += hex ? 2 : 0;
	start = o->p;
	for (; o->p < o->end; o->p++) {
		unsigned c = (unsigned char)*o->p, d = c - '0';

		if (d > 9 && hex)
			d = (c | 0x20) - 'a' < 6 ? (c | 0x20) - 'a' + 10 : 16;
		if (d >= base)
			break;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return false;
	}
	*ret_v = v;
	return o->p > start;
}

/* Sums of numbers and at most one variable: "g+4", "-16", "8+table". False: something else. */
static bool read_sum(struct operand *o, uint64_t *ret_v, bool *ret_sym)
{
	uint64_t v, total = 0;
	bool minus, more = true;
	const char *s;
	size_t n;

	*ret_sym = false;
	while (more) {
		minus = eat_char(o, '-');
		if (!minus)
			eat_char(o, '+');
		if (o->p < o->end && *o->p >= '0' && *o->p <= '9') {
			if (!read_number(o, &v))
				return false;
		} else {
			n = read_word(o, &s);
			if (!n || minus || *ret_sym || !o->sym || !o->sym(o->ctx, s, n, &v))
				return false;
			*ret_sym = true;
		}
		total = minus ? total - v : total + v;
		more = o->p < o->end && (*o->p == '+' || *o->p == '-');
	}
	*ret_v = total;
	return true;
}

/* "base,index,scale)" after the parenthesis. */
static bool read_address(struct operand *o, struct xpt_wire_loc *loc)
{
	uint64_t scale = 1;
	unsigned form = 0;

	loc->base = loc->index = XPT_REG_ZERO;
	if (o->p < o->end && *o->p == '%' && (!read_reg(o, &loc->base, &form) || form))
		return false;
	if (eat_char(o, ',')) {
		if (loc->base == XPT_REG_SITE || !read_reg(o, &loc->index, &form) || form ||
		    loc->index == XPT_REG_SITE)
			return false;
		if (eat_char(o, ',') && !read_number(o, &scale))
			return false;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	loc->scale = (uint8_t)__builtin_ctzll(scale);
	return eat_char(o, ')');
}

static bool read_memory(struct operand *o, struct xpt_wire_loc *loc)
{
	uint64_t off = 0;
	bool is_sym = false;

	loc->kind = XPT_LOC_MEM;
	loc->base = loc->index = XPT_REG_ZERO;
	if (o->p < o->end && *o->p != '(' && !read_sum(o, &off, &is_sym))
		return false;
	if (eat_char(o, '(') && !read_address(o, loc))
		return false;
	if (loc->base == XPT_REG_SITE) {	/* a bare number would be relative to the next instruction */
		if (!is_sym)
			return false;
		off -= o->site;
	} else if ((is_sym || (loc->base == XPT_REG_ZERO && loc->index == XPT_REG_ZERO)) &&
		   !o->absolute) {
		return false;
	}
	loc->off = (int64_t)off;
	return true;
}

static bool read_operand(struct operand *o, struct xpt_wire_loc *loc)
{
	uint64_t v;
	unsigned form;
	bool is_sym;

	if (o->p == o->end)
		return false;
	if (eat_char(o, '$')) {
		if (!read_sum(o, &v, &is_sym) || (is_sym && !o->absolute))
			return false;
		loc->kind = XPT_LOC_CONST;
		loc->off = (int64_t)v;
		return true;
	}
	if (*o->p != '%')
		return read_memory(o, loc);
	if (!read_reg(o, &loc->base, &form) || loc->base == XPT_REG_SITE)
		return false;
	loc->kind = XPT_LOC_REG;
	loc->scale = form == 4 ? 8 : 0;
	return true;
}

/* "-4@": the length of this, 0 if text is no begin of an argument. */
static size_t read_prefix(const char *text, uint8_t *ret_width)
{
	bool minus = *text == '-', real = false;
	const char *p = text + minus;
	unsigned n = 0;

	while (*p >= '0' && *p <= '9' && n < 1000)
		n = n * 10 + (unsigned)(*p++ - '0');
	if (p == text + minus)
		return 0;
	if (*p == 'f') {
		real = true;
		p++;
	}
	if (*p++ != '@')
		return 0;
	*ret_width = 0;
	if (!real && (n == 1 || n == 2 || n == 4 || n == 8))
		*ret_width = (uint8_t)(n | (minus ? 0x80 : 0));
	return (size_t)(p - text);
}

static void parse_one(const char *text, size_t len, struct operand *o, struct xpt_wire_loc *loc)
{
	uint8_t width = 8;
	size_t skip = read_prefix(text, &width);

	memset(loc, 0, sizeof(*loc));
	o->p = text + skip;
	o->end = text + len;
	loc->width = width ? width : 8;
	if (!width || !read_operand(o, loc) || o->p != o->end) {
		memset(loc, 0, sizeof(*loc));
		loc->width = 8;
	}
}

unsigned xpt_usdt__parse_args(const char *text, uint64_t site, bool absolute, xpt_usdt_sym_fn sym,
			      void *ctx, struct xpt_wire_loc *ret_loc)
{
	struct operand o = { .site = site, .absolute = absolute, .sym = sym, .ctx = ctx };
	unsigned n = 0;
	uint8_t width;

	for (text += strspn(text, " "); *text && n < XPT_POINT_ARGS; n++) {
		size_t len = strcspn(text, " "), next = len + strspn(text + len, " ");

		/* Words without a size belong to the argument before them. */
		while (text[next] && read_prefix(text, &width) && !read_prefix(text + next, &width)) {
			len = next + strcspn(text + next, " ");
			next = len + strspn(text + len, " ");
		}
		parse_one(text, len, &o, &ret_loc[n]);
		text += next;
	}
	return n;
}
