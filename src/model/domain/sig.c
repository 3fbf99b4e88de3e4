// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the signature tables, see sig.h. Places of parameters follow the
 * System V ABI of x86-64: six words in registers, the others on the stack; a
 * struct of up to 16 bytes takes whole registers or none, a larger one lies on
 * the stack; floating point has registers of its own.
 */
#include "model/domain/sig.h"
#include <string.h>
#include "base/parse.h"
#include "model/domain/cap.h"

#define REG_WORDS 6
#define REG_FLOATS 8
#define REG_STRUCT 16		/* bytes of the largest struct in registers */

/* Digits at *p, as many as fit 16 bits; *p moves after them. */
static uint16_t read_number(const char **p)
{
	unsigned v = 0;

	for (; **p >= '0' && **p <= '9'; ++*p)
		v = v * 10 + (unsigned)(**p - '0') < 0x10000 ? v * 10 + (unsigned)(**p - '0') : 0xffff;
	return (uint16_t)v;
}

static uint16_t struct_size(const struct xpt_sigs *t, uint16_t id)
{
	const char *p = id < t->nr_structs ? strchr(t->structs[id], ' ') : NULL;

	if (!p)
		return 0;
	p++;
	return read_number(&p);
}

/* A type after its via letter; false: none that is known. */
static bool read_plain(const struct xpt_sigs *t, const char **p, struct xpt_sig_type *type)
{
	static const char letters[] = "iufhpsFetb";
	static const uint8_t kinds[] = {
		XPT_SIG_INT, XPT_SIG_UINT, XPT_SIG_FLOAT, XPT_SIG_HANDLE, XPT_SIG_POINTER,
		XPT_SIG_STRING, XPT_SIG_FUNCTION, XPT_SIG_ENUM, XPT_SIG_STRUCT, XPT_SIG_BYTES,
	};
	const char *at = **p ? strchr(letters, **p) : NULL;
	uint16_t n;

	if (!at)
		return false;
	++*p;
	type->kind = kinds[at - letters];
	n = read_number(p);
	type->size = 8;
	switch (type->kind) {
	case XPT_SIG_ENUM:
		type->id = n;
		type->size = **p == 'w' ? 8 : 4;
		*p += **p == 'w';
		return n < t->nr_enums;
	case XPT_SIG_STRUCT:
		type->id = n;
		type->size = struct_size(t, n);
		return type->size != 0;
	case XPT_SIG_POINTER:
	case XPT_SIG_STRING:
	case XPT_SIG_FUNCTION:
		return true;
	default:
		type->size = n;
		return n != 0 && (n <= 8 || type->kind == XPT_SIG_BYTES);
	}
}

static bool read_type(const struct xpt_sigs *t, const char **p, struct xpt_sig_type *ret_type)
{
	struct xpt_sig_type type = { 0 };

	if (**p == 'o' || (**p == 'p' && (*p)[1] == 't')) {
		type.via = **p == 'o' ? XPT_SIG_OUT : XPT_SIG_IN;
		++*p;
	}
	if (!read_plain(t, p, &type))
		return false;
	*ret_type = type;
	return true;
}

/* Words of the next parameter, and where it lies. */
static void place_param(struct xpt_sig *sig, struct xpt_sig_param *p)
{
	unsigned bytes = p->type.via == XPT_SIG_VALUE ? p->type.size : 8, n = (bytes + 7) / 8;
	bool is_struct = p->type.via == XPT_SIG_VALUE &&
			 (p->type.kind == XPT_SIG_STRUCT || p->type.kind == XPT_SIG_BYTES);

	p->words = n < 0xff ? (uint8_t)n : 0xff;
	p->word = XPT_SIG_NO_WORD;
	if (p->type.kind == XPT_SIG_FLOAT && p->type.via == XPT_SIG_VALUE &&
	    sig->floats < REG_FLOATS) {
		sig->floats++;
	} else if (sig->regs + n <= REG_WORDS && !(is_struct && bytes > REG_STRUCT)) {
		p->word = sig->regs;
		sig->regs = (uint8_t)(sig->regs + n);
	} else if (REG_WORDS + sig->stack + n < XPT_SIG_NO_WORD) {
		p->word = (uint8_t)(REG_WORDS + sig->stack);
		sig->stack = (uint8_t)(sig->stack + n);
	} else {
		sig->stack = XPT_SIG_NO_WORD - REG_WORDS;	/* nothing after it can be placed */
	}
}

bool xpt_sig__next(struct xpt_sig *sig, struct xpt_sig_param *ret_p)
{
	struct xpt_sig_param p = { .word = XPT_SIG_NO_WORD };
	const char *s = sig->rest;
	size_t len;

	sig->rest = "";
	if (*s != ' ')
		return false;
	p.name = ++s;
	len = strcspn(s, ": ");
	if (!len || len > 0xffff || s[len] != ':')
		return false;
	p.len = (uint16_t)len;
	s += len + 1;
	if (!read_type(sig->tables, &s, &p.type))
		return false;
	if (sig->fields && *s == '@') {
		s++;
		p.off = read_number(&s);
	} else if (!sig->fields) {
		place_param(sig, &p);
	}
	sig->rest = s;
	*ret_p = p;
	return true;
}

/* <0, 0, >0: name (len bytes) against the line's first word. */
static int compare_name(const char *name, size_t len, const char *line)
{
	size_t n = strcspn(line, " ");
	int c = memcmp(name, line, len < n ? len : n);

	return c ? c : (len > n) - (len < n);
}

static const char *find_line(const struct xpt_sigs *t, const char *name, size_t len)
{
	size_t lo = 0, hi = t->nr_fns;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = compare_name(name, len, t->fns[mid]);

		if (!c)
			return t->fns[mid];
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

bool xpt_sig__find(const struct xpt_sigs *t, const char *sym, struct xpt_sig *ret_sig)
{
	size_t len = strlen(sym);
	const char *line;

	if (!t)
		return false;
	line = find_line(t, sym, len);
	if (!line && len > 5 &&
	    (!memcmp(sym + len - 5, "_ptsz", 5) || !memcmp(sym + len - 5, "_ptds", 5)))
		line = find_line(t, sym, len - 5);
	if (!line)
		return false;
	*ret_sig = (struct xpt_sig){ .tables = t, .rest = line + strcspn(line, " ") };
	return true;
}

bool xpt_sig__struct(const struct xpt_sigs *t, uint16_t id, struct xpt_sig *ret_sig)
{
	const char *p = t && id < t->nr_structs ? strchr(t->structs[id], ' ') : NULL;

	if (!p)
		return false;
	p++;
	*ret_sig = (struct xpt_sig){ .tables = t, .rest = p + strcspn(p, " "), .fields = true };
	return true;
}

const char *xpt_sig__enum(const struct xpt_sigs *t, uint16_t id)
{
	return t && id < t->nr_enums ? t->enums[id] : NULL;
}

/* --- names of constants ------------------------------------------------------- */

struct constants {		/* a walk over an enum's line */
	const char *rest, *prefix, *name;
	size_t prefix_len, len;
	uint32_t value;
	bool flags;
};

static struct constants constants_of(const char *line)
{
	struct constants c = { .rest = line + strcspn(line, " "), .value = UINT32_MAX };

	c.flags = *line == '|';
	c.prefix = c.rest + (*c.rest == ' ');
	c.prefix_len = strcspn(c.prefix, " ");
	c.rest = c.prefix + c.prefix_len;
	if (c.prefix_len == 1 && *c.prefix == '-')
		c.prefix_len = 0;
	return c;
}

static bool next_constant(struct constants *c)
{
	const char *s = c->rest;
	bool minus;

	if (*s != ' ')
		return false;
	s++;
	c->value++;
	minus = *s == '-';
	if (minus || (*s >= '0' && *s <= '9')) {
		uint32_t v = 0;

		for (s += minus; *s >= '0' && *s <= '9'; s++)
			v = v * 10 + (uint32_t)(*s - '0');
		c->value = minus ? 0 - v : v;
		if (*s++ != '=')
			return false;
	}
	c->name = s;
	c->len = strcspn(s, " ");
	c->rest = s + c->len;
	return c->len != 0;
}

static void add_name(struct xpt_strbuf *sb, const struct constants *c)
{
	xpt_strbuf__addn(sb, c->prefix, c->prefix_len);
	xpt_strbuf__addn(sb, c->name, c->len);
}

static bool add_flags(struct xpt_strbuf *sb, const char *line, uint64_t v)
{
	struct constants c = constants_of(line);
	uint64_t left = v;
	bool first = true;

	while (next_constant(&c)) {
		if ((c.value & (c.value - 1)) || !(left & c.value))
			continue;
		if (!first)
			xpt_strbuf__addc(sb, '|');
		add_name(sb, &c);
		left &= ~(uint64_t)c.value;
		first = false;
	}
	if (!first && left)
		xpt_strbuf__addf(sb, "|0x%llx", (unsigned long long)left);
	return !first;
}

bool xpt_enum__add(struct xpt_strbuf *sb, const char *line, uint64_t v)
{
	struct constants c = constants_of(line);

	/* Captures of 4 bytes may be sign-extended; those of 8 are not. */
	while (v >> 32 == 0 || v >> 31 == 0x1ffffffffull) {
		if (!next_constant(&c))
			break;
		if (c.value == (uint32_t)v) {
			add_name(sb, &c);
			return true;
		}
	}
	return c.flags && add_flags(sb, line, v);
}

/* The constant of this name, n bytes with the prefix. */
static bool find_constant(const char *line, const char *name, size_t n, uint64_t *ret_v)
{
	struct constants c = constants_of(line);

	while (next_constant(&c)) {
		if (n != c.prefix_len + c.len || memcmp(name, c.prefix, c.prefix_len) != 0 ||
		    memcmp(name + c.prefix_len, c.name, c.len) != 0)
			continue;
		*ret_v = c.value;
		return true;
	}
	return false;
}

bool xpt_enum__value(const char *line, const char *text, uint64_t *ret_v)
{
	bool flags = *line == '|';
	uint64_t sum = 0, v;

	for (;;) {
		size_t n = flags ? strcspn(text, "|") : strlen(text);

		if (!find_constant(line, text, n, &v) &&
		    (!flags || strncmp(text, "0x", 2) != 0 || xpt_parse_u64(text, 0, UINT64_MAX, &v)))
			return false;
		sum |= v;
		if (!text[n])
			break;
		text += n + 1;
	}
	*ret_v = sum;
	return true;
}

/* --- the value of a capture ----------------------------------------------------- */

static bool is_name(const struct xpt_sig_param *p, const char *s, size_t n)
{
	return p->len == n && !memcmp(p->name, s, n);
}

/* The field that the capture reads: its path, after the parameter's name or not. */
static bool find_field(const struct xpt_sigs *t, const struct xpt_sig_param *p, uint32_t off,
		       const char *name, struct xpt_sig_type *ret_type)
{
	size_t n = strlen(name), skip = 0;
	struct xpt_sig_param f;
	struct xpt_sig sig;

	if (n > p->len && !memcmp(name, p->name, p->len) && name[p->len] == '.')
		skip = p->len + 1u;
	if (!xpt_sig__struct(t, p->type.id, &sig))
		return false;
	while (xpt_sig__next(&sig, &f)) {
		if (f.off != off || (!is_name(&f, name, n) && !is_name(&f, name + skip, n - skip)))
			continue;
		*ret_type = f.type;
		return true;
	}
	return false;
}

static struct xpt_cap_type cap_type(const struct xpt_sigs *t, const struct xpt_sig_param *p,
				    const struct xpt_wire_cap *cap, const char *name)
{
	struct xpt_cap_type none = { XPT_SIG_NONE, NULL };
	struct xpt_sig_type type = p->type;
	bool direct = cap->op == XPT_CAP_VAL || cap->op == XPT_CAP_STR;
	uint32_t off = (uint32_t)cap->off;

	/* The pointer itself, not its target. */
	if (direct && type.via != XPT_SIG_VALUE && !off && is_name(p, name, strlen(name)))
		return (struct xpt_cap_type){ XPT_SIG_POINTER, NULL };
	if (direct != (type.via == XPT_SIG_VALUE))
		return none;
	if (direct)
		off = (uint32_t)(cap->arg - p->word) * 8 + (cap->off > 0 ? (uint32_t)cap->off / 8 : 0);
	if (type.kind == XPT_SIG_STRUCT) {
		if (!find_field(t, p, off, name, &type))
			return none;
	} else if (off || !is_name(p, name, strlen(name)) || type.kind == XPT_SIG_BYTES) {
		return none;
	}
	if ((cap->width & 0x7f) < type.size || (direct && cap->off < 0))
		return none;
	return (struct xpt_cap_type){
		.kind = type.kind,
		.constants = type.kind == XPT_SIG_ENUM ? xpt_sig__enum(t, type.id) : NULL,
	};
}

struct xpt_cap_type xpt_sig__cap_type(const struct xpt_sigs *t, const char *sym,
				      const struct xpt_wire_cap *cap, const char *name)
{
	struct xpt_sig_param p;
	struct xpt_sig sig;

	if (xpt_cap_has_word(cap) && xpt_sig__find(t, sym, &sig))
		while (xpt_sig__next(&sig, &p))
			if (p.word != XPT_SIG_NO_WORD && cap->arg >= p.word &&
			    cap->arg < p.word + p.words)
				return cap_type(t, &p, cap, name);
	return (struct xpt_cap_type){ XPT_SIG_NONE, NULL };
}
