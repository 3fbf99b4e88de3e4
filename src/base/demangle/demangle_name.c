/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The demangler's names: identifiers, operators, lambdas, nested and local
 * names, template arguments, and a function's name with its signature. After
 * the Itanium C++ ABI, section 5.1; an unusual construct makes a name bad.
 */
#include "base/demangle/demangle_priv.h"

#include <string.h>

static struct xpt_span source_name(struct xpt_dm *d)
{
	struct xpt_span text = { 0 };
	unsigned n;

	if (!xpt_dm__number(d, &n) || !n || n > (size_t)(d->end - d->s)) {
		d->bad = true;
		return text;
	}
	if (n >= 10 && !memcmp(d->s, "_GLOBAL__N", 10)) {
		text = xpt_dm__join(d, "(anonymous namespace)");
	} else {
		text.off = d->len;
		text.len = n;
		xpt_dm__put(d, d->s, n);
	}
	d->s += n;
	return text;
}

/* Ul <types> E [number] _ and Ut [number] _ */
static struct xpt_span closure_or_unnamed(struct xpt_dm *d, bool closure)
{
	struct xpt_span params = { 0 };
	unsigned n = 0;
	bool outer = d->closure, numbered;

	if (closure) {
		d->closure = true;
		params = xpt_dm__params(d);
		d->closure = outer;
		if (!xpt_dm__eat(d, "E"))
			d->bad = true;
	}
	numbered = xpt_dm__number(d, &n);
	if (!xpt_dm__eat(d, "_"))
		d->bad = true;
	n = numbered ? n + 2 : 1;
	return closure ? xpt_dm__join(d, "{lambda%p#%u}", &params, n)
		       : xpt_dm__join(d, "{unnamed type#%u}", n);
}

static struct xpt_span operator_name(struct xpt_dm *d, bool *bare)
{
	const struct xpt_dm_op *op = xpt_dm__find_op(d);
	struct xpt_dm_type t;
	struct xpt_span text = { 0 };

	if (op) {
		bool word = op->text[0] >= 'a' && op->text[0] <= 'z';

		d->s += 2;
		return xpt_dm__join(d, "operator%s%s", word ? " " : "", op->text);
	}
	if (xpt_dm__eat(d, "cv")) {
		*bare = true;
		t = xpt_dm__type(d);
		text = xpt_dm__text(d, &t);
		return xpt_dm__join(d, "operator %p", &text);
	}
	if (xpt_dm__eat(d, "li")) {
		text = source_name(d);
		return xpt_dm__join(d, "operator\"\" %p", &text);
	}
	d->bad = true;
	return text;
}

/* C1, D0 ...: named after the class around it. */
static struct xpt_span read_structor(struct xpt_dm *d, struct xpt_dm_name *n)
{
	bool destructor = *d->s == 'D';

	d->s += 2;
	n->bare = true;
	if (!n->last.len)
		d->bad = true;
	return destructor ? xpt_dm__join(d, "~%p", &n->last) : n->last;
}

/* Appends one component to n->text. */
void xpt_dm__unqualified(struct xpt_dm *d, struct xpt_dm_name *n)
{
	char c = xpt_dm__peek(d), c2 = xpt_dm__peek2(d);
	struct xpt_span part, tag;

	n->args = n->bare = false;
	if (c == 'L') {		/* internal linkage */
		d->s++;
		c = xpt_dm__peek(d);
	}
	if (c >= '0' && c <= '9')
		part = source_name(d);
	else if (xpt_dm__eat(d, "Ul"))
		part = closure_or_unnamed(d, true);
	else if (xpt_dm__eat(d, "Ut"))
		part = closure_or_unnamed(d, false);
	else if ((c == 'C' && c2 >= '1' && c2 <= '5') || (c == 'D' && c2 >= '0' && c2 <= '5'))
		part = read_structor(d, n);
	else
		part = operator_name(d, &n->bare);
	n->last = part;
	while (xpt_dm__eat(d, "B")) {
		tag = source_name(d);
		part = xpt_dm__join(d, "%p[abi:%p]", &part, &tag);
	}
	n->text = n->text.len ? xpt_dm__join(d, "%p::%p", &n->text, &part) : part;
}

static void add_args(struct xpt_dm *d, struct xpt_dm_name *n, bool top)
{
	struct xpt_span args = xpt_dm__args(d, top);
	bool less = n->text.len && !d->bad && d->buf[n->text.off + n->text.len - 1] == '<';

	n->text = xpt_dm__join(d, "%p%s%p", &n->text, less ? " " : "", &args);
	n->args = true;
}

/* The last component of text, as a class: for its constructors. */
static struct xpt_span last_part(const struct xpt_dm *d, struct xpt_span text)
{
	unsigned angle = 0;
	uint32_t i;

	for (i = 0; i < text.len; i++) {
		char c = d->buf[text.off + i];

		if (c == '<' && !angle++ && i)
			return last_part(d, (struct xpt_span){ text.off, i });
		if (c == ':' && !angle)
			return last_part(d, (struct xpt_span){ text.off + i + 1, text.len - i - 1 });
	}
	return text;
}

/* A prefix that is a type itself: substitution, parameter, decltype. */
static bool type_prefix(struct xpt_dm *d, struct xpt_dm_name *n)
{
	char c = xpt_dm__peek(d), c2 = xpt_dm__peek2(d);
	struct xpt_dm_type t;

	if (n->text.len || !(c == 'S' || c == 'T' || (c == 'D' && (c2 == 't' || c2 == 'T'))))
		return false;
	if (xpt_dm__eat(d, "St")) {
		n->text = xpt_dm__join(d, "std");
		return true;
	}
	if (c == 'D') {
		t = xpt_dm__type(d);
	} else {
		d->s++;
		t = c == 'S' ? xpt_dm__substitution(d) : xpt_dm__param(d);
		if (c == 'T')
			xpt_dm__add_sub(d, t);
	}
	n->text = xpt_dm__text(d, &t);
	n->last = last_part(d, n->text);
	return true;
}

static struct xpt_span method_quals(struct xpt_dm *d)
{
	bool r = xpt_dm__eat(d, "r"), v = xpt_dm__eat(d, "V"), k = xpt_dm__eat(d, "K");
	bool lref = xpt_dm__eat(d, "R"), rref = !lref && xpt_dm__eat(d, "O");

	return xpt_dm__join(d, "%s%s%s%s", k ? " const" : "", v ? " volatile" : "",
			    r ? " __restrict" : "", lref ? " &" : rref ? " &&" : "");
}

static void nested_name(struct xpt_dm *d, struct xpt_dm_name *n, bool top)
{
	n->quals = method_quals(d);
	while (!xpt_dm__eat(d, "E")) {
		bool subst = true;

		if (d->bad || d->s == d->end) {
			d->bad = true;
			return;
		}
		if (type_prefix(d, n))
			subst = false;	/* is one, or has made one */
		else if (xpt_dm__peek(d) == 'I' && n->text.len)
			add_args(d, n, top);
		else if (xpt_dm__eat(d, "M"))	/* initializer of a member: a closure follows */
			subst = false;
		else
			xpt_dm__unqualified(d, n);
		if (subst && xpt_dm__peek(d) != 'E')
			xpt_dm__add_sub(d, xpt_dm__plain(n->text));
	}
}

static void skip_discriminator(struct xpt_dm *d)
{
	unsigned n;

	if (xpt_dm__eat(d, "__")) {
		if (!xpt_dm__number(d, &n) || !xpt_dm__eat(d, "_"))
			d->bad = true;
	} else if (xpt_dm__eat(d, "_")) {
		if (xpt_dm__peek(d) < '0' || xpt_dm__peek(d) > '9')
			d->bad = true;
		d->s += !d->bad;
	}
}

/* Z <function> E <entity>, or s for a string literal in it */
static void local_name(struct xpt_dm *d, struct xpt_dm_name *n, bool top)
{
	struct xpt_span around = xpt_dm__encoding(d, false);

	if (!xpt_dm__eat(d, "E"))
		d->bad = true;
	if (xpt_dm__eat(d, "s"))
		n->text = xpt_dm__join(d, "string literal");
	else
		xpt_dm__name(d, n, top);
	skip_discriminator(d);
	n->text = xpt_dm__join(d, "%p::%p", &around, &n->text);
}

void xpt_dm__name(struct xpt_dm *d, struct xpt_dm_name *n, bool top)
{
	*n = (struct xpt_dm_name){ 0 };
	if (!xpt_dm__enter(d))
		return;
	if (xpt_dm__eat(d, "N")) {
		nested_name(d, n, top);
	} else if (xpt_dm__eat(d, "Z")) {
		local_name(d, n, top);
	} else {
		if (xpt_dm__eat(d, "St"))
			n->text = xpt_dm__join(d, "std");
		if (xpt_dm__peek(d) != 'S' || !type_prefix(d, n)) {
			xpt_dm__unqualified(d, n);
			if (xpt_dm__peek(d) == 'I')
				xpt_dm__add_sub(d, xpt_dm__plain(n->text));
		}
		if (xpt_dm__peek(d) == 'I')
			add_args(d, n, top);
	}
	d->depth--;
}

/* --- template arguments ---------------------------------------------------------- */

static struct xpt_dm_type one_arg(struct xpt_dm *d)
{
	struct xpt_span text;

	if (xpt_dm__peek(d) == 'L')
		return xpt_dm__plain(xpt_dm__literal(d));
	if (!xpt_dm__eat(d, "X"))
		return xpt_dm__type(d);
	text = xpt_dm__expr(d);
	if (!xpt_dm__eat(d, "E"))
		d->bad = true;
	return xpt_dm__plain(text);
}

/* J <arguments> E: text is that of all members. */
static void pack_arg(struct xpt_dm *d, struct xpt_dm_arg *a)
{
	struct xpt_dm_type own[XPT_DM_ARGS];
	struct xpt_span text, all = { 0 };
	unsigned i;

	a->pack = true;
	for (a->nr = 0; !xpt_dm__eat(d, "E"); a->nr++) {
		if (d->bad || d->s == d->end || a->nr == XPT_DM_ARGS) {
			d->bad = true;
			return;
		}
		own[a->nr] = one_arg(d);
		text = xpt_dm__text(d, &own[a->nr]);
		if (text.len)
			all = all.len ? xpt_dm__join(d, "%p, %p", &all, &text) : text;
	}
	a->type = xpt_dm__plain(all);
	a->first = (uint16_t)d->nr_members;
	if (d->nr_members + a->nr > XPT_DM_MEMBERS) {
		d->bad = true;
		return;
	}
	for (i = 0; i < a->nr; i++)
		d->member[d->nr_members++] = own[i];
}

struct xpt_span xpt_dm__args(struct xpt_dm *d, bool top)
{
	struct xpt_span all = { 0 }, text;
	struct xpt_dm_arg a;

	if (!xpt_dm__eat(d, "I") || !xpt_dm__enter(d)) {
		d->bad = true;
		return all;
	}
	if (top)
		d->args.nr = 0;
	while (!xpt_dm__eat(d, "E")) {
		if (d->bad || d->s == d->end) {
			d->bad = true;
			return all;
		}
		a = (struct xpt_dm_arg){ 0 };
		if (xpt_dm__eat(d, "J"))
			pack_arg(d, &a);
		else
			a.type = one_arg(d);
		text = xpt_dm__text(d, &a.type);
		if (text.len)
			all = all.len ? xpt_dm__join(d, "%p, %p", &all, &text) : text;
		if (top && d->args.nr == XPT_DM_ARGS)
			d->bad = true;
		else if (top)
			d->args.arg[d->args.nr++] = a;
	}
	d->depth--;
	if (all.len && !d->bad && d->buf[all.off + all.len - 1] == '>')
		return xpt_dm__join(d, "<%p >", &all);
	return xpt_dm__join(d, "<%p>", &all);
}

/* --- functions --------------------------------------------------------------------- */

/* A name and, for functions, the signature; the return type only at the top. */
struct xpt_span xpt_dm__encoding(struct xpt_dm *d, bool top)
{
	struct xpt_dm_args outer = d->args;
	struct xpt_dm_type ret = { 0 };
	struct xpt_span text, params;
	struct xpt_dm_name n;
	char c;

	if (!xpt_dm__enter(d))
		return (struct xpt_span){ 0 };
	d->args.nr = 0;
	xpt_dm__name(d, &n, true);
	text = n.text;
	c = xpt_dm__peek(d);
	if (c && c != 'E' && c != '.') {
		if (n.args && !n.bare)
			ret = xpt_dm__type(d);
		params = xpt_dm__params(d);
		text = xpt_dm__join(d, "%p%p%p", &n.text, &params, &n.quals);
		if (top && ret.left.len)
			text = xpt_dm__join(d, "%p%s%p%p", &ret.left,
					    ret.right.len ? "" : " ", &text, &ret.right);
	}
	d->args = outer;
	d->depth--;
	return text;
}
