/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The demangler's types: builtin ones, pointers and qualifiers around a
 * declarator's place, functions, arrays, substitutions, template parameters and
 * pack expansions. After the Itanium C++ ABI, section 5.1.
 */
#include "base/demangle/demangle_priv.h"

#include <string.h>

static struct xpt_dm_type text_type(struct xpt_dm *d, const char *text)
{
	return xpt_dm__plain(xpt_dm__join(d, "%s", text));
}

static const char *name_builtin(char c)
{
	static const char *const names['z' - 'a' + 1] = {
		['v' - 'a'] = "void", ['w' - 'a'] = "wchar_t", ['b' - 'a'] = "bool",
		['c' - 'a'] = "char", ['a' - 'a'] = "signed char", ['h' - 'a'] = "unsigned char",
		['s' - 'a'] = "short", ['t' - 'a'] = "unsigned short", ['i' - 'a'] = "int",
		['j' - 'a'] = "unsigned int", ['l' - 'a'] = "long", ['m' - 'a'] = "unsigned long",
		['x' - 'a'] = "long long", ['y' - 'a'] = "unsigned long long",
		['n' - 'a'] = "__int128", ['o' - 'a'] = "unsigned __int128", ['f' - 'a'] = "float",
		['d' - 'a'] = "double", ['e' - 'a'] = "long double", ['g' - 'a'] = "__float128",
		['z' - 'a'] = "...",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* Returns a builtin type of two letters, D?; NULL if it is something else. */
static const char *name_builtin2(char c)
{
	switch (c) {
	case 'a': return "auto";
	case 'c': return "decltype(auto)";
	case 'd': return "decimal64";
	case 'e': return "decimal128";
	case 'f': return "decimal32";
	case 'h': return "half";
	case 'i': return "char32_t";
	case 's': return "char16_t";
	case 'u': return "char8_t";
	case 'n': return "decltype(nullptr)";
	}
	return NULL;
}

/* --- compound types ---------------------------------------------------------------- */

/* Appends text to the declarator: "*", "&", " const", " A::*". */
static struct xpt_dm_type add_declarator(struct xpt_dm *d, struct xpt_dm_type t, const char *what,
					 struct xpt_span cls)
{
	static const char *const open[] = { "", "(", " (" };
	const char *blank = cls.len && t.shape == XPT_DM_PLAIN ? " " : "";

	t.left = xpt_dm__join(d, "%p%s%s%p%s", &t.left, open[t.shape], blank, &cls, what);
	if (t.shape != XPT_DM_PLAIN)
		t.right = xpt_dm__join(d, ")%p", &t.right);
	t.shape = XPT_DM_PLAIN;
	return t;
}

static struct xpt_dm_type read_pointer(struct xpt_dm *d, char op)
{
	struct xpt_dm_type t = xpt_dm__type(d);
	uint32_t end = t.left.off + t.left.len;

	if (op == 'P')
		return add_declarator(d, t, "*", (struct xpt_span){ 0 });
	if (d->bad || !t.left.len || t.shape != XPT_DM_PLAIN || d->buf[end - 1] != '&')
		return add_declarator(d, t, op == 'R' ? "&" : "&&", (struct xpt_span){ 0 });
	/* A reference to a reference is one; && only if both are. */
	if (op == 'R' && t.left.len > 1 && d->buf[end - 2] == '&')
		t.left.len--;
	return t;
}

static struct xpt_dm_type read_qualified(struct xpt_dm *d)
{
	bool r = xpt_dm__eat(d, "r"), v = xpt_dm__eat(d, "V"), k = xpt_dm__eat(d, "K");
	struct xpt_dm_type t = xpt_dm__type(d);
	struct xpt_span quals = xpt_dm__join(d, "%s%s%s", k ? " const" : "", v ? " volatile" : "",
					     r ? " __restrict" : "");

	if (t.shape == XPT_DM_FUNCTION)
		t.right = xpt_dm__join(d, "%p%p", &t.right, &quals);
	else
		t.left = xpt_dm__join(d, "%p%p", &t.left, &quals);
	return t;
}

/* Reads F [Y] <return type> <parameters> [R|O] E; quals: the qualifiers before it. */
static struct xpt_dm_type read_function(struct xpt_dm *d, const char *quals)
{
	struct xpt_dm_type ret;
	struct xpt_span params;
	const char *ref = "";

	xpt_dm__eat(d, "Y");
	ret = xpt_dm__type(d);
	params = xpt_dm__params(d);
	if (xpt_dm__eat(d, "R"))
		ref = " &";
	else if (xpt_dm__eat(d, "O"))
		ref = " &&";
	if (!xpt_dm__eat(d, "E"))
		d->bad = true;
	ret.left = xpt_dm__join(d, "%p%s", &ret.left, ret.right.len ? "" : " ");
	ret.right = xpt_dm__join(d, "%p%p%s%s", &params, &ret.right, quals, ref);
	ret.shape = XPT_DM_FUNCTION;
	return ret;
}

/* Reads an array type: A [number or expression] _ <element type>. */
static struct xpt_dm_type read_array(struct xpt_dm *d)
{
	struct xpt_span n = { d->len, 0 };
	struct xpt_dm_type t;

	while (xpt_dm__peek(d) >= '0' && xpt_dm__peek(d) <= '9') {
		xpt_dm__put(d, d->s++, 1);
		n.len++;
	}
	if (!n.len && xpt_dm__peek(d) != '_')
		n = xpt_dm__expr(d);
	if (!xpt_dm__eat(d, "_"))
		d->bad = true;
	t = xpt_dm__type(d);
	if (t.shape == XPT_DM_ARRAY) {	/* " [2]" before " [3]" is written " [2][3]" */
		t.right.off++;
		t.right.len -= t.right.len != 0;
	}
	t.right = xpt_dm__join(d, " [%p]%p", &n, &t.right);
	t.shape = XPT_DM_ARRAY;
	return t;
}

static struct xpt_dm_type member_pointer(struct xpt_dm *d)
{
	struct xpt_dm_type cls = xpt_dm__type(d), t = xpt_dm__type(d);

	return add_declarator(d, t, "::*", xpt_dm__text(d, &cls));
}

/* Reads a vector type: Dv <number> _ <type>. */
static struct xpt_dm_type read_vector(struct xpt_dm *d)
{
	struct xpt_dm_type t;
	struct xpt_span text;
	const char *from = d->s;
	unsigned n = 0;

	if (!xpt_dm__number(d, &n))
		d->bad = true;
	text.off = d->len;
	text.len = (uint32_t)(d->s - from);
	xpt_dm__put(d, from, text.len);
	if (!xpt_dm__eat(d, "_"))
		d->bad = true;
	t = xpt_dm__type(d);
	t.left = xpt_dm__join(d, "%p __vector(%p)", &t.left, &text);
	return t;
}

/* --- substitutions and parameters ---------------------------------------------------- */

struct xpt_dm_type xpt_dm__substitution(struct xpt_dm *d)
{
	static const char *const names['t' - 'a'] = {
		['a' - 'a'] = "std::allocator", ['b' - 'a'] = "std::basic_string",
		['s' - 'a'] = "std::string", ['i' - 'a'] = "std::istream",
		['o' - 'a'] = "std::ostream", ['d' - 'a'] = "std::iostream",
	};
	char c = xpt_dm__peek(d);
	unsigned n = 0;

	if (c >= 'a' && c < 't' && names[c - 'a']) {
		d->s++;
		return text_type(d, names[c - 'a']);
	}
	if (xpt_dm__seq(d, &n) && n < d->nr_subs)
		return d->sub[n];
	d->bad = true;
	return (struct xpt_dm_type){ 0 };
}

struct xpt_dm_type xpt_dm__param(struct xpt_dm *d)
{
	struct xpt_dm_arg *a;
	unsigned n = 0;

	if (!xpt_dm__seq(d, &n))
		d->bad = true;
	if (d->closure && !d->bad)
		return xpt_dm__plain(xpt_dm__join(d, "auto:%u", n + 1));
	if (n >= d->args.nr)
		d->bad = true;
	if (d->bad)
		return (struct xpt_dm_type){ 0 };
	a = &d->args.arg[n];
	if (!a->pack)
		return a->type;
	if (d->pack_index < 0)
		return a->type;
	d->pack_nr = a->nr;
	if (d->pack_index < a->nr)
		return d->member[a->first + d->pack_index];
	return (struct xpt_dm_type){ 0 };
}

static struct xpt_span expand_once(struct xpt_dm *d, bool expr, int index)
{
	int outer_index = d->pack_index, outer_nr = d->pack_nr, nr;
	struct xpt_dm_type t;
	struct xpt_span text;

	d->pack_index = index;
	d->pack_nr = -1;
	if (expr) {
		text = xpt_dm__expr(d);
	} else {
		t = xpt_dm__type(d);
		text = xpt_dm__text(d, &t);
	}
	nr = d->pack_nr;
	d->pack_index = outer_index;
	d->pack_nr = index ? outer_nr : nr;	/* the first pass sets it for the caller */
	return text;
}

/* Reads the pattern of an expansion once for each member of the packs in it. */
struct xpt_dm_type xpt_dm__expansion(struct xpt_dm *d, bool expr)
{
	const char *pattern = d->s, *behind;
	struct xpt_span text, all = { 0 };
	int outer_nr = d->pack_nr, nr, i;
	unsigned nr_subs;

	text = expand_once(d, expr, 0);
	nr = d->pack_nr;
	d->pack_nr = outer_nr;
	behind = d->s;
	nr_subs = d->nr_subs;
	if (nr < 0)
		return xpt_dm__plain(xpt_dm__join(d, "%p...", &text));
	for (i = 0; i < nr && !d->bad; i++) {
		if (i) {
			d->s = pattern;
			text = expand_once(d, expr, i);
			d->nr_subs = nr_subs;
		}
		all = i ? xpt_dm__join(d, "%p, %p", &all, &text) : text;
	}
	d->s = behind;
	return xpt_dm__plain(all);
}

/* --- any type ----------------------------------------------------------------------- */

/* Reads a type that begins with D; *ret_sub: whether a substitution may refer to it. */
static struct xpt_dm_type type_d(struct xpt_dm *d, bool *ret_sub)
{
	const char *name = name_builtin2(xpt_dm__peek2(d));
	struct xpt_span text;

	if (name) {
		d->s += 2;
		*ret_sub = false;
		return text_type(d, name);
	}
	if (xpt_dm__eat(d, "DF16_") || xpt_dm__eat(d, "DF16b")) {
		*ret_sub = false;
		return text_type(d, d->s[-1] == 'b' ? "std::bfloat16_t" : "_Float16");
	}
	if (xpt_dm__eat(d, "Dp"))
		return xpt_dm__expansion(d, false);
	if (xpt_dm__eat(d, "Dv"))
		return read_vector(d);
	if (xpt_dm__eat(d, "DoF"))
		return read_function(d, " noexcept");
	if (xpt_dm__eat(d, "Dt") || xpt_dm__eat(d, "DT")) {
		text = xpt_dm__expr(d);
		if (!xpt_dm__eat(d, "E"))
			d->bad = true;
		return xpt_dm__plain(xpt_dm__join(d, "decltype (%p)", &text));
	}
	d->bad = true;
	return xpt_dm__plain((struct xpt_span){ 0 });
}

/* Reads U <vendor qualifier> [arguments] <type>, and u <vendor's type>. */
static struct xpt_dm_type read_vendor(struct xpt_dm *d, bool qualifier)
{
	struct xpt_dm_name n = { 0 };
	struct xpt_span args;
	struct xpt_dm_type t;

	if (xpt_dm__peek(d) < '0' || xpt_dm__peek(d) > '9')
		d->bad = true;
	xpt_dm__unqualified(d, &n);
	if (xpt_dm__peek(d) == 'I') {
		args = xpt_dm__args(d, false);
		n.text = xpt_dm__join(d, "%p%p", &n.text, &args);
	}
	if (!qualifier)
		return xpt_dm__plain(n.text);
	t = xpt_dm__type(d);
	t.left = xpt_dm__join(d, "%p %p", &t.left, &n.text);
	return t;
}

/* Reads a name; template arguments that follow make another type of it. */
static struct xpt_dm_type read_named(struct xpt_dm *d, bool *ret_sub)
{
	struct xpt_dm_type t;
	struct xpt_span text, args;
	bool fresh = *d->s == 'T';

	if (*d->s++ == 'S')
		t = xpt_dm__substitution(d);
	else
		t = xpt_dm__param(d);
	*ret_sub = fresh;
	if (xpt_dm__peek(d) != 'I')
		return t;
	if (fresh)
		xpt_dm__add_sub(d, t);
	text = xpt_dm__text(d, &t);
	args = xpt_dm__args(d, false);
	*ret_sub = true;
	return xpt_dm__plain(xpt_dm__join(d, "%p%p", &text, &args));
}

static struct xpt_dm_type class_name(struct xpt_dm *d)
{
	struct xpt_dm_name n;

	xpt_dm__name(d, &n, false);
	return xpt_dm__plain(n.text);
}

static struct xpt_dm_type read_compound(struct xpt_dm *d, bool *ret_sub)
{
	char c = xpt_dm__peek(d);

	switch (c) {
	case 'r': case 'V': case 'K':
		return read_qualified(d);
	case 'S':
		return xpt_dm__peek2(d) == 't' ? class_name(d) : read_named(d, ret_sub);
	case 'T':
		return read_named(d, ret_sub);
	case 'D':
		return type_d(d, ret_sub);
	}
	if (c == 'N' || c == 'Z' || (c >= '0' && c <= '9'))
		return class_name(d);
	d->s += c != '\0';
	switch (c) {
	case 'P': case 'R': case 'O':
		return read_pointer(d, c);
	case 'F':
		return read_function(d, "");
	case 'A':
		return read_array(d);
	case 'M':
		return member_pointer(d);
	case 'U': case 'u':
		return read_vendor(d, c == 'U');
	case 'C':
		return add_declarator(d, xpt_dm__type(d), " _Complex", (struct xpt_span){ 0 });
	}
	d->bad = true;
	return xpt_dm__plain((struct xpt_span){ 0 });
}

struct xpt_dm_type xpt_dm__type(struct xpt_dm *d)
{
	const char *name = name_builtin(xpt_dm__peek(d));
	struct xpt_dm_type t = { 0 };
	bool sub = true;

	if (!xpt_dm__enter(d))
		return t;
	if (name) {
		d->s++;
		t = text_type(d, name);
	} else {
		t = read_compound(d, &sub);
		if (sub)
			xpt_dm__add_sub(d, t);
	}
	d->depth--;
	return t;
}

struct xpt_span xpt_dm__params(struct xpt_dm *d)
{
	struct xpt_span all = { 0 }, text;
	struct xpt_dm_type t;
	char c = xpt_dm__peek(d);

	if (c == 'v') {
		d->s++;
		return xpt_dm__join(d, "()");
	}
	while (!d->bad && c && c != 'E' && c != '.') {
		if ((c == 'R' || c == 'O') && xpt_dm__peek2(d) == 'E')
			break;		/* it qualifies the function, not a parameter */
		t = xpt_dm__type(d);
		text = xpt_dm__text(d, &t);
		if (text.len)
			all = all.len ? xpt_dm__join(d, "%p, %p", &all, &text) : text;
		c = xpt_dm__peek(d);
	}
	return xpt_dm__join(d, "(%p)", &all);
}
