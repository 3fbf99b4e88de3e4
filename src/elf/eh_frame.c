// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads unwind tables, see eh_frame.h. Of the rules for registers only that of
 * the CFA (canonical frame address) is followed: the return address lies just
 * below it, so CFA = rsp + 8 says that the stack pointer points to the return
 * address. Every offset comes from the file and is checked before it is used.
 */
#include "elf/eh_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_priv.h"

enum {
	MAX_ENTRY = 1 << 20,	/* bytes of one CIE or FDE */
	MAX_STATES = 16,	/* of DW_CFA_remember_state */
	ENTRY_WORK = 8,		/* units of work (elf_work.c) of a byte of an entry */
	REG_RSP = 7,		/* psABI, figure 3.36 */
	RETURN_OFFSET = 8,
};

/* DW_CFA_*: the high two bits, or the whole byte. */
enum {
	CFA_ADVANCE = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00, CFA_ADVANCE1 = 0x02, CFA_ADVANCE2 = 0x03, CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05, CFA_RESTORE_EXTENDED = 0x06, CFA_UNDEFINED = 0x07,
	CFA_SAME = 0x08, CFA_REGISTER = 0x09, CFA_REMEMBER = 0x0a, CFA_RESTORE_STATE = 0x0b,
	CFA_DEF = 0x0c, CFA_DEF_REGISTER = 0x0d, CFA_DEF_OFFSET = 0x0e, CFA_DEF_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10, CFA_OFFSET_SF = 0x11, CFA_DEF_SF = 0x12, CFA_DEF_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14, CFA_VAL_OFFSET_SF = 0x15, CFA_VAL_EXPRESSION = 0x16,
	CFA_ARGS_SIZE = 0x2e,
};

struct cursor {			/* p..end may be read; bad: something was beyond */
	const uint8_t *p, *end;
	bool bad;
};

struct cfa {
	uint64_t reg, offset;
	bool known;		/* false: an expression */
};

struct entry {			/* a CIE or FDE, without its length */
	uint8_t *buf;
	struct cursor c;
	uint64_t vaddr;		/* of buf */
};

struct cie {
	struct entry e;
	uint64_t code_align;
	int64_t data_align;
	uint8_t pointer_encoding;
	bool augmented, personality;
};

struct rows {
	struct xpt_cfa_row *row;
	size_t nr, cap;
	bool no_memory;
};

static uint64_t get_fixed(struct cursor *c, size_t n)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < n) {
		c->bad = true;
		c->p = c->end;
		return 0;
	}
	memcpy(&v, c->p, n);	/* little endian, as all files that we open */
	c->p += n;
	return v;
}

static uint64_t get_uleb(struct cursor *c)
{
	unsigned shift = 0;
	uint64_t v = 0, b;

	do {
		b = get_fixed(c, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80 && !c->bad);
	return v;
}

static int64_t get_sleb(struct cursor *c)
{
	unsigned shift = 0;
	uint64_t v = 0, b;

	do {
		b = get_fixed(c, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80 && !c->bad);
	if (b & 0x40 && shift < 64)
		v |= ~0ull << shift;
	return (int64_t)v;
}

static void skip_bytes(struct cursor *c, uint64_t n)
{
	if (n > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		n = (uint64_t)(c->end - c->p);
	}
	c->p += n;
}

/* --- entries ------------------------------------------------------------------------- */

/* The entry whose length word lies at vaddr. */
static int read_entry(const struct xpt_elf *elf, uint64_t vaddr, struct entry *ret)
{
	uint32_t len;

	memset(ret, 0, sizeof(*ret));
	if (xpt_elf__read(elf, vaddr, &len, 4) != 4 || len < 4 || len > MAX_ENTRY ||
	    !xpt_elf__spend(elf, (uint64_t)len * ENTRY_WORK))
		return -ENOEXEC;
	ret->buf = malloc(len);
	if (!ret->buf)
		return -ENOMEM;
	ret->vaddr = vaddr + 4;
	if (xpt_elf__read(elf, ret->vaddr, ret->buf, len) != len) {
		free(ret->buf);
		ret->buf = NULL;
		return -ENOEXEC;
	}
	ret->c = (struct cursor){ ret->buf, ret->buf + len, false };
	return 0;
}

/* Bytes of a pointer in an encoding (DW_EH_PE_*), 0: one that is not read here. */
static size_t pointer_size(uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case 0x00: case 0x04: case 0x0c:
		return 8;
	case 0x03: case 0x0b:
		return 4;
	default:
		return 0;
	}
}

/* Reads the data of each letter of "zPLR" and the like. */
static int read_augmentation(struct cie *cie, const char *letters)
{
	struct cursor *c = &cie->e.c;
	size_t n;

	if (!letters[0])
		return 0;
	if (*letters++ != 'z')
		return -ENOEXEC;
	cie->augmented = true;
	get_uleb(c);
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->pointer_encoding = (uint8_t)get_fixed(c, 1);
			break;
		case 'L':
			get_fixed(c, 1);
			break;
		case 'P':
			n = pointer_size((uint8_t)get_fixed(c, 1));
			if (!n)
				return -ENOEXEC;
			skip_bytes(c, n);
			cie->personality = true;
			break;
		case 'S': case 'B':
			break;
		default:
			return -ENOEXEC;
		}
	}
	return c->bad ? -ENOEXEC : 0;
}

/* The cursor then stands at its instructions. */
static int read_cie(const struct xpt_elf *elf, uint64_t vaddr, struct cie *cie)
{
	struct cursor *c = &cie->e.c;
	const char *letters;
	uint8_t version;
	int err;

	memset(cie, 0, sizeof(*cie));
	err = read_entry(elf, vaddr, &cie->e);
	if (err)
		return err;
	if (get_fixed(c, 4) != 0)	/* else it is an FDE */
		return -ENOEXEC;
	version = (uint8_t)get_fixed(c, 1);
	letters = (const char *)c->p;
	if (c->bad || !memchr(c->p, 0, (size_t)(c->end - c->p)))
		return -ENOEXEC;
	skip_bytes(c, strlen(letters) + 1);
	cie->code_align = get_uleb(c);
	cie->data_align = get_sleb(c);
	if (version == 1)
		get_fixed(c, 1);
	else
		get_uleb(c);
	if (c->bad || (version != 1 && version != 3))
		return -ENOEXEC;
	return read_augmentation(cie, letters);
}

/* --- rules ----------------------------------------------------------------------------- */

static void add_row(struct rows *r, uint64_t vaddr, const struct cfa *cfa)
{
	bool at = cfa->known && cfa->reg == REG_RSP && cfa->offset == RETURN_OFFSET;

	if (r->nr && r->row[r->nr - 1].vaddr == vaddr)
		r->nr--;
	if (r->nr && r->row[r->nr - 1].at_return == at)
		return;
	if (r->nr == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 16;
		struct xpt_cfa_row *row = reallocarray(r->row, cap, sizeof(*row));

		if (!row) {
			r->no_memory = true;
			return;
		}
		r->row = row;
		r->cap = cap;
	}
	r->row[r->nr++] = (struct xpt_cfa_row){ vaddr, at };
}

/* Instructions that say nothing of the CFA; false: not known. */
static bool skip_rule(struct cursor *c, uint8_t op)
{
	switch (op) {
	case CFA_NOP:
		return true;
	case CFA_RESTORE_EXTENDED: case CFA_UNDEFINED: case CFA_SAME: case CFA_ARGS_SIZE:
		get_uleb(c);
		return true;
	case CFA_OFFSET_EXTENDED: case CFA_REGISTER: case CFA_OFFSET_SF: case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
		get_uleb(c);
		get_uleb(c);
		return true;
	case CFA_EXPRESSION: case CFA_VAL_EXPRESSION:
		get_uleb(c);
		skip_bytes(c, get_uleb(c));
		return true;
	default:
		return false;
	}
}

/* Executes an instruction that sets the CFA. Returns false if it is another one. */
static bool set_cfa(struct cursor *c, const struct cie *cie, uint8_t op, struct cfa *cfa)
{
	switch (op) {
	case CFA_DEF:
		*cfa = (struct cfa){ get_uleb(c), 0, true };
		cfa->offset = get_uleb(c);
		return true;
	case CFA_DEF_SF:
		*cfa = (struct cfa){ get_uleb(c), 0, true };
		cfa->offset = (uint64_t)get_sleb(c) * (uint64_t)cie->data_align;
		return true;
	case CFA_DEF_REGISTER:
		cfa->reg = get_uleb(c);
		return true;
	case CFA_DEF_OFFSET:
		cfa->offset = get_uleb(c);
		return true;
	case CFA_DEF_OFFSET_SF:
		cfa->offset = (uint64_t)get_sleb(c) * (uint64_t)cie->data_align;
		return true;
	case CFA_DEF_EXPRESSION:
		skip_bytes(c, get_uleb(c));
		cfa->known = false;
		return true;
	default:
		return false;
	}
}

/* How far an instruction advances; false: it is none of these. */
static bool read_advance(struct cursor *c, uint8_t op, uint64_t *ret_by)
{
	if ((op & 0xc0) == CFA_ADVANCE)
		*ret_by = op & 0x3f;
	else if (op >= CFA_ADVANCE1 && op <= CFA_ADVANCE4)
		*ret_by = get_fixed(c, (size_t)1 << (op - CFA_ADVANCE1));
	else
		return false;
	return true;
}

/* Runs the instructions at c from *at on. r: NULL for those of a CIE. */
static int run_program(struct cursor *c, const struct cie *cie, uint64_t *at, struct cfa *cfa,
		       struct rows *r)
{
	struct cfa saved[MAX_STATES];
	unsigned nr_saved = 0;
	uint64_t by;

	while (c->p < c->end && !c->bad) {
		uint8_t op = (uint8_t)get_fixed(c, 1);

		if ((op & 0xc0) == CFA_OFFSET) {
			get_uleb(c);
		} else if ((op & 0xc0) == CFA_RESTORE) {
			continue;
		} else if (read_advance(c, op, &by)) {
			*at += by * cie->code_align;
		} else if (op == CFA_REMEMBER && nr_saved < MAX_STATES) {
			saved[nr_saved++] = *cfa;
		} else if (op == CFA_RESTORE_STATE && nr_saved) {
			*cfa = saved[--nr_saved];
		} else if (!set_cfa(c, cie, op, cfa) && !skip_rule(c, op)) {
			return -ENOEXEC;
		}
		if (r && !c->bad)
			add_row(r, *at, cfa);
	}
	return c->bad ? -ENOEXEC : 0;
}

/* --- finding ----------------------------------------------------------------------------- */

/* The FDE's address by the table's binary search. */
static int search_table(const struct xpt_elf *elf, uint64_t vaddr, uint64_t *ret_fde)
{
	uint64_t hdr = elf->eh_hdr;
	uint32_t lo = 0, hi;
	int32_t row[2];
	uint8_t h[12];

	if (!hdr)
		return -ENOENT;
	if (xpt_elf__read(elf, hdr, h, 12) != 12 || h[0] != 1 || h[2] != 0x03 || h[3] != 0x3b)
		return -ENOEXEC;
	memcpy(&hi, h + 8, 4);
	if (!xpt_elf__in_file(elf, hdr + 12, (uint64_t)hi * 8))
		return -ENOEXEC;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (xpt_elf__read(elf, hdr + 12 + (uint64_t)mid * 8, row, 8) != 8)
			return -ENOEXEC;
		if (hdr + (uint64_t)(int64_t)row[0] <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return -ENOENT;
	if (xpt_elf__read(elf, hdr + 12 + (uint64_t)(lo - 1) * 8, row, 8) != 8)
		return -ENOEXEC;
	*ret_fde = hdr + (uint64_t)(int64_t)row[1];
	return 0;
}

/* First address and length of the code; c stands after the pointer to the CIE. */
static int read_range(struct entry *e, const struct cie *cie, struct xpt_fde *fde)
{
	size_t n = pointer_size(cie->pointer_encoding);
	uint64_t here = e->vaddr + (uint64_t)(e->c.p - e->buf), start, len;

	if (!n || (cie->pointer_encoding & 0xf0 & ~0x10))
		return -ENOEXEC;
	start = get_fixed(&e->c, n);
	len = get_fixed(&e->c, n);
	if (n == 4 && cie->pointer_encoding & 0x08)
		start = (uint64_t)(int64_t)(int32_t)start;
	if (cie->pointer_encoding & 0x10)
		start += here;
	if (cie->augmented)
		skip_bytes(&e->c, get_uleb(&e->c));
	fde->start = start;
	fde->end = start + len;
	return e->c.bad || fde->end < start ? -ENOEXEC : 0;
}

static int fill_fde(const struct cie *cie, struct entry *e, struct xpt_fde *fde)
{
	struct cursor initial = cie->e.c;
	struct cfa cfa = { 0 };
	struct rows rows = { 0 };
	uint64_t at = fde->start;
	int err;

	err = run_program(&initial, cie, &at, &cfa, NULL);
	at = fde->start;
	add_row(&rows, at, &cfa);
	if (!err)
		err = run_program(&e->c, cie, &at, &cfa, &rows);
	fde->row = rows.row;
	fde->nr_rows = rows.nr;
	fde->personality = cie->personality;
	return rows.no_memory ? -ENOMEM : err;
}

int xpt_fde__find(const struct xpt_elf *elf, uint64_t vaddr, struct xpt_fde *ret_fde)
{
	struct entry e = { 0 };
	struct cie cie = { 0 };
	uint64_t at, back;
	int err;

	memset(ret_fde, 0, sizeof(*ret_fde));
	err = search_table(elf, vaddr, &at);
	if (!err)
		err = read_entry(elf, at, &e);
	if (err)
		return err;
	back = get_fixed(&e.c, 4);
	err = back && back <= e.vaddr ? read_cie(elf, e.vaddr - back, &cie) : -ENOEXEC;
	if (!err)
		err = read_range(&e, &cie, ret_fde);
	if (!err && (vaddr < ret_fde->start || vaddr >= ret_fde->end))
		err = -ENOENT;
	if (!err)
		err = fill_fde(&cie, &e, ret_fde);
	free(e.buf);
	free(cie.e.buf);
	if (err)
		xpt_fde__free(ret_fde);
	return err;
}

void xpt_fde__free(struct xpt_fde *fde)
{
	free(fde->row);
	memset(fde, 0, sizeof(*fde));
}

bool xpt_fde__at_return(const struct xpt_fde *fde, uint64_t vaddr)
{
	size_t lo = 0, hi = fde->nr_rows;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (fde->row[mid].vaddr <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && fde->row[lo - 1].at_return;
}
